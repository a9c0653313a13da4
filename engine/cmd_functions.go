package engine

import (
	"errors"

	"minikv/lua"
	"minikv/rdb"
	"minikv/value"
)

func functionCommands() []*Command {
	const run = NoScript | Stale | SkipMonitor | NoMandatoryKeys | MovableKeys | Runner
	const worst = "We cannot tell how the keys will be used so we assume the worst, RW and UPDATE"
	const worstRO = "We cannot tell how the keys will be used so we assume the worst, RO and ACCESS"
	const cost = "Depends on the function that is executed."
	changes := []string{"request_policy:all_shards", "response_policy:all_succeeded"}
	return []*Command{
		{Name: "FCALL", Arity: -3, Flags: run | MayReplicate, Keys: noted(worst, keynum(2, RW|Access|Update)), Group: Scripting, Since: "7.0.0",
			Syntax: "function numkeys [key [key ...]] [arg [arg ...]]", Complexity: cost,
			Summary: "Calls a function as one step.", Handler: cmdFcall, FlagsOf: functionFlags},
		{Name: "FCALL_RO", Arity: -3, Flags: run | ReadOnly, Keys: noted(worstRO, keynum(2, RO|Access)), Group: Scripting, Since: "7.0.0",
			Syntax: "function numkeys [key [key ...]] [arg [arg ...]]", Complexity: cost,
			Summary: "Calls a function that does not write.", Handler: cmdFcallRO, FlagsOf: functionFlags},
		{Name: "FUNCTION", Arity: -2, ACL: noGroupCategory, Group: Scripting, Since: "7.0.0", Complexity: "Depends on subcommand.",
			Summary: "Manages function libraries.", Sub: []*Command{
				{Name: "DELETE", Arity: 3, Flags: Write | NoScript, Since: "7.0.0", Syntax: "library-name", Complexity: "O(N), N the functions of the library",
					Tips: changes, Summary: "Deletes a library with its functions.", Handler: cmdFunctionDelete},
				{Name: "DUMP", Arity: 2, Flags: NoScript, Since: "7.0.0", Complexity: "O(N), N the length of all code",
					Summary: "Serialises all libraries, for FUNCTION RESTORE.", Handler: cmdFunctionDump},
				{Name: "FLUSH", Arity: -2, Flags: Write | NoScript, Since: "7.0.0", Syntax: "[ASYNC | SYNC]", Complexity: "O(N), N the libraries",
					Tips: changes, Summary: "Deletes all libraries.", Handler: cmdFunctionFlush},
				{Name: "KILL", Arity: 2, Flags: NoScript | AllowBusy, Since: "7.0.0", Complexity: "O(1)",
					Tips:    []string{"request_policy:all_shards", "response_policy:one_succeeded"},
					Summary: "Ends the running function, if it has not written yet.", Handler: cmdFunctionKill},
				{Name: "LIST", Arity: -2, Flags: NoScript, Since: "7.0.0", Syntax: "[LIBRARYNAME library-name-pattern] [WITHCODE]", Complexity: "O(N), N the functions",
					Tips: []string{"nondeterministic_output_order"}, Summary: "Lists libraries and their functions.", Handler: cmdFunctionList},
				{Name: "LOAD", Arity: -3, Flags: Write | DenyOOM | NoScript, Since: "7.0.0", Syntax: "[REPLACE] function-code", Complexity: "O(N), N the length of the code",
					Tips: changes, Summary: "Loads a library and answers its name.", Handler: cmdFunctionLoad},
				{Name: "RESTORE", Arity: -3, Flags: Write | DenyOOM | NoScript, Since: "7.0.0", Syntax: "serialized-value [FLUSH | APPEND | REPLACE]", Complexity: "O(N), N the length of all code",
					Tips: changes, Summary: "Loads the libraries that FUNCTION DUMP has serialised.", Handler: cmdFunctionRestore},
				{Name: "STATS", Arity: 2, Flags: NoScript | AllowBusy, Since: "7.0.0", Complexity: "O(1)",
					Tips:    []string{"nondeterministic_output", "request_policy:all_shards", "response_policy:special"},
					Summary: "Tells of the running function, and how many there are.", Handler: cmdFunctionStats},
			}},
	}
}

func cmdFcall(c *Ctx) error   { return c.callFunction(false) }
func cmdFcallRO(c *Ctx) error { return c.callFunction(true) }

// functionFlags are the flags of FCALL as the function declares them.
func functionFlags(c *Ctx) Flag {
	f := c.e.scripts.functions.find(c.argv[1])
	if f == nil {
		return c.cmd.Flags
	}
	return declaredFlags(c.cmd.Flags, f.Flags)
}

func (c *Ctx) callFunction(readOnly bool) error {
	f := c.e.scripts.functions.find(c.argv[1])
	if f == nil {
		return errNoFunction
	}
	keys, args, err := c.scriptArgs()
	switch {
	case err == errNotInteger:
		return errFunctionKeys
	case err != nil:
		return err
	}
	denyOOM, err := c.allowScript(f.Flags, readOnly)
	if err != nil {
		return err
	}
	s := &c.e.scripts
	r := s.begin(c, f.Name, denyOOM)
	r.function = true
	mark := c.out.Mark()
	s.end(c, mark, s.lua().Call(f, r, keys, args, c.out))
	return nil
}

