package engine

import (
	"testing"

	"minikv/engine/config"
)

// TestConnectionByVersion: where Redis 7.2 changed what stays after an error of
// HELLO and after RESET.
func TestConnectionByVersion(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, before, then string
		replies            map[string]string // by version
	}{
		{"HELLO that fails keeps the name it set", "HELLO 3 SETNAME me NOPE", "CLIENT GETNAME",
			map[string]string{"": "$2 me", "7.0": "$2 me", "7.2": "$-1"}},
		{"HELLO that fails never changes the protocol", "HELLO 3 SETNAME me NOPE", "GET nokey",
			map[string]string{"": "$-1", "7.0": "$-1", "7.2": "$-1"}},
	} {
		for version, reply := range test.replies {
			conf := config.New()
			conf.RedisVersion = version
			n := newNode(t, Options{Config: conf})
			cl := n.client()
			n.send(cl, test.before)
			if got := n.send(cl, test.then); got != reply {
				t.Errorf("%s, version %q: %s answers %q, want %q", test.name, version, test.then, got, reply)
			}
		}
	}
}

// TestResetByVersion: RESET ends CLIENT NO-EVICT from 7.2 on.
func TestResetByVersion(t *testing.T) {
	t.Parallel()
	for version, stays := range map[string]bool{"": true, "7.0": true, "7.2": false} {
		conf := config.New()
		conf.RedisVersion = version
		n := newNode(t, Options{Config: conf})
		cl := n.client()
		n.send(cl, "CLIENT NO-EVICT ON")
		n.send(cl, "RESET")
		if cl.noEvict != stays {
			t.Errorf("version %q: NO-EVICT after RESET is %v", version, cl.noEvict)
		}
	}
}

// TestHelloWithAuthByVersion: in 7.0 a right password counts although a later
// option is wrong.
func TestHelloWithAuthByVersion(t *testing.T) {
	t.Parallel()
	for version, reply := range map[string]string{"": "+PONG", "7.0": "+PONG", "7.2": "-NOAUTH Authentication required."} {
		conf := config.New()
		conf.RedisVersion, conf.RequirePass = version, "secret"
		n := newNode(t, Options{Config: conf})
		cl := n.client()
		n.want(cl, "HELLO 3 AUTH default secret NOPE", "-ERR Syntax error in HELLO option 'NOPE'")
		if got := n.send(cl, "PING"); got != reply {
			t.Errorf("version %q: PING answers %q, want %q", version, got, reply)
		}
	}
}
