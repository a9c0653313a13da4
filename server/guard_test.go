package server

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net"
	"testing"

	"github.com/tidwall/redcon"
)

// tape is a connection that gives bytes in pieces.
type tape struct {
	net.Conn
	data []byte
	step int
}

func (c *tape) Read(p []byte) (int, error) {
	if len(c.data) == 0 {
		return 0, io.EOF
	}
	n := copy(p, c.data[:min(c.step, len(c.data))])
	c.data = c.data[n:]
	return n, nil
}

// fixedJudge is a judge that notes the error.
type fixedJudge struct {
	lim limits
	bad error
}

func (j *fixedJudge) limits() limits    { return j.lim }
func (j *fixedJudge) queryLimit() int64 { return 1 << 30 }
func (j *fixedJudge) refresh()          {}
func (j *fixedJudge) reject(err error)  { j.bad = err }

// throughGuard runs bytes through guard and redcon, the way a session does.
func throughGuard(data []byte, step int) (found []string, err error) {
	j := &fixedJudge{lim: limits{maxBulk: 1 << 20}}
	g := &guard{Conn: &tape{data: data, step: step}, judge: j}
	rd := redcon.NewReader(g)
	for {
		cmds, end := rd.ReadCommands()
		if end != nil {
			if end != io.EOF {
				return found, end
			}
			return found, j.bad
		}
		for _, cmd := range cmds {
			found = append(found, fmt.Sprintf("%q", g.first(cmd.Args)))
		}
		for {
			args := g.rest(nil)
			if len(args) == 0 {
				break
			}
			found = append(found, fmt.Sprintf("%q", args))
		}
	}
}

func TestGuardHandsOnWholeCommands(t *testing.T) {
	t.Parallel()
	long := bytes.Repeat([]byte("x"), 100_000)
	data := fmt.Appendf(nil, "PING\r\n*0\r\n\r\n*2\r\n$3\r\nGET\r\n$1\r\nk\r\nECHO \"a b\"\r\n*3\r\n$3\r\nSET\r\n$1\r\nk\r\n$%d\r\n%s\r\n*1\r\n$4\r\nPING\r\n*x\r\nPING\r\n",
		len(long), long)
	for _, step := range []int{1, 3, 100, 4096, 5000, 1 << 20} {
		found, err := throughGuard(data, step)
		want := []string{`["PING"]`, `["GET" "k"]`, `["ECHO" "a b"]`, fmt.Sprintf("%q", []string{"SET", "k", string(long)}), `["PING"]`}
		if fmt.Sprint(found) != fmt.Sprint(want) {
			t.Errorf("by %d: found %.100q, want %.100q", step, found, want)
		}
		if !errors.Is(err, errCount) {
			t.Errorf("by %d: %v", step, err)
		}
	}
}

// FuzzGuard checks that redcon gets from the guard what is framed without
// them, whatever the bytes and the pieces: no panic, no endless loop.
func FuzzGuard(f *testing.F) {
	for _, seed := range streams() {
		f.Add([]byte(seed), 5)
	}
	f.Fuzz(func(t *testing.T, data []byte, step int) {
		if len(data) > maxLine {
			t.Skip("a long line is judged by what has come of it")
		}
		want, _, wantErr := feed(string(data), len(data)+1, limits{maxBulk: 1 << 20})
		found, err := throughGuard(data, 1+(step&0xfff))
		if fmt.Sprint(found, err) != fmt.Sprint(want, wantErr) {
			t.Fatalf("through guard and redcon: %.200q, %v\ndirectly: %.200q, %v", found, err, want, wantErr)
		}
	})
}
