package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"minikv/engine/config"
	"minikv/server"
)

// backend is what serves: a server, or a cluster of them.
type backend interface {
	Listen() error
	Serve(context.Context) error
	Addrs() []net.Addr
	Terminate(interrupt bool) error
	Close() error
}

// newBackend makes what the directive cluster asks for.
func newBackend(opt server.Options) (backend, error) {
	if n := opt.Config.Cluster; n > 0 {
		return server.NewCluster(n, opt, nil)
	}
	return server.New(opt)
}

// runServer serves until a signal or SHUTDOWN ends it.
func runServer(args []string, std stdio) int {
	line, err := parseCommandLine(args)
	if err != nil {
		return std.fail(err)
	}
	conf, given, err := line.load(std.in)
	if err != nil {
		return std.fail(err)
	}
	log, closeLog, err := openLog(conf, std.err)
	if err != nil {
		return std.fail(err)
	}
	defer closeLog()
	warnOfIneffective(log, conf, given)
	signals := make(chan os.Signal, 1) // before anybody is told that minikv is ready
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	defer signal.Stop(signals)
	parent, err := watchParent(conf)
	if err != nil {
		return std.fail(err)
	}
	record, err := openTrace(conf.TraceFile)
	if err != nil {
		return std.fail(err)
	}
	s, err := newBackend(server.Options{Config: conf, ConfigFile: line.path(), Addr: freePort(conf), Logger: log,
		Seed: seedOf(conf), Record: record.writer()})
	if err == nil {
		err = s.Listen()
	}
	if err != nil {
		return std.fail(err)
	}
	defer s.Close()
	tuneCollector()
	if len(s.Addrs()) == 0 {
		return std.fail(errors.New("configured to not listen anywhere"))
	}
	if err := writeReady(conf.ReadyFile, s.Addrs()); err != nil {
		return std.fail(err)
	}
	defer removeReady(conf.ReadyFile)
	fmt.Fprintf(std.out, "minikv %s: Ready to accept connections on %s\n", version, addresses(s.Addrs()))
	log.Info("Ready to accept connections") // Redis's words, for which test harnesses wait
	if err := serveUntil(signals, parent, s, log); err != nil {
		return std.fail(err)
	}
	if err := record.close(); err != nil {
		return std.fail(fmt.Errorf("the trace is not whole: %w", err))
	}
	log.Info("minikv is now ready to exit, bye bye...")
	return exitOK
}

// watchParent tells when minikv's parent is gone, if die-with-parent asks for it.
func watchParent(c *config.Config) (<-chan struct{}, error) {
	if !c.DieWithParent {
		return nil, nil
	}
	return parentGone()
}

// serveUntil ends at the first signal, or when the parent is gone; a second
// signal ends the process.
func serveUntil(signals chan os.Signal, parent <-chan struct{}, s backend, log *slog.Logger) error {
	ctx, end := context.WithCancel(context.Background())
	defer end()
	go func() {
		select {
		case sig := <-signals:
			signal.Stop(signals)
			log.Warn("Received a signal, scheduling shutdown...", "signal", sig)
			if err := s.Terminate(sig == os.Interrupt); err != nil {
				log.Error(err.Error() + "; another signal ends it")
			}
		case <-parent:
			log.Warn("The parent process is gone, scheduling shutdown...")
			end()
		case <-ctx.Done():
		}
	}()
	return s.Serve(ctx)
}

// freePort is where to listen if port is 0 and nothing else is listened on.
//
// DIFFERS: minikv started with port 0, and neither tls-port nor unixsocket, takes a free port and prints it, where redis-server has nowhere to listen and exits.
func freePort(c *config.Config) string {
	if c.Port != 0 || c.TLSPort != 0 || c.UnixSocket != "" || len(c.Bind) == 0 {
		return ""
	}
	host := strings.TrimPrefix(c.Bind[0], "-")
	switch host {
	case "*":
		host = "0.0.0.0"
	case "::*":
		host = "::"
	}
	return net.JoinHostPort(host, "0")
}

func addresses(addrs []net.Addr) string {
	words := make([]string, len(addrs))
	for i, addr := range addrs {
		words[i] = addr.String()
		if addr.Network() == "unix" {
			words[i] = "unix:" + words[i]
		}
	}
	return strings.Join(words, " ")
}

// warnOfIneffective says once what was asked for in vain.
func warnOfIneffective(log *slog.Logger, c *config.Config, given []string) {
	if c.AppendOnly {
		log.Warn("appendonly yes: minikv keeps nothing on disk, data is lost when it ends")
	}
	if idle := c.Ineffective(given); len(idle) > 0 {
		log.Warn("Directives without effect here: " + strings.Join(idle, ", "))
	}
}
