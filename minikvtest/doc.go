// Package minikvtest gives a Go test a Redis of its own: in the same process,
// without a port, started in microseconds and gone with the test.
//
//	func TestCache(t *testing.T) {
//		t.Parallel()
//		kv := minikvtest.Run(t)
//		rdb := redis.NewClient(kv.Options())
//		...
//		kv.Do("GET", "k") // straight into the engine
//	}
//
// When the test fails, its last 50 commands and their replies are printed.
//
// # Time
//
// Time is real unless VirtualClock is given: then it stands still until Advance
// moves it, through all that is due and in order. In a testing/synctest bubble
// nothing is needed: a server, its clients over Dial and their time-outs live on
// the bubble's time, and a client that waits for a key is durably blocked.
//
// As in Redis a key lives through the millisecond of its deadline. Advance
// goes to the end of that, so Advance(ttl) is enough; in a bubble sleep a
// millisecond longer than the TTL.
//
// # Faults
//
// AddFault makes commands go wrong: an error in place of a reply, a delay, a
// connection that closes before a command or after it, so that it ran and its
// reply was lost.
//
// Package server offers the same to programs that have no testing.T.
package minikvtest
