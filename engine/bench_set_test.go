package engine_test

import (
	"fmt"
	"strings"
	"testing"
)

// manyMembers is SADD of n members made by format.
func manyMembers(name string, n int, format string) string {
	var line strings.Builder
	line.WriteString("SADD " + name)
	for i := range n {
		line.WriteByte(' ')
		fmt.Fprintf(&line, format, i)
	}
	return line.String()
}

func BenchmarkSAdd(b *testing.B) {
	for _, kind := range []struct{ name, format, member string }{
		{"intset", "%d", "250"}, {"hashtable", "member:%d", "another:1"},
	} {
		many := manyMembers("s", 500, kind.format)
		b.Run(kind.name+"/held", func(b *testing.B) { benchCommand(b, "SADD s "+kind.member, many, "SADD s "+kind.member) })
		b.Run(kind.name+"/new", func(b *testing.B) { benchPair(b, "SADD s "+kind.member, "SREM s "+kind.member, many) })
	}
	b.Run("create", func(b *testing.B) { benchPair(b, "SADD s "+smallText, "SREM s "+smallText) })
}

func BenchmarkSIsMember(b *testing.B) {
	b.Run("intset", func(b *testing.B) { benchCommand(b, "SISMEMBER s 250", manyMembers("s", 500, "%d")) })
	b.Run("hashtable", func(b *testing.B) { benchCommand(b, "SISMEMBER s m250", manyMembers("s", 500, "m%d")) })
}

func BenchmarkSetAlgebra(b *testing.B) {
	setup := []string{manyMembers("a", 1000, "m%d"), manyMembers("b", 100, "m%d0")}
	for _, command := range []string{"SINTER a b", "SINTERCARD 2 a b", "SUNION a b", "SDIFF a b", "SINTERSTORE c a b"} {
		b.Run(strings.Fields(command)[0], func(b *testing.B) { benchCommand(b, command, setup...) })
	}
}
