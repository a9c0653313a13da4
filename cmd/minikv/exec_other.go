//go:build !unix

package main

import "os"

// passedOn are the signals that exec passes on. Windows sends Ctrl-C to the
// program itself.
var passedOn = []os.Signal{os.Interrupt}

func fromTerminal(os.Signal) bool { return true }

func signalOf(*os.ProcessState) int { return 0 }
