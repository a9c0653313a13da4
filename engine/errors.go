package engine

import (
	"fmt"
	"strings"
)

// wireError is an error as a client sees it, with its code in front. Handlers
// return one; call writes it.
type wireError string

func (e wireError) Error() string { return string(e) }

// routeError is a wireError that sends a client elsewhere, or tells that nobody can
// serve it: it is answered as it is, even by EXEC.
type routeError string

func (err routeError) Error() string { return string(err) }

// errorf makes a wireError with values in it. Newlines at its end, which values
// may bring, are cut off; others become spaces on the wire.
func errorf(format string, args ...any) error {
	return wireError(strings.TrimRight(fmt.Sprintf(format, args...), "\r\n"))
}

// Every error text that goes over the wire and is not made from values stands
// here, in Redis 7.0.15's words.
var (
	errSyntax       error = wireError("ERR syntax error")
	errNotInteger   error = wireError("ERR value is not an integer or out of range")
	errNotFloat     error = wireError("ERR value is not a valid float")
	errOutOfRange   error = wireError("ERR value is out of range")
	errPositive     error = wireError("ERR value is out of range, must be positive")
	errIndexRange   error = wireError("ERR index out of range")
	errWrongType    error = wireError("WRONGTYPE Operation against a key holding the wrong kind of value")
	errNoSuchKey    error = wireError("ERR no such key")
	errOverflow     error = wireError("ERR increment or decrement would overflow")
	errNaN          error = wireError("ERR increment would produce NaN or Infinity")
	errTooLong      error = wireError("ERR string exceeds maximum allowed size (proto-max-bulk-len)")
	errTimeoutFloat error = wireError("ERR timeout is not a float or out of range")
	errTimeoutRange error = wireError("ERR timeout is out of range")
	errTimeoutNeg   error = wireError("ERR timeout is negative")
	errTimeoutInt   error = wireError("ERR timeout is not an integer or out of range")

	// Gates.
	errNoAuth        error = wireError("NOAUTH Authentication required.")
	errNoMulti       error = wireError("ERR Command not allowed inside a transaction")
	errOOM           error = wireError("OOM command not allowed when used memory > 'maxmemory'.")
	errBusy          error = wireError("BUSY Redis is busy running a script. You can only call SCRIPT KILL or SHUTDOWN NOSAVE.")
	errRewriting     error = wireError("ERR Background append only file rewriting already in progress")
	errRewritingSave error = wireError("ERR Another child process is active (AOF?): can't BGSAVE right now. Use BGSAVE SCHEDULE in order to schedule a BGSAVE whenever possible.")
	errSaving        error = wireError("ERR Background save already in progress")
	errDisk          error = wireError("MISCONF Redis is configured to save RDB snapshots, but it's currently unable to persist to disk. Commands that may modify the data set are disabled, because this instance is configured to report errors during writes if RDB snapshotting fails (stop-writes-on-bgsave-error option). Please check the Redis logs for details about the RDB error.")
	errScriptOnly    error = wireError("ERR This Redis command is not allowed from script")
	errROScript      error = wireError("ERR Write commands are not allowed from read-only scripts.")
	errBusyFunction  error = wireError("BUSY Redis is busy running a script. You can only call FUNCTION KILL or SHUTDOWN NOSAVE.")
	errDebugOff      error = wireError("ERR DEBUG command not allowed. If the enable-debug-command option is set to \"local\", you can run it from a local connection, otherwise you need to set this option in the configuration file, and then restart the server.")
	errModuleOff     error = wireError("ERR MODULE command not allowed. If the enable-module-command option is set to \"local\", you can run it from a local connection, otherwise you need to set this option in the configuration file, and then restart the server.")
	errModuleLoad    error = wireError("ERR Error loading the extension. Please check the server logs.")
	errNoModule      error = wireError("ERR Error unloading module: no such module with that name")
	errTestsOff      error = wireError("ERR MINIKV commands are not allowed. If the test-commands option is set to \"local\", you can run them from a local connection, otherwise you need to set this option in the configuration file, and then restart the server.")
	errLoading       error = wireError("LOADING Redis is loading the dataset in memory")
	errReadOnly      error = wireError("READONLY You can't write against a read only replica.")
	errNoScript      error = wireError("NOSCRIPT No matching script. Please use EVAL.")

	// Replication.
	errMasterPort       error = wireError("ERR Invalid master port")
	errNoReplication    error = wireError("ERR minikv does not replicate")
	errNoReplicas       error = wireError("ERR FAILOVER requires connected replicas.")
	errNoFailover       error = wireError("ERR No failover in progress.")
	errFailoverTimeout  error = wireError("ERR FAILOVER timeout must be greater than 0")
	errFailoverCluster  error = wireError("ERR FAILOVER not allowed in cluster mode. Use CLUSTER FAILOVER command instead.")
	errReplicaofCluster error = wireError("ERR REPLICAOF not allowed in cluster mode.")

	// Clusters.
	errClusterDown     error = routeError("CLUSTERDOWN The cluster is down")
	errClusterDownRO   error = routeError("CLUSTERDOWN The cluster is down and only accepts read commands")
	errSlotUnbound     error = routeError("CLUSTERDOWN Hash slot not served")
	errTryAgain        error = routeError("TRYAGAIN Multiple keys request during rehashing of slot")
	errCrossSlots      error = routeError("CROSSSLOT Keys in request don't hash to the same slot")
	errClusterDisabled error = wireError("ERR This instance has cluster support disabled")
	errBadSlot         error = wireError("ERR Invalid or out of range slot")
	errNoSlot          error = wireError("ERR Invalid slot")
	errNoSlotOrCount   error = wireError("ERR Invalid slot or number of keys")
	errSetslot         error = wireError("ERR Invalid CLUSTER SETSLOT action or number of arguments. Try CLUSTER HELP")
	errFlushSlots      error = wireError("ERR DB must be empty to perform CLUSTER FLUSHSLOTS.")
	errEpochOfMany     error = wireError("ERR The user can assign a config epoch only when the node does not know any other node.")
	errEpochSet        error = wireError("ERR Node config epoch is already non-zero")
	errNoPeers         error = wireError("ERR the node has no peers: see minikv --cluster")
	errSelectCluster   error = wireError("ERR SELECT is not allowed in cluster mode")
	errSwapCluster     error = wireError("ERR SWAPDB is not allowed in cluster mode")
	errMoveCluster     error = wireError("ERR MOVE is not allowed in cluster mode")
	errCopyCluster     error = wireError("ERR Copying to another database is not allowed in cluster mode")
	errSortByCluster   error = wireError("ERR BY option of SORT denied in Cluster mode.")
	errSortGetCluster  error = wireError("ERR GET option of SORT denied in Cluster mode.")
	errScriptNoCluster error = wireError("ERR Can not run script on cluster, 'no-cluster' flag is set.")
	errScriptNotLocal  error = wireError("ERR Script attempted to access a non local key in a cluster node")
	errScriptCrossSlot error = wireError("ERR Script attempted to access keys that do not hash to the same slot")
	errScriptDown      error = wireError("ERR Script attempted to execute a command while the cluster is down")
	errScriptDownRO    error = wireError("ERR Script attempted to execute a write command while the cluster is down and readonly")

	// Faults.
	errFaultAction      error = wireError("ERR a fault needs an action: ERROR, MOVED, ASK, LOADING, READONLY, BUSY, DELAY, NOREPLY, CLOSE or TRUNCATE")
	errFaultText        error = wireError("ERR a fault that answers needs a text")
	errFaultProbability error = wireError("ERR a probability is above 0 and at most 1")
	errFaultChoice      error = wireError("ERR only one of NTH, EVERY and PROBABILITY can be given")

	// Databases and keys.
	errDBIndex    error = wireError("ERR DB index is out of range")
	errFirstDB    error = wireError("ERR invalid first DB index")
	errSecondDB   error = wireError("ERR invalid second DB index")
	errSameObject error = wireError("ERR source and destination objects are the same")
	errCursor     error = wireError("ERR invalid cursor")
	errIntRange   error = wireError("ERR value is out of range, value must between -2147483648 and 2147483647")
	errExpireNX   error = wireError("ERR NX and XX, GT or LT options at the same time are not compatible")
	errExpireGTLT error = wireError("ERR GT and LT options at the same time are not compatible")
	errNoLFU      error = wireError("ERR An LFU maxmemory policy is not selected, access frequency not tracked. Please note that when switching between policies at runtime LRU and LFU data will take some time to adjust.")
	errLFU        error = wireError("ERR An LFU maxmemory policy is selected, idle time not tracked. Please note that when switching between policies at runtime LRU and LFU data will take some time to adjust.")
	errWaitLocal  error = wireError("ERR value is out of range, value must between 0 and 1")
	errWaitNoAOF  error = wireError("ERR WAITAOF cannot be used when numlocal is set but appendonly is disabled.")

	// Transactions.
	errNestedMulti    error = wireError("ERR MULTI calls can not be nested")
	errExecNoMulti    error = wireError("ERR EXEC without MULTI")
	errDiscardNoMulti error = wireError("ERR DISCARD without MULTI")
	errWatchInMulti   error = wireError("ERR WATCH inside MULTI is not allowed")
	errExecAbort      error = wireError("EXECABORT Transaction discarded because of previous errors.")

	// Strings.
	errDecrOverflow error = wireError("ERR decrement would overflow")
	errOffset       error = wireError("ERR offset is out of range")
	errLCSTypes     error = wireError("ERR The specified keys must contain string values")
	errLCSBoth      error = wireError("ERR If you want both the length and indexes, please just use IDX.")
	errLCSMemory    error = wireError("ERR Insufficient memory, transient memory for LCS exceeds proto-max-bulk-len")
	errNumKeys      error = wireError("ERR invalid numkeys value")
	errNumPairs     error = wireError("ERR wrong number of key-value pairs")
	errDigest       error = wireError("ERR must be exactly 16 hexadecimal characters")
	errCondition    error = wireError("ERR Invalid condition. Use IFEQ, IFNE, IFDEQ, or IFDNE.")
	errCondString   error = wireError("ERR Key should be of string type if conditions are specified")
	errBounds       error = wireError("ERR LBOUND can't be greater than UBOUND")

	// Lists and sets.
	errSortScore       error = wireError("ERR One or more scores can't be converted into double")
	errRankZero        error = wireError("ERR RANK can't be zero: use 1 to start from the first match, 2 from the second ... or use negative to start from the end of the list")
	errOptionCount     error = wireError("ERR COUNT can't be negative")
	errMaxLen          error = wireError("ERR MAXLEN can't be negative")
	errCountPositive   error = wireError("ERR count should be greater than 0")
	errNumKeysPositive error = wireError("ERR numkeys should be greater than 0")
	errLimitNegative   error = wireError("ERR LIMIT can't be negative")
	errCountRange      error = wireError("ERR value is out of range, value must between -9223372036854775807 and 9223372036854775807")
)

