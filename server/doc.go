// Package server is the network around the engine, and how a Go program embeds
// it. It alone has goroutines, sockets and a wall clock.
//
//	listener.go     binds; redcon accepts
//	guard.go        nothing but whole, checked commands reaches redcon
//	framing.go      finds commands in bytes, within Redis's limits
//	session.go      a connection that redcon serves: reads batches, writes output
//	poll_linux.go   or one that the loop itself reads and writes, by epoll
//	gate.go         how many may be new at a time
//	inbox.go        what other goroutines leave for the loop
//	loop.go         the one goroutine that owns the engine
//	save.go         files of data
//	migrate.go      keys that are taken to another server
//	call.go         commands that the embedding program runs
//	embed.go        what else it does: addresses, snapshots, dumps
//	clock_move.go   moves the time, through all that is due
//	trace.go        writes down what clients do; trace_replay.go does it again
package server
