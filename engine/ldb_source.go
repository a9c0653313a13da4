package engine

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// sourceLines are the lines of a script as the debugger counts them.
func sourceLines(source []byte) []string {
	text := strings.TrimRight(string(source), "\r\n")
	if text == "" {
		return nil
	}
	return strings.Split(text, "\n")
}

// maxStops is how many breakpoints there can be.
const maxStops = 64

func (s *debugSession) stopsAt(line int) bool { return slices.Contains(s.stops, line) }

// list shows the lines around one: 5 on either side, or as many as said.
func (s *debugSession) list(args [][]byte) string {
	around, context := s.line, 5
	if len(args) > 0 {
		if n := leadingInt(args[0]); n > 0 {
			around = n
		}
	}
	if len(args) > 1 {
		context = leadingInt(args[1])
	}
	s.show(around, context)
	return ""
}

func (s *debugSession) whole([][]byte) string {
	s.show(1, 1_000_000)
	return ""
}

// show lists the lines at most context away from one.
func (s *debugSession) show(around, context int) {
	for line := max(around-context, 1); line <= min(around+context, len(s.source)); line++ {
		s.sayLine(line)
	}
}

// sayLine writes a line of the source, marked if it is the current one or has a
// breakpoint.
func (s *debugSession) sayLine(line int) {
	text := "<out of range source code line>"
	if line >= 1 && line <= len(s.source) {
		text, _, _ = strings.Cut(s.source[line-1], "\x00")
	}
	mark := "   "
	switch current, stop := line == s.line, s.stopsAt(line); {
	case current && stop:
		mark = "->#"
	case current:
		mark = "-> "
	case stop:
		mark = "  #"
	}
	s.say(fmt.Sprintf("%s%-3d %s", mark, line, text))
}

// setStops lists, adds and removes breakpoints.
func (s *debugSession) setStops(args [][]byte) string {
	if len(args) == 0 {
		s.listStops()
	}
	for _, arg := range args {
		line, ok := lineNumber(arg)
		switch {
		case !ok:
			s.say("Invalid argument:'" + string(arg) + "'")
		case line == 0:
			s.stops = nil
			s.say("All breakpoints removed.")
		case line < 0:
			s.removeStop(-line)
		case len(s.stops) == maxStops:
			s.say("Too many breakpoints set.")
		case line > len(s.source) || s.stopsAt(line):
			s.say("Wrong line number.")
		default:
			s.stops = append(s.stops, line)
			s.show(line, 1)
		}
	}
	return ""
}

func (s *debugSession) listStops() {
	if len(s.stops) == 0 {
		s.say("No breakpoints set. Use 'b <line>' to add one.")
		return
	}
	s.say(strconv.Itoa(len(s.stops)) + " breakpoints set:")
	for _, line := range s.stops {
		s.sayLine(line)
	}
}

func (s *debugSession) removeStop(line int) {
	i := slices.Index(s.stops, line)
	if i < 0 {
		s.say("No breakpoint in the specified line.")
		return
	}
	s.stops = slices.Delete(s.stops, i, i+1)
	s.say("Breakpoint removed.")
}
