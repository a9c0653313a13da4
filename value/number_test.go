package value

import (
	"bufio"
	"bytes"
	"math"
	"math/big"
	"os"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// testLines yields the lines of a file of testdata.
func testLines(t *testing.T, name string, line func(string)) {
	t.Helper()
	f, err := os.Open("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	count := 0
	for in := bufio.NewScanner(f); in.Scan(); count++ {
		line(in.Text())
	}
	if count < 1000 {
		t.Fatalf("%s holds only %d lines", name, count)
	}
}

func TestParseInt(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]int64{
		"0": 0, "7": 7, "-1": -1, "9223372036854775807": math.MaxInt64,
		"-9223372036854775808": math.MinInt64, "1000000000000000000": 1e18,
	} {
		if n, ok := ParseInt([]byte(text)); !ok || n != want {
			t.Errorf("ParseInt(%q) = %d, %v", text, n, ok)
		}
	}
	for _, text := range []string{
		"", "-", "+1", "-0", "01", "-01", " 1", "1 ", "1.0", "0x1", "1e3", "--1", "00",
		"9223372036854775808", "-9223372036854775809", "18446744073709551616", "99999999999999999999", "1\x00",
	} {
		if n, ok := ParseInt([]byte(text)); ok {
			t.Errorf("ParseInt(%q) = %d", text, n)
		}
	}
}

func FuzzParseInt(f *testing.F) {
	for _, s := range []string{"0", "-0", "-9223372036854775808", "9223372036854775808", "012"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, s []byte) {
		n, ok := ParseInt(s)
		want, err := strconv.ParseInt(string(s), 10, 64)
		canonical := err == nil && strconv.FormatInt(want, 10) == string(s)
		if ok != canonical || ok && n != want {
			t.Fatalf("ParseInt(%q) = %d, %v", s, n, ok)
		}
		if ok && intLen(n) != len(s) {
			t.Fatalf("intLen(%d) = %d", n, intLen(n))
		}
	})
}

// TestParseFloatLikeZADD compares with redis-server 7.0.15: the score ZADD stored
// for the text, and whether ZCOUNT took it as a bound.
func TestParseFloatLikeZADD(t *testing.T) {
	t.Parallel()
	testLines(t, "scores.txt", func(line string) {
		field := strings.Split(line, "\t")
		text, err := strconv.Unquote(field[0])
		if err != nil {
			t.Fatal(err)
		}
		v, ok := ParseFloat([]byte(text))
		if want, err := strconv.ParseFloat(field[1], 64); ok != (err == nil) || ok && v != want {
			t.Errorf("ParseFloat(%q) = %v, %v; redis stores %s", text, v, ok, field[1])
		}
		if _, _, ok := ParseScore([]byte(text)); ok != (field[2] == "ok") {
			t.Errorf("ParseScore(%q) %v, redis %s", text, ok, field[2])
		}
	})
}

func TestParseFloat(t *testing.T) {
	t.Parallel()
	inf := math.Inf(1)
	for text, want := range map[string]float64{
		"+1": 1, ".5": .5, "5.": 5, "inf": inf, "-INF": -inf, "+Infinity": inf, "0x10": 16, "0X1p3": 8, "0x.8": .5,
		"1e-320": 1e-320, "0e999999": 0, "0x0p-5000": 0, "0e99999999999999999999": 0, "1E+5": 1e5, "00012": 12,
	} {
		if v, ok := ParseFloat([]byte(text)); !ok || v != want {
			t.Errorf("ParseFloat(%q) = %v, %v", text, v, ok)
		}
	}
	for _, text := range []string{
		"", " 1", "1 ", ".", "+", "1e", "1e+", "infinit", "nan", "NaN(1)", "0x", "0x1p", "0x1g", "1_0", "0x1_0", "+-1",
		"1e400", "-1e400", "1e-400", "0x1p-2000", "1\x00", "1d", "1e99999999999999999999", ".e5",
	} {
		if v, ok := ParseFloat([]byte(text)); ok {
			t.Errorf("ParseFloat(%q) = %v", text, v)
		}
	}
	if v, _ := ParseFloat([]byte("-0")); !math.Signbit(v) {
		t.Error("-0 loses its sign")
	}
}

// TestParseScore: a range's ends are read more leniently than scores.
func TestParseScore(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]float64{
		"": 0, "(": 0, " 1": 1, "( \n1": 1, "1\x00x": 1, "\x00": 0, "1e400": math.Inf(1), "(-1e400": math.Inf(-1), "1e-400": 0, "(inf": math.Inf(1),
	} {
		v, exclusive, ok := ParseScore([]byte(text))
		if !ok || v != want || exclusive != strings.HasPrefix(text, "(") {
			t.Errorf("ParseScore(%q) = %v, %v, %v", text, v, exclusive, ok)
		}
	}
	for _, text := range []string{" ", "( ", "((1", "1 ", "nan", "[1", "x\x00", "\xa01"} {
		if v, _, ok := ParseScore([]byte(text)); ok {
			t.Errorf("ParseScore(%q) = %v", text, v)
		}
	}
}

