package config

import (
	"errors"
	"math"
	"strconv"
	"strings"
)

// binds is a list of addresses to listen on.
var binds = kind[[]string]{
	parse: func(args []string) ([]string, error) {
		if len(args) > 16 {
			return nil, reason("Too many bind addresses specified.")
		}
		return args, nil
	},
	format: texts.format,
	many:   true,
}

// place is a binding that, once it is set, tells where data is kept.
func place(b binding) binding {
	set := b.set
	b.set = func(c *Config, d *Directive, args []string) error {
		err := set(c, d, args)
		c.Files = c.Files || err == nil
		return err
	}
	return b
}

// savePoints replaces the save points; in a file, the lines after the first
// add to it, and one with nothing clears them.
var savePoints = binding{
	set: func(c *Config, _ *Directive, args []string) error {
		if len(args)%2 != 0 {
			return errSave
		}
		points := make([]SavePoint, 0, len(args)/2)
		for i := 0; i < len(args); i += 2 {
			seconds, err1 := strconv.ParseInt(args[i], 10, 64)
			changes, err2 := strconv.ParseInt(args[i+1], 10, 32)
			if err1 != nil || err2 != nil || seconds < 1 || changes < 0 {
				return errSave
			}
			points = append(points, SavePoint{seconds, changes})
		}
		if c.savesGoOn && len(points) > 0 {
			points = append(c.Save[:len(c.Save):len(c.Save)], points...)
		}
		c.Save, c.savesGoOn = points, true
		c.Files = c.Files || len(points) > 0
		return nil
	},
	get: func(c *Config, _ *Directive) string {
		var words []string
		for _, p := range c.Save {
			words = append(words, strconv.FormatInt(p.Seconds, 10), strconv.FormatInt(p.Changes, 10))
		}
		return strings.Join(words, " ")
	},
	many: true,
}

var errSave error = reason("Invalid save parameters")

var clientClasses = map[string]int{"normal": ClientNormal, "slave": ClientReplica, "replica": ClientReplica, "pubsub": ClientPubSub}

// outputLimits changes the classes that are named and leaves the others.
var outputLimits = binding{
	set: func(c *Config, _ *Directive, args []string) error {
		if len(args)%4 != 0 {
			return reason("Wrong number of arguments in buffer limit configuration.")
		}
		limits := c.ClientOutputBufferLimits
		for ; len(args) > 0; args = args[4:] {
			class, ok := clientClasses[lower(args[0])]
			if !ok {
				return reason("Invalid client class specified in buffer limit configuration.")
			}
			hard, ok1 := ParseMemory(args[1])
			soft, ok2 := ParseMemory(args[2])
			seconds, err := strconv.ParseInt(args[3], 10, 64)
			if !ok1 || !ok2 || seconds < 0 || err != nil {
				return reason("Error in hard, soft or soft_seconds setting in buffer limit configuration.")
			}
			limits[class] = OutputLimit{hard, soft, min(seconds, math.MaxInt32)}
		}
		c.ClientOutputBufferLimits = limits
		return nil
	},
	get: func(c *Config, _ *Directive) string {
		var words []string
		for class, limit := range c.ClientOutputBufferLimits {
			words = append(words, [...]string{"normal", "slave", "pubsub"}[class])
			for _, n := range [...]int64{limit.Hard, limit.Soft, limit.Seconds} {
				words = append(words, strconv.FormatInt(n, 10))
			}
		}
		return strings.Join(words, " ")
	},
	many: true,
}

// percentiles are numbers from 0 to 100.
var percentiles = kind[[]float64]{
	parse: func(args []string) ([]float64, error) {
		values := make([]float64, len(args))
		for i, arg := range args {
			v, err := strconv.ParseFloat(arg, 64)
			if errors.Is(err, strconv.ErrSyntax) || math.IsNaN(v) || strings.Contains(arg, "_") {
				return nil, reason("Invalid latency-tracking-info-percentiles parameters")
			}
			if v < 0 || v > 100 {
				return nil, reason("latency-tracking-info-percentiles parameters should sit between [0.0,100.0]")
			}
			values[i] = v
		}
		return values, nil
	},
	format: func(values []float64) string {
		words := make([]string, len(values))
		for i, v := range values {
			words[i] = strings.TrimRight(strings.TrimRight(strconv.FormatFloat(v, 'f', 6, 64), "0"), ".")
		}
		return strings.Join(words, " ")
	},
	many: true,
}

// oomScores are three adjustments for the kernel.
var oomScores = kind[[]string]{
	parse: func(args []string) ([]string, error) {
		if len(args) != 3 {
			return nil, errWrongNumber
		}
		scores := make([]string, len(args))
		for i, arg := range args {
			v, err := strconv.Atoi(arg)
			if err != nil || v < -2000 || v > 2000 {
				return nil, reason("Invalid oom-score-adj-values, elements must be between -2000 and 2000.")
			}
			scores[i] = strconv.Itoa(v)
		}
		return scores, nil
	},
	format: texts.format,
	many:   true,
}

