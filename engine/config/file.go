package config

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strconv"

	"minikv/resp"
)

// File is a file that an include line brought in.
type File struct {
	Name string
	Text []byte
}

// Include returns the files that an include line means, in order. A pattern
// with wildcards may mean none; a file that cannot be read is an error.
type Include func(pattern string) ([]File, error)

// Bounds of what a file may include.
const (
	maxIncludeDepth = 16
	maxIncluded     = 1000
)

// FileError tells which line of which file is wrong, and why.
type FileError struct {
	File   string
	Line   int
	Text   string
	Reason string
}

func (e *FileError) Error() string {
	return fmt.Sprintf("%s:%d: '%s': %s", e.File, e.Line, e.Text, e.Reason)
}

// ParseFile sets what a redis.conf says and returns the names of the
// directives in it, each once. It stops at the first bad line with a
// *FileError; the lines before it have been set then. With a nil include,
// include lines are errors.
func (c *Config) ParseFile(name string, text []byte, include Include) (applied []string, err error) {
	r := reader{c: c, include: include}
	err = r.read(File{name, text})
	c.readingRow = ""
	return r.applied, err
}

// Apply sets one directive from its words, as a line of a file does. where
// names the source in later messages.
func (c *Config) Apply(directive string, args []string, where string) error {
	n, ok := lookup(directive)
	if !ok || !c.has(n.d.Since) {
		return errUnknown
	}
	c.readingRow = where
	err := n.d.setArgs(c, args)
	c.readingRow = ""
	return err
}

type reader struct {
	c       *Config
	include Include
	applied []string
	depth   int
	files   int
}

func (r *reader) read(f File) error {
	number := 0
	for line := range bytes.Lines(f.Text) {
		number++
		line = bytes.Trim(line, " \t\r\n")
		if len(line) == 0 || line[0] == '#' {
			continue
		}
		if err := r.line(f.Name, number, line); err != nil {
			if inner := new(FileError); errors.As(err, &inner) {
				return err
			}
			return &FileError{f.Name, number, shown(line), err.Error()}
		}
	}
	return nil
}

// shown is a line as errors repeat it: without secrets.
func shown(line []byte) string {
	first, _, _ := bytes.Cut(line, []byte(" "))
	if d, ok := Find(string(first)); ok && d.Traits&Sensitive != 0 && len(first) < len(line) {
		return string(first) + " ..."
	}
	return string(line)
}

func (r *reader) line(file string, number int, line []byte) error {
	words, ok := resp.SplitWords(nil, line)
	if !ok {
		return reason("Unbalanced quotes in configuration line")
	}
	if len(words) == 0 {
		return nil
	}
	args := make([]string, len(words)-1)
	for i, word := range words[1:] {
		args[i] = string(word)
	}
	n, ok := lookup(string(words[0]))
	if !ok {
		return errUnknown
	}
	if n.d.Name == "include" {
		return r.included(args)
	}
	if !slices.Contains(r.applied, n.d.Name) {
		r.applied = append(r.applied, n.d.Name)
	}
	return r.c.Apply(n.text, args, file+":"+strconv.Itoa(number))
}

func (r *reader) included(args []string) error {
	if len(args) != 1 {
		return errUnknown
	}
	if r.include == nil {
		return reason("no file can be included here")
	}
	if r.depth == maxIncludeDepth {
		return reason("files include each other too deeply")
	}
	files, err := r.include(args[0])
	if err != nil {
		return err
	}
	r.depth++
	for _, f := range files {
		if r.files++; r.files > maxIncluded {
			return reason("too many files are included")
		}
		if err := r.read(f); err != nil {
			return err
		}
	}
	r.depth--
	return nil
}

// fileRows are the directives that CONFIG does not know.
var fileRows = []Directive{
	{Name: "include", Traits: FileOnly, value: lineOf(1, 1, func(*Config, FileLine) error {
		return reason("no file can be included here")
	})},
	{Name: "rename-command", Traits: FileOnly, value: lineOf(2, 2, func(c *Config, line FileLine) error {
		c.RenameCommands = append(slices.Clip(c.RenameCommands), line)
		return nil
	})},
	{Name: "user", Traits: FileOnly | Sensitive, value: lineOf(1, maxInt, func(c *Config, line FileLine) error {
		c.Users = append(slices.Clip(c.Users), line)
		return nil
	})},
	{Name: "loadmodule", Traits: FileOnly, value: lineOf(1, maxInt, func(*Config, FileLine) error {
		return reason("minikv cannot load modules")
	})},
	{Name: "sentinel", Traits: FileOnly, value: lineOf(0, maxInt, func(*Config, FileLine) error {
		return reason("minikv cannot be a Sentinel")
	})},
	{Name: "lua-replicate-commands", Traits: FileOnly, NoEffect: obsolete, value: lineOf(0, maxInt, ignored)},
	{Name: "list-max-ziplist-entries", Traits: FileOnly, NoEffect: obsolete, value: lineOf(0, maxInt, ignored)},
	{Name: "list-max-ziplist-value", Traits: FileOnly, NoEffect: obsolete, value: lineOf(0, maxInt, ignored)},
}

const obsolete = "Redis 7 ignores it too"

func ignored(*Config, FileLine) error { return nil }

// lineOf is a line with so many words behind its name, given to take.
func lineOf(low, high int, take func(*Config, FileLine) error) binding {
	return binding{
		set: func(c *Config, _ *Directive, args []string) error {
			if len(args) < low || len(args) > high {
				return errUnknown
			}
			return take(c, FileLine{args, c.readingRow})
		},
		get:  func(*Config, *Directive) string { return "" },
		many: true,
	}
}
