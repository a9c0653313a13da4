package engine

import (
	"strings"
	"testing"
)

// holding is a connection that has taken so many bytes of output and not written
// them yet.
type holding int

func (h holding) Held() (read, room, output int) { return 0, 0, int(h) }

// TestOutputLimitCountsWhatIsTaken: output that the connection has taken and
// could not write counts for the client's limit as much as what waits here.
func TestOutputLimitCountsWhatIsTaken(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		taken int
		cut   bool
	}{{0, false}, {800 << 10, false}, {950 << 10, true}, {5 << 20, true}} {
		n := newNode(t, Options{})
		cl := n.client()
		n.want(cl, "SET k "+strings.Repeat("v", 100<<10), "+OK")
		n.e.Do(cl, n.now, [][]byte{[]byte("CONFIG"), []byte("SET"), []byte("client-output-buffer-limit"), []byte("normal 1mb 0 0")})
		n.wantRead(cl, "+OK")
		cl.Data = holding(test.taken)
		n.e.Do(cl, n.now, argvOf("GET k"))
		if cl.CloseNow() != test.cut {
			t.Errorf("with %d bytes taken the client was cut: %v", test.taken, cl.CloseNow())
		}
	}
}
