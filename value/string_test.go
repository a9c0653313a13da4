package value

import (
	"bytes"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// TestStringEncoding: what OBJECT ENCODING of redis-server 7.0.15 answers after
// the same history.
func TestStringEncoding(t *testing.T) {
	t.Parallel()
	appended := func(s *String, text string) *String { s.Append([]byte(text)); return s }
	mutable := func(s *String, size int) *String { s.Mutable(size); return s }
	counted := func(s *String, n int64) *String { s.SetInt(n); return s }
	for _, c := range []struct {
		history string
		s       *String
		want    string
	}{
		{"SET 1", NewString([]byte("1")), "int"},
		{"SET -9223372036854775808", NewString([]byte("-9223372036854775808")), "int"},
		{"SET 12345678901234567890", NewString([]byte("12345678901234567890")), "embstr"},
		{"SET 01", NewString([]byte("01")), "embstr"},
		{"SET of nothing", NewString(nil), "embstr"},
		{"SET of 44 bytes", NewString([]byte(strings.Repeat("a", 44))), "embstr"},
		{"SET of 45 bytes", NewString([]byte(strings.Repeat("a", 45))), "raw"},
		{"SET 1, APPEND 2", appended(NewString([]byte("1")), "2"), "raw"},
		{"SET 1, APPEND of nothing", appended(NewString([]byte("1")), ""), "raw"},
		{"SET a, SETRANGE 0 b", mutable(NewString([]byte("a")), 1), "raw"},
		{"SETBIT 1 1", NewRaw([]byte{0x40}), "raw"},
		{"INCRBYFLOAT 5", NewText([]byte("5")), "embstr"},
		{"SET 1, APPEND 0, INCR", counted(appended(NewString([]byte("1")), "0"), 11), "int"},
		{"SET 5, APPEND 5, COPY", appended(NewString([]byte("5")), "5").Clone(), "raw"},
	} {
		if got := c.s.Encoding(); got != c.want {
			t.Errorf("%s: %s, redis answers %s", c.history, got, c.want)
		}
		if err := c.s.Check(); err != nil {
			t.Errorf("%s: %v", c.history, err)
		}
	}
}

// TestStringModel runs histories of changes against a byte slice.
func TestStringModel(t *testing.T) {
	t.Parallel()
	text := rapid.OneOf(rapid.SliceOfN(rapid.Byte(), 0, 60), rapid.Map(rapid.Int64(), func(n int64) []byte { return AppendInt(nil, n) }))
	rapid.Check(t, func(t *rapid.T) {
		model := text.Draw(t, "text")
		s := NewString(model)
		t.Repeat(map[string]func(*rapid.T){
			"set":    func(*rapid.T) { model = text.Draw(t, "text"); s = NewText(model) },
			"setInt": func(*rapid.T) { n := rapid.Int64().Draw(t, "n"); s.SetInt(n); model = AppendInt(nil, n) },
			"append": func(*rapid.T) {
				before := s.Bytes(nil)
				kept := bytes.Clone(before)
				add := text.Draw(t, "add")
				s.Append(add)
				model = append(bytes.Clone(model), add...)
				if !bytes.Equal(before, kept) {
					t.Fatal("APPEND changed a slice given out before")
				}
			},
			"setRange": func(*rapid.T) {
				at, part := rapid.IntRange(0, 100).Draw(t, "at"), text.Draw(t, "part")
				shared := s.Bytes(nil)
				kept := bytes.Clone(shared)
				s.Unshare()
				copy(s.Mutable(at + len(part))[at:], part)
				grown := make([]byte, max(len(model), at+len(part)))
				copy(grown, model)
				copy(grown[at:], part)
				model = grown
				if !bytes.Equal(shared, kept) {
					t.Fatal("an unshared slice changed")
				}
			},
			"clone": func(*rapid.T) {
				old := s
				s = s.Clone()
				clear(old.Mutable(200))
			},
			"": func(t *rapid.T) {
				if got := s.Bytes(nil); !bytes.Equal(got, model) || s.Len() != len(model) {
					t.Fatalf("%q (%d), model %q", got, s.Len(), model)
				}
				n, ok := s.Int()
				if want, wantOK := ParseInt(model); ok != wantOK || n != want && ok {
					t.Fatalf("Int of %q: %d, %v", model, n, ok)
				}
				if err := s.Check(); err != nil {
					t.Fatal(err)
				}
			},
		})
	})
}

func TestKindNames(t *testing.T) {
	t.Parallel()
	for k := KindString; k <= KindArray; k++ {
		if got, ok := ParseKind([]byte(strings.ToUpper(k.String()))); !ok || got != k {
			t.Errorf("ParseKind(%s) = %v, %v", k, got, ok)
		}
	}
	if k, ok := ParseKind([]byte("none")); ok || KindNone.String() != "none" {
		t.Errorf("none is the kind %v", k)
	}
}
