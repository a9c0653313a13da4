package engine

import (
	"fmt"
	"strings"

	"minikv/value"
)

func clusterCommands() []*Command {
	const change = Admin | Stale | NoAsyncLoading
	tips := []string{"nondeterministic_output"}
	return []*Command{
		{Name: "ASKING", Arity: 1, Flags: Fast, ACL: CatConnection, Group: Cluster, Since: "3.0.0", Complexity: "O(1)",
			Summary: "Lets the next command reach a slot that is on its way here, as ASK says.", Handler: inCluster(cmdAsking)},
		{Name: "READONLY", Arity: 1, Flags: Loading | Stale | Fast, ACL: CatConnection, Group: Cluster, Since: "3.0.0", Complexity: "O(1)",
			Summary: "Lets the connection read from replicas; there are none.", Handler: inCluster(cmdReadonly)},
		{Name: "READWRITE", Arity: 1, Flags: Loading | Stale | Fast, ACL: CatConnection, Group: Cluster, Since: "3.0.0", Complexity: "O(1)",
			Summary: "Ends what READONLY began.", Handler: inCluster(cmdReadwrite)},
		{Name: "CLUSTER", Arity: -2, Group: Cluster, Since: "3.0.0", Complexity: "Depends on subcommand.",
			Summary: "Tells of a cluster, and changes it.", Sub: []*Command{
				{Name: "ADDSLOTS", Arity: -3, Flags: change, Since: "3.0.0", Syntax: "slot:integer [slot:integer ...]", Complexity: "O(N), N the slots",
					Summary: "Takes slots that nobody owns.", Handler: inCluster(cmdClusterAddslots)},
				{Name: "ADDSLOTSRANGE", Arity: -4, Flags: change, Since: "7.0.0", Syntax: "start-slot end-slot [start-slot end-slot ...]",
					Complexity: "O(N), N the slots", Summary: "Takes ranges of slots that nobody owns.", Handler: inCluster(cmdClusterAddslotsrange)},
				{Name: "BUMPEPOCH", Arity: 2, Flags: change, Since: "3.0.0", Tips: tips, Complexity: "O(1)",
					Summary: "Makes the node's claims to slots the latest.", Handler: inCluster(cmdClusterBumpepoch)},
				{Name: "COUNT-FAILURE-REPORTS", Arity: 3, Flags: Admin | Stale, Since: "3.0.0", Syntax: "node-id:string", Tips: tips, Complexity: "O(1)",
					Summary: "Counts the nodes that say of one that it fails: none, since that is known without a vote.", Handler: inCluster(cmdClusterCountFailureReports)},
				{Name: "COUNTKEYSINSLOT", Arity: 3, Flags: Stale, Since: "3.0.0", Syntax: "slot:integer", Complexity: "O(1)",
					Summary: "Counts the keys of a slot that are here.", Handler: inCluster(cmdClusterCountkeysinslot)},
				{Name: "DELSLOTS", Arity: -3, Flags: change, Since: "3.0.0", Syntax: "slot:integer [slot:integer ...]", Complexity: "O(N), N the slots",
					Summary: "Forgets who owns slots.", Handler: inCluster(cmdClusterDelslots)},
				{Name: "DELSLOTSRANGE", Arity: -4, Flags: change, Since: "7.0.0", Syntax: "start-slot end-slot [start-slot end-slot ...]",
					Complexity: "O(N), N the slots", Summary: "Forgets who owns ranges of slots.", Handler: inCluster(cmdClusterDelslotsrange)},
				{Name: "FLUSHSLOTS", Arity: 2, Flags: change, Since: "3.0.0", Complexity: "O(1)",
					Summary: "Gives up all slots of an empty node.", Handler: inCluster(cmdClusterFlushslots)},
				{Name: "GETKEYSINSLOT", Arity: 4, Flags: Stale, Since: "3.0.0", Syntax: "slot:integer count", Tips: tips, Complexity: "O(N), N the keys asked for",
					Summary: "Lists keys of a slot that are here.", Handler: inCluster(cmdClusterGetkeysinslot)},
				{Name: "INFO", Arity: 2, Flags: Stale, Since: "3.0.0", Tips: tips, Complexity: "O(1)",
					Summary: "Tells how the cluster does.", Handler: inCluster(cmdClusterInfo)},
				{Name: "KEYSLOT", Arity: 3, Flags: Stale, Since: "3.0.0", Syntax: "key:string", Complexity: "O(N), N the bytes of the key",
					Summary: "Answers the slot of a key.", Handler: inCluster(cmdClusterKeyslot)},
				{Name: "MYID", Arity: 2, Flags: Stale, Since: "3.0.0", Complexity: "O(1)",
					Summary: "Answers the node's id.", Handler: inCluster(cmdClusterMyid)},
				{Name: "NODES", Arity: 2, Flags: Stale, Since: "3.0.0", Tips: tips, Complexity: "O(N), N the nodes",
					Summary: "Lists the nodes, a line each.", Handler: inCluster(cmdClusterNodes)},
				{Name: "REPLICAS", Arity: 3, Flags: Admin | Stale, Since: "5.0.0", Syntax: "node-id:string", Tips: tips, Complexity: "O(1)",
					Summary: "Lists the replicas of a node: none.", Handler: inCluster(cmdClusterReplicas)},
				{Name: "SET-CONFIG-EPOCH", Arity: 3, Flags: change, Since: "3.0.0", Syntax: "config-epoch:integer", Complexity: "O(1)",
					Summary: "Sets the epoch of a node that is new and knows no other.", Handler: inCluster(cmdClusterSetConfigEpoch)},
				{Name: "SETSLOT", Arity: -4, Flags: change, Since: "3.0.0", Syntax: "slot:integer <IMPORTING node-id:string | MIGRATING node-id:string | NODE node-id:string | STABLE>",
					Complexity: "O(1)", Summary: "Says that a slot moves, or whose it is.", Handler: inCluster(cmdClusterSetslot)},
				{Name: "SHARDS", Arity: 2, Flags: Stale, Since: "7.0.0", Tips: tips, Complexity: "O(N), N the nodes",
					Summary: "Lists the nodes with their slots, as maps.", Handler: inCluster(cmdClusterShards)},
				{Name: "SLAVES", Arity: 3, Flags: Admin | Stale, Since: "3.0.0", Syntax: "node-id:string", Tips: tips, Complexity: "O(1)",
					Deprecated: "5.0.0", ReplacedBy: "`CLUSTER REPLICAS`",
					Summary: "Lists the replicas of a node: none.", Handler: inCluster(cmdClusterReplicas)},
				{Name: "SLOTS", Arity: 2, Flags: Stale, Since: "3.0.0", Tips: tips, Complexity: "O(N), N the ranges of slots",
					Deprecated: "7.0.0", ReplacedBy: "`CLUSTER SHARDS`",
					Summary: "Lists ranges of slots with the nodes that own them.", Handler: inCluster(cmdClusterSlots)},
			}},
	}
}

