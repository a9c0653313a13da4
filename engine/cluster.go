package engine

import (
	"fmt"
	"slices"
	"strconv"
)

// Cluster mode. The keyspace is cut into 16384 slots; each node serves those that
// it owns, and sends clients that ask it for others to who owns these, as it
// knows it: MOVED, or ASK while a slot moves. What a node knows is data of its
// own. It changes by CLUSTER commands and by news of the other nodes, which
// whoever drives the engines carries from one to the next (Options.Gossip, Hear);
// no two engines share anything.
//
// There are no replicas, and no node finds another by itself: Join says who they
// are.
//
// Price: off, one bit of the gates. On, a lookup of each command's slot, and an
// index of the keys by slot.

// Slots is how many there are.
const Slots = 16384

// ClusterNode is a node as all of them know it.
type ClusterNode struct {
	ID   string // 40 hex digits
	Host string
	Port int
	TLS  int  // the port for TLS; 0: there is none
	Down bool // cannot be reached: others call it failed
}

// SlotRange is slots from First to Last, both included.
type SlotRange struct{ First, Last int }

// ClusterNews is what a node tells all others. An engine that hears it must not
// change it.
type ClusterNews struct {
	From  string
	Epoch int64       // of From's configuration: of two claims the later counts
	Slots []SlotRange // all that From owns
	// Publish: instead it is a message for a channel's listeners.
	Publish          bool
	Channel, Message []byte
}

// clusterMember is a node as one of them sees it.
type clusterMember struct {
	ClusterNode
	epoch int64
	heard int64 // when it last was, unix milliseconds; 0: never
}

// clusterState is what a node knows of its cluster; the engine has none if
// cluster-enabled is no.
type clusterState struct {
	self  *clusterMember
	nodes []*clusterMember // in the order in which they joined
	owner [Slots]*clusterMember
	// migrating and importing are the slots that are on their way, and where to
	// or from.
	migrating, importing map[int]*clusterMember
	current              int64 // the highest epoch known
	ok                   bool  // cluster_state

	sent, published, received int64 // news
}

func newClusterState(id string) *clusterState {
	self := &clusterMember{ClusterNode: ClusterNode{ID: id, Host: "127.0.0.1"}}
	return &clusterState{self: self, nodes: []*clusterMember{self}, migrating: map[int]*clusterMember{}, importing: map[int]*clusterMember{}}
}

// startCluster makes a node of a cluster of one that owns no slots.
func (e *Engine) startCluster() {
	e.cluster = newClusterState(e.hexID(40))
	e.closedGates |= gateCluster
	for _, db := range e.dbs {
		db.slots = newSlotIndex()
	}
}

// mode is how INFO and HELLO call the node.
func (e *Engine) mode() string {
	if e.cluster != nil {
		return "cluster"
	}
	return "standalone"
}

// ClusterID is the node's own id, empty if there is no cluster.
func (e *Engine) ClusterID() string {
	if e.cluster == nil {
		return ""
	}
	return e.cluster.self.ID
}

// Join tells the node who its peers are, itself among them, and which slots each
// of them owns. The n-th has the configuration epoch n+1.
func (e *Engine) Join(now int64, nodes []ClusterNode, slots [][]SlotRange) {
	cs := e.cluster
	cs.nodes = nil
	for i, n := range nodes {
		m := &clusterMember{}
		if n.ID == cs.self.ID {
			m = cs.self
		} else {
			m.heard = now / 1000
		}
		m.ClusterNode, m.epoch = n, int64(i)+1
		cs.nodes = append(cs.nodes, m)
		for _, r := range slots[i] {
			for slot := r.First; slot <= r.Last; slot++ {
				cs.owner[slot] = m
			}
		}
	}
	cs.current = int64(len(nodes))
	for slot, m := range cs.owner {
		if m != cs.self && e.dbs[0].slots.count(slot) > 0 {
			cs.importing[slot] = m
		}
	}
	if n := len(cs.importing); n > 0 {
		e.log(LogWarning, fmt.Sprintf("Keys of %d slots came from a file, but the slots are of other nodes: they are left importing, which redis-cli --cluster fix mends", n))
	}
	cs.judge(e)
}

// Reach tells the node whether another one can be reached.
func (e *Engine) Reach(now int64, id string, up bool) {
	e.between(now, func() {
		if m := e.cluster.node(id); m != nil && m != e.cluster.self {
			m.Down = !up
			e.slotsChanged()
		}
	})
}

// Hear takes news of another node.
func (e *Engine) Hear(now int64, news *ClusterNews) {
	e.between(now, func() {
		cs := e.cluster
		from := cs.node(news.From)
		if from == nil {
			return
		}
		cs.received++
		from.heard = e.nowMS()
		if news.Publish {
			e.publish(news.Channel, news.Message)
			return
		}
		from.epoch = news.Epoch
		cs.current = max(cs.current, news.Epoch)
		for _, r := range news.Slots {
			for slot := r.First; slot <= r.Last; slot++ {
				e.claimed(slot, from)
			}
		}
		e.slotsChanged()
	})
}

