package main

import (
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"path/filepath"
	"strings"

	"minikv/engine/config"
)

// writeReady writes the file that says where clients can connect, an address a
// line. It stands complete before it has its name: who sees it can read it.
func writeReady(path string, addrs []net.Addr) error {
	if path == "" {
		return nil
	}
	f, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".*.tmp")
	if err != nil {
		return fmt.Errorf("can't write the ready file: %w", err)
	}
	text := strings.ReplaceAll(addresses(addrs), " ", "\n") + "\n"
	_, err = f.WriteString(text)
	if closing := f.Close(); err == nil {
		err = closing
	}
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		os.Remove(f.Name())
		return fmt.Errorf("can't write the ready file: %w", err)
	}
	return nil
}

// removeReady takes the file away when nobody can connect any more.
func removeReady(path string) {
	if path != "" {
		os.Remove(path)
	}
}

// seedOf is the seed of a server's randomness: the configuration's, or one that
// is drawn and then stands there, for CONFIG GET seed to tell.
func seedOf(c *config.Config) uint64 {
	if c.Seed == 0 {
		c.Seed = 1 + rand.Int64N(1<<62)
	}
	return uint64(c.Seed)
}
