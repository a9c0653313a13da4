package lua

import (
	"bytes"
	"errors"
	"strings"

	"minikv/lua/lib"
)

// Functions.
//
// The code of a library runs once, when the library is loaded, and then has
// almost nothing at hand: it can register functions and log. What it registers
// is called later, with all that scripts have except KEYS and ARGV, which come
// as two arguments.
//
// A library lives on between calls: variables outside of its functions keep
// what those leave in them. So functions run apart from scripts, in a state
// whose strings and tables nobody uses again.

// A Library is a library of functions that has been loaded. It belongs to the
// machine that loaded it.
type Library struct {
	// Functions are in the order in which they were registered.
	Functions []*Function
}

// A Function is one function of a Library.
type Function struct {
	Name string
	// Description is that which was given with it; Described tells an empty one
	// from none.
	Description string
	Described   bool
	// Flags are what the function declares; Shebang is true.
	Flags Flags

	code any
}

// A LibraryHead is what the first line of a library says, as in
// "#!lua name=mylib".
type LibraryHead struct{ Engine, Name string }

// ParseLibrary reads the first line of a library's code and returns what follows
// it, from the line's end on, so that line numbers stay; that aliases source.
func ParseLibrary(source []byte) (head LibraryHead, body []byte, err error) {
	if !bytes.HasPrefix(source, []byte("#!")) {
		return head, nil, errors.New("ERR Missing library metadata")
	}
	words, body := shebang(source)
	if words == nil {
		return head, nil, errors.New("ERR Invalid library metadata")
	}
	head.Engine = words[0][len("#!"):]
	named := false
	for _, w := range words[1:] {
		value, ok := cutNamed(w, "name=")
		switch {
		case !ok:
			return head, nil, errors.New("ERR Invalid metadata value given: " + w)
		case named:
			return head, nil, errors.New("ERR Invalid metadata value, name argument was given multiple times")
		}
		head.Name, named = value, true
	}
	if !named {
		return head, nil, errors.New("ERR Library name was not given")
	}
	return head, body, nil
}

// cutNamed cuts a prefix off, in any case.
func cutNamed(s, prefix string) (rest string, ok bool) {
	if len(s) < len(prefix) || !strings.EqualFold(s[:len(prefix)], prefix) {
		return "", false
	}
	return s[len(prefix):], true
}

// CheckFunctionName checks the name of a library or a function.
func CheckFunctionName(name string) error {
	for i := range len(name) {
		switch c := name[i]; {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9', c == '_':
		default:
			return errBadName
		}
	}
	if name == "" {
		return errBadName
	}
	return nil
}

var errBadName = errors.New("ERR Library names can only contain letters, numbers, or underscores(_) and must be at least one character long")

// registry collects the functions of the library that is being loaded.
type registry struct {
	open      bool
	functions []*Function
	names     map[string]bool
}

// begin begins a library.
func (r *registry) begin() { *r = registry{open: true, names: map[string]bool{}} }

// end ends it and returns what was registered.
func (r *registry) end() (*Library, error) {
	l := &Library{Functions: r.functions}
	*r = registry{}
	if len(l.Functions) == 0 {
		return nil, errors.New("ERR No functions registered")
	}
	return l, nil
}

// register is redis.register_function.
func (r *registry) register(c *lib.Call) {
	f := &Function{Flags: Flags{Shebang: true}}
	switch {
	case !r.open:
		raise(c, "redis.register_function can only be called on FUNCTION LOAD command")
	case c.N() == 1:
		f.readNamed(c)
	case c.N() == 2:
		name, ok := c.Arg(1).Text()
		if !ok {
			raise(c, "first argument to redis.register_function must be a string")
		}
		if c.Arg(2).Kind != lib.Closure {
			raise(c, "second argument to redis.register_function must be a function")
		}
		f.Name, f.code = name, c.Arg(2).Ref
	default:
		raise(c, "wrong number of arguments to redis.register_function")
	}
	if err := CheckFunctionName(f.Name); err != nil {
		raise(c, strings.TrimPrefix(err.Error(), "ERR "))
	}
	if r.names[f.Name] {
		raise(c, "Function already exists in the library")
	}
	r.names[f.Name] = true
	r.functions = append(r.functions, f)
}

// readNamed reads named arguments, from a table.
func (f *Function) readNamed(c *lib.Call) {
	if c.Arg(1).Kind != lib.Table {
		raise(c, "calling redis.register_function with a single argument is only applicable to Lua table (representing named arguments).")
	}
	named := false
	t := c.Arg(1).Map()
	for k, v, more := t.Next(lib.Value{}); more; k, v, more = t.Next(k) {
		key, ok := k.Text()
		if !ok {
			raise(c, "named argument key given to redis.register_function is not a string")
		}
		switch text, isText := v.Text(); strings.ToLower(key) {
		case "function_name":
			if f.Name, named = text, true; !isText {
				raise(c, "function_name argument given to redis.register_function must be a string")
			}
		case "description":
			if f.Description, f.Described = text, true; !isText {
				raise(c, "description argument given to redis.register_function must be a string")
			}
		case "callback":
			if f.code = v.Ref; v.Kind != lib.Closure {
				raise(c, "callback argument given to redis.register_function must be a function")
			}
		case "flags":
			f.readFlags(c, v)
		default:
			raise(c, "unknown argument given to redis.register_function")
		}
	}
	switch {
	case !named:
		raise(c, "redis.register_function must get a function name argument")
	case f.code == nil:
		raise(c, "redis.register_function must get a callback argument")
	}
}

// readFlags reads the names of flags, from a table.
func (f *Function) readFlags(c *lib.Call, v lib.Value) {
	if v.Kind != lib.Table {
		raise(c, "flags argument to redis.register_function must be a table representing function flags")
	}
	f.Flags = Flags{Shebang: true}
	for i := 1; ; i++ {
		c.Work(1)
		flag := v.Map().Index(i)
		if flag.Kind == lib.Nil {
			return
		}
		if name, ok := flag.Text(); !ok || !f.Flags.set(strings.ToLower(name)) {
			raise(c, "unknown flag given")
		}
	}
}

// Names lists what the flags declare, as FUNCTION LIST shows it.
func (f Flags) Names() (names []string) {
	for _, flag := range []struct {
		on   bool
		name string
	}{
		{f.NoWrites, "no-writes"}, {f.AllowOOM, "allow-oom"}, {f.AllowStale, "allow-stale"},
		{f.NoCluster, "no-cluster"}, {f.AllowCrossSlotKeys, "allow-cross-slot-keys"},
	} {
		if flag.on {
			names = append(names, flag.name)
		}
	}
	return names
}

// raise throws an error reply.
func raise(c *lib.Call, text string) {
	t := c.NewTable(0, 1)
	t.Map().Set(lib.Str("err"), lib.Str(withCode(text)))
	c.Throw(t)
}

// loadError words what went wrong while the code of a library ran.
func loadError(text string) error {
	return errors.New("ERR Error registering functions: " + line(text))
}