// Hashes and sorted sets.
var (
	errHashInt        error = wireError("ERR hash value is not an integer")
	errHashFloat      error = wireError("ERR hash value is not a float")
	errNotFinite      error = wireError("ERR value is NaN or Infinity")
	errNoValues       error = wireError("ERR NOVALUES option can only be used in HSCAN")
	errNoScores       error = wireError("ERR NOSCORES option can only be used in ZSCAN")
	errFieldsMissing  error = wireError("ERR Mandatory argument FIELDS is missing or not at the right position")
	errFieldsMatch    error = wireError("ERR The `numfields` parameter must match the number of arguments")
	errFieldsPositive error = wireError("ERR Number of fields must be a positive integer")
	errNumFields      error = wireError("ERR Parameter `numFields` should be greater than 0")
	errFieldTime      error = wireError("ERR invalid expire time, must be >= 0")
	errOneOfPersist   error = wireError("ERR Only one of EX, PX, EXAT, PXAT or PERSIST arguments can be specified")
	errOneOfKeepTTL   error = wireError("ERR Only one of EX, PX, EXAT, PXAT or KEEPTTL arguments can be specified")
	errOneOfFXX       error = wireError("ERR Only one of FXX or FNX arguments can be specified")
	errZAddNXXX       error = wireError("ERR XX and NX options at the same time are not compatible")
	errZAddGTLTNX     error = wireError("ERR GT, LT, and/or NX options at the same time are not compatible")
	errZAddIncr       error = wireError("ERR INCR option supports a single increment-element pair")
	errScoreNaN       error = wireError("ERR resulting score is not a number (NaN)")
	errScoreRange     error = wireError("ERR min or max is not a float")
	errLexRange       error = wireError("ERR min or max not valid string range item")
	errLimitByRank    error = wireError("ERR syntax error, LIMIT is only supported in combination with either BYSCORE or BYLEX")
	errScoresByLex    error = wireError("ERR syntax error, WITHSCORES not supported in combination with BYLEX")
	errWeight         error = wireError("ERR weight value is not a float")
)

