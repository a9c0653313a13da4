package main

import (
	"fmt"
	"net"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"minikv/resp"
)

// asLockers is the argument that makes the test binary run as a program with two
// clients, A and B, which go for a lock. A's may run out, and A releases it as
// the next argument says; B's does not run out, and B looks whether it still has
// it.
const asLockers = "lockers"

// lockClient is a client of that program.
type lockClient struct {
	conn net.Conn
	in   *resp.Reader
}

func dialLock() (*lockClient, error) {
	conn, err := net.Dial("tcp", net.JoinHostPort(os.Getenv("REDIS_HOST"), os.Getenv("REDIS_PORT")))
	if err != nil {
		return nil, err
	}
	return &lockClient{conn, resp.NewReader(conn)}, nil
}

func (c *lockClient) do(args ...string) string {
	c.conn.Write(resp.AppendCommandStrings(nil, args...))
	v, err := c.in.Read()
	if err != nil {
		return err.Error()
	}
	return v.Str
}

const releaseScript = "if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) else return 0 end"

// a takes the lock and releases it.
func (c *lockClient) a(form string) {
	if c.do("SET", "lock", "A", "NX", "PX", "60000") != "OK" {
		return
	}
	switch form {
	case "script":
		c.do("EVAL", releaseScript, "1", "lock", "A")
	case "two commands":
		if c.do("GET", "lock") == "A" {
			c.do("DEL", "lock")
		}
	case "transaction":
		c.do("WATCH", "lock")
		if c.do("GET", "lock") == "A" {
			c.do("MULTI")
			c.do("DEL", "lock")
			c.do("EXEC")
		}
	}
}

// b takes the lock, looks whether it has it and releases it.
func (c *lockClient) b() error {
	for range 3 {
		if c.do("SET", "lock", "B", "NX") != "OK" {
			continue
		}
		if owner := c.do("GET", "lock"); owner != "B" {
			return fmt.Errorf("B has the lock, yet its owner is %q", owner)
		}
		c.do("EVAL", releaseScript, "1", "lock", "B")
		break
	}
	return nil
}

func runLockers(form string) int {
	switch form {
	case "hang":
		time.Sleep(time.Hour)
	case "blocked":
		return runBlocked()
	}
	a, errA := dialLock()
	b, errB := dialLock()
	if errA != nil || errB != nil {
		fmt.Println(errA, errB)
		return 2
	}
	var both sync.WaitGroup
	var failed error
	both.Go(func() { a.a(form); a.do("QUIT") })
	both.Go(func() { failed = b.b(); b.do("QUIT") })
	both.Wait()
	if failed != nil {
		fmt.Println(failed)
		return 1
	}
	return 0
}

// runBlocked: one client waits for what the other one pushes.
func runBlocked() int {
	a, errA := dialLock()
	b, errB := dialLock()
	if errA != nil || errB != nil {
		return 2
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		a.do("BLPOP", "queue", "0")
	}()
	b.do("INCR", "n")
	b.do("RPUSH", "queue", "item")
	<-done
	return 0
}

// exploreLockers explores the program in one of its forms. The patience is
// never needed: its clients say when they are done.
func exploreLockers(t *testing.T, form string, options ...string) (out, errs string, status int) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	options = append([]string{"explore", "--patience", "20s"}, options...)
	return output(t, append(options, "--", self, asLockers, form)...)
}

// A release by GET and DEL is found, by chance and by priorities, and the seed
// that is told gives the same order again.
func TestExploreAProgramThatBreaks(t *testing.T) {
	t.Parallel()
	for _, options := range [][]string{{"--pauses", "1"}, {"--pauses", "1", "--pct", "3"}} {
		out, errs, status := exploreLockers(t, "two commands", options...)
		if status != exitFailure || !strings.Contains(out, "B has the lock, yet its owner is") || !strings.Contains(out, "Not exhaustive") {
			t.Fatalf("%v: status %d, %s%s", options, status, out, errs)
		}
		again := regexp.MustCompile(`minikv explore (.*) -- `).FindStringSubmatch(out)
		if again == nil {
			t.Fatalf("%s", out)
		}
		for range 3 {
			second, errs, status := exploreLockers(t, "two commands", strings.Fields(again[1])...)
			if _, want, _ := strings.Cut(out, "failed:"); status != exitFailure || !strings.HasSuffix(second, want) {
				t.Errorf("%s: status %d, %s%s\nwant %s", again[1], status, second, errs, want)
			}
		}
	}
}

func TestExploreAProgramThatHolds(t *testing.T) {
	t.Parallel()
	for _, form := range []string{"script", "transaction"} {
		out, errs, status := exploreLockers(t, form, "--pauses", "1", "--runs", "100", "--trace")
		if status != exitOK || !strings.Contains(out, "100 runs, seeds 1 to 100: none failed.\nNot exhaustive") || !strings.Contains(out, "| SET lock A NX PX 60000 -> ") {
			t.Errorf("%s: status %d, %s%s", form, status, out, errs)
		}
	}
}

// A client that waits in BLPOP does not hold up the others.
func TestExploreAProgramThatWaits(t *testing.T) {
	t.Parallel()
	out, errs, status := exploreLockers(t, "blocked", "--runs", "5", "--trace", "--patience", "25ms")
	if status != exitOK || !strings.Contains(out, "| RPUSH queue item -> 1") || !strings.Contains(out, "| BLPOP queue 0 -> ") {
		t.Errorf("status %d, %s%s", status, out, errs)
	}
}

func TestExploreEndsAProgramThatHangs(t *testing.T) {
	t.Parallel()
	out, errs, status := exploreLockers(t, "hang", "--timeout", "200ms")
	if status != exitFailure || !strings.Contains(out, "Run 1 of 200 failed: it did not end within 200ms.") {
		t.Errorf("status %d, %s%s", status, out, errs)
	}
}

func TestExploreAProgramRefuses(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		args   string
		want   string
		status int
	}{
		{"--", "minikv: explore: which program?", exitFailure},
		{"--nosuch -- true", "minikv: unknown flag --nosuch", exitFailure},
		{"--clients 0 -- true", "minikv: --clients must not be less than 1", exitFailure},
		{"--pauses=-1 -- true", "minikv: --pauses must not be less than 0", exitFailure},
		{"--set nosuch=1 -- true", "minikv: --nosuch 1: there is no such directive", exitFailure},
		{"-- /nosuch/program", "minikv: ", exitNotFound},
	} {
		if code, _, errs := explores(strings.Fields(tc.args)...); code != tc.status || !strings.HasPrefix(errs, tc.want) {
			t.Errorf("explore %s: exit code %d, %q, want %q", tc.args, code, errs, tc.want)
		}
	}
	if code, out, _ := explores("--help", "--"); code != exitOK || !strings.Contains(out, "This is not exhaustive") {
		t.Errorf("--help: exit code %d, %s", code, out)
	}
	if _, err := exec.LookPath("sh"); err == nil {
		if code, out, _ := explores("--runs", "1", "--", "sh", "-c", "echo so it is; exit 3"); code != exitFailure || !strings.Contains(out, "failed: exit status 3.") || !strings.Contains(out, "so it is") {
			t.Errorf("a program that fails: exit code %d, %s", code, out)
		}
	}
}
