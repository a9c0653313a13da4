package compat_test

import (
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"minikv/resp"
)

// aclWords are rules, right and wrong, of which users are made at random.
var aclWords = []string{
	"on", "off", "ON", "reset", "nopass", "resetpass", "sanitize-payload", "skip-sanitize-payload", "Sanitize-Payload", "clearselectors",
	">pw", ">", ">other", "<pw", "<nosuch", "#30c952fab122c3f9759f02a6d95c3758b246b4fee239957b2d4fee46e26170c4", "!30c952fab122c3f9759f02a6d95c3758b246b4fee239957b2d4fee46e26170c4",
	"#30C952fab122c3f9759f02a6d95c3758b246b4fee239957b2d4fee46e26170c4", "#zz", "!", "#30c952fab122c3f9759f02a6d95c3758b246b4fee239957b2d4fee46e26170cg",
	"allkeys", "~*", "resetkeys", "~a*", "~b", "~", "~a b", "~a\x00", "%R~a*", "%W~a*", "%RW~c", "%r~d", "%wr~e", "%R~*", "%W~*", "%RW~*", "%", "%R", "%RR~a", "%X~a", "%~a", "%R~a b",
	"allchannels", "&*", "resetchannels", "&a*", "&b", "&", "&a b",
	"allcommands", "nocommands", "+@all", "-@all", "+@ALL", "+@", "-@", "+@nosuch", "-@nosuch", "+", "-", "+nosuch", "-nosuch", "nosuch", "", " ", "\x00", "on\x00x", "+get\x00x",
	"+get", "-get", "+GET", "+set", "-set", "+config", "-config", "+config|get", "-config|get", "+config|set", "-config|set", "+CONFIG|Get", "+config|nosuch", "-config|nosuch",
	"+config|get|x", "-config|get|x", "+config|", "+|", "+get|x", "+get|X", "+get|y", "-get|x", "+get|x|y", "+select|0", "+select", "-select", "+acl|whoami", "-client", "+client|id",
	"-client|id", "+object|help", "-object", "+xinfo", "-xinfo|help", "+@all|x", "+mget|a", "+nosuch|x",
	"(+get ~a)", "(+@read %R~a* &b)", "()", "( )", "(+get", "+set)", ")", "(", "(~* ~a)", "(on)", "(>x)", "(+nosuch)", "(reset)", "(+@all allkeys allchannels)", "((+get))", "(+get)x",
	"(-@all +config -config|set)", "(resetchannels &x)", "(+get|a +get|b)", "(~a  ~b)", "(%R)", "(+set) (+get)",
}

// aclCategories are in rules as often as all other words.
var aclCategories = []string{
	"keyspace", "read", "write", "set", "sortedset", "list", "hash", "string", "bitmap", "hyperloglog", "geo", "stream",
	"pubsub", "admin", "fast", "slow", "blocking", "dangerous", "connection", "transaction", "scripting",
}

func randomRule(r *rand.Rand) string {
	if r.IntN(3) > 0 {
		return aclWords[r.IntN(len(aclWords))]
	}
	return []string{"+@", "-@"}[r.IntN(2)] + aclCategories[r.IntN(len(aclCategories))]
}

// TestACLRulesAsRedis gives users random rules, and looks at what becomes of them.
func TestACLRulesAsRedis(t *testing.T) {
	t.Parallel()
	ours, theirs := aclSides(t)
	r := rand.New(rand.NewPCG(7, 0))
	foreign := differing(ruleNames(ours), ruleNames(theirs))
	otherwise := 0 // told by other categories, since the servers do not have the same commands
	c := &cells{t: t}
	for range 3000 {
		if r.IntN(5) == 0 {
			ours.admin("ACL", "DELUSER", "u")
			theirs.admin("ACL", "DELUSER", "u")
		}
		line := []string{"ACL", "SETUSER", "u"}
		for range r.IntN(6) {
			line = append(line, randomRule(r))
		}
		what := strings.Join(line, " | ")
		c.compare(what, ours.admin(line...), theirs.admin(line...))
		for _, tell := range [][]string{{"ACL", "GETUSER", "u"}, {"ACL", "LIST"}} {
			got, want := words(ours.admin(tell...), foreign.has), words(theirs.admin(tell...), foreign.has)
			if got.String() != want.String() && len(foreign) > 0 {
				otherwise++
				got, want = words(got, everything), words(want, everything)
			}
			c.compare(what+" => "+strings.Join(tell, " "), got, want)
		}
		for range 8 {
			ask := append([]string{"ACL", "DRYRUN", "u"}, strings.Fields(aclCommands[r.IntN(len(aclCommands))])...)
			if len(ask) < 5 {
				continue
			}
			c.compare(what+" => "+strings.Join(ask, " "), ours.admin(ask...), theirs.admin(ask...))
		}
	}
	c.enough(20_000)
	if otherwise*100 > c.n {
		t.Errorf("%d users are told otherwise", otherwise)
	}
}

// ruleNames are the names of commands and categories that rules can have.
func ruleNames(s aclSide) map[string]bool {
	names := make(map[string]bool)
	for _, name := range s.admin("COMMAND", "LIST").Elems {
		names[name.Str] = true
	}
	for _, cat := range aclCategories {
		names["@"+cat] = true
	}
	return names
}

// names are those of commands that only one of the servers has.
type names map[string]bool

func differing(ours, theirs map[string]bool) names {
	only := names{}
	for name := range ours {
		only[name] = !theirs[name]
	}
	for name := range theirs {
		only[name] = !ours[name]
	}
	maps.DeleteFunc(only, func(_ string, one bool) bool { return !one })
	return only
}

// has tells whether it is a command, or a subcommand, that only one has.
func (n names) has(name string) bool {
	container, _, _ := strings.Cut(name, "|")
	return n[name] || n[container]
}

// everything tells of each command that it may differ.
func everything(string) bool { return true }

// words are a reply's texts word by word: rules on commands are told in the
// order of a hash table by Redis, so they are sorted. Those on commands that are
// left out are.
func words(v resp.Value, leftOut func(string) bool) resp.Value {
	for i := range v.Elems {
		v.Elems[i] = words(v.Elems[i], leftOut)
	}
	list := slices.DeleteFunc(strings.Split(strings.ReplaceAll(v.Str, ")", " )"), " "), func(word string) bool {
		return isCommandRule(word) && leftOut(strings.TrimLeft(word, "+-"))
	})
	for from := 0; from < len(list); from++ {
		to := from
		for to < len(list) && isCommandRule(list[to]) {
			to++
		}
		slices.Sort(list[from:to])
		from = max(from, to-1)
	}
	v.Str = strings.Join(list, " ")
	return v
}

// isCommandRule tells whether a word is a rule on a command or category.
func isCommandRule(word string) bool {
	return len(word) > 1 && (word[0] == '+' || word[0] == '-') && word[1:] != "@all"
}