// Bitmaps.
var (
	errBit           error = wireError("ERR bit is not an integer or out of range")
	errBitOffset     error = wireError("ERR bit offset is not an integer or out of range")
	errBitArgument   error = wireError("ERR The bit argument must be 1 or 0.")
	errBitOpSingle   error = wireError("ERR BITOP NOT must be called with a single source key.")
	errFieldType     error = wireError("ERR Invalid bitfield type. Use something like i16 u8. Note that u64 is not supported but i64 is.")
	errFieldReadOnly error = wireError("ERR BITFIELD_RO only supports the GET subcommand")
	errOverflowType  error = wireError("ERR Invalid OVERFLOW type specified")
)

// HyperLogLogs.
var (
	errNotHyperLogLog error = wireError("WRONGTYPE Key is not a valid HyperLogLog string value.")
	errCorruptHLL     error = wireError("INVALIDOBJ Corrupted HLL object detected")
	errNotSparse      error = wireError("ERR HLL encoding is not sparse")
	errNoSpecifiedKey error = wireError("ERR The specified key does not exist")
)

// errUnknownPFDebug is the answer to a subcommand that PFDEBUG lacks.
func errUnknownPFDebug(sub []byte) error {
	return errorf("ERR Unknown PFDEBUG subcommand '%s'", clip(sub, len(sub)))
}

