package config

var processRows = []Directive{
	{Name: "daemonize", Default: "no", Traits: Immutable, NoEffect: foreground, value: kept(yesNo)},
	{Name: "supervised", Default: "no", Traits: Immutable, NoEffect: foreground, value: kept(choice[uint8]("upstart", "systemd", "auto", "no"))},
	{Name: "pidfile", Traits: Immutable, NoEffect: "no pid file is written", value: kept(text)},
	{Name: "syslog-enabled", Default: "no", Traits: Immutable, NoEffect: noSyslog, value: kept(yesNo)},
	{Name: "syslog-ident", Default: "redis", Traits: Immutable, NoEffect: noSyslog, value: kept(text)},
	{Name: "syslog-facility", Default: "local0", Traits: Immutable, NoEffect: noSyslog,
		value: kept(choice[uint8]("user", "local0", "local1", "local2", "local3", "local4", "local5", "local6", "local7"))},
	{Name: "always-show-logo", Default: "no", Traits: Immutable, NoEffect: "there is no logo", value: kept(yesNo)},
	{Name: "set-proc-title", Default: "yes", Traits: Immutable, NoEffect: noTitle, value: kept(yesNo)},
	{Name: "proc-title-template", Default: "{title} {listen-addr} {server-mode}", NoEffect: noTitle, value: kept(titleTemplate)},
	{Name: "server_cpulist", Traits: Immutable, NoEffect: noPinning, value: kept(text)},
	{Name: "bio_cpulist", Traits: Immutable, NoEffect: noPinning, value: kept(text)},
	{Name: "aof_rewrite_cpulist", Traits: Immutable, NoEffect: noPinning, value: kept(text)},
	{Name: "bgsave_cpulist", Traits: Immutable, NoEffect: noPinning, value: kept(text)},
	{Name: "oom-score-adj", Default: "no", NoEffect: noTuning, value: kept(choice[uint8]("no", "yes", "relative", "absolute"))},
	{Name: "oom-score-adj-values", Default: "0 200 800", NoEffect: noTuning, value: kept(oomScores)},
	{Name: "disable-thp", Default: "yes", Traits: Immutable, NoEffect: noTuning, value: kept(yesNo)},
	{Name: "ignore-warnings", NoEffect: noTuning, value: kept(text)},
	{Name: "crash-log-enabled", Default: "yes", NoEffect: noCrashLog, value: kept(yesNo)},
	{Name: "crash-memcheck-enabled", Default: "yes", NoEffect: noCrashLog, value: kept(yesNo)},
	{Name: "use-exit-on-panic", Default: "no", Traits: Hidden, NoEffect: noCrashLog, value: kept(yesNo)},
	{Name: "watchdog-period", Default: "0", Traits: Hidden, NoEffect: noCrashLog, value: kept(number[int](0, maxInt))},
	{Name: "shutdown-timeout", Default: "10", NoEffect: noReplication, value: kept(number[int](0, maxInt))},
	{Name: "shutdown-on-sigint", Default: "default", value: field(shutdownOptions, func(c *Config) *ShutdownFlags { return &c.ShutdownOnSIGINT })},
	{Name: "shutdown-on-sigterm", Default: "default", value: field(shutdownOptions, func(c *Config) *ShutdownFlags { return &c.ShutdownOnSIGTERM })},
}

const (
	foreground = "minikv stays in the foreground"
	noSyslog   = "the log goes to a file or to standard error"
	noTitle    = "the process keeps its name"
	noPinning  = "Go's scheduler chooses the processors"
	noTuning   = "the operating system's settings are left alone"
	noCrashLog = "Go reports crashes in its own way"
)

