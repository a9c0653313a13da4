// Minikv is an in-memory server that speaks Redis's protocol.
//
// Usage, as with redis-server:
//
//	minikv [redis.conf|-] [--directive value ...]
package main

import (
	"fmt"
	"io"
	"os"
	"runtime"
	"slices"
)

// Version is minikv's own.
const version = "0.1.0"

// exit codes
const (
	exitOK      = 0
	exitFailure = 1
)

// stdio is what a subcommand reads and writes.
type stdio struct {
	in       io.Reader
	out, err io.Writer
}

// fail prints the one line that says what went wrong.
func (std stdio) fail(err error) int {
	fmt.Fprintf(std.err, "minikv: %v\n", err)
	return exitFailure
}

// subcommand is what the first word may be; every other first word is the
// server's.
type subcommand struct {
	names   []string
	summary string
	run     func(args []string, std stdio) int
}

func subcommands() []subcommand {
	return []subcommand{
		{[]string{"help", "-h", "--help"}, "show this text; \"help directives\" lists what can be set", runHelp},
		{[]string{"cli"}, "type commands and see the replies, here or at another server: minikv cli SET k v", runCLI},
		{[]string{"explore"}, "find the schedule that breaks a lock: minikv explore s04", runExplore},
		{[]string{"exec"}, "run a program, such as a test suite, with a server of its own: minikv exec -- npm test", runExec},
		{[]string{"replay"}, "run a trace again and compare the replies: minikv replay TRACE", runReplay},
		{[]string{"version", "-v", "--version"}, "show the version", runVersion},
	}
}

func main() {
	os.Exit(run(os.Args[1:], stdio{os.Stdin, os.Stdout, os.Stderr}))
}

func run(args []string, std stdio) int {
	if len(args) > 0 {
		for _, sub := range subcommands() {
			if slices.Contains(sub.names, args[0]) {
				return sub.run(args[1:], std)
			}
		}
	}
	return runServer(args, std)
}

func runVersion(_ []string, std stdio) int {
	fmt.Fprintf(std.out, "minikv %s (Redis server v=7.0.15) %s %s/%s\n", version, runtime.Version(), runtime.GOOS, runtime.GOARCH)
	return exitOK
}
