package rdb

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"minikv/value"
)

func TestPayloadsReadBackAsTheyWere(t *testing.T) {
	t.Parallel()
	r := newSource(1)
	for _, compress := range []bool{true, false} {
		e := &Encoder{Compress: compress}
		for i := range 450 {
			v := r.value(i)
			payload := e.AppendDump(nil, v)
			back, err := ReadDump(payload, Options{Seed: r.Uint64, Version: Newest})
			if err != nil {
				t.Fatalf("%.300s: %v", describe(v), err)
			}
			sound(t, back)
			if got, want := describe(back), describe(v); got != want {
				t.Fatalf("it came back as\n%.500s, not\n%.500s", got, want)
			}
		}
	}
}

// TestPayloadsAreThoseOfRedis reads what a real server has dumped and writes the
// same bytes.
func TestPayloadsAreThoseOfRedis(t *testing.T) {
	t.Parallel()
	dumped, _ := recorded(t)
	compressed := 0
	for _, want := range dumped {
		v, err := ReadDump(want, Options{})
		if err != nil {
			t.Fatalf("%q: %v", want, err)
		}
		sound(t, v)
		plain := new(Encoder).AppendDump(nil, v)
		got := (&Encoder{Compress: true}).AppendDump(nil, v)
		if len(got) < len(plain) {
			compressed++
		}
		if !bytes.Equal(got, want) && !bytes.Equal(plain, want) {
			t.Errorf("%s is\n%q, not\n%q", describe(v), got, want)
		}
	}
	if compressed < 5 {
		t.Errorf("%d payloads were compressed", compressed)
	}
}

func TestEncoderAppends(t *testing.T) {
	t.Parallel()
	r, e := newSource(2), &Encoder{Compress: true}
	for i := range 12 {
		v := r.value(i)
		alone := e.AppendDump(nil, v)
		behind := e.AppendDump([]byte("before"), v)
		if string(behind) != "before"+string(alone) {
			t.Errorf("%.100s: behind other bytes it is\n%q, not\n%q", describe(v), behind, alone)
		}
	}
}

func TestDamagedPayloadsHaveAWrongChecksum(t *testing.T) {
	t.Parallel()
	r, e := newSource(3), &Encoder{Compress: true}
	for i := range 12 {
		payload := e.AppendDump(nil, r.value(i))
		for range 200 {
			damaged := bytes.Clone(payload)
			damaged[r.IntN(len(damaged))] ^= 1 << r.IntN(8)
			if _, err := ReadDump(damaged, Options{Version: Newest}); !errors.Is(err, ErrChecksum) {
				t.Fatalf("%q: %v", damaged, err)
			}
		}
		for n := range len(payload) {
			if _, err := ReadDump(payload[:n], Options{Version: Newest}); !errors.Is(err, ErrChecksum) {
				t.Fatalf("%d bytes of %q: %v", n, payload, err)
			}
		}
	}
}

const (
	earliest  = "\x00\x01\x00\x00\x00\x00\x00\x00"
	timedHash = "\x18" + earliest + "\x01\x02\x01f\x01v"
)

func TestPayloadsOfLaterVersions(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name     string
		body     string
		version  byte
		most     int
		expected error
	}{
		{"a version that is to come", "\x00\x01a", 11, 0, ErrChecksum},
		{"and is read", "\x00\x01a", 11, Newest, nil},
		{"deadlines of fields in an old version", timedHash, 12, 11, ErrChecksum},
		{"deadlines of fields", timedHash, 12, 12, nil},
		{"a deadline beyond all bounds", strings.Replace(timedHash, "\x02", "\x81\x7f\xff\xff\xff\xff\xff\xff\xff", 1), 12, 12, ErrFormat},
		{"a deadline that is no number", "\x19" + earliest + "\x11\x11\x00\x00\x00\x03\x00\x81f\x02\x81v\x02\x81x\x02\xff", 12, 12, ErrFormat},
		{"a field without one", "\x19" + earliest + "\x0d\x0d\x00\x00\x00\x02\x00\x81f\x02\x81v\x02\xff", 12, 12, ErrFormat},
		{"a form that is to come", "\x14\x0a\x0a\x00\x00\x00\x01\x00\x81a\x02\xff", 10, 0, ErrFormat},
		{"and is read", "\x14\x0a\x0a\x00\x00\x00\x01\x00\x81a\x02\xff", 11, Newest, nil},
	} {
		_, err := ReadDump(footed([]byte(tc.body), tc.version), Options{Version: tc.most})
		if !errors.Is(err, tc.expected) {
			t.Errorf("%s: %v", tc.name, err)
		}
	}
}

func TestLongestString(t *testing.T) {
	t.Parallel()
	text := bytes.Repeat([]byte("a"), 1000)
	for _, compress := range []bool{true, false} {
		payload := (&Encoder{Compress: compress}).AppendDump(nil, Value{Kind: value.KindString, Text: text})
		if _, err := ReadDump(payload, Options{MaxString: 1000}); err != nil {
			t.Errorf("1000 of 1000 bytes: %v", err)
		}
		if _, err := ReadDump(payload, Options{MaxString: 999}); !errors.Is(err, ErrFormat) {
			t.Errorf("1000 of 999 bytes: %v", err)
		}
	}
}

// footed puts a version and the checksum behind a body.
func footed(body []byte, version byte) []byte {
	b := append(bytes.Clone(body), version, 0)
	sum := checksum(0, b)
	for range 8 {
		b = append(b, byte(sum))
		sum >>= 8
	}
	return b
}
