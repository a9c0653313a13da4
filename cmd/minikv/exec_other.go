//go:build !unix

package main

import (
	"os"
	"os/exec"
	"syscall"
)

// passedOn are the signals that exec passes on. Windows sends Ctrl-C to the
// program itself.
var passedOn = []os.Signal{os.Interrupt}

func fromTerminal(os.Signal) bool { return true }

func signalOf(*os.ProcessState) int { return 0 }

const terminate = syscall.SIGTERM

// inGroup has nothing to do: the program itself is ended.
func inGroup(*exec.Cmd) {}
