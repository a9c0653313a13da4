package main

import (
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// parentGone tells when the process that has started this one is over. That is
// asked of the process, not of the thread which Linux's parent-death signal
// means: a parent's threads come and go.
func parentGone() (<-chan struct{}, error) {
	parent := os.Getppid()
	fd, err := unix.PidfdOpen(parent, 0)
	if err != nil && err != unix.ESRCH {
		return nil, fmt.Errorf("die-with-parent: watching process %d: %w", parent, err)
	}
	gone := make(chan struct{})
	if err == unix.ESRCH || os.Getppid() != parent {
		close(gone)
		return gone, nil
	}
	go func() {
		defer close(gone)
		defer unix.Close(fd)
		for {
			n, err := unix.Poll([]unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}, -1)
			if n > 0 || err != nil && err != unix.EINTR {
				return
			}
		}
	}()
	return gone, nil
}
