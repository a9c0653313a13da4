package engine

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"minikv/engine/config"
	"minikv/resp"
	"minikv/value"
)

// The commands of these tests do the least that waiting is about:
//
//	PUSH key elem [elem ...]       appends to a list
//	POP key                        takes the first element
//	BPOP key [key ...] timeout     takes it, or waits; milliseconds, 0 for ever
//	BMOVE from to timeout          takes it and appends it to another list
//	BLONGER key length timeout     answers the length once it is greater; "$" is
//	                               the present one; an error if the list goes
var testRows = []*Command{
	{Name: "PUSH", Arity: -3, Flags: Write, Keys: key(1, RW|Insert), Group: List, Since: "1.0.0", Syntax: "key elem [elem ...]", Handler: testPush},
	{Name: "POP", Arity: 2, Flags: Write, Keys: key(1, RW|Delete), Group: List, Since: "1.0.0", Syntax: "key", Handler: testPop},
	{Name: "BPOP", Arity: -3, Flags: Write | Blocking, Keys: keys(1, -2, 1, RW|Delete), Group: List, Since: "1.0.0", Syntax: "key [key ...] ms", Handler: testBPop},
	{Name: "BMOVE", Arity: 4, Flags: Write | Blocking, Keys: keys(1, 2, 1, RW), Group: List, Since: "1.0.0", Syntax: "from to ms", Handler: testBMove},
	{Name: "BLONGER", Arity: 4, Flags: ReadOnly | Blocking, Keys: key(1, RO), Group: List, Since: "1.0.0", Syntax: "key length ms", Handler: testBLonger},
}

func (c *Ctx) testAppend(key []byte, elems ...[]byte) int64 {
	en := c.LookupWrite(key)
	if en == nil {
		en = c.db.add(key, collectionObject(value.KindList, value.NewList()))
	}
	en = c.db.write(en)
	for _, elem := range elems {
		en.Val.list().PushBack(elem)
	}
	c.db.changed(key, ClassList, "rpush")
	return int64(en.Val.list().Len())
}

func (c *Ctx) testTake(key []byte) (elem []byte, ok bool) {
	en := c.LookupWrite(key)
	if en == nil || en.Val.kind() != value.KindList {
		return nil, false
	}
	en = c.db.write(en)
	elem, ok = en.Val.list().PopFront()
	elem = slices.Clone(elem)
	c.db.changed(key, ClassList, "lpop")
	c.effect([]byte("POP"), key)
	if en.Val.list().Len() == 0 {
		c.db.delete(en)
	}
	return elem, ok
}

func testPush(c *Ctx) error { return c.int(c.testAppend(c.argv[1], c.argv[2:]...)) }

func testPop(c *Ctx) error {
	if elem, ok := c.testTake(c.argv[1]); ok {
		c.out.Bulk(elem)
	} else {
		c.out.Null()
	}
	return nil
}

// testDeadline reads the last argument.
func (c *Ctx) testDeadline() int64 {
	ms, _ := value.ParseInt(c.argv[len(c.argv)-1])
	if ms == 0 {
		return 0
	}
	return c.nowMS() + ms
}

func (c *Ctx) testBlock(keys [][]byte) error {
	return c.Block(Block{Keys: keys, Kind: value.KindList, Timeout: c.testDeadline(), OnTimeout: func(out *resp.Writer) { out.NullArray() }})
}

func testBPop(c *Ctx) error {
	keys := c.argv[1 : len(c.argv)-1]
	for _, key := range keys {
		if elem, ok := c.testTake(key); ok {
			c.out.Array(2)
			c.out.Bulk(key)
			c.out.Bulk(elem)
			return nil
		}
	}
	return c.testBlock(keys)
}

func testBMove(c *Ctx) error {
	elem, ok := c.testTake(c.argv[1])
	if !ok {
		return c.testBlock(c.argv[1:2])
	}
	c.testAppend(c.argv[2], elem)
	c.out.Bulk(elem)
	return nil
}

