package server

import (
	"io"
	"strings"
	"testing"

	"minikv/engine"
	"minikv/resp"
)

// With maxmemory-clients the connection that takes most is closed: for what it
// has not read, has not had run, has queued, or has the server remember.
func TestEvictedClients(t *testing.T) {
	kilobyte := strings.Repeat("x", 1000)
	for name, fill := range map[string]func(write func(command ...string) bool){
		"replies": func(write func(...string) bool) {
			for write("GET", "big") {
			}
		},
		"queue of MULTI": func(write func(...string) bool) {
			for write("MULTI"); write("ECHO", kilobyte); {
			}
		},
		"behind BLPOP": func(write func(...string) bool) {
			for write("BLPOP", "nolist", "0"); write("ECHO", kilobyte); {
			}
		},
		"channels": func(write func(...string) bool) {
			for i := 0; write("SUBSCRIBE", kilobyte+string(rune('a'+i%26))+strings.Repeat("y", i/26)); i++ {
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			eachTransport(t, func(t *testing.T, transport string) {
				s := newServer(t, transport, "maxmemory-clients", "2mb")
				greedy, other, spared := s.testClient(t, transport), s.testClient(t, transport), s.testClient(t, transport)
				other.write(resp.AppendCommandStrings(nil, "SET", "big", strings.Repeat("v", 100_000)))
				other.expect("+OK\r\n")
				spared.send("CLIENT NO-EVICT ON", "MULTI")
				spared.expect("+OK\r\n+OK\r\n")
				for range 30 {
					spared.write(resp.AppendCommandStrings(nil, "ECHO", strings.Repeat("v", 100_000)))
					spared.expect("+QUEUED\r\n")
				}
				if name != "replies" {
					go io.Copy(io.Discard, greedy.in)
				}
				fill(func(command ...string) bool {
					_, err := greedy.Write(resp.AppendCommandStrings(nil, command...))
					return err == nil
				})
				s.await(t, func(e *engine.Engine) bool { return e.Clients() == 2 })
				other.send("PING")
				other.expect("+PONG\r\n")
				spared.send("DISCARD")
				spared.expect("+OK\r\n")
			})
		})
	}
}
