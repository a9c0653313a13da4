package engine

import (
	"slices"
	"strconv"
	"strings"
)

// Walk visits every node, outer before inner.
func (t ArgTree) Walk(fn func(*Arg)) {
	for i := range t {
		fn(&t[i])
		ArgTree(t[i].Args).Walk(fn)
	}
}

// ForVersion is the tree without the options that a version lacks ("" keeps all).
func (t ArgTree) ForVersion(ver string) ArgTree {
	v, err := parseVersion(ver)
	if err != nil {
		return t
	}
	return t.forVersion(v)
}

// forVersion leaves out what came later; a choice of which one is left is that one.
func (t ArgTree) forVersion(v version) ArgTree {
	if v.isZero() {
		return t
	}
	var kept ArgTree
	for _, a := range t {
		since, _ := parseVersion(a.Since)
		if !v.has(since) {
			continue
		}
		if len(a.Args) > 0 {
			if a.Kind == ArgBlock && a.Args[0].Since != "" && len(ArgTree(a.Args[:1]).forVersion(v)) == 0 {
				continue // what follows a keyword goes with it
			}
			if a.Args = ArgTree(a.Args).forVersion(v); len(a.Args) == 0 {
				continue
			}
		}
		if a.Kind == ArgOneOf && len(a.Args) == 1 && a.Token == "" {
			only := a.Args[0]
			only.Optional = only.Optional || a.Optional
			only.Multiple = only.Multiple || a.Multiple
			a = only
		}
		kept = append(kept, a)
	}
	return kept
}

// bindKeys says of each key argument which of the row's key specifications
// finds it: the one that looks for its keyword, else the next in order, else
// the last, which says of itself that it does not know where to look.
func (t ArgTree) bindKeys(specs []KeySpec) {
	next := 0
	t.Walk(func(a *Arg) {
		if a.Kind != ArgKey {
			return
		}
		for i := range specs {
			if specs[i].Keyword != "" && specs[i].Keyword == a.Token {
				a.KeySpec = i
				return
			}
		}
		for next < len(specs)-1 && (specs[next].Keyword != "" || specs[next].Step == 0 && specs[next].KeyStep == 0) {
			next++
		}
		a.KeySpec = next
		if next < len(specs)-1 {
			next++
		}
	})
}

// distinguish gives arguments that stand side by side names of their own: that
// of their keyword, or a number.
func distinguish(args []Arg) {
	taken := make(map[string]bool)
	for i := range args {
		a := &args[i]
		if taken[a.Name] && a.Token != "" {
			a.Name = tokenName(a.Token)
		}
		name := a.Name
		for n := 2; taken[a.Name]; n++ {
			a.Name = name + strconv.Itoa(n)
		}
		taken[a.Name] = true
		distinguish(a.Args)
	}
}

// tokenName is the name of a keyword as an argument.
func tokenName(token string) string {
	switch token {
	case "*":
		return "auto_id"
	case "=":
		return "equal"
	case "~":
		return "approximately"
	case "$":
		return "new_id"
	case ">":
		return "undelivered"
	}
	return strings.ToLower(token)
}

// joinedName is the name of a block or a choice, made of its parts' names.
func joinedName(args []Arg) string {
	names := make([]string, 0, len(args))
	for _, a := range args {
		if !slices.Contains(names, a.Name) {
			names = append(names, a.Name)
		}
	}
	return strings.Join(names, "_")
}