// inCluster refuses a command where there is no cluster.
func inCluster(handler func(*Ctx, *clusterState) error) func(*Ctx) error {
	return func(c *Ctx) error {
		if c.e.cluster == nil {
			return errClusterDisabled
		}
		return handler(c, c.e.cluster)
	}
}

func cmdAsking(c *Ctx, _ *clusterState) error {
	c.cl.asking = 2
	return c.ok()
}

func cmdReadonly(c *Ctx, _ *clusterState) error {
	c.cl.readonly = true
	return c.ok()
}

func cmdReadwrite(c *Ctx, _ *clusterState) error {
	c.cl.readonly = false
	return c.ok()
}

func cmdClusterMyid(c *Ctx, cs *clusterState) error {
	c.out.BulkString(cs.self.ID)
	return nil
}

func cmdClusterKeyslot(c *Ctx, _ *clusterState) error { return c.int(int64(keySlot(c.argv[2]))) }

// slotOf reads a slot's number.
func slotOf(arg []byte) (int, error) {
	slot, ok := value.ParseInt(arg)
	if !ok || slot < 0 || slot >= Slots {
		return 0, errBadSlot
	}
	return int(slot), nil
}

// assignment is what ADDSLOTS and its kind are to do.
type assignment struct {
	cs    *clusterState
	free  bool // DELSLOTS
	slots []int
	seen  map[int]bool
}

