package lua

import (
	"crypto/sha1"
	"encoding/hex"
	"io"
	"math"
	"strings"

	"minikv/lua/lib"
	"minikv/lua/vm"
)

// redisMembers are the fields of the table redis.
func (m *machine) redisMembers() map[string]vm.Value {
	out := map[string]vm.Value{"REDIS_VERSION": vm.String(m.version)}
	for name, n := range map[string]int{
		"REDIS_VERSION_NUM": versionNumber(m.version),
		"LOG_DEBUG":         LogDebug,
		"LOG_VERBOSE":       LogVerbose,
		"LOG_NOTICE":        LogNotice,
		"LOG_WARNING":       LogWarning,
		"REPL_NONE":         ReplicateNone,
		"REPL_AOF":          ReplicateAOF,
		"REPL_SLAVE":        ReplicateReplica,
		"REPL_REPLICA":      ReplicateReplica,
		"REPL_ALL":          ReplicateAll,
	} {
		out[name] = vm.Number(float64(n))
	}
	for name, f := range map[string]vm.Native{
		"call":               m.redisCall,
		"pcall":              m.redisPCall,
		"error_reply":        m.redisErrorReply,
		"status_reply":       m.redisStatusReply,
		"sha1hex":            m.redisSHA1Hex,
		"log":                m.redisLog,
		"setresp":            m.redisSetResp,
		"set_repl":           m.redisSetRepl,
		"replicate_commands": func(c vm.Call) int { return c.Return(vm.True) },
		"acl_check_cmd":      m.redisACLCheckCmd,
		"breakpoint":         m.redisBreakpoint,
		"debug":              m.redisDebug,
	} {
		out[name] = m.vm.Native(f)
	}
	return out
}

// errorTable makes the table that stands for an error reply.
func (m *machine) errorTable(text string, counted bool) *vm.Table {
	t := m.vm.NewTable(0, 0)
	t.SetField("err", vm.String(text))
	if counted {
		t.SetField(statsField, vm.True)
	}
	return t
}

// raise throws an error reply from redis.*, where it goes with a code in front
// and without a position.
func (m *machine) raise(c vm.Call, text string) {
	m.refuse(text)
	c.Throw(vm.TableValue(m.errorTable(withCode(text), false)))
}

func (m *machine) redisCall(c vm.Call) int {
	v, refused := m.command(c)
	if refused != "" {
		m.raise(c, refused)
	}
	if t, ok := v.Table(); ok && !t.Field("err").IsNil() {
		c.Throw(v)
	}
	return c.Return(v)
}

func (m *machine) redisPCall(c vm.Call) int {
	v, refused := m.command(c)
	if refused != "" {
		m.refuse(refused)
		v = vm.TableValue(m.errorTable(withCode(refused), false))
	}
	return c.Return(v)
}

// command runs the command in the arguments and converts its reply. refused
// tells why it was not even tried.
func (m *machine) command(c vm.Call) (v vm.Value, refused string) {
	argv, refused := m.arguments(c)
	if refused != "" {
		return vm.Value{}, refused
	}
	m.reply.Reset()
	m.reply.SetProto(m.proto)
	mark := m.reply.Mark()
	m.host.Call(argv, &m.reply)
	b := m.reply.Since(mark)
	m.vm.Charge(len(b))
	v, _ = m.fromReply(b)
	return v, ""
}

// arguments collects the arguments in one buffer, reused by the next command.
func (m *machine) arguments(c vm.Call) (argv [][]byte, refused string) {
	n := c.N()
	if n == 0 {
		return nil, noArguments
	}
	buf, ends := m.buf[:0], m.ends[:0]
	for i := 1; i <= n; i++ {
		v := c.Arg(i)
		if s, ok := v.Str(); ok {
			buf = append(buf, s...)
		} else if x, ok := v.Num(); ok {
			buf = lib.AppendArgument(buf, x)
		} else {
			return nil, badArguments
		}
		ends = append(ends, len(buf))
	}
	argv, start := m.argv[:0], 0
	for _, end := range ends {
		argv = append(argv, buf[start:end:end])
		start = end
	}
	m.buf, m.ends, m.argv = buf, ends, argv
	return argv, ""
}

