package value

import (
	"bytes"
	"strconv"
	"strings"
	"testing"
)

// TestGlobLikeRedis compares with redis-server 7.0.15: which channels PUBSUB
// CHANNELS listed for a pattern.
func TestGlobLikeRedis(t *testing.T) {
	t.Parallel()
	testLines(t, "globs.txt", func(line string) {
		field := strings.Split(line, "\t")
		pattern, err := strconv.Unquote(field[0])
		if err != nil {
			t.Fatal(err)
		}
		text, err := strconv.Unquote(field[1])
		if err != nil {
			t.Fatal(err)
		}
		if got := Glob([]byte(pattern), []byte(text)); got != (field[2] == "match") {
			t.Errorf("Glob(%q, %q) = %v, redis: %s", pattern, text, got, field[2])
		}
	})
}

// TestGlobFoldLikeRedis compares with CONFIG GET of redis-server 7.0.15.
func TestGlobFoldLikeRedis(t *testing.T) {
	t.Parallel()
	for pattern, want := range map[string]bool{
		"MAXMEMOR?": true, "max[L-N]emor?": true, "MAX[l-n]EMOR?": true, "max[^M]emor?": false, `m\AX*emory`: true,
		`max[\M]emor?`: false, `max[\m]emor?`: true, `max[^\M]emor?`: true, "max[Z-a]emor?": false, "max[a-Z]emor?": false,
		"[^A-L]axmemory": true, "[^A-M]axmemory": false, "*MAXMEMORY": true,
	} {
		if got := GlobFold([]byte(pattern), []byte("maxmemory")); got != want {
			t.Errorf("GlobFold(%q, maxmemory) = %v", pattern, got)
		}
	}
}

func TestGlobEmptyText(t *testing.T) {
	t.Parallel()
	for pattern, want := range map[string]bool{"": true, "*": false, "**": false, "?": false, "[^a]": false, "[": false} {
		if got := Glob([]byte(pattern), nil); got != want {
			t.Errorf("Glob(%q, empty) = %v", pattern, got)
		}
	}
}

// TestGlobManyStars: a pattern that takes a backtracking matcher longer than the
// age of the universe.
func TestGlobManyStars(t *testing.T) {
	t.Parallel()
	pattern := bytes.Repeat([]byte("a*"), 1000)
	text := bytes.Repeat([]byte("a"), 5000)
	if Glob(append(pattern, 'b'), text) || !Glob(pattern, text) {
		t.Error("wrong answer")
	}
}

// globModel matches by trying every length for every star.
func globModel(pattern, text []byte, fold bool) bool {
	if len(pattern) == 0 {
		return len(text) == 0
	}
	if pattern[0] == '*' {
		for i := range len(text) + 1 {
			if globModel(pattern[1:], text[i:], fold) {
				return true
			}
		}
		return false
	}
	if len(text) == 0 {
		return false
	}
	next, ok := globByte(pattern, 0, text[0], fold)
	return ok && globModel(pattern[next:], text[1:], fold)
}

func FuzzGlob(f *testing.F) {
	for _, seed := range [][2]string{{"*a*b", "xaxb"}, {"[^a-c]?", "zz"}, {"[a", "a"}, {`\`, `\`}, {"[a-]", "]"}, {"[^", "a"}} {
		f.Add([]byte(seed[0]), []byte(seed[1]))
	}
	f.Fuzz(func(t *testing.T, pattern, text []byte) {
		if len(text) > 100 || bytes.Count(pattern, []byte("*")) > 3 {
			pattern = bytes.ReplaceAll(pattern, []byte("*"), nil)
		}
		if got, want := Glob(pattern, text), globModel(pattern, text, false); got != want && len(text) > 0 {
			t.Fatalf("Glob(%q, %q) = %v", pattern, text, got)
		}
		if got, want := GlobFold(pattern, text), globModel(pattern, text, true); got != want && len(text) > 0 {
			t.Fatalf("GlobFold(%q, %q) = %v", pattern, text, got)
		}
	})
}

func BenchmarkGlob(b *testing.B) {
	text := []byte("session:user:123456:profile")
	for _, pattern := range []string{"session:*", "*:profile", "*user*[0-9]*file"} {
		p := []byte(pattern)
		b.Run(pattern, func(b *testing.B) {
			for b.Loop() {
				Glob(p, text)
			}
		})
	}
}
