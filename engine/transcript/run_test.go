package transcript

import (
	"io"
	"strings"
	"testing"
	"time"

	"minikv/resp"
)

// A script is a target that knows all its answers: what each command makes
// the server tell each connection, which has the number of its opening.
type script struct {
	answers map[string]map[int]string
	conns   []*scriptConn
}

type scriptConn struct {
	script  *script
	waiting bool
	in      []resp.Value
	closed  bool
}

func (s *script) Open() (Conn, error) {
	c := &scriptConn{script: s}
	s.conns = append(s.conns, c)
	return c, nil
}

func (s *script) tell(what string) {
	for n, text := range s.answers[what] {
		c := s.conns[n]
		for _, reply := range strings.Fields(text) {
			switch reply {
			case "closed":
				c.closed = true
			case "waiting":
				c.waiting = true
			default:
				c.in = append(c.in, resp.Value{Type: resp.TypeStatus, Str: reply})
			}
		}
	}
}

func (s *script) Advance(d time.Duration) error {
	s.tell(d.String())
	return nil
}

func (s *script) Close() error { return nil }

func (c *scriptConn) Send(args [][]byte) error {
	words := make([]string, len(args))
	for i, a := range args {
		words[i] = string(a)
	}
	c.script.tell(strings.Join(words, " "))
	return nil
}

func (c *scriptConn) Receive(Enough) ([]resp.Value, error) {
	in := c.in
	c.in = nil
	if c.closed {
		return in, io.EOF
	}
	return in, nil
}

func (c *scriptConn) Waiting(bool) (bool, error) { return c.waiting, nil }

func TestRunSeveralClients(t *testing.T) {
	t.Parallel()
	s := &script{answers: map[string]map[int]string{
		"BLPOP l":   {0: "waiting"},
		"RPUSH l x": {0: "x", 1: "1"},
		"ID":        {1: "seven"},
		"KILL #seven": {
			1: "closed", 0: "b a",
		},
		"AGAIN":   {2: "fresh"},
		"HELLO 3": {0: "three"},
		"MODE":    {0: "new"},
		"1s":      {0: "late", 2: "too"},
	}}
	const text = `A> BLPOP l
(waiting)
B> RPUSH l x
1
A: x
# let id
B> ID
seven
B> KILL #${id}
(closed)
A: b
A: a
B> AGAIN
fresh
# since 9
B> NEWER
whatever
# resp3
A> MODE
new
# after 1s
A: late
B: too
`
	f := parse(t, text)
	result, err := Run(f, s, Version{Major: 8})
	if err != nil {
		t.Fatal(err)
	}
	if diff := Compare(f, result); diff != "" {
		t.Error(diff)
	}
}

func TestUpdateKeepsWhatAgrees(t *testing.T) {
	t.Parallel()
	s := &script{answers: map[string]map[int]string{
		"PLAIN": {0: "new"}, "EMPTY": {0: "new"}, "ANY": {0: "new"}, "GONE": {}, "RE": {0: "new"}, "NOT": {0: "new"},
	}}
	f := parse(t, "# Comment.\n> PLAIN\nold\n> EMPTY\n# any\n> ANY\nold\n\n> GONE\nold\n# matches n..\n> RE\nold\n# matches o..\n> NOT\nold\n")
	result, err := Run(f, s, Version{})
	if err != nil {
		t.Fatal(err)
	}
	Update(f, result)
	const want = "# Comment.\n> PLAIN\nnew\n> EMPTY\nnew\n# any\n> ANY\nold\n\n> GONE\n# matches n..\n> RE\nold\n# matches o..\n> NOT\nnew\n"
	if got := f.Format(); got != want {
		t.Errorf("Update gives\n%s", got)
	}
	if diff := Compare(f, result); !strings.HasPrefix(diff, "f:15:\n  > NOT\n  does not match o..\n") {
		t.Errorf("Compare after Update:\n%s", diff)
	}
}

