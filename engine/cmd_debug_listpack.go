package engine

import (
	"fmt"
	"strconv"

	"minikv/resp"
	"minikv/value"
)

// debugListpack writes the elements of a small hash or sorted set to the log,
// each with its place and the bytes it takes in a listpack.
//
// DIFFERS: DEBUG LISTPACK writes to the log, in another form, what Redis prints on stdout, and no more than 1000 elements.
func debugListpack(c *Ctx, args [][]byte) error {
	const most = 1000
	en := c.db.live(args[0])
	if en == nil {
		return errNoSuchKey
	}
	var elems [][]byte
	add := func(elem []byte) { elems = append(elems, append([]byte(nil), elem...)) }
	switch o := &en.Val; {
	case o.kind() == value.KindHash && o.hash().Chains() == nil:
		for field, val := range o.hash().All() {
			add(field)
			add(val)
		}
	case o.kind() == value.KindZSet && o.zset().Chains() == nil:
		for member, score := range o.zset().All() {
			add([]byte(member))
			add(resp.AppendDouble(nil, score))
		}
	default:
		return errNotListpack
	}
	c.e.log(LogNotice, "DEBUG LISTPACK "+quoted(args[0])+": "+strconv.Itoa(len(elems))+" elements")
	for i, elem := range elems[:min(len(elems), most)] {
		size := len(value.AppendPacked(nil, elem))
		c.e.log(LogNotice, fmt.Sprintf("DEBUG LISTPACK %d: %s in %d bytes", i, quoted(elem), size))
	}
	c.out.Status("Listpack structure printed on stdout")
	return nil
}
