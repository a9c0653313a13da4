package engine

import "minikv/value"

// KeyFlag says what a command does with a key.
type KeyFlag uint16

// The flags of key specifications, in COMMAND INFO's order.
const (
	RW KeyFlag = 1 << iota
	RO
	OW
	RM
	Access
	Update
	Insert
	Delete
	NotKey
	Incomplete
	VariableFlags
)

var keyFlagNames = []string{
	"RW", "RO", "OW", "RM", "access", "update", "insert", "delete", "not_key", "incomplete", "variable_flags",
}

// Names lists the flags as COMMAND INFO shows them.
func (f KeyFlag) Names() []string {
	var names []string
	for i, name := range keyFlagNames {
		if f&(1<<i) != 0 {
			names = append(names, name)
		}
	}
	return names
}

// KeySpec says where some of a command's keys stand: where to begin, and how
// to find keys from there.
type KeySpec struct {
	Flags KeyFlag
	Notes string

	// Begin: at argument Index, or after the word Keyword, sought from
	// argument From on (negative: backwards from the end).
	Index   int
	Keyword string
	From    int

	// Find: a range up to Last (relative to the begin; negative: from the
	// end, where Limit n > 1 cuts the rest to its n-th part), each Step-th; or,
	// with Step 0 and KeyStep > 0, as many as the number at argument NumIdx
	// says, the first at First (both relative to the begin). Neither: unknown.
	Last, Step, Limit      int
	NumIdx, First, KeyStep int
}

// key is a single key at argument i.
func key(i int, flags KeyFlag) []KeySpec {
	return []KeySpec{{Flags: flags, Index: i, Step: 1}}
}

// keys is a range of keys from argument first; last < 0 counts from the end.
func keys(first, last, step int, flags KeyFlag) []KeySpec {
	if last >= 0 {
		last -= first
	}
	return []KeySpec{{Flags: flags, Index: first, Last: last, Step: step}}
}

// keynum is as many keys as the number at argument i says, right behind it.
func keynum(i int, flags KeyFlag) []KeySpec {
	return []KeySpec{{Flags: flags, Index: i, First: 1, KeyStep: 1}}
}

// specs joins specifications.
func specs(lists ...[]KeySpec) []KeySpec {
	var all []KeySpec
	for _, l := range lists {
		all = append(all, l...)
	}
	return all
}

// noted adds a note, as COMMAND INFO shows it.
func noted(note string, specs []KeySpec) []KeySpec {
	specs[0].Notes = note
	return specs
}

// KeyRef is one key of a command line: argv[Pos].
type KeyRef struct {
	Pos   int
	Flags KeyFlag
}

// find appends the keys that the spec finds in argv; ok is false if argv does
// not fit it.
func (s *KeySpec) find(argv [][]byte, refs []KeyRef) (out []KeyRef, ok bool) {
	begin := s.Index
	if s.Keyword != "" {
		begin = s.keywordPos(argv)
		if begin == 0 {
			return refs, true // an optional part that is not there
		}
	}
	if begin >= len(argv) {
		return refs, s.Keyword != ""
	}
	switch {
	case s.Step > 0:
		last := begin + s.Last
		if s.Last < 0 {
			last = len(argv) + s.Last
			if s.Limit > 1 {
				last = begin + (len(argv)-begin)/s.Limit + s.Last
			}
		}
		if last >= len(argv) {
			return refs, false
		}
		for i := begin; i <= last; i += s.Step {
			refs = append(refs, KeyRef{i, s.Flags})
		}
	case s.KeyStep > 0:
		at := begin + s.NumIdx
		if at >= len(argv) {
			return refs, false
		}
		n, isNum := value.ParseInt(argv[at])
		first := begin + s.First
		if !isNum || n < 1 || n > int64(len(argv)) || first+(int(n)-1)*s.KeyStep >= len(argv) {
			return refs, false
		}
		for i := range int(n) {
			refs = append(refs, KeyRef{first + i*s.KeyStep, s.Flags})
		}
	}
	return refs, true
}

// keywordPos is the argument behind the spec's keyword, or 0.
func (s *KeySpec) keywordPos(argv [][]byte) int {
	if s.From >= 0 {
		for i := s.From; i < len(argv)-1; i++ {
			if isWord(argv[i], s.Keyword) {
				return i + 1
			}
		}
		return 0
	}
	for i := len(argv) + s.From; i > 0; i-- {
		if isWord(argv[i], s.Keyword) && i+1 < len(argv) {
			return i + 1
		}
	}
	return 0
}

// keysOf appends the keys of a command line to refs. An argument list that
// does not fit the specs gives ok false.
func (cmd *Command) keysOf(argv [][]byte, refs []KeyRef) (out []KeyRef, ok bool) {
	if cmd.GetKeys != nil {
		more, err := cmd.GetKeys(argv)
		return append(refs, more...), err == nil
	}
	for i := range cmd.Keys {
		if cmd.Keys[i].Flags&NotKey != 0 {
			continue
		}
		if refs, ok = cmd.Keys[i].find(argv, refs); !ok {
			return refs, false
		}
	}
	return refs, true
}

// legacyRange is COMMAND INFO's old first key, last key and step.
func (cmd *Command) legacyRange() (first, last, step int) {
	if len(cmd.Keys) == 0 {
		return 0, 0, 0
	}
	s := &cmd.Keys[0]
	if s.Keyword != "" || s.Step == 0 {
		return 0, 0, 0
	}
	last = s.Last
	if last >= 0 {
		last += s.Index
	}
	first, step = s.Index, s.Step
	for i := 1; i < len(cmd.Keys); i++ { // adjoining ranges make one
		n := &cmd.Keys[i]
		if n.Keyword != "" || n.Step != 1 || n.Limit != 0 || last < 0 || n.Index != last+1 || step != 1 {
			break
		}
		if last = n.Last; last >= 0 {
			last += n.Index
		}
	}
	return first, last, step
}
