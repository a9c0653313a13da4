package explore

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
)

// Other forms of a story: for programs, pages, terminals and tests.

// JSON is the story as an object.
func (st *Story) JSON() ([]byte, error) { return json.MarshalIndent(st, "", "  ") }

// Transcript is the story as one would type it into redis-cli, a prompt per
// client.
func (st *Story) Transcript() string {
	var b strings.Builder
	fmt.Fprintf(&b, "# %s %s\n", st.ID, st.name())
	for i := range st.Rows {
		r := &st.Rows[i]
		switch {
		case r.Command != nil:
			words := make([]string, len(r.Command))
			for j, w := range r.Command {
				words[j] = quoteWord(w)
			}
			prompt := r.Who
			if len(st.Nodes) > 1 {
				prompt += "@" + strings.ReplaceAll(r.Node, " ", "")
			}
			fmt.Fprintf(&b, "%s> %s\n%s\n", prompt, strings.Join(words, " "), strings.TrimSpace(shownReply(r.Reply)+" "+fateText(r.Fate)))
		case r.Who == "clock":
			fmt.Fprintf(&b, "# %s\n", r.What)
		default:
			fmt.Fprintf(&b, "# %s %s", r.Who, r.What)
			if r.Reply != "" {
				b.WriteString(": " + r.Reply)
			}
			b.WriteByte('\n')
		}
		for _, note := range r.Notes {
			if r.Who == "clock" {
				fmt.Fprintf(&b, "# %s\n", note)
			} else {
				fmt.Fprintf(&b, "# %s %s\n", r.Who, note)
			}
		}
	}
	b.WriteString("# " + strings.ReplaceAll(st.Ending(), "\n", "\n# ") + "\n")
	return b.String()
}

// Mermaid is the story as a sequence diagram.
func (st *Story) Mermaid() string {
	var b strings.Builder
	b.WriteString("sequenceDiagram\n")
	lanes := st.lanes()
	for _, name := range lanes {
		fmt.Fprintf(&b, "  participant %s as client %s\n", name, name)
	}
	for _, name := range st.Nodes {
		fmt.Fprintf(&b, "  participant %s as %s\n", mermaidID(name), name)
	}
	first, last := lanes[0], mermaidID(st.Nodes[len(st.Nodes)-1])
	for i := range st.Rows {
		r := &st.Rows[i]
		isClient := strings.Contains(strings.Join(lanes, " "), r.Who)
		switch {
		case r.Command != nil:
			arrow := "-->>"
			if r.Fate == "lost" {
				arrow = "--x"
			}
			fmt.Fprintf(&b, "  %s->>%s: %s\n", r.Who, mermaidID(r.Node), mermaidText(r.What))
			fmt.Fprintf(&b, "  %s%s%s: %s\n", mermaidID(r.Node), arrow, r.Who, mermaidText(strings.TrimSpace(shownReply(r.Reply)+" "+fateText(r.Fate))))
		case isClient:
			fmt.Fprintf(&b, "  Note over %s: %s\n", r.Who, mermaidText(strings.TrimSpace(r.What+" "+r.Reply)))
		case r.Who == "clock":
			fmt.Fprintf(&b, "  Note over %s,%s: %s, it is %s\n", first, last, r.What, seconds(r.Time))
		default:
			fmt.Fprintf(&b, "  Note over %s: %s %s\n", last, mermaidText(r.Who), mermaidText(r.What))
		}
		for _, note := range r.Notes {
			over := last
			if isClient {
				over = r.Who
			}
			fmt.Fprintf(&b, "  Note over %s: %s\n", over, mermaidText(note))
		}
	}
	fmt.Fprintf(&b, "  Note over %s,%s: %s\n", first, last, mermaidText(strings.ReplaceAll(st.Ending(), "\n", " ")))
	return b.String()
}

func mermaidID(name string) string { return "N" + strings.ReplaceAll(name, " ", "") }

// mermaidText escapes what ends a text of a diagram.
func mermaidText(text string) string {
	return strings.NewReplacer(";", "#59;", "#", "#35;", "\n", " ").Replace(text)
}

// GoTest is the story as a Go test that plays it again. source is the scenario
// if it is not one that comes with the program. What programs in Go were set up
// with is named setup there.
func (st *Story) GoTest(source []byte) string {
	var b strings.Builder
	fmt.Fprintf(&b, "func Test%s(t *testing.T) {\n", st.testName())
	bounds := strings.TrimPrefix(fmt.Sprintf("%#v", st.Bounds), "explore.")
	switch {
	case st.File == "":
		fmt.Fprintf(&b, "\tstory := explore.Try(t, explore.Config{Schedule: %q, Bounds: &explore.%s}, setup).Story\n", st.Schedule, bounds)
	case source == nil:
		fmt.Fprintf(&b, "\ts, err := explore.Load(%q)\n", st.File)
	default:
		fmt.Fprintf(&b, "\ts, err := explore.Parse(%q, []byte(%s))\n", st.File, goString(string(source)))
	}
	if st.File != "" {
		fmt.Fprintf(&b, "\tif err != nil {\n\t\tt.Fatal(err)\n\t}\n\tform, err := s.Form(%q)\n\tif err != nil {\n\t\tt.Fatal(err)\n\t}\n", st.Form)
		fmt.Fprintf(&b, "\tstory, err := explore.Replay(s, form, %q, &explore.%s)\n\tif err != nil {\n\t\tt.Fatal(err)\n\t}\n", st.Schedule, bounds)
	}
	if st.Broken == nil {
		b.WriteString("\tif story.Broken != nil {\n\t\tt.Errorf(\"broken:\\n%s\", story.Text())\n\t}\n}\n")
	} else {
		fmt.Fprintf(&b, "\tif story.Broken == nil || story.Broken.Property != %q {\n\t\tt.Errorf(\"not broken as before:\\n%%s\", story.Text())\n\t}\n}\n", st.Broken.Property)
	}
	return b.String()
}

// testName is a story's name as one of a Go test.
func (st *Story) testName() string {
	return strings.Map(func(r rune) rune {
		if r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' {
			return r
		}
		return '_'
	}, st.ID+"_"+st.Form)
}

// goString writes a text as a Go literal that is easy to read.
func goString(s string) string {
	if strings.ContainsAny(s, "`\r") {
		return strconv.Quote(s)
	}
	return "`" + s + "`"
}
