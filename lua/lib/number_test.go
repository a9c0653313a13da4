package lib

import (
	"math"
	"testing"
)

func TestFormatNumber(t *testing.T) {
	t.Parallel()
	for want, n := range map[string]float64{
		"1e+15": 1e15, "1e+14": 1e14, "99999999999999": 99999999999999, "1.2345678901234e+14": 123456789012345,
		"-0": math.Copysign(0, -1), "0": 0, "0.1": 0.1, "0.33333333333333": 1. / 3, "1e-05": 1e-5, "123456789": 123456.789e3,
		"inf": math.Inf(1), "-inf": math.Inf(-1), "-nan": NaN(), "nan": -NaN(), "4.9406564584125e-324": 5e-324, "-1.5": -1.5,
	} {
		if got := FormatNumber(n); got != want {
			t.Errorf("FormatNumber(%v) = %s, want %s", n, got, want)
		}
		if got := string(AppendNumber(nil, n)); got != want {
			t.Errorf("AppendNumber(%v) = %s, want %s", n, got, want)
		}
	}
}

func TestParseNumber(t *testing.T) {
	t.Parallel()
	for s, want := range map[string]float64{
		"10": 10, " 10 ": 10, "\v1\f\r": 1, "1\x00x": 1, "010": 10, "0x10": 16, "-0x1p4": -16, "0x.8": 0.5, "1e5": 1e5, "5.": 5, ".5": 0.5,
		"inf": math.Inf(1), "-Infinity": math.Inf(-1), "1e400": math.Inf(1), "1e-400": 0, "18446744073709551615": 1 << 64, "+3": 3,
	} {
		if got, ok := ParseNumber(s); !ok || got != want {
			t.Errorf("ParseNumber(%q) = %v, %v, want %v", s, got, ok, want)
		}
	}
	for _, s := range []string{"", " ", "x", "10x", "1_0", "0b1", "0x", "1e", "- 1", "--1", ".", "e5", "0x1p", "1 2", "infi"} {
		if got, ok := ParseNumber(s); ok {
			t.Errorf("ParseNumber(%q) = %v", s, got)
		}
	}
	if n, ok := ParseNumber("nan(123)"); !ok || !math.IsNaN(n) {
		t.Errorf("ParseNumber of a NaN: %v, %v", n, ok)
	}
}

// TestRandom compares with the first numbers of Redis's generator for seed 0.
func TestRandom(t *testing.T) {
	t.Parallel()
	var g Random
	g.Seed(0)
	for i, want := range []int{18, 75, 10, 88, 58, 79, 70, 37, 88, 75} {
		r := float64(g.Next()%math.MaxInt32) / math.MaxInt32
		if got := int(math.Floor(r*100)) + 1; got != want {
			t.Errorf("number %d: %d, want %d", i, got, want)
		}
	}
	copied := g
	if g.Next() != copied.Next() {
		t.Error("a copy goes on differently")
	}
}
