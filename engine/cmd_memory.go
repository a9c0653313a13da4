package engine

import (
	"fmt"
	"strconv"
	"strings"
)

func memoryCommands() []*Command {
	special := []string{"nondeterministic_output", "request_policy:all_shards", "response_policy:special"}
	return []*Command{
		{Name: "MEMORY", Arity: -2, Group: Server, Since: "4.0.0", Complexity: "Depends on subcommand.",
			Summary: "Tells what memory is used for.", Sub: []*Command{
				{Name: "DOCTOR", Arity: 2, Since: "4.0.0", Tips: special, Complexity: "O(1)",
					Summary: "Reports, for people, what is odd about the use of memory.", Handler: cmdMemoryDoctor},
				{Name: "HELP", Arity: 2, Flags: Loading | Stale, Since: "4.0.0",
					Summary: "Shows the subcommands.", Complexity: "O(1)", Handler: cmdHelp},
				{Name: "MALLOC-STATS", Arity: 2, Since: "4.0.0", Tips: special, Complexity: "O(1)",
					Summary: "Tells what the allocator holds.", Handler: cmdMemoryMallocStats},
				{Name: "PURGE", Arity: 2, Since: "4.0.0", Tips: []string{"request_policy:all_shards", "response_policy:all_succeeded"},
					Complexity: "Depends on how much memory is in use",
					Summary:    "Gives unused memory back to the system.", Handler: cmdMemoryPurge},
				{Name: "STATS", Arity: 2, Since: "4.0.0", Tips: special, Complexity: "O(N), N the databases",
					Summary: "Tells what memory is used for, in numbers.", Handler: cmdMemoryStats},
				{Name: "USAGE", Arity: -3, Flags: ReadOnly, Keys: key(2, RO), Since: "4.0.0", Syntax: "key [SAMPLES count]",
					Complexity: "O(N), N the samples", Summary: "Estimates the bytes that a key and its value take.", Handler: cmdMemoryUsage},
			}},
	}
}

// DIFFERS: MEMORY USAGE tells what a key takes in minikv's own structures, which are not Redis's, and its SAMPLES option, though checked, changes nothing: a collection knows its size.
func cmdMemoryUsage(c *Ctx) error {
	a := c.Scan()
	key := a.Next()
	for a.More() {
		if !a.WordWith("SAMPLES", 1) {
			return errSyntax
		}
		if n := a.Int(); a.Err() == nil && n < 0 {
			return errSyntax
		}
	}
	if err := a.Err(); err != nil {
		return err
	}
	en := c.inspect(key)
	if en == nil {
		c.out.Null()
		return nil
	}
	return c.int(entryMemory(en.Key) + int64(en.Val.memory()))
}

func cmdMemoryPurge(c *Ctx) error { return c.askLater(Request{Kind: RequestPurge}) }

// cmdMemoryMallocStats shows what is known of the allocator, the Go runtime's.
//
// DIFFERS: MEMORY MALLOC-STATS tells of the Go runtime's heap, since there is no jemalloc.
func cmdMemoryMallocStats(c *Ctx) error {
	p := c.e.process()
	c.out.Verbatim("txt", fmt.Appendf(nil, "Go heap: %d bytes allocated, %d in use with garbage, %d held; the process has %d resident.\n",
		p.AllocatedMemory, p.HeapMemory, p.ReservedMemory, p.ResidentMemory))
	return nil
}

// cmdMemoryDoctor looks for what usually goes wrong, and is silent on servers
// that hold next to nothing.
func cmdMemoryDoctor(c *Ctx) error {
	const little = 5 << 20
	e, p := c.e, c.e.process()
	used := e.usedMemory()
	var b strings.Builder
	if used < little {
		b.WriteString("There is too little data to tell anything from.\n")
	} else {
		if e.memory.peak > used*3/2 {
			fmt.Fprintf(&b, "At its peak the data took %d bytes, now %d: what was freed may not have gone back to the system (MEMORY PURGE).\n", e.memory.peak, used)
		}
		if p.ResidentMemory > used*14/10 && p.ResidentMemory-used > 10<<20 {
			fmt.Fprintf(&b, "The process has %d bytes resident for %d bytes of data.\n", p.ResidentMemory, used)
		}
		if clients := e.clientMemory(); len(e.clients) > 0 && clients/int64(len(e.clients)) > 200<<10 {
			fmt.Fprintf(&b, "Connections take %d bytes each on average: some do not read their replies (CLIENT LIST, omem).\n", clients/int64(len(e.clients)))
		}
		if b.Len() == 0 {
			b.WriteString("Nothing wrong was found with the use of memory.\n")
		}
	}
	c.out.Verbatim("txt", []byte(b.String()))
	return nil
}