var shutdownWords = []string{"default", "save", "nosave", "now", "force"}

// ShutdownFlags are the words of shutdown-on-sigterm, a bit for each.
type ShutdownFlags uint8

// The bits of ShutdownFlags.
const (
	ShutdownSave ShutdownFlags = 1 << iota
	ShutdownNoSave
	ShutdownNow
	ShutdownForce
)

var shutdownOptions = kind[ShutdownFlags]{
	parse: func(args []string) (ShutdownFlags, error) {
		var flags ShutdownFlags
		for _, arg := range args {
			one, err := choice[uint8](shutdownWords...).parse([]string{arg})
			if err != nil {
				return 0, err
			}
			if one > 0 {
				flags |= 1 << (one - 1)
			}
		}
		if len(args) == 0 {
			return 0, oneOf(shutdownWords)
		}
		if flags&0b11 == 0b11 {
			return 0, reason("shutdown options SAVE and NOSAVE can't be used simultaneously")
		}
		return flags, nil
	},
	format: func(flags ShutdownFlags) string {
		var words []string
		for i, word := range shutdownWords[1:] {
			if flags>>i&1 == 1 {
				words = append(words, word)
			}
		}
		if words == nil {
			return shutdownWords[0]
		}
		return strings.Join(words, " ")
	},
	many: true,
}

// master is the node to replicate from: host and port, or "no one".
var master = kind[[]string]{
	parse: func(args []string) ([]string, error) {
		switch {
		case len(args) == 0:
			return nil, nil
		case len(args) != 2:
			return nil, errWrongNumber
		case lower(args[0]) == "no" && lower(args[1]) == "one":
			return nil, nil
		}
		if port, err := strconv.Atoi(args[1]); err != nil || port < 0 || port > 65535 {
			return nil, reason("Invalid master port")
		}
		return args, nil
	},
	format: texts.format,
	many:   true,
}

// notifyFlags are the letters of notify-keyspace-events.
var notifyFlags = binding{
	set: func(c *Config, _ *Directive, args []string) error {
		flags, err := ParseNotify(args[0])
		newer := flags&(NotifyOverwritten|NotifyTypeChange) != 0 && !c.has("8.2") || strings.Contains(args[0], "a") && !c.has("8.8")
		if err == nil && newer {
			err = errNotify
		}
		if err == nil {
			c.NotifyKeyspaceEvents = flags
		}
		return err
	},
	get: func(c *Config, _ *Directive) string { return c.NotifyKeyspaceEvents.String() },
}

// logLevel knows a level that Redis 7.0 does not and does not tell of.
var logLevel = one(func(s string) (LogLevel, error) {
	if lower(s) == LogNothing.String() {
		return LogNothing, nil
	}
	return choice[LogLevel](logLevels[:LogNothing]...).parse([]string{s})
}, LogLevel.String)

// clamped takes what k takes and moves it between low and high.
func clamped[T int | int64](k kind[T], low, high T) kind[T] {
	parse := k.parse
	k.parse = func(args []string) (T, error) {
		v, err := parse(args)
		return max(low, min(v, high)), err
	}
	return k
}

// fileName is a name without a directory.
func fileName(directive string) kind[string] {
	return textThat(func(s string) error {
		if strings.ContainsAny(s, `/\`) {
			return reason(directive + " can't be a path, just a filename")
		}
		return nil
	})
}

var hostName = textThat(func(s string) error {
	for _, c := range []byte(s) {
		if c != '-' && c != '.' && !('0' <= c && c <= '9') && !('a' <= c|0x20 && c|0x20 <= 'z') {
			return reason("Hostnames may only contain alphanumeric characters, hyphens or dots")
		}
	}
	return nil
})

// titleTemplate is text with known {names}, of which some may stand for nothing.
var titleTemplate = textThat(func(s string) error {
	bad, said := false, false
	for rest := s; ; {
		before, after, found := strings.Cut(rest, "{")
		said = said || strings.TrimSpace(before) != ""
		if !found {
			break
		}
		if strings.HasPrefix(after, "{") {
			said, rest = true, after[1:]
			continue
		}
		word, after, closed := strings.Cut(after, "}")
		switch word {
		case "listen-addr", "server-mode", "port", "tls-port":
			said = true
		case "title", "unixsocket", "config-file":
		default:
			bad = true
		}
		bad, rest = bad || !closed, after
	}
	if bad || !said {
		return reason("template format is invalid or contains unknown variables")
	}
	return nil
})

// never is a switch that can only be off.
func never(why string) kind[bool] {
	return one(func(s string) (bool, error) {
		on, err := yesNo.parse([]string{s})
		if on {
			return false, reason(why)
		}
		return false, err
	}, yesNo.format)
}
