package lua

import (
	"math"
	"strings"

	gl "github.com/yuin/gopher-lua"

	"minikv/lua/lib"
)

// redisMembers are the fields of the table redis.
func (m *gopher) redisMembers() members {
	out := members{
		"REDIS_VERSION":     gl.LString(m.version),
		"REDIS_VERSION_NUM": gl.LNumber(versionNumber(m.version)),
		"LOG_DEBUG":         gl.LNumber(LogDebug),
		"LOG_VERBOSE":       gl.LNumber(LogVerbose),
		"LOG_NOTICE":        gl.LNumber(LogNotice),
		"LOG_WARNING":       gl.LNumber(LogWarning),
		"REPL_NONE":         gl.LNumber(ReplicateNone),
		"REPL_AOF":          gl.LNumber(ReplicateAOF),
		"REPL_SLAVE":        gl.LNumber(ReplicateReplica),
		"REPL_REPLICA":      gl.LNumber(ReplicateReplica),
		"REPL_ALL":          gl.LNumber(ReplicateAll),
	}
	for name, f := range map[string]gl.LGFunction{
		"call":               m.redisCall,
		"pcall":              m.redisPCall,
		"error_reply":        m.redisErrorReply,
		"status_reply":       m.redisStatusReply,
		"sha1hex":            m.redisSHA1Hex,
		"log":                m.redisLog,
		"setresp":            m.redisSetResp,
		"set_repl":           m.redisSetRepl,
		"replicate_commands": func(l *gl.LState) int { l.Push(gl.LTrue); return 1 },
		"acl_check_cmd":      m.redisACLCheckCmd,
		"breakpoint":         func(l *gl.LState) int { l.Push(gl.LFalse); return 1 },
		"debug":              func(*gl.LState) int { return 0 },
	} {
		out[name] = m.l.NewFunction(f)
	}
	return out
}

const (
	noArguments  = "Please specify at least one argument for this redis lib call"
	badArguments = "Lua redis lib command arguments must be strings or integers"
)

func (m *gopher) redisCall(l *gl.LState) int {
	v, refused := m.command(l)
	if refused != "" {
		m.raise(l, refused)
	}
	if t, ok := v.(*gl.LTable); ok && t.RawGetString("err") != gl.LNil {
		l.Error(t, 0)
	}
	l.Push(v)
	return 1
}

func (m *gopher) redisPCall(l *gl.LState) int {
	v, refused := m.command(l)
	if refused != "" {
		v = m.errorTable(withCode(refused), false)
	}
	l.Push(v)
	return 1
}

// command runs the command in l's arguments and converts its reply. refused
// tells why it was not even tried.
func (m *gopher) command(l *gl.LState) (v gl.LValue, refused string) {
	argv, refused := m.arguments(l)
	if refused != "" {
		return gl.LNil, refused
	}
	m.reply.Reset()
	m.reply.SetProto(m.run.proto)
	mark := m.reply.Mark()
	m.run.host.Call(argv, &m.reply)
	v, _ = m.fromReply(m.reply.Since(mark), m.run.proto)
	return v, ""
}

// arguments collects l's arguments in one buffer, reused by the next command.
func (m *gopher) arguments(l *gl.LState) (argv [][]byte, refused string) {
	n := l.GetTop()
	if n == 0 {
		return nil, noArguments
	}
	buf, ends := m.arena[:0], m.ends[:0]
	for i := 1; i <= n; i++ {
		switch v := l.Get(i).(type) {
		case gl.LString:
			buf = append(buf, v...)
		case gl.LNumber:
			buf = lib.AppendArgument(buf, float64(v))
		default:
			return nil, badArguments
		}
		ends = append(ends, len(buf))
	}
	argv, start := m.argv[:0], 0
	for _, end := range ends {
		argv = append(argv, buf[start:end:end])
		start = end
	}
	m.arena, m.ends, m.argv = buf, ends, argv
	return argv, ""
}

func (m *gopher) redisErrorReply(l *gl.LState) int {
	s, ok := l.Get(1).(gl.LString)
	if l.GetTop() != 1 || !ok {
		l.Push(m.errorTable("ERR wrong number or type of arguments", false))
		return 1
	}
	text, _, _ := strings.Cut(string(s), "\x00")
	l.Push(m.errorTable(withCode("-"+strings.TrimPrefix(text, "-")), false))
	return 1
}

func (m *gopher) redisStatusReply(l *gl.LState) int {
	s, ok := l.Get(1).(gl.LString)
	if l.GetTop() != 1 || !ok {
		l.Push(m.errorTable("ERR wrong number or type of arguments", false))
		return 1
	}
	l.Push(m.statusTable(string(s)))
	return 1
}

func (m *gopher) statusTable(s string) *gl.LTable {
	t := m.l.CreateTable(0, 1)
	t.RawSetString("ok", gl.LString(s))
	return t
}

func (m *gopher) redisSHA1Hex(l *gl.LState) int {
	if l.GetTop() != 1 {
		m.raise(l, "wrong number of arguments")
	}
	s, _ := text(l.Get(1))
	l.Push(gl.LString(SHA1([]byte(s))))
	return 1
}

func (m *gopher) redisLog(l *gl.LState) int {
	n := l.GetTop()
	if n < 2 {
		m.raise(l, "redis.log() requires two arguments or more.")
	}
	number, ok := fromLua(l.Get(1)).Number()
	if !ok {
		m.raise(l, "First argument must be a number (log level).")
	}
	level := int(max(lib.ToInt64(number), math.MinInt32))
	if level < LogDebug || level > LogWarning {
		m.raise(l, "Invalid debug level.")
	}
	var words []string
	for i := 2; i <= n; i++ {
		if s, ok := text(l.Get(i)); ok {
			words = append(words, s)
		}
	}
	m.run.host.Log(level, strings.Join(words, " "))
	return 0
}

func (m *gopher) redisSetResp(l *gl.LState) int {
	if l.GetTop() != 1 {
		m.raise(l, "redis.setresp() requires one argument.")
	}
	n, _ := fromLua(l.Get(1)).Number()
	version := lib.ToInt64(n)
	if version != 2 && version != 3 {
		m.raise(l, "RESP version must be 2 or 3.")
	}
	m.run.proto = int(version)
	return 0
}

func (m *gopher) redisSetRepl(l *gl.LState) int {
	if l.GetTop() != 1 {
		m.raise(l, "redis.set_repl() requires two arguments.")
	}
	n, _ := fromLua(l.Get(1)).Number()
	flags := lib.ToInt64(n)
	if flags&^ReplicateAll != 0 {
		m.raise(l, "Invalid replication flags. Use REPL_AOF, REPL_REPLICA, REPL_ALL or REPL_NONE.")
	}
	m.run.host.SetReplication(int(flags))
	return 0
}

func (m *gopher) redisACLCheckCmd(l *gl.LState) int {
	argv, refused := m.arguments(l)
	if refused != "" {
		m.raise(l, refused)
	}
	allowed, known := m.run.host.CheckACL(argv)
	if !known {
		m.raise(l, "Invalid command passed to redis.acl_check_cmd()")
	}
	l.Push(gl.LBool(allowed))
	return 1
}
