package engine

import (
	"fmt"
	"strconv"
	"strings"

	"minikv/value"
)

func debugCommands() []*Command {
	return []*Command{
		{Name: "DEBUG", Arity: -2, Flags: Admin | NoScript | Loading | Stale | Protected, Group: Server, Since: "1.0.0",
			Syntax: "<" + debugSyntax() + ">", Complexity: "Depends on what is asked.",
			Summary: "Steers the server for tests.", Handler: cmdDebug},
	}
}

// debugWord is one thing that DEBUG does. To COMMAND it is an argument, as in
// Redis, not a subcommand.
type debugWord struct {
	name     string
	syntax   string
	summary  string
	min, max int // how many arguments may follow
	run      func(c *Ctx, args [][]byte) error
}

// debugWords lists them, but for HELP.
func debugWords() []debugWord {
	return []debugWord{
		{"CHANGE-REPL-ID", "", "Gives the data another replication ID.", 0, 0, debugChangeReplID},
		{"DIGEST", "", "Answers a digest of all data, which is the same wherever the same is held.", 0, 0, debugDigest},
		{"DIGEST-VALUE", "key [key ...]", "Answers digests of values, without their keys.", 0, 1 << 30, debugDigestValue},
		{"ERROR", "message", "Answers an error with this text.", 1, 1, debugError},
		{"HTSTATS", "dbid", "Tells of the hash table of a database: its slots and the lengths of its chains.", 1, 1, debugHTStats},
		{"HTSTATS-KEY", "key", "Tells of the hash table of a value.", 1, 1, debugHTStatsKey},
		{"LISTPACK", "key", "Writes the elements of a small hash or sorted set to the server's log.", 1, 1, debugListpack},
		{"LOG", "message", "Writes to the server's log.", 1, 1, debugLog},
		{"OBJECT", "key", "Tells what is known of a value.", 1, 1, debugObject},
		{"POPULATE", "count [prefix [size]]", "Makes string keys key:0, key:1 and so on, or with another prefix.", 1, 3, debugPopulate},
		{"PROTOCOL", "type", "Answers a sample of a reply type: " + strings.Join(protocolTypes, ", ") + ".", 1, 1, debugProtocol},
		{"QUICKLIST-PACKED-THRESHOLD", "size", "Sets from how many bytes on an element of a list has a node of its own; 0: 1gb.", 1, 1, debugPackedThreshold},
		{"RELOAD", "[MERGE] [NOFLUSH] [NOSAVE]", "Saves the data and loads it again: beside what is there, or what was saved before.", 0, 1 << 30, debugReload},
		{"SDSLEN", "key", "Tells how long a key and its string are, and the memory that is theirs.", 1, 1, debugSDSLen},
		{"SET-ACTIVE-EXPIRE", "<0 | 1>", "Switches off, or on, that keys go by themselves when their time is over.", 1, 1, debugSetActiveExpire},
		{"SET-DISABLE-DENY-SCRIPTS", "<0 | 1>", "Allows scripts, or no longer, commands that block, and DEBUG.", 1, 1, debugDenyScripts},
		{"SLEEP", "seconds", "Stops the server for a while.", 1, 1, debugSleep},
	}
}

func debugSyntax() string {
	var words []string
	for _, w := range debugWords() {
		words = append(words, strings.TrimSpace(w.name+" "+w.syntax))
	}
	return strings.Join(words, " | ")
}

func cmdDebug(c *Ctx) error {
	if len(c.argv) == 2 && isWord(c.argv[1], "HELP") {
		debugHelp(c)
		return nil
	}
	args := c.argv[2:]
	for _, w := range debugWords() {
		if isWord(c.argv[1], w.name) && w.min <= len(args) && len(args) <= w.max {
			return w.run(c, args)
		}
	}
	return errUnknownSubArity(c)
}

func debugHelp(c *Ctx) {
	lines := []string{"DEBUG <subcommand> [<arg> [value] [opt] ...]. Subcommands are:"}
	for _, w := range debugWords() {
		lines = append(lines, strings.TrimSpace(w.name+" "+w.syntax), "    "+w.summary)
	}
	c.helpLines(lines)
}

