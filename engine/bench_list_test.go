package engine_test

import (
	"strings"
	"testing"

	"minikv/engine"
)

// benchPair runs two commands over and over, the second of which takes back
// what the first did.
func benchPair(b *testing.B, first, second string, setup ...string) {
	c := newCaller(setup...)
	one, two := words(first), words(second)
	b.ReportAllocs()
	for b.Loop() {
		c.do(one)
		c.do(two)
	}
}

// BenchmarkPushPop puts an element into a list and takes one out: a queue, a
// stack, and a list that comes and goes.
func BenchmarkPushPop(b *testing.B) {
	many := "RPUSH l" + strings.Repeat(" "+smallText, 1000)
	b.Run("queue", func(b *testing.B) { benchPair(b, "LPUSH l "+smallText, "RPOP l", many) })
	b.Run("stack", func(b *testing.B) { benchPair(b, "LPUSH l "+smallText, "LPOP l", many) })
	b.Run("new", func(b *testing.B) { benchPair(b, "LPUSH l "+smallText, "RPOP l") })
	b.Run("1KiB", func(b *testing.B) { benchPair(b, "LPUSH l "+mediumText, "RPOP l", "RPUSH l "+mediumText) })
}

// BenchmarkLMove rotates a list.
func BenchmarkLMove(b *testing.B) {
	benchCommand(b, "LMOVE l l LEFT RIGHT", "RPUSH l"+strings.Repeat(" "+smallText, 1000))
}

func BenchmarkLRange(b *testing.B) {
	many := "RPUSH l" + strings.Repeat(" "+smallText, 1000)
	b.Run("100", func(b *testing.B) { benchCommand(b, "LRANGE l 0 99", many) })
	b.Run("middle", func(b *testing.B) { benchCommand(b, "LINDEX l 500", many) })
}

// BenchmarkBLPop waits for an element that another client then brings.
func BenchmarkBLPop(b *testing.B) {
	c := newCaller()
	waiter := c.e.Connect(virtualStart, engine.ConnInfo{})
	wait, push := words("BLPOP l 0"), words("RPUSH l "+smallText)
	b.ReportAllocs()
	for b.Loop() {
		c.e.Do(waiter, virtualStart, wait)
		c.do(push)
		c.e.Ready()
		c.chunks = waiter.Output(c.chunks[:0])
		for _, chunk := range c.chunks {
			waiter.Recycle(chunk)
		}
	}
}
