package config

// testRows are directives for those who test with minikv. Redis has none of them.
var testRows = []Directive{
	{Name: "test-commands", Default: "local", Traits: Immutable | Hidden, Own: "who may use MINIKV.* commands: clients on this machine (local), all (yes) or nobody (no)",
		value: field(permission, func(c *Config) *Permission { return &c.TestCommands })},
	{Name: "strict", Default: "no", Traits: Hidden, Own: "rules against what works here and breaks elsewhere: undeclared-keys, cross-slot, large-keys, deprecated, each with :warning if it is only to be told of; yes, no",
		value: field(strictness, func(c *Config) *[StrictRules]Strictness { return &c.Strict })},
	{Name: "strict-large-key", Default: "1000", Traits: Hidden, Own: "how many elements a key may have for the O(N) commands that the rule large-keys judges",
		value: field(number[int64](0, maxInt64), func(c *Config) *int64 { return &c.StrictLargeKey })},
	{Name: "strict-ttl-keys", Traits: Hidden, Own: "a pattern of keys: MINIKV.WARNINGS tells of those that are written without a TTL",
		value: field(text, func(c *Config) *string { return &c.StrictTTLKeys })},
	{Name: "cluster", Default: "0", Traits: Immutable | Hidden, Own: "how many nodes of a Redis cluster to be, on port and those behind it, with all slots divided among them; 0: a single server",
		value: field(number[int](0, 1000), func(c *Config) *int { return &c.Cluster })},
	{Name: "seed", Default: "0", Traits: Immutable | Hidden, Own: "of all randomness: the same seed and the same commands in the same order give the same replies; 0 draws one",
		value: field(number[int64](0, maxInt64), func(c *Config) *int64 { return &c.Seed })},
	{Name: "ready-file", Traits: Immutable | Hidden, Own: "a file that is written once clients can connect: the addresses, one a line",
		value: field(text, func(c *Config) *string { return &c.ReadyFile })},
	{Name: "trace-file", Traits: Immutable | Hidden, Own: "a file that gets what clients send and are answered, for minikv replay",
		value: field(text, func(c *Config) *string { return &c.TraceFile })},
	{Name: "die-with-parent", Default: "no", Traits: Immutable | Hidden, Own: "end when the process that started minikv ends (Linux)",
		value: field(yesNo, func(c *Config) *bool { return &c.DieWithParent })},
}
