package compat_test

import (
	"encoding/binary"
	"fmt"
	"hash/crc64"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/redis/go-redis/v9"
)

// mutants is how many payloads are bent of each form of value.
const mutants = 400

// footer is how many bytes a payload has behind its value: a version and a
// checksum of all before it.
const footer = 2 + 8

var payloadCRC = crc64.MakeTable(0x95ac9329ac4bc9b5)

// TestRestoreOfBentPayloads changes bytes in payloads of every type, with a
// right checksum, and restores them on both servers: minikv accepts what
// redis-server accepts when it looks at all of it (sanitize-dump-payload yes),
// and then both have the same value.
func TestRestoreOfBentPayloads(t *testing.T) {
	t.Parallel()
	x := newExchange(t)
	x.do(x.theirs, "CONFIG", "SET", "sanitize-dump-payload", "yes")
	forms := x.forms()
	accepted, refused, strict := 0, 0, make(map[string]int)
	for _, name := range slices.Sorted(maps.Keys(forms)) {
		var payload string
		for i := range mutants {
			if i%20 == 0 { // another value
				key := fmt.Sprintf("%s:%d", name, i)
				forms[name](key)
				payload = x.do(x.theirs, "DUMP", key).(string)
				x.do(x.theirs, "DEL", key)
			}
			bent := x.bend(payload)
			_, theirs := x.theirs.Do(x.ctx, "RESTORE", "bent", 0, bent, "REPLACE").Result()
			_, ours := x.ours.Do(x.ctx, "RESTORE", "bent", 0, bent, "REPLACE").Result()
			switch {
			case ours != nil && theirs == nil && x.stricter(name, bent):
				strict[name]++
			case (theirs == nil) != (ours == nil), ours != nil && ours.Error() != theirs.Error():
				t.Errorf("%s: %v, redis-server %v: %.200q", name, ours, theirs, bent)
			case ours != nil:
				refused++
			default:
				accepted++
				if got, want := x.sane(x.ours), x.sane(x.theirs); !reflect.DeepEqual(got, want) {
					t.Errorf("%s: %.200q becomes %.300q, with redis-server %.300q", name, bent, fmt.Sprint(got), fmt.Sprint(want))
				}
			}
		}
	}
	for name, n := range strict {
		if n > mutants/4 {
			t.Errorf("%s: minikv alone refuses %d of %d", name, n, mutants)
		}
	}
	if least := len(forms) * mutants / 10; accepted < least || refused < least {
		t.Errorf("%d payloads were accepted and %d refused, want %d each", accepted, refused, least)
	}
}

// stricter tells whether minikv refuses what redis-server has accepted for one of
// the reasons that package rdb's DIFFERS name.
func (x *exchange) stricter(name, bent string) bool {
	switch {
	case bent[0] == 0 && bent[1] == 0xc3: // compressed, of length 0
		return x.do(x.theirs, "GET", "bent") == ""
	case name == "zset": // a score in a listpack that is no number
		return true
	case name == "stream": // entries out of order, or behind the last ID, or another number of them; or read less than none
		for _, group := range x.do(x.theirs, "XINFO", "GROUPS", "bent").([]any) {
			if read, known := group.(map[any]any)["entries-read"].(int64); known && read < 0 {
				return true
			}
		}
		info := x.do(x.theirs, "XINFO", "STREAM", "bent").(map[any]any)
		last, count := streamID(info["last-generated-id"]), int64(0)
		var before [2]uint64
		for _, entry := range x.do(x.theirs, "XRANGE", "bent", "-", "+").([]any) {
			id := streamID(entry.([]any)[0])
			if slices.Compare(before[:], id[:]) >= 0 || slices.Compare(id[:], last[:]) > 0 {
				return true
			}
			before = id
			count++
		}
		return count != info["length"]
	}
	return false
}

func streamID(text any) (id [2]uint64) {
	_, _ = fmt.Sscanf(text.(string), "%d-%d", &id[0], &id[1])
	return id
}

// sane reads the value that came of a bent payload, without what redis-server
// keeps of it although it contradicts the rest: the order of a sorted set's
// members in a listpack, and which ID a stream says is its first.
func (x *exchange) sane(c *redis.Client) any {
	v := x.read(c, "bent")
	switch x.do(c, "TYPE", "bent") {
	case "zset":
		slices.SortFunc(v.([]any), func(a, b any) int { return strings.Compare(fmt.Sprint(a), fmt.Sprint(b)) })
	case "stream":
		delete(v.(map[any]any), "recorded-first-entry-id")
	}
	return v
}

// bend changes a few bytes of a payload's value, or its length.
func (x *exchange) bend(payload string) string {
	b := []byte(payload[:len(payload)-footer])
	near := min(len(b), 24) // where headers stand
	for range 1 + x.IntN(2) {
		at := x.IntN(len(b))
		if x.IntN(2) == 0 {
			at = x.IntN(near)
		}
		switch x.IntN(6) {
		case 0:
			b[at]++
		case 1:
			b[at]--
		case 2:
			b[at] ^= 1 << x.IntN(8)
		case 3:
			b[at] = byte(x.IntN(256))
		case 4:
			b[at] = []byte{0, 0xff, 0x80, 0x7f, 0xc0, 0xf0}[x.IntN(6)]
		case 5:
			b[len(b)-1-x.IntN(min(len(b), 12))]++ // towards the end
		}
	}
	switch x.IntN(12) {
	case 0:
		b = b[:max(1, len(b)-1-x.IntN(8))]
	case 1:
		b = append(b, byte(x.IntN(256)))
	}
	if len(b) > 1 && b[1]&0xfe == 0x80 {
		b[1] ^= 0x80 // redis-server makes room for as many members as a length of 4 or 8 bytes says, for seconds
	}
	b = append(b, payload[len(payload)-footer:len(payload)-8]...)
	return string(binary.LittleEndian.AppendUint64(b, ^crc64.Update(^uint64(0), payloadCRC, b)))
}
