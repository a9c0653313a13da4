package explore

import (
	"slices"
	"strings"
)

// A Mutant is a mistake that is put into a scenario's programs on purpose: a
// form that holds must be found broken with it, or its properties look at
// nothing.
type Mutant struct {
	Name string

	sameToken bool
	change    func(m *Mutant, argv []string) []string
	used      bool
}

// Mutants are the mistakes: the classic ones.
func Mutants() []*Mutant {
	return []*Mutant{
		{Name: "token dropped", sameToken: true},
		{Name: "TTL dropped", change: dropTTL},
		{Name: "DEL for the compared release", change: plainRelease},
		{Name: "extend without compare", change: plainExtend},
	}
}

// Used tells whether the mistake had a place in the programs that ran.
func (m *Mutant) Used() bool { return m.used }

// timeToLive is how scripts give a lock its time.
const timeToLive = ", 'PX', ARGV[2]"

// dropTTL takes the time to live out of SET.
func dropTTL(m *Mutant, argv []string) []string {
	if isEval(argv[0]) && strings.Contains(argv[1], timeToLive) {
		m.used = true
		argv = slices.Clone(argv)
		argv[1] = strings.ReplaceAll(argv[1], timeToLive, "")
		return argv
	}
	if !strings.EqualFold(argv[0], "SET") {
		return argv
	}
	for i := 3; i+1 < len(argv); i++ {
		if word := strings.ToUpper(argv[i]); word == "PX" || word == "EX" {
			m.used = true
			return slices.Delete(slices.Clone(argv), i, i+2)
		}
	}
	return argv
}

// plainRelease makes every release a DEL.
func plainRelease(m *Mutant, argv []string) []string {
	key := ""
	switch name := strings.ToUpper(argv[0]); {
	case name == "EVAL" && len(argv) > 3 && strings.Contains(strings.ToUpper(argv[1]), "'DEL'"):
		key = argv[3]
	case name == "DELEX" || name == "DELIFEQ":
		key = argv[1]
	}
	if key == "" {
		return argv
	}
	m.used = true
	return []string{"DEL", key}
}

// isExtension tells a script that extends a lock from one that takes it.
func isExtension(script string) bool {
	return strings.Contains(script, "'PEXPIRE'") && !strings.Contains(script, "'SET") && !strings.Contains(script, "'DEL")
}

// plainExtend makes every extension a PEXPIRE.
func plainExtend(m *Mutant, argv []string) []string {
	switch name := strings.ToUpper(argv[0]); {
	case name == "EVAL" && len(argv) > 5 && isExtension(strings.ToUpper(argv[1])):
		m.used = true
		return []string{"PEXPIRE", argv[3], argv[5]}
	case name == "SET" && len(argv) == 7 && strings.EqualFold(argv[3], "IFEQ"):
		m.used = true
		return []string{"SET", argv[1], argv[2], "XX", argv[5], argv[6]}
	}
	return argv
}
