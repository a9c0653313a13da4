// Package value holds Redis's data types without its commands: strings'
// numbers, lists, hashes, sets, sorted sets, streams, sketches, places and
// arrays, the hash table they and the keyspace share, and the glob matcher.
//
// Nothing here knows a client, a clock, a key's deadline or a reply. Nothing
// here locks: a value belongs to one goroutine. What is random comes from the
// caller, either as a seed (the order of a [Table]) or as a function that
// answers a number below n, so the same calls give the same values in every
// run.
//
// Small collections are packed and large ones indexed, and the change from the
// one to the other happens where Redis 7.0 makes it: OBJECT ENCODING is part of
// the contract.
package value
