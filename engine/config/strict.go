package config

import (
	"slices"
	"strings"
)

// StrictRule is a rule of the strict directive.
type StrictRule uint8

const (
	StrictUndeclaredKeys StrictRule = iota // scripts use keys that KEYS does not name
	StrictCrossSlot                        // a command's keys are in several slots of a cluster
	StrictLargeKeys                        // an O(N) command on a key above strict-large-key
	StrictDeprecated                       // a deprecated command
	StrictTTL                              // strict-ttl-keys: a key without a TTL

	StrictRules = 5 // how many there are
)

var strictNames = [StrictRules]string{"undeclared-keys", "cross-slot", "large-keys", "deprecated", "ttl"}

func (r StrictRule) String() string { return strictNames[r] }

// Strictness says what becomes of a command that breaks a rule.
type Strictness uint8

const (
	StrictOff   Strictness = iota
	StrictWarn             // it runs
	StrictError            // it is refused
)

// strictness reads "yes", "no", or rules, each with ":warning" behind it if it is
// not to refuse anything. The TTL rule has a directive of its own.
var strictness = kind[[StrictRules]Strictness]{
	many: true,
	parse: func(args []string) (rules [StrictRules]Strictness, err error) {
		for _, arg := range args {
			name, how, _ := strings.Cut(lower(arg), ":")
			level, ok := map[string]Strictness{"": StrictError, "error": StrictError, "warning": StrictWarn}[how]
			i := slices.Index(strictNames[:StrictTTL], name)
			switch {
			case !ok:
				return rules, reason("a rule is an error or a warning")
			case name == "no":
				rules = [StrictRules]Strictness{}
			case name == "yes":
				for i := range StrictTTL {
					rules[i] = level
				}
			case i < 0:
				return rules, oneOf(append([]string{"yes", "no"}, strictNames[:StrictTTL]...))
			default:
				rules[i] = level
			}
		}
		return rules, nil
	},
	format: func(rules [StrictRules]Strictness) string {
		var words []string
		for i, name := range strictNames[:StrictTTL] {
			switch rules[i] {
			case StrictWarn:
				words = append(words, name+":warning")
			case StrictError:
				words = append(words, name)
			}
		}
		if words == nil {
			return "no"
		}
		return strings.Join(words, " ")
	},
}
