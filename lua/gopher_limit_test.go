package lua

import (
	"strings"
	"testing"

	"minikv/resp"
)

// A script that doubles a string for ever ends with an error, not with the
// process.
func TestConcatenationIsBounded(t *testing.T) {
	t.Parallel()
	m := NewGopher("7.0.15")
	for _, source := range []string{
		"local s = 'x' while true do s = s .. s end",
		"local s = 'x' while true do s = s .. s .. 'y' end",
		"local t = setmetatable({}, {__concat = function() return 'x' end}) local s = 'x' while true do s = s .. s .. (t .. '') end",
	} {
		s, err := m.Compile([]byte(source))
		if err != nil {
			t.Fatal(err)
		}
		var out resp.Writer
		if res := m.Run(s, &memoryHost{}, nil, nil, &out); !res.Failed {
			t.Errorf("%s: no error", source)
		}
		var reply strings.Builder
		for _, chunk := range out.Take(nil) {
			reply.Write(chunk)
		}
		if !strings.Contains(reply.String(), "not enough memory") {
			t.Errorf("%s: %.200s", source, reply.String())
		}
	}
}