func (a *assignment) add(first, last int) error {
	for slot := first; slot <= last; slot++ {
		switch owned := a.cs.owner[slot] != nil; {
		case a.free && !owned:
			return errorf("ERR Slot %d is already unassigned", slot)
		case !a.free && owned:
			return errorf("ERR Slot %d is already busy", slot)
		case a.seen[slot]:
			return errorf("ERR Slot %d specified multiple times", slot)
		}
		a.seen[slot] = true
		a.slots = append(a.slots, slot)
	}
	return nil
}

func (a *assignment) carryOut(c *Ctx) error {
	to := a.cs.self
	if a.free {
		to = nil
	}
	for _, slot := range a.slots {
		delete(a.cs.importing, slot)
		c.e.setOwner(slot, to)
	}
	c.e.slotsChanged()
	c.e.Tell()
	return c.ok()
}

func (c *Ctx) assignSlots(cs *clusterState, free bool) error {
	a := assignment{cs: cs, free: free, seen: map[int]bool{}}
	for _, arg := range c.argv[2:] {
		slot, err := slotOf(arg)
		if err == nil {
			err = a.add(slot, slot)
		}
		if err != nil {
			return err
		}
	}
	return a.carryOut(c)
}

func (c *Ctx) assignRanges(cs *clusterState, free bool) error {
	if len(c.argv)%2 == 1 {
		return errArity(c.cmd)
	}
	a := assignment{cs: cs, free: free, seen: map[int]bool{}}
	for i := 2; i < len(c.argv); i += 2 {
		first, err := slotOf(c.argv[i])
		if err != nil {
			return err
		}
		last, err := slotOf(c.argv[i+1])
		if err != nil {
			return err
		}
		if first > last {
			return errorf("ERR start slot number %d is greater than end slot number %d", first, last)
		}
		if err := a.add(first, last); err != nil {
			return err
		}
	}
	return a.carryOut(c)
}

func cmdClusterAddslots(c *Ctx, cs *clusterState) error      { return c.assignSlots(cs, false) }
func cmdClusterDelslots(c *Ctx, cs *clusterState) error      { return c.assignSlots(cs, true) }
func cmdClusterAddslotsrange(c *Ctx, cs *clusterState) error { return c.assignRanges(cs, false) }
func cmdClusterDelslotsrange(c *Ctx, cs *clusterState) error { return c.assignRanges(cs, true) }

func cmdClusterFlushslots(c *Ctx, cs *clusterState) error {
	if c.e.dbs[0].keys.Len() > 0 {
		return errFlushSlots
	}
	for slot := range cs.owner {
		if cs.owner[slot] == cs.self {
			c.e.setOwner(slot, nil)
		}
	}
	c.e.slotsChanged()
	return c.ok()
}

