package config

var networkRows = []Directive{
	{Name: "port", Default: "6379", value: field(number[int](0, 65535), func(c *Config) *int { return &c.Port })},
	// DIFFERS: without a bind directive minikv listens on the loopback addresses only ("127.0.0.1 -::1"), where Redis listens on all ("* -::*").
	{Name: "bind", Default: "127.0.0.1 -::1", value: field(binds, func(c *Config) *[]string { return &c.Bind })},
	{Name: "unixsocket", Traits: Immutable, value: field(text, func(c *Config) *string { return &c.UnixSocket })},
	{Name: "unixsocketperm", Default: "0", Traits: Immutable, value: field(octal, func(c *Config) *int { return &c.UnixSocketPerm })},
	{Name: "tcp-backlog", Default: "511", Traits: Immutable, NoEffect: "the length of the listen queue is left to the operating system",
		value: field(number[int](0, maxInt), func(c *Config) *int { return &c.TCPBacklog })},
	{Name: "tcp-keepalive", Default: "300", value: field(number[int](0, maxInt), func(c *Config) *int { return &c.TCPKeepAlive })},
	{Name: "timeout", Default: "0", value: field(number[int](0, maxInt), func(c *Config) *int { return &c.Timeout })},
	{Name: "maxclients", Default: "10000", value: field(number[int64](1, maxUint), func(c *Config) *int64 { return &c.MaxClients })},
	{Name: "protected-mode", Default: "yes", value: field(yesNo, func(c *Config) *bool { return &c.ProtectedMode })},
	{Name: "proto-max-bulk-len", Default: "512mb", value: field(memory(1<<20, maxInt64), func(c *Config) *int64 { return &c.ProtoMaxBulkLen })},
	{Name: "client-query-buffer-limit", Default: "1gb", value: field(memory(1<<20, maxInt64), func(c *Config) *int64 { return &c.ClientQueryBufferLimit })},
	{Name: "client-output-buffer-limit", Default: "normal 0 0 0 slave 256mb 64mb 60 pubsub 32mb 8mb 60", value: outputLimits},
	{Name: "maxmemory-clients", Default: "0", value: field(memoryOrPercent, func(c *Config) *int64 { return &c.MaxMemoryClients })},
	{Name: "bind-source-addr", NoEffect: noReplication, value: kept(text)},
	{Name: "socket-mark-id", Default: "0", Traits: Immutable, NoEffect: "sockets are not marked", value: kept(number[int64](0, maxUint))},
	{Name: "io-backend", Default: "auto", Traits: Immutable | Hidden, Own: "who reads and writes plain connections: event-loop (Linux), redcon, or auto, the event loop where there is one",
		value: field(choice[IOBackend](ioBackends[:]...), func(c *Config) *IOBackend { return &c.IOBackend })},
	{Name: "io-threads", Default: "1", Traits: Immutable, NoEffect: oneLoop, value: kept(number[int](1, 128))},
	{Name: "io-threads-do-reads", Default: "no", Traits: Immutable, NoEffect: oneLoop, value: kept(yesNo)},
}

const oneLoop = "one goroutine runs all commands"

var tlsRows = []Directive{
	{Name: "tls-port", Default: "0", value: field(number[int](0, 65535), func(c *Config) *int { return &c.TLSPort })},
	{Name: "tls-cert-file", value: field(text, func(c *Config) *string { return &c.TLSCertFile })},
	{Name: "tls-key-file", value: field(text, func(c *Config) *string { return &c.TLSKeyFile })},
	{Name: "tls-key-file-pass", Traits: Sensitive, value: field(text, func(c *Config) *string { return &c.TLSKeyFilePass })},
	{Name: "tls-ca-cert-file", value: field(text, func(c *Config) *string { return &c.TLSCACertFile })},
	{Name: "tls-ca-cert-dir", value: field(text, func(c *Config) *string { return &c.TLSCACertDir })},
	{Name: "tls-auth-clients", Default: "yes", value: field(choice[TLSAuth](tlsAuths[:]...), func(c *Config) *TLSAuth { return &c.TLSAuthClients })},
	{Name: "tls-protocols", value: field(text, func(c *Config) *string { return &c.TLSProtocols })},
	{Name: "tls-ciphers", value: field(text, func(c *Config) *string { return &c.TLSCiphers })},
	{Name: "tls-ciphersuites", NoEffect: goTLS, value: field(text, func(c *Config) *string { return &c.TLSCipherSuites })},
	{Name: "tls-prefer-server-ciphers", Default: "no", NoEffect: goTLS, value: field(yesNo, func(c *Config) *bool { return &c.TLSPreferServerCiphers })},
	{Name: "tls-session-caching", Default: "yes", NoEffect: goTLS, value: kept(yesNo)},
	{Name: "tls-session-cache-size", Default: "20480", NoEffect: goTLS, value: kept(number[int](0, maxInt))},
	{Name: "tls-session-cache-timeout", Default: "300", NoEffect: goTLS, value: kept(number[int](0, maxInt))},
	{Name: "tls-dh-params-file", NoEffect: goTLS, value: kept(text)},
	{Name: "tls-replication", Default: "no", NoEffect: noReplication, value: kept(yesNo)},
	{Name: "tls-cluster", Default: "no", NoEffect: noCluster, value: kept(yesNo)},
	{Name: "tls-client-cert-file", NoEffect: noReplication, value: kept(text)},
	{Name: "tls-client-key-file", NoEffect: noReplication, value: kept(text)},
	{Name: "tls-client-key-file-pass", Traits: Sensitive, NoEffect: noReplication, value: kept(text)},
}

const goTLS = "Go's TLS decides this by itself"
