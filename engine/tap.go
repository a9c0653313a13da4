package engine

// Source says on whose behalf a command runs.
type Source uint8

// Where an execution comes from.
const (
	FromClient  Source = iota // sent by a client
	FromExec                  // queued by MULTI, run by EXEC
	FromScript                // redis.call or redis.pcall
	FromBlocked               // run again for a client that waited
)

// Touch is one key that an execution really looked at or changed, which may be
// more or fewer than those its arguments name.
type Touch struct {
	DB    int
	Key   string
	Write bool
}

// TapEvent describes one execution, before it (After false) and after it. It
// and all it refers to are valid during the call only.
type TapEvent struct {
	After   bool
	Now     int64 // microseconds
	Client  *Client
	DB      int
	Source  Source
	Command *Command
	Argv    [][]byte
	Reply   []byte  // after: the encoded reply; empty for a client that now waits
	Touched []Touch // after: keys in the order in which they were touched
}

// SetTap replaces the tap (nil: none). Not while a command runs.
func (e *Engine) SetTap(tap func(*TapEvent)) { e.opt.Tap = tap }

// touch notes a key for the tap.
func (e *Engine) touch(db *DB, key string, write bool) {
	e.touched = append(e.touched, Touch{DB: db.id, Key: key, Write: write})
}