// cmdClusterSetslot moves slots. A node that is given a slot which it was
// importing claims it anew, so that all others believe it.
func cmdClusterSetslot(c *Ctx, cs *clusterState) error {
	slot, err := slotOf(c.argv[2])
	if err != nil {
		return err
	}
	action := strings.ToUpper(string(c.argv[3]))
	if action == "STABLE" && len(c.argv) == 4 {
		delete(cs.migrating, slot)
		delete(cs.importing, slot)
		return c.ok()
	}
	if len(c.argv) != 5 {
		return errSetslot
	}
	id := string(c.argv[4])
	node := cs.node(id)
	switch mine := cs.owner[slot] == cs.self; {
	case action == "MIGRATING" && !mine:
		return errorf("ERR I'm not the owner of hash slot %d", slot)
	case action == "IMPORTING" && mine:
		return errorf("ERR I'm already the owner of hash slot %d", slot)
	case (action == "MIGRATING" || action == "IMPORTING") && node == nil:
		return errorf("ERR I don't know about node %s", clip([]byte(plainLine(id)), 128))
	case action == "MIGRATING":
		cs.migrating[slot] = node
	case action == "IMPORTING":
		cs.importing[slot] = node
	case action != "NODE":
		return errSetslot
	case node == nil:
		return errorf("ERR Unknown node %s", clip([]byte(plainLine(id)), 128))
	case mine && node != cs.self && c.e.dbs[0].slots.count(slot) > 0:
		return errorf("ERR Can't assign hashslot %d to a different node while I still hold keys for this hash slot.", slot)
	default:
		if c.e.dbs[0].slots.count(slot) == 0 {
			delete(cs.migrating, slot)
		}
		c.e.setOwner(slot, node)
		if imported := cs.importing[slot] != nil; imported && node == cs.self {
			delete(cs.importing, slot)
			cs.bumpEpoch()
		}
		c.e.slotsChanged()
		c.e.Tell()
	}
	return c.ok()
}

func cmdClusterBumpepoch(c *Ctx, cs *clusterState) error {
	word := "STILL"
	if cs.bumpEpoch() {
		word = "BUMPED"
		c.e.Tell()
	}
	c.out.Status(fmt.Sprintf("%s %d", word, cs.self.epoch))
	return nil
}

func cmdClusterSetConfigEpoch(c *Ctx, cs *clusterState) error {
	a := c.Scan()
	epoch := a.Int()
	switch err := a.Done(); {
	case err != nil:
		return err
	case epoch < 0:
		return errorf("ERR Invalid config epoch specified: %d", epoch)
	case len(cs.nodes) > 1:
		return errEpochOfMany
	case cs.self.epoch != 0:
		return errEpochSet
	}
	cs.self.epoch, cs.current = epoch, max(cs.current, epoch)
	return c.ok()
}

func cmdClusterCountkeysinslot(c *Ctx, _ *clusterState) error {
	slot, ok := value.ParseInt(c.argv[2])
	switch {
	case !ok:
		return errNotInteger
	case slot < 0 || slot >= Slots:
		return errNoSlot
	}
	return c.int(int64(c.e.dbs[0].slots.count(int(slot))))
}

func cmdClusterGetkeysinslot(c *Ctx, _ *clusterState) error {
	slot, ok1 := value.ParseInt(c.argv[2])
	most, ok2 := value.ParseInt(c.argv[3])
	switch {
	case !ok1 || !ok2:
		return errNotInteger
	case slot < 0 || slot >= Slots || most < 0:
		return errNoSlotOrCount
	}
	keys := c.e.dbs[0].slots.keys(int(slot), int(min(most, 1<<31)))
	c.out.Array(len(keys))
	for _, key := range keys {
		c.out.BulkString(key)
	}
	return nil
}

// nodeNamed is the node that argument 2 names.
func (c *Ctx) nodeNamed(cs *clusterState) (*clusterMember, error) {
	if m := cs.node(string(c.argv[2])); m != nil {
		return m, nil
	}
	return nil, errorf("ERR Unknown node %s", clip([]byte(plainLine(string(c.argv[2]))), 128))
}

func cmdClusterReplicas(c *Ctx, cs *clusterState) error {
	if _, err := c.nodeNamed(cs); err != nil {
		return err
	}
	c.out.Array(0)
	return nil
}

func cmdClusterCountFailureReports(c *Ctx, cs *clusterState) error {
	if _, err := c.nodeNamed(cs); err != nil {
		return err
	}
	return c.int(0)
}
