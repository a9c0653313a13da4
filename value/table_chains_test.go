package value

import (
	"strconv"
	"testing"
)

// TestTableChains: the chains of a growing table add up to its nodes and slots,
// also while they move.
func TestTableChains(t *testing.T) {
	t.Parallel()
	table := NewTable[int](1)
	moved := false
	for i := range 300 {
		table.Put([]byte(strconv.Itoa(i)))
		nodes, slots := 0, 0
		for _, c := range table.Chains() {
			chains, inChains := 0, 0
			for length, n := range c.Lengths {
				chains += n
				inChains += length * n
			}
			if chains != c.Slots || inChains != c.Nodes || c.Used() > c.Nodes || c.Longest > c.Nodes {
				t.Fatalf("%d keys: %+v has %d chains of %d nodes", i+1, c, chains, inChains)
			}
			nodes, slots = nodes+c.Nodes, slots+c.Slots
		}
		if nodes != table.Len() || slots != table.Buckets() {
			t.Fatalf("%d nodes in %d slots, want %d in %d", nodes, slots, table.Len(), table.Buckets())
		}
		moved = moved || len(table.Chains()) == 2
	}
	if !moved {
		t.Error("the table never moved its chains")
	}
}
