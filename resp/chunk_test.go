package resp_test

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"

	"minikv/resp"
)

// FuzzWriter plays a script of writes, marks and insertions on a Writer and on
// one plain slice, and compares them after every step.
func FuzzWriter(f *testing.F) {
	f.Add([]byte{0, 1, 2, 3, 4, 5, 6, 7, 8, 9})
	random := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		script := make([]byte, 200)
		for i := range script {
			script[i] = byte(random.Uint32())
		}
		f.Add(script)
	}
	f.Fuzz(func(t *testing.T, script []byte) {
		if len(script) > 200 {
			script = script[:200]
		}
		m := newModel()
		for len(script) >= 2 {
			op, arg := script[0], int(script[1])
			script = script[2:]
			m.step(op, arg)
			if err := m.compare(); err != nil {
				t.Fatalf("after operation %d(%d): %v", op%numOps, arg, err)
			}
		}
		m.take()
		if err := m.compare(); err != nil {
			t.Fatalf("after the last Take: %v", err)
		}
	})
}

const numOps = 10

// model is a Writer beside the plain bytes it ought to hold.
type model struct {
	w     resp.Writer
	want  []byte
	marks []resp.Mark // in order, with their offsets in want
	at    []int
	big   []byte // what large values are cut from; never to change
	err   error
}

func newModel() *model {
	m := &model{big: make([]byte, 2*refSize)}
	for i := range m.big {
		m.big[i] = byte('a' + i%26)
	}
	return m
}

func (m *model) step(op byte, arg int) {
	switch op % numOps {
	case 0:
		m.w.Int(int64(arg))
		m.want = resp.AppendInt(m.want, int64(arg))
	case 1:
		m.bulk(m.big[:arg])
	case 2:
		m.bulk(m.big[:arg*64])
	case 3:
		m.bulk(m.big[arg : arg+refSize-128+arg])
	case 4:
		m.marks = append(m.marks, m.w.Mark())
		m.at = append(m.at, len(m.want))
	case 5, 6:
		m.insert(arg)
	case 7:
		if last := len(m.marks) - 1; last >= 0 && arg < 128 {
			m.w.Truncate(m.marks[last])
			m.want = m.want[:m.at[last]]
		}
	case 8:
		m.w.Raw(m.big[:arg*8])
		m.want = append(m.want, m.big[:arg*8]...)
	case 9:
		if arg < 64 {
			m.take()
		}
	}
}

func (m *model) bulk(b []byte) {
	m.w.Bulk(b)
	m.want = resp.AppendBulk(m.want, b)
}

// insert puts a header at the latest mark and gives the mark up.
func (m *model) insert(n int) {
	last := len(m.marks) - 1
	if last < 0 {
		return
	}
	m.w.InsertArray(m.marks[last], n*n*n)
	tail := bytes.Clone(m.want[m.at[last]:])
	m.want = append(resp.AppendArray(m.want[:m.at[last]], n*n*n), tail...)
	m.marks, m.at = m.marks[:last], m.at[:last]
}

func (m *model) take() {
	chunks := m.w.Take(nil)
	if got := bytes.Join(chunks, nil); !bytes.Equal(got, m.want) {
		m.err = fmt.Errorf("took %.60q, want %.60q", got, m.want)
	}
	for i, c := range m.big {
		if c != byte('a'+i%26) {
			m.err = fmt.Errorf("a referenced value was changed at %d", i)
		}
	}
	for _, c := range chunks {
		if len(c) == 0 {
			m.err = errors.New("took an empty chunk")
		}
		m.w.Recycle(c)
	}
	m.want, m.marks, m.at = nil, nil, nil
}

func (m *model) compare() error {
	if m.err != nil {
		return m.err
	}
	if m.w.Len() != len(m.want) {
		return fmt.Errorf("Len() = %d, want %d", m.w.Len(), len(m.want))
	}
	for i, mark := range m.marks {
		if i > 1 && i < len(m.marks)-2 {
			continue // enough are looked at
		}
		if got, want := m.w.Since(mark), m.want[m.at[i]:]; !bytes.Equal(got, want) {
			return fmt.Errorf("since mark %d: %d bytes, want %d", i, len(got), len(want))
		}
	}
	return nil
}