// Places.
var (
	errUnit      error = wireError("ERR unsupported unit provided. please use M, KM, FT, MI")
	errGeoCount  error = wireError("ERR COUNT must be > 0")
	errGeoMember error = wireError("ERR could not decode requested zset member")
	errGeoRadius error = wireError("ERR radius cannot be negative")
	errGeoBox    error = wireError("ERR height or width cannot be negative")
	errGeoAny    error = wireError("ERR the ANY argument requires COUNT argument")
)

// errPlace is the answer to a place that is not on the map.
func errPlace(lon, lat float64) error {
	return errorf("ERR invalid longitude,latitude pair %s,%s", cNumber(lon), cNumber(lat))
}

// errGeoNumber is the answer to a length that is no number.
func errGeoNumber(what string) error { return errorf("ERR need numeric %s", what) }

// errGeoStoreWith is the answer to storing what can only be answered.
func errGeoStoreWith(what string) error {
	return errorf("ERR %s is not compatible with WITHDIST, WITHHASH and WITHCOORD options", what)
}

// errGeoFrom and errGeoBy are the answers to a search without a centre, or
// without a shape.
func errGeoFrom(name []byte) error {
	return errorf("ERR exactly one of FROMMEMBER or FROMLONLAT can be specified for %s", clip(name, len(name)))
}

func errGeoBy(name []byte) error {
	return errorf("ERR exactly one of BYRADIUS and BYBOX can be specified for %s", clip(name, len(name)))
}

// errBitOpFew is the answer to an operation that combines one source with
// others.
func errBitOpFew(word string) error {
	return errorf("ERR BITOP %s must be called with at least two source keys.", word)
}

// errArity is the answer to a wrong number of arguments.
func errArity(cmd *Command) error {
	return errorf("ERR wrong number of arguments for '%s' command", cmd.lower)
}

