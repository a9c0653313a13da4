package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"minikv/engine/config"
	"minikv/resp"
)

// option is a directive given on the command line.
type option struct {
	name string
	args []string
}

// String is the option as errors repeat it: without secrets.
func (o option) String() string {
	if d, ok := config.Find(o.name); ok && d.Traits&config.Sensitive != 0 && len(o.args) > 0 {
		return "--" + o.name + " ..."
	}
	return strings.Join(append([]string{"--" + o.name}, o.args...), " ")
}

// commandLine is redis-server's: a file, then options, and "-" first or last
// for more of a file on standard input.
type commandLine struct {
	file    string
	stdin   bool
	options []option
}

// parseCommandLine follows redis-server: a word with two dashes begins an
// option, except right after the name of another, where it is its value.
// What stands behind a blank in the option's own word is split as in a file.
func parseCommandLine(args []string) (commandLine, error) {
	var line commandLine
	if len(args) > 0 && args[0] != "-" && !strings.HasPrefix(args[0], "-") {
		line.file, args = args[0], args[1:]
	}
	if n := len(args); n > 0 && args[0] == "-" {
		line.stdin, args = true, args[1:]
	} else if n > 0 && args[n-1] == "-" {
		line.stdin, args = true, args[:n-1]
	}
	for _, arg := range args {
		last := len(line.options) - 1
		dashed := strings.HasPrefix(arg, "--")
		valueOfLast := last >= 0 && len(line.options[last].args) == 0 && line.options[last].name != "save"
		switch {
		case dashed && !valueOfLast:
			o, err := parseOption(arg)
			if err != nil {
				return line, err
			}
			line.options = append(line.options, o)
		case last < 0:
			return line, fmt.Errorf("%s: options begin with two dashes", arg)
		default:
			line.options[last].args = append(line.options[last].args, arg)
		}
	}
	return line, nil
}

func parseOption(arg string) (option, error) {
	words, ok := resp.SplitWords(nil, []byte(arg[2:]))
	if !ok {
		return option{}, fmt.Errorf("%s: unbalanced quotes", arg)
	}
	if len(words) == 0 {
		return option{}, fmt.Errorf("%s: no option follows the dashes", arg)
	}
	o := option{name: strings.ToLower(string(words[0]))}
	for _, word := range words[1:] {
		o.args = append(o.args, string(word))
	}
	return o, nil
}

// path is where the configuration file stands, whatever the working directory
// becomes; empty if there is none.
func (line commandLine) path() string {
	if line.file == "" {
		return ""
	}
	path, err := filepath.Abs(line.file)
	if err != nil {
		return line.file
	}
	return path
}

// load makes the configuration and names the directives that were given.
func (line commandLine) load(stdin io.Reader) (c *config.Config, given []string, err error) {
	c = config.New()
	read := func(name string, text []byte) error {
		names, err := c.ParseFile(name, text, include)
		given = append(given, names...)
		return err
	}
	if line.file != "" {
		text, err := os.ReadFile(line.file)
		if err != nil {
			return nil, nil, fmt.Errorf("can't open config file: %w", err)
		}
		if err := read(line.file, text); err != nil {
			return nil, nil, err
		}
	}
	if line.stdin {
		text, err := io.ReadAll(stdin)
		if err != nil {
			return nil, nil, fmt.Errorf("can't read standard input: %w", err)
		}
		if err := read("standard input", text); err != nil {
			return nil, nil, err
		}
	}
	for _, o := range line.options {
		if err := o.apply(c, read); err != nil {
			return nil, nil, fmt.Errorf("%s: %w", o, err)
		}
		given = append(given, o.name)
	}
	return c, given, nil
}

func (o option) apply(c *config.Config, read func(string, []byte) error) error {
	if o.name == "include" && len(o.args) == 1 {
		files, err := include(o.args[0])
		for _, f := range files {
			if err := read(f.Name, f.Text); err != nil {
				return err
			}
		}
		return err
	}
	if _, ok := config.Find(o.name); !ok {
		if name, value, cut := strings.Cut(o.name, "="); cut {
			return fmt.Errorf("a blank stands before the value: --%s %s", name, value)
		}
		return errors.New("there is no such directive (see minikv help directives)")
	}
	return c.Apply(o.name, o.args, "command line")
}

// include reads the files that an include line means, in alphabetical order.
func include(pattern string) ([]config.File, error) {
	paths := []string{pattern}
	if strings.ContainsAny(pattern, "*?[") {
		var err error
		if paths, err = filepath.Glob(pattern); err != nil {
			return nil, err
		}
		slices.Sort(paths)
	}
	files := make([]config.File, 0, len(paths))
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			return nil, fmt.Errorf("can't open config file: %w", err)
		}
		files = append(files, config.File{Name: path, Text: text})
	}
	return files, nil
}
