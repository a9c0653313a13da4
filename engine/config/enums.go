package config

// Policy is a maxmemory-policy.
type Policy uint8

const (
	VolatileLRU Policy = iota
	VolatileLFU
	VolatileRandom
	VolatileTTL
	AllKeysLRU
	AllKeysLFU
	AllKeysRandom
	NoEviction
)

var policies = [...]string{"volatile-lru", "volatile-lfu", "volatile-random", "volatile-ttl", "allkeys-lru", "allkeys-lfu", "allkeys-random", "noeviction"}

// LRU tells whether the least recently used keys go first.
func (p Policy) LRU() bool { return p == VolatileLRU || p == AllKeysLRU }

// LFU tells whether the least frequently used keys go first.
func (p Policy) LFU() bool { return p == VolatileLFU || p == AllKeysLFU }

// AllKeys tells whether keys without a TTL may go too.
func (p Policy) AllKeys() bool { return p >= AllKeysLRU && p <= AllKeysRandom }

func (p Policy) String() string { return policies[p] }

// Permission tells from where a protected thing may be used.
type Permission uint8

const (
	Never Permission = iota
	Always
	LocalOnly
)

var permissions = [...]string{"no", "yes", "local"}

// Allows tells whether a client may; local means it is on this machine.
func (p Permission) Allows(local bool) bool { return p == Always || p == LocalOnly && local }

func (p Permission) String() string { return permissions[p] }

// LogLevel is a loglevel; less important ones are smaller.
type LogLevel uint8

const (
	LogDebug LogLevel = iota
	LogVerbose
	LogNotice
	LogWarning
	LogNothing // since 7.2
)

var logLevels = [...]string{"debug", "verbose", "notice", "warning", "nothing"}

func (l LogLevel) String() string { return logLevels[l] }

// ACLPubSub is an acl-pubsub-default: what a new user may subscribe to.
type ACLPubSub uint8

const (
	AllChannels ACLPubSub = iota
	ResetChannels
)

var aclPubSubs = [...]string{"allchannels", "resetchannels"}

func (a ACLPubSub) String() string { return aclPubSubs[a] }

// TLSAuth is a tls-auth-clients: whether clients show a certificate.
type TLSAuth uint8

const (
	TLSAuthNo TLSAuth = iota
	TLSAuthYes
	TLSAuthOptional
)

var tlsAuths = [...]string{"no", "yes", "optional"}

func (a TLSAuth) String() string { return tlsAuths[a] }

// IOBackend is an io-backend: who reads and writes plain connections.
type IOBackend uint8

const (
	IOAuto      IOBackend = iota // the event loop where there is one
	IOEventLoop                  // the event loop; without one the server does not start
	IORedcon                     // redcon's goroutines
)

var ioBackends = [...]string{"auto", "event-loop", "redcon"}

func (b IOBackend) String() string { return ioBackends[b] }

// LuaMachine is a lua-machine: what runs scripts.
type LuaMachine uint8

const (
	LuaOwn    LuaMachine = iota // minikv's own
	LuaGopher                   // gopher-lua
)

var luaMachines = [...]string{"own", "gopher-lua"}

func (m LuaMachine) String() string { return luaMachines[m] }
