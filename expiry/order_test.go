package expiry_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"minikv/expiry"
)

func TestOrderKeepsWhatTheHeapHeld(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(5, 6))
	var heap, copied, untouched expiry.Heap[int]
	var set []*expiry.Deadline[int]
	for i := range 3000 {
		at := random.Int64N(50)
		set = append(set, heap.Add(at, i))
		untouched.Add(at, i)
	}
	order := heap.Order()
	for i := 0; i < len(set); i += 2 {
		heap.Move(set[i], 99)
	}
	for i := 0; i < len(set); i += 3 {
		heap.Remove(set[i])
	}
	for range 2 { // the second time it is sorted already
		copied = expiry.Heap[int]{}
		for at, owner := range order.All() {
			copied.Add(at, owner)
		}
	}
	if !slices.Equal(drain(&copied), drain(&untouched)) {
		t.Error("the order is not that of the heap when it was taken")
	}
}
