package explore

import "fmt"

// Violation says what went wrong.
type Violation struct {
	Property string `json:"property"` // P1 to P5 by name, "assertion", "panic", or "shown"
	Text     string `json:"text"`
}

// shown is the property of what a scenario wanted to show; it is no violation.
const shown = "shown"

// overlap is P1.
func overlap(inside, entering string) *Violation {
	return &Violation{"exclusion", fmt.Sprintf("%s and %s are in the critical section at the same time.", inside, entering)}
}

// older is P2: a write with a number lower than the highest one.
func older(by string, n, highest int64) *Violation {
	return &Violation{"fencing", fmt.Sprintf("%s's write with number %d was accepted after one with %d: it overwrites newer work.", by, n, highest)}
}

// sameNumber is P2, too.
func sameNumber(first, second string, n int64) *Violation {
	return &Violation{"fencing", fmt.Sprintf("%s and %s write with the same number %d: the resource cannot tell which is newer.", first, second, n)}
}

// leftBehind is P3: a lock without a time to live when nothing more happens.
// owner is empty if nobody holds it.
func leftBehind(lock, owner string, dead bool) *Violation {
	text := lock + " stays locked for ever: it has no time to live, and "
	switch {
	case owner == "":
		text += "nobody holds it."
	case dead:
		text += owner + ", which took it, is dead."
	default:
		text += owner + ", which took it, has gone."
	}
	return &Violation{"progress", text}
}

// foreign is P4: a command that took or changed another's lock.
func foreign(by, command, lock string, now *lockValue, owner string) *Violation {
	did := "removed"
	if now.there {
		did = "changed"
	}
	return &Violation{"ownership", fmt.Sprintf("%s's %s %s %s, which %s held.", by, command, did, lock, owner)}
}

// mistaken is P5: a client holds a lock on fewer nodes than it believes.
func mistaken(who, lock string, until int64, held, of int) *Violation {
	text := fmt.Sprintf("%s believes to hold %s until %s, and does not.", who, lock, seconds(until))
	if of > 1 {
		text = fmt.Sprintf("%s believes to hold %s until %s, and holds it on %d of %d nodes.", who, lock, seconds(until), held, of)
	}
	return &Violation{"belief", text}
}
