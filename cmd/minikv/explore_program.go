package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"time"

	"minikv/engine/config"
	"minikv/explore/foreign"
	"minikv/server"
)

// programCommand is what "minikv explore" understands before the two dashes
// that a program stands behind.
type programCommand struct {
	Clients  int               `help:"Connections that the program has at work at once." default:"2"`
	Runs     int               `help:"How often to run the program; 200, or once with --seed."`
	Seed     uint64            `help:"Of the first run's order; the next run has the next." placeholder:"N"`
	Pct      int               `help:"Draw priorities, not each step: for mistakes that need D moves in the right order." placeholder:"D"`
	Steps    int               `help:"Commands that a run is expected to have, for --pct; 0: as many as the longest run so far."`
	Pauses   int               `help:"Times in a run that the server's time goes on to the next deadline, as if all clients were paused."`
	Patience time.Duration     `help:"A client that sends nothing for so long is idle and not waited for." default:"25ms"`
	Timeout  time.Duration     `help:"A run that takes longer is ended and has failed." default:"30s"`
	Trace    bool              `help:"Show what was run also if no run fails: the last one."`
	Set      map[string]string `help:"A directive of redis.conf; may be given again." placeholder:"NAME=VALUE" mapsep:"none"`
}

const programHelp = `minikv explore [options] -- program [arguments]

Runs a program again and again, each time with a server of its own that lets its clients' commands through one by one,
in an order that is drawn from a seed, until a run fails: the program exits with another status than 0. Then it shows
which connection ran which command, and exits with 1. The program finds the server by REDIS_URL, REDIS_HOST and REDIS_PORT.

This is not exhaustive: each run tries one order of very many.`

func runProgramExplore(options, program []string, std stdio) int {
	var cmd programCommand
	done, err := parse(&cmd, "minikv explore", programHelp, options, std)
	switch {
	case done:
		return exitOK
	case err != nil:
		return std.fail(err)
	case len(program) == 0:
		return std.fail(errors.New("explore: which program? minikv explore [options] -- program [arguments]"))
	}
	return cmd.explore(program, std)
}

// Validate is called by kong.
func (cmd *programCommand) Validate() error {
	for _, flag := range []struct {
		name       string
		n, atLeast int64
	}{
		{"clients", int64(cmd.Clients), 1}, {"runs", int64(cmd.Runs), 0}, {"pct", int64(cmd.Pct), 0}, {"steps", int64(cmd.Steps), 0},
		{"pauses", int64(cmd.Pauses), 0}, {"patience", int64(cmd.Patience), 1}, {"timeout", int64(cmd.Timeout), 1},
	} {
		if flag.n < flag.atLeast {
			return fmt.Errorf("--%s must not be less than %d", flag.name, flag.atLeast)
		}
	}
	return nil
}

// programRun is what became of one run.
type programRun struct {
	seed   uint64
	steps  int // that were expected
	trace  foreign.Trace
	output string
	failed string // how it failed, or empty
}

// explore runs the program until a run fails.
func (cmd *programCommand) explore(program []string, std stdio) int {
	first, runs := cmd.Seed, cmd.Runs
	if runs == 0 {
		if runs = 200; cmd.Seed != 0 {
			runs = 1
		}
	}
	first = max(first, 1)
	conf, err := (&execCommand{Set: cmd.Set}).load()
	if err != nil {
		return std.fail(err)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, terminate)
	defer stop()
	bar := progress(std, program[0])
	steps := cmd.Steps
	var run *programRun
	for i := range runs {
		if run, err = cmd.run(ctx, program, conf, first+uint64(i), steps); err != nil {
			if bar != nil {
				bar.Clear()
			}
			return cmd.notRun(err, std)
		}
		if bar != nil {
			bar.Set((i + 1) * 1000 / runs)
		}
		if run.failed != "" {
			if bar != nil {
				bar.Clear()
			}
			cmd.tell(run, program, i+1, runs, std)
			return exitFailure
		}
		if cmd.Steps == 0 {
			steps = max(steps, len(run.trace))
		}
	}
	if bar != nil {
		bar.Clear()
	}
	if cmd.Trace {
		fmt.Fprintf(std.out, "The last run, seed %d:\n\n%s\n", run.seed, run.trace)
	}
	fmt.Fprintf(std.out, "%s, seeds %d to %d: none failed.\n%s", times(runs), first, run.seed, notExhaustive)
	return exitOK
}

