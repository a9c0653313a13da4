package minikvtest

import (
	"time"

	"minikv/server"
)

// Snapshot is the state of a server at one moment: data, deadlines, scripts,
// configuration, randomness, what its clients were doing, and a time that stands
// still. Restore puts it back, again and again.
func (kv *KV) Snapshot() *server.Snapshot {
	kv.t.Helper()
	snap, err := kv.Server.Snapshot()
	kv.must(err)
	return snap
}

// Restore puts the server back into a state that Snapshot has taken of it.
// Clients stay connected; those that came later are as if new.
func (kv *KV) Restore(snap *server.Snapshot) {
	kv.t.Helper()
	kv.must(snap.Restore())
}

// Reset deletes all data and removes all faults. Scripts, configuration and
// connections stay.
func (kv *KV) Reset() {
	kv.t.Helper()
	kv.must(kv.Server.Reset())
}

// Dump is the data as text, sorted, for people and golden files:
//
//	db 0
//	"jobs" list
//	    "a"
//	    "b"
//	"lock" string ttl 30 "t1"
func (kv *KV) Dump() string {
	kv.t.Helper()
	text, err := kv.Server.Dump()
	kv.must(err)
	return text
}

// Advance moves the server's time on, through all that is due: keys expire and
// their events go out in order, clients that wait have their time-outs, each at
// its own instant. All of it has happened when Advance returns. What other
// clients send in answer comes after it.
func (kv *KV) Advance(d time.Duration) {
	kv.t.Helper()
	kv.must(kv.Server.Advance(d))
}

// AdvanceToNext moves the time on to the next deadline; false: there is none.
func (kv *KV) AdvanceToNext() bool {
	kv.t.Helper()
	moved, err := kv.Server.AdvanceToNext()
	kv.must(err)
	return moved
}

// SetTime sets the server's time: forward as Advance does, or back.
func (kv *KV) SetTime(at time.Time) {
	kv.t.Helper()
	kv.must(kv.Server.SetTime(at))
}

// Now is the server's time.
func (kv *KV) Now() time.Time {
	kv.t.Helper()
	at, err := kv.Server.Now()
	kv.must(err)
	return at
}

// Fault says which commands go wrong, and how.
type Fault = server.Fault

// What a fault does: Fault.Action.
const (
	Error       = server.FaultError       // the reply is Text, an error; the command does not run
	Moved       = server.FaultMoved       // it is MOVED to Text, an address
	Ask         = server.FaultAsk         // it is ASK, with Text, an address
	Delay       = server.FaultDelay       // the command runs after Delay of the server's time, or of real time if Real
	NoReply     = server.FaultNoReply     // the command runs; the client hears nothing any more
	CloseBefore = server.FaultCloseBefore // the connection closes; the command does not run
	LoseReply   = server.FaultCloseAfter  // the command runs, and the connection closes without its reply
	Truncate    = server.FaultTruncate    // the same after the first Bytes of the reply
)

// AddFault makes commands go wrong from now on; RemoveFault ends that.
func (kv *KV) AddFault(f Fault) (id int64) {
	kv.t.Helper()
	id, err := kv.Server.AddFault(f)
	kv.must(err)
	return id
}

// RemoveFault removes a fault; false: it was not there.
func (kv *KV) RemoveFault(id int64) bool {
	kv.t.Helper()
	removed, err := kv.Server.RemoveFault(id)
	kv.must(err)
	return removed
}

// Faults lists the faults: how many commands matched each, and went wrong.
func (kv *KV) Faults() []server.FaultStatus {
	kv.t.Helper()
	list, err := kv.Server.Faults()
	kv.must(err)
	return list
}
