package compat_test

import (
	"crypto/sha1"
	"encoding/hex"
	"slices"
	"strings"

	"minikv/resp"
)

// A rule says how the replies of a command are compared. Without one they must
// be equal to the byte.
type rule struct {
	why  string
	same func(args []string, ours, theirs resp.Value) bool
}

// rules is the list of all that is not compared byte by byte, by class.
var rules = map[string]rule{
	"seconds":   {"a second may pass between the servers", within(2)},
	"millis":    {"milliseconds pass between the servers", within(3000)},
	"time":      {"tells the time", shape},
	"OBJECT":    {"IDLETIME tells seconds, and small numbers share one object in redis", apart(1 << 31)},
	"DBSIZE":    {"redis counts keys whose time is over until its next cycle", apart(len(allKeys))},
	"random":    {"random members", shape},
	"unordered": {"order is the table's", unordered},
	"scan":      {"pages differ; a whole iteration is compared as a set", scanned},
	"sort":      {"which of several that weigh the same come within LIMIT is the sorting algorithm's; BY nothing leaves a set in the table's order", tied},
	"XPENDING":  {"tells for how many milliseconds entries are pending", idle(2)},
	"XINFO":     {"tells moments, and the layout of the radix tree", shape},
}

// ruleOf names the class of a command; a command without one is its own.
var ruleOf = map[string]string{
	"TTL": "seconds", "EXPIRETIME": "seconds", "PTTL": "millis", "PEXPIRETIME": "millis", "TIME": "time",
	"RANDOMKEY": "random", "SRANDMEMBER": "random", "HRANDFIELD": "random", "ZRANDMEMBER": "random",
	"SPOP": "unordered", "KEYS": "unordered", "SMEMBERS": "unordered", "SINTER": "unordered", "SUNION": "unordered", "SDIFF": "unordered",
	"HGETALL": "unordered", "HKEYS": "unordered", "HVALS": "unordered", "PUBSUB": "unordered",
	"SORT": "sort", "SORT_RO": "sort", "SCAN": "scan", "SSCAN": "scan", "HSCAN": "scan", "ZSCAN": "scan",
}

// same compares two replies to a command.
func same(args []string, ours, theirs resp.Value) bool {
	if ours.Equal(theirs) {
		return true
	}
	name := strings.ToUpper(args[0])
	if class := ruleOf[name]; class != "" {
		name = class
	}
	r, has := rules[name]
	return has && !ours.IsError() && !theirs.IsError() && r.same(args, ours, theirs)
}

// apart compares integers that may be so far apart, whatever they are.
func apart(n int) func([]string, resp.Value, resp.Value) bool {
	return func(_ []string, a, b resp.Value) bool {
		return a.Type == ':' && b.Type == ':' && max(a.Int-b.Int, b.Int-a.Int) <= int64(n)
	}
}

// within compares integers that may be so far apart.
func within(n int64) func([]string, resp.Value, resp.Value) bool {
	return func(_ []string, a, b resp.Value) bool {
		return a.Type == ':' && b.Type == ':' && a.Int > 0 && b.Int > 0 && max(a.Int-b.Int, b.Int-a.Int) <= n ||
			a.Type == ':' && b.Type == ':' && a.Int >= 0 && b.Int >= 0 && a.Int < 5 && b.Int < 5 && n > 1
	}
}

// scanned compares whole iterations; what stands at a made-up cursor is anybody's.
func scanned(args []string, a, b resp.Value) bool {
	return !slices.Contains(args, "0") && len(a.Elems) == 2 && len(b.Elems) == 2 || unordered(args, a, b)
}

// tied compares SORT with BY and LIMIT by the number of elements, with BY alone
// as a multiset.
func tied(args []string, a, b resp.Value) bool {
	return slices.Contains(args, "BY") && (slices.Contains(args, "LIMIT") && shape(args, a, b) || unordered(args, a, b))
}

// idle compares arrays of arrays save for their i-th elements.
func idle(i int) func([]string, resp.Value, resp.Value) bool {
	return func(_ []string, a, b resp.Value) bool {
		if len(a.Elems) != len(b.Elems) {
			return false
		}
		for n := range a.Elems {
			x, y := slices.Clone(a.Elems[n].Elems), slices.Clone(b.Elems[n].Elems)
			if len(x) <= i || len(x) != len(y) {
				return false
			}
			x[i], y[i] = resp.Value{}, resp.Value{}
			if !(resp.Value{Type: '*', Elems: x}).Equal(resp.Value{Type: '*', Elems: y}) {
				return false
			}
		}
		return true
	}
}

// shape compares types and lengths, not what is in them.
func shape(_ []string, a, b resp.Value) bool {
	if a.Type != b.Type || a.Nil != b.Nil || len(a.Elems) != len(b.Elems) {
		return false
	}
	for i := range a.Elems {
		if len(a.Elems[i].Elems) != len(b.Elems[i].Elems) {
			return false
		}
	}
	return true
}

// unordered compares the elements as a multiset; of a map, its pairs.
func unordered(args []string, a, b resp.Value) bool {
	if a.Type != b.Type || len(a.Elems) != len(b.Elems) {
		return false
	}
	pairs := a.Type == '%' || strings.EqualFold(args[0], "HGETALL")
	return slices.Equal(sortedTexts(a, pairs), sortedTexts(b, pairs))
}

func sortedTexts(v resp.Value, pairs bool) []string {
	var texts []string
	for i, e := range v.Elems {
		if pairs && i%2 == 1 {
			texts[len(texts)-1] += " => " + e.String()
			continue
		}
		texts = append(texts, e.String())
	}
	slices.Sort(texts)
	return texts
}

func scriptSHA(source string) string {
	sum := sha1.Sum([]byte(source))
	return hex.EncodeToString(sum[:])
}
