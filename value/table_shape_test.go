package value_test

import (
	"slices"
	"strconv"
	"testing"

	"minikv/value"

	"pgregory.net/rapid"
)

// copyOf rebuilds a table from its shape and its nodes.
func copyOf(from *value.Table[int]) *value.Table[int] {
	to := value.NewTableOf[int](from.Shape())
	n := 0
	for node := range from.All() {
		to.Append(node.Key).Val = node.Val
		if n++; n == from.Len() {
			break // an iteration to the end may tidy up
		}
	}
	return to
}

func keysOf(t *value.Table[int]) (keys []string) {
	n := 0
	for node := range t.All() {
		keys = append(keys, node.Key+"="+strconv.Itoa(node.Val))
		if n++; n == t.Len() {
			break
		}
	}
	return keys
}

// TestTableOfAShapeGoesOnAsTheOriginal copies a table at any moment, growing
// and shrinking, and finds no difference ever after.
func TestTableOfAShapeGoesOnAsTheOriginal(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		original := value.NewTable[int](rapid.Uint64().Draw(t, "seed"))
		size := rapid.IntRange(0, 9000).Draw(t, "size")
		for i := range size {
			original.PutString(strconv.Itoa(i))
		}
		for i := range rapid.IntRange(0, size).Draw(t, "deleted") {
			original.DeleteString(strconv.Itoa(i))
		}
		copied := copyOf(original)
		if err := copied.Check(); err != nil {
			t.Fatal(err)
		}
		for range rapid.IntRange(0, 60).Draw(t, "steps") {
			key := strconv.Itoa(rapid.IntRange(0, 9500).Draw(t, "key"))
			drop := rapid.Bool().Draw(t, "drop")
			for _, table := range []*value.Table[int]{original, copied} {
				if drop {
					table.DeleteString(key)
				} else {
					n, _ := table.PutString(key)
					n.Val++
				}
			}
		}
		if a, b := keysOf(original), keysOf(copied); !slices.Equal(a, b) {
			t.Fatalf("the copy is in another order: %d and %d keys", len(a), len(b))
		}
	})
}
