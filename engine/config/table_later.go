package config

// laterRows are directives that came after 7.0: they can be given unless an
// older version was asked for, and CONFIG GET lists them only if a newer one was.
var laterRows = []Directive{
	{Name: "set-max-listpack-entries", Default: "128", Since: "7.2", value: field(number[int64](0, maxInt64), func(c *Config) *int64 { return &c.SetMaxListpackEntries })},
	{Name: "set-max-listpack-value", Default: "64", Since: "7.2", value: field(memory(0, maxInt64), func(c *Config) *int64 { return &c.SetMaxListpackValue })},
	{Name: "locale-collate", Since: "7.2", NoEffect: "strings are compared as bytes", value: kept(text)},
}
