package value

import (
	"testing"
)

// TestLongDoubleOrder compares each number of an ascending list with each.
func TestLongDoubleOrder(t *testing.T) {
	t.Parallel()
	ascending := []string{"-inf", "-1e4932", "-18446744073709551616", "-18446744073709551615", "-1.5", "-1", "-1e-4000", "0", "1e-4000", "0.1",
		"1", "1.0000000000000000001", "1.5", "2", "9223372036854775807", "9223372036854775808", "1e4931", "1e4932", "inf"}
	var list []LongDouble
	for _, s := range ascending {
		x, ok := ParseLongDouble([]byte(s))
		if !ok {
			t.Fatalf("%s is not read", s)
		}
		list = append(list, x)
	}
	for i, x := range list {
		for j, y := range list {
			want := min(max(i-j, -1), 1)
			if got := x.Cmp(y); got != want {
				t.Errorf("%s.Cmp(%s) is %d", ascending[i], ascending[j], got)
			}
			if got := x.Neg().Cmp(y.Neg()); got != -want {
				t.Errorf("-%s.Cmp(-%s) is %d", ascending[i], ascending[j], got)
			}
		}
	}
}
