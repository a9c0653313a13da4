package config

var accessRows = []Directive{
	{Name: "lua-machine", Default: "own", Traits: Immutable | Hidden, Own: "what runs scripts: minikv's own machine, or gopher-lua",
		value: field(choice[LuaMachine](luaMachines[:]...), func(c *Config) *LuaMachine { return &c.LuaMachine })},
	{Name: "lua-memory-limit", Default: "0", Traits: Hidden, Own: "about how many bytes of memory a running script may have; past them it fails; 0 means no limit",
		value: field(memory(0, maxInt64), func(c *Config) *int64 { return &c.LuaMemoryLimit })},
	{Name: "redis-version", Traits: Immutable | Hidden, Own: "the version to be: its commands, options and error texts; empty means 7.0.15 with all that came later",
		value: field(redisVersion, func(c *Config) *string { return &c.RedisVersion })},
	{Name: "databases", Default: "16", Traits: Immutable, value: field(number[int](1, maxInt), func(c *Config) *int { return &c.Databases })},
	{Name: "requirepass", Traits: Sensitive, value: field(text, func(c *Config) *string { return &c.RequirePass })},
	{Name: "aclfile", Traits: Immutable, value: field(text, func(c *Config) *string { return &c.ACLFile })},
	{Name: "acllog-max-len", Default: "128", value: field(number[int64](0, maxInt64), func(c *Config) *int64 { return &c.ACLLogMaxLen })},
	{Name: "acl-pubsub-default", Default: "resetchannels", value: field(choice[ACLPubSub](aclPubSubs[:]...), func(c *Config) *ACLPubSub { return &c.ACLPubSubDefault })},
	{Name: "enable-debug-command", Default: "no", Traits: Immutable, value: field(permission, func(c *Config) *Permission { return &c.EnableDebugCommand })},
	{Name: "enable-protected-configs", Default: "no", Traits: Immutable, value: field(permission, func(c *Config) *Permission { return &c.EnableProtectedConfigs })},
	{Name: "enable-module-command", Default: "no", Traits: Immutable, value: field(permission, func(c *Config) *Permission { return &c.EnableModuleCommand })},
}

var permission = choice[Permission](permissions[:]...)

var memoryRows = []Directive{
	{Name: "maxmemory", Default: "0", value: field(memory(0, maxInt64), func(c *Config) *int64 { return &c.MaxMemory })},
	{Name: "maxmemory-policy", Default: "noeviction", value: field(choice[Policy](policies[:]...), func(c *Config) *Policy { return &c.MaxMemoryPolicy })},
	{Name: "maxmemory-samples", Default: "5", value: field(number[int](1, maxInt), func(c *Config) *int { return &c.MaxMemorySamples })},
	{Name: "maxmemory-eviction-tenacity", Default: "10", value: field(number[int](0, 100), func(c *Config) *int { return &c.MaxMemoryEvictionTenacity })},
	{Name: "lfu-log-factor", Default: "10", value: field(number[int](0, maxInt), func(c *Config) *int { return &c.LFULogFactor })},
	{Name: "lfu-decay-time", Default: "1", value: field(number[int](0, maxInt), func(c *Config) *int { return &c.LFUDecayTime })},
	{Name: "active-expire-effort", Default: "1", value: field(number[int](1, 10), func(c *Config) *int { return &c.ActiveExpireEffort })},
	{Name: "hz", Default: "10", value: field(clamped(number[int](0, maxInt), 1, 500), func(c *Config) *int { return &c.Hz })},
	{Name: "dynamic-hz", Default: "yes", NoEffect: "work in the background follows what is due", value: kept(yesNo)},
	{Name: "activerehashing", Default: "yes", NoEffect: "the tables grow by themselves", value: kept(yesNo)},
	{Name: "activedefrag", Default: "no", NoEffect: goMemory, value: kept(never("Active defragmentation cannot be enabled: it requires a Redis server compiled with a modified Jemalloc like the one shipped by default with the Redis source distribution"))},
	{Name: "active-defrag-cycle-max", Default: "25", NoEffect: goMemory, value: kept(number[int](1, 99))},
	{Name: "active-defrag-cycle-min", Default: "1", NoEffect: goMemory, value: kept(number[int](1, 99))},
	{Name: "active-defrag-ignore-bytes", Default: "104857600", NoEffect: goMemory, value: kept(memory(1, maxInt64))},
	{Name: "active-defrag-max-scan-fields", Default: "1000", NoEffect: goMemory, value: kept(number[int64](1, maxInt64))},
	{Name: "active-defrag-threshold-lower", Default: "10", NoEffect: goMemory, value: kept(number[int](0, 1000))},
	{Name: "active-defrag-threshold-upper", Default: "100", NoEffect: goMemory, value: kept(number[int](0, 1000))},
	{Name: "jemalloc-bg-thread", Default: "yes", NoEffect: goMemory, value: kept(yesNo)},
	{Name: "lazyfree-lazy-eviction", Default: "no", NoEffect: goMemory, value: kept(yesNo)},
	{Name: "lazyfree-lazy-expire", Default: "no", NoEffect: goMemory, value: kept(yesNo)},
	{Name: "lazyfree-lazy-server-del", Default: "no", NoEffect: goMemory, value: kept(yesNo)},
	{Name: "lazyfree-lazy-user-del", Default: "no", NoEffect: goMemory, value: kept(yesNo)},
	{Name: "lazyfree-lazy-user-flush", Default: "no", NoEffect: goMemory, value: kept(yesNo)},
}

