package engine

import (
	"slices"
	"strings"

	"minikv/resp"
	"minikv/value"
)

// The broadcasting mode of client-side caching. A client names prefixes, and is
// told of every change of a key that begins with one of them, read or not. The
// changes are collected while a unit runs and told after it: one message per
// prefix, with all keys of that prefix in order, each once. An empty prefix,
// which stands for none, is every key's.
//
// DIFFERS: in broadcasting mode each command of a pipeline makes messages of its own, where Redis makes one of all that its clients have sent by then.

// broadcast is a prefix with the clients that named it, the oldest first.
type broadcast struct {
	prefix  string
	clients []*Client
}

// note takes down a changed key and the client that the change is ascribed to,
// for NOLOOP: none if the key expired, was evicted or changed by a script. What a
// client that waited for a list takes from it at once is still the change of the
// client that pushed.
func (e *Engine) note(key []byte, class Class) {
	t, by := &e.tracking, e.current
	if class == ClassExpired || class == ClassEvicted || e.scripts.running != nil {
		by = nil
	}
	if by != nil && by.wait != nil && by.wait.Kind == value.KindList {
		if _, has := t.changed[string(key)]; has {
			return
		}
	}
	if t.changed == nil {
		t.changed = make(map[string]*Client)
	}
	t.changed[string(key)] = by
}

// broadcastChanges tells of the unit's changes.
func (e *Engine) broadcastChanges() {
	t := &e.tracking
	keys := make([]string, 0, len(t.changed))
	for key := range t.changed {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	for _, b := range t.prefixes {
		if with := startingWith(keys, b.prefix); len(with) > 0 {
			for _, cl := range b.clients {
				e.tellChanged(cl, with)
			}
		}
	}
	clear(t.changed)
}

// tellChanged tells a client of changed keys, but for those that it changed
// itself under NOLOOP.
func (e *Engine) tellChanged(cl *Client, keys []string) {
	if cl.tracking.noLoop {
		keys = slices.DeleteFunc(slices.Clone(keys), func(key string) bool { return e.tracking.changed[key] == cl })
		if len(keys) == 0 {
			return
		}
	}
	e.tellInvalid(cl, func(out *resp.Writer) {
		out.Array(len(keys))
		for _, key := range keys {
			out.BulkString(key)
		}
	})
}

// startingWith is the part of sorted keys that begins with a prefix.
func startingWith(keys []string, prefix string) []string {
	from, _ := slices.BinarySearch(keys, prefix)
	n, _ := slices.BinarySearchFunc(keys[from:], prefix, func(key, prefix string) int {
		if strings.HasPrefix(key, prefix) {
			return -1
		}
		return 1
	})
	return keys[from : from+n]
}

func comparePrefix(b *broadcast, prefix string) int { return strings.Compare(b.prefix, prefix) }

// register enters a client under its prefixes.
func (e *Engine) register(cl *Client) {
	t := &e.tracking
	for _, prefix := range cl.tracking.prefixes {
		at, has := slices.BinarySearchFunc(t.prefixes, prefix, comparePrefix)
		if !has {
			t.prefixes = slices.Insert(t.prefixes, at, &broadcast{prefix: prefix})
		}
		t.prefixes[at].clients = append(t.prefixes[at].clients, cl)
	}
}

// unregister is its reverse.
func (e *Engine) unregister(cl *Client) {
	t := &e.tracking
	for _, prefix := range cl.tracking.prefixes {
		at, _ := slices.BinarySearchFunc(t.prefixes, prefix, comparePrefix)
		b := t.prefixes[at]
		b.clients = slices.DeleteFunc(b.clients, func(other *Client) bool { return other == cl })
		if len(b.clients) == 0 {
			t.prefixes = slices.Delete(t.prefixes, at, at+1)
		}
	}
}

// addPrefixes adds what CLIENT TRACKING names to a client's prefixes; none
// named means the empty one. Two prefixes that are ever true of one key would
// tell of it twice and are refused.
func addPrefixes(old, added []string) ([]string, error) {
	if len(added) == 0 {
		added = []string{""}
	} else if err := checkOverlap(old, added); err != nil {
		return nil, err
	}
	all := slices.Concat(old, added)
	slices.Sort(all)
	return slices.Compact(all), nil
}

// checkOverlap answers for the first of the added prefixes that overlaps
// another: first of those that are there already, then of those behind it.
func checkOverlap(old, added []string) error {
	bad := overlapping(slices.Concat(old, added))
	for i, prefix := range added {
		if !bad[prefix] {
			continue
		}
		for _, other := range old {
			if overlap(prefix, other) {
				return errPrefixOverlap(prefix, "an existing prefix", other)
			}
		}
		for _, other := range added[i+1:] {
			if overlap(prefix, other) {
				return errPrefixOverlap(prefix, "another provided prefix", other)
			}
		}
	}
	return nil
}

func overlap(a, b string) bool { return strings.HasPrefix(a, b) || strings.HasPrefix(b, a) }

// overlapping are those that begin with another, or another begins with. In
// order all that begin with a prefix stand right behind it, so open, a chain of
// prefixes each of which begins with the one before, is all that has to be kept.
func overlapping(prefixes []string) map[string]bool {
	slices.Sort(prefixes)
	bad := make(map[string]bool)
	var open []string
	for _, prefix := range prefixes {
		for len(open) > 0 && !strings.HasPrefix(prefix, open[len(open)-1]) {
			open = open[:len(open)-1]
		}
		if len(open) > 0 {
			bad[prefix], bad[open[len(open)-1]] = true, true
		}
		open = append(open, prefix)
	}
	return bad
}

func errPrefixOverlap(prefix, which, other string) error {
	return errorf("ERR Prefix '%s' overlaps with %s '%s'. Prefixes for a single client must not overlap.",
		clip([]byte(prefix), len(prefix)), which, clip([]byte(other), len(other)))
}
