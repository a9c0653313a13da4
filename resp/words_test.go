package resp

import (
	"bytes"
	"slices"
	"strconv"
	"testing"
)

func TestSplitWords(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		line string
		want []string
	}{
		{"", nil},
		{" \t\r\n\v\f ", nil},
		{"a  b\tc", []string{"a", "b", "c"}},
		{`"a b" 'c d'`, []string{"a b", "c d"}},
		{`"\n\r\t\b\a\\\"\x00\xfF\q"`, []string{"\n\r\t\b\a\\\"\x00\xffq"}},
		{`'\n\'\x41'`, []string{`\n'\x41`}},
		{`""`, []string{""}},
		{`a"b c" d`, []string{"ab c", "d"}},
		{"a\vb \vc", []string{"a\vb", "c"}},
		{"a\x00b", []string{"a"}},
		{`\x41`, []string{`\x41`}},
	} {
		words, ok := SplitWords(nil, []byte(tc.line))
		var got []string
		for _, w := range words {
			got = append(got, string(w))
		}
		if !ok || !slices.Equal(got, tc.want) {
			t.Errorf("%q: %q %v, want %q", tc.line, got, ok, tc.want)
		}
	}
	for _, line := range []string{`"`, `'a`, `"a"b`, `""""`, `'a''b'`, `"a\`, `"\x4`, "\"a\x00\""} {
		if words, ok := SplitWords(nil, []byte(line)); ok {
			t.Errorf("%q splits into %q", line, words)
		}
	}
}

// What is quoted comes back.
func FuzzSplitWords(f *testing.F) {
	f.Add([]byte(`a "b\x41" 'c'`))
	f.Add([]byte(`"`))
	f.Add([]byte("set k v\r\n"))
	f.Fuzz(func(t *testing.T, line []byte) {
		words, ok := SplitWords(nil, line)
		if !ok {
			return
		}
		var again []byte
		for _, w := range words {
			again = append(again, quoteWord(w)...)
			again = append(again, ' ')
		}
		second, ok := SplitWords(nil, again)
		if !ok || !slices.EqualFunc(words, second, bytes.Equal) {
			t.Errorf("%q, quoted %q, is %q %v", words, again, second, ok)
		}
	})
}

func quoteWord(word []byte) []byte {
	quoted := []byte{'"'}
	for _, c := range word {
		quoted = append(quoted, `\x`...)
		if c < 16 {
			quoted = append(quoted, '0')
		}
		quoted = strconv.AppendUint(quoted, uint64(c), 16)
	}
	return append(quoted, '"')
}
