package engine

import (
	"cmp"
	"slices"
)

// Holder is what Client.Data may be, if the connection holds bytes of its own.
type Holder interface {
	// Held tells of the bytes that have been read and not used yet, of the room
	// behind them, and of the output taken that is not written.
	Held() (read, room, output int)
}

func (cl *Client) held() (read, room, output int) {
	if h, ok := cl.Data.(Holder); ok {
		return h.Held()
	}
	return 0, 0, 0
}

// What a connection takes is an estimate: its own structures, and each thing that
// it has the server remember for it.
const (
	clientSize     = 1024
	rememberedSize = 64 // beside the name of a channel, a watched key or a prefix
)

// remembered is what the names take that the server keeps for the client.
func (cl *Client) remembered() (size int) {
	for name := range cl.subs.channels {
		size += rememberedSize + len(name)
	}
	for name := range cl.subs.patterns {
		size += rememberedSize + len(name)
	}
	for name := range cl.subs.shards {
		size += rememberedSize + len(name)
	}
	size += rememberedSize * len(cl.watched) // their names do not count, as in Redis 7.0
	if cl.tracking != nil {
		for _, prefix := range cl.tracking.prefixes {
			size += rememberedSize + len(prefix)
		}
	}
	return size
}

// memory is about what the connection takes.
func (cl *Client) memory() int {
	read, room, output := cl.held()
	return clientSize + read + room + output + cl.out.Len() + cl.multi.bytes + cl.remembered()
}

// clientMemory is about what all connections take.
func (e *Engine) clientMemory() (total int64) {
	for _, cl := range e.clients {
		total += int64(cl.memory())
	}
	return total
}

// clientLimit is maxmemory-clients in bytes, 0 if there is no limit. Nobody could
// be served under one that is very small.
func (e *Engine) clientLimit() int64 {
	limit := e.conf.MaxMemoryClients
	if limit < 0 {
		limit = int64(float64(e.conf.MaxMemory) * float64(-limit) / 100)
	}
	if limit == 0 {
		return 0
	}
	return max(limit, 128<<10)
}

// evictable tells whether what the connection takes counts, and may make it go.
func (cl *Client) evictable() bool { return !cl.closeNow && !cl.noEvict }

// EvictClients closes connections, those that take most first, until all together
// take no more than maxmemory-clients allows. Those that have said CLIENT NO-EVICT
// neither count nor go. The server calls it when no command runs. It tells whether
// there was any.
func (e *Engine) EvictClients(now int64) bool {
	limit := e.clientLimit()
	if limit == 0 {
		return false
	}
	e.setNow(now)
	var total int64
	for _, cl := range e.clients {
		if cl.evictable() {
			total += int64(cl.memory())
		}
	}
	if total <= limit {
		return false
	}
	type taken struct {
		cl   *Client
		size int
	}
	var all []taken
	for _, cl := range e.clients {
		if cl.evictable() {
			all = append(all, taken{cl, cl.memory()})
		}
	}
	slices.SortFunc(all, func(a, b taken) int { return cmp.Or(cmp.Compare(b.size, a.size), cmp.Compare(a.cl.id, b.cl.id)) })
	for _, t := range all {
		if total <= limit {
			break
		}
		e.log(LogNotice, "Evicting client: "+t.cl.info())
		t.cl.closeNow = true
		e.awake(t.cl)
		e.stats.evictedClients++
		total -= int64(t.size)
	}
	return true
}
