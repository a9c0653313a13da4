package lua

import (
	"errors"

	"minikv/lua/vm"
	"minikv/resp"
)

// libraries is where the functions of libraries live: a machine of their own,
// with a state of its own. While a library is loaded it has other globals.
type libraries struct {
	*machine
	registry registry
	loading  *vm.Table // the globals while a library is loaded
	calling  *vm.Table // the globals while a function runs
}

// functions are the machine's libraries, made when they are first needed.
func (m *machine) functions() *libraries {
	if m.libraries == nil {
		m.libraries = newLibraries(m.version, m.random)
		m.libraries.vm.SetMemoryLimit(m.limit)
	}
	return m.libraries
}

func newLibraries(version string, random *Random) *libraries {
	l := &libraries{machine: newMachine(version, random)}
	all := l.redisMembers()
	l.loading, l.calling = vm.NewTable(0, 1), l.vm.Globals
	redis := vm.NewTable(0, 8)
	redis.SetField("register_function", l.vm.Library(l.registry.register))
	for _, name := range loadingMembers {
		redis.SetField(name, all[name])
	}
	redis.SetField("log", l.vm.Native(l.redisLog))
	l.protect(redis)
	l.loading.SetField("redis", vm.TableValue(redis))
	l.protect(l.loading)
	for _, name := range scriptMembers {
		delete(all, name)
	}
	l.openLibraries(all)
	l.protect(l.calling)
	return l
}

// loadingMembers are the fields of redis that are there while a library is
// loaded, besides register_function and log.
var loadingMembers = []string{"LOG_DEBUG", "LOG_VERBOSE", "LOG_NOTICE", "LOG_WARNING", "REDIS_VERSION", "REDIS_VERSION_NUM"}

// scriptMembers are the fields of redis that only scripts have.
var scriptMembers = []string{"replicate_commands", "breakpoint", "debug"}

// Load loads a library.
func (m *machine) Load(code []byte, host Host) (library *Library, err error) {
	l := m.functions()
	chunk, err := vm.Compile(string(code), functionChunk)
	if err != nil {
		return nil, errors.New("ERR Error compiling function: " + err.Error())
	}
	l.host = host
	l.vm.Globals = l.loading
	l.registry.begin()
	defer func() {
		if r := recover(); r != nil {
			library, err = nil, l.loadFailure(r)
		}
		l.vm.Globals = l.calling
		l.end()
	}()
	l.vm.Run(chunk)
	return l.registry.end()
}

// functionChunk is the name of a library's code in messages.
const functionChunk = "user_function"

func (l *libraries) loadFailure(r any) error {
	l.registry = registry{}
	v, ok := thrown(r)
	switch {
	case l.vm.Stop != "":
		return loadError(withCode(l.vm.Stop))
	case !ok:
		return loadError("ERR library failed inside of the interpreter")
	}
	text, _ := l.errorText(v)
	return loadError(text)
}

// Call runs a function.
func (m *machine) Call(f *Function, host Host, keys, args [][]byte, reply *resp.Writer) (res Result) {
	l := m.functions()
	l.host, l.name, l.proto = host, f.Name, 2
	mark := reply.Mark()
	defer func() {
		if r := recover(); r != nil {
			reply.Truncate(mark)
			res = l.fail(r, reply)
		}
		l.end()
	}()
	return l.writeReply(l.vm.Call(f.code.(*vm.Function), l.list(keys), l.list(args)), reply)
}

// list makes a table of the keys or the arguments of a function.
func (l *libraries) list(items [][]byte) vm.Value {
	t := l.vm.NewTable(len(items), 0)
	for i, b := range items {
		t.SetElement(i+1, l.text.string(b))
	}
	return vm.TableValue(t)
}

// end lets go of what belongs to the call that is over. Strings stay: they may
// be in a variable.
func (l *libraries) end() {
	l.vm.Reset()
	l.host = nil
	l.text.keep()
	l.reply.Reset()
	if cap(l.buf) > 1<<20 {
		l.buf = nil
	}
}

// keep leaves the strings made so far to whoever has them.
func (a *arena) keep() { a.buf = a.buf[len(a.buf):] }
