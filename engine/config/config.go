package config

import "strings"

// Config holds the value of every directive. What the engine and the server
// read is a field; the rest is reached by name. Slices are replaced, never
// changed in place, so a copy of the struct is a snapshot.
type Config struct {
	// Network.
	Port                     int
	Bind                     []string // as given: "-" in front means optional, "*" and "::*" mean all
	UnixSocket               string
	UnixSocketPerm           int // 0: leave it to the umask
	TCPBacklog               int
	TCPKeepAlive             int // seconds, 0: off
	IOBackend                IOBackend
	Timeout                  int // seconds a client may idle, 0: for ever
	MaxClients               int64
	ProtectedMode            bool
	ProtoMaxBulkLen          int64
	ClientQueryBufferLimit   int64
	ClientOutputBufferLimits [3]OutputLimit // by ClientClass
	MaxMemoryClients         int64          // bytes; below 0: percent of MaxMemory

	// TLS.
	TLSPort                int
	TLSCertFile            string
	TLSKeyFile             string
	TLSKeyFilePass         string
	TLSCACertFile          string
	TLSCACertDir           string
	TLSAuthClients         TLSAuth
	TLSProtocols           string
	TLSCiphers             string
	TLSCipherSuites        string
	TLSPreferServerCiphers bool

	// Identity and access.
	LuaMachine             LuaMachine
	LuaMemoryLimit         int64
	RedisVersion           string // "": 7.0.15 and all that came later
	Databases              int
	RequirePass            string
	ACLFile                string
	ACLLogMaxLen           int64
	ACLPubSubDefault       ACLPubSub
	EnableDebugCommand     Permission
	EnableModuleCommand    Permission
	EnableProtectedConfigs Permission
	Users                  []FileLine // user lines of the file: Args follow "user"
	RenameCommands         []FileLine // rename-command lines: Args are the old and the new name

	// For tests.
	Strict         [StrictRules]Strictness
	StrictLargeKey int64
	StrictTTLKeys  string // a pattern; "": none

	TestCommands  Permission
	Seed          int64  // 0: none was given
	ReadyFile     string // "": none
	TraceFile     string // "": none
	DieWithParent bool

	// Memory.
	MaxMemory                 int64 // bytes, 0: no limit
	MaxMemoryPolicy           Policy
	MaxMemorySamples          int
	MaxMemoryEvictionTenacity int
	LFULogFactor              int
	LFUDecayTime              int // minutes
	ActiveExpireEffort        int
	Hz                        int

	// Encodings.
	HashMaxListpackEntries int64
	HashMaxListpackValue   int64
	ListMaxListpackSize    int
	ListCompressDepth      int
	SetMaxIntsetEntries    int64
	SetMaxListpackEntries  int64
	SetMaxListpackValue    int64
	ZSetMaxListpackEntries int64
	ZSetMaxListpackValue   int64
	StreamNodeMaxBytes     int64
	StreamNodeMaxEntries   int64
	StreamIdmpDuration     int64
	StreamIdmpMaxSize      int64
	HLLSparseMaxBytes      int64

	// What is watched and told.
	NotifyKeyspaceEvents           NotifyFlags
	TrackingTableMaxKeys           int64
	BusyReplyThreshold             int64 // milliseconds, 0: never
	SlowlogLogSlowerThan           int64 // microseconds, below 0: never
	SlowlogMaxLen                  int64
	LatencyMonitorThreshold        int64 // milliseconds, 0: off
	LatencyTracking                bool
	LatencyTrackingInfoPercentiles []float64
	LogLevel                       LogLevel
	LogFile                        string // "": standard error

	// Files and nodes.
	// Files: dir, dbfilename or save was given, so that there is a place for the
	// data: it is loaded from there at the start.
	Files                           bool
	Dir                             string
	DBFilename                      string
	AppendDirName                   string // of BGREWRITEAOF, within Dir
	AppendFilename                  string
	StopWritesOnBgsaveError         bool
	RDBKeySaveDelay                 int // microseconds a key, below 0: so many keys a microsecond
	RDBCompression                  bool
	RDBChecksum                     bool
	AppendOnly                      bool
	Save                            []SavePoint
	ShutdownOnSIGINT                ShutdownFlags
	ShutdownOnSIGTERM               ShutdownFlags
	Cluster                         int // nodes; 0: no cluster of our own
	ClusterEnabled                  bool
	ClusterAllowPubsubshardWhenDown bool
	ClusterAllowReadsWhenDown       bool
	ClusterRequireFullCoverage      bool
	ClusterAnnounceIP               string

	kept       map[string]string // values without a field, where not the default; never changed in place
	savesGoOn  bool              // a save line was read: the next one adds to it
	readingRow string            // file and line of the directive being read
}

// OutputLimit is one class of client-output-buffer-limit; 0 means no limit.
type OutputLimit struct{ Hard, Soft, Seconds int64 }

// SavePoint is one pair of the save directive.
type SavePoint struct{ Seconds, Changes int64 }

// FileLine is a line of the configuration file that is data for its owner.
type FileLine struct {
	Args  []string
	Where string // file and line, for error messages
}

// Indices of ClientOutputBufferLimits.
const (
	ClientNormal = iota
	ClientReplica
	ClientPubSub
)

// defaults is what New copies.
var defaults = func() *Config {
	c := new(Config)
	for _, d := range table {
		if d.is(FileOnly) {
			continue
		}
		if err := d.set(c, d.Default); err != nil {
			panic("default of " + d.Name + ": " + err.Error())
		}
	}
	c.kept, c.savesGoOn, c.Files = nil, false, false
	return c
}()

// New returns the defaults.
func New() *Config { return defaults.Clone() }

// Clone returns a copy that shares nothing that changes.
func (c *Config) Clone() *Config {
	copied := *c
	return &copied
}

// keep stores a value that has no field.
func (c *Config) keep(d *Directive, value string) {
	if old, ok := c.kept[d.Name]; ok && old == value || !ok && d.Default == value {
		return
	}
	kept := make(map[string]string, len(c.kept)+1)
	for name, v := range c.kept {
		kept[name] = v
	}
	kept[d.Name] = value
	c.kept = kept
}

// Pair is a directive and its value as CONFIG GET prints it.
type Pair struct{ Name, Value string }

// Get is CONFIG GET: the directives that match any of the patterns, each once.
// A pattern without wildcards also finds a hidden directive, and answers with
// the name as it was asked for.
func (c *Config) Get(patterns ...string) []Pair {
	var pairs []Pair
	seen := make(map[string]bool)
	for _, pattern := range patterns {
		if !strings.ContainsAny(pattern, "[*?") {
			if name, ok := c.find(pattern); ok && !seen[name.text] {
				seen[name.text] = true
				pairs = append(pairs, Pair{pattern, name.d.value.get(c, name.d)})
			}
			continue
		}
		for _, name := range names {
			if !c.shows(name.d) || seen[name.text] || !matches(pattern, name.text) {
				continue
			}
			seen[name.text] = true
			pairs = append(pairs, Pair{name.text, name.d.value.get(c, name.d)})
		}
	}
	return pairs
}

// Value returns a directive's value as CONFIG GET prints it, "" if there is
// no such directive.
func (c *Config) Value(name string) string {
	n, ok := c.find(name)
	if !ok {
		return ""
	}
	return n.d.value.get(c, n.d)
}

// find finds a directive that the CONFIG command knows.
func (c *Config) find(asked string) (name, bool) {
	n, ok := lookup(asked)
	return n, ok && !n.d.is(FileOnly) && c.has(n.d.Since)
}
