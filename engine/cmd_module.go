package engine

// There are no modules. MODULE says so in Redis's words: the list is empty, and
// what asks for one to be loaded, if enable-module-command lets it, finds none.

func moduleCommands() []*Command {
	const flags = Admin | NoScript
	return []*Command{
		{Name: "MODULE", Arity: -2, Group: Server, Since: "4.0.0", Complexity: "Depends on subcommand.",
			Summary: "Tells of modules.", Sub: []*Command{
				{Name: "LIST", Arity: 2, Flags: flags, Since: "4.0.0", Tips: []string{"nondeterministic_output_order"}, Complexity: "O(1)",
					Summary: "Lists the modules that are loaded: none.", Handler: cmdModuleList},
				{Name: "LOAD", Arity: -3, Flags: flags | NoAsyncLoading | Protected, Since: "4.0.0", Syntax: "path [arg [arg ...]]", Complexity: "O(1)",
					Summary: "Fails, since modules cannot be loaded.", Handler: cmdModuleLoad},
				{Name: "LOADEX", Arity: -3, Flags: flags | NoAsyncLoading | Protected, Since: "7.0.0",
					Syntax: "path [CONFIG name value [CONFIG name value ...]] [ARGS arg [arg ...]]", Complexity: "O(1)",
					Summary: "Fails, since modules cannot be loaded.", Handler: cmdModuleLoad},
				{Name: "UNLOAD", Arity: 3, Flags: flags | NoAsyncLoading | Protected, Since: "4.0.0", Syntax: "name", Complexity: "O(1)",
					Summary: "Fails, since no module is loaded.", Handler: cmdModuleUnload},
			}},
	}
}

func cmdModuleList(c *Ctx) error {
	c.out.Array(0)
	return nil
}

// cmdModuleLoad is MODULE LOAD and LOADEX: whatever stands at the path is no
// module that could be loaded.
func cmdModuleLoad(c *Ctx) error {
	c.e.log(LogWarning, "Module "+string(c.argv[2])+" failed to load: minikv loads no modules")
	return errModuleLoad
}

func cmdModuleUnload(*Ctx) error { return errNoModule }
