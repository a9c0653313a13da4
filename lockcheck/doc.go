// Package lockcheck tells what a lock library for Redis gets right: it takes and
// releases locks on servers of its own, lets time, replies and servers go wrong
// meanwhile, and looks what the library sends and claims.
//
//	func TestMyLock(t *testing.T) {
//		lockcheck.Run(t, lockcheck.Adapter{Name: "mylock", New: newClient})
//	}
//
// Time is that of a testing/synctest bubble: no check waits for real. So the
// library must connect by its nodes' Dial, and everything that it has started
// must end with Close.
//
//	adapter.go       how a library is reached
//	trial.go         one check's servers, and the schedule that is written down
//	checks.go        what is checked on any number of nodes
//	checks_reply.go  the same, of lost and late replies
//	checks_nodes.go  what is checked on several
//	result.go        outcomes, and a page of them
//	replay.go        runs a schedule again
package lockcheck
