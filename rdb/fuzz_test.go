package rdb

import (
	"bytes"
	"io"
	"slices"
	"testing"
)

// FuzzReadDump: whatever a payload says, with a checksum that fits, what is read
// is valid and reads back the same.
func FuzzReadDump(f *testing.F) {
	dumped, restored := recorded(f)
	for _, payload := range append(dumped, restored...) {
		if len(payload) >= footer {
			f.Add(payload[:len(payload)-footer])
		}
	}
	r, e := newSource(7), &Encoder{Compress: true}
	for i := range 36 {
		f.Add(e.AppendValue(nil, r.value(i)))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		opt := Options{Version: Newest, MaxString: 1 << 24}
		v, err := ReadDump(footed(body, Newest), opt)
		if err != nil {
			return
		}
		sound(t, v)
		back, err := ReadDump((&Encoder{Compress: true}).AppendDump(nil, v), opt)
		if err != nil {
			t.Fatalf("%s: %v", describe(v), err)
		}
		if s, ok := v.Data.(interface{ Len() int }); ok && s.Len() > 10000 {
			return // too long to be described
		}
		if got, want := describe(back), describe(v); got != want {
			t.Fatalf("it came back as\n%s, not\n%s", got, want)
		}
	})
}

// FuzzReader: a file may say anything.
func FuzzReader(f *testing.F) {
	var b bytes.Buffer
	r, w := newSource(8), NewWriter(&b, WriterOptions{Version: Newest})
	w.Aux("redis-ver", "7.0.15")
	w.Function([]byte("#!lua"))
	w.Select(1, 12, 1)
	for i := range 12 {
		w.Key(&Entry{Key: []byte{byte('a' + i)}, Value: r.value(i), ExpireAt: int64(i - 1), Idle: int64(i - 1), Freq: -1})
	}
	w.Close()
	f.Add(b.Bytes())
	f.Add([]byte("REDIS0003\xfe\x02\xfd\x0a\x00\x00\x00\x00\x01k\x01v\x02\x05empty\x00\xff"))
	f.Fuzz(func(t *testing.T, data []byte) {
		r := NewReader(bytes.NewReader(data), Options{Version: Newest, MaxString: 1 << 24})
		for {
			e, err := r.Next()
			if err != nil {
				if err == io.EOF && !r.done {
					t.Fatal("the file ended without its end")
				}
				return
			}
			sound(t, e.Value)
		}
	})
}

// FuzzUnpack: a compressed string may say anything.
func FuzzUnpack(f *testing.F) {
	f.Add([]byte("\x00a\xe0\x00\x00"), 10)
	f.Add([]byte("\x01ab\x20\x01"), 5)
	f.Fuzz(func(t *testing.T, packed []byte, size int) {
		if size > 1<<20 {
			return
		}
		if text, ok := unpack(nil, packed, size); ok && len(text) != size {
			t.Fatalf("%d bytes instead of %d", len(text), size)
		}
	})
}

// FuzzPack: every text that is compressed expands to itself.
func FuzzPack(f *testing.F) {
	f.Add([]byte("abcabcabcabcabcabcabcabcabcabcabcabc"))
	f.Add(bytes.Repeat([]byte("a"), 300))
	f.Fuzz(func(t *testing.T, text []byte) {
		packed, ok := new(packer).pack(nil, text)
		if !ok {
			return
		}
		if back, ok := unpack(nil, packed, len(text)); !ok || !bytes.Equal(back, text) {
			t.Fatalf("%q came back as %q", text, back)
		}
	})
}

// FuzzReadFunctions: whatever a payload of functions says, with a checksum that
// fits, the codes that are read make a payload with the same codes.
func FuzzReadFunctions(f *testing.F) {
	e := &Encoder{Compress: true}
	for _, codes := range [][][]byte{
		{}, {[]byte("#!lua name=a\n")}, {[]byte("12"), {}, bytes.Repeat([]byte("#!lua name=b\n"), 20)},
	} {
		payload := e.AppendFunctions(nil, codes)
		f.Add(payload[:len(payload)-footer])
	}
	f.Add([]byte("\xf5\x05abc"))
	f.Add([]byte("\xf6\x01a\x03LUA\x00\x01x"))
	f.Fuzz(func(t *testing.T, body []byte) {
		codes, err := readFunctions(footed(body, Version))
		if err != nil {
			return
		}
		back, err := readFunctions((&Encoder{Compress: true}).AppendFunctions(nil, codes))
		if err != nil || !slices.EqualFunc(codes, back, bytes.Equal) {
			t.Fatalf("%q came back as %q (%v)", codes, back, err)
		}
	})
}

func readFunctions(payload []byte) (codes [][]byte, err error) {
	err = ReadFunctions(payload, Options{MaxString: 1 << 24}, func(code []byte) error {
		codes = append(codes, bytes.Clone(code))
		return nil
	})
	return codes, err
}