func cmdFunctionLoad(c *Ctx) error {
	replace, last := false, len(c.argv)-1
	for _, word := range c.argv[2:last] {
		if lower(string(word)) != "replace" {
			return errorf("ERR Unknown option given: %s", word)
		}
		replace = true
	}
	lib, err := c.e.loadLibrary(&c.e.scripts.functions, c.argv[last], replace)
	if err != nil {
		return err
	}
	c.e.stats.dirty++
	c.out.BulkString(lib.name)
	return nil
}

func cmdFunctionDelete(c *Ctx) error {
	s := &c.e.scripts.functions
	lib := s.libraries[string(c.argv[2])]
	if lib == nil {
		return errNoLibrary
	}
	s.remove(lib)
	c.e.stats.dirty++
	return c.ok()
}

func cmdFunctionFlush(c *Ctx) error {
	if len(c.argv) > 3 {
		return errUnknownSubArity(c)
	}
	a := c.Scan()
	if a.More() && !a.Word("SYNC") && !a.Word("ASYNC") {
		return errFunctionFlush
	}
	c.e.scripts.functions = functionSet{}
	c.e.stats.dirty++
	return c.ok()
}

// cmdFunctionList has the libraries and their functions in the order of names
// and of registration; Redis has them in the order of its hash tables.
func cmdFunctionList(c *Ctx) error {
	pattern, withCode := []byte(nil), false
	a := c.Scan()
	for a.More() {
		switch {
		case !withCode && a.Word("WITHCODE"):
			withCode = true
		case pattern == nil && a.Word("LIBRARYNAME"):
			if !a.More() {
				return errLibraryName
			}
			pattern = a.Next()
		default:
			return errorf("ERR Unknown argument %s", a.Next())
		}
	}
	var shown []*library
	for _, lib := range c.e.scripts.functions.sorted() {
		if pattern == nil || value.GlobFold(pattern, []byte(lib.name)) {
			shown = append(shown, lib)
		}
	}
	c.out.Array(len(shown))
	for _, lib := range shown {
		c.showLibrary(lib, withCode)
	}
	return nil
}

func (c *Ctx) showLibrary(lib *library, withCode bool) {
	if withCode {
		c.out.Map(4)
	} else {
		c.out.Map(3)
	}
	c.out.BulkString("library_name")
	c.out.BulkString(lib.name)
	c.out.BulkString("engine")
	c.out.BulkString(luaEngine)
	c.out.BulkString("functions")
	c.out.Array(len(lib.functions))
	for _, f := range lib.functions {
		c.showFunction(f)
	}
	if withCode {
		c.out.BulkString("library_code")
		c.out.Bulk(lib.source)
	}
}

func (c *Ctx) showFunction(f *lua.Function) {
	c.out.Map(3)
	c.out.BulkString("name")
	c.out.BulkString(f.Name)
	c.out.BulkString("description")
	if f.Described {
		c.out.BulkString(f.Description)
	} else {
		c.out.Null()
	}
	c.out.BulkString("flags")
	flags := f.Flags.Names()
	c.out.Set(len(flags))
	for _, flag := range flags {
		c.out.Status(flag)
	}
}

func cmdFunctionStats(c *Ctx) error {
	s := &c.e.scripts
	r := s.running
	if r != nil && !r.function {
		return errBusy
	}
	c.out.Map(2)
	c.out.BulkString("running_script")
	if r == nil {
		c.out.Null()
	} else {
		c.out.Map(3)
		c.out.BulkString("name")
		c.out.BulkString(r.name)
		c.out.BulkString("command")
		c.out.Array(len(r.c.argv))
		for _, arg := range r.c.argv {
			c.out.Bulk(arg)
		}
		c.out.BulkString("duration_ms")
		c.out.Int(r.ran / 1000)
	}
	c.out.BulkString("engines")
	c.out.Map(1)
	c.out.BulkString(luaEngine)
	c.out.Map(2)
	c.out.BulkString("libraries_count")
	c.out.Int(int64(len(s.functions.libraries)))
	c.out.BulkString("functions_count")
	c.out.Int(s.functions.count())
	return nil
}

func cmdFunctionKill(c *Ctx) error { return c.killScript(true) }

func cmdFunctionDump(c *Ctx) error {
	c.e.serials.Compress = c.e.conf.RDBCompression
	c.out.Bulk(c.e.serials.AppendFunctions(nil, c.e.Libraries()))
	return nil
}

func cmdFunctionRestore(c *Ctx) error {
	if len(c.argv) > 4 {
		return errUnknownSubArity(c)
	}
	a := c.Scan()
	payload := a.Next()
	flush, replace := false, false
	switch {
	case !a.More(), a.Word("APPEND"):
	case a.Word("FLUSH"):
		flush = true
	case a.Word("REPLACE"):
		replace = true
	default:
		return errRestorePolicy
	}
	var restored functionSet
	err := rdb.ReadFunctions(payload, c.e.serialOptions(), func(code []byte) error {
		_, err := c.e.loadLibrary(&restored, code, false)
		return err
	})
	switch {
	case errors.Is(err, rdb.ErrChecksum):
		return errRestoreChecksum
	case errors.Is(err, rdb.ErrNoFunction):
		return errRestoreFunction
	case errors.Is(err, rdb.ErrNoFunctionCode):
		return errRestoreCode
	case err != nil:
		return err
	}
	if flush {
		c.e.scripts.functions = restored
	} else if err := c.e.scripts.functions.join(restored, replace); err != nil {
		return err
	}
	c.e.stats.dirty++
	return c.ok()
}
