package server

import (
	"unsafe"

	"golang.org/x/sys/unix"
)

// Reads and writes of the event loop. Its descriptors do not block, so the
// scheduler need not hear of a short call: telling it costs as much as a small
// command. A long one, which copies much, is told, so that a collection need
// not wait for it.

// shortIO is how many bytes a call may move that the scheduler does not hear of.
const shortIO = 64 << 10

func readNow(fd int, b []byte) (int, error) {
	if len(b) == 0 || len(b) > shortIO {
		return unix.Read(fd, b)
	}
	return rawIO(unix.SYS_READ, fd, b)
}

func writeNow(fd int, b []byte) (int, error) {
	if len(b) == 0 || len(b) > shortIO {
		return unix.Write(fd, b)
	}
	return rawIO(unix.SYS_WRITE, fd, b)
}

func rawIO(call uintptr, fd int, b []byte) (int, error) {
	n, _, errno := unix.RawSyscall(call, uintptr(fd), uintptr(unsafe.Pointer(&b[0])), uintptr(len(b)))
	if errno != 0 {
		return -1, errno
	}
	return int(n), nil
}