const notExhaustive = "Not exhaustive: each run tried one order of very many.\n"

func times(runs int) string {
	if runs == 1 {
		return "1 run"
	}
	return fmt.Sprintf("%d runs", runs)
}

// notRun is the exit status if the program cannot be run at all.
func (cmd *programCommand) notRun(err error, std stdio) int {
	std.fail(err)
	switch {
	case errors.Is(err, exec.ErrNotFound), errors.Is(err, os.ErrNotExist):
		return exitNotFound
	case errors.Is(err, errInterrupted):
		return exitFailure
	}
	return exitNotRunnable
}

var errInterrupted = errors.New("explore: interrupted")

// run runs the program once.
func (cmd *programCommand) run(ctx context.Context, program []string, conf *config.Config, seed uint64, steps int) (*programRun, error) {
	gate, err := foreign.Start(foreign.Config{
		Server: server.Options{Config: conf}, Seed: seed, Clients: cmd.Clients, Patience: cmd.Patience,
		Pauses: cmd.Pauses, Depth: cmd.Pct, Steps: steps,
	})
	if err != nil {
		return nil, err
	}
	limit, cancel := context.WithTimeout(ctx, cmd.Timeout)
	defer cancel()
	var out tail
	child := exec.CommandContext(limit, program[0], program[1:]...)
	child.Stdout, child.Stderr = &out, &out
	child.Env = append(os.Environ(), environment([]net.Addr{gate.Addr()})...)
	child.WaitDelay = time.Second // for what the program has started itself
	inGroup(child)
	if err = child.Start(); err == nil {
		err = child.Wait()
	}
	run := &programRun{seed: seed, steps: steps, trace: gate.Close(), output: out.String()}
	var status *exec.ExitError
	switch {
	case ctx.Err() != nil:
		return nil, errInterrupted
	case limit.Err() != nil:
		run.failed = fmt.Sprintf("it did not end within %v", cmd.Timeout)
	case errors.As(err, &status), errors.Is(err, exec.ErrWaitDelay):
		run.failed = err.Error()
	case err != nil:
		return nil, err
	}
	return run, nil
}

// tell tells of the run that failed, and how to have it again.
func (cmd *programCommand) tell(run *programRun, program []string, i, runs int, std stdio) {
	fmt.Fprintf(std.out, "Run %d of %d failed: %s.\n\n%s\n", i, runs, run.failed, run.trace)
	if run.output != "" {
		fmt.Fprintf(std.out, "The program said:\n%s\n", indent(run.output))
	}
	again := fmt.Sprintf("minikv explore --clients %d", cmd.Clients)
	if cmd.Pct > 0 {
		again += fmt.Sprintf(" --pct %d --steps %d", cmd.Pct, run.steps)
	}
	if cmd.Pauses > 0 {
		again += fmt.Sprintf(" --pauses %d", cmd.Pauses)
	}
	if cmd.Patience != 25*time.Millisecond {
		again += fmt.Sprintf(" --patience %v", cmd.Patience)
	}
	fmt.Fprintf(std.out, "The same order again, as far as the program sends the same:\n  %s --seed %d -- %s\n%s",
		again, run.seed, strings.Join(program, " "), notExhaustive)
}

func indent(text string) string {
	return "  " + strings.ReplaceAll(strings.TrimRight(text, "\n"), "\n", "\n  ") + "\n"
}

// tail keeps the end of what is written to it.
type tail struct {
	kept []byte
	cut  bool
}

// tailSize is how much is kept.
const tailSize = 16 << 10

func (t *tail) Write(b []byte) (int, error) {
	t.kept = append(t.kept, b...)
	if n := len(t.kept) - tailSize; n > 0 {
		t.kept, t.cut = append(t.kept[:0], t.kept[n:]...), true
	}
	return len(b), nil
}

func (t *tail) String() string {
	if t.cut {
		return "...\n" + string(t.kept)
	}
	return string(t.kept)
}
