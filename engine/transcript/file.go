package transcript

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// A File is one parsed transcript. Format writes it again as it was read.
type File struct {
	Path   string
	Since  Version   // needed by the whole file
	RESP3  bool      // every client begins with HELLO 3
	Config []Setting // the server's configuration at the start
	Steps  []*Step
	Tail   []string // comments and blank lines after the last step
}

// A Setting is one line of configuration.
type Setting struct {
	Name, Value string
}

// Setting is the value that # config gives a name, or nothing.
func (f *File) Setting(name string) string {
	value := ""
	for _, s := range f.Config {
		if s.Name == name {
			value = s.Value
		}
	}
	return value
}

// A Step is one command with its reply, or a pause.
type Step struct {
	Line    int      // where the command or the pause stands, from 1
	Before  []string // comments, directives and blank lines above, as written
	Client  string   // who sends; empty for a command without a name
	Command []string // the command's lines as written; none for a pause
	Args    [][]byte
	After   time.Duration // of a pause

	Since   Version // needed by this command
	RESP3   bool    // the client says HELLO 3 first
	Let     string  // the name that the reply is kept under
	Compare Comparison

	Want Output
}

// IsPause tells a pause from a command.
func (s *Step) IsPause() bool { return len(s.Command) == 0 }

// Output is what one step made the server say.
type Output struct {
	Own    []string // lines for the client of the step
	Others []Block  // for other clients, in the order in which they came up
}

// A Block is what one client was told.
type Block struct {
	Client string
	Lines  []string
}

// block returns the lines for one client.
func (o *Output) block(client string) []string {
	for _, b := range o.Others {
		if b.Client == client {
			return b.Lines
		}
	}
	return nil
}

// Comparison says how a reply is compared; the zero value is exactly.
type Comparison struct {
	Any     bool
	Sorted  Sorting
	Approx  float64 // numbers may differ by so much
	Matches *regexp.Regexp
}

// Sorting says which order of elements does not count.
type Sorting uint8

// The sortings.
const (
	InOrder     Sorting = iota
	SortedTop           // the elements of the reply
	SortedPairs         // the elements of the reply, two by two
	SortedAll           // the elements at every depth
)

// Version is a server's version: Redis's unless it is Valkey's. The zero value
// is older than any.
type Version struct {
	All                 bool // has whatever came with any version
	Valkey              bool
	Major, Minor, Patch int
}

// ParseVersion reads "7.2", "7.0.15", "valkey-8.1" or "valkey".
func ParseVersion(s string) (Version, error) {
	var v Version
	rest, ok := strings.CutPrefix(s, "valkey")
	if v.Valkey = ok; ok {
		if rest == "" {
			return v, nil
		}
		if rest, ok = strings.CutPrefix(rest, "-"); !ok {
			return v, fmt.Errorf("%q is not a version", s)
		}
	}
	parts := strings.Split(rest, ".")
	fields := []*int{&v.Major, &v.Minor, &v.Patch}
	if len(parts) > len(fields) {
		return v, fmt.Errorf("%q is not a version", s)
	}
	for i, part := range parts {
		n, err := strconv.ParseUint(part, 10, 16)
		if err != nil {
			return v, fmt.Errorf("%q is not a version", s)
		}
		*fields[i] = int(n)
	}
	return v, nil
}

// Has tells whether a server of version v has what came with since. Valkey
// has what Redis 7.2 had.
func (v Version) Has(since Version) bool {
	if v.All || since == (Version{}) {
		return true
	}
	if v.Valkey && !since.Valkey {
		return Version{Major: 7, Minor: 2, Patch: 4}.Has(since)
	}
	if since.Valkey && !v.Valkey {
		return false
	}
	if v.Major != since.Major {
		return v.Major > since.Major
	}
	if v.Minor != since.Minor {
		return v.Minor > since.Minor
	}
	return v.Patch >= since.Patch
}
