package lua

import (
	"errors"

	gl "github.com/yuin/gopher-lua"

	"minikv/resp"
)

// gopherLibraries is where the functions of libraries live: a machine of their
// own, with a state of its own. Its globals are an empty table that reads from
// loading or from calling, so the names of globals are looked up while functions
// run, not when they are compiled.
type gopherLibraries struct {
	*gopher
	registry registry
	from     *gl.LTable // the metatable of the globals
	loading  *gl.LTable // the globals while a library is loaded
	calling  *gl.LTable // the globals while a function runs
}

// gopherLibrary is a library that has been loaded. Its functions belong to a
// state: if that breaks, the code runs again in the next one.
type gopherLibrary struct {
	code      *gopherCode
	of        *gl.LState
	functions map[string]*gl.LFunction
}

// gopherFunction is what Function.code holds on this machine.
type gopherFunction struct {
	library *gopherLibrary
	name    string
}

// functions are the machine's libraries, made when they are first needed.
func (m *gopher) functions() *gopherLibraries {
	if m.libraries == nil {
		l := &gopherLibraries{gopher: newGopher(m.version, m.random)}
		l.known, l.seal = func(string) bool { return false }, l.divide
		l.open()
		m.libraries = l
	}
	return m.libraries
}

// divide makes the two sets of globals from that of scripts.
func (l *gopherLibraries) divide() {
	l.calling, l.loading = l.l.CreateTable(0, 40), l.l.CreateTable(0, 1)
	var names []gl.LValue
	l.globals.ForEach(func(name, v gl.LValue) {
		names = append(names, name)
		if name != gl.LString("__redis__err__handler") {
			l.calling.RawSet(name, v)
		}
	})
	for _, name := range names {
		l.globals.RawSet(name, gl.LNil)
	}
	all := l.behind(l.calling.RawGetString("redis").(*gl.LTable))
	l.loading.RawSetString("redis", l.proxy(l.loadingRedis(all)))
	for _, name := range scriptMembers {
		all.RawSetString(name, gl.LNil)
	}
	l.calling.RawSetString("_G", l.proxy(l.calling))
	l.calling.Metatable, l.loading.Metatable = l.missing(), l.missing()
	l.from = l.missing()
	l.globals.Metatable = l.from
	l.fixed[l.globals] = true
	l.from.RawSetString("__index", l.calling)
}

// loadingRedis makes the table redis that is there while a library is loaded.
func (l *gopherLibraries) loadingRedis(all *gl.LTable) *gl.LTable {
	redis := l.fields(members{
		"register_function": l.native("register_function", l.registry.register),
		"log":               l.l.NewFunction(l.redisLog),
	})
	for _, name := range loadingMembers {
		redis.RawSetString(name, all.RawGetString(name))
	}
	redis.Metatable = l.missing()
	return redis
}

// Load loads a library.
func (m *gopher) Load(code []byte, host Host) (*Library, error) {
	l := m.functions()
	c, err := l.compile(code, functionChunk)
	if err != nil {
		return nil, errors.New("ERR Error compiling function: " + err.Error())
	}
	return l.register(&gopherLibrary{code: c}, host)
}

// register runs a library's code.
func (l *gopherLibraries) register(g *gopherLibrary, host Host) (library *Library, err error) {
	if l.damaged {
		l.open()
	}
	l.begin("", host, g.code)
	l.from.RawSetString("__index", l.loading)
	l.registry.begin()
	defer func() {
		if r := recover(); r != nil {
			library, err = nil, loadError("ERR library failed inside of the interpreter")
			l.open()
		}
		l.from.RawSetString("__index", l.calling)
		l.registry = registry{}
		l.end(g.code)
	}()
	l.l.Push(l.guard)
	l.l.Push(l.l.NewFunctionFromProto(g.code.proto))
	if err := l.l.PCall(1, 0, nil); err != nil {
		text, _ := l.failure(err)
		return nil, loadError(text)
	}
	if library, err = l.registry.end(); err != nil {
		return nil, err
	}
	g.of, g.functions = l.l, map[string]*gl.LFunction{}
	for _, f := range library.Functions {
		g.functions[f.Name] = f.code.(*gl.LFunction)
		f.code = gopherFunction{g, f.Name}
	}
	return library, nil
}

// Call runs a function.
//
// DIFFERS: With lua-machine gopher-lua a coroutine of a function library ends with the call in which it was made.
func (m *gopher) Call(f *Function, host Host, keys, args [][]byte, reply *resp.Writer) (res Result) {
	l, fn := m.functions(), f.code.(gopherFunction)
	if l.damaged || fn.library.of != l.l {
		if _, err := l.register(fn.library, host); err != nil {
			reply.Error(err.Error())
			return Result{Failed: true}
		}
	}
	l.begin(f.Name, host, fn.library.code)
	mark := reply.Mark()
	defer func() {
		l.end(fn.library.code)
		if r := recover(); r != nil {
			reply.Truncate(mark)
			reply.Error("ERR " + l.suffix("function failed inside of the interpreter"))
			res = Result{Failed: true}
			l.open()
		}
	}()
	for _, v := range []gl.LValue{l.guard, fn.library.functions[fn.name], l.list(keys), l.list(args)} {
		l.l.Push(v)
	}
	if err := l.l.PCall(3, 1, nil); err != nil {
		return l.fail(err, reply)
	}
	v := l.l.Get(-1)
	l.l.SetTop(0)
	return l.writeReply(v, reply)
}