// memoryStat is one line of MEMORY STATS: an integer, a double, or the bytes
// that the tables of a database take.
type memoryStat struct {
	name  string
	value any
}

// cmdMemoryStats has the names and the order of Redis.
//
// DIFFERS: MEMORY STATS estimates the engine's data as INFO does; parts that belong to no structure of minikv are 0, and the allocator's numbers are the Go runtime's.
func cmdMemoryStats(c *Ctx) error {
	stats := c.e.memoryStats()
	c.out.Map(len(stats))
	for _, s := range stats {
		c.out.BulkString(s.name)
		switch v := s.value.(type) {
		case int64:
			c.out.Int(v)
		case float64:
			c.out.Double(v)
		case *DB:
			c.out.Map(3)
			c.out.BulkString("overhead.hashtable.main")
			c.out.Int(v.tableMemory())
			c.out.BulkString("overhead.hashtable.expires")
			c.out.Int(int64(v.expires.Len()) * deadlineSize)
			c.out.BulkString("overhead.hashtable.slot-to-keys")
			c.out.Int(0)
		}
	}
	return nil
}

// tableMemory is what the table of a database takes, without what it holds.
func (db *DB) tableMemory() int64 { return int64(db.keys.Buckets()) * bucketSize }

func (e *Engine) memoryStats() []memoryStat {
	p, used, overhead, keys := e.process(), e.usedMemory(), e.overheadMemory(), int64(0)
	var databases []memoryStat
	for _, db := range e.dbs {
		if n := int64(db.keys.Len()); n > 0 {
			keys += n
			databases = append(databases, memoryStat{"db." + strconv.Itoa(db.id), db})
		}
	}
	var perKey int64
	if keys > 0 {
		perKey = (used - idleMemory) / keys
	}
	dataset := max(0, used-overhead)
	stats := []memoryStat{
		{"peak.allocated", e.memory.peak}, {"total.allocated", used}, {"startup.allocated", int64(idleMemory)},
		{"replication.backlog", int64(0)}, {"clients.slaves", int64(0)}, {"clients.normal", e.clientMemory()},
		{"cluster.links", int64(0)}, {"aof.buffer", int64(0)}, {"lua.caches", e.scripts.memory()}, {"functions.caches", e.scripts.functions.memory()},
	}
	stats = append(stats, databases...)
	return append(stats,
		memoryStat{"overhead.total", overhead}, memoryStat{"keys.count", keys}, memoryStat{"keys.bytes-per-key", perKey},
		memoryStat{"dataset.bytes", dataset}, memoryStat{"dataset.percentage", share(dataset, used-idleMemory)},
		memoryStat{"peak.percentage", share(used, e.memory.peak)},
		memoryStat{"allocator.allocated", p.AllocatedMemory}, memoryStat{"allocator.active", p.HeapMemory},
		memoryStat{"allocator.resident", p.ReservedMemory},
		memoryStat{"allocator-fragmentation.ratio", quotient(p.HeapMemory, p.AllocatedMemory)},
		memoryStat{"allocator-fragmentation.bytes", p.HeapMemory - p.AllocatedMemory},
		memoryStat{"allocator-rss.ratio", quotient(p.ReservedMemory, p.HeapMemory)},
		memoryStat{"allocator-rss.bytes", p.ReservedMemory - p.HeapMemory},
		memoryStat{"rss-overhead.ratio", quotient(p.ResidentMemory, p.ReservedMemory)},
		memoryStat{"rss-overhead.bytes", p.ResidentMemory - p.ReservedMemory},
		memoryStat{"fragmentation", quotient(p.ResidentMemory, used)}, memoryStat{"fragmentation.bytes", p.ResidentMemory - used},
	)
}

func quotient(a, b int64) float64 {
	if b == 0 {
		return 0
	}
	return float64(a) / float64(b)
}

func share(part, whole int64) float64 { return 100 * quotient(part, whole) }
