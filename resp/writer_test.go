package resp_test

import (
	"bytes"
	"strings"
	"testing"

	"minikv/resp"
)

const refSize = 16 << 10

// output takes all that w holds and joins it.
func output(w *resp.Writer) string {
	return string(bytes.Join(w.Take(nil), nil))
}

func TestReplyTypesInBothProtocols(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("long ", 700)
	cases := []struct {
		name         string
		write        func(w *resp.Writer)
		resp2, resp3 string // resp3 empty: as resp2
	}{
		{"status", func(w *resp.Writer) { w.Status("OK") }, "+OK\r\n", ""},
		{"status with line breaks", func(w *resp.Writer) { w.Status("A b\r\nc\nd") }, "+A b  c d\r\n", ""},
		{"long status", func(w *resp.Writer) { w.Status(long + "\n") }, "+" + long + " \r\n", ""},
		{"error", func(w *resp.Writer) { w.Error("ERR no\nway") }, "-ERR no way\r\n", ""},
		{"integer", func(w *resp.Writer) { w.Int(0); w.Int(9); w.Int(10); w.Int(-1) }, ":0\r\n:9\r\n:10\r\n:-1\r\n", ""},
		{"least integer", func(w *resp.Writer) { w.Int(-1 << 63) }, ":-9223372036854775808\r\n", ""},
		{"bulk", func(w *resp.Writer) { w.Bulk([]byte("a\r\n\x00")) }, "$4\r\na\r\n\x00\r\n", ""},
		{"empty bulk", func(w *resp.Writer) { w.Bulk(nil) }, "$0\r\n\r\n", ""},
		{"longer bulk", func(w *resp.Writer) { w.Bulk([]byte(long)) }, "$3500\r\n" + long + "\r\n", ""},
		{"bulk of a string", func(w *resp.Writer) { w.BulkString("abc") }, "$3\r\nabc\r\n", ""},
		{"bulk of a long string", func(w *resp.Writer) { w.BulkString(long) }, "$3500\r\n" + long + "\r\n", ""},
		{"bulk of an integer", func(w *resp.Writer) { w.BulkInt(-1 << 63) }, "$20\r\n-9223372036854775808\r\n", ""},
		{"null", func(w *resp.Writer) { w.Null() }, "$-1\r\n", "_\r\n"},
		{"null array", func(w *resp.Writer) { w.NullArray() }, "*-1\r\n", "_\r\n"},
		{"array", func(w *resp.Writer) { w.Array(12) }, "*12\r\n", ""},
		{"map", func(w *resp.Writer) { w.Map(3) }, "*6\r\n", "%3\r\n"},
		{"set", func(w *resp.Writer) { w.Set(3) }, "*3\r\n", "~3\r\n"},
		{"push", func(w *resp.Writer) { w.Push(3) }, "*3\r\n", ">3\r\n"},
		{"double", func(w *resp.Writer) { w.Double(3.141) }, "$5\r\n3.141\r\n", ",3.141\r\n"},
		{"true", func(w *resp.Writer) { w.Bool(true) }, ":1\r\n", "#t\r\n"},
		{"false", func(w *resp.Writer) { w.Bool(false) }, ":0\r\n", "#f\r\n"},
		{"big number", func(w *resp.Writer) { w.BigNumber("1234567999999999999999") },
			"$22\r\n1234567999999999999999\r\n", "(1234567999999999999999\r\n"},
		{"verbatim", func(w *resp.Writer) { w.Verbatim("txt", []byte("a\nb")) }, "$3\r\na\nb\r\n", "=7\r\ntxt:a\nb\r\n"},
		{"attribute", func(w *resp.Writer) {
			if w.Attribute(1) {
				w.BulkString("k")
				w.Int(90)
			}
			w.Int(1)
		}, ":1\r\n", "|1\r\n$1\r\nk\r\n:90\r\n:1\r\n"},
		{"raw", func(w *resp.Writer) { w.Raw([]byte("+x\r\n")) }, "+x\r\n", ""},
		{"nothing", func(*resp.Writer) {}, "", ""},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if c.resp3 == "" {
				c.resp3 = c.resp2
			}
			var w resp.Writer
			for proto, want := range map[int]string{2: c.resp2, 3: c.resp3} {
				w.SetProto(proto)
				if w.Proto() != proto {
					t.Fatalf("Proto() = %d after SetProto(%d)", w.Proto(), proto)
				}
				c.write(&w)
				if w.Len() != len(want) {
					t.Errorf("RESP%d: Len() = %d, want %d", proto, w.Len(), len(want))
				}
				if got := output(&w); got != want {
					t.Errorf("RESP%d: got %.100q, want %.100q", proto, got, want)
				}
			}
		})
	}
}

