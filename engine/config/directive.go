package config

import (
	"path"
	"slices"
	"strings"
)

// Trait says what a directive may and may not do.
type Trait uint8

const (
	Immutable Trait = 1 << iota // not by CONFIG SET
	Protected                   // by CONFIG SET only if enable-protected-configs allows
	Hidden                      // only CONFIG GET with the very name shows it
	Sensitive                   // its value is a secret: keep it out of logs
	FileOnly                    // in a file or on the command line only; CONFIG knows it not
)

// Directive is a row of the table.
type Directive struct {
	Name     string
	Alias    string // an older name for the same value
	Default  string
	Traits   Trait
	NoEffect string // why it changes nothing here; "" if it does
	Since    string // the Redis version it came with, if after 7.0
	Own      string // what it does, for directives that Redis has not

	value binding
}

func (d *Directive) is(t Trait) bool { return d.Traits&t != 0 }

// set sets the directive from one text, as CONFIG SET has it.
func (d *Directive) set(c *Config, text string) error {
	return d.setArgs(c, []string{text})
}

// setArgs sets the directive from the words of a line. Where several are
// taken they may also come as one.
func (d *Directive) setArgs(c *Config, args []string) error {
	if !d.value.many {
		if len(args) != 1 {
			return errWrongNumber
		}
	} else if len(args) == 1 {
		args = splitSpaces(args[0])
	}
	return d.value.set(c, d, args)
}

// splitSpaces splits at every single space; nothing has no words.
func splitSpaces(text string) []string {
	if text == "" {
		return nil
	}
	return strings.Split(text, " ")
}

// Directives returns the table, sorted by name.
func Directives() []Directive { return slices.Clone(table) }

// Find returns the directive that has a name or alias, in any case.
func Find(asked string) (d Directive, ok bool) {
	n, ok := lookup(asked)
	if !ok {
		return Directive{}, false
	}
	return *n.d, true
}

// Ineffective returns those of the named directives that change nothing here
// although they hold another value than the default.
func (c *Config) Ineffective(directives []string) []string {
	var idle []string
	for _, asked := range directives {
		n, ok := lookup(asked)
		if ok && n.d.NoEffect != "" && !slices.Contains(idle, n.d.Name) && n.d.value.get(c, n.d) != n.d.value.get(defaults, n.d) {
			idle = append(idle, n.d.Name)
		}
	}
	return idle
}

// table is all rows, sorted by name.
var table = func() []Directive {
	all := slices.Concat(networkRows, tlsRows, accessRows, memoryRows, encodingRows, watchRows, processRows, diskRows, replicationRows, clusterRows, laterRows, testRows, fileRows)
	slices.SortFunc(all, func(a, b Directive) int { return strings.Compare(a.Name, b.Name) })
	return all
}()

// name is a name or alias of a directive.
type name struct {
	text string
	d    *Directive
}

// names is every name and alias, sorted.
var names = func() []name {
	var all []name
	for i := range table {
		d := &table[i]
		all = append(all, name{d.Name, d})
		if d.Alias != "" {
			all = append(all, name{d.Alias, d})
		}
	}
	slices.SortFunc(all, func(a, b name) int { return strings.Compare(a.text, b.text) })
	return all
}()

// lookup finds a directive by name or alias, in any case.
func lookup(asked string) (name, bool) {
	asked = lower(asked)
	i, ok := slices.BinarySearchFunc(names, asked, func(n name, s string) int { return strings.Compare(n.text, s) })
	if !ok {
		return name{}, false
	}
	return names[i], true
}

// matches tells whether a name matches a glob pattern, in any case. Names hold
// no slash, the one thing that path.Match treats in its own way.
func matches(pattern, text string) bool {
	ok, err := path.Match(lower(pattern), text)
	return ok && err == nil
}

// Reasons that several kinds of directive share.
var (
	errWrongNumber error = reason("wrong number of arguments")
	errUnknown     error = reason("Bad directive or wrong number of arguments")
)

// reason is an error in Redis's own words, capitals and full stops included.
type reason string

func (r reason) Error() string { return string(r) }