// errNoInputKeys is the answer to a combination of no sorted sets.
func errNoInputKeys(cmd *Command) error {
	return errorf("ERR at least 1 input key is needed for '%s' command", cmd.lower)
}

// errUnknownArgument is HSETEX's answer to a word that it does not know.
func errUnknownArgument(word []byte) error {
	return errorf("ERR unknown argument: %s", clip(word, 128))
}

// errExpire is the answer to a deadline out of range.
func errExpire(cmd *Command) error {
	return errorf("ERR invalid expire time in '%s' command", cmd.lower)
}

// errExpireOption is the answer to an option that EXPIRE does not know.
func errExpireOption(word []byte) error {
	return errorf("ERR Unsupported option %s", clip(word, len(word)))
}

// errUnknownType is the answer to a type that there is not.
func errUnknownType(name []byte) error {
	return errorf("ERR unknown type name '%s'", clip(name, 128))
}

// errUnknownCommand quotes the name and as many arguments as fit, as Redis does.
func errUnknownCommand(argv [][]byte, ver version) error {
	name, arg := "'%s'", "'%s' "
	if !ver.isZero() && !ver.valkey && ver.major < 7 {
		name, arg = "`%s`", "`%s`, "
	}
	var args strings.Builder
	for _, a := range argv[1:] {
		if args.Len() >= 128 {
			break
		}
		fmt.Fprintf(&args, arg, clip(a, 128-args.Len()))
	}
	return errorf("ERR unknown command "+name+", with args beginning with: %s", clip(argv[0], 128), args.String())
}

// errUnknownSub is the answer to a subcommand that the container lacks.
func errUnknownSub(parent *Command, sub []byte) error {
	return errorf("ERR unknown subcommand '%s'. Try %s HELP.", clip(sub, 128), strings.ToUpper(parent.lower))
}

// clip is b as text for an error message, at most n bytes, up to a NUL as C's
// printf has it.
func clip(b []byte, n int) string {
	if len(b) > n {
		b = b[:n]
	}
	if i := strings.IndexByte(string(b), 0); i >= 0 {
		b = b[:i]
	}
	return string(b)
}

// Scripts.
var (
	errScriptUnknown error = wireError("ERR Unknown Redis command called from script")
	errScriptArity   error = wireError("ERR Wrong number of args calling Redis command from script")

	errNumKeysTooMany  error = wireError("ERR Number of keys can't be greater than number of args")
	errNumKeysNegative error = wireError("ERR Number of keys can't be negative")
	errScriptWriteFlag error = wireError("ERR Can not execute a script with write flag using *_ro command.")
	errScriptFlush     error = wireError("ERR SCRIPT FLUSH only support SYNC|ASYNC option")
	errDebugMode       error = wireError("ERR Use SCRIPT DEBUG YES/SYNC/NO")
	errDebugPipeline   error = wireError("ERR SCRIPT DEBUG must be called outside a pipeline")
	errDebugSHA        error = wireError("ERR Please use EVAL instead of EVALSHA for debugging")
	errDebugForks      error = wireError("ERR Fork() failed: can't run EVAL in debugging mode: Resource temporarily unavailable")
	errDebugMulti      error = wireError("ERR a script inside of MULTI cannot be debugged")
	errDebugMachine    error = wireError("ERR the debugger needs lua-machine own")
	errNotBusy         error = wireError("NOTBUSY No scripts in execution right now.")
	errUnkillable      error = wireError("UNKILLABLE Sorry the script already executed write commands against the dataset. You can either wait the script termination or kill the server in a hard way using the SHUTDOWN NOSAVE command.")
)

// Functions.
var (
	errNoFunction      error = wireError("ERR Function not found")
	errNoLibrary       error = wireError("ERR Library not found")
	errFunctionKeys    error = wireError("ERR Bad number of keys provided")
	errFunctionFlush   error = wireError("ERR FUNCTION FLUSH only supports SYNC|ASYNC option")
	errLibraryName     error = wireError("ERR library name argument was not given")
	errRestoreFunction error = wireError("ERR given type is not a function")
	errRestoreCode     error = wireError("ERR Failed loading library payload")
	errRestorePolicy   error = wireError("ERR Wrong restore policy given, value should be either FLUSH, APPEND or REPLACE.")
)