func TestTheZeroWriterSpeaksProtocol2(t *testing.T) {
	t.Parallel()
	if p := new(resp.Writer).Proto(); p != 2 {
		t.Errorf("Proto() = %d", p)
	}
}

func TestHeaderIsInsertedOnceTheCountIsKnown(t *testing.T) {
	t.Parallel()
	for proto, want := range map[int]string{
		2: "+before\r\n*4\r\n$1\r\nk\r\n*2\r\n:1\r\n:2\r\n$1\r\nl\r\n*0\r\n",
		3: "+before\r\n%2\r\n$1\r\nk\r\n~2\r\n:1\r\n:2\r\n$1\r\nl\r\n*0\r\n",
	} {
		var w resp.Writer
		w.SetProto(proto)
		w.Status("before")
		outer := w.Mark()
		w.BulkString("k")
		inner := w.Mark()
		w.Int(1)
		w.Int(2)
		w.InsertSet(inner, 2)
		w.BulkString("l")
		w.InsertArray(w.Mark(), 0)
		w.InsertMap(outer, 2)
		if got := output(&w); got != want {
			t.Errorf("RESP%d: got %q, want %q", proto, got, want)
		}
	}
}

func TestHeaderIsInsertedBeforeAFullFirstBuffer(t *testing.T) {
	t.Parallel()
	for _, size := range []int{900, 1015, 1016, 1017, 1018, 1024, 5000, 100000} {
		var w resp.Writer
		m := w.Mark()
		value := bytes.Repeat([]byte("v"), size)
		w.Bulk(value)
		w.InsertArray(m, 1)
		want := resp.AppendCommand(nil, value)
		if got := w.Since(m); !bytes.Equal(got, want) {
			t.Errorf("%d bytes since the mark, want %d", len(got), len(want))
		}
		if got := output(&w); got != string(want) {
			t.Errorf("a value of %d bytes: got %.20q of %d, want %.20q of %d", size, got, len(got), want, len(want))
		}
	}
}

func TestLargeBulkIsReferencedAndASmallerOneCopied(t *testing.T) {
	t.Parallel()
	for _, size := range []int{refSize - 1, refSize, 3 * refSize} {
		var w resp.Writer
		value := append(make([]byte, 0, 2*size), bytes.Repeat([]byte("v"), size)...)
		w.Bulk(value)
		shared := false
		for _, chunk := range w.Take(nil) {
			if &chunk[0] == &value[0] {
				shared = true
				if cap(chunk) != len(chunk) {
					t.Errorf("the chunk of %d bytes has room for %d", len(chunk), cap(chunk))
				}
			}
		}
		if want := size >= refSize; shared != want {
			t.Errorf("a value of %d bytes: referenced is %v", size, shared)
		}
	}
}

func TestRecycleLeavesReferencedValuesAlone(t *testing.T) {
	t.Parallel()
	value := bytes.Repeat([]byte("v"), refSize)
	var w resp.Writer
	for range 4 {
		w.Bulk(value)
		for _, chunk := range w.Take(nil) {
			w.Recycle(chunk)
		}
	}
	for range 4 * refSize {
		w.Int(7)
	}
	if i := bytes.IndexFunc(value, func(r rune) bool { return r != 'v' }); i >= 0 {
		t.Errorf("the value was overwritten at %d", i)
	}
}

