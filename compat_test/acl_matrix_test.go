package compat_test

import (
	"strings"
	"testing"

	"minikv/resp"
)

// aclRuleSets are the rows of the matrix.
var aclRuleSets = []string{
	"+@all ~* &*",
	"-@all ~* &*",
	"+@all",
	"+@all ~a* &a*",
	"+@all %R~a* %W~b* ~c",
	"+@all %R~*",
	"+@all %W~*",
	"+@all %R~a %W~a",
	"+@read ~*",
	"+@write ~*",
	"+@all -@write ~* &*",
	"+@all -@dangerous ~* &*",
	"+@all -@fast ~*",
	"+@slow ~* &*",
	"+@string +@hash ~a* ~b*",
	"+@keyspace ~*",
	"+@pubsub &a &b*",
	"+@all -@pubsub ~* &*",
	"+@admin +@connection ~*",
	"+get +set ~a",
	"+get +mget +set +del ~a ~b",
	"+@all -get -config -client ~* &*",
	"+@all -config|get -acl|whoami -client|id ~* &*",
	"+config|get +client|getname +object|encoding +acl|cat ~*",
	"+config +client ~*",
	"+select|0 +select|1 +get|a +mget|a ~*",
	"+@all -select +select|0 ~*",
	"+set|A +del|B ~*",
	"-@all (+get ~a) (+set ~b)",
	"+get ~a (+get ~b) (+@write %W~c*)",
	"-@all (+@all %R~a*) (+@read ~*) (&* +@pubsub)",
	"+@all (~* &*)",
	"-@all (+@all ~* &*)",
	"+@list ~[ab] (+@list ~c?)",
	"+@all ~\\* ~a[^x]* ~*c",
	"nocommands allkeys allchannels",
	"allcommands allkeys resetchannels",
	"+@set +@sortedset +@geo +@stream +@bitmap +@hyperloglog ~a* %R~b*",
	"+@transaction +@scripting +@blocking ~*",
	"+sort +sort_ro ~a ~b",
	"+sort ~a (+sort %R~*)",
}

// aclCommands are the columns: keys of every kind of specification, channels,
// subcommands, arguments that make no sense.
var aclCommands = []string{
	"GET a", "GET b", "GET x", "GET", "SET a 1", "SET b 1", "SET A 1", "SET a 1 GET", "SET b 1 GET", "SET b 1 NOSUCH", "GETSET c 1", "GETDEL c", "GETEX a",
	"GETEX a PERSIST", "MGET a b", "MGET b a", "MGET a x", "MSET a 1 c 2", "MSET a 1 c", "APPEND b x", "STRLEN b", "INCR n", "DEL a", "DEL B", "DEL a b x",
	"UNLINK c", "EXISTS a", "EXISTS x", "TYPE b", "TTL a", "EXPIRE a 100", "PERSIST b", "RENAME nokey a", "COPY a c", "COPY c a", "COPY a b REPLACE",
	"OBJECT ENCODING a", "OBJECT HELP x", "TOUCH a x", "DBSIZE", "SCAN 0 MATCH nothing COUNT 1000", "RANDOMKEY x",
	"LPUSH la 1", "LRANGE la 0 -1", "LMOVE la lb LEFT LEFT", "LMPOP 1 la LEFT", "LMPOP 2 la lb LEFT", "LMPOP x la LEFT", "LMPOP 5 la LEFT", "RPOPLPUSH la lb",
	"LPUSH a 1", "LLEN c1", "LPOS la 1", "HSET h f v", "HGET h f", "HDEL a f", "SADD s x", "SINTER s s", "SINTERCARD 1 s", "SINTERCARD 2 s", "SUNIONSTORE a s b",
	"SMOVE s s2 x", "ZADD z 1 m", "ZRANGE z 0 -1", "ZRANGESTORE a z 0 -1", "ZUNIONSTORE b 1 a", "ZUNIONSTORE x 1 a", "ZUNIONSTORE x y a", "ZUNIONSTORE b 9 a",
	"ZINTER 1 z", "ZDIFF 2 a b", "ZMPOP 1 z MIN", "GEOADD g 1 1 p", "GEORADIUS g 1 1 1 m", "GEORADIUS g 1 1 1 m STORE a", "GEORADIUS g 1 1 1 m STOREDIST x",
	"GEORADIUS g 1 1 1 m STORE a STOREDIST x",
	"GEORADIUS g 1 1 1 m STORE x STORE a", "GEORADIUSBYMEMBER g STORE 1 m", "GEORADIUSBYMEMBER g p 1 m COUNT STORE STORE a", "GEORADIUS g 1 1 1 m STORE",
	"GEOSEARCHSTORE b g FROMLONLAT 1 1 BYRADIUS 1 m", "XADD st 1-1 f v", "XLEN st", "XREAD STREAMS st 0", "XREAD COUNT 1 STREAMS a b 0 0", "XREAD COUNT x a 0",
	"XREAD STREAMS a", "XREAD COUNT STREAMS STREAMS a 0", "XREAD STREAMS STREAMS 0", "XREAD STREAMS a b 0", "XREADGROUP GROUP STREAMS c STREAMS a >",
	"XREADGROUP GROUP g c STREAMS st >", "XREADGROUP GROUP g c COUNT 1 STREAMS x >", "XGROUP CREATE st g 0 MKSTREAM", "XINFO STREAM x", "SETBIT bm 1 1", "BITCOUNT bm", "BITOP AND a bm b", "BITFIELD bm GET u8 0",
	"BITFIELD a SET u8 0 1", "BITFIELD_RO b GET u8 0", "BITFIELD a OVERFLOW", "BITFIELD a OVERFLOW SAT", "BITFIELD a GET u8",
	"BITFIELD bm GET u8 0 SET u8 0 1", "BITFIELD bm GET u8 0 GET u8", "BITFIELD bm OVERFLOW GET SET u8 0 1", "PFADD hll x", "PFCOUNT hll b", "PFMERGE a hll",
	"SORT la", "SORT la BY nosort", "SORT a BY x_*", "SORT a GET #", "SORT la STORE b", "SORT la STORE x", "SORT_RO b BY w_*->f", "SORT a LIMIT 1", "SORT la STORE x STORE b", "SORT la STORE",
	"SORT la GET STORE STORE x", "SORT la LIMIT STORE x",
	"PUBLISH a m", "PUBLISH bb m", "PUBLISH x m", "SPUBLISH a m", "SPUBLISH x m", "PUBSUB NUMSUB a", "PUBSUB NUMPAT",
	"CONFIG GET maxmemory", "CONFIG SET maxmemory 0", "CONFIG NOSUCH", "CONFIG", "ACL WHOAMI", "ACL CAT nosuch", "ACL USERS x", "CLIENT GETNAME", "CLIENT KILL nosuch",
	"CLIENT SETNAME n", "COMMAND COUNT x", "COMMAND GETKEYS GET a", "SELECT 0", "SELECT 00", "SELECT 1", "ECHO a", "PING", "PING x", "FLUSHDB NOSUCH", "SWAPDB 0 0",
	"AUTH", "NOSUCH a", "WATCH a", "UNWATCH", "SCRIPT EXISTS a", "EVAL return{} 1 a", "EVAL return{} 1 x", "EVAL return{} x a", "EVAL return{} 7 a", "EVALSHA_RO a 1 a",
	"LATENCY LATEST x", "SLOWLOG LEN", "MEMORY USAGE nokey", "LCS a b", "SUBSTR a 0 0", "SETRANGE a 0 x", "DUMP nokey", "RESTORE b 0 x",
}