func testBLonger(c *Ctx) error {
	length := int64(0)
	en := c.Lookup(c.argv[1])
	switch {
	case en != nil && en.Val.kind() == value.KindList:
		length = int64(en.Val.list().Len())
	case c.source == FromBlocked:
		return wireError("GONE the list no longer exists")
	}
	argv := slices.Clone(c.argv)
	if string(argv[2]) == "$" {
		argv[2] = fmt.Append(nil, length)
	}
	if than, _ := value.ParseInt(argv[2]); length > than {
		return c.int(length)
	}
	return c.Block(Block{Keys: argv[1:2], Kind: value.KindList, Timeout: c.testDeadline(), OnDelete: true, Argv: argv,
		OnTimeout: func(out *resp.Writer) { out.NullArray() }})
}

// newWaitNode makes a node whose table has these commands too.
func newWaitNode(t *testing.T, opt Options) *node {
	n := newNode(t, opt)
	n.e.table = tableWith(testRows)
	n.e.stats.init(n.e.table)
	return n
}

// tableWith makes a table of its own, of all commands and more.
func tableWith(more []*Command) *Table {
	var rows []*Command
	for _, cmd := range append(fullTable.Commands(), more...) {
		if cmd.parent != nil {
			continue
		}
		row := *cmd
		row.Sub = nil
		for _, sub := range cmd.Sub {
			s := *sub
			row.Sub = append(row.Sub, &s)
		}
		rows = append(rows, &row)
	}
	return newTable(rows)
}

func (n *node) wantReady(clients ...*Client) {
	n.t.Helper()
	if got, want := ids(n.e.Ready()), ids(clients); !slices.Equal(got, want) {
		n.t.Errorf("clients %v are ready, want %v", got, want)
	}
}

func TestAWaitingClientIsServedWhenItsKeyIsReady(t *testing.T) {
	t.Parallel()
	n := newWaitNode(t, Options{})
	a, b, c := n.client(), n.client(), n.client()
	if outcome := n.e.Do(a, n.now, argvOf("BPOP k j k 0")); outcome != Blocked || !a.Waiting() {
		t.Fatalf("BPOP's outcome is %v", outcome)
	}
	n.want(b, "BPOP j 0", "")
	n.want(c, "PUSH j x y", ":2")
	n.wantReady(a, b)
	n.wantRead(a, "*2 $1 j $1 x")
	n.wantRead(b, "*2 $1 j $1 y")
	if n.e.nblocked != 0 || len(n.e.dbs[0].waits) != 0 || a.Waiting() {
		t.Error("somebody still waits")
	}
	n.want(c, "PUSH k z", ":1")
	n.wantReady()
	n.want(c, "EXISTS k j", ":1")
}

func TestTheLongestWaiterIsFirst(t *testing.T) {
	t.Parallel()
	n := newWaitNode(t, Options{})
	pusher := n.client()
	var waiters []*Client
	for range 5 {
		cl := n.client()
		waiters = append(waiters, cl)
	}
	order := []*Client{waiters[3], waiters[0], waiters[4], waiters[1], waiters[2]}
	for _, cl := range order {
		n.send(cl, "BPOP k 0")
	}
	n.want(pusher, "PUSH k 0 1 2", ":3")
	n.wantReady(order[:3]...)
	for i, cl := range order[:3] {
		n.wantRead(cl, fmt.Sprintf("*2 $1 k $1 %d", i))
	}
	// Who was served and waits again stands at the end.
	n.send(order[0], "BPOP k 0")
	n.want(pusher, "PUSH k 3 4 5", ":3")
	n.wantReady(order[3], order[4], order[0])
}

