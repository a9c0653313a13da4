package engine_test

import (
	"bytes"
	"io"
	"io/fs"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"minikv/engine"
	"minikv/engine/config"
	"minikv/engine/transcript"
	"minikv/resp"
)

// TestTranscripts runs testdata/<group>/<command>.txt, each on an engine of
// its own, with virtual time.
func TestTranscripts(t *testing.T) {
	t.Parallel()
	for _, path := range transcripts(t) {
		name := strings.TrimSuffix(filepath.ToSlash(strings.TrimPrefix(path, "testdata"+string(filepath.Separator))), ".txt")
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f, err := transcript.Read(path)
			if err != nil {
				t.Fatal(err)
			}
			target, err := newEngineTarget(f)
			if err != nil {
				t.Fatal(err)
			}
			result, err := transcript.Run(f, target, transcript.Version{All: true})
			if err != nil {
				t.Fatal(err)
			}
			if diff := transcript.Compare(f, result); diff != "" {
				t.Error("(- expected, + answered)\n" + diff)
			}
		})
	}
}

// TestEveryCommandHasATranscript finds commands that nobody has shown at work.
// Bare containers and HELP, which the table answers by itself, need none.
func TestEveryCommandHasATranscript(t *testing.T) {
	t.Parallel()
	shown := make(map[string]bool)
	for _, path := range transcripts(t) {
		f, err := transcript.Read(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range f.Steps {
			if s.Compare.Matches != nil && len(s.Want.Own)+len(s.Want.Others) == 0 {
				t.Errorf("%s: %q has no reply, so over a socket none is waited for", path, s.Args)
			}
			name := make([]string, 0, 2)
			for _, word := range s.Args[:min(len(s.Args), 2)] {
				name = append(name, strings.ToLower(string(word)))
				shown[strings.Join(name, "|")] = true
			}
		}
	}
	var missing []string
	for _, cmd := range engine.Commands().Commands() {
		if len(cmd.Sub) == 0 && cmd.Name != "HELP" && !shown[cmd.FullName()] {
			missing = append(missing, cmd.FullName())
		}
	}
	if len(missing) > 0 {
		t.Errorf("%d commands have no transcript in testdata:\n%s", len(missing), strings.Join(missing, "\n"))
	}
}

// transcripts lists the files under testdata, in order.
func transcripts(t *testing.T) []string {
	t.Helper()
	var paths []string
	err := filepath.WalkDir("testdata", func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.Name() == "fuzz" {
			return fs.SkipDir
		}
		if filepath.Ext(path) == ".txt" {
			paths = append(paths, path)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return paths
}

// engineTarget is an engine with the least that a loop has to do, in virtual
// time: no goroutine, no socket, no clock.
type engineTarget struct {
	e     *engine.Engine
	now   int64 // microseconds
	conns []*engineConn
	disk  []byte // the file that was saved
}

const (
	// virtualStart is when virtual time begins: 2026-01-01.
	virtualStart = 1_767_225_600_000_000
	// commandTime is how long a command takes.
	commandTime = 1
	// pauseExcess is by how much a pause is longer than it says.
	pauseExcess = 1000
)

func newEngineTarget(f *transcript.File) (*engineTarget, error) {
	conf := config.New()
	settings := append([]transcript.Setting{{Name: "enable-debug-command", Value: "yes"}}, f.Config...)
	for _, s := range settings {
		if err := conf.Apply(s.Name, []string{s.Value}, "# config"); err != nil {
			return nil, err
		}
	}
	return &engineTarget{e: engine.New(engine.Options{Config: conf, Seed: 1, Verify: engine.VerifyByEnv()}), now: virtualStart}, nil
}

func (t *engineTarget) Open() (transcript.Conn, error) {
	c := &engineConn{t: t}
	n := len(t.conns)
	c.cl = t.e.Connect(t.now, engine.ConnInfo{
		Addr: "127.0.0.1:" + strconv.Itoa(50000+n), LAddr: "127.0.0.1:6379", FD: 8 + n, Local: true,
	})
	c.cl.Data = c
	t.conns = append(t.conns, c)
	return c, nil
}

func (t *engineTarget) Close() error { return nil }

// Advance lets things happen when they are due, one after the other.
func (t *engineTarget) Advance(d time.Duration) error {
	t.advanceTo(t.now + d.Microseconds() + pauseExcess)
	return nil
}

// moveClock is MINIKV.CLOCK.
func (t *engineTarget) moveClock(r engine.Request) (moved bool) {
	switch r.Move {
	case engine.ClockAdvance:
		t.advanceTo(t.now + r.Micros)
	case engine.ClockSet:
		t.now = min(t.now, r.Micros)
		t.advanceTo(r.Micros)
	case engine.ClockNext:
		t.e.Tick(t.now)
		next, planned := t.e.NextDue()
		if !planned {
			return false
		}
		t.advanceTo(next)
	}
	return true
}

func (t *engineTarget) advanceTo(end int64) {
	for {
		next := t.e.Tick(t.now)
		t.settle()
		if next > end && t.e.Expiring(end) {
			end = next
		}
		if next > end {
			break
		}
		t.now = max(t.now, next)
	}
	t.now = end
	t.e.Tick(t.now)
	t.settle()
}

// settle lets clients go on until nobody can.
func (t *engineTarget) settle() {
	for {
		ready := slices.Clone(t.e.Ready())
		if len(ready) == 0 {
			return
		}
		for _, cl := range ready {
			cl.Data.(*engineConn).goOn()
		}
	}
}

// perform does what a command asks of the outside.
func (t *engineTarget) perform(c *engineConn) {
	request := c.cl.Request()
	reply := func(out *resp.Writer) { out.OK() }
	switch request.Kind {
	case engine.RequestSleep:
		t.now += request.Micros
	case engine.RequestClock:
		moved := t.moveClock(request)
		reply = func(out *resp.Writer) {
			if !moved {
				out.Null()
				return
			}
			out.Int(t.now / 1000)
		}
	case engine.RequestShutdown:
		for _, other := range t.conns {
			other.close()
		}
		return
	case engine.RequestSave:
		t.save(engine.SaveNow)
	case engine.RequestBGSave:
		t.save(engine.SaveInBackground)
		reply = func(out *resp.Writer) { out.Status("Background saving started") }
	case engine.RequestRewriteAOF:
		t.save(engine.SaveRewrite)
		reply = func(out *resp.Writer) { out.Status("Background append only file rewriting started") }
	case engine.RequestReload:
		if !request.NoSave {
			t.save(engine.SaveNow)
		}
		if err := t.e.Load(t.now, bytes.NewReader(t.disk), request.Load); err != nil {
			reply = func(out *resp.Writer) { out.Error("ERR Error trying to load the RDB dump") }
		}
	case engine.RequestConfigRewrite:
		reply = func(out *resp.Writer) { out.Error("ERR The server is running without a config file") }
	}
	t.e.Complete(c.cl, t.now, reply)
}

// save saves all at once.
func (t *engineTarget) save(kind engine.SaveKind) {
	var file bytes.Buffer
	s := t.e.Save(t.now, &file, kind)
	for done, err := false, error(nil); !done; {
		if done, err = s.Step(1); err != nil {
			panic(err)
		}
	}
	s.End(t.now, nil)
	if kind != engine.SaveRewrite {
		t.disk = file.Bytes()
	}
}

type engineConn struct {
	t       *engineTarget
	cl      *engine.Client
	pending [][][]byte // commands that the engine has not taken yet
	out     []byte
	closed  bool
}

func (c *engineConn) Send(args [][]byte) error {
	c.pending = append(c.pending, args)
	c.goOn()
	c.t.settle()
	return nil
}

// goOn runs what the client has sent, as far as it may, and takes its output.
func (c *engineConn) goOn() {
	for len(c.pending) > 0 && !c.closed && !c.cl.Closing() && !c.cl.Waiting() {
		outcome := c.do(c.pending[0])
		if outcome == engine.Paused {
			break
		}
		c.pending = c.pending[1:]
		if outcome == engine.Requested {
			c.t.perform(c)
		}
	}
	if c.closed {
		return
	}
	if !c.cl.CloseNow() {
		for _, chunk := range c.cl.Output(nil) {
			c.out = append(c.out, chunk...)
			c.cl.Recycle(chunk)
		}
	}
	if c.cl.Closing() {
		c.close()
	}
}

// do hands the engine a copy of a command and spoils it afterwards: the engine
// must not have kept it.
func (c *engineConn) do(args [][]byte) engine.Outcome {
	argv := make([][]byte, len(args))
	for i, arg := range args {
		argv[i] = slices.Clone(arg)
	}
	outcome := c.t.e.Do(c.cl, c.t.now, argv)
	c.t.now += commandTime
	for _, arg := range argv {
		for i := range arg {
			arg[i] = '!'
		}
	}
	return outcome
}

func (c *engineConn) close() {
	if !c.closed {
		c.closed = true
		c.t.e.Disconnect(c.cl, c.t.now)
	}
}

// Receive is part of transcript.Conn. The engine is at rest already.
func (c *engineConn) Receive(transcript.Enough) ([]resp.Value, error) {
	var replies []resp.Value
	for len(c.out) > 0 {
		v, n, err := resp.Decode(c.out)
		if err == resp.ErrIncomplete && c.closed {
			break // it was cut within a reply
		}
		if err != nil {
			return replies, err
		}
		replies = append(replies, v)
		c.out = c.out[n:]
	}
	if c.closed {
		return replies, io.EOF
	}
	return replies, nil
}

func (c *engineConn) Waiting(bool) (bool, error) { return c.cl.Waiting() || len(c.pending) > 0, nil }
