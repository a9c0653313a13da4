package lua

import (
	"os"
	"strings"
	"testing"
)

// BenchmarkWorkload times the scripts of go run ./bench --only lua.
func BenchmarkWorkload(b *testing.B) {
	list, err := os.ReadFile("../bench/lua_workloads.tsv")
	if err != nil {
		b.Fatal(err)
	}
	for line := range strings.Lines(string(list)) {
		name, source, _ := strings.Cut(line, "\t")
		for _, machine := range machines {
			b.Run(name+"/"+machine.name, func(b *testing.B) { benchmarkOn(b, machine.make(), source) })
		}
	}
}
