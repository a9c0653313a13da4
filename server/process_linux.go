package server

import (
	"bytes"
	"os"
	"strconv"

	"golang.org/x/sys/unix"
)

const multiplexing = "epoll"

// systemName is as uname has it: system, release, machine.
func systemName() string {
	var u unix.Utsname
	if unix.Uname(&u) != nil {
		return "Linux"
	}
	text := func(field []byte) string {
		name, _, _ := bytes.Cut(field, []byte{0})
		return string(name)
	}
	return text(u.Sysname[:]) + " " + text(u.Release[:]) + " " + text(u.Machine[:])
}

// systemMemory is how many bytes the machine has.
func systemMemory() int64 {
	var info unix.Sysinfo_t
	if unix.Sysinfo(&info) != nil {
		return 0
	}
	return int64(info.Totalram) * int64(info.Unit)
}

// residentMemory is how many bytes of the process are in memory.
func residentMemory() int64 {
	text, err := os.ReadFile("/proc/self/statm")
	fields := bytes.Fields(text)
	if err != nil || len(fields) < 2 {
		return 0
	}
	pages, _ := strconv.ParseInt(string(fields[1]), 10, 64)
	return pages * int64(os.Getpagesize())
}

// cpuTime is the process's time in microseconds.
func cpuTime() (user, system int64) {
	var u unix.Rusage
	if unix.Getrusage(unix.RUSAGE_SELF, &u) != nil {
		return 0, 0
	}
	return u.Utime.Nano() / 1000, u.Stime.Nano() / 1000
}
