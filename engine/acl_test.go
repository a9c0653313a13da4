package engine

import (
	"strings"
	"testing"

	"minikv/engine/config"
)

// aclNode is a node of a version, with a client that may do everything.
func aclNode(t *testing.T, version string) (*node, *Client) {
	conf := config.New()
	conf.RedisVersion = version
	n := newNode(t, Options{Config: conf})
	return n, n.client()
}

// as connects a client that is a user, made by rules.
func (n *node) as(admin *Client, rules string) *Client {
	n.t.Helper()
	n.want(admin, "ACL SETUSER u reset on nopass "+rules, "+OK")
	cl := n.client()
	n.want(cl, "AUTH u any", "+OK")
	return cl
}

// TestACLTextsByVersion: Redis 7.2 names the user, and tells in scripts what is
// lacking.
func TestACLTextsByVersion(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ command, old, new string }{
		{"DEL a", "-NOPERM this user has no permissions to run the 'del' command", "-NOPERM User u has no permissions to run the 'del' command"},
		{"CONFIG SET a b", "-NOPERM this user has no permissions to run the 'config|set' command", "-NOPERM User u has no permissions to run the 'config|set' command"},
		{"GET b", "-NOPERM this user has no permissions to access one of the keys used as arguments", "-NOPERM No permissions to access a key"},
		{"PUBLISH c m", "-NOPERM this user has no permissions to access one of the channels used as arguments", "-NOPERM No permissions to access a channel"},
		{"EVAL return(redis.pcall('DEL','a')) 0", "-ERR The user executing the script can't run this command or subcommand",
			"-NOPERM ACL failure in script: User u has no permissions to run the 'del' command"},
		{"EVAL return(redis.pcall('GET','b')) 0", "-ERR The user executing the script can't access at least one of the keys mentioned in the command arguments",
			"-NOPERM ACL failure in script: No permissions to access a key"},
	} {
		for version, want := range map[string]string{"": test.old, "7.0": test.old, "7.2": test.new, "8.8": test.new} {
			n, admin := aclNode(t, version)
			cl := n.as(admin, "+get +publish +eval ~a")
			if got := n.send(cl, test.command); got != want {
				t.Errorf("%q: %s answers %q, want %q", version, test.command, got, want)
			}
		}
	}
}

// TestACLDryRunByVersion: so does ACL DRYRUN.
func TestACLDryRunByVersion(t *testing.T) {
	t.Parallel()
	for version, who := range map[string]string{"": "This user", "7.0": "This user", "7.2": "User u"} {
		n, admin := aclNode(t, version)
		n.want(admin, "ACL SETUSER u +get", "+OK")
		for command, want := range map[string]string{
			"del a": who + " has no permissions to run the 'del' command",
			"get a": who + " has no permissions to access the 'a' key",
		} {
			if got := n.send(admin, "ACL DRYRUN u "+command); !strings.HasSuffix(got, " "+want) {
				t.Errorf("%q: %s answers %q, want %q", version, command, got, want)
			}
		}
	}
}

// TestACLRulesByVersion: from 7.2 on rules are told as they were given, and new
// users have sanitize-payload.
func TestACLRulesByVersion(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ version, rules, told string }{
		{"7.0", "+get +@read +set -get", "user u off resetchannels -@all +@read +set -get"},
		{"7.2", "+get +@read +set -get", "user u off sanitize-payload resetchannels -@all +@read +set -get"},
		{"7.2", "+config|get +CONFIG|set -config +config|get", "user u off sanitize-payload resetchannels -@all -config +config|get"},
		{"7.2", "+get +@all -@write -@WRITE +set", "user u off sanitize-payload resetchannels +@all -@write +set"},
		{"7.2", "+get -@all +mget", "user u off sanitize-payload resetchannels -@all +mget"},
	} {
		n, admin := aclNode(t, test.version)
		n.want(admin, "ACL SETUSER u "+test.rules, "+OK")
		got := n.send(admin, "ACL LIST")
		if test.version == "7.0" { // commands in the order of their names
			test.told = strings.Replace(test.told, "+set -get", "-get +set", 1)
		}
		if !strings.HasSuffix(got, " "+test.told) {
			t.Errorf("%s: %s is told as %q, want %q", test.version, test.rules, got, test.told)
		}
	}
}

// TestACLHidesLaterCommands: an emulated version knows only its own commands
// and categories.
func TestACLHidesLaterCommands(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ version, rule, reply string }{
		{"", "+delex", "+OK"}, {"", "+@array", "+OK"}, {"8.8", "+@array", "+OK"},
		{"7.0", "+delex", "-ERR Error in ACL SETUSER modifier '+delex': Unknown command or category name in ACL"},
		{"7.0", "+@array", "-ERR Error in ACL SETUSER modifier '+@array': Unknown command or category name in ACL"},
		{"7.0", "+client|no-touch", "-ERR Error in ACL SETUSER modifier '+client|no-touch': Unknown command or category name in ACL"},
	} {
		n, admin := aclNode(t, test.version)
		n.want(admin, "ACL SETUSER u "+test.rule, test.reply)
	}
	n, admin := aclNode(t, "7.0")
	if got := n.send(admin, "ACL CAT"); !strings.HasPrefix(got, "*21 ") || strings.Contains(got, "array") {
		t.Errorf("ACL CAT of 7.0 answers %q", got)
	}
}