func TestCompareShowsTheDifference(t *testing.T) {
	t.Parallel()
	f := parse(t, "> PING\nPONG\n> LRANGE l 0 -1\n1) a\n2) b\n3) c\n")
	got := Result{{Own: []string{"PONG"}}, {Own: []string{"1) a", "3) c", "4) d"}, Others: []Block{{"A", []string{""}}}}}
	const want = "f:3:\n  > LRANGE l 0 -1\n  1) a\n- 2) b\n  3) c\n+ 4) d\n+ A:\n"
	if diff := Compare(f, got); diff != want {
		t.Errorf("Compare gives\n%s", diff)
	}
}

func TestComparisons(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		directive, want, got string
		agree                bool
	}{
		{"", "OK", "OK", true},
		{"", "OK", "ok", false},
		{"# approx 5", "(integer) 100", "(integer) 105", true},
		{"# approx 5", "(integer) 100", "(integer) 94", false},
		{"# approx 5", "(integer) 100", "\"100\"", false},
		{"# approx 0.5", "1) \"1.25\"\n2) (double) 1", "1) \"1.5\"\n2) (double) 0.5", true},
		{"# approx 5", "1) (integer) 1", "2) (integer) 1", false},
		{"# approx 5", "\"x1\"", "\"x2\"", false},
		{"# any", "OK", "(integer) 1", true},
		{"# any", "OK", "(error) ERR x", false},
		{"# any", "(error) ERR x", "(error) ERR y", true},
		{"# matches [a-z]+\\nA: x.*", "OK", "| abc\\r\nA: | x\\x01\nA: y", true},
		{"# matches [a-z]+", "OK", "abc1", false},
		{"# sorted", "1) \"a\"\n2) \"b\"", "1) \"b\"\n2) \"a\"", true},
		{"# sorted", "1) \"a\"\n2) \"b\"", "1~ \"b\"\n2~ \"a\"", false},
		{"# sorted", "1) \"a\"\n2) \"a\"", "1) \"b\"\n2) \"a\"", false},
		{"# sorted", "1) 1) \"x\"\n   2) \"y\"\n2) \"z\"", "1) \"z\"\n2) 1) \"x\"\n   2) \"y\"", true},
		{"# sorted", "1) 1) \"x\"\n   2) \"y\"\n2) \"z\"", "1) \"z\"\n2) 1) \"y\"\n   2) \"x\"", false},
		{"# sorted all", "1) 1) \"x\"\n   2) \"y\"\n2) \"z\"", "1) \"z\"\n2) 1) \"y\"\n   2) \"x\"", true},
		{"# sorted pairs", "1) a\n2) 1\n3) b\n4) 2", "1) b\n2) 2\n3) a\n4) 1", true},
		{"# sorted pairs", "1) a\n2) 1\n3) b\n4) 2", "1) b\n2) 1\n3) a\n4) 2", false},
		{"# sorted", "1# a => 1\n2# b => 2", "1# b => 2\n2# a => 1", true},
		{"# sorted", " 1) k\n 2) b\n 3) c\n 4) d\n 5) e\n 6) f\n 7) g\n 8) h\n 9) i\n10) a",
			" 1) a\n 2) b\n 3) c\n 4) d\n 5) e\n 6) f\n 7) g\n 8) h\n 9) i\n10) k", true},
		{"# sorted", "OK", "(empty array)", false},
		{"# sorted", "1) a\nOK", "OK\n1) a", false},
		{"# sorted", "OK\nA: 1) b\nA: 2) a", "OK\nA: 1) a\nA: 2) b", true},
	} {
		f := parse(t, tt.directive+"\n> X\n"+tt.want+"\n")
		got := parse(t, "> X\n"+tt.got+"\n").Steps[0].Want
		if diff := Compare(f, Result{&got}); (diff == "") != tt.agree {
			t.Errorf("%s: %q and %q: agree %v\n%s", tt.directive, tt.want, tt.got, !tt.agree, diff)
		}
	}
}
