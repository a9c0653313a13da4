package lua

import (
	"minikv/lua/lib"
	"minikv/resp"
)

// A Host is what a running script may ask of the server. The machine calls it
// only from within Run.
type Host interface {
	// Call runs one command as the script and writes exactly one reply, in the
	// protocol of reply.Proto(). A refusal is an error reply. argv is valid
	// until Call returns.
	Call(argv [][]byte, reply *resp.Writer)

	// Log writes a message to the server's log; level is one of the LOG_ constants.
	Log(level int, message string)

	// SetReplication chooses where the script's effects go: a sum of the
	// REPL_ constants.
	SetReplication(flags int)

	// CheckACL tells whether the script's user may run a command; known is
	// false when there is no such command or its arity is wrong.
	CheckACL(argv [][]byte) (allowed, known bool)

	// Busy is called now and then while a script runs. The server may serve
	// others meanwhile. A text that is not empty stops the script, which then
	// fails with that text: it cannot be caught.
	Busy() string
}

// Log levels, redis.LOG_DEBUG and so on.
const (
	LogDebug = iota
	LogVerbose
	LogNotice
	LogWarning
)

// Replication flags, redis.REPL_AOF and so on.
const (
	ReplicateNone    = 0
	ReplicateAOF     = 1
	ReplicateReplica = 2
	ReplicateAll     = ReplicateAOF | ReplicateReplica
)

// A Machine compiles and runs scripts. It is not for concurrent use, and it
// does not run a script while another is running in it.
type Machine interface {
	// Compile makes a script ready to run. The error is the text of the
	// server's error reply. The machine keeps no reference to source.
	Compile(source []byte) (*Script, error)

	// Run runs a script of this machine, writes its reply (one value or one
	// error, in the protocol of reply.Proto()) and tells how it ended. keys
	// and args are valid until Run returns.
	Run(s *Script, host Host, keys, args [][]byte, reply *resp.Writer) Result

	// Load runs the code of a library, as ParseLibrary returns it, which then
	// registers its functions. The error is the text of the server's error
	// reply. Of host, Log and Busy are used.
	Load(code []byte, host Host) (*Library, error)

	// Call runs a function of a library of this machine, as Run runs a script.
	Call(f *Function, host Host, keys, args [][]byte, reply *resp.Writer) Result

	// SetMemoryLimit bounds the memory of each script, approximately; 0 does not.
	SetMemoryLimit(bytes int64)

	// State returns the part of the machine that outlives a script; SetState
	// puts it back.
	State() State
	SetState(State)
}

// Result tells how a script ended.
type Result struct {
	// Failed is true when the reply is an error.
	Failed bool
	// Counted is true when the error has already been counted in the server's
	// error statistics, by the command that failed inside of the script.
	Counted bool
}

// State is what one script leaves behind for the next: the generator behind
// math.random and the settings of cjson, which functions have for themselves. It
// is a plain value, so assigning it copies it.
type State struct {
	Random    Random
	JSON      JSONConfig
	Functions JSONConfig
}

// Random and JSONConfig are the parts of State.
type (
	Random     = lib.Random
	JSONConfig = lib.JSONConfig
)
