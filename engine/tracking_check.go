package engine

import (
	"fmt"
	"slices"
)

// checkTracking: counts are right, and clients and prefixes know of each other.
func (e *Engine) checkTracking() error {
	t := &e.tracking
	clients, named := 0, 0
	for _, cl := range e.clients {
		if cl.tracking == nil {
			continue
		}
		clients++
		named += len(cl.tracking.prefixes)
		if cl.tracking.broadcast != (len(cl.tracking.prefixes) > 0) {
			return fmt.Errorf("client %d tracks %d prefixes", cl.id, len(cl.tracking.prefixes))
		}
	}
	for i, b := range t.prefixes {
		if i > 0 && t.prefixes[i-1].prefix >= b.prefix {
			return fmt.Errorf("prefix %q is out of order", b.prefix)
		}
		if len(b.clients) == 0 {
			return fmt.Errorf("prefix %q is nobody's", b.prefix)
		}
		for _, cl := range b.clients {
			if e.clients[cl.id] != cl || cl.tracking == nil || !slices.Contains(cl.tracking.prefixes, b.prefix) {
				return fmt.Errorf("prefix %q is told to client %d, which has not named it", b.prefix, cl.id)
			}
		}
		named -= len(b.clients)
	}
	switch {
	case clients != t.clients:
		return fmt.Errorf("%d clients track, %d counted", clients, t.clients)
	case named != 0:
		return fmt.Errorf("clients name %d prefixes more than are known", named)
	case len(t.changed) > 0:
		return fmt.Errorf("%d changes were not broadcast", len(t.changed))
	case t.readers == nil:
		return nil
	}
	return t.checkReaders()
}

// checkReaders: the table is sound, and its numbers are in order and counted.
func (t *trackingState) checkReaders() error {
	items := 0
	for node := range t.readers.All() {
		items += len(node.Val)
		if len(node.Val) == 0 || !slices.IsSorted(node.Val) {
			return fmt.Errorf("key %q was read by %v", node.Key, node.Val)
		}
	}
	if items != t.items {
		return fmt.Errorf("%d readers, %d counted", items, t.items)
	}
	return t.readers.Check()
}
