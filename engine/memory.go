package engine

// idleMemory is about what a node without keys takes.
const idleMemory = 900 << 10

// memorySample is how many keys an estimate of the memory in use looks at.
const memorySample = 64

// usedMemory estimates the bytes that the data takes, from a sample of each
// database's values, and remembers the highest estimate.
func (e *Engine) usedMemory() int64 {
	total := int64(idleMemory)
	for _, db := range e.dbs {
		total += db.usedMemory()
	}
	e.stats.peakMemory = max(e.stats.peakMemory, total)
	return total
}

func (db *DB) usedMemory() int64 {
	n := db.keys.Len()
	if n == 0 {
		return 0
	}
	sum, seen := 0, 0
	for en := range db.keys.All() {
		sum += en.Val.memory() + len(en.Key)
		if seen++; seen == memorySample {
			break
		}
	}
	return int64(sum) * int64(n) / int64(seen)
}

// overMemory tells whether more than maxmemory is used.
func (e *Engine) overMemory() bool { return e.usedMemory() > e.conf.MaxMemory }

// clientMemory is about what the connections take.
func (e *Engine) clientMemory() int64 {
	var total int64
	for _, cl := range e.clients {
		total += int64(clientSize + cl.out.Len() + cl.multi.bytes)
	}
	return total
}
