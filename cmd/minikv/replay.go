package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"

	"minikv/server"
)

// replayCommand is what "minikv replay" understands.
type replayCommand struct {
	Trace string `arg:"" help:"A trace that minikv exec --record, or the directive trace-file, has written." type:"existingfile"`
	URL   string `help:"Send the commands to this server, a real one among them, instead of an engine of their own." placeholder:"redis://HOST:PORT"`
	Pace  bool   `help:"Leave as much time between the commands as the trace has; only with --url."`
}

const replayHelp = `Runs the commands of a trace again and compares the replies. Without --url that happens in an engine with the
trace's seed and times, where every byte is to be the same. Exits with 1 at the first difference.`

func runReplay(args []string, std stdio) int {
	var cmd replayCommand
	done, err := parse(&cmd, "minikv replay", replayHelp, args, std)
	switch {
	case done:
		return exitOK
	case err != nil:
		return std.fail(err)
	}
	trace, difference, err := cmd.play()
	switch {
	case err != nil:
		return std.fail(err)
	case difference != nil:
		fmt.Fprintf(std.out, "%s:%s", cmd.Trace, difference)
		return exitFailure
	case trace.Commands() == 0:
		return std.fail(fmt.Errorf("%s has no commands", cmd.Trace))
	}
	fmt.Fprintf(std.out, "%d commands: all replies are those of the trace\n", trace.Commands())
	return exitOK
}

func (cmd *replayCommand) play() (*server.Trace, *server.Difference, error) {
	f, err := os.Open(cmd.Trace)
	if err != nil {
		return nil, nil, err
	}
	defer f.Close()
	trace, err := server.ReadTrace(f)
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", cmd.Trace, err)
	}
	if cmd.URL == "" {
		difference, err := trace.Replay()
		return trace, difference, err
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	difference, err := trace.ReplayOn(ctx, cmd.URL, cmd.Pace)
	return trace, difference, err
}