// refuse tells a debugger of an error.
func (m *machine) refuse(text string) {
	if m.stage != nil {
		m.stage.refused(text)
	}
}

// wrongArguments returns what error_reply and status_reply make of arguments
// that are not one string.
func (m *machine) wrongArguments(c vm.Call) int {
	const text = "wrong number or type of arguments"
	m.refuse(text)
	return c.Return(vm.TableValue(m.errorTable(withCode(text), false)))
}

func (m *machine) redisErrorReply(c vm.Call) int {
	s, ok := c.Arg(1).Str()
	if c.N() != 1 || !ok {
		return m.wrongArguments(c)
	}
	text, _, _ := strings.Cut(s, "\x00")
	text = "-" + strings.TrimPrefix(text, "-")
	m.refuse(text)
	return c.Return(vm.TableValue(m.errorTable(withCode(text), false)))
}

func (m *machine) redisStatusReply(c vm.Call) int {
	s, ok := c.Arg(1).Str()
	if c.N() != 1 || !ok {
		return m.wrongArguments(c)
	}
	return c.Return(m.field("ok", vm.String(s)))
}

// hashLot is how much is hashed before the server may be asked whether to go on.
const hashLot = 1 << 16

func (m *machine) redisSHA1Hex(c vm.Call) int {
	if c.N() != 1 {
		m.raise(c, "wrong number of arguments")
	}
	s, _ := c.Arg(1).Text()
	hash := sha1.New()
	for len(s) > hashLot {
		io.WriteString(hash, s[:hashLot])
		c.VM().Work(hashLot >> 4)
		s = s[hashLot:]
	}
	io.WriteString(hash, s)
	return c.Return(vm.String(hex.EncodeToString(hash.Sum(nil))))
}

func (m *machine) redisLog(c vm.Call) int {
	n := c.N()
	if n < 2 {
		m.raise(c, "redis.log() requires two arguments or more.")
	}
	number, ok := c.Arg(1).ToNumber()
	if !ok {
		m.raise(c, "First argument must be a number (log level).")
	}
	level := int(max(lib.ToInt64(number), math.MinInt32))
	if level < LogDebug || level > LogWarning {
		m.raise(c, "Invalid debug level.")
	}
	var words []string
	for i := 2; i <= n; i++ {
		if s, ok := c.Arg(i).Text(); ok {
			words = append(words, s)
		}
	}
	m.host.Log(level, strings.Clone(strings.Join(words, " ")))
	return 0
}

// redisBreakpoint tells whether there is a debugger that will stop.
func (m *machine) redisBreakpoint(c vm.Call) int {
	return c.Return(vm.Bool(m.stage != nil && m.stage.breakpoint()))
}

// redisDebug shows values in the debugger.
func (m *machine) redisDebug(c vm.Call) int {
	if m.stage == nil {
		return 0
	}
	args := make([]vm.Value, c.N())
	for i := range args {
		args[i] = c.Arg(i + 1)
	}
	m.stage.debug(args)
	return 0
}

func (m *machine) redisSetResp(c vm.Call) int {
	if c.N() != 1 {
		m.raise(c, "redis.setresp() requires one argument.")
	}
	n, _ := c.Arg(1).ToNumber()
	version := lib.ToInt64(n)
	if version != 2 && version != 3 {
		m.raise(c, "RESP version must be 2 or 3.")
	}
	m.proto = int(version)
	return 0
}

func (m *machine) redisSetRepl(c vm.Call) int {
	if c.N() != 1 {
		m.raise(c, "redis.set_repl() requires two arguments.")
	}
	n, _ := c.Arg(1).ToNumber()
	flags := lib.ToInt64(n)
	if flags&^ReplicateAll != 0 {
		m.raise(c, "Invalid replication flags. Use REPL_AOF, REPL_REPLICA, REPL_ALL or REPL_NONE.")
	}
	m.host.SetReplication(int(flags))
	return 0
}

func (m *machine) redisACLCheckCmd(c vm.Call) int {
	argv, refused := m.arguments(c)
	if refused != "" {
		m.raise(c, refused)
	}
	allowed, known := m.host.CheckACL(argv)
	if !known {
		m.raise(c, "Invalid command passed to redis.acl_check_cmd()")
	}
	return c.Return(vm.Bool(allowed))
}
