package server

import (
	"bytes"
	"errors"
	"io"
	"net"
	"os"
	"testing"
	"testing/synctest"
	"time"
)

// In a bubble time passes by itself: a server, its clients and their
// time-outs need no real time at all.
func TestServerInBubble(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s, err := Start(Options{NoNetwork: true})
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		conn, err := s.DialMemory()
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		c := s.testClient(t, "memory")
		c.SetDeadline(time.Time{})
		start := time.Now()
		c.send("SET k v EX 3600", "BLPOP l 3000", "GET k", "BLPOP l 601", "GET k")
		c.expect("+OK\r\n*-1\r\n$1\r\nv\r\n*-1\r\n$-1\r\n")
		if took := time.Since(start); took < 3601*time.Second || took > 3602*time.Second {
			t.Errorf("two waits of 3601 s took %v", took)
		}
		c.SetReadDeadline(time.Now().Add(time.Minute))
		if _, err := c.in.ReadByte(); !errors.Is(err, os.ErrDeadlineExceeded) {
			t.Errorf("reading with a deadline: %v", err)
		}
		synctest.Wait()
	})
}

func TestMemoryConn(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		a, b := memoryPipe()
		// More than fits goes through when somebody reads.
		sent := bytes.Repeat([]byte("0123456789"), pipeSize/5)
		go func() {
			a.Write(sent)
			a.Close()
		}()
		got, err := io.ReadAll(b)
		if err != nil || !bytes.Equal(got, sent) {
			t.Errorf("%d of %d bytes came, %v", len(got), len(sent), err)
		}
		if _, err := b.Write([]byte("x")); err == nil {
			t.Error("one can write to a closed peer")
		}
		if _, err := a.Read(make([]byte, 1)); !errors.Is(err, net.ErrClosed) {
			t.Errorf("reading after Close: %v", err)
		}
	})
}

func TestMemoryConnDeadlines(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		a, b := memoryPipe()
		defer a.Close()
		defer b.Close()
		start := time.Now()
		a.SetReadDeadline(start.Add(time.Second))
		_, err := a.Read(make([]byte, 1))
		if !errors.Is(err, os.ErrDeadlineExceeded) || time.Since(start) != time.Second {
			t.Errorf("read: %v after %v", err, time.Since(start))
		}
		if ne, ok := err.(net.Error); !ok || !ne.Timeout() {
			t.Errorf("%v is no time-out", err)
		}
		a.SetWriteDeadline(start.Add(2 * time.Second))
		n, err := a.Write(make([]byte, pipeSize+1))
		if n != pipeSize || !errors.Is(err, os.ErrDeadlineExceeded) {
			t.Errorf("write: %d bytes, %v", n, err)
		}
		// A deadline set while a call waits holds for it, also when it is
		// moved: nearer, farther, away.
		a.SetDeadline(time.Time{})
		go func() {
			time.Sleep(time.Second)
			a.SetReadDeadline(time.Now().Add(time.Minute))
			time.Sleep(time.Second)
			a.SetReadDeadline(time.Now().Add(time.Second))
		}()
		start = time.Now()
		if _, err := a.Read(make([]byte, 1)); !errors.Is(err, os.ErrDeadlineExceeded) || time.Since(start) != 3*time.Second {
			t.Errorf("read: %v after %v", err, time.Since(start))
		}
		// It does not outlive what it was meant for.
		a.SetReadDeadline(time.Time{})
		go func() {
			time.Sleep(time.Hour)
			b.Write([]byte("x"))
		}()
		if n, err := a.Read(make([]byte, 1)); n != 1 || err != nil {
			t.Errorf("read: %d, %v", n, err)
		}
	})
}