// TestLongDoubleLikeINCRBYFLOAT compares with redis-server 7.0.15: SET k a,
// INCRBYFLOAT k b, and its reply.
func TestLongDoubleLikeINCRBYFLOAT(t *testing.T) {
	t.Parallel()
	testLines(t, "incrbyfloat.txt", func(line string) {
		field := strings.Split(line, " ")
		a, aok := ParseLongDouble([]byte(field[0]))
		b, bok := ParseLongDouble([]byte(field[1]))
		sum, finite := a.Add(b)
		if !aok || !bok || !finite {
			t.Fatalf("%s: parsed %v %v, finite %v", line, aok, bok, finite)
		}
		if got := string(sum.AppendTo(nil)); got != field[2] {
			t.Errorf("%s + %s = %s, redis %s", field[0], field[1], got, field[2])
		}
	})
}

func TestLongDoubleBounds(t *testing.T) {
	t.Parallel()
	for text, ok := range map[string]bool{
		"1e4932": true, "1.2e4932": false, "-1.2e4932": false, "1e-4950": true, "1.9e-4951": true, "1.8e-4951": false,
		"1e-99999999999999999999": false, "1e99999999999999999999": false, "0e99999999999999999999": true,
		"inf": true, "nan": false, " 1": false, "": false,
		strings.Repeat("0", 5118) + "1": true, strings.Repeat("0", 5119) + "1": false,
		strings.Repeat("9", 4932): true, strings.Repeat("9", 4934): false,
	} {
		if _, got := ParseLongDouble([]byte(text)); got != ok {
			t.Errorf("ParseLongDouble(%.30q, %d bytes) %v", text, len(text), got)
		}
	}
	inf, _ := ParseLongDouble([]byte("inf"))
	most, _ := ParseLongDouble([]byte("1.1e4932"))
	for _, pair := range [][2]LongDouble{{inf, {}}, {{}, inf}, {inf, inf}, {most, most}} {
		if _, finite := pair[0].Add(pair[1]); finite {
			t.Errorf("%v + %v is finite", pair[0], pair[1])
		}
	}
	for n, want := range map[int64]string{0: "0", math.MinInt64: "-9223372036854775808", math.MaxInt64: "9223372036854775807"} {
		if got := string(IntLongDouble(n).AppendTo(nil)); got != want {
			t.Errorf("%d shows as %s", n, got)
		}
	}
}

// TestLongDoubleAddModel compares additions with math/big at 64 bits.
func TestLongDoubleAddModel(t *testing.T) {
	t.Parallel()
	number := rapid.Custom(func(t *rapid.T) LongDouble {
		exp := rapid.IntRange(-200, 200).Draw(t, "exp")
		return roundLongDouble(rapid.Bool().Draw(t, "neg"), rapid.Uint64().Draw(t, "mant"), 0, false, exp-64)
	})
	exact := func(x LongDouble) *big.Float {
		f := new(big.Float).SetPrec(64).SetUint64(x.mant)
		if x.neg {
			f.Neg(f)
		}
		return f.SetMantExp(f, int(x.exp))
	}
	rapid.Check(t, func(t *rapid.T) {
		x, y := number.Draw(t, "x"), number.Draw(t, "y")
		sum, finite := x.Add(y)
		want := new(big.Float).SetPrec(64).Add(exact(x), exact(y))
		if !finite || exact(sum).Cmp(want) != 0 {
			t.Fatalf("%v + %v = %v, want %v", exact(x), exact(y), exact(sum), want)
		}
	})
}

// FuzzFloats: no text makes a parser fail otherwise than by refusing it, and what
// a long double shows reads back as the same sum.
func FuzzFloats(f *testing.F) {
	for _, s := range []string{"1.5", "-0x1.8p3", "1e400", "inf", ".e", "0x.", "1e-4951", "99999999999999999999999e-30"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, s []byte) {
		v, ok := ParseFloat(s)
		if ok && math.IsNaN(v) {
			t.Fatalf("ParseFloat(%q) is NaN", s)
		}
		if score, _, lenient := ParseScore(s); ok && (!lenient || score != v) {
			t.Fatalf("ParseScore(%q) = %v, %v", s, score, lenient)
		}
		x, ok := ParseLongDouble(s)
		if !ok || x.inf {
			return
		}
		text := x.AppendTo(nil)
		if bytes.ContainsAny(text, "eE") || string(text) == "-0" {
			t.Fatalf("%q shows as %q", s, text)
		}
		again, ok := ParseLongDouble(text)
		if len(text) < maxLongDoubleText && (!ok || x.exp > -64 && string(again.AppendTo(nil)) != string(text)) {
			t.Fatalf("%q shows as %q, which reads as %v, %v", s, text, again, ok)
		}
	})
}

func BenchmarkNumbers(b *testing.B) {
	integer, decimal := []byte("1234567890"), []byte("10.50")
	b.Run("ParseInt", func(b *testing.B) {
		for b.Loop() {
			ParseInt(integer)
		}
	})
	b.Run("ParseFloat", func(b *testing.B) {
		for b.Loop() {
			ParseFloat(decimal)
		}
	})
	b.Run("LongDouble", func(b *testing.B) {
		b.ReportAllocs()
		var out []byte
		for b.Loop() {
			x, _ := ParseLongDouble(decimal)
			y, _ := ParseLongDouble(integer)
			sum, _ := x.Add(y)
			out = sum.AppendTo(out[:0])
		}
	})
}
