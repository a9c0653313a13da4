package config

// testRows are directives for those who test with minikv. Redis has none of them.
var testRows = []Directive{
	{Name: "test-commands", Default: "local", Traits: Immutable | Hidden, Own: "who may use MINIKV.* commands: clients on this machine (local), all (yes) or nobody (no)",
		value: field(permission, func(c *Config) *Permission { return &c.TestCommands })},
	{Name: "seed", Default: "0", Traits: Immutable | Hidden, Own: "of all randomness: the same seed and the same commands in the same order give the same replies; 0 draws one",
		value: field(number[int64](0, maxInt64), func(c *Config) *int64 { return &c.Seed })},
	{Name: "ready-file", Traits: Immutable | Hidden, Own: "a file that is written once clients can connect: the addresses, one a line",
		value: field(text, func(c *Config) *string { return &c.ReadyFile })},
	{Name: "trace-file", Traits: Immutable | Hidden, Own: "a file that gets what clients send and are answered, for minikv replay",
		value: field(text, func(c *Config) *string { return &c.TraceFile })},
	{Name: "die-with-parent", Default: "no", Traits: Immutable | Hidden, Own: "end when the process that started minikv ends (Linux)",
		value: field(yesNo, func(c *Config) *bool { return &c.DieWithParent })},
}
