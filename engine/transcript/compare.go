package transcript

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// Compare tells what the file expects and what a run gave: empty if they
// agree, else a difference that a person can read, with file and line.
func Compare(f *File, result Result) string {
	var b strings.Builder
	for i, s := range f.Steps {
		got := result[i]
		if got == nil || s.Compare.agrees(&s.Want, got) {
			continue
		}
		fmt.Fprintf(&b, "%s:%d:\n", f.Path, s.Line)
		if s.IsPause() {
			fmt.Fprintf(&b, "  # after %v\n", s.After)
		}
		for _, line := range s.Command {
			fmt.Fprintf(&b, "  %s\n", line)
		}
		if s.Compare.Matches != nil {
			fmt.Fprintf(&b, "  does not match %s\n", s.Compare.pattern())
		}
		writeDiff(&b, textLines(&s.Want), textLines(got))
	}
	return b.String()
}

// Update puts what a run gave in the file, where the two do not agree. So a
// reply that is not compared stays as it was.
func Update(f *File, result Result) {
	for i, s := range f.Steps {
		got := result[i]
		if got == nil || !s.Want.IsEmpty() && s.Compare.agrees(&s.Want, got) {
			continue
		}
		s.Want = Output{Own: s.Compare.arrange(got.Own)}
		for _, block := range got.Others {
			s.Want.Others = append(s.Want.Others, Block{block.Client, s.Compare.arrange(block.Lines)})
		}
	}
}

// IsEmpty tells that nobody was told anything.
func (o *Output) IsEmpty() bool { return len(o.Own) == 0 && len(o.Others) == 0 }

func textLines(o *Output) []string {
	text := o.text()
	if text == "" {
		return nil
	}
	return strings.Split(strings.TrimSuffix(text, "\n"), "\n")
}

// plain is what # matches looks at: no escapes and no carriage returns.
func (o *Output) plain() string {
	lines := slices.Clone(o.Own)
	for _, b := range o.Others {
		for _, line := range b.Lines {
			lines = append(lines, b.Client+": "+line)
		}
	}
	return strings.ReplaceAll(strings.Join(lines, "\n"), "\r", "")
}

func (c *Comparison) pattern() string {
	return strings.TrimSuffix(strings.TrimPrefix(c.Matches.String(), `(?s)\A(?:`), `)\z`)
}

func (c *Comparison) agrees(want, got *Output) bool {
	switch {
	case c.Any:
		return isError(want.Own) == isError(got.Own) || want.IsEmpty()
	case c.Matches != nil:
		return c.Matches.MatchString(got.plain())
	}
	return c.agree(want.Own, got.Own) && slices.EqualFunc(want.Others, got.Others, func(w, g Block) bool {
		return w.Client == g.Client && c.agree(w.Lines, g.Lines)
	})
}

func isError(lines []string) bool {
	return len(lines) > 0 && (strings.HasPrefix(lines[0], "(error) ") || strings.HasPrefix(lines[0], "(bulk error) "))
}

// agree compares what one client is told.
func (c *Comparison) agree(want, got []string) bool {
	if len(want) != len(got) {
		return false
	}
	return slices.EqualFunc(c.arrange(want), c.arrange(got), func(w, g string) bool {
		return w == g || c.Approx > 0 && c.near(w, g)
	})
}

// number finds the number that ends a line.
var number = regexp.MustCompile(`^(.*?)(\(integer\) |\(double\) |")([-+0-9.einfa]+)("?)$`)

func (c *Comparison) near(want, got string) bool {
	w, g := number.FindStringSubmatch(want), number.FindStringSubmatch(got)
	if w == nil || g == nil || w[1] != g[1] || w[2] != g[2] || w[4] != g[4] {
		return false
	}
	x, errX := strconv.ParseFloat(w[3], 64)
	y, errY := strconv.ParseFloat(g[3], 64)
	return errX == nil && errY == nil && math.Abs(x-y) <= c.Approx
}

// arrange puts the elements of a reply in order where the order is free.
func (c *Comparison) arrange(lines []string) []string {
	if c.Sorted == InOrder {
		return lines
	}
	return arrange(lines, c.Sorted)
}

// An aggregate's elements, taken from its lines: of "12) x" the ordinal is
// "12) ", and the lines that follow it are indented by as much.
var ordinal = regexp.MustCompile(`^( *[0-9]+)([)~>#|]) `)

func arrange(lines []string, kind Sorting) []string {
	if len(lines) == 0 {
		return lines
	}
	first := ordinal.FindStringSubmatch(lines[0])
	if first == nil {
		return lines
	}
	width, mark := len(first[0]), first[2]
	var elems [][]string
	for _, line := range lines {
		m := ordinal.FindStringSubmatch(line)
		switch {
		case m != nil && len(m[0]) == width && m[2] == mark:
			elems = append(elems, []string{line[width:]})
		case len(elems) > 0 && strings.HasPrefix(line, strings.Repeat(" ", width)):
			last := len(elems) - 1
			elems[last] = append(elems[last], line[width:])
		default: // more than one reply: not ours to sort
			return lines
		}
	}
	if kind == SortedAll {
		for i, e := range elems {
			elems[i] = arrange(e, kind)
		}
	}
	size := 1
	if kind == SortedPairs && mark != "#" && len(elems)%2 == 0 {
		size = 2
	}
	chunks := slices.Collect(slices.Chunk(elems, size))
	slices.SortStableFunc(chunks, func(a, b [][]string) int {
		return slices.CompareFunc(a, b, func(x, y []string) int { return slices.Compare(x, y) })
	})
	return numbered(slices.Concat(chunks...), width, mark)
}

func numbered(elems [][]string, width int, mark string) []string {
	var lines []string
	for i, e := range elems {
		for j, line := range e {
			if j == 0 {
				line = fmt.Sprintf("%*d%s %s", width-2, i+1, mark, line)
			} else {
				line = strings.Repeat(" ", width) + line
			}
			lines = append(lines, line)
		}
	}
	return lines
}
