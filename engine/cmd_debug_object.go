package engine

import (
	"fmt"
	"math"

	"github.com/zeebo/xxh3"

	"minikv/value"
)

// debugDigest answers the digest of all data.
func debugDigest(c *Ctx, _ [][]byte) error {
	d := c.e.digest()
	c.out.Status(d.String())
	return nil
}

// debugDigestValue answers those of keys' values, zeros for one that is not there.
func debugDigestValue(c *Ctx, args [][]byte) error {
	c.out.Array(len(args))
	for _, key := range args {
		var d dataDigest
		if en := c.db.live(key); en != nil {
			d.value(&en.Val)
		}
		c.out.Status(d.String())
	}
	return nil
}

// debugObject tells what is known of a value, in Redis's form.
//
// DIFFERS: the address that DEBUG OBJECT tells is made up, and the nodes of a list are those that it would have if it had grown at its tail.
func debugObject(c *Ctx, args [][]byte) error {
	en := c.db.live(args[0])
	if en == nil {
		return errNoSuchKey
	}
	o := &en.Val
	c.e.serials.Compress = c.e.conf.RDBCompression
	const around = 1 + 2 + 8 // type, version, checksum of a payload
	text := fmt.Sprintf("Value at:0x7f%010x refcount:%d encoding:%s serializedlength:%d lru:%d lru_seconds_idle:%d",
		xxh3.Hash(args[0])&(1<<40-16), c.references(o), o.encoding(), len(c.e.serials.AppendDump(nil, o.serial()))-around,
		o.lru(), o.idle(c.e))
	if o.kind() == value.KindList {
		text += c.e.debugList(o.list())
	}
	c.out.Status(text)
	return nil
}

// debugSDSLen tells how long a key and its string are.
//
// DIFFERS: the memory of which DEBUG SDSLEN tells is what the node's own strings take: they have no header, and other sizes, than Redis's.
func debugSDSLen(c *Ctx, args [][]byte) error {
	en := c.db.live(args[0])
	if en == nil {
		return errNoSuchKey
	}
	o := &en.Val
	if o.kind() != value.KindString || o.enc() == encInt {
		return errNotSDS
	}
	text, free := o.str(), 0
	if o.enc() == encRaw {
		free = cap(text) - len(text)
	}
	c.out.Status(fmt.Sprintf("key_sds_len:%d, key_sds_avail:0, key_zmalloc: %d, val_sds_len:%d, val_sds_avail:%d, val_zmalloc: %d",
		len(en.Key), value.Allocated(len(en.Key)), len(text), free, value.Allocated(len(text)+free)))
	return nil
}

// references is how many have a value: small numbers all keys share.
func (c *Ctx) references(o *Object) int64 {
	ownClock := c.e.conf.MaxMemory > 0 && (c.e.conf.MaxMemoryPolicy.LFU() || c.e.conf.MaxMemoryPolicy.LRU())
	if o.kind() == value.KindString && o.enc() == encInt && 0 <= o.num() && o.num() < sharedIntegers && !ownClock {
		return math.MaxInt32
	}
	return 1
}

// debugList tells of the nodes of a list.
func (e *Engine) debugList(l *value.List) string {
	const head = 7 // of a node's listpack
	limit := e.conf.ListMaxListpackSize
	nodes, size, inNode, bytes := 0, 0, 0, 0
	plain, afterPlain := e.settings.plain(), false
	var packed []byte
	for _, elem := range l.All() {
		if len(elem) >= plain {
			nodes++
			size += len(elem)
			afterPlain = true
			continue
		}
		packed = value.AppendPacked(packed[:0], elem)
		if nodes == 0 || afterPlain || nodeFull(limit, inNode, bytes, len(elem)) {
			nodes++
			inNode, bytes, afterPlain = 0, head, false
			size += head
		}
		inNode++
		bytes += len(packed)
		size += len(packed)
	}
	compressed := 0
	if e.conf.ListCompressDepth != 0 {
		compressed = 1
	}
	return fmt.Sprintf(" ql_nodes:%d ql_avg_node:%.2f ql_listpack_max:%d ql_compressed:%d ql_uncompressed_size:%d",
		nodes, float64(l.Len())/float64(max(nodes, 1)), limit, compressed, size)
}

// nodeFull tells whether a node takes no more, by list-max-listpack-size: so
// many elements, or if it is negative so many bytes.
func nodeFull(limit, elems, bytes, next int) bool {
	const overhead = 8 // what an element is taken to cost beside its bytes
	if limit >= 0 {
		return elems >= max(limit, 1) || bytes+next+overhead > 8192
	}
	return bytes+next+overhead > 4096<<min(-limit-1, 4)
}