func TestTakenChunksAreNotWrittenAgainUntilRecycled(t *testing.T) {
	t.Parallel()
	var w resp.Writer
	w.Status("first")
	taken := w.Take(nil)
	w.Status("other")
	if got := string(taken[0]); got != "+first\r\n" {
		t.Errorf("the taken chunk became %q", got)
	}
	if got := output(&w); got != "+other\r\n" {
		t.Errorf("got %q", got)
	}
}

func TestMarkOfTakenOutputIsRefused(t *testing.T) {
	t.Parallel()
	for name, use := range map[string]func(*resp.Writer, resp.Mark){
		"insert":   func(w *resp.Writer, m resp.Mark) { w.InsertArray(m, 1) },
		"truncate": func(w *resp.Writer, m resp.Mark) { w.Truncate(m) },
		"since":    func(w *resp.Writer, m resp.Mark) { w.Since(m) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var w resp.Writer
			m := w.Mark()
			w.Int(1)
			w.Take(nil)
			w.Int(2)
			defer func() {
				if recover() == nil {
					t.Error("no panic")
				}
			}()
			use(&w, m)
		})
	}
}

func TestResetDropsTheOutputAndKeepsTheProtocol(t *testing.T) {
	t.Parallel()
	var w resp.Writer
	w.SetProto(3)
	w.Bulk(make([]byte, refSize))
	w.Int(1)
	w.Reset()
	if w.Len() != 0 || w.Proto() != 3 {
		t.Errorf("Len() = %d, Proto() = %d", w.Len(), w.Proto())
	}
	w.Null()
	if got := output(&w); got != "_\r\n" {
		t.Errorf("got %q", got)
	}
}

func TestLargeValuesTakeSmallBuffersBetweenThem(t *testing.T) {
	t.Parallel()
	var w resp.Writer
	value := make([]byte, refSize)
	for range 100 {
		w.Bulk(value)
	}
	own := 0
	for _, chunk := range w.Take(nil) {
		if len(chunk) < refSize {
			own += cap(chunk)
		}
	}
	if own > 101<<10 {
		t.Errorf("%d bytes of buffers for the headers of 100 values", own)
	}
}

func TestWritersShareBuffers(t *testing.T) {
	t.Parallel()
	var pool resp.Buffers
	var a, b resp.Writer
	a.Share(&pool)
	b.Share(&pool)
	a.Int(1)
	b.Int(2)
	one, two := a.Take(nil)[0], b.Take(nil)[0]
	a.Recycle(one)
	a.Recycle(two)
	pool.Keep(1)
	b.Int(3)
	a.Int(4)
	if got := b.Take(nil)[0]; &got[0] != &one[0] {
		t.Error("the buffer that one gave back was not used by the other")
	}
	if got := a.Take(nil)[0]; &got[0] == &two[0] {
		t.Error("a buffer beyond the limit was kept")
	}
}

func TestHotRepliesAllocateNothing(t *testing.T) {
	value := []byte("a value of some bytes")
	var w resp.Writer
	chunks := make([][]byte, 0, 8)
	batch := func() {
		for range 20 {
			w.Int(123456)
			w.Status("OK")
			w.Bulk(value)
			w.BulkString("member")
			w.BulkInt(-77)
			w.Null()
			w.Double(1.5)
			m := w.Mark()
			w.Int(1)
			w.InsertArray(m, 1)
			if len(w.Since(m)) == 0 {
				t.Fatal("nothing since the mark")
			}
		}
		chunks = w.Take(chunks[:0])
		for _, c := range chunks {
			w.Recycle(c)
		}
	}
	batch()
	if n := testing.AllocsPerRun(100, batch); n != 0 {
		t.Errorf("%v allocations a batch", n)
	}
}

func BenchmarkPipelineOfBulks(b *testing.B) {
	value := []byte("a value of thirty-two bytes, so.")
	var w resp.Writer
	var chunks [][]byte
	b.ReportAllocs()
	for b.Loop() {
		for range 100 {
			w.Bulk(value)
		}
		chunks = w.Take(chunks[:0])
		for _, c := range chunks {
			w.Recycle(c)
		}
	}
}
