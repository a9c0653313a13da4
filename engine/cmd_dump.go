package engine

import (
	"errors"
	"strconv"

	"minikv/rdb"
	"minikv/value"
)

func dumpCommands() []*Command {
	return []*Command{
		{Name: "DUMP", Arity: 2, Flags: ReadOnly, Keys: key(1, RO|Access), Group: Generic, Since: "2.6.0",
			Syntax: "key", Summary: "Serialises a key's value, for RESTORE.", Complexity: "O(N) for a value of N bytes",
			Tips: []string{"nondeterministic_output"}, Handler: cmdDump},
		{Name: "RESTORE", Arity: -4, Flags: Write | DenyOOM, ACL: CatDangerous, Keys: key(1, OW|Update), Group: Generic, Since: "2.6.0",
			Syntax:     "key ttl:integer serialized-value [REPLACE@3.0] [ABSTTL@5.0] [IDLETIME@5.0 seconds] [FREQ@5.0 frequency:integer]",
			Summary:    "Makes a key of what DUMP has serialised.",
			Complexity: "O(N) for a value of N bytes, O(N log N) for a sorted set", Handler: cmdRestore},
		{Name: "RESTORE-ASKING", Arity: -4, Flags: Write | DenyOOM | Asking, ACL: CatDangerous | CatKeyspace, Keys: key(1, OW|Update), Group: Server, Since: "3.0.0",
			Syntax:     "key ttl:integer serialized-value [REPLACE] [ABSTTL@5.0] [IDLETIME@5.0 seconds] [FREQ@5.0 frequency:integer]",
			Summary:    "RESTORE for a slot that is being moved to this node.",
			Complexity: "O(N) for a value of N bytes, O(N log N) for a sorted set", Handler: cmdRestore},
	}
}

// DIFFERS: DUMP writes payloads of version 10, those of Redis 7.0, whatever version is emulated, except of hashes whose fields have deadlines, which are written in the form of Redis 7.4.
func cmdDump(c *Ctx) error {
	en := c.Lookup(c.argv[1])
	if en == nil {
		c.out.Null()
		return nil
	}
	c.e.serials.Compress = c.e.conf.RDBCompression
	c.out.Bulk(c.e.serials.AppendDump(nil, en.Val.serial()))
	return nil
}

// serial is the value as package rdb has it, valid until it changes.
func (o *Object) serial() rdb.Value {
	if o.kind() == value.KindString {
		return rdb.Value{Kind: o.kind(), Text: o.text(nil)}
	}
	return rdb.Value{Kind: o.kind(), Data: o.collection()}
}

// objectOf makes an object that owns a value which was read.
func objectOf(v rdb.Value) Object {
	if v.Kind == value.KindString {
		return stringObject(v.Text)
	}
	return collectionObject(v.Kind, v.Data)
}

// serialOptions say how values are read.
//
// DIFFERS: RESTORE also takes payloads of the versions 11 and 12, which came with Redis 7.2 and 7.4, unless an older version is emulated.
func (e *Engine) serialOptions() rdb.Options {
	opt := rdb.Options{Limits: e.limits(), Seed: e.rand.Uint64, MaxString: intOf(max(e.conf.ProtoMaxBulkLen, minMaxString))}
	switch ver := e.table.ver; {
	case ver.isZero() || ver.from(version{major: 7, minor: 4}):
		opt.Version = 12
	case ver.from(version{major: 7, minor: 2}):
		opt.Version = 11
	}
	return opt
}

// minMaxString is the longest string that may be restored, whatever
// proto-max-bulk-len says: packed collections are strings too.
const minMaxString = 512 << 20

// restoreOptions are RESTORE's; idle and freq are -1 if they are not given.
type restoreOptions struct {
	replace, absolute bool
	idle, freq        int64
}

// restoreOptions reads the options, which Redis judges before all else.
func (c *Ctx) restoreOptions() (opt restoreOptions, err error) {
	opt.idle, opt.freq = -1, -1
	a := c.Scan()
	for range 3 {
		a.Next()
	}
	for a.More() {
		switch {
		case a.Word("REPLACE"):
			opt.replace = true
		case a.Word("ABSTTL"):
			opt.absolute = true
		case opt.freq < 0 && a.WordWith("IDLETIME", 1):
			if opt.idle = a.Int(); opt.idle < 0 {
				a.Fail(errRestoreIdle)
			}
		case opt.idle < 0 && a.WordWith("FREQ", 1):
			if opt.freq = a.Int(); opt.freq < 0 || opt.freq > 255 {
				a.Fail(errRestoreFreq)
			}
		default:
			a.Syntax()
		}
	}
	return opt, a.Err()
}

func cmdRestore(c *Ctx) error {
	opt, err := c.restoreOptions()
	if err != nil {
		return err
	}
	key := c.argv[1]
	old := c.LookupWrite(key)
	if old != nil && !opt.replace {
		return errBusyKey
	}
	ttl, ok := value.ParseInt(c.argv[2])
	switch {
	case !ok:
		return errNotInteger
	case ttl < 0:
		return errRestoreTTL
	}
	v, err := rdb.ReadDump(c.argv[3], c.e.serialOptions())
	switch {
	case errors.Is(err, rdb.ErrChecksum):
		return errRestoreChecksum
	case err != nil:
		return errRestoreFormat
	}
	if old != nil {
		c.db.remove(old)
	}
	at := ttl
	if ttl > 0 && !opt.absolute {
		at += c.nowMS() // beyond 64 bits it is past, as in Redis
	}
	if ttl > 0 && at <= c.nowMS() {
		return c.restoredTooLate(key, old != nil)
	}
	en := c.db.add(key, objectOf(v))
	if ttl > 0 {
		c.db.setExpire(en, at)
		c.restoreEffect(at, opt.absolute)
	}
	en.Val.setAccess(c.e, opt)
	c.db.changed(key, ClassGeneric, "restore")
	return c.ok()
}

// restoredTooLate answers a RESTORE whose deadline has passed: all it does is to
// delete what stood there.
func (c *Ctx) restoredTooLate(key []byte, deleted bool) error {
	c.noEffect()
	if deleted {
		c.db.changed(key, ClassGeneric, "del")
		c.effect([]byte("DEL"), key)
	}
	return c.ok()
}

// restoreEffect says what a RESTORE with a deadline did.
func (c *Ctx) restoreEffect(at int64, absolute bool) {
	if absolute {
		return // it is its own effect
	}
	argv := append(c.argv[:len(c.argv):len(c.argv)], []byte("ABSTTL"))
	argv[2] = strconv.AppendInt(nil, at, 10)
	c.effect(argv...)
}

// idleMax is what Redis counts idle time up to, in seconds.
const idleMax = 1<<24 - 1

// setAccess notes when, or how often, a restored value was used, as far as the
// policy of eviction asks for it.
func (o *Object) setAccess(e *Engine, opt restoreOptions) {
	switch lfu := e.conf.MaxMemoryPolicy.LFU(); {
	case lfu && opt.freq >= 0:
		o.setLRU(e.lfuMinutes()<<8 | uint32(opt.freq))
	case !lfu && opt.idle >= 0:
		o.setLRU(uint32(e.now/1_000_000 - opt.idle%idleMax))
	}
}
