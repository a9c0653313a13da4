package lockcheck

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"minikv/resp"
)

// Outcome is what a check came to.
type Outcome string

// A check passes, fails, or asks for what the library does not offer.
const (
	Pass       Outcome = "pass"
	Fail       Outcome = "FAIL"
	NotOffered Outcome = "not offered"
)

// Result is what a check found.
type Result struct {
	Check   string // its name
	Rule    string // what has to be
	Nodes   int
	Outcome Outcome
	Detail  string // what was seen, of a check that failed
	// Schedule is what was sent to which server, and what went wrong on purpose.
	Schedule Schedule
}

// Step is one line of a schedule.
type Step struct {
	At    time.Duration // since the check began
	Node  int           // from 1
	Conn  int           // the library's connection to it, from 1; 0: the check itself
	Words []string      // a command; none: what no command does
	Reply string        // or a remark; empty: it does not matter
	// NotRun: the server has not run the command, or not now, and Reply says
	// why. That a fault took a reply away from the client is not told here.
	NotRun bool
}

// Schedule is what happened in a check, in order: what the library sent, what
// the check did in other clients' name, and which faults (MINIKV.FAULT) it put
// where.
type Schedule []Step

// String writes a step a line. Long words are cut, and tokens, which differ each
// time, are called T1, T2 ...
func (s Schedule) String() string {
	tokens := make(map[string]string)
	var b strings.Builder
	for _, step := range s {
		who := "check"
		if step.Conn > 0 {
			who = fmt.Sprintf("connection %d", step.Conn)
		}
		fmt.Fprintf(&b, "%6d ms  node %d  %s>", step.At.Milliseconds(), step.Node, who)
		for _, w := range step.Words {
			b.WriteByte(' ')
			b.WriteString(word(w, tokens))
		}
		if step.Reply != "" {
			reply := step.Reply
			for token, name := range tokens {
				reply = strings.ReplaceAll(reply, token, name)
			}
			if len(step.Words) > 0 {
				b.WriteString(" ->")
			}
			fmt.Fprintf(&b, " %s", reply)
		}
		b.WriteByte('\n')
	}
	return b.String()
}

const (
	shortestToken = 16
	longestWord   = 44
)

func word(w string, tokens map[string]string) string {
	digest := len(w) == 40 && strings.Trim(w, "0123456789abcdef") == ""
	switch {
	case tokens[w] != "":
		return tokens[w]
	case len(w) >= shortestToken && len(w) <= 64 && !digest && !strings.ContainsAny(w, " .\n\""):
		tokens[w] = fmt.Sprintf("T%d", len(tokens)+1)
		return tokens[w]
	case len(w) > longestWord:
		return string(resp.AppendQuoted(nil, w[:longestWord])) + "..."
	case w == "" || strings.ContainsAny(w, " \r\n\"\\"):
		return string(resp.AppendQuoted(nil, w))
	}
	return w
}

// Page writes results as Markdown: a table, and what failed with its schedule.
func Page(results map[string][]Result) string {
	names := make([]string, 0, len(results))
	for name := range results {
		names = append(names, name)
	}
	slices.Sort(names)
	var b strings.Builder
	b.WriteString("| Check | What has to be |")
	columns := 0
	cells := make(map[string]Outcome) // by check and column
	for _, name := range names {
		for _, n := range nodesOf(results[name]) {
			columns++
			fmt.Fprintf(&b, " %s, %s |", name, nodes(n))
			for _, r := range results[name] {
				if r.Nodes == n {
					cells[fmt.Sprint(r.Check, columns)] = r.Outcome
				}
			}
		}
	}
	b.WriteString("\n|---|---|" + strings.Repeat("---|", columns) + "\n")
	for _, c := range checks {
		fmt.Fprintf(&b, "| %s | %s |", c.name, c.rule)
		for i := range columns {
			fmt.Fprintf(&b, " %s |", cells[fmt.Sprint(c.name, i+1)])
		}
		b.WriteByte('\n')
	}
	for _, name := range names {
		for _, r := range results[name] {
			if r.Outcome == Fail {
				fmt.Fprintf(&b, "\n## %s, %s: %s\n\n%s.\n\n```\n%s```\n", name, nodes(r.Nodes), r.Check, upperFirst(r.Detail), r.Schedule)
			}
		}
	}
	return b.String()
}

func upperFirst(s string) string { return strings.ToUpper(s[:min(1, len(s))]) + s[min(1, len(s)):] }

func nodes(n int) string {
	if n == 1 {
		return "1 node"
	}
	return fmt.Sprintf("%d nodes", n)
}

func nodesOf(results []Result) (list []int) {
	for _, r := range results {
		if !slices.Contains(list, r.Nodes) {
			list = append(list, r.Nodes)
		}
	}
	return list
}
