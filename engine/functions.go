package engine

import (
	"bytes"
	"maps"
	"slices"
	"strings"

	"minikv/lua"
	"minikv/resp"
)

// Functions belong to libraries; a library is kept with the code it was loaded
// from, which is all that is ever written of it: by FUNCTION DUMP, to RDB files
// (Libraries and LoadLibrary are for those), to a node that takes a snapshot
// over. Libraries are part of the data set, though of no database: FLUSHALL
// keeps them.
//
// Idea: what can be called is a functionSet. A command that may fail half-way
// prepares the new set, or what is to come into it, and only then puts it in
// place: a library that cannot be loaded leaves its predecessor alone.
//
// Price: a snapshot has the libraries, not what their functions have left in
// variables outside of them. In the same engine that stays as it is when a
// snapshot is put back; where libraries are loaded anew it begins anew.

// library is a library of functions with its code.
type library struct {
	name      string
	source    []byte
	functions []*lua.Function
}

// functionSet is the libraries that there are. The zero functionSet is empty.
//
// Invariant: functions has those of all libraries, by their names in lower case:
// Redis looks functions up in any case. Of two in one library whose names differ
// in case only, the first counts.
type functionSet struct {
	libraries map[string]*library
	functions map[string]libraryFunction
}

// libraryFunction is a function with the library it belongs to.
type libraryFunction struct {
	*lua.Function
	library *library
}

func (s *functionSet) clone() functionSet {
	return functionSet{maps.Clone(s.libraries), maps.Clone(s.functions)}
}

// sorted lists the libraries by name.
func (s *functionSet) sorted() []*library {
	list := make([]*library, 0, len(s.libraries))
	for _, name := range slices.Sorted(maps.Keys(s.libraries)) {
		list = append(list, s.libraries[name])
	}
	return list
}

// find is the function of a name, given in any case, or nil.
func (s *functionSet) find(name []byte) *lua.Function {
	var buf [64]byte
	if len(name) > len(buf) {
		return s.functions[lower(string(name))].Function
	}
	for i, c := range name {
		if 'A' <= c && c <= 'Z' {
			c += 'a' - 'A'
		}
		buf[i] = c
	}
	return s.functions[string(buf[:len(name)])].Function
}

// lower is strings.ToLower of ASCII letters only.
func lower(s string) string {
	return strings.Map(func(r rune) rune {
		if 'A' <= r && r <= 'Z' {
			r += 'a' - 'A'
		}
		return r
	}, s)
}

// add puts a library in the place of old, which may be nil, unless a function of
// its is another library's.
func (s *functionSet) add(lib, old *library) error {
	for _, f := range lib.functions {
		if other := s.functions[lower(f.Name)].library; other != nil && other != old {
			return errorf("ERR Function %s already exists", f.Name)
		}
	}
	if s.libraries == nil {
		s.libraries, s.functions = map[string]*library{}, map[string]libraryFunction{}
	}
	if old != nil {
		s.remove(old)
	}
	s.libraries[lib.name] = lib
	for _, f := range lib.functions {
		if name := lower(f.Name); s.functions[name].Function == nil {
			s.functions[name] = libraryFunction{f, lib}
		}
	}
	return nil
}

func (s *functionSet) remove(lib *library) {
	delete(s.libraries, lib.name)
	for _, f := range lib.functions {
		if name := lower(f.Name); s.functions[name].library == lib {
			delete(s.functions, name)
		}
	}
}

// count is the number of functions, those included that cannot be called.
func (s *functionSet) count() (n int64) {
	for _, lib := range s.libraries {
		n += int64(len(lib.functions))
	}
	return n
}

// memory is what the code and the names take, in bytes.
func (s *functionSet) memory() (n int64) {
	for _, lib := range s.libraries {
		n += int64(len(lib.name) + len(lib.source))
		for _, f := range lib.functions {
			n += int64(len(f.Name) + len(f.Description))
		}
	}
	return n
}

