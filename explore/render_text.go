package explore

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// cellWidth is how wide a column may be; longer texts go on in the next line.
const cellWidth = 36

// Text tells the story for a terminal: a row a move, a lane a client and one
// for the nodes, and last the sentence that says what went wrong.
func (st *Story) Text() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s  %s\n\n", st.ID, st.name())
	lanes := st.lanes()
	head := []string{"time"}
	for _, name := range lanes {
		head = append(head, "client "+name)
	}
	head = append(head, st.knownTitle(), "beliefs")
	rows := [][][]string{lines(head)}
	for i := range st.Rows {
		rows = append(rows, st.cells(&st.Rows[i], lanes))
	}
	writeTable(&b, rows)
	b.WriteString("\n" + st.Ending() + "\n")
	return b.String()
}

// name is the title, and the form if there is one.
func (st *Story) name() string {
	if st.Form == "" {
		return st.Title
	}
	return st.Title + ": " + st.Form
}

// Ending says what went wrong, and why.
func (st *Story) Ending() string {
	var parts []string
	if st.Broken != nil {
		label := "Broken (" + st.Broken.Property + "): "
		if st.Broken.Property == shown {
			label = "Shown: "
		}
		parts = append(parts, label+st.Broken.Text)
	} else {
		parts = append(parts, "Nothing is broken.")
	}
	if st.Why != "" {
		parts = append(parts, st.Why)
	}
	return strings.Join(parts, "\n")
}

// lanes are the clients that do anything.
func (st *Story) lanes() (names []string) {
	for _, name := range st.Clients {
		if slices.ContainsFunc(st.Rows, func(r Row) bool { return r.Who == name }) {
			names = append(names, name)
		}
	}
	return names
}

func (st *Story) knownTitle() string {
	if len(st.Nodes) == 1 {
		return "server"
	}
	return "nodes"
}

// cells are a row's texts, one per column.
func (st *Story) cells(r *Row, lanes []string) [][]string {
	cells := make([][]string, len(lanes)+3)
	cells[0] = []string{seconds(r.Time)}
	home := len(lanes) + 1
	if i := slices.Index(lanes, r.Who); i >= 0 {
		home = i + 1
	}
	switch {
	case r.Who == "clock":
	case home <= len(lanes):
		cells[home] = append(cells[home], st.action(r))
	default:
		cells[home] = append(cells[home], r.Who+" "+r.What)
	}
	if r.Reply != "" || r.Fate != "" {
		cells[home] = append(cells[home], "-> "+strings.TrimSpace(shownReply(r.Reply)+" "+fateText(r.Fate)))
	}
	for _, note := range r.Notes {
		to := home
		if name, _, ok := strings.Cut(note, " is paused"); ok {
			if i := slices.Index(lanes, name); i >= 0 {
				to, note = i+1, "is paused"
			}
		}
		cells[to] = append(cells[to], "("+note+")")
	}
	cells[len(lanes)+1] = append(cells[len(lanes)+1], st.known(r)...)
	cells[len(lanes)+2] = r.Beliefs
	return cells
}

// action is what a client does, with the node if there are several.
func (st *Story) action(r *Row) string {
	if r.Node == "" || len(st.Nodes) == 1 {
		return r.What
	}
	return r.Node + ": " + r.What
}

func shownReply(reply string) string {
	if reply == "" {
		return `""`
	}
	return reply
}

func fateText(fate string) string {
	switch fate {
	case "lost":
		return "(lost on its way)"
	case "held":
		return "(on its way; paused)"
	}
	return ""
}

// known says what the nodes know, nodes that know the same together.
func (st *Story) known(r *Row) (out []string) {
	type group struct{ text, nodes string }
	var groups []group
	for _, k := range r.Known {
		text := k.text()
		i := slices.IndexFunc(groups, func(g group) bool { return g.text == text })
		if i < 0 {
			groups = append(groups, group{text, strings.TrimPrefix(k.Node, "node ")})
			continue
		}
		groups[i].nodes += " " + strings.TrimPrefix(k.Node, "node ")
	}
	for _, g := range groups {
		switch {
		case len(st.Nodes) == 1:
			out = append(out, g.text)
		case len(groups) > 1 || len(r.Known) > 1:
			out = append(out, "["+g.nodes+"] "+g.text)
		}
	}
	return out
}

func (k *Known) text() string {
	text := k.Key
	switch {
	case k.Down:
		return "is down"
	case k.TTL == -2:
		return text + " is free"
	case k.TTL == -1:
		text += " = " + k.Value + ", no time to live"
	default:
		text += " = " + k.Value + ", " + seconds(k.TTL)
	}
	if k.Owner != "" && !strings.HasPrefix(k.Value, k.Owner) {
		text += " (" + k.Owner + "'s)"
	}
	return text
}

func lines(texts []string) (cells [][]string) {
	for _, t := range texts {
		cells = append(cells, []string{t})
	}
	return cells
}

// writeTable writes rows with columns as wide as they need to be.
func writeTable(b *strings.Builder, rows [][][]string) {
	widths := make([]int, len(rows[0]))
	for i := range rows {
		for j := range rows[i] {
			rows[i][j] = wrap(rows[i][j])
			for _, line := range rows[i][j] {
				widths[j] = max(widths[j], utf8.RuneCountInString(line))
			}
		}
	}
	for i, row := range rows {
		writeRow(b, row, widths)
		if i == 0 {
			for j, w := range widths {
				if j > 0 {
					b.WriteString("-+-")
				}
				b.WriteString(strings.Repeat("-", w))
			}
			b.WriteByte('\n')
		}
	}
}

func writeRow(b *strings.Builder, row [][]string, widths []int) {
	height := 0
	for _, cell := range row {
		height = max(height, len(cell))
	}
	for i := range height {
		var line strings.Builder
		for j, cell := range row {
			if j > 0 {
				line.WriteString(" | ")
			}
			text := ""
			if i < len(cell) {
				text = cell[i]
			}
			line.WriteString(text + strings.Repeat(" ", widths[j]-utf8.RuneCountInString(text)))
		}
		b.WriteString(strings.TrimRight(line.String(), " ") + "\n")
	}
}

// wrap breaks lines that are too long, at spaces where there are some.
func wrap(cell []string) (out []string) {
	for _, line := range cell {
		for utf8.RuneCountInString(line) > cellWidth {
			runes := []rune(line)
			at := cellWidth
			for i := cellWidth; i > cellWidth/2; i-- {
				if runes[i] == ' ' {
					at = i
					break
				}
			}
			out = append(out, string(runes[:at]))
			line = "  " + strings.TrimLeft(string(runes[at:]), " ")
		}
		out = append(out, line)
	}
	return out
}
