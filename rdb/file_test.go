package rdb

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"minikv/value"
)

// file is an RDB file of some keys in two databases, and what it says in words.
func file(t *testing.T, keys int, compress, summed bool) (data []byte, said string) {
	t.Helper()
	var b bytes.Buffer
	var s strings.Builder
	r, w := newSource(5), NewWriter(&b, WriterOptions{Version: Newest, Compress: compress, Summed: summed})
	errs := []error{w.Aux("redis-ver", "7.0.15"), w.Aux("redis-bits", "64"), w.Function([]byte("#!lua name=lib\n"))}
	s.WriteString("redis-ver=7.0.15\nredis-bits=64\n#!lua name=lib\n")
	for _, db := range []int{0, 9} {
		errs = append(errs, w.Select(db, keys, keys/2))
		for i := range keys {
			e := &Entry{Key: fmt.Appendf(nil, "key:%d", i), Value: r.value(i), ExpireAt: -1, Idle: -1, Freq: -1}
			switch i % 4 {
			case 1:
				e.ExpireAt = int64(r.Uint64() >> (1 + r.IntN(63)))
			case 2:
				e.Idle = int64(r.IntN(100000))
			case 3:
				e.ExpireAt, e.Freq = 0, r.IntN(256)
			}
			errs = append(errs, w.Key(e))
			s.WriteString(entryLine(db, e))
		}
	}
	if err := errors.Join(append(errs, w.Close())...); err != nil {
		t.Fatal(err)
	}
	return b.Bytes(), s.String()
}

func entryLine(db int, e *Entry) string {
	return fmt.Sprintf("%d %q %d %d %d %s\n", db, e.Key, e.ExpireAt, e.Idle, e.Freq, describe(e.Value))
}

// contents reads a file to its end.
func contents(src io.Reader) (string, error) {
	var s strings.Builder
	r := NewReader(src, Options{Version: Newest})
	r.Aux = func(name, text []byte) error {
		fmt.Fprintf(&s, "%s=%s\n", name, text)
		return nil
	}
	r.Function = func(code []byte) error {
		s.Write(code)
		return nil
	}
	for {
		e, err := r.Next()
		if err == io.EOF {
			return s.String(), nil
		}
		if err != nil {
			return s.String(), err
		}
		s.WriteString(entryLine(r.DB(), e))
	}
}

func TestFilesReadBackAsTheyWere(t *testing.T) {
	t.Parallel()
	for _, compress := range []bool{true, false} {
		for _, summed := range []bool{true, false} {
			data, want := file(t, 60, compress, summed)
			for _, src := range []io.Reader{
				bytes.NewReader(data), iotest.OneByteReader(bytes.NewReader(data)), iotest.DataErrReader(bytes.NewReader(data)),
				io.MultiReader(bytes.NewReader(data), strings.NewReader("what follows")),
			} {
				got, err := contents(src)
				if err != nil {
					t.Fatal(err)
				}
				if got != want {
					t.Fatalf("%.2000s\nwas read, not\n%.2000s", got, want)
				}
			}
		}
	}
}

func TestAFileThatEndsEarlyIsNotWhole(t *testing.T) {
	t.Parallel()
	data, _ := file(t, 10, true, true)
	r := newSource(9)
	for i := range 300 {
		n := i // the head, then anywhere
		if i > 100 {
			n = r.IntN(len(data))
		}
		if _, err := contents(bytes.NewReader(data[:n])); !errors.Is(err, io.ErrUnexpectedEOF) {
			t.Fatalf("%d of %d bytes: %v", n, len(data), err)
		}
	}
}

func TestADamagedFileIsRefused(t *testing.T) {
	t.Parallel()
	data, _ := file(t, 10, true, true)
	r := newSource(6)
	for range 200 {
		damaged := bytes.Clone(data)
		at := r.IntN(len(damaged))
		damaged[at] ^= 1 << r.IntN(8)
		if text, err := contents(bytes.NewReader(damaged)); err == nil {
			t.Fatalf("byte %d of %d is damaged, and nobody says so:\n%s", at, len(data), text)
		}
	}
}

func TestFilesThatCannotBeRead(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name, data string
		expected   error
	}{
		{"nothing", "", io.ErrUnexpectedEOF},
		{"something else", "*1\r\n$4\r\nPING\r\n", ErrFormat},
		{"a version to come", "REDIS0013\xff", ErrVersion},
		{"no version", "REDIS00x1\xff", ErrVersion},
		{"version 0", "REDIS0000\xff", ErrVersion},
		{"a module's data", "REDIS0010\xf7\x01", ErrFormat},
		{"a module's value", "REDIS0010\x07\x01k\x01", ErrFormat},
		{"a function of a candidate for release", "REDIS0010\xf6\x01", ErrFormat},
		{"a string of 2^63 bytes", "REDIS0010\x00\x01k\x81\x80\x00\x00\x00\x00\x00\x00\x00", ErrFormat},
		{"a string of 500 MB that is not there", "REDIS0010\x00\x01k\x80\x1f\x00\x00\x00abc", io.ErrUnexpectedEOF},
		{"a compressed string that cannot be so long", "REDIS0010\x00\x01k\xc3\x03\x80\x1f\x00\x00\x00abc", ErrFormat},
		{"a damaged listpack", "REDIS0010\x10\x01k\x03abc", ErrFormat},
	} {
		if _, err := contents(strings.NewReader(tc.data)); !errors.Is(err, tc.expected) {
			t.Errorf("%s: %v", tc.name, err)
		}
	}
}

// TestOldFiles: no checksum before version 5, deadlines in seconds, and keys with
// nothing in them, which are left out.
func TestOldFiles(t *testing.T) {
	t.Parallel()
	got, err := contents(strings.NewReader("REDIS0003\xfe\x02\xfd\x0a\x00\x00\x00\x00\x01k\x01v\x02\x05empty\x00\x00\x01l\x01w\xff"))
	want := "2 \"k\" 10000 -1 -1 \"v\"\n2 \"l\" -1 -1 -1 \"w\"\n"
	if err != nil || got != want {
		t.Errorf("%v, %s, not %s", err, got, want)
	}
}

func TestAFailingDestinationStopsTheWriter(t *testing.T) {
	t.Parallel()
	failure := errors.New("no room")
	w := NewWriter(failing{failure}, WriterOptions{Summed: true})
	big := &Entry{Key: []byte("k"), Value: Value{Kind: value.KindString, Text: make([]byte, 100000)}, ExpireAt: -1, Idle: -1, Freq: -1}
	for range 3 {
		if err := w.Key(big); err != failure {
			t.Fatalf("%v", err)
		}
	}
	if err := w.Close(); err != failure {
		t.Errorf("%v", err)
	}
}

func TestAFailingSourceStopsTheReader(t *testing.T) {
	t.Parallel()
	data, _ := file(t, 10, true, true)
	failure := errors.New("no cable")
	src := io.MultiReader(bytes.NewReader(data[:len(data)/2]), iotest.ErrReader(failure))
	if _, err := contents(src); !errors.Is(err, failure) {
		t.Errorf("%v", err)
	}
	r := NewReader(iotest.ErrReader(failure), Options{})
	for range 2 {
		if _, err := r.Next(); !errors.Is(err, failure) {
			t.Errorf("%v", err)
		}
	}
}

type failing struct{ err error }

func (f failing) Write([]byte) (int, error) { return 0, f.err }
