// Package lua runs Redis scripts.
//
// A Machine compiles a script once and runs it against a Host, the server's
// side of the conversation: redis.call leaves through Host.Call and comes back
// as RESP bytes, which the machine turns into Lua values without building a
// tree in between.
//
// The package is three layers. Package lua/lib holds the library functions
// (string, table, math, bit, struct, cjson, cmsgpack), written against a small
// Value and Call of its own, so that they do not know which machine runs them.
// Package lua/rewrite changes a parsed script so that the machine does what
// Lua 5.1 does. This package joins both to gopher-lua, none of whose types
// leaves it.
package lua