// Connection and pub/sub.
var (
	errShardMulti       error = wireError("ERR SSUBSCRIBE isn't allowed for a DENY BLOCKING client")
	errNoPassword       error = wireError("ERR AUTH <password> called without any password configured for the default user. Are you sure your configuration is correct?")
	errWrongPass        error = wireError("WRONGPASS invalid username-password pair or user is disabled.")
	errProtoVersion     error = wireError("ERR Protocol version is not an integer or out of range")
	errNoProto          error = wireError("NOPROTO unsupported protocol version")
	errHelloNoAuth      error = wireError("NOAUTH HELLO must be called with the client already authenticated, otherwise the HELLO AUTH <user> <pass> option can be used to authenticate the client and select the RESP protocol version at the same time")
	errClientName       error = wireError("ERR Client names cannot contain spaces, newlines or special characters.")
	errClientIDs        error = wireError("ERR Invalid client ID")
	errClientIDPositive error = wireError("ERR client-id should be greater than 0")
	errNoSuchClient     error = wireError("ERR No such client")
	errMaxAge           error = wireError("ERR maxage is not an integer or out of range")
	errMaxAgePositive   error = wireError("ERR maxage should be greater than 0")
	errPauseMode        error = wireError("ERR CLIENT PAUSE mode must be WRITE or ALL")
	errUnblockReason    error = wireError("ERR CLIENT UNBLOCK reason should be TIMEOUT or ERROR")
)

// Client-side caching.
var (
	errTrackingRedirects    error = wireError("ERR A client can only redirect to a single other client")
	errTrackingNoClient     error = wireError("ERR The client ID you want redirect to does not exist")
	errTrackingPrefix       error = wireError("ERR PREFIX option requires BCAST mode to be enabled")
	errTrackingSwitch       error = wireError("ERR You can't switch BCAST mode on/off before disabling tracking for this client, and then re-enabling it with a different mode.")
	errTrackingOptBroadcast error = wireError("ERR OPTIN and OPTOUT are not compatible with BCAST")
	errTrackingOptBoth      error = wireError("ERR You can't specify both OPTIN mode and OPTOUT mode")
	errTrackingOptSwitch    error = wireError("ERR You can't switch OPTIN/OPTOUT mode before disabling tracking for this client, and then re-enabling it with a different mode.")
	errCachingOff           error = wireError("ERR CLIENT CACHING can be called only when the client is in tracking mode with OPTIN or OPTOUT mode enabled")
	errCachingYes           error = wireError("ERR CLIENT CACHING YES is only valid when tracking is enabled in OPTIN mode.")
	errCachingNo            error = wireError("ERR CLIENT CACHING NO is only valid when tracking is enabled in OPTOUT mode.")
)

// DUMP and RESTORE.
var (
	errBusyKey         error = wireError("BUSYKEY Target key name already exists.")
	errMigrateKeys     error = wireError("ERR When using MIGRATE KEYS option, the key argument must be set to the empty string")
	errNotSDS          error = wireError("ERR Not an sds encoded string.")
	errNotListpack     error = wireError("ERR Not a listpack encoded object.")
	errNoTable         error = wireError("ERR The value stored at the specified key is not represented using an hash table")
	errDebugDB         error = wireError("ERR Out of range database")
	errPackedThreshold error = wireError("ERR argument must be a memory value bigger than 1 and smaller than 4gb")
	errReloadOption    error = wireError("ERR DEBUG RELOAD only supports the MERGE, NOFLUSH and NOSAVE options.")
	errRestoreTTL      error = wireError("ERR Invalid TTL value, must be >= 0")
	errRestoreIdle     error = wireError("ERR Invalid IDLETIME value, must be >= 0")
	errRestoreFreq     error = wireError("ERR Invalid FREQ value, must be >= 0 and <= 255")
	errRestoreChecksum error = wireError("ERR DUMP payload version or checksum are wrong")
	errRestoreFormat   error = wireError("ERR Bad data format")
)

