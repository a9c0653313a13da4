package main

import (
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"os/signal"
	"slices"
	"strings"

	"github.com/alecthomas/kong"

	"minikv/engine/config"
	"minikv/server"
)

// execCommand is what "minikv exec" understands before the two dashes.
type execCommand struct {
	Config       string            `help:"A redis.conf for the server." type:"existingfile" placeholder:"FILE"`
	Set          map[string]string `help:"A directive of redis.conf; may be given again." placeholder:"NAME=VALUE" mapsep:"none"`
	Record       string            `help:"Write what the program's clients do to a trace; see minikv replay." placeholder:"FILE"`
	Seed         int64             `help:"Of the server's randomness; 0 draws one." placeholder:"N"`
	Cluster      int               `help:"Be a Redis cluster of so many nodes; REDIS_CLUSTER_NODES names them all." placeholder:"N"`
	RedisVersion string            `help:"The version to be: 6.2, 7.2, valkey-8.0 ..." placeholder:"VERSION"`
}

const execHelp = `minikv exec [options] -- program [arguments]

Runs a program, such as a test suite, with a server of its own on a free port. The program finds it by REDIS_URL,
REDIS_HOST and REDIS_PORT. Signals are passed on, and the program's exit status is minikv's.`

// What exec itself exits with, as shells do.
const (
	exitNotRunnable = 126
	exitNotFound    = 127
	exitSignal      = 128 // and the signal's number
)

func runExec(args []string, std stdio) int {
	var cmd execCommand
	options, program := args, []string(nil)
	if i := slices.Index(args, "--"); i >= 0 {
		options, program = args[:i], args[i+1:]
	}
	done, err := parse(&cmd, "minikv exec", execHelp, options, std)
	switch {
	case done:
		return exitOK
	case err != nil:
		return std.fail(err)
	case len(program) == 0:
		return std.fail(errors.New("exec: which program? minikv exec [options] -- program [arguments]"))
	}
	return cmd.run(program, std)
}

// parse reads a subcommand's options; done: help was asked for and given.
func parse(into any, name, help string, args []string, std stdio, more ...kong.Option) (done bool, err error) {
	parser, err := kong.New(into, append(more, kong.Name(name), kong.Description(help), kong.Writers(std.out, std.err),
		kong.Exit(func(int) { done = true }))...)
	if err != nil {
		return false, err
	}
	_, err = parser.Parse(args)
	return done, err
}

func (cmd *execCommand) run(program []string, std stdio) int {
	conf, err := cmd.load()
	if err != nil {
		return std.fail(err)
	}
	log, closeLog, err := openLog(conf, std.err)
	if err != nil {
		return std.fail(err)
	}
	defer closeLog()
	record, err := openTrace(conf.TraceFile)
	if err != nil {
		return std.fail(err)
	}
	s, err := newBackend(server.Options{Config: conf, Addr: "127.0.0.1:0", Logger: log, Seed: seedOf(conf), Record: record.writer()})
	if err == nil {
		err = s.Listen()
	}
	if err != nil {
		return std.fail(err)
	}
	code := runProgram(program, s.Addrs(), std)
	s.Close()
	if err := record.close(); err != nil {
		return std.fail(fmt.Errorf("the trace is not whole: %w", err))
	}
	return code
}

// load makes the configuration: the file's, then the options'. Nothing is
// logged unless it is asked for: the output is the program's.
func (cmd *execCommand) load() (*config.Config, error) {
	line := commandLine{file: cmd.Config, options: []option{{"loglevel", []string{"nothing"}}}}
	for name, value := range cmd.Set {
		line.options = append(line.options, option{name, []string{value}})
	}
	for _, o := range []option{
		{"trace-file", []string{cmd.Record}}, {"redis-version", []string{cmd.RedisVersion}}, {"seed", []string{fmt.Sprint(cmd.Seed)}},
		{"cluster", []string{fmt.Sprint(cmd.Cluster)}},
	} {
		if o.args[0] != "" && o.args[0] != "0" {
			line.options = append(line.options, o)
		}
	}
	conf, _, err := line.load(nil)
	return conf, err
}

// environment tells a program where the server is, or the nodes of a cluster.
func environment(addrs []net.Addr) []string {
	host, port, _ := net.SplitHostPort(addrs[0].String())
	env := []string{"REDIS_URL=redis://" + addrs[0].String(), "REDIS_HOST=" + host, "REDIS_PORT=" + port}
	if len(addrs) > 1 {
		env = append(env, "REDIS_CLUSTER_NODES="+strings.ReplaceAll(addresses(addrs), " ", ","))
	}
	return env
}

// runProgram runs the program until it ends.
func runProgram(program []string, addrs []net.Addr, std stdio) int {
	cmd := exec.Command(program[0], program[1:]...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = std.in, std.out, std.err
	cmd.Env = append(os.Environ(), environment(addrs)...)
	signals := make(chan os.Signal, 8)
	signal.Notify(signals, passedOn...)
	defer signal.Stop(signals)
	if err := cmd.Start(); err != nil {
		std.fail(err)
		if errors.Is(err, exec.ErrNotFound) || errors.Is(err, os.ErrNotExist) {
			return exitNotFound
		}
		return exitNotRunnable
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	for {
		select {
		case sig := <-signals:
			if !fromTerminal(sig) {
				cmd.Process.Signal(sig)
			}
		case err := <-ended:
			return statusOf(cmd.ProcessState, err, std)
		}
	}
}

// statusOf is what to exit with when the program has ended.
func statusOf(state *os.ProcessState, err error, std stdio) int {
	if state == nil {
		return std.fail(err)
	}
	if code := state.ExitCode(); code >= 0 {
		return code
	}
	return exitSignal + signalOf(state)
}

// traceFile is a trace that is being written, or none.
type traceFile struct {
	file *os.File
	err  error // the first
}

// openTrace opens a trace's file, which others may not read: it holds what
// clients send.
func openTrace(path string) (*traceFile, error) {
	if path == "" {
		return nil, nil
	}
	f, err := os.OpenFile(path, os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, fmt.Errorf("can't open the trace file: %w", err)
	}
	return &traceFile{file: f}, nil
}

// writer is nil if there is no trace.
func (t *traceFile) writer() io.Writer {
	if t == nil {
		return nil
	}
	return t
}

func (t *traceFile) Write(b []byte) (int, error) {
	n, err := t.file.Write(b)
	if err != nil && t.err == nil {
		t.err = err
	}
	return n, err
}

// close ends the file and tells what went wrong with it.
func (t *traceFile) close() error {
	if t == nil {
		return nil
	}
	return errors.Join(t.err, t.file.Close())
}
