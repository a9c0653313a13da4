package engine

import (
	"slices"

	"minikv/engine/config"
)

func configCommands() []*Command {
	const flags = Admin | NoScript | Loading | Stale
	return []*Command{
		{Name: "CONFIG", Arity: -2, Group: Server, Since: "2.0.0", Complexity: "Depends on subcommand.",
			Summary: "Asks about and changes the configuration.", Sub: []*Command{
				{Name: "GET", Arity: -3, Flags: flags, Since: "2.0.0", Syntax: "parameter [parameter ...]",
					Complexity: "O(N), N the directives", Summary: "Answers the directives that match patterns.", Handler: cmdConfigGet},
				{Name: "RESETSTAT", Arity: 2, Flags: flags, Since: "2.0.0",
					Complexity: "O(1)", Summary: "Sets the statistics of INFO back to zero.", Handler: cmdConfigResetStat},
				{Name: "REWRITE", Arity: 2, Flags: flags, Since: "2.8.0",
					Complexity: "O(1)", Summary: "Writes the configuration in use to its file.", Handler: cmdConfigRewrite},
				{Name: "SET", Arity: -4, Flags: flags, Since: "2.0.0", Syntax: "parameter value [parameter value ...]",
					Tips:       []string{"request_policy:all_nodes", "response_policy:all_succeeded"},
					Complexity: "O(N), N the directives given", Summary: "Changes directives, all or none.", Handler: cmdConfigSet},
			}},
	}
}

func cmdConfigGet(c *Ctx) error {
	patterns := make([]string, 0, len(c.argv)-2)
	for _, p := range c.argv[2:] {
		patterns = append(patterns, string(p))
	}
	pairs := c.e.conf.Get(patterns...)
	c.out.Map(len(pairs))
	for _, p := range pairs {
		c.out.BulkString(p.Name)
		c.out.BulkString(p.Value)
	}
	return nil
}

func cmdConfigSet(c *Ctx) error {
	args := c.argv[2:]
	if len(args)%2 != 0 {
		return errSyntax
	}
	pairs := make([][2]string, 0, len(args)/2)
	for i := 0; i < len(args); i += 2 {
		pairs = append(pairs, [2]string{string(args[i]), string(args[i+1])})
		if d, known := config.Find(string(args[i])); known && d.Traits&config.Sensitive != 0 {
			c.secret(i + 3)
		}
	}
	if err := c.e.reconfigure(pairs, c.cl.conn.Local); err != nil {
		return err
	}
	return c.ok()
}

// reconfigure changes directives, all or none, and makes whatever was derived
// from them follow. Handlers read most directives where they need them.
func (e *Engine) reconfigure(pairs [][2]string, local bool) error {
	before := e.conf.Clone()
	changed, err := e.conf.Set(pairs, local)
	if err != nil {
		return err
	}
	if e.opt.Reconfigured != nil && len(changed) > 0 {
		if err := e.opt.Reconfigured(changed); err != nil {
			*e.conf = *before
			return err
		}
	}
	if slices.Contains(changed, "requirepass") {
		e.setDefaultPassword(e.conf.RequirePass)
	}
	e.setClosedGates()
	if slices.Contains(changed, "maxmemory") {
		e.lowered()
	}
	return nil
}

func cmdConfigResetStat(c *Ctx) error {
	c.e.stats.reset()
	return c.ok()
}

func cmdConfigRewrite(c *Ctx) error {
	if c.e.process().ConfigFile == "" {
		return errNoConfigFile
	}
	c.e.conf.Users = c.e.usersToRewrite()
	return c.ask(Request{Kind: RequestConfigRewrite})
}
