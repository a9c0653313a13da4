package explore

import (
	"fmt"
	"slices"

	"minikv/lua/vm"
)

// The most that one scenario may have.
const (
	maxClients = 6
	maxNodes   = 5
	maxLocks   = 2
	maxForms   = 40
)

// Parse reads a scenario file.
func Parse(file string, source []byte) (*Scenario, error) {
	s := &Scenario{File: file, Source: source, nodes: 1, timeout: 200, lost: true, checks: Exclusion}
	m, err := newMachine(file, source, nil)
	if err != nil {
		return nil, err
	}
	if err := m.declare(s); err != nil {
		return nil, err
	}
	switch {
	case len(s.clients) == 0:
		return nil, fmt.Errorf("%s declares no client", file)
	case len(s.Forms) == 0:
		return nil, fmt.Errorf("%s declares no form", file)
	}
	if s.locks == nil {
		s.locks = []string{"lock"}
	}
	return s, nil
}

// declarations are the functions that stand in a file outside its programs.
func (m *machine) declarations() map[string]vm.Native {
	return map[string]vm.Native{
		"scenario": m.declareScenario,
		"checks":   m.declareChecks,
		"bounds":   m.declareBounds,
		"nodes":    m.declareNodes,
		"replica":  func(c vm.Call) int { m.run.scenario.replica, m.run.scenario.nodes = true, 2; return 0 },
		"timeout":  func(c vm.Call) int { m.run.scenario.timeout = m.number(c, 1); return 0 },
		"jump":     func(c vm.Call) int { m.run.scenario.jump = m.number(c, 1); return 0 },
		"restart":  m.declareRestart,
		"fenced":   func(c vm.Call) int { m.run.scenario.fenced = true; return 0 },
		"locks":    m.declareLocks,
		"client":   m.declareClient,
		"helper":   m.declareHelper,
		"clients":  m.declareClients,
		"setup":    m.declareSetup,
		"finally":  m.declareFinally,
		"form":     m.declareForm,
	}
}

func (m *machine) declareScenario(c vm.Call) int {
	m.run.scenario.ID, m.run.scenario.Title = m.text(c, 1), m.text(c, 2)
	return 0
}

func (m *machine) declareChecks(c vm.Call) int {
	checks, err := parseChecks(m.text(c, 1))
	if err != nil {
		m.wrong(c, err.Error())
	}
	m.run.scenario.checks = checks
	return 0
}

func (m *machine) declareBounds(c vm.Call) int {
	m.run.scenario.bounds = m.readBounds(c, m.table(c, 1), Bounds{})
	return 0
}

// readBounds reads a table of bounds; what it does not name stays as it is.
func (m *machine) readBounds(c vm.Call, t *vm.Table, b Bounds) Bounds {
	t.Pairs(func(k, v vm.Value) {
		name, _ := k.Text()
		n, ok := v.Num()
		if !ok {
			m.wrong(c, "the bound "+name+" must be a number")
		}
		if err := b.Set(name, int(n)); err != nil {
			m.wrong(c, err.Error())
		}
	})
	return b
}

func (m *machine) declareNodes(c vm.Call) int {
	n := m.number(c, 1)
	if n < 1 || n > maxNodes {
		m.wrong(c, fmt.Sprintf("there can be from 1 to %d nodes", maxNodes))
	}
	m.run.scenario.nodes = int(n)
	return 0
}

// declareRestart says what a restart does: restart{data = "kept", down = 5000}.
func (m *machine) declareRestart(c vm.Call) int {
	s := m.run.scenario
	s.lost, s.downtime = m.readRestart(c, m.table(c, 1), s.lost, s.downtime)
	return 0
}

func (m *machine) readRestart(c vm.Call, t *vm.Table, lost bool, down int64) (bool, int64) {
	switch data := t.Field("data"); {
	case data.IsNil():
	case data == vm.String("kept"), textOf(data) == "kept":
		lost = false
	case textOf(data) == "lost":
		lost = true
	default:
		m.wrong(c, `data must be "kept" or "lost"`)
	}
	if n, ok := t.Field("down").Num(); ok {
		down = int64(n)
	}
	return lost, down
}

func textOf(v vm.Value) string {
	s, _ := v.Str()
	return s
}

