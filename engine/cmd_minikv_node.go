package engine

// MINIKV.NODE. Nodes of a cluster are stopped and started by whoever drives the
// engines: the command is a request.

func nodeRows() []*Command {
	sub := func(name string, arity int, syntax, summary string, kind RequestKind) *Command {
		return &Command{Name: name, Arity: arity, Flags: testFlags, Since: ownSince, Syntax: syntax, Summary: summary,
			Complexity: "O(N), N the nodes", Handler: nodeRequest(kind)}
	}
	return []*Command{
		{Name: "MINIKV.NODE", Arity: -2, Group: Minikv, Since: ownSince, Complexity: "Depends on subcommand.",
			Summary: "Stops and starts nodes of the cluster.", Sub: []*Command{
				sub("LIST", 2, "", "Lists the nodes: number, address, id, and whether it is up or down.", RequestNodeList),
				sub("START", 3, "node:string", "Puts a node back on the network, with the data that it had.", RequestNodeStart),
				sub("STOP", 3, "node:string", "Takes a node, by number, address or id, off the network: its connections end, others call it failed.", RequestNodeStop),
			}},
	}
}

func nodeRequest(kind RequestKind) func(*Ctx) error {
	return inCluster(func(c *Ctx, cs *clusterState) error {
		if len(cs.nodes) == 1 {
			return errNoPeers
		}
		r := Request{Kind: kind}
		if len(c.argv) > 2 {
			r.Node = string(c.argv[2])
		}
		return c.ask(r)
	})
}
