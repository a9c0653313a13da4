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

// rules is the list of all that is not compared byte by byte.
var rules = map[string]rule{
	"TTL":         {"a second may pass between the servers", within(2)},
	"PTTL":        {"milliseconds pass between the servers", within(3000)},
	"EXPIRETIME":  {"relative deadlines were set at different moments", within(2)},
	"PEXPIRETIME": {"relative deadlines were set at different moments", within(3000)},
	"TIME":        {"tells the time", shape},
	"OBJECT":      {"IDLETIME tells seconds, and small numbers share one object in redis", apart(1000)},
	"DBSIZE":      {"redis counts keys whose time is over until its next cycle", apart(len(allKeys))},
	"RANDOMKEY":   {"random", shape},
	"SRANDMEMBER": {"random", shape},
	"HRANDFIELD":  {"random", shape},
	"ZRANDMEMBER": {"random", shape},
	"SPOP":        {"all members, in any order", unordered},
	"KEYS":        {"order is the table's", unordered},
	"SMEMBERS":    {"order is the table's", unordered},
	"SINTER":      {"order is the table's", unordered},
	"SUNION":      {"order is the table's", unordered},
	"SDIFF":       {"order is the table's", unordered},
	"HASH":        {"HGETALL, HKEYS and HVALS of a large hash: order is the table's", unordered},
	"PUBSUB":      {"order is the table's", unordered},
	"SCANS":       {"SCAN, SSCAN, HSCAN, ZSCAN: pages differ; a whole iteration is compared as a set", unordered},
}

var ruleOf = map[string]string{
	"HGETALL": "HASH", "HKEYS": "HASH", "HVALS": "HASH",
	"SCAN": "SCANS", "SSCAN": "SCANS", "HSCAN": "SCANS", "ZSCAN": "SCANS",
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