// errUnknownSubArity is what some containers answer to a wrong number of
// arguments of a subcommand.
func errUnknownSubArity(c *Ctx) error {
	name, _, _ := strings.Cut(c.cmd.lower, "|")
	return errorf("ERR unknown subcommand or wrong number of arguments for '%s'. Try %s HELP.", clip(c.argv[1], 128), strings.ToUpper(name))
}

// Server.
var (
	errReplica       error = wireError("ERR Replica can't interact with the keyspace")
	errMonitorMulti  error = wireError("ERR MONITOR isn't allowed for DENY BLOCKING client")
	errNoShutdown    error = wireError("ERR No shutdown in progress.")
	errSlowlogCount  error = wireError("ERR count should be greater than or equal to -1")
	errNoSuchCommand error = wireError("ERR Invalid command specified")
	errNoKeyArgs     error = wireError("ERR The command has no key arguments")
	errLineArity     error = wireError("ERR Invalid number of arguments specified for command")
	errLineArgs      error = wireError("ERR Invalid arguments specified for command")
	errNoConfigFile  error = wireError("ERR The server is running without a config file")
	errRESP3Only     error = wireError("ERR RESP2 is not supported by this command")
	errProtocolType  error = wireError("ERR Wrong protocol type name. Please use one of the following: string|integer|double|bignum|null|array|set|map|attrib|push|verbatim|true|false")
)

// Streams.
var (
	errStreamID         error = wireError("ERR Invalid stream ID specified as stream command argument")
	errRangeStart       error = wireError("ERR invalid start ID for the interval")
	errRangeStop        error = wireError("ERR invalid end ID for the interval")
	errStreamFull       error = wireError("ERR The stream has exhausted the last possible ID, unable to add more items")
	errAddTop           error = wireError("ERR The ID specified in XADD is equal or smaller than the target stream top item")
	errAddZero          error = wireError("ERR The ID specified in XADD must be greater than 0-0")
	errAddTooLarge      error = wireError("ERR Elements are too large to be stored")
	errTrimMaxLen       error = wireError("ERR The MAXLEN argument must be >= 0.")
	errTrimLimit        error = wireError("ERR The LIMIT argument must be >= 0.")
	errTrimBoth         error = wireError("ERR syntax error, MAXLEN and MINID options at the same time are not compatible")
	errTrimLimitAlone   error = wireError("ERR syntax error, LIMIT cannot be used without specifying a trimming strategy")
	errTrimLimitExact   error = wireError("ERR syntax error, LIMIT cannot be used without the special ~ option")
	errTrimNothing      error = wireError("ERR syntax error, XTRIM must be called with a trimming strategy")
	errEntriesAdded     error = wireError("ERR entries_added must be positive")
	errSetIDDeleted     error = wireError("ERR The ID specified in XSETID is smaller than the provided max_deleted_entry_id")
	errSetIDTop         error = wireError("ERR The ID specified in XSETID is smaller than the target stream top item")
	errSetIDLength      error = wireError("ERR The entries_added specified in XSETID is smaller than the target stream length")
	errUnbalancedOld    error = wireError("ERR Unbalanced XREAD list of streams: for each stream key an ID or '$' must be specified.")
	errNoGroupOption    error = wireError("ERR Missing GROUP option for XREADGROUP")
	errDollarInGroup    error = wireError("ERR The $ ID is meaningless in the context of XREADGROUP: you want to read the history of this consumer by specifying a proper ID, or use the > ID to get new messages. The $ ID would just return an empty result set.")
	errNewOutsideGroup  error = wireError("ERR The > ID can be specified only when calling XREADGROUP using the GROUP <group> <consumer> option.")
	errUnblockedGone    error = wireError("UNBLOCKED the stream key no longer exists")
	errUnblockedGroup   error = wireError("NOGROUP the consumer group this client was blocked on no longer exists")
	errGroupNeedsKey    error = wireError("ERR The XGROUP subcommand requires the key to exist. Note that for CREATE you may want to use the MKSTREAM option to create an empty stream automatically.")
	errBusyGroup        error = wireError("BUSYGROUP Consumer Group name already exists")
	errEntriesRead      error = wireError("ERR value for ENTRIESREAD must be positive or -1")
	errClaimMinIdle     error = wireError("ERR Invalid min-idle-time argument for XCLAIM")
	errClaimIdle        error = wireError("ERR Invalid IDLE option argument for XCLAIM")
	errClaimTime        error = wireError("ERR Invalid TIME option argument for XCLAIM")
	errClaimRetries     error = wireError("ERR Invalid RETRYCOUNT option argument for XCLAIM")
	errAutoClaimMinIdle error = wireError("ERR Invalid min-idle-time argument for XAUTOCLAIM")
	errAutoClaimCount   error = wireError("ERR COUNT must be > 0")
	errPlusInGroup      error = wireError("ERR The + ID is meaningless in the context of XREADGROUP: you want to read the history of this consumer by specifying a proper ID, or use the > ID to get new messages. The + ID would just return an empty result set.")
	errClaimIdleTime    error = wireError("ERR min-idle-time is not an integer or out of range")
	errMaxCount         error = wireError("ERR MAXCOUNT must be greater than or equal to COUNT")
	errIdmpTwice        error = wireError("ERR IDMP/IDMPAUTO specified multiple times")
	errIdmpID           error = wireError("ERR IDMP/IDMPAUTO can be used only with auto-generated IDs")
	errIdmpProducer     error = wireError("ERR IDMP requires a non-empty producer ID")
	errIdmpName         error = wireError("ERR IDMP requires a non-empty idempotent ID")
	errIdmpDuration     error = wireError("ERR invalid duration")
	errIdmpMaxSize      error = wireError("ERR invalid maxsize")
	errIdmpNoEntry      error = wireError("ERR no such entry")
	errIdmpOther        error = wireError("ERR the idempotent ID is known for another entry")
	errNumIDs           error = wireError("ERR Number of IDs must be a positive integer")
	errNumIDsMatch      error = wireError("ERR The `numids` parameter must match the number of arguments")
	errIDsMissing       error = wireError("ERR IDS option is required")
	errNackMode         error = wireError("ERR mode must be SILENT, FAIL, or FATAL")
	errNackOption       error = wireError("ERR Unrecognized XNACK option")
	errNackIDs          error = wireError("ERR syntax error, expected IDS keyword")
	errNackNumIDs       error = wireError("ERR numids must be a positive integer")
	errNackNumIDsMatch  error = wireError("ERR number of IDs doesn't match numids")
	errNackRetries      error = wireError("ERR Invalid RETRYCOUNT value, must be >= 0")
)