// Trap 1: a key that holds another type wakes nobody.
func TestOnlyTheAwaitedTypeWakes(t *testing.T) {
	t.Parallel()
	n := newWaitNode(t, Options{})
	a, b := n.client(), n.client()
	n.send(a, "BPOP k 0")
	n.want(b, "SET k v", "+OK")
	n.want(b, "APPEND k w", ":2")
	n.wantReady()
	n.want(b, "PUSH other x", ":1")
	n.want(b, "RENAME other k", "+OK")
	n.wantReady(a)
	n.wantRead(a, "*2 $1 k $1 x")
}

func TestOnlyWhoAsksForItIsWokenByDeletion(t *testing.T) {
	t.Parallel()
	for _, test := range []string{
		"DEL k", "UNLINK k", "FLUSHALL", "FLUSHDB", "RENAME k j", "MOVE k 3", "SET k v", "EXPIRE k -1", "RENAME other k", "COPY other k REPLACE", "POP k",
	} {
		n := newWaitNode(t, Options{})
		longer, pops, cl := n.client(), n.client(), n.client()
		n.send(cl, "SET other v")
		n.send(pops, "BPOP k 0")
		n.send(cl, "MULTI")
		n.send(cl, "PUSH k x y")
		n.send(cl, "POP k")
		n.send(cl, "EXEC")
		n.wantReady(pops)
		n.send(cl, "PUSH k x")
		n.send(longer, "BLONGER k 5 0")
		n.read(pops)
		n.send(pops, "BPOP j2 k2 0")
		n.send(cl, test)
		n.wantReady(longer)
		n.wantRead(longer, "-GONE the list no longer exists")
	}
	n := newWaitNode(t, Options{})
	longer, pops, cl := n.client(), n.client(), n.client()
	n.send(cl, "PUSH k x")
	n.send(cl, "PEXPIRE k 10")
	n.send(longer, "BLONGER k 5 0")
	n.sleep(11)
	n.wantReady(longer)
	n.send(pops, "BPOP k 0")
	n.send(cl, "DEL k")
	n.wantReady()
}

// Trap 2: a command that was run again in vain keeps its place and its first
// deadline.
func TestARerunInVainKeepsDeadlineAndPlace(t *testing.T) {
	t.Parallel()
	n := newWaitNode(t, Options{})
	a, b, c, pusher := n.client(), n.client(), n.client(), n.client()
	n.send(a, "BLONGER k 9 100")
	n.send(b, "BLONGER k 2 0")
	n.send(c, "BLONGER k 2 0")
	n.sleep(50)
	n.want(pusher, "PUSH k x", ":1")
	n.sleep(49)
	n.want(pusher, "PUSH k x", ":2")
	n.wantReady()
	n.sleep(1)
	n.wantReady(a)
	n.wantRead(a, "*-1")
	n.want(pusher, "PUSH k x", ":3")
	n.wantReady(b, c)
}

// Trap 3: what "$" means is settled before the client waits.
func TestWhatRunsAgainIsWhatWasMeant(t *testing.T) {
	t.Parallel()
	n := newWaitNode(t, Options{})
	a, pusher := n.client(), n.client()
	n.send(pusher, "PUSH k x y")
	n.send(a, "BLONGER k $ 0")
	n.send(pusher, "POP k")
	n.send(pusher, "PUSH k z")
	n.wantReady()
	n.send(pusher, "PUSH k z")
	n.wantReady(a)
	n.wantRead(a, ":3")
}

// Trap 4: one pass serves those who waited when it began, so that commands
// which feed each other come to an end.
func TestAPassServesThoseWhoWaitedWhenItBegan(t *testing.T) {
	t.Parallel()
	n := newWaitNode(t, Options{})
	a, b, c, pusher := n.client(), n.client(), n.client(), n.client()
	n.send(a, "BMOVE k k 0")
	n.send(b, "BMOVE k k 0")
	n.send(c, "BPOP k 0")
	n.want(pusher, "PUSH k x", ":1")
	n.wantReady(a, b, c)
	n.wantRead(c, "*2 $1 k $1 x")
	n.want(pusher, "EXISTS k", ":0")

	// A chain across keys runs to its end within the one push.
	n.send(c, "BPOP 3 0")
	n.send(b, "BMOVE 2 3 0")
	n.send(a, "BMOVE 1 2 0")
	n.want(pusher, "PUSH 1 x", ":1")
	n.wantReady(a, b, c)
	n.wantRead(c, "*2 $1 3 $1 x")
}

