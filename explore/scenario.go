package explore

import (
	"embed"
	"fmt"
	"io/fs"
	"path"
	"strings"
)

// A Scenario is a scenario file that was read: who takes part, and in which
// forms. See docs/explore.md for the language.
type Scenario struct {
	ID     string // "S4"
	Title  string
	File   string
	Forms  []Form
	Source []byte

	clients  []clientDecl
	nodes    int
	replica  bool // node 2 follows node 1
	timeout  int64
	jump     int64 // how far a clock step of a node goes
	downtime int64 // how long a restart takes
	lost     bool  // a restart loses the data
	fenced   bool  // the resource refuses a write with a lower number
	locks    []string
	checks   Checks
	bounds   Bounds
	setup    bool // there is a program that runs before the clients,
	finally  bool // and one that runs when nothing can happen any more
}

// clientDecl is one client; those of one group run the same program.
type clientDecl struct {
	name  string
	group int
	acts  int // for which client: a watchdog acts for its worker
}

// A Form is one way to do it: the same clients with other parts.
type Form struct {
	Name   string  `json:"name"`
	Expect Expect  `json:"expect"`
	Bounds Bounds  `json:"-"` // within which the expectation is meant
	Within *Bounds `json:"-"` // of one that narrows: within these it holds
	Checks Checks  `json:"-"`

	why    string // one sentence for whoever reads the story
	fenced bool
	lost   bool
	down   int64
}

// Expect is what a form declares about itself.
type Expect string

// What a form may declare.
const (
	Breaks  Expect = "breaks"  // some schedule breaks a property
	Holds   Expect = "holds"   // none does, within the bounds
	Narrows Expect = "narrows" // it holds within smaller bounds only
	Shows   Expect = "shows"   // some schedule reaches what it wants to show, and none breaks a property
)

// Checks are the properties to look after.
type Checks uint8

// The properties: P1 to P5, and agreement.
const (
	Exclusion Checks = 1 << iota // never two clients in the critical section
	Fencing                      // no accepted write with a lower number than one accepted before
	Progress                     // no lock is left behind for ever
	Ownership                    // nobody removes or changes a lock that another holds
	Belief                       // who believes to hold the lock holds it on a majority of nodes
	Agreement                    // never two clients that believe to hold the lock
)

var checkNames = []struct {
	name  string
	check Checks
}{
	{"exclusion", Exclusion}, {"fencing", Fencing}, {"progress", Progress}, {"ownership", Ownership}, {"belief", Belief}, {"agreement", Agreement},
}

// String lists the properties' names.
func (c Checks) String() string {
	var names []string
	for _, n := range checkNames {
		if c&n.check != 0 {
			names = append(names, n.name)
		}
	}
	return strings.Join(names, ", ")
}

func parseChecks(text string) (c Checks, err error) {
	for _, word := range strings.FieldsFunc(text, func(r rune) bool { return r == ' ' || r == ',' }) {
		bit := Checks(0)
		for _, n := range checkNames {
			if n.name == word {
				bit = n.check
			}
		}
		if bit == 0 {
			return 0, fmt.Errorf("no property is named %q", word)
		}
		c |= bit
	}
	return c, nil
}

// Bounds say how much may go wrong in one schedule.
type Bounds struct {
	Pauses    int `json:"pauses"`       // clients that stop while the clock goes on
	Lost      int `json:"lost_replies"` // replies that never come
	Kills     int `json:"kills"`        // clients that die
	Crashes   int `json:"crashes"`      // nodes that die
	Restarts  int `json:"restarts"`     // nodes that start anew
	Cuts      int `json:"cuts"`         // nodes that cannot be reached
	Failovers int `json:"failovers"`    // replicas that take over
	Steps     int `json:"clock_steps"`  // jumps of a node's clock
	Late      int `json:"late"`         // clients that begin later than the first
	Switches  int `json:"switches"`     // context switches: a client is left for another though it could go on; 0: any number
}

// budget numbers the fields of Bounds.
type budget uint8

const (
	pauses budget = iota
	lostReplies
	kills
	crashes
	restarts
	cuts
	failovers
	clockSteps
	late
	switches
	budgets
)

var budgetNames = [budgets]string{"pauses", "lost", "kills", "crashes", "restarts", "cuts", "failovers", "steps", "late", "switches"}

// fields are the numbers in the order of their names.
func (b *Bounds) fields() [budgets]*int {
	return [budgets]*int{&b.Pauses, &b.Lost, &b.Kills, &b.Crashes, &b.Restarts, &b.Cuts, &b.Failovers, &b.Steps, &b.Late, &b.Switches}
}

// MaxBound is the largest number that a bound may be.
const MaxBound = 200

// Set sets a bound by its name in a scenario file.
func (b *Bounds) Set(name string, n int) error {
	if n < 0 || n > MaxBound {
		return fmt.Errorf("%s must be from 0 to %d", name, MaxBound)
	}
	for i, field := range b.fields() {
		if budgetNames[i] == name {
			*field = n
			return nil
		}
	}
	return fmt.Errorf("no bound is named %q", name)
}

// String tells what may go wrong, as "1 pause, 2 lost replies".
func (b Bounds) String() string {
	var parts []string
	for i, word := range [budgets]string{"pause", "lost reply", "kill", "crash", "restart", "cut", "failover", "clock step", "late client", "context switch"} {
		switch n := *b.fields()[i]; {
		case n == 1:
			parts = append(parts, "1 "+word)
		case n > 1:
			parts = append(parts, fmt.Sprint(n, " ", plural(word)))
		}
	}
	if parts == nil {
		return "nothing goes wrong"
	}
	return strings.Join(parts, ", ")
}

func plural(word string) string {
	if stem, ok := strings.CutSuffix(word, "y"); ok {
		return stem + "ies"
	}
	if strings.HasSuffix(word, "sh") || strings.HasSuffix(word, "ch") {
		return word + "es"
	}
	return word + "s"
}

// Form finds a form by its name.
func (s *Scenario) Form(name string) (int, error) {
	var names []string
	for i, f := range s.Forms {
		if f.Name == name {
			return i, nil
		}
		names = append(names, f.Name)
	}
	return 0, fmt.Errorf("%s has no form %q; its forms are %s", s.File, name, strings.Join(names, ", "))
}

// Clients are the clients' names.
func (s *Scenario) Clients() []string {
	names := make([]string, len(s.clients))
	for i, c := range s.clients {
		names[i] = c.name
	}
	return names
}

// shipped are the scenarios that come with the program.
//
//go:embed scenarios/*.lua
var shipped embed.FS

// Names lists the scenarios that come with the program.
func Names() []string {
	files, _ := fs.Glob(shipped, "scenarios/*.lua")
	for i, f := range files {
		files[i] = strings.TrimSuffix(path.Base(f), ".lua")
	}
	return files
}

// Load reads a scenario that comes with the program, by its name or by the
// beginning of its name, such as s04.
func Load(name string) (*Scenario, error) {
	var found []string
	for _, n := range Names() {
		if n == name {
			found = []string{n}
			break
		}
		if strings.HasPrefix(n, strings.ToLower(name)) {
			found = append(found, n)
		}
	}
	if len(found) != 1 {
		return nil, fmt.Errorf("no single scenario is named %q; there are %s", name, strings.Join(Names(), ", "))
	}
	source, err := shipped.ReadFile("scenarios/" + found[0] + ".lua")
	if err != nil {
		return nil, err
	}
	return Parse(found[0], source)
}
