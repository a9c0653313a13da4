package main

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"os"
	"strconv"
	"strings"
	"sync"

	"minikv/engine/config"
)

// openLog opens the log that the configuration asks for.
func openLog(c *config.Config, stderr io.Writer) (log *slog.Logger, closeLog func() error, err error) {
	if c.LogLevel == config.LogNothing {
		return slog.New(slog.DiscardHandler), func() error { return nil }, nil
	}
	to, closeLog := stderr, func() error { return nil }
	if c.LogFile != "" {
		f, err := os.OpenFile(c.LogFile, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
		if err != nil {
			return nil, nil, fmt.Errorf("can't open the log file: %w", err)
		}
		to, closeLog = f, f.Close
	}
	least := [...]slog.Level{
		config.LogDebug:   slog.LevelDebug,
		config.LogVerbose: slog.LevelDebug,
		config.LogNotice:  slog.LevelInfo,
		config.LogWarning: slog.LevelWarn,
	}[c.LogLevel]
	return slog.New(&logHandler{mu: new(sync.Mutex), to: to, least: least, pid: os.Getpid()}), closeLog, nil
}

// logHandler writes lines as redis-server does:
//
//	4711:M 30 Nov 2026 17:42:09.728 * message key=value
type logHandler struct {
	mu    *sync.Mutex
	to    io.Writer
	least slog.Level
	pid   int
	attrs string // of With, ready to print
	group string // prefix of names, with its dot
}

func (h *logHandler) Enabled(_ context.Context, level slog.Level) bool { return level >= h.least }

func (h *logHandler) Handle(_ context.Context, r slog.Record) error {
	mark := byte('*')
	switch {
	case r.Level < slog.LevelInfo:
		mark = '-'
	case r.Level >= slog.LevelWarn:
		mark = '#'
	}
	var line strings.Builder
	fmt.Fprintf(&line, "%d:M %s %c %s%s", h.pid, r.Time.Format("02 Jan 2006 15:04:05.000"), mark, r.Message, h.attrs)
	r.Attrs(func(a slog.Attr) bool {
		writeAttr(&line, h.group, a)
		return true
	})
	line.WriteByte('\n')
	h.mu.Lock()
	defer h.mu.Unlock()
	_, err := io.WriteString(h.to, line.String())
	return err
}

func (h *logHandler) WithAttrs(attrs []slog.Attr) slog.Handler {
	var text strings.Builder
	for _, a := range attrs {
		writeAttr(&text, h.group, a)
	}
	with := *h
	with.attrs += text.String()
	return &with
}

func (h *logHandler) WithGroup(name string) slog.Handler {
	with := *h
	if name != "" {
		with.group += name + "."
	}
	return &with
}

func writeAttr(to *strings.Builder, group string, a slog.Attr) {
	value := a.Value.Resolve()
	if value.Kind() == slog.KindGroup {
		if a.Key != "" {
			group += a.Key + "."
		}
		for _, inner := range value.Group() {
			writeAttr(to, group, inner)
		}
		return
	}
	text := value.String()
	if strings.ContainsAny(text, " \"=\n") {
		text = strconv.Quote(text)
	}
	fmt.Fprintf(to, " %s%s=%s", group, a.Key, text)
}
