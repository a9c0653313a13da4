package syntax

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"
)

// TestErrors parses what Redis 7.0.15 was asked to compile and compares the
// complaint; an empty one means that it compiles.
func TestErrors(t *testing.T) {
	t.Parallel()
	data, err := os.ReadFile("testdata/errors.tsv")
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range strings.Split(strings.TrimSuffix(string(data), "\n"), "\n") {
		source, want, _ := strings.Cut(row, "\t")
		got := ""
		_, err := Parse(strings.ReplaceAll(source, `\n`, "\n"))
		var e *Error
		if errors.As(err, &e) {
			got = fmt.Sprintf("%d: %s", e.Line, e.Message)
		}
		if got != want {
			t.Errorf("%s\n got %s\nwant %s", source, got, want)
		}
	}
}

func TestLimits(t *testing.T) {
	t.Parallel()
	for source, want := range map[string]string{
		strings.Repeat("local a ", 201):                                             "main function has more than 200 local variables",
		strings.Repeat("(", 300) + "1":                                              "chunk has too many syntax levels",
		"return " + strings.Repeat("(", 300) + "1":                                  "chunk has too many syntax levels",
		"return " + strings.Repeat("{", 300):                                        "chunk has too many syntax levels",
		"return " + strings.Repeat("- ", 150) + "1 " + strings.Repeat("..'a'", 300): "chunk has too many syntax levels",
		strings.Repeat("a,", 300) + "b=1":                                           "main function has more than 199 variables in assignment",
		strings.Repeat("do ", 300):                                                  "chunk has too many syntax levels",
		"local function f() " + strings.Repeat("local a ", 201):                     "function at line 1 has more than 200 local variables",
	} {
		if _, err := Parse(source); err == nil || err.Error() != want {
			t.Errorf("%.40s...: %v, want %s", source, err, want)
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{"return {1,[2]=3,x=4}", "for i=1,2 do end", "local function f(...) return ... end", "a.b:c'x'", "x=[==[\n]==] --[[ ]]", `return "\65\n\z"`} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, source string) {
		if _, err := Parse(source); err != nil {
			var e *Error
			if !errors.As(err, &e) || e.Line < 1 {
				t.Fatalf("%v", err)
			}
		}
	})
}
