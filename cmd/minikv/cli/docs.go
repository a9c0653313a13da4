package cli

import (
	"slices"
	"strings"

	"minikv/resp"
)

// A doc is what COMMAND DOCS tells of a command.
type doc struct {
	name                  string // in upper case; a subcommand's has its container's before it
	summary, since, group string
	args                  []argument
	subs                  []doc
}

// An argument is a node of a command's syntax.
type argument struct {
	name, kind, token               string
	optional, multiple, repeatToken bool
	parts                           []argument // of a block or a choice
}

// docsOf reads a reply to COMMAND DOCS of either protocol. What is not
// understood is left out: hints are a help, not a need.
func docsOf(v resp.Value) []doc {
	var docs []doc
	pairs(v, func(name string, facts resp.Value) {
		d := doc{name: strings.ToUpper(strings.ReplaceAll(name, "|", " "))}
		pairs(facts, func(fact string, v resp.Value) {
			switch fact {
			case "summary":
				d.summary = v.Str
			case "since":
				d.since = v.Str
			case "group":
				d.group = v.Str
			case "arguments":
				d.args = argumentsOf(v)
			case "subcommands":
				d.subs = docsOf(v)
			}
		})
		docs = append(docs, d)
	})
	slices.SortFunc(docs, func(a, b doc) int { return strings.Compare(a.name, b.name) })
	return docs
}

func argumentsOf(v resp.Value) []argument {
	var list []argument
	for _, e := range v.Elems {
		var a argument
		pairs(e, func(fact string, v resp.Value) {
			switch fact {
			case "name":
				a.name = v.Str
			case "type":
				a.kind = v.Str
			case "token":
				a.token = v.Str
			case "arguments":
				a.parts = argumentsOf(v)
			case "flags":
				for _, flag := range v.Elems {
					a.optional = a.optional || flag.Str == "optional"
					a.multiple = a.multiple || flag.Str == "multiple" || flag.Str == "multiple_token"
					a.repeatToken = a.repeatToken || flag.Str == "multiple_token"
				}
			}
		})
		list = append(list, a)
	}
	return list
}

// pairs goes through a map, or RESP2's flat array in its place.
func pairs(v resp.Value, each func(key string, value resp.Value)) {
	for i := 0; i+1 < len(v.Elems); i += 2 {
		each(v.Elems[i].Str, v.Elems[i+1])
	}
}

// syntax writes arguments as redis.io does: [optional], one|of, more [more ...].
func syntax(args []argument) string {
	texts := make([]string, len(args))
	for i, a := range args {
		texts[i] = a.String()
	}
	return strings.Join(texts, " ")
}

func (a argument) String() string {
	text := a.name
	switch a.kind {
	case "pure-token":
		text = ""
	case "block":
		text = syntax(a.parts)
	case "oneof":
		choices := make([]string, len(a.parts))
		for i, part := range a.parts {
			choices[i] = part.String()
		}
		text = strings.Join(choices, "|")
		if !a.optional || a.token != "" {
			text = "<" + text + ">"
		}
	}
	again := text
	if a.token != "" {
		text = strings.TrimSuffix(a.token+" "+text, " ")
		if a.repeatToken {
			again = text
		}
	}
	if a.multiple {
		text += " [" + again + " ...]"
	}
	if a.optional {
		text = "[" + text + "]"
	}
	return text
}

// tokens adds the upper-case words that stand in arguments.
func tokens(list []string, args []argument) []string {
	for _, a := range args {
		if a.token != "" && !slices.Contains(list, a.token) {
			list = append(list, a.token)
		}
		list = tokens(list, a.parts)
	}
	return list
}

// find looks up a command, and its subcommand if one is named; used is how many
// of the words are its name.
func find(docs []doc, words []string) (d *doc, used int) {
	if len(words) == 0 {
		return nil, 0
	}
	i := slices.IndexFunc(docs, func(d doc) bool { return strings.EqualFold(d.name, words[0]) })
	if i < 0 {
		return nil, 0
	}
	d = &docs[i]
	if len(words) > 1 {
		for j := range d.subs {
			if strings.EqualFold(d.subs[j].name, d.name+" "+words[1]) {
				return &d.subs[j], 2
			}
		}
	}
	return d, 1
}

// hint is what may still follow the words that stand there: whatever comes one
// by one is taken off, and so are options that were chosen.
func hint(docs []doc, words []string) string {
	d, used := find(docs, words)
	if d == nil || len(d.subs) > 0 && used == 1 {
		return ""
	}
	args, given := d.args, words[used:]
	for len(args) > 0 && len(given) > 0 && !args[0].optional && args[0].token == "" && len(args[0].parts) == 0 {
		if args[0].multiple {
			args = slices.Clone(args)
			args[0].optional, args[0].multiple = true, false
			args[0].name += " ..."
			break
		}
		args, given = args[1:], given[1:]
	}
	args = slices.DeleteFunc(slices.Clone(args), func(a argument) bool {
		return a.optional && slices.ContainsFunc(tokens(nil, []argument{a}), func(token string) bool {
			return slices.ContainsFunc(given, func(word string) bool { return strings.EqualFold(word, token) })
		})
	})
	return syntax(args)
}

// complete lists what the last word of a line may become, in pairs of word and
// description; before are the words in front of it.
func complete(docs []doc, before []string, last string) []string {
	var list []string
	offer := func(word, what string) {
		if len(word) < len(last) || !strings.EqualFold(word[:len(last)], last) {
			return
		}
		if end := strings.TrimRight(last, "0123456789-._"); end != "" && end[len(end)-1] >= 'a' {
			word = strings.ToLower(word)
		}
		list = append(list, word, what)
	}
	helping := len(before) > 0 && strings.EqualFold(before[0], "help")
	if helping {
		before = before[1:]
	}
	if len(before) == 0 {
		for _, d := range docs {
			offer(d.name, d.summary)
		}
		if !helping {
			offer("HELP", "About a command, or a @group of them.")
		}
		return list
	}
	d, used := find(docs, before)
	switch {
	case d == nil:
	case len(d.subs) > 0 && len(before) == 1:
		for _, sub := range d.subs {
			offer(strings.TrimPrefix(sub.name, d.name+" "), sub.summary)
		}
	case len(before) >= used && !helping && last != "":
		for _, token := range tokens(nil, d.args) {
			offer(token, "")
		}
	}
	return list
}

// help is what "help ..." shows.
func help(docs []doc, words []string) string {
	var b strings.Builder
	describe := func(d *doc) {
		b.WriteString("\n  " + strings.TrimSuffix(d.name+" "+syntax(d.args), " ") + "\n")
		for _, fact := range [][2]string{{"summary", d.summary}, {"since", d.since}, {"group", d.group}} {
			if fact[1] != "" {
				b.WriteString("  " + fact[0] + ": " + fact[1] + "\n")
			}
		}
	}
	switch {
	case len(words) == 0:
		return helpText
	case strings.HasPrefix(words[0], "@"):
		for i := range docs {
			if strings.EqualFold(docs[i].group, words[0][1:]) {
				describe(&docs[i])
			}
		}
	default:
		d, _ := find(docs, words)
		if d == nil {
			break
		}
		if len(d.subs) == 0 {
			describe(d)
		}
		for i := range d.subs {
			describe(&d.subs[i])
		}
	}
	return b.String() + "\n"
}

const helpText = `To get help about commands type:
      "help @<group>" to get a list of commands in <group>
      "help <command>" for help on <command>
      "help <tab>" to get a list of possible commands
      "clear" to clear the screen
      "connect <host> <port>" to speak to another server
      "quit" to exit

`
