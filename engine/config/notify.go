package config

// NotifyFlags is a set of notify-keyspace-events letters.
type NotifyFlags uint32

const (
	NotifyKeyspace    NotifyFlags = 1 << iota // K: __keyspace@<db>__ channels
	NotifyKeyevent                            // E: __keyevent@<db>__ channels
	NotifyGeneric                             // g
	NotifyString                              // $
	NotifyList                                // l
	NotifySet                                 // s
	NotifyHash                                // h
	NotifyZSet                                // z
	NotifyExpired                             // x
	NotifyEvicted                             // e
	NotifyStream                              // t
	NotifyModule                              // d
	NotifyNew                                 // n: not in A
	NotifyKeyMiss                             // m: not in A
	NotifyOverwritten                         // o, since 8.2: not in A
	NotifyTypeChange                          // c, since 8.2: not in A
	NotifyArray                               // a, since 8.8: in A

	NotifyAll = NotifyGeneric | NotifyString | NotifyList | NotifySet | NotifyHash | NotifyZSet |
		NotifyExpired | NotifyEvicted | NotifyStream | NotifyModule
)

// notifyLetters is in the order of printing.
var notifyLetters = [...]struct {
	letter byte
	flag   NotifyFlags
}{
	{'g', NotifyGeneric}, {'$', NotifyString}, {'l', NotifyList}, {'s', NotifySet}, {'h', NotifyHash},
	{'z', NotifyZSet}, {'x', NotifyExpired}, {'e', NotifyEvicted}, {'t', NotifyStream}, {'d', NotifyModule},
	{'n', NotifyNew}, {'o', NotifyOverwritten}, {'c', NotifyTypeChange}, {'a', NotifyArray},
	{'K', NotifyKeyspace}, {'E', NotifyKeyevent}, {'m', NotifyKeyMiss},
}

var errNotify error = reason("Invalid event class character. Use 'Ag$lshzxeKEtmdn'.")

// ParseNotify reads letters such as "KEA".
func ParseNotify(letters string) (NotifyFlags, error) {
	var flags NotifyFlags
next:
	for i := 0; i < len(letters); i++ {
		if letters[i] == 'A' {
			flags |= NotifyAll | NotifyArray
			continue
		}
		for _, known := range notifyLetters {
			if known.letter == letters[i] {
				flags |= known.flag
				continue next
			}
		}
		return 0, errNotify
	}
	return flags, nil
}

// String prints the letters as CONFIG GET does: A stands for the classes that
// it contains, and then n, o, c and a are not printed.
func (f NotifyFlags) String() string {
	var letters []byte
	all := f&NotifyAll == NotifyAll
	if all {
		letters = append(letters, 'A')
	}
	const named = NotifyAll | NotifyNew | NotifyOverwritten | NotifyTypeChange | NotifyArray
	for _, known := range notifyLetters {
		if f&known.flag != 0 && !(all && known.flag&named != 0) {
			letters = append(letters, known.letter)
		}
	}
	return string(letters)
}
