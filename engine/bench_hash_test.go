package engine_test

import (
	"fmt"
	"strings"
	"testing"
)

// manyPairs is "k0 v0 k1 v1 ..." for n pairs, made by format from the number.
func manyPairs(n int, format string) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, " "+format, i)
	}
	return b.String()
}

func BenchmarkHSet(b *testing.B) {
	for _, size := range []int{1, 100, 10_000} {
		b.Run(fmt.Sprintf("of%d", size), func(b *testing.B) {
			benchCommand(b, "HSET h field:0 "+smallText, "HSET h"+manyPairs(size, "field:%[1]d value:%[1]d"))
		})
	}
}

func BenchmarkHGet(b *testing.B) {
	for _, size := range []int{1, 100, 10_000} {
		b.Run(fmt.Sprintf("of%d", size), func(b *testing.B) {
			benchCommand(b, fmt.Sprintf("HGET h field:%d", size/2), "HSET h"+manyPairs(size, "field:%[1]d value:%[1]d"))
		})
	}
}

func BenchmarkHGetAll(b *testing.B) {
	for _, size := range []int{10, 1000} {
		b.Run(fmt.Sprintf("of%d", size), func(b *testing.B) {
			benchCommand(b, "HGETALL h", "HSET h"+manyPairs(size, "field:%[1]d value:%[1]d"))
		})
	}
}

func BenchmarkHIncrBy(b *testing.B) { benchCommand(b, "HINCRBY h n 1") }
