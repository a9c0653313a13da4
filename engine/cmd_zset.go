package engine

import (
	"math"
	"slices"

	"minikv/value"
)

func sortedSetCommands() []*Command {
	return slices.Concat(zsetWrites(), zsetRemovals(), zsetReads(), zsetRanges(), zsetPops(), zsetAlgebra(), zsetWalks())
}

func zsetWrites() []*Command {
	return []*Command{
		{Name: "ZADD", Arity: -4, Flags: Write | DenyOOM | Fast, Keys: key(1, RW|Update), Group: SortedSet, Since: "1.2.0",
			Syntax:     "key [NX@3.0.2 | XX@3.0.2] [GT@6.2 | LT@6.2] [CH@3.0.2] [INCR@3.0.2] score member [score member ...]",
			Summary:    "Gives members of a sorted set their scores; the set is made if need be.",
			Complexity: "O(log(N)) for each member, N being the size of the set", Handler: cmdZAdd},
		{Name: "ZINCRBY", Arity: 4, Flags: Write | DenyOOM | Fast, Keys: key(1, RW|Access|Update), Group: SortedSet, Since: "1.2.0",
			Syntax: "key increment member", Summary: "Adds to the score of a member of a sorted set.",
			Complexity: "O(log(N)), N being the size of the set", Handler: cmdZIncrBy},
	}
}

// readZSet finds a sorted set for reading; it is nil where there is none.
func (c *Ctx) readZSet(name []byte) (*value.ZSet, error) {
	en, err := c.Read(name, value.KindZSet)
	if en == nil || err != nil {
		return nil, err
	}
	return en.Val.zset(), nil
}

// writeZSet finds a sorted set that is to be changed; en is nil where there is
// none.
func (c *Ctx) writeZSet(name []byte) (*Entry, error) { return c.Write(name, value.KindZSet) }

// openZSet announces the change of a sorted set and answers it; where there is
// none (en is nil) it makes one.
func (c *Ctx) openZSet(en *Entry, name []byte) *value.ZSet {
	if en == nil {
		return c.db.add(name, collectionObject(value.KindZSet, c.newZSet())).Val.zset()
	}
	return c.db.write(en).Val.zset()
}

func (c *Ctx) newZSet() *value.ZSet { return value.NewZSet(c.e.rand.Uint64()) }

// zadd is what ZADD is asked for: under which conditions a member gets a score
// (nx: if it is new, xx: if it is not, gt, lt: if its score grows or falls),
// whether the score is added to the old one, and whether the answer counts the
// changed members or only the new.
type zadd struct {
	nx, xx, gt, lt, incr, ch bool
}

func (a *Scanner) zaddOptions() (m zadd) {
	for {
		switch {
		case a.Word("NX"):
			m.nx = true
		case a.Word("XX"):
			m.xx = true
		case a.Word("GT"):
			m.gt = true
		case a.Word("LT"):
			m.lt = true
		case a.Word("INCR"):
			m.incr = true
		case a.Word("CH"):
			m.ch = true
		default:
			return m
		}
	}
}

// check refuses options that contradict one another, and a number of scores
// and members that does not fit.
func (m *zadd) check(args int) error {
	switch {
	case args == 0 || args%2 != 0:
		return errSyntax
	case m.nx && m.xx:
		return errZAddNXXX
	case m.gt && (m.nx || m.lt) || m.lt && m.nx:
		return errZAddGTLTNX
	case m.incr && args > 2:
		return errZAddIncr
	}
	return nil
}

// conditional tells whether a member's new score depends on its old one.
func (m *zadd) conditional() bool { return m.nx || m.xx || m.gt || m.lt || m.incr }

// decide tells which score a member of z (nil: no set) is to get, and ok whether
// the conditions allow it.
func (m *zadd) decide(z *value.ZSet, member []byte, score float64) (final float64, ok bool, err error) {
	var old float64
	var has bool
	if z != nil {
		old, has = z.Score(member)
	}
	switch {
	case !has:
		return score, !m.xx, nil
	case m.nx:
		return old, false, nil
	}
	if m.incr {
		if score += old; math.IsNaN(score) {
			return 0, false, errScoreNaN
		}
	}
	return score, !(m.lt && score >= old || m.gt && score <= old), nil
}

func cmdZAdd(c *Ctx) error {
	a := c.Scan()
	name, m := a.Next(), a.zaddOptions()
	if err := m.check(a.Left()); err != nil {
		return err
	}
	return c.zadd(name, m, a.Rest())
}

// cmdZIncrBy reads ZADD's options too, as Redis does, but has no room for them.
func cmdZIncrBy(c *Ctx) error {
	a := c.Scan()
	name := a.Next()
	if a.zaddOptions(); a.Left() != 2 {
		return errSyntax
	}
	return c.zadd(name, zadd{incr: true}, a.Rest())
}

// zadd is ZADD for pairs of score and member.
func (c *Ctx) zadd(name []byte, m zadd, pairs [][]byte) error {
	var room [4]float64
	scores, err := parseScores(room[:0], pairs)
	if err != nil {
		return err
	}
	en, err := c.writeZSet(name)
	if err != nil {
		return err
	}
	done, err := c.addScores(en, name, &m, scores, pairs)
	if err != nil {
		return err
	}
	if done.changed > 0 {
		c.db.changed(name, ClassZSet, m.event())
		c.e.stats.dirty += int64(done.changed - 1)
	}
	switch {
	case m.incr && done.allowed:
		c.out.Double(done.score)
	case m.incr:
		c.out.Null()
	case m.ch:
		c.out.Int(int64(done.changed))
	default:
		c.out.Int(int64(done.added))
	}
	return nil
}

// parseScores appends the scores of pairs, each before its member.
func parseScores(scores []float64, pairs [][]byte) ([]float64, error) {
	for i := 0; i < len(pairs); i += 2 {
		score, ok := value.ParseFloat(pairs[i])
		if !ok {
			return nil, errNotFloat
		}
		scores = append(scores, score)
	}
	return scores, nil
}

// zadded is what ZADD did: how many members are new, how many are new or
// changed, and, of the last one, whether the conditions allowed it and its score.
type zadded struct {
	added, changed int
	allowed        bool
	score          float64
}

// addScores gives members their scores. The set, en's (nil: there is none yet),
// is opened for writing with the first that is allowed.
func (c *Ctx) addScores(en *Entry, name []byte, m *zadd, scores []float64, pairs [][]byte) (done zadded, err error) {
	var z *value.ZSet
	if en != nil {
		z = en.Val.zset()
	}
	limits, open := c.e.limits(), false
	for i, score := range scores {
		member := pairs[2*i+1]
		done.score, done.allowed = score, true
		if m.conditional() {
			if done.score, done.allowed, err = m.decide(z, member, score); err != nil {
				return done, err
			}
		}
		if !done.allowed {
			continue
		}
		if !open {
			z, open = c.openZSet(en, name), true
		}
		added, changed := z.Add(limits, member, done.score)
		if added {
			done.added++
		}
		if changed {
			done.changed++
		}
	}
	return done, nil
}

func (m *zadd) event() string {
	if m.incr {
		return "zincr"
	}
	return "zadd"
}
