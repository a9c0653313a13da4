package server

import (
	"fmt"
	"os"
	"time"

	"minikv/engine"
)

// progress tells the log how far a large file was read.
type progress struct {
	log        func(engine.LogLevel, string)
	size       int64
	start, got time.Time // when it began, and when it last told
}

// progressEvery is the time between two lines.
const progressEvery = 2 * time.Second

func (l *loop) newProgress(f *os.File) *progress {
	p := &progress{log: l.log, start: time.Now()}
	p.got = p.start
	if info, err := f.Stat(); err == nil {
		p.size = info.Size()
	}
	return p
}

// tell is engine.LoadOptions.Progress.
func (p *progress) tell(bytes int64) {
	if now := time.Now(); now.Sub(p.got) >= progressEvery {
		p.got = now
		p.log(engine.LogNotice, fmt.Sprintf("Loading data: %d of %d MB (%d%%)", bytes>>20, p.size>>20, 100*bytes/max(p.size, 1)))
	}
}

func (p *progress) end() {
	p.log(engine.LogNotice, fmt.Sprintf("DB loaded from disk: %.3f seconds", time.Since(p.start).Seconds()))
}