func (m *machine) declareLocks(c vm.Call) int {
	for i := range c.N() {
		m.run.scenario.locks = append(m.run.scenario.locks, m.text(c, i+1))
	}
	if len(m.run.scenario.locks) > maxLocks {
		m.wrong(c, fmt.Sprintf("there can be at most %d locks", maxLocks))
	}
	return 0
}

func (m *machine) declareClient(c vm.Call) int {
	m.addClient(c, m.text(c, 1), m.group()+1, m.function(c, 2))
	return 0
}

// declareHelper adds a client that acts for another: what it takes is that
// one's.
func (m *machine) declareHelper(c vm.Call) int {
	whose := m.text(c, 2)
	m.addClient(c, m.text(c, 1), m.group()+1, m.function(c, 3))
	list := m.run.scenario.clients
	i := slices.IndexFunc(list, func(d clientDecl) bool { return d.name == whose })
	if i < 0 {
		m.wrong(c, "there is no client "+whose+" before")
	}
	list[len(list)-1].acts = i
	return 0
}

func (m *machine) declareClients(c vm.Call) int {
	group := m.group() + 1
	for range m.number(c, 1) {
		name := string(rune('A' + len(m.run.scenario.clients)))
		m.addClient(c, name, group, m.function(c, 2))
	}
	return 0
}

func (m *machine) group() int {
	if n := len(m.run.scenario.clients); n > 0 {
		return m.run.scenario.clients[n-1].group
	}
	return 0
}

func (m *machine) addClient(c vm.Call, name string, group int, program vm.Value) {
	s := m.run.scenario
	same := func(d clientDecl) bool { return d.name == name }
	switch {
	case len(s.clients) == maxClients:
		m.wrong(c, fmt.Sprintf("there can be at most %d clients", maxClients))
	case len(name) != 1 || name[0] < 'A' || name[0] > 'Z' || slices.ContainsFunc(s.clients, same):
		m.wrong(c, "a client's name is a capital letter of its own")
	}
	if m.run.program == len(s.clients) {
		m.run.entry = program
	}
	s.clients = append(s.clients, clientDecl{name, group, len(s.clients)})
}

func (m *machine) declareSetup(c vm.Call) int {
	if m.run.program == setupProgram {
		m.run.entry = m.function(c, 1)
	}
	m.run.scenario.setup = true
	return 0
}

func (m *machine) declareFinally(c vm.Call) int {
	if m.run.program == finallyProgram {
		m.run.entry = m.function(c, 1)
	}
	m.run.scenario.finally = true
	return 0
}

// declareForm adds a form: its name, what it expects, and a table of the parts
// that programs get, among which are its own bounds and checks.
func (m *machine) declareForm(c vm.Call) int {
	s := m.run.scenario
	parts := vm.NewTable(0, 0)
	if c.N() > 2 {
		parts = m.table(c, 3)
	}
	f := Form{Name: m.text(c, 1), Expect: Expect(m.text(c, 2)), Bounds: s.bounds, Checks: s.checks,
		fenced: s.fenced, lost: s.lost, down: s.downtime}
	if !slices.Contains([]Expect{Breaks, Holds, Narrows, Shows}, f.Expect) {
		m.wrong(c, "a form breaks, holds, narrows or shows")
	}
	if len(s.Forms) == maxForms {
		m.wrong(c, "there are too many forms")
	}
	if t, ok := parts.Field("bounds").Table(); ok {
		f.Bounds = m.readBounds(c, t, f.Bounds)
	}
	if t, ok := parts.Field("within").Table(); ok {
		within := m.readBounds(c, t, f.Bounds)
		f.Within = &within
	}
	if text, ok := parts.Field("checks").Str(); ok {
		checks, err := parseChecks(text)
		if err != nil {
			m.wrong(c, err.Error())
		}
		f.Checks = checks
	}
	if t, ok := parts.Field("restart").Table(); ok {
		f.lost, f.down = m.readRestart(c, t, f.lost, f.down)
	}
	f.why = textOf(parts.Field("why"))
	if v := parts.Field("fenced"); !v.IsNil() {
		f.fenced = v.Truth()
	}
	if (f.Expect == Narrows) != (f.Within != nil) {
		m.wrong(c, "a form that narrows says within which bounds it holds, and no other form does")
	}
	if m.run.form == len(s.Forms) {
		m.run.parts = vm.TableValue(parts)
	}
	s.Forms = append(s.Forms, f)
	return 0
}
