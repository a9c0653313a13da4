package server

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"minikv/engine/config"
)

// appendOnly is an append-only file as BGREWRITEAOF writes it: a base, which is an
// RDB file, and the manifest that names it, in a directory of their own. It is for
// redis-server with appendonly yes; minikv itself does not read it.
type appendOnly struct {
	dir, filename string
	sequence      int
}

// nextAppendOnly is the one that follows what the manifest names.
func nextAppendOnly(c *config.Config) (*appendOnly, error) {
	a := &appendOnly{dir: filepath.Join(c.Dir, c.AppendDirName), filename: c.AppendFilename, sequence: 1}
	if err := os.Mkdir(a.dir, 0o755); err != nil && !errors.Is(err, fs.ErrExist) {
		return nil, err
	}
	manifest, err := os.ReadFile(a.manifest())
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	for line := range strings.Lines(string(manifest)) {
		var name string
		var sequence int
		if _, err := fmt.Sscanf(line, "file %s seq %d type b", &name, &sequence); err == nil {
			a.sequence = max(a.sequence, sequence+1)
		}
	}
	return a, nil
}

func (a *appendOnly) manifest() string { return filepath.Join(a.dir, a.filename+".manifest") }

func (a *appendOnly) base() string {
	return filepath.Join(a.dir, fmt.Sprintf("%s.%d.base.rdb", a.filename, a.sequence))
}

// name has the manifest name the base, which stands complete. What it named before
// is left where it is, but for the base before this one.
func (a *appendOnly) name() error {
	line := fmt.Sprintf("file %s seq %d type b\n", filepath.Base(a.base()), a.sequence)
	if err := replaceFile(a.manifest(), []byte(line)); err != nil {
		return err
	}
	before := *a
	before.sequence--
	if err := os.Remove(before.base()); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}