// TestBlockedClientIsCheckedAgain: a client that waits may have lost its
// permission when it is served; Redis 7.2 looks again.
func TestBlockedClientIsCheckedAgain(t *testing.T) {
	t.Parallel()
	for version, want := range map[string]string{"7.0": "*2 $1 l $1 v", "7.2": "-NOPERM No permissions to access a key"} {
		n, admin := aclNode(t, version)
		cl := n.as(admin, "+@all ~l")
		n.want(cl, "BLPOP l 0", "")
		n.want(admin, "ACL SETUSER u resetkeys", "+OK")
		n.want(admin, "RPUSH l v", ":1")
		n.wantRead(cl, want)
	}
}

// TestACLLogStamps: entries have ids and times from 7.2 on.
func TestACLLogStamps(t *testing.T) {
	t.Parallel()
	for version, fields := range map[string]string{"": "*14 ", "7.0": "*14 ", "7.2": "*20 "} {
		n, admin := aclNode(t, version)
		n.want(admin, "AUTH nobody x", "-WRONGPASS invalid username-password pair or user is disabled.")
		n.now += 5_000_000
		n.want(admin, "AUTH nobody x", "-WRONGPASS invalid username-password pair or user is disabled.")
		n.now += 1_500_000
		got := n.send(admin, "ACL LOG")
		if !strings.HasPrefix(got, "*1 "+fields+"$5 count :2 ") || !strings.Contains(got, "$11 age-seconds $3 1.5 ") {
			t.Errorf("%q: ACL LOG answers %q", version, got)
		}
		if version == "7.2" && !strings.HasSuffix(got, " $8 entry-id :0 $17 timestamp-created :"+at(0)+" $22 timestamp-last-updated :"+at(5000)) {
			t.Errorf("ACL LOG answers %q", got)
		}
	}
}

// TestACLLogGroups: what happens again later than a minute after, or after
// enough else, is a new entry.
func TestACLLogGroups(t *testing.T) {
	t.Parallel()
	n, admin := aclNode(t, "7.0")
	cl := n.as(admin, "-@all")
	entries := func() int { return strings.Count(n.send(admin, "ACL LOG 100"), "$6 reason") }
	n.send(cl, "GET a")
	n.now += 60_000_000
	n.send(cl, "GET a")
	if got := entries(); got != 1 {
		t.Errorf("a minute later there are %d entries", got)
	}
	n.now += 60_001_000
	n.send(cl, "GET a")
	if got := entries(); got != 2 {
		t.Errorf("more than a minute later there are %d entries", got)
	}
	for _, command := range strings.Fields("TTL TYPE DUMP INCR LLEN HLEN SCARD ZCARD XLEN") {
		n.send(cl, command+" a")
	}
	n.send(cl, "GET a")
	if got := entries(); got != 11 {
		t.Errorf("after 9 others there are %d entries, want 11", got)
	}
	n.send(cl, "DECR a")
	for _, command := range strings.Fields("TTL TYPE DUMP INCR LLEN HLEN SCARD ZCARD XLEN") {
		n.send(cl, command+" a")
	}
	n.send(cl, "GET a")
	if got := entries(); got != 22 {
		t.Errorf("after 10 others, of which each then is the eleventh, there are %d entries, want 22", got)
	}
}

// TestDenialsInInfo: INFO counts refusals from 7.2 on.
func TestDenialsInInfo(t *testing.T) {
	t.Parallel()
	for version, shown := range map[string]bool{"": false, "7.0": false, "7.2": true} {
		n, admin := aclNode(t, version)
		cl := n.as(admin, "+get +publish")
		for _, command := range []string{"DEL a", "GET a", "GET a", "PUBLISH c m", "AUTH u2 x"} {
			n.send(cl, command)
		}
		const want = "acl_access_denied_auth:1 acl_access_denied_cmd:1 acl_access_denied_key:2 acl_access_denied_channel:1"
		if got := n.send(admin, "INFO stats"); strings.Contains(got, want) != shown || strings.Contains(got, "acl_access") != shown {
			t.Errorf("%q: INFO stats answers %q", version, got)
		}
	}
}

