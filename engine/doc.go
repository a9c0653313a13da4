// Package engine is Redis without the network: a pure, single-threaded state
// machine. It starts no goroutine, opens no socket, reads no clock, draws no
// global randomness and takes no mutex; time, randomness and whatever else lies
// outside are handed in. One goroutine owns an Engine and feeds it one command
// at a time, which is all that Redis's atomicity is: nothing else can run.
//
// # The life of a command
//
//	Do           engine.go    the loop hands over a client, the time and argv
//	lookup       command.go   argv[0] finds its row in the command table
//	gates        gates.go     arity, AUTH, MULTI, ACL, OOM, subscribe mode, BUSY, PAUSE
//	queue        multi.go     inside MULTI a command is kept and QUEUED answered
//	call         dispatch.go  statistics, tap, the handler, its error, its effect
//	handler      cmd_*.go     reads arguments, looks up, decides, changes, replies
//	db.write     db.go        announced before a change: snapshots copy here
//	db.changed   db.go        announced after it: WATCH, blocked clients, events, dirty
//	afterUnit    dispatch.go  once per command, script or EXEC: blocked clients are
//	                          served, pushes and effects go out
//	output       client.go    the loop takes the client's output and writes it
//
// A command is declared once, in a row beside its handler (see Command); what
// COMMAND, ACL, the gates, the statistics and docs/commands.md say derives from it.
package engine