// Trap 5: keys are judged when the whole unit is over.
func TestKeysAreJudgedAfterTheWholeUnit(t *testing.T) {
	t.Parallel()
	n := newWaitNode(t, Options{})
	a, b, pusher := n.client(), n.client(), n.client()
	n.send(a, "BPOP k 0")
	n.send(b, "BPOP k 0")
	for _, unit := range []string{"PUSH k x;POP k", "PUSH k x;DEL k", "PUSH k x;DEL k;SET k v;DEL k", "PUSH k x;FLUSHALL"} {
		n.send(pusher, "MULTI")
		for _, command := range strings.Split(unit, ";") {
			n.want(pusher, command, "+QUEUED")
		}
		n.send(pusher, "EXEC")
		n.wantReady()
	}
	n.want(pusher, "EVAL redis.call('PUSH','k','x')return(redis.call('POP','k')) 0", "$1 x")
	n.wantReady()
	n.send(pusher, "MULTI")
	n.send(pusher, "PUSH k 1 2 3")
	n.send(pusher, "POP k")
	n.want(pusher, "EXEC", "*2 :3 $1 1")
	n.wantReady(a, b)
	n.wantRead(a, "*2 $1 k $1 2")
}

func TestInsideATransactionOrAScriptNothingWaits(t *testing.T) {
	t.Parallel()
	n := newWaitNode(t, Options{})
	a := n.client()
	n.send(a, "MULTI")
	n.send(a, "BPOP k 0")
	n.send(a, "PUSH k x")
	n.send(a, "BPOP k 0")
	n.want(a, "EXEC", "*3 *-1 :1 *2 $1 k $1 x")
	n.want(a, "EVAL return(redis.call('BPOP','k','0')) 0", "$-1")
	if n.e.nblocked != 0 {
		t.Error("somebody waits")
	}
}

func TestAClientThatGoesNeverGetsAnElement(t *testing.T) {
	t.Parallel()
	for _, leave := range []func(n *node, cl *Client){
		func(n *node, cl *Client) { n.e.Disconnect(cl, n.now) },
		func(n *node, cl *Client) { n.e.kill(cl) },
		func(n *node, cl *Client) { cl.closeNow = true },
	} {
		n := newWaitNode(t, Options{})
		gone, next, pusher := n.client(), n.client(), n.client()
		n.send(gone, "BPOP k 0")
		n.send(next, "BPOP k 0")
		leave(n, gone)
		n.e.Ready()
		n.want(pusher, "PUSH k x y", ":2")
		n.wantReady(next)
		n.wantRead(next, "*2 $1 k $1 x")
		n.wantRead(gone, "")
		n.want(pusher, "POP k", "$1 y")
	}
}

// TestMessagesFollowTheReplyOfAServedClient: its own change is announced to it
// after the reply, never within.
func TestMessagesFollowTheReplyOfAServedClient(t *testing.T) {
	t.Parallel()
	n := newWaitNode(t, Options{Config: listen(t)})
	a, pusher := n.client(), n.client()
	n.send(a, "HELLO 3")
	n.send(a, "PSUBSCRIBE __keyevent@0__:*pop")
	n.send(a, "BPOP k 0")
	n.send(pusher, "PUSH k x")
	n.wantRead(a, "*2 $1 k $1 x >4 $8 pmessage $19 __keyevent@0__:*pop $19 __keyevent@0__:lpop $1 k")
}