const goMemory = "Go's garbage collector frees memory in the background anyway"

var encodingRows = []Directive{
	{Name: "hash-max-listpack-entries", Alias: "hash-max-ziplist-entries", Default: "512", value: field(number[int64](0, maxInt64), func(c *Config) *int64 { return &c.HashMaxListpackEntries })},
	{Name: "hash-max-listpack-value", Alias: "hash-max-ziplist-value", Default: "64", value: field(memory(0, maxInt64), func(c *Config) *int64 { return &c.HashMaxListpackValue })},
	{Name: "list-max-listpack-size", Alias: "list-max-ziplist-size", Default: "-2", value: field(number[int](minInt, maxInt), func(c *Config) *int { return &c.ListMaxListpackSize })},
	{Name: "list-compress-depth", Default: "0", value: field(number[int](0, maxInt), func(c *Config) *int { return &c.ListCompressDepth })},
	{Name: "set-max-intset-entries", Default: "512", value: field(number[int64](0, maxInt64), func(c *Config) *int64 { return &c.SetMaxIntsetEntries })},
	{Name: "zset-max-listpack-entries", Alias: "zset-max-ziplist-entries", Default: "128", value: field(number[int64](0, maxInt64), func(c *Config) *int64 { return &c.ZSetMaxListpackEntries })},
	{Name: "zset-max-listpack-value", Alias: "zset-max-ziplist-value", Default: "64", value: field(memory(0, maxInt64), func(c *Config) *int64 { return &c.ZSetMaxListpackValue })},
	{Name: "stream-node-max-bytes", Default: "4096", value: field(memory(0, maxInt64), func(c *Config) *int64 { return &c.StreamNodeMaxBytes })},
	{Name: "stream-node-max-entries", Default: "100", value: field(number[int64](0, maxInt64), func(c *Config) *int64 { return &c.StreamNodeMaxEntries })},
	{Name: "stream-idmp-duration", Default: "100", Since: "8.6", value: field(number[int64](1, 86_400), func(c *Config) *int64 { return &c.StreamIdmpDuration })},
	{Name: "stream-idmp-maxsize", Default: "100", Since: "8.6", value: field(number[int64](1, 10_000), func(c *Config) *int64 { return &c.StreamIdmpMaxSize })},
	{Name: "hll-sparse-max-bytes", Default: "3000", value: field(memory(0, maxInt64), func(c *Config) *int64 { return &c.HLLSparseMaxBytes })},
}

var watchRows = []Directive{
	{Name: "notify-keyspace-events", value: notifyFlags},
	{Name: "tracking-table-max-keys", Default: "1000000", value: field(number[int64](0, maxInt64), func(c *Config) *int64 { return &c.TrackingTableMaxKeys })},
	{Name: "busy-reply-threshold", Alias: "lua-time-limit", Default: "5000", value: field(number[int64](0, maxInt64), func(c *Config) *int64 { return &c.BusyReplyThreshold })},
	{Name: "slowlog-log-slower-than", Default: "10000", value: field(number[int64](-1, maxInt64), func(c *Config) *int64 { return &c.SlowlogLogSlowerThan })},
	{Name: "slowlog-max-len", Default: "128", value: field(number[int64](0, maxInt64), func(c *Config) *int64 { return &c.SlowlogMaxLen })},
	{Name: "latency-monitor-threshold", Default: "0", value: field(number[int64](0, maxInt64), func(c *Config) *int64 { return &c.LatencyMonitorThreshold })},
	{Name: "latency-tracking", Default: "yes", value: field(yesNo, func(c *Config) *bool { return &c.LatencyTracking })},
	{Name: "latency-tracking-info-percentiles", Default: "50 99 99.9", value: field(percentiles, func(c *Config) *[]float64 { return &c.LatencyTrackingInfoPercentiles })},
	{Name: "loglevel", Default: "notice", value: field(logLevel, func(c *Config) *LogLevel { return &c.LogLevel })},
	{Name: "logfile", Traits: Immutable, value: field(text, func(c *Config) *string { return &c.LogFile })},
}