func debugError(c *Ctx, args [][]byte) error {
	return wireError(strings.NewReplacer("\r", " ", "\n", " ").Replace(string(args[0])))
}

func debugLog(c *Ctx, args [][]byte) error {
	c.e.log(LogWarning, "DEBUG LOG: "+string(args[0]))
	return c.ok()
}

// debugSleep asks the loop to hold still: inside MULTI once EXEC is done, for
// all its sleeps together. Like C's strtod it takes as much of the number as it
// can read, and nothing for 0.
func debugSleep(c *Ctx, args [][]byte) error {
	const longest = 1e9 // seconds
	text := string(args[0][:min(len(args[0]), 64)])
	seconds := 0.0
	for ; text != ""; text = text[:len(text)-1] {
		if f, err := strconv.ParseFloat(text, 64); err == nil && f == f {
			seconds = min(max(f, 0), longest)
			break
		}
	}
	return c.askLater(Request{Kind: RequestSleep, Micros: int64(seconds * 1e6)})
}

func debugSetActiveExpire(c *Ctx, args [][]byte) error {
	c.e.activeExpireOff = isZero(args[0])
	return c.ok()
}

// debugPopulate makes keys that are not there yet. Nothing is announced but
// to those who watch or wait: the keys are no effect of a command.
func debugPopulate(c *Ctx, args [][]byte) error {
	prefix, size := []byte("key"), int64(0)
	count, ok := value.ParseInt(args[0])
	if len(args) > 1 {
		prefix = args[1]
	}
	if len(args) > 2 {
		n, isInt := value.ParseInt(args[2])
		size, ok = n, ok && isInt
	}
	if !ok || count < 0 || size < 0 {
		return errPositive
	}
	const most = 1 << 34 // bytes
	if count > most/(size+int64(len(prefix))+64) {
		return errOutOfRange
	}
	c.noEffect()
	for i := range count {
		key := fmt.Appendf(nil, "%s:%d", prefix, i)
		if c.db.live(key) != nil {
			continue
		}
		text := fmt.Appendf(nil, "value:%d", i)
		if size > 0 {
			padded := make([]byte, size)
			copy(padded, text)
			text = padded
		}
		c.db.add(key, stringObject(text))
		c.db.failWatchers(key)
		c.db.awaken(key)
	}
	return c.ok()
}

// protocolTypes are what DEBUG PROTOCOL knows.
var protocolTypes = []string{"string", "integer", "double", "bignum", "null", "array", "set", "map", "attrib", "push",
	"verbatim", "true", "false"}

func debugProtocol(c *Ctx, args [][]byte) error {
	out := c.out
	typ := strings.ToLower(string(args[0]))
	switch typ {
	case "string":
		out.BulkString("Hello World")
	case "integer":
		out.Int(12345)
	case "double":
		out.Double(3.141)
	case "bignum":
		out.BigNumber("1234567999999999999999999999999999999")
	case "null":
		out.Null()
	case "array", "set", "map":
		c.protocolNumbers(typ)
	case "attrib":
		if out.Attribute(1) {
			out.BulkString("key-popularity")
			out.Array(2)
			out.BulkString("key:123")
			out.Int(90)
		}
		out.BulkString("Some real reply following the attribute")
	case "push":
		if !c.resp3() {
			return errRESP3Only
		}
		out.Push(2)
		out.BulkString("server-cpu-usage")
		out.Int(42)
		out.BulkString("Some real reply following the push reply")
	case "verbatim":
		out.Verbatim("txt", []byte("This is a verbatim\nstring"))
	case "true", "false":
		out.Bool(typ == "true")
	default:
		return errProtocolType
	}
	return nil
}

// protocolNumbers answers 0, 1, 2 in an array or a set, or with booleans in a map.
func (c *Ctx) protocolNumbers(typ string) {
	switch typ {
	case "array":
		c.out.Array(3)
	case "set":
		c.out.Set(3)
	case "map":
		c.out.Map(3)
	}
	for i := range 3 {
		c.out.Int(int64(i))
		if typ == "map" {
			c.out.Bool(i == 1)
		}
	}
}