// between runs what is no command of a client as a unit.
func (e *Engine) between(now int64, f func()) {
	e.setNow(now)
	e.unit++
	f()
	e.unit--
	e.afterUnit()
}

// claimed gives a slot to who says it is his, unless this node is fetching it, or
// knows an owner whose claim is later. Keys of a slot that is lost go.
func (e *Engine) claimed(slot int, by *clusterMember) {
	cs := e.cluster
	old := cs.owner[slot]
	if old == by || cs.importing[slot] != nil || old != nil && old.epoch >= by.epoch {
		return
	}
	e.setOwner(slot, by)
	if old == cs.self {
		delete(cs.migrating, slot)
		for _, key := range e.dbs[0].slots.keys(slot, Slots) {
			if en := e.dbs[0].keys.GetString(key); en != nil {
				e.dbs[0].delete(en)
			}
		}
	}
}

// setOwner gives a slot to a node, or to none. Listeners to shard channels of a
// slot that is lost are told.
func (e *Engine) setOwner(slot int, m *clusterMember) {
	cs := e.cluster
	if cs.owner[slot] == cs.self && m != cs.self {
		e.leaveShards(slot)
	}
	cs.owner[slot] = m
}

// Locate tells a node that has no peers where clients find it.
func (e *Engine) Locate(host string, port, tlsPort int) {
	self := e.cluster.self
	self.Host, self.Port, self.TLS = host, port, tlsPort
}

// Tell tells all others which slots this node owns.
func (e *Engine) Tell() {
	cs := e.cluster
	cs.sent++
	e.gossip(&ClusterNews{From: cs.self.ID, Epoch: cs.self.epoch, Slots: cs.ranges(cs.self)})
}

// tellMessage carries a message to the listeners at all others.
func (e *Engine) tellMessage(channel, message []byte) {
	e.cluster.published++
	e.gossip(&ClusterNews{From: e.cluster.self.ID, Publish: true, Channel: slices.Clone(channel), Message: slices.Clone(message)})
}

func (e *Engine) gossip(news *ClusterNews) {
	if e.opt.Gossip != nil && len(e.cluster.nodes) > 1 {
		e.opt.Gossip(news)
	}
}

// slotsChanged follows a change of who owns what, or of who can be reached:
// clients that wait for keys which are elsewhere now are sent there.
func (e *Engine) slotsChanged() {
	e.cluster.judge(e)
	e.redirectWaiting()
}

// judge finds whether the cluster serves: most nodes with slots can be reached
// and, if cluster-require-full-coverage says so, each slot is served.
func (cs *clusterState) judge(e *Engine) {
	covered := true
	for _, m := range cs.owner {
		covered = covered && m != nil && !m.Down
	}
	size, up := cs.size()
	cs.ok = (covered || !e.conf.ClusterRequireFullCoverage) && up >= size/2+1
}

// size is how many nodes have slots, and how many of these can be reached.
func (cs *clusterState) size() (size, up int) {
	var last *clusterMember
	var seen []*clusterMember
	for _, m := range cs.owner {
		if m == nil || m == last || slices.Contains(seen, m) {
			continue
		}
		seen, last = append(seen, m), m
		if size++; !m.Down {
			up++
		}
	}
	return size, up
}

// node finds a node by its id.
func (cs *clusterState) node(id string) *clusterMember {
	for _, m := range cs.nodes {
		if m.ID == id {
			return m
		}
	}
	return nil
}

// ranges are the slots of a node.
func (cs *clusterState) ranges(of *clusterMember) (list []SlotRange) {
	for slot, m := range cs.owner {
		switch n := len(list); {
		case m != of:
		case n > 0 && list[n-1].Last == slot-1:
			list[n-1].Last = slot
		default:
			list = append(list, SlotRange{slot, slot})
		}
	}
	return list
}

// bumpEpoch makes the node's claims the latest; false if they are already.
func (cs *clusterState) bumpEpoch() bool {
	highest := int64(0)
	for _, m := range cs.nodes {
		highest = max(highest, m.epoch)
	}
	if cs.self.epoch != 0 && cs.self.epoch == max(highest, cs.current) {
		return false
	}
	cs.current = max(highest, cs.current) + 1
	cs.self.epoch = cs.current
	return true
}

// port is where a client finds a node: on TLS, if that is how it has come, and the
// node has a port for it.
func (m *clusterMember) port(cl *Client) int {
	if cl.conn.TLS && m.TLS != 0 || m.Port == 0 {
		return m.TLS
	}
	return m.Port
}

func (m *clusterMember) address(cl *Client) string {
	return m.Host + ":" + strconv.Itoa(m.port(cl))
}