// TestUsersInSnapshots: users, and which client is which, come back.
func TestUsersInSnapshots(t *testing.T) {
	t.Parallel()
	n, admin := aclNode(t, "")
	cl := n.as(admin, "+get ~a")
	s := n.e.Snapshot()
	defer s.Release()
	before := string(n.e.AppendState(nil, []*Client{admin, cl}))
	n.want(admin, "ACL SETUSER u reset on nopass +set ~b", "+OK")
	n.want(cl, "AUTH default x", "+OK")
	n.want(admin, "ACL DELUSER u", ":1")
	n.want(admin, "ACL SETUSER v", "+OK")
	if string(n.e.AppendState(nil, []*Client{admin, cl})) == before {
		t.Error("other users make the same state")
	}
	n.e.Restore(s)
	if string(n.e.AppendState(nil, []*Client{admin, cl})) != before {
		t.Error("the restored state is another")
	}
	n.want(cl, "GET a", "$-1")
	n.want(cl, "GET b", "-NOPERM this user has no permissions to access one of the keys used as arguments")
	n.want(admin, "ACL USERS", "*2 $7 default $1 u")

	fork := newNode(t, Options{})
	fork.e.Restore(s)
	other := fork.client()
	fork.want(other, "ACL SETUSER u allkeys", "+OK")
	n.want(cl, "GET b", "-NOPERM this user has no permissions to access one of the keys used as arguments")
}

// TestUnrestrictedUsersPassUnchecked: whoever may do everything is not checked,
// however it came to be so.
func TestUnrestrictedUsersPassUnchecked(t *testing.T) {
	t.Parallel()
	for rules, limited := range map[string]bool{
		"+@all ~* &*": false, "+@all allkeys allchannels": false, "(+@all ~* &*)": false, "+@all ~*": true, "+@all %RW~* &*": true, "+@all ~* &* -get": true,
		"+@all ~* &* -get +get": true, "+@all ~* (&*)": true,
	} {
		n, admin := aclNode(t, "")
		if cl := n.as(admin, rules); cl.user.limited != limited {
			t.Errorf("%s: limited is %v", rules, !limited)
		}
	}
}

// TestSetUserIsSecret: the slow log does not show rules.
func TestSetUserIsSecret(t *testing.T) {
	t.Parallel()
	n, admin := aclNode(t, "")
	n.want(admin, "CONFIG SET slowlog-log-slower-than 0", "+OK")
	n.want(admin, "ACL SETUSER u >secret", "+OK")
	if got := n.send(admin, "SLOWLOG GET 1"); strings.Contains(got, "secret") || !strings.Contains(got, "*4 $3 ACL $7 SETUSER $10 (redacted) $10 (redacted)") {
		t.Errorf("SLOWLOG GET answers %q", got)
	}
}

// TestUsersOfTheConfiguration: what user lines may say.
func TestUsersOfTheConfiguration(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ file, told string }{
		{"user a on >pw +get ~a* (+set ~b)", "user a on #30c952fab122c3f9759f02a6d95c3758b246b4fee239957b2d4fee46e26170c4 ~a* resetchannels -@all +get (~b resetchannels -@all +set)"},
		{"user a ( +get ~z )", "user a off resetchannels -@all (~z resetchannels -@all +get)"},
		{"requirepass pw", "user default on #30c952fab122c3f9759f02a6d95c3758b246b4fee239957b2d4fee46e26170c4 ~* &* +@all"},
		{"requirepass pw\nuser default on nopass +@all", "user default on nopass sanitize-payload resetchannels +@all"},
		{"acl-pubsub-default allchannels\nuser a on", "user a on &* -@all"},
	} {
		conf := config.New()
		if _, err := conf.ParseFile("redis.conf", []byte(test.file), nil); err != nil {
			t.Fatal(err)
		}
		e := New(Options{Config: conf})
		if err := e.UsersError(); err != nil || !strings.Contains(string(e.ACLFile()), test.told+"\n") {
			t.Errorf("%q makes\n%swant %s (%v)", test.file, e.ACLFile(), test.told, err)
		}
	}
	for file, reason := range map[string]string{
		"user a on\nuser a on":    "Duplicate user found. A user can only be defined once in config files",
		"user a foo":              "Syntax error",
		"user a +foo":             "Error in applying operation '+foo': Unknown command or category name in ACL",
		"user a (+get":            "Unmatched parenthesis",
		"user \"a b\" on":         "Spaces not allowed in ACL usernames",
		"user a on\naclfile file": "not both",
	} {
		conf := config.New()
		if _, err := conf.ParseFile("redis.conf", []byte(file), nil); err != nil {
			t.Fatal(err)
		}
		e := New(Options{Config: conf})
		if err := e.UsersError(); err == nil || !strings.Contains(err.Error(), reason) {
			t.Errorf("%q: %v, want %s", file, err, reason)
		}
		if got := string(e.ACLFile()); got != "user default on nopass ~* &* +@all\n" {
			t.Errorf("%q: the users are %q", file, got)
		}
	}
}