var diskRows = []Directive{
	{Name: "dir", Default: ".", Traits: Protected, value: place(field(text, func(c *Config) *string { return &c.Dir }))},
	{Name: "dbfilename", Default: "dump.rdb", Traits: Protected, value: place(field(fileName("dbfilename"), func(c *Config) *string { return &c.DBFilename }))},
	// DIFFERS: minikv has no save points by default (save is "", not "3600 1 300 100 60 10000"): it writes no file unless it is told to, by save, SAVE, BGSAVE, SHUTDOWN SAVE or DEBUG RELOAD.
	{Name: "save", value: savePoints},
	{Name: "rdbcompression", Default: "yes", value: field(yesNo, func(c *Config) *bool { return &c.RDBCompression })},
	{Name: "rdbchecksum", Default: "yes", Traits: Immutable, value: field(yesNo, func(c *Config) *bool { return &c.RDBChecksum })},
	{Name: "rdb-del-sync-files", Default: "no", NoEffect: noReplication, value: kept(yesNo)},
	{Name: "rdb-save-incremental-fsync", Default: "yes", NoEffect: noPacing, value: kept(yesNo)},
	{Name: "rdb-key-save-delay", Default: "0", Traits: Hidden, value: field(number[int](minInt, maxInt), func(c *Config) *int { return &c.RDBKeySaveDelay })},
	{Name: "key-load-delay", Default: "0", Traits: Hidden, NoEffect: noPacing, value: kept(number[int](minInt, maxInt))},
	{Name: "stop-writes-on-bgsave-error", Default: "yes", value: field(yesNo, func(c *Config) *bool { return &c.StopWritesOnBgsaveError })},
	{Name: "sanitize-dump-payload", Default: "no", NoEffect: "every payload is checked", value: kept(choice[uint8]("no", "yes", "clients"))},
	{Name: "appendonly", Default: "no", NoEffect: noAOF, value: field(yesNo, func(c *Config) *bool { return &c.AppendOnly })},
	{Name: "appendfilename", Default: "appendonly.aof", Traits: Immutable, value: field(nonEmptyFileName("appendfilename"), func(c *Config) *string { return &c.AppendFilename })},
	{Name: "appenddirname", Default: "appendonlydir", Traits: Immutable, value: field(nonEmptyFileName("appenddirname"), func(c *Config) *string { return &c.AppendDirName })},
	{Name: "appendfsync", Default: "everysec", NoEffect: noAOF, value: kept(choice[uint8]("everysec", "always", "no"))},
	{Name: "no-appendfsync-on-rewrite", Default: "no", NoEffect: noAOF, value: kept(yesNo)},
	{Name: "auto-aof-rewrite-percentage", Default: "100", NoEffect: noAOF, value: kept(number[int](0, maxInt))},
	{Name: "auto-aof-rewrite-min-size", Default: "67108864", NoEffect: noAOF, value: kept(memory(0, maxInt64))},
	{Name: "aof-load-truncated", Default: "yes", NoEffect: noAOF, value: kept(yesNo)},
	{Name: "aof-use-rdb-preamble", Default: "yes", NoEffect: noAOF, value: kept(yesNo)},
	{Name: "aof-timestamp-enabled", Default: "no", NoEffect: noAOF, value: kept(yesNo)},
	{Name: "aof-rewrite-incremental-fsync", Default: "yes", NoEffect: noAOF, value: kept(yesNo)},
	{Name: "aof-disable-auto-gc", Default: "no", NoEffect: noAOF, value: kept(yesNo)},
	{Name: "propagation-error-behavior", Default: "ignore", NoEffect: noReplication, value: kept(choice[uint8]("ignore", "panic", "panic-on-replicas"))},
}

const (
	noPacing = "files are read and written as fast as may be"
	noAOF    = "there is no append-only file: data lives in memory only"
)

// nonEmptyFileName is a name without a directory that is not empty.
func nonEmptyFileName(directive string) kind[string] {
	plain := fileName(directive)
	return textThat(func(s string) error {
		if s == "" {
			return reason(directive + " can't be empty")
		}
		_, err := plain.parse([]string{s})
		return err
	})
}
