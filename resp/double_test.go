package resp_test

import (
	"math"
	"testing"

	"minikv/resp"
)

// The texts are what ZSCORE and a script's {double=x} answer in Redis 7.0.15.
func TestDoubleIsWrittenAsPrintfDoes(t *testing.T) {
	t.Parallel()
	cases := []struct {
		f    float64
		want string
	}{
		{0, "0"},
		{math.Copysign(0, -1), "-0"},
		{1, "1"},
		{-2.5, "-2.5"},
		{0.1, "0.10000000000000001"},
		{0.3, "0.29999999999999999"},
		{3.141, "3.141"},
		{17179869184.5, "17179869184.5"},
		{1e15, "1000000000000000"},
		{9007199254740992, "9007199254740992"},
		{1e16, "10000000000000000"},
		{-1e16, "-10000000000000000"},
		{99999999999999984, "99999999999999984"},
		{1e17, "1e+17"},
		{-1e17, "-1e+17"},
		{123456789012345678, "1.2345678901234568e+17"},
		{4611686018427387904, "4.6116860184273879e+18"},
		{math.MaxInt64, "9.2233720368547758e+18"},
		{1e21, "1e+21"},
		{1e300, "1.0000000000000001e+300"},
		{0.0001, "0.0001"},
		{1e-5, "1.0000000000000001e-05"},
		{5e-324, "4.9406564584124654e-324"},
		{math.MaxFloat64, "1.7976931348623157e+308"},
		{math.Inf(1), "inf"},
		{math.Inf(-1), "-inf"},
		{math.Copysign(math.NaN(), 1), "nan"},
		{math.Copysign(math.NaN(), -1), "-nan"},
	}
	for _, c := range cases {
		if got := resp.FormatDouble(c.f); got != c.want {
			t.Errorf("FormatDouble(%v) = %s, want %s", c.f, got, c.want)
		}
	}
}
