package compat_test

import (
	"slices"
	"strings"
	"testing"

	"minikv/engine"
)

// dryRunRules are the users of the dry run.
var dryRunRules = []string{
	"+@all ~* &*", "+@all", "-@all ~* &*", "+@all %R~* &*", "+@all %W~*", "+@all ~1", "+@all ~2 ~3", "+@all ~[13579] &2", "+@read +@fast ~*",
	"+@slow -@admin ~*", "+@all -@string -@keyspace %W~1 %R~2", "-@all (+@all ~1) (+@all ~2)", "+@all %R~1 %W~2 ~k", "+@dangerous ~* -@write",
}

// TestACLDryRunAsRedis asks of every command whether users may run it. The
// arguments have no meaning but are told apart: some forms make sense, most do
// not, and then no key must be missed or made up either.
func TestACLDryRunAsRedis(t *testing.T) {
	t.Parallel()
	ours, theirs := aclSides(t)
	c := &cells{t: t}
	for i, rules := range dryRunRules {
		name := "u" + string(rune('a'+i))
		c.compare(rules, ours.asUser(name, strings.Fields(rules)...), theirs.asUser(name, strings.Fields(rules)...))
		for _, cmd := range engine.Commands().Commands() {
			full := strings.Split(cmd.FullName(), "|")
			if theirs.admin("COMMAND", "INFO", cmd.FullName()).Elems[0].Elems == nil || ours.admin("COMMAND", "INFO", cmd.FullName()).Elems[0].Elems == nil {
				continue
			}
			for _, args := range dryRunArgs(max(cmd.Arity, -cmd.Arity) - len(full)) {
				line := slices.Concat([]string{"ACL", "DRYRUN", name}, full, args)
				c.compare(rules+" | "+strings.Join(line[3:], " "), ours.admin(line...), theirs.admin(line...))
			}
		}
	}
	c.enough(20_000)
}

// dryRunArgs are lists of so many arguments and more.
func dryRunArgs(least int) (lists [][]string) {
	numbers := []string{"1", "2", "3", "4", "5", "6", "7", "8", "9", "10", "11", "12"}
	for n := max(least-1, 0); n < least+5; n++ {
		lists = append(lists, numbers[:n])
	}
	return append(lists,
		[]string{"2", "1", "k", "2"}, []string{"x", "1", "1", "x", "1"}, []string{"k", "3", "1", "2", "3", "LEFT"}, []string{"0", "2", "1", "2", "MIN"},
		[]string{"STREAMS", "1", "2", "3", "4"}, []string{"GROUP", "1", "2", "STREAMS", "3", "1"}, []string{"1", "2", "GET"}, []string{"1", "1", "1", "1", "m", "STORE", "2"},
		[]string{"1", "BY", "2", "STORE", "3"}, []string{"1", "-1", "2", "3"}, []string{"1", "0", "2", "3"}, []string{"1", "99", "2", "3"})
}
