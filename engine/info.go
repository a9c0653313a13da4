package engine

import (
	"fmt"
	"strings"
)

// INFO is a list of sections, each a list of "name:value" lines under a title,
// with Redis's names in Redis's order, since programs read them. A field that
// has no meaning here says what an idle redis-server would say; nothing that
// is not known is made up. What lies outside the engine (the process, its
// memory, its port) comes from Options.Process.

// ProcessInfo is what INFO tells of the process around the engine.
type ProcessInfo struct {
	PID          int
	Port         int    // the TCP port listened on, 0 if none
	OS           string // as uname has it: system, release, machine
	Compiler     string // version of the Go toolchain
	Executable   string // path
	ConfigFile   string // path; empty: CONFIG REWRITE has no file to write to
	Multiplexing string // how connections are waited for: "epoll"
	Clock        string // what tells the time
	BuildID      string

	SystemMemory    int64 // bytes of the machine
	ResidentMemory  int64 // of the process, as the system counts it
	AllocatedMemory int64 // live bytes on the Go heap
	HeapMemory      int64 // bytes of the Go heap in use, dead ones too
	ReservedMemory  int64 // bytes that the Go runtime holds

	UserCPU, SystemCPU int64 // microseconds
	Reads, Writes      int64 // calls on connections
	MigrateSockets     int   // connections that MIGRATE keeps
}

// process asks the outside, if there is one.
func (e *Engine) process() ProcessInfo {
	if e.opt.Process == nil {
		return ProcessInfo{}
	}
	return e.opt.Process()
}

// infoSection is one section. Without arguments INFO shows those that are not
// on demand; "all" and "everything" show every one.
type infoSection struct {
	name     string
	title    string
	onDemand bool
	write    func(w *infoWriter)
}

func infoSections() []infoSection {
	return []infoSection{
		{"server", "Server", false, (*infoWriter).server},
		{"clients", "Clients", false, (*infoWriter).clients},
		{"memory", "Memory", false, (*infoWriter).memory},
		{"persistence", "Persistence", false, (*infoWriter).persistence},
		{"stats", "Stats", false, (*infoWriter).stats},
		{"replication", "Replication", false, (*infoWriter).replication},
		{"cpu", "CPU", false, (*infoWriter).cpu},
		{"modules", "Modules", false, func(*infoWriter) {}},
		{"commandstats", "Commandstats", true, (*infoWriter).commandStats},
		{"errorstats", "Errorstats", false, (*infoWriter).errorStats},
		{"latencystats", "Latencystats", true, (*infoWriter).latencyStats},
		{"cluster", "Cluster", false, (*infoWriter).cluster},
		{"keyspace", "Keyspace", false, (*infoWriter).keyspace},
	}
}

// infoWriter writes sections.
type infoWriter struct {
	e *Engine
	p ProcessInfo
	b []byte
}

// line adds a field.
func (w *infoWriter) line(name string, value any) {
	w.b = fmt.Appendf(w.b, "%s:%v\r\n", name, value)
}

// zeros adds fields of things that do not happen here.
func (w *infoWriter) zeros(names ...string) {
	for _, name := range names {
		w.line(name, 0)
	}
}

// bytes adds a number of bytes and the same for people.
func (w *infoWriter) bytes(name string, n int64) {
	w.line(name, n)
	w.line(name+"_human", humanBytes(n))
}

// humanBytes writes a number of bytes with a unit, as 1.50M.
func humanBytes(n int64) string {
	f := float64(n)
	switch {
	case n < 1<<10:
		return fmt.Sprintf("%dB", n)
	case n < 1<<20:
		return fmt.Sprintf("%.2fK", f/(1<<10))
	case n < 1<<30:
		return fmt.Sprintf("%.2fM", f/(1<<20))
	case n < 1<<40:
		return fmt.Sprintf("%.2fG", f/(1<<30))
	}
	return fmt.Sprintf("%.2fT", f/(1<<40))
}

// info is INFO's text for the sections that args name.
func (e *Engine) info(args [][]byte) []byte {
	w := infoWriter{e: e, p: e.process()}
	for _, s := range infoSections() {
		if !s.wanted(args) {
			continue
		}
		if len(w.b) > 0 {
			w.b = append(w.b, "\r\n"...)
		}
		w.b = append(append(append(w.b, "# "...), s.title...), "\r\n"...)
		s.write(&w)
	}
	return w.b
}

func (s *infoSection) wanted(args [][]byte) bool {
	if len(args) == 0 {
		return !s.onDemand
	}
	for _, arg := range args {
		switch name := strings.ToLower(string(arg)); name {
		case "all", "everything", s.name:
			return true
		case "default":
			if !s.onDemand {
				return true
			}
		case "module_list":
			if s.name == "modules" {
				return true
			}
		}
	}
	return false
}
