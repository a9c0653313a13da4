package server

import (
	"net"
	"os"
	"runtime"
	"runtime/metrics"
	"strings"

	"minikv/engine"
)

// process is what INFO tells of the world around the engine.
func (s *Server) process() engine.ProcessInfo {
	p := engine.ProcessInfo{
		ConfigFile:   s.opt.ConfigFile,
		PID:          os.Getpid(),
		Port:         s.port(),
		OS:           systemName(),
		Compiler:     strings.TrimPrefix(runtime.Version(), "go"),
		Multiplexing: multiplexing,
		Clock:        "go runtime",
		SystemMemory: systemMemory(),

		MigrateSockets: len(s.loop.targets),
	}
	p.Executable, _ = os.Executable()
	if s.opt.Clock != nil {
		p.Clock = "injected"
	}
	heap := []metrics.Sample{
		{Name: "/memory/classes/heap/objects:bytes"},
		{Name: "/memory/classes/heap/unused:bytes"},
		{Name: "/memory/classes/total:bytes"},
		{Name: "/memory/classes/heap/released:bytes"},
	}
	metrics.Read(heap)
	size := func(i int) int64 { return int64(heap[i].Value.Uint64()) }
	p.AllocatedMemory = size(0)
	p.HeapMemory = size(0) + size(1)
	p.ReservedMemory = size(2) - size(3)
	if p.ResidentMemory = residentMemory(); p.ResidentMemory == 0 {
		p.ResidentMemory = p.ReservedMemory
	}
	p.UserCPU, p.SystemCPU = cpuTime()
	return p
}

// port is the TCP port without TLS, 0 if there is none.
func (s *Server) port() int {
	if s.opt.Addr == "" && s.conf.Port == 0 {
		return 0
	}
	for _, addr := range s.Addrs() {
		if tcp, ok := addr.(*net.TCPAddr); ok {
			return tcp.Port
		}
	}
	return 0
}
