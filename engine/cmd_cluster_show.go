package engine

import (
	"fmt"
	"strings"
)

// What CLUSTER tells of the nodes.

// busPort is where Redis's nodes would talk to each other. Here nobody listens:
// they are of one process.
const busPort = 10000

func cmdClusterInfo(c *Ctx, cs *clusterState) error {
	assigned, failed := 0, 0
	for _, m := range cs.owner {
		if m == nil {
			continue
		}
		if assigned++; m.Down {
			failed++
		}
	}
	state := "fail"
	if cs.ok {
		state = "ok"
	}
	size, _ := cs.size()
	var b strings.Builder
	line := func(name string, v any) { fmt.Fprintf(&b, "cluster_%s:%v\r\n", name, v) }
	line("state", state)
	line("slots_assigned", assigned)
	line("slots_ok", assigned-failed)
	line("slots_pfail", 0)
	line("slots_fail", failed)
	line("known_nodes", len(cs.nodes))
	line("size", size)
	line("current_epoch", cs.current)
	line("my_epoch", cs.self.epoch)
	line("stats_messages_update_sent", cs.sent)
	line("stats_messages_publish_sent", cs.published)
	line("stats_messages_sent", cs.sent+cs.published)
	line("stats_messages_received", cs.received)
	b.WriteString("total_cluster_links_buffer_limit_exceeded:0\r\n")
	c.out.Verbatim("txt", []byte(b.String()))
	return nil
}

func cmdClusterNodes(c *Ctx, cs *clusterState) error {
	var b strings.Builder
	for _, m := range cs.nodes {
		flags, link := "master", "connected"
		if m == cs.self {
			flags = "myself,master"
		}
		if m.Down {
			flags, link = "master,fail", "disconnected"
		}
		fmt.Fprintf(&b, "%s %s@%d %s - 0 %d %d %s", m.ID, m.address(c.cl), m.port(c.cl)+busPort, flags, m.heard, m.epoch, link)
		for _, r := range cs.ranges(m) {
			if fmt.Fprintf(&b, " %d", r.First); r.Last > r.First {
				fmt.Fprintf(&b, "-%d", r.Last)
			}
		}
		for slot := range Slots {
			if to := cs.migrating[slot]; to != nil && m == cs.self {
				fmt.Fprintf(&b, " [%d->-%s]", slot, to.ID)
			} else if from := cs.importing[slot]; from != nil && m == cs.self {
				fmt.Fprintf(&b, " [%d-<-%s]", slot, from.ID)
			}
		}
		b.WriteByte('\n')
	}
	c.out.Verbatim("txt", []byte(b.String()))
	return nil
}

func cmdClusterSlots(c *Ctx, cs *clusterState) error {
	type row struct {
		SlotRange
		of *clusterMember
	}
	var rows []row
	for slot, m := range cs.owner {
		switch n := len(rows); {
		case m == nil:
		case n > 0 && rows[n-1].of == m && rows[n-1].Last == slot-1:
			rows[n-1].Last = slot
		default:
			rows = append(rows, row{SlotRange{slot, slot}, m})
		}
	}
	c.out.Array(len(rows))
	for _, r := range rows {
		c.out.Array(3)
		c.out.Int(int64(r.First))
		c.out.Int(int64(r.Last))
		c.out.Array(4)
		c.out.BulkString(r.of.Host)
		c.out.Int(int64(r.of.port(c.cl)))
		c.out.BulkString(r.of.ID)
		c.out.Array(0) // what else is known of it: a host name
	}
	return nil
}

func cmdClusterShards(c *Ctx, cs *clusterState) error {
	c.out.Array(len(cs.nodes))
	for _, m := range cs.nodes {
		ranges := cs.ranges(m)
		c.out.Map(2)
		c.out.BulkString("slots")
		c.out.Array(2 * len(ranges))
		for _, r := range ranges {
			c.out.Int(int64(r.First))
			c.out.Int(int64(r.Last))
		}
		c.out.BulkString("nodes")
		c.out.Array(1)
		health := "online"
		if m.Down {
			health = "fail"
		}
		c.out.Map(7)
		c.out.BulkString("id")
		c.out.BulkString(m.ID)
		c.out.BulkString("port")
		c.out.Int(int64(m.port(c.cl)))
		c.out.BulkString("ip")
		c.out.BulkString(m.Host)
		c.out.BulkString("endpoint")
		c.out.BulkString(m.Host)
		c.out.BulkString("role")
		c.out.BulkString("master")
		c.out.BulkString("replication-offset")
		c.out.Int(0)
		c.out.BulkString("health")
		c.out.BulkString(health)
	}
	return nil
}
