package engine

// Nobody replicates. What can be said of a master without replicas is said in
// Redis's words; what would need another server is refused.

func replicationCommands() []*Command {
	const flags = Admin | NoScript | Stale
	return []*Command{
		{Name: "FAILOVER", Arity: -1, Flags: flags, Group: Server, Since: "6.2.0", Syntax: "[TO host:string port [FORCE]] [ABORT] [TIMEOUT milliseconds]",
			Complexity: "O(1)", Summary: "Fails, since there are no replicas.", Handler: cmdFailover},
		{Name: "REPLICAOF", Arity: 3, Flags: flags | NoAsyncLoading, Group: Server, Since: "5.0.0", Syntax: "<host:string port | NO ONE>",
			Complexity: "O(1)", Summary: "Ends replication, which there is none of; refuses to begin it.", Handler: cmdReplicaof},
		{Name: "SLAVEOF", Arity: 3, Flags: flags | NoAsyncLoading, Group: Server, Since: "1.0.0", Syntax: "<host:string port | NO ONE>",
			Deprecated: "5.0.0", ReplacedBy: "`REPLICAOF`",
			Complexity: "O(1)", Summary: "Ends replication, which there is none of; refuses to begin it.", Handler: cmdReplicaof},
	}
}

// cmdReplicaof is REPLICAOF and SLAVEOF.
//
// DIFFERS: minikv does not replicate: REPLICAOF NO ONE, which changes nothing for a master, is all that REPLICAOF and SLAVEOF can do.
func cmdReplicaof(c *Ctx) error {
	if c.e.cluster != nil {
		return errReplicaofCluster
	}
	if isWord(c.argv[1], "NO") && isWord(c.argv[2], "ONE") {
		return c.ok()
	}
	a := c.Scan()
	a.Next()
	if port := a.Int(); a.Err() != nil || port < 0 || port > 65535 {
		return errMasterPort
	}
	return errNoReplication
}

func cmdFailover(c *Ctx) error {
	if c.e.cluster != nil {
		return errFailoverCluster
	}
	a := c.Scan()
	for a.More() {
		switch {
		case a.WordWith("TIMEOUT", 1):
			if ms := a.Int(); a.Err() == nil && ms <= 0 {
				return errFailoverTimeout
			}
		case len(c.argv) == 2 && a.Word("ABORT"):
			return errNoFailover
		case a.WordWith("TO", 2):
			a.Next()
			a.Int()
		case a.Word("FORCE"):
		default:
			return errSyntax
		}
		if err := a.Err(); err != nil {
			return err
		}
	}
	return errNoReplicas
}
