package compile

import (
	"strings"
	"testing"
)

func chunk(t *testing.T, source string) *Function {
	t.Helper()
	f, err := Chunk(source, "p")
	if err != nil {
		t.Fatalf("%s: %v", source, err)
	}
	return f
}

// find returns where the last instruction of an operation is.
func find(f *Function, op Op) int {
	at := -1
	for pc, i := range f.Code {
		if i.Op() == op {
			at = pc
		}
	}
	return at
}

// TestNames checks what messages call the operand of an instruction.
func TestNames(t *testing.T) {
	t.Parallel()
	for source, want := range map[string]string{
		"local x x()":                            "local x",
		"x()":                                    "global x",
		"local t t.x.y()":                        "field y",
		"local t t:m()":                          "method m",
		"local t t[1]()":                         "field ?",
		"local x=1 do local y=x end local z z()": "local z",
		"(function() end)()":                     " ",
		"local x x=('s' and x) x()":              "local x",
		"local a,b (a or b)()":                   " ",
	} {
		f := chunk(t, source)
		pc := find(f, Call)
		if kind, name := f.NameOf(pc, f.Code[pc].A()); kind+" "+name != want {
			t.Errorf("%s: %s %s, want %s", source, kind, name, want)
		}
	}
}

// TestConstants checks that constants are folded and shared as in Lua 5.1: a
// function has one zero, whose sign is that of the first.
func TestConstants(t *testing.T) {
	t.Parallel()
	for source, want := range map[string]int{
		"return 1+2*3":       1,
		"return 0,-0,0":      1,
		"return 'a','a','b'": 2,
		"return 1/0":         2,
		"return 2^3,8":       1,
	} {
		if got := len(chunk(t, source).Constants); got != want {
			t.Errorf("%s: %d constants, want %d", source, got, want)
		}
	}
}

// TestLongChains checks that neither depth nor time explode.
func TestLongChains(t *testing.T) {
	t.Parallel()
	for _, source := range []string{
		"local a=1 return a" + strings.Repeat("+a", 30_000),
		"local a=1 return a" + strings.Repeat(" and a", 30_000),
		"local a=1 return a" + strings.Repeat(" == a", 30_000),
		"local a=1 return a" + strings.Repeat(".b", 30_000),
		"local a=1 return a" + strings.Repeat("()", 30_000),
		"local a=1 return 's'" + strings.Repeat(" and 's'", 30_000),
		"if a then " + strings.Repeat("elseif b then ", 30_000) + "end",
		"return " + strings.Repeat("(a or ", 180) + "b" + strings.Repeat(" and c)", 180),
		"return " + strings.Repeat("(1 and ", 180) + "b" + strings.Repeat(" or c)", 180),
		"return " + strings.Repeat("-(1+", 90) + "b" + strings.Repeat(")", 90),
		"return {" + strings.Repeat("'x',", 30_000) + "}",
	} {
		if _, err := Chunk(source, "p"); err != nil && !strings.Contains(err.Error(), "too many") && !strings.Contains(err.Error(), "too complex") {
			t.Errorf("%.40s: %v", source, err)
		}
	}
}

func TestSizes(t *testing.T) {
	t.Parallel()
	for n, want := range map[int]int{0: 0, 7: 7, 15: 15, 16: 16, 17: 18, 100: 104, 1000: 1024} {
		if got := Size(sizeByte(n)); got != want {
			t.Errorf("%d is rounded to %d, want %d", n, got, want)
		}
	}
}

func FuzzChunk(f *testing.F) {
	for _, s := range []string{"return 1", "local a,b=1 a,b=b,a", "for i=1,2 do local x=function() return i end end", "t[a],b=f(),...", "local function f(...) return f(...) end"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, source string) {
		c, err := Chunk(source, "p")
		if err != nil {
			return
		}
		for pc, i := range c.Code {
			c.NameOf(pc, i.A())
			c.NameOf(pc, i.B())
		}
	})
}
