package config

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// A kind is what a directive accepts: how its words become a value and how
// the value is printed again.
type kind[T any] struct {
	parse  func(args []string) (T, error)
	format func(T) string
	many   bool // takes several words; otherwise exactly one
}

// binding is a kind tied to the place where the value lives.
type binding struct {
	set  func(c *Config, d *Directive, args []string) error
	get  func(c *Config, d *Directive) string
	many bool
}

// field keeps the value in a field of Config.
func field[T any](k kind[T], at func(*Config) *T) binding {
	return binding{
		set: func(c *Config, _ *Directive, args []string) error {
			v, err := k.parse(args)
			if err == nil {
				*at(c) = v
			}
			return err
		},
		get:  func(c *Config, _ *Directive) string { return k.format(*at(c)) },
		many: k.many,
	}
}

// kept keeps the value by name, as printed: nobody here reads it.
func kept[T any](k kind[T]) binding {
	return binding{
		set: func(c *Config, d *Directive, args []string) error {
			v, err := k.parse(args)
			if err == nil {
				c.keep(d, k.format(v))
			}
			return err
		},
		get: func(c *Config, d *Directive) string {
			if v, ok := c.kept[d.Name]; ok {
				return v
			}
			return d.Default
		},
		many: k.many,
	}
}

// one makes a kind of one word.
func one[T any](parse func(string) (T, error), format func(T) string) kind[T] {
	return kind[T]{parse: func(args []string) (T, error) { return parse(args[0]) }, format: format}
}

// lower folds ASCII letters.
func lower(s string) string {
	for i := 0; i < len(s); i++ {
		if 'A' <= s[i] && s[i] <= 'Z' {
			b := []byte(s)
			for ; i < len(b); i++ {
				if 'A' <= b[i] && b[i] <= 'Z' {
					b[i] += 'a' - 'A'
				}
			}
			return string(b)
		}
	}
	return s
}

// yesNo is a switch.
var yesNo = one(func(s string) (bool, error) {
	switch lower(s) {
	case "yes":
		return true, nil
	case "no":
		return false, nil
	}
	return false, reason("argument must be 'yes' or 'no'")
}, func(v bool) string {
	if v {
		return "yes"
	}
	return "no"
})

// text is any word.
var text = one(func(s string) (string, error) { return s, nil }, func(s string) string { return s })

// textThat is a word that must pass a check.
func textThat(check func(string) error) kind[string] {
	return one(func(s string) (string, error) { return s, check(s) }, func(s string) string { return s })
}

// texts is any number of words.
var texts = kind[[]string]{
	parse:  func(args []string) ([]string, error) { return args, nil },
	format: func(v []string) string { return strings.Join(v, " ") },
	many:   true,
}

const (
	maxInt   = math.MaxInt32
	minInt   = math.MinInt32
	maxUint  = math.MaxUint32
	maxInt64 = math.MaxInt64
)

// number is an integer between two bounds, written in the one canonical way.
func number[T int | int64](low, high int64) kind[T] {
	return one(func(s string) (T, error) {
		v, err := strconv.ParseInt(s, 10, 64)
		if err != nil || strconv.FormatInt(v, 10) != s {
			return 0, reason("argument couldn't be parsed into an integer")
		}
		return T(v), within(v, low, high)
	}, func(v T) string { return strconv.FormatInt(int64(v), 10) })
}

func within(v, low, high int64) error {
	if v < low || v > high {
		return fmt.Errorf("argument must be between %d and %d inclusive", low, high)
	}
	return nil
}

// octal is a file mode.
var octal = one(func(s string) (int, error) {
	v, err := strconv.ParseInt(s, 8, 32)
	if err != nil {
		return 0, reason("argument couldn't be parsed as an octal number")
	}
	if v < 0 || v > 0o777 {
		return 0, reason("argument must be between 0 and 777 inclusive")
	}
	return int(v), nil
}, func(v int) string { return strconv.FormatInt(int64(v), 8) })

// choice is one of some words; the value is its place in the list.
func choice[T ~uint8](words ...string) kind[T] {
	return one(func(s string) (T, error) {
		for i, word := range words {
			if lower(s) == word {
				return T(i), nil
			}
		}
		return 0, oneOf(words)
	}, func(v T) string { return words[v] })
}

func oneOf(words []string) error {
	return reason("argument(s) must be one of the following: " + strings.Join(words, ", "))
}
