package lua

import (
	"bytes"

	"minikv/resp"
)

// shebang splits off the first line of a source and that into words. body is
// what follows, from the end of the line on, nil if the line does not end. There
// are no words if a quote is not closed, else one at least.
func shebang(source []byte) (words []string, body []byte) {
	end := bytes.IndexAny(source, "\n\x00")
	if end < 0 || source[end] == 0 {
		return nil, nil
	}
	split, ok := resp.SplitWords(nil, source[:end])
	if ok {
		for _, word := range split {
			words = append(words, string(word))
		}
	}
	return words, source[end:]
}
