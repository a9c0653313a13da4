package compat_test

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"minikv/engine/transcript"
	"minikv/engine/transcript/oracle"
	"minikv/server"
)

// corpus is where the engine's transcripts are. The engine runs them itself;
// here they come to it over a socket and through a client, and to Redis.
const corpus = "../engine/testdata"

// patience is how long a transcript waits for a reply that does not come.
const patience = 5 * time.Second

// TestTranscriptsOnRedis shows that the transcripts are true.
func TestTranscriptsOnRedis(t *testing.T) {
	t.Parallel()
	path := requireRedis(t)
	_, version, err := oracle.Installed()
	if err != nil {
		t.Fatal(err)
	}
	eachTranscript(t, func(t *testing.T, f *transcript.File) {
		if !version.Has(f.Since) {
			t.Skip("the installed redis-server is older")
		}
		var diff string
		for range attempts(f) {
			target, err := oracle.Start(path, f)
			if err != nil {
				t.Fatal(err)
			}
			if diff = differences(t, f, target, version); diff == "" {
				return
			}
		}
		t.Error("(- expected, + answered)\n" + diff)
	})
}

// attempts is how often Redis may try: where time plays a part, a busy machine
// makes its time-outs come early or late.
func attempts(f *transcript.File) int {
	if slices.ContainsFunc(f.Steps, (*transcript.Step).IsPause) {
		return 4
	}
	return 1
}

// TestTranscriptsOverTCP runs them on a server, whose clock alone is not real.
func TestTranscriptsOverTCP(t *testing.T) {
	t.Parallel()
	eachTranscript(t, func(t *testing.T, f *transcript.File) {
		srv, clock := startFor(t, f, listening)
		target, err := oracle.Dial(oracle.Options{
			Addr:     srv.Addrs()[0].String(),
			Password: f.Setting("requirepass"),
			Patience: patience,
			Advance:  clock.inSteps(t),
		})
		if err != nil {
			t.Fatal(err)
		}
		runTranscript(t, f, target)
	})
}

// eachTranscript runs a test for every file of the corpus.
func eachTranscript(t *testing.T, run func(t *testing.T, f *transcript.File)) {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(corpus, "*", "*.txt"))
	if err != nil {
		t.Fatal(err)
	}
	if len(paths) == 0 {
		t.Fatal("no transcripts in " + corpus)
	}
	for _, path := range paths {
		group, name := filepath.Split(path)
		t.Run(filepath.Base(group)+"/"+strings.TrimSuffix(name, ".txt"), func(t *testing.T) {
			t.Parallel()
			f, err := transcript.Read(path)
			if err != nil {
				t.Fatal(err)
			}
			run(t, f)
		})
	}
}

// runTranscript runs one file on a target and closes that.
func runTranscript(t *testing.T, f *transcript.File, target transcript.Target) {
	t.Helper()
	if diff := differences(t, f, target, transcript.Version{All: true}); diff != "" {
		t.Error("(- expected, + answered)\n" + diff)
	}
}

// differences runs one file on a target and closes that.
func differences(t *testing.T, f *transcript.File, target transcript.Target, version transcript.Version) string {
	t.Helper()
	defer func() {
		if err := target.Close(); err != nil {
			t.Error(err)
		}
	}()
	result, err := transcript.Run(f, target, version)
	if err != nil {
		t.Fatal(err)
	}
	return transcript.Compare(f, result)
}

// startFor runs a server as a transcript wants it, with time moved by hand.
func startFor(t *testing.T, f *transcript.File, configure ...func(*server.Options)) (*server.Server, *handClock) {
	t.Helper()
	clock := new(handClock)
	clock.micros.Store(1_767_225_600_000_000) // 2026-01-01
	clock.srv = start(t, append(configure, func(o *server.Options) {
		o.Clock = clock
		o.Config.Dir = t.TempDir()
		settings := append([]transcript.Setting{{Name: "enable-debug-command", Value: "yes"}}, f.Config...)
		for _, s := range settings {
			if err := o.Config.Apply(s.Name, []string{s.Value}, "# config"); err != nil {
				t.Fatal(err)
			}
		}
	})...)
	return clock.srv, clock
}

// inSteps lets a little more than d pass, in small steps, so that what is due
// happens in its order.
func (c *handClock) inSteps(t *testing.T) func(d time.Duration) error {
	const step = 5 * time.Millisecond
	return func(d time.Duration) error {
		for d += time.Millisecond; d > 0; d -= step {
			c.advance(t, min(d, step))
		}
		return nil
	}
}
