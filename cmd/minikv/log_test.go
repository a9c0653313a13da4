package main

import (
	"bytes"
	"log/slog"
	"regexp"
	"testing"

	"minikv/engine/config"
)

func TestLogLinesLookLikeRedis(t *testing.T) {
	t.Parallel()
	c := config.New()
	var out bytes.Buffer
	log, _, err := openLog(c, &out)
	if err != nil {
		t.Fatal(err)
	}
	log.Debug("not at notice")
	log.Info("hello", "n", 1, "s", "a b")
	log.With("x", "y").WithGroup("g").Warn("careful", "k", "v", slog.Group("in", "z", 2))
	want := `^\d+:M \d\d \w{3} \d{4} \d\d:\d\d:\d\d\.\d{3} \* hello n=1 s="a b"
\d+:M .{24} # careful x=y g\.k=v g\.in\.z=2
$`
	if !regexp.MustCompile(want).MatchString(out.String()) {
		t.Errorf("%s", out.String())
	}
}

func TestLogLevels(t *testing.T) {
	t.Parallel()
	for level, want := range map[string]int{"debug": 3, "verbose": 3, "notice": 2, "warning": 1, "nothing": 0} {
		c := config.New()
		if err := c.Apply("loglevel", []string{level}, ""); err != nil {
			t.Fatal(err)
		}
		var out bytes.Buffer
		log, _, err := openLog(c, &out)
		if err != nil {
			t.Fatal(err)
		}
		log.Debug("a")
		log.Info("b")
		log.Warn("c")
		if got := bytes.Count(out.Bytes(), []byte("\n")); got != want {
			t.Errorf("%s: %d lines, want %d", level, got, want)
		}
	}
}
