// Package lua runs Redis scripts.
//
// A Machine compiles a script once and runs it against a Host, the server's
// side of the conversation: redis.call leaves through Host.Call and comes back
// as RESP bytes, which the machine turns into Lua values without building a
// tree in between.
//
// Package lua/syntax parses Lua 5.1, and package lua/lib holds the library
// functions (string, table, math, bit, struct, cjson, cmsgpack), written against
// a small Value and Call of its own, so that they do not know which machine runs
// them. There are two machines on top.
//
// New makes minikv's own: package lua/compile turns the tree into code for
// registers, package lua/vm runs that. Its tables have the layout of Redis's, so
// that pairs, # and cjson.encode answer as Redis does.
//
// A Stepper runs a script of that machine line by line and command by command,
// shows its variables, and can be copied where it stands: the debugger and the
// search for schedules use it.
//
// NewGopher makes one on gopher-lua, none of whose types leaves this package:
// package lua/rewrite changes a parsed script so that gopher-lua does what Lua
// 5.1 does.
package lua
