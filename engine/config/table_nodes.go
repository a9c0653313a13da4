package config

const (
	noReplication = "minikv does not replicate"
	noCluster     = "the nodes of a cluster are of one process, and know each other from the start"
)

var replicationRows = []Directive{
	{Name: "replicaof", Alias: "slaveof", Traits: Immutable, NoEffect: noReplication, value: kept(master)},
	{Name: "masterauth", Traits: Sensitive, NoEffect: noReplication, value: kept(text)},
	{Name: "masteruser", NoEffect: noReplication, value: kept(text)},
	{Name: "min-replicas-max-lag", Alias: "min-slaves-max-lag", Default: "10", NoEffect: noReplication, value: kept(number[int](0, maxInt))},
	{Name: "min-replicas-to-write", Alias: "min-slaves-to-write", Default: "0", NoEffect: noReplication, value: kept(number[int](0, maxInt))},
	{Name: "repl-backlog-size", Default: "1048576", NoEffect: noReplication, value: kept(clamped(memory(1, maxInt64), 16<<10, maxInt64))},
	{Name: "repl-backlog-ttl", Default: "3600", NoEffect: noReplication, value: kept(number[int64](0, maxInt64))},
	{Name: "repl-disable-tcp-nodelay", Default: "no", NoEffect: noReplication, value: kept(yesNo)},
	{Name: "repl-diskless-load", Default: "disabled", NoEffect: noReplication, value: kept(choice[uint8]("disabled", "on-empty-db", "swapdb"))},
	{Name: "repl-diskless-sync", Default: "yes", NoEffect: noReplication, value: kept(yesNo)},
	{Name: "repl-diskless-sync-delay", Default: "5", NoEffect: noReplication, value: kept(number[int](0, maxInt))},
	{Name: "repl-diskless-sync-max-replicas", Default: "0", NoEffect: noReplication, value: kept(number[int](0, maxInt))},
	{Name: "repl-ping-replica-period", Alias: "repl-ping-slave-period", Default: "10", NoEffect: noReplication, value: kept(number[int](1, maxInt))},
	{Name: "repl-timeout", Default: "60", NoEffect: noReplication, value: kept(number[int](1, maxInt))},
	{Name: "replica-announce-ip", Alias: "slave-announce-ip", NoEffect: noReplication, value: kept(text)},
	{Name: "replica-announce-port", Alias: "slave-announce-port", Default: "0", NoEffect: noReplication, value: kept(number[int](0, 65535))},
	{Name: "replica-announced", Default: "yes", NoEffect: noReplication, value: kept(yesNo)},
	{Name: "replica-ignore-disk-write-errors", Default: "no", NoEffect: noReplication, value: kept(yesNo)},
	{Name: "replica-ignore-maxmemory", Alias: "slave-ignore-maxmemory", Default: "yes", NoEffect: noReplication, value: kept(yesNo)},
	{Name: "replica-lazy-flush", Alias: "slave-lazy-flush", Default: "no", NoEffect: noReplication, value: kept(yesNo)},
	{Name: "replica-priority", Alias: "slave-priority", Default: "100", NoEffect: noReplication, value: kept(number[int](0, maxInt))},
	{Name: "replica-read-only", Alias: "slave-read-only", Default: "yes", NoEffect: noReplication, value: kept(yesNo)},
	{Name: "replica-serve-stale-data", Alias: "slave-serve-stale-data", Default: "yes", NoEffect: noReplication, value: kept(yesNo)},
}

var clusterRows = []Directive{
	{Name: "cluster-enabled", Default: "no", Traits: Immutable, value: field(yesNo, func(c *Config) *bool { return &c.ClusterEnabled })},
	{Name: "cluster-config-file", Default: "nodes.conf", Traits: Immutable, NoEffect: noCluster, value: kept(text)},
	{Name: "cluster-port", Default: "0", Traits: Immutable, NoEffect: noCluster, value: kept(number[int](0, 65535))},
	{Name: "cluster-node-timeout", Default: "15000", NoEffect: noCluster, value: kept(number[int64](0, maxInt64))},
	{Name: "cluster-announce-ip", value: field(text, func(c *Config) *string { return &c.ClusterAnnounceIP })},
	{Name: "cluster-announce-hostname", NoEffect: noCluster, value: kept(hostName)},
	{Name: "cluster-announce-port", Default: "0", NoEffect: noCluster, value: kept(number[int](0, 65535))},
	{Name: "cluster-announce-tls-port", Default: "0", NoEffect: noCluster, value: kept(number[int](0, 65535))},
	{Name: "cluster-announce-bus-port", Default: "0", NoEffect: noCluster, value: kept(number[int](0, 65535))},
	{Name: "cluster-preferred-endpoint-type", Default: "ip", NoEffect: noCluster, value: kept(choice[uint8]("ip", "hostname", "unknown-endpoint"))},
	{Name: "cluster-allow-pubsubshard-when-down", Default: "yes", value: field(yesNo, func(c *Config) *bool { return &c.ClusterAllowPubsubshardWhenDown })},
	{Name: "cluster-allow-reads-when-down", Default: "no", value: field(yesNo, func(c *Config) *bool { return &c.ClusterAllowReadsWhenDown })},
	{Name: "cluster-allow-replica-migration", Default: "yes", NoEffect: noCluster, value: kept(yesNo)},
	{Name: "cluster-link-sendbuf-limit", Default: "0", NoEffect: noCluster, value: kept(memory(0, maxInt64))},
	{Name: "cluster-migration-barrier", Default: "1", NoEffect: noCluster, value: kept(number[int](0, maxInt))},
	{Name: "cluster-replica-no-failover", Alias: "cluster-slave-no-failover", Default: "no", NoEffect: noCluster, value: kept(yesNo)},
	{Name: "cluster-replica-validity-factor", Alias: "cluster-slave-validity-factor", Default: "10", NoEffect: noCluster, value: kept(number[int](0, maxInt))},
	{Name: "cluster-require-full-coverage", Default: "yes", value: field(yesNo, func(c *Config) *bool { return &c.ClusterRequireFullCoverage })},
}
