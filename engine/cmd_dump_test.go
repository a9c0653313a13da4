package engine

import (
	"bytes"
	"encoding/binary"
	"strings"
	"testing"

	"minikv/engine/config"
	"minikv/rdb"
	"minikv/value"
)

// dumped is a payload of the string v.
func dumped() []byte {
	return new(rdb.Encoder).AppendDump(nil, rdb.Value{Kind: value.KindString, Text: []byte("v")})
}

// restore runs RESTORE with a payload for PAYLOAD, and answers the reply.
func (n *node) restore(cl *Client, command string, payload []byte) string {
	argv := argvOf(command)
	for i, arg := range argv {
		if string(arg) == "PAYLOAD" {
			argv[i] = payload
		}
	}
	n.e.Do(cl, n.now, argv)
	return n.read(cl)
}

// TestRestoreEffects: a relative deadline becomes absolute, one that has passed a
// deletion or nothing at all.
func TestRestoreEffects(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ setup, command, effect string }{
		{"", "RESTORE k 0 PAYLOAD", "RESTORE k 0 PAYLOAD"},
		{"", "RESTORE k 5000 PAYLOAD", "RESTORE k " + at(5000) + " PAYLOAD ABSTTL"},
		{"", "RESTORE k " + at(5000) + " PAYLOAD ABSTTL", "RESTORE k " + at(5000) + " PAYLOAD ABSTTL"},
		{"SET k old", "RESTORE k 5000 PAYLOAD REPLACE", "RESTORE k " + at(5000) + " PAYLOAD REPLACE ABSTTL"},
		{"SET k old", "RESTORE k 1 PAYLOAD REPLACE ABSTTL", "DEL k"},
		{"", "RESTORE k 1 PAYLOAD ABSTTL", ""},
		{"SET k old", "RESTORE k 0 PAYLOAD", ""},
		{"SET k old", "DUMP k", ""},
	} {
		var got []string
		n := newNode(t, Options{Effects: func(f Effect) {
			words := bytes.ReplaceAll(bytes.Join(f.Argv, []byte(" ")), dumped(), []byte("PAYLOAD"))
			got = append(got, string(words))
		}})
		cl := n.client()
		if test.setup != "" {
			n.want(cl, test.setup, "+OK")
		}
		got = nil
		n.restore(cl, test.command, dumped())
		if text := strings.Join(got, "; "); text != test.effect {
			t.Errorf("%s, then %s: %q, want %q", test.setup, test.command, text, test.effect)
		}
	}
}

// TestRestoreByVersion: an emulated version takes the payloads that it knew.
func TestRestoreByVersion(t *testing.T) {
	t.Parallel()
	const refused = "-ERR DUMP payload version or checksum are wrong"
	for _, test := range []struct {
		emulated string
		payload  uint16
		reply    string
	}{
		{"", 10, "+OK"}, {"", 12, "+OK"}, {"", 13, refused},
		{"7.0", 10, "+OK"}, {"7.0", 11, refused},
		{"7.2", 11, "+OK"}, {"7.2", 12, refused},
		{"8.0", 12, "+OK"},
	} {
		conf := config.New()
		conf.RedisVersion = test.emulated
		n := newNode(t, Options{Config: conf})
		if got := n.restore(n.client(), "RESTORE k 0 PAYLOAD", versioned(dumped(), test.payload)); got != test.reply {
			t.Errorf("version %q, payload of version %d: %q, want %q", test.emulated, test.payload, got, test.reply)
		}
	}
}

// versioned is a payload with another version. Its checksum is found bit by bit.
func versioned(payload []byte, version uint16) []byte {
	const polynomial = 0x95ac9329ac4bc9b5
	body := binary.LittleEndian.AppendUint16(payload[:len(payload)-10:len(payload)-10], version)
	sum := uint64(0)
	for _, b := range body {
		sum ^= uint64(b)
		for range 8 {
			sum = sum>>1 ^ polynomial*(sum&1)
		}
	}
	return binary.LittleEndian.AppendUint64(body, sum)
}

// TestRestoreOptionsByVersion: ABSTTL, IDLETIME and FREQ came with Redis 5.
func TestRestoreOptionsByVersion(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ emulated, command, reply string }{
		{"4.0", "RESTORE k 0 PAYLOAD REPLACE", "+OK"},
		{"4.0", "RESTORE k 0 PAYLOAD ABSTTL", "-ERR syntax error"},
		{"4.0", "RESTORE k 0 PAYLOAD IDLETIME 1", "-ERR syntax error"},
		{"5.0", "RESTORE k 0 PAYLOAD ABSTTL IDLETIME 1", "+OK"},
		{"5.0", "RESTORE k 0 PAYLOAD FREQ 1", "+OK"},
	} {
		conf := config.New()
		conf.RedisVersion = test.emulated
		n := newNode(t, Options{Config: conf})
		if got := n.restore(n.client(), test.command, dumped()); got != test.reply {
			t.Errorf("version %s: %s answered %q, want %q", test.emulated, test.command, got, test.reply)
		}
	}
}

// TestDumpedTextIsNotShared: a value that was dumped and restored is another one.
func TestDumpedTextIsNotShared(t *testing.T) {
	t.Parallel()
	n := newNode(t, Options{})
	cl := n.client()
	payload := dumped()
	if got := n.restore(cl, "RESTORE k 0 PAYLOAD", payload); got != "+OK" {
		t.Fatal(got)
	}
	clear(payload)
	n.want(cl, "GET k", "$1 v")
	n.want(cl, "APPEND k w", ":2")
	n.want(cl, "GET k", "$2 vw")
}
