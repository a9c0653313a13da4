package engine

import (
	"fmt"
	"strings"

	"minikv/value"
)

// debugHTStats tells of the hash table of a database.
//
// DIFFERS: DEBUG HTSTATS and HTSTATS-KEY tell of the node's own tables, which have 8 slots where Redis begins with 4; and of no table of expires, because deadlines stand in a heap.
func debugHTStats(c *Ctx, args [][]byte) error {
	n, ok := value.ParseInt(args[0])
	switch {
	case !ok:
		return errNotInteger
	case n < 0 || n >= int64(len(c.e.dbs)):
		return errDebugDB
	}
	text := "[Dictionary HT]\n" + tableText(c.e.dbs[n].keys.Chains()) + "[Expires HT]\n" + tableText(nil)
	c.out.Verbatim("txt", []byte(text))
	return nil
}

// debugHTStatsKey tells of the hash table that is a value, or part of one.
func debugHTStatsKey(c *Ctx, args [][]byte) error {
	en := c.db.live(args[0])
	if en == nil {
		return errNoSuchKey
	}
	var chains []value.Chains
	switch o := &en.Val; o.kind() {
	case value.KindHash:
		chains = o.hash().Chains()
	case value.KindSet:
		chains = o.set().Chains()
	case value.KindZSet:
		chains = o.zset().Chains()
	}
	if chains == nil {
		return errNoTable
	}
	c.out.Verbatim("txt", []byte(tableText(chains)))
	return nil
}

// tableText tells of the arrays of a table.
func tableText(all []value.Chains) string {
	var b strings.Builder
	if len(all) == 0 || len(all) == 1 && all[0].Nodes == 0 {
		return "Hash table 0 stats (main hash table):\nNo stats available for empty dictionaries\n"
	}
	for i, c := range all {
		role := "main hash table"
		if i == 1 {
			role = "rehashing target"
		}
		fmt.Fprintf(&b, "Hash table %d stats (%s):\n", i, role)
		if c.Nodes == 0 {
			b.WriteString("No stats available for empty dictionaries\n")
			continue
		}
		average := float64(c.Nodes) / float64(c.Used())
		fmt.Fprintf(&b, " table size: %d\n number of elements: %d\n different slots: %d\n max chain length: %d\n",
			c.Slots, c.Nodes, c.Used(), c.Longest)
		fmt.Fprintf(&b, " avg chain length (counted): %.2f\n avg chain length (computed): %.2f\n Chain length distribution:\n",
			average, average)
		for length, n := range c.Lengths {
			if n == 0 {
				continue
			}
			orMore := ""
			if length == value.ChainLengths-1 {
				orMore = ">= "
			}
			fmt.Fprintf(&b, "   %s%d: %d (%.2f%%)\n", orMore, length, n, float64(n)/float64(c.Slots)*100)
		}
	}
	return b.String()
}
