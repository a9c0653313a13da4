package engine_test

import (
	"bytes"
	"strings"
	"testing"

	"minikv/engine"
)

// caller runs one command over and over, as a loop does: its output is taken
// and the chunks are given back.
type caller struct {
	e      *engine.Engine
	cl     *engine.Client
	chunks [][]byte
}

func newCaller(setup ...string) *caller {
	e := engine.New(engine.Options{})
	c := &caller{e: e, cl: e.Connect(virtualStart, engine.ConnInfo{})}
	for _, line := range setup {
		c.do(words(line))
	}
	return c
}

func (c *caller) do(argv [][]byte) {
	c.e.Do(c.cl, virtualStart, argv)
	c.chunks = c.cl.Output(c.chunks[:0])
	for _, chunk := range c.chunks {
		c.cl.Recycle(chunk)
	}
}

// words makes a command of words between blanks.
func words(line string) [][]byte { return bytes.Fields([]byte(line)) }

var (
	smallText  = strings.Repeat("v", 32)
	mediumText = strings.Repeat("v", 1<<10)
	largeText  = strings.Repeat("v", 1<<20)
)

func benchCommand(b *testing.B, command string, setup ...string) {
	c := newCaller(setup...)
	argv := words(command)
	b.ReportAllocs()
	for b.Loop() {
		c.do(argv)
	}
}

func BenchmarkGet(b *testing.B) {
	for _, bench := range []struct{ name, text string }{{"int", "12345"}, {"32B", smallText}, {"1KiB", mediumText}, {"1MiB", largeText}} {
		b.Run(bench.name, func(b *testing.B) { benchCommand(b, "GET k", "SET k "+bench.text) })
	}
	b.Run("missing", func(b *testing.B) { benchCommand(b, "GET k") })
}

func BenchmarkSet(b *testing.B) {
	for _, bench := range []struct{ name, text string }{{"int", "12345"}, {"32B", smallText}, {"1KiB", mediumText}} {
		b.Run(bench.name, func(b *testing.B) { benchCommand(b, "SET k "+bench.text, "SET k "+bench.text) })
	}
	b.Run("EX", func(b *testing.B) { benchCommand(b, "SET k "+smallText+" EX 100", "SET k "+smallText) })
	b.Run("NX_EX_held", func(b *testing.B) { benchCommand(b, "SET k "+smallText+" NX EX 100", "SET k "+smallText) })
}

// BenchmarkLock takes a lock and gives it back.
func BenchmarkLock(b *testing.B) {
	c := newCaller()
	take, give := words("SET lock "+smallText+" NX EX 100"), words("DEL lock")
	b.ReportAllocs()
	for b.Loop() {
		c.do(take)
		c.do(give)
	}
}

// BenchmarkSetNew sets keys that are not there.
func BenchmarkSetNew(b *testing.B) {
	c := newCaller()
	argv := words("SET key:0000000000 " + smallText)
	name := argv[1]
	b.ReportAllocs()
	for b.Loop() {
		for i := len(name) - 1; ; i-- { // count up
			if name[i]++; name[i] <= '9' {
				break
			}
			name[i] = '0'
		}
		c.do(argv)
	}
}

func BenchmarkIncr(b *testing.B)   { benchCommand(b, "INCR k") }
func BenchmarkAppend(b *testing.B) { benchCommand(b, "SETRANGE k 1000 "+smallText, "APPEND k x") }

func BenchmarkLCS(b *testing.B) {
	benchCommand(b, "LCS a b LEN", "SETRANGE a 999 x", "SETRANGE b 1999 y")
}
