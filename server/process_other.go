//go:build !linux

package server

import "runtime"

// multiplexing: Go's own poller waits for connections.
const multiplexing = "go netpoll"

func systemName() string { return runtime.GOOS + " " + runtime.GOARCH }

// What is not known of other systems is 0.
func systemMemory() int64           { return 0 }
func residentMemory() int64         { return 0 }
func cpuTime() (user, system int64) { return 0, 0 }