func TestTimeOutsEndInTheirOrder(t *testing.T) {
	t.Parallel()
	n := newWaitNode(t, Options{})
	a, b, c, d := n.client(), n.client(), n.client(), n.client()
	n.send(a, "BPOP k 30")
	n.send(b, "BPOP k 20")
	n.send(c, "BPOP k 30")
	n.send(d, "BPOP k 0")
	if next := n.e.Tick(n.now); next != n.now+20_000 {
		t.Errorf("Tick comes back %d later, want 20000", next-n.now)
	}
	n.sleep(19)
	n.wantReady()
	n.sleep(1)
	n.wantReady(b)
	n.wantRead(b, "*-1")
	n.sleep(1000)
	n.wantReady(a, c)
	n.send(b, "PUSH k x")
	n.wantReady(d)
	if next := n.e.Tick(n.now); next != never {
		t.Errorf("nobody waits, and Tick comes back at %d", next)
	}
}

func TestAWaitIsCounted(t *testing.T) {
	t.Parallel()
	n := newWaitNode(t, Options{})
	a, b := n.client(), n.client()
	n.send(a, "BPOP k 0")
	n.send(b, "WAIT 1 0")
	if n.e.nblocked != 2 {
		t.Errorf("%d clients are blocked, want 2", n.e.nblocked)
	}
	if !n.e.unblockByCommand(a, false) || !n.e.unblockByCommand(b, true) || n.e.unblockByCommand(b, true) {
		t.Error("the wrong clients were unblocked")
	}
	n.wantReady(a, b)
	n.wantRead(a, "*-1")
	n.wantRead(b, "-UNBLOCKED client unblocked via CLIENT UNBLOCK")
}

func TestRestorePutsBlockedClientsInTheirPlaces(t *testing.T) {
	t.Parallel()
	n := newWaitNode(t, Options{})
	a, b, c, pusher := n.client(), n.client(), n.client(), n.client()
	n.send(c, "BPOP j k 0")
	n.send(a, "BPOP k 0")
	n.send(b, "BPOP k j 0")
	s := n.e.Snapshot()
	for range 2 {
		n.want(pusher, "PUSH k 1 2", ":2")
		n.wantReady(c, a)
		n.read(c)
		n.send(c, "BPOP k 0")
		n.e.Disconnect(n.client(), n.now)
		n.e.Restore(s)
		n.e.Ready()
	}
	n.e.Disconnect(a, n.now)
	n.e.Restore(s)
	n.e.Ready()
	n.want(pusher, "PUSH k 1 2", ":2")
	n.wantReady(c, b)
	n.wantRead(b, "*2 $1 k $1 2")
}

func TestTheSameKeyManyTimesIsOneKey(t *testing.T) {
	t.Parallel()
	n := newWaitNode(t, Options{})
	n.e.opt.Verify = nil
	a := n.client()
	n.send(a, "BPOP "+strings.Repeat("k ", 50_000)+"0")
	if got := len(a.wait.places); got != 1 {
		t.Errorf("the client stands in %d places", got)
	}
	var many strings.Builder
	for i := range 50_000 {
		fmt.Fprintf(&many, "k%d ", i)
	}
	b := n.client()
	n.send(b, "BPOP "+many.String()+"0")
	n.e.Disconnect(a, n.now)
	n.e.Disconnect(b, n.now)
	if err := n.e.Check(); err != nil {
		t.Error(err)
	}
}

func TestEffectsOfServedClientsFollowThePush(t *testing.T) {
	t.Parallel()
	var effects []string
	n := newWaitNode(t, Options{Config: config.New(), Effects: deletions(&effects)})
	a, pusher := n.client(), n.client()
	n.send(a, "BPOP k 0")
	n.send(pusher, "PUSH k x y")
	if want := []string{"0 PUSH k x y", "0 POP k"}; !slices.Equal(effects, want) {
		t.Errorf("the effects are %q, want %q", effects, want)
	}
}
