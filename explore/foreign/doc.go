// Package foreign puts the clients of a program that it knows nothing of into
// an order of its choice: a server whose connections stand at a gate.
//
//	conn.go    a connection: reads commands, passes replies on
//	gate.go    who may go next, and when that can be said
//	picker.go  draws the next one by chance, or by priorities (PCT)
//	trace.go   what was run, in order
//
// It tries one order a run, drawn from a seed, and is not exhaustive.
package foreign