// aclPlaces are where a command can be: each answers all replies that it makes.
var aclPlaces = []struct {
	name string
	run  func(s *aclSide, rules, line []string) []resp.Value
}{
	{"plain", func(s *aclSide, _, line []string) []resp.Value {
		return []resp.Value{s.client(line...)}
	}},
	{"MULTI", func(s *aclSide, _, line []string) []resp.Value {
		return []resp.Value{s.client("MULTI"), s.client(line...), s.client("EXEC")}
	}},
	{"MULTI, rules changed before EXEC", func(s *aclSide, rules, line []string) []resp.Value {
		s.admin("ACL", "SETUSER", "u", "reset", "on", "nopass", "+@all", "~*", "&*")
		replies := []resp.Value{s.client("MULTI"), s.client(line...)}
		s.admin(append([]string{"ACL", "SETUSER", "u", "reset", "on", "nopass"}, rules...)...)
		return append(replies, s.client("EXEC"))
	}},
	{"script", func(s *aclSide, _, line []string) []resp.Value {
		return []resp.Value{s.client(append([]string{"EVAL", "return redis.pcall(unpack(ARGV))", "0"}, line...)...)}
	}},
	{"redis.acl_check_cmd", func(s *aclSide, _, line []string) []resp.Value {
		return []resp.Value{s.client(append([]string{"EVAL", "return redis.acl_check_cmd(unpack(ARGV))", "0"}, line...)...)}
	}},
}

// TestACLMatrixAsRedis runs every command by every set of rules in every place.
func TestACLMatrixAsRedis(t *testing.T) {
	t.Parallel()
	ours, theirs := aclSides(t)
	c := &cells{t: t}
	for _, set := range aclRuleSets {
		// What places need is allowed to all.
		rules := append(strings.Fields(set), "+eval", "+multi", "+exec", "+discard")
		c.compare("ACL SETUSER u "+set, ours.asUser("u", rules...), theirs.asUser("u", rules...))
		for _, place := range aclPlaces {
			for _, command := range aclCommands {
				line := strings.Fields(command)
				got, want := place.run(&ours, rules, line), place.run(&theirs, rules, line)
				for i := range want {
					c.compare(set+" | "+place.name+" | "+command, got[i], want[i])
				}
			}
		}
		got, want := aclLog(ours.admin("ACL", "LOG", "1000")), aclLog(theirs.admin("ACL", "LOG", "1000"))
		c.compare(set+" | ACL LOG", got, want)
		ours.admin("ACL", "LOG", "RESET")
		theirs.admin("ACL", "LOG", "RESET")
	}
	c.enough(20_000)
}

// aclLog is ACL LOG without what differs by nature: ages and connections.
func aclLog(log resp.Value) resp.Value {
	for i := range log.Elems {
		fields := log.Elems[i].Elems
		for j := 0; j+1 < len(fields); j += 2 {
			if name := fields[j].Str; name == "age-seconds" || name == "client-info" {
				fields[j+1] = resp.Value{}
			}
		}
	}
	return log
}