// loadLibrary loads a library into a set; replace: in the place of one of the
// same name.
func (e *Engine) loadLibrary(s *functionSet, source []byte, replace bool) (*library, error) {
	head, code, err := lua.ParseLibrary(source)
	if err != nil {
		return nil, wireError(err.Error())
	}
	if err := lua.CheckFunctionName(head.Name); err != nil {
		return nil, wireError(err.Error())
	}
	old := s.libraries[head.Name]
	switch {
	case !strings.EqualFold(head.Engine, luaEngine):
		return nil, errorf("ERR Engine '%s' not found", head.Engine)
	case old != nil && !replace:
		return nil, errorf("ERR Library '%s' already exists", head.Name)
	}
	loaded, err := e.scripts.lua().Load(code, &loadRun{e: e, since: e.env.Elapsed()})
	if err != nil {
		return nil, wireError(err.Error())
	}
	lib := &library{name: head.Name, source: bytes.Clone(source), functions: loaded.Functions}
	return lib, s.add(lib, old)
}

// luaEngine is the name of the only language that functions are written in.
const luaEngine = "LUA"

// join puts all libraries of another set into s, or none; replace: in the place
// of those of the same names.
func (s *functionSet) join(from functionSet, replace bool) error {
	joined := s.clone()
	for _, lib := range from.sorted() {
		old := joined.libraries[lib.name]
		if old != nil && !replace {
			return errorf("ERR Library %s already exists", lib.name)
		}
		if old != nil {
			joined.remove(old)
		}
	}
	for _, lib := range from.sorted() {
		if err := joined.add(lib, nil); err != nil {
			return err
		}
	}
	*s = joined
	return nil
}

// Libraries is the code of each library, by name. The slices are valid as long
// as anybody keeps them, and must not be changed.
func (e *Engine) Libraries() [][]byte { return e.scripts.functions.codes() }

// Libraries is Engine.Libraries of the moment when the snapshot was taken.
func (s *Snapshot) Libraries() [][]byte { return s.functions.codes() }

func (s *functionSet) codes() [][]byte {
	var codes [][]byte
	for _, lib := range s.sorted() {
		codes = append(codes, lib.source)
	}
	return codes
}

// LoadLibrary adds a library, given by its code, as FUNCTION LOAD does: for RDB
// files. The error is the text of an error reply.
func (e *Engine) LoadLibrary(code []byte) error {
	_, err := e.loadLibrary(&e.scripts.functions, code, false)
	return err
}

// FlushLibraries deletes all libraries, as FUNCTION FLUSH does: before an RDB
// file is loaded that replaces the data set.
func (e *Engine) FlushLibraries() { e.scripts.functions = functionSet{} }

// restoreFunctions makes the libraries of a snapshot those of this engine.
// Functions belong to the machine that loaded them, so a fork loads them anew.
func (s *scriptState) restoreFunctions(e *Engine, set functionSet, fork bool) {
	s.functions = functionSet{}
	if !fork {
		s.functions = set.clone()
		return
	}
	for _, lib := range set.sorted() {
		if _, err := e.loadLibrary(&s.functions, lib.source, false); err != nil {
			e.log(LogWarning, "A function library could not be loaded again: "+err.Error())
		}
	}
}

// loadTimeout is how long the code of a library may run while it is loaded, in
// microseconds.
//
// DIFFERS: FUNCTION RESTORE gives up after 500 ms as FUNCTION LOAD does; Redis 7.0.15 would hang on code that runs forever.
const loadTimeout = 500_000

// loadRun is the Host of a library's code while it is loaded, which runs no
// commands.
type loadRun struct {
	e     *Engine
	since int64
}

// Call refuses all commands.
func (r *loadRun) Call(_ [][]byte, reply *resp.Writer) { reply.Error(errScriptOnly.Error()) }

// Log writes redis.log's line.
func (r *loadRun) Log(level int, message string) { r.e.log(LogLevel(level), message) }

// SetReplication has nothing to choose.
func (r *loadRun) SetReplication(int) {}

// CheckACL knows no commands.
func (r *loadRun) CheckACL([][]byte) (allowed, known bool) { return false, false }

// Busy stops code that has run for too long. Nobody is served meanwhile.
func (r *loadRun) Busy() string {
	switch elapsed := r.e.env.Elapsed(); {
	case elapsed == Ending:
		return serverEnds
	case elapsed-r.since >= loadTimeout:
		return "FUNCTION LOAD timeout"
	}
	return ""
}