// HIMPORT.
var (
	errFieldTwice     error = wireError("ERR duplicate field name")
	errNoFieldset     error = wireError("ERR no such fieldset")
	errFieldsetValues error = wireError("ERR value count does not match the fieldset")
)

// Arrays.
var (
	errArrayIndex          error = wireError("ERR invalid array index")
	errArrayOverflow       error = wireError("ERR array index overflow")
	errInsertOverflow      error = wireError("ERR insert index overflow")
	errArrayRange          error = wireError("ERR range exceeds maximum of 1000000 items")
	errArrayLimit          error = wireError("ERR LIMIT must be positive")
	errArrayCount          error = wireError("ERR invalid COUNT")
	errArrayCountMax       error = wireError("ERR count exceeds maximum of 1000000 items")
	errRingSize            error = wireError("ERR invalid size")
	errRingPositive        error = wireError("ERR size must be positive")
	errMatchValue          error = wireError("ERR MATCH requires a value argument")
	errUnknownOperation    error = wireError("ERR unknown operation")
	errTooManyTests        error = wireError("ERR too many predicates, maximum is 250")
	errRegexpEmpty         error = wireError("ERR regular expression is empty")
	errRegexpLong          error = wireError("ERR regular expression is too long, maximum is 2048 bytes")
	errRegexpBackreference error = wireError("ERR backreferences are not supported in a regular expression")
	errRegexp              error = wireError("ERR invalid regular expression")
)
