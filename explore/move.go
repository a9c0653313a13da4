package explore

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"
)

// moveKind is what a schedule may do.
type moveKind uint8

const (
	moveStep    moveKind = iota // a client does what it does next, or gets what it waits for
	moveHold                    // its command runs, and the client stops before the reply
	moveLose                    // its command runs, and the reply is lost, and the connection with it
	moveKill                    // the client dies
	moveClock                   // the clock goes on to the next thing that is due
	moveArrive                  // the oldest replicated write arrives
	movePromote                 // the replica takes over
	moveCrash                   // a node dies
	moveRestart                 // a node starts anew
	moveCut                     // a node, or the link to the replica, cannot be reached any more
	moveJump                    // a node's clock jumps
	moveKinds
)

// move is one move of a schedule: who is a client or a node, arg which way a
// client chooses.
type move struct {
	kind moveKind
	who  int8
	arg  int8
}

// Schedules as text: moves with dots between them. A client's letter is its
// step; ~ behind it holds the reply, - loses it, x kills the client, and +n
// behind that chooses way n. t is the clock, > a replicated write that arrives, ^ the
// replica that takes over. A node's number comes with x, r, c or j.
const nodeMarks = "xrcj"

func (m move) text(s *Scenario) string {
	switch m.kind {
	case moveClock:
		return "t"
	case moveArrive:
		return ">"
	case movePromote:
		return "^"
	case moveStep, moveHold, moveLose, moveKill:
		text := s.clients[m.who].name + [...]string{"", "~", "-", "x"}[m.kind]
		if m.arg > 0 {
			text += "+" + strconv.Itoa(int(m.arg))
		}
		return text
	}
	return strconv.Itoa(int(m.who)+1) + nodeMarks[m.kind-moveCrash:][:1]
}

// maxWays is how many ways a client may have to go on.
const maxWays = 9

// scheduleText writes a schedule.
func scheduleText(s *Scenario, moves []move) string {
	words := make([]string, len(moves))
	for i, m := range moves {
		words[i] = m.text(s)
	}
	return strings.Join(words, ".")
}

// parseSchedule reads a schedule.
func parseSchedule(s *Scenario, text string) (moves []move, err error) {
	if text == "" {
		return nil, nil
	}
	for word := range strings.SplitSeq(text, ".") {
		m, ok := parseMove(s, word)
		if !ok {
			return nil, fmt.Errorf("the schedule has a move %q, which %s does not know", word, cmp.Or(s.File, s.Title))
		}
		moves = append(moves, m)
	}
	return moves, nil
}

func parseMove(s *Scenario, word string) (m move, ok bool) {
	switch word {
	case "t":
		return move{kind: moveClock}, true
	case ">":
		return move{kind: moveArrive}, true
	case "^":
		return move{kind: movePromote}, true
	case "":
		return m, false
	}
	mark, way, chosen := strings.Cut(word[1:], "+")
	if n := int(word[0]) - '1'; n >= 0 && n < s.nodes && len(mark) == 1 && !chosen {
		i := strings.Index(nodeMarks, mark)
		return move{kind: moveCrash + moveKind(i), who: int8(n)}, i >= 0
	}
	for i, c := range s.clients {
		if c.name == word[:1] {
			m.who, ok = int8(i), true
		}
	}
	switch {
	case mark == "~":
		m.kind = moveHold
	case mark == "-":
		m.kind = moveLose
	case mark == "x":
		m.kind = moveKill
	case mark != "":
		return m, false
	}
	if chosen {
		n, err := strconv.ParseUint(way, 10, 4)
		m.arg, ok = int8(n), ok && err == nil && n > 0 && n <= maxWays
	}
	return m, ok
}
