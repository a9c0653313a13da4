package engine

import "container/list"

// slotIndex knows the keys of each slot, the newest first, as CLUSTER
// GETKEYSINSLOT lists them. Databases have one in cluster mode only.
type slotIndex struct {
	lists [Slots]*list.List // of string
	place map[string]*list.Element
}

func newSlotIndex() *slotIndex { return &slotIndex{place: map[string]*list.Element{}} }

func (x *slotIndex) add(key string) {
	slot := keySlot([]byte(key))
	if x.lists[slot] == nil {
		x.lists[slot] = list.New()
	}
	x.place[key] = x.lists[slot].PushFront(key)
}

func (x *slotIndex) remove(key string) {
	x.lists[keySlot([]byte(key))].Remove(x.place[key])
	delete(x.place, key)
}

func (x *slotIndex) count(slot int) int {
	if x.lists[slot] == nil {
		return 0
	}
	return x.lists[slot].Len()
}

// keys are the first keys of a slot.
func (x *slotIndex) keys(slot, most int) (keys []string) {
	if x.lists[slot] == nil {
		return nil
	}
	for el := x.lists[slot].Front(); el != nil && len(keys) < most; el = el.Next() {
		keys = append(keys, el.Value.(string))
	}
	return keys
}

// reindex makes the index of what the database holds, if it has one.
func (db *DB) reindex() {
	if db.slots == nil {
		return
	}
	db.slots = newSlotIndex()
	n := db.keys.Len()
	for en := range db.keys.All() {
		db.slots.add(en.Key)
		if n--; n == 0 {
			break // before the table tidies up behind the iteration
		}
	}
}
