package engine

import (
	"cmp"
	"iter"
	"math"
	"slices"
	"strings"

	"minikv/value"
)

func zsetAlgebra() []*Command {
	const (
		unionCost = "O(N)+O(M*log(M)), N being the members of all sets together and M those of the result"
		interCost = "O(N*K)+O(M*log(M)), N being the size of the smallest set, K the number of sets and M the members of the result"
		diffCost  = "O(L+(N-K)*log(N)), L being the members of all sets together, N the size of the first and K the members of the result"
		options   = "numkeys key [key ...] [WEIGHTS weight [weight ...]] [AGGREGATE <SUM | MIN | MAX | COUNT@8.8>]"
	)
	read := func(name, since, syntax, summary, cost string, handler func(*Ctx) error) *Command {
		return &Command{Name: name, Arity: -3, Flags: ReadOnly | MovableKeys, Keys: keynum(1, RO|Access), Group: SortedSet, Since: since,
			Syntax: syntax, Summary: summary, Complexity: cost, Handler: handler}
	}
	store := func(name, since, syntax, summary, cost string, handler func(*Ctx) error) *Command {
		return &Command{Name: name, Arity: -4, Flags: Write | DenyOOM | MovableKeys, Keys: specs(key(1, OW|Update), keynum(2, RO|Access)),
			Group: SortedSet, Since: since, Syntax: "destination " + syntax, Summary: summary, Complexity: cost, Handler: handler}
	}
	return []*Command{
		read("ZUNION", "6.2.0", options+" [WITHSCORES]", "Answers the members of several sorted sets together.", unionCost, cmdZUnion),
		read("ZINTER", "6.2.0", options+" [WITHSCORES]", "Answers what several sorted sets have in common.", interCost, cmdZInter),
		read("ZDIFF", "6.2.0", "numkeys key [key ...] [WITHSCORES]", "Answers the members of a sorted set that are in none of others.", diffCost, cmdZDiff),
		read("ZINTERCARD", "7.0.0", "numkeys key [key ...] [LIMIT limit]", "Counts what several sorted sets have in common.",
			"O(N*K), N being the size of the smallest set and K the number of sets", cmdZInterCard),
		store("ZUNIONSTORE", "2.0.0", options, "Stores the members of several sorted sets together.", unionCost, cmdZUnionStore),
		store("ZINTERSTORE", "2.0.0", options, "Stores what several sorted sets have in common.", interCost, cmdZInterStore),
		store("ZDIFFSTORE", "6.2.0", "numkeys key [key ...]", "Stores the members of a sorted set that are in none of others.", diffCost, cmdZDiffStore),
	}
}

// operand is one of the inputs: a sorted set, or a set, whose members all have
// the score 1. With neither it is empty.
type operand struct {
	zset   *value.ZSet
	set    *value.Set
	weight float64
}

func (o *operand) len() int {
	switch {
	case o.zset != nil:
		return o.zset.Len()
	case o.set != nil:
		return o.set.Len()
	}
	return 0
}

func (o *operand) score(member string) (float64, bool) {
	switch {
	case o.zset != nil:
		return o.zset.Score([]byte(member))
	case o.set != nil:
		return 1, o.set.Has([]byte(member))
	}
	return 0, false
}

func (o *operand) all() iter.Seq2[string, float64] {
	if o.zset != nil {
		return o.zset.All()
	}
	return func(yield func(string, float64) bool) {
		if o.set == nil {
			return
		}
		for member := range o.set.All() {
			if !yield(string(member), 1) {
				return
			}
		}
	}
}

// combination is what ZUNION and its like are asked for.
type combination struct {
	operands  []operand
	aggregate func(a, b float64) float64
	counting  bool // AGGREGATE COUNT: every score is 1
	scores    bool // WITHSCORES
	limit     int  // LIMIT, at least 1
}

// packed tells whether members of the result may stand in a packed set, in which
// they do not last.
func (q *combination) packed() bool {
	return slices.ContainsFunc(q.operands, func(o operand) bool { return o.zset != nil && o.zset.Packed() })
}

// weighted is what an operand contributes to the score of one of its members.
func (q *combination) weighted(o *operand, score float64) float64 {
	if q.counting {
		score = 1
	}
	return o.weight * score
}

// orZero is x, or 0 for what is no number, as the product of 0 and infinity.
func orZero(x float64) float64 {
	if math.IsNaN(x) {
		return 0
	}
	return x
}

// The aggregates: b is added to what is there already.
func sumScores(a, b float64) float64 { return orZero(a + b) }

func minScore(a, b float64) float64 {
	if b < a {
		return b
	}
	return a
}

func maxScore(a, b float64) float64 {
	if b > a {
		return b
	}
	return a
}

// operation is one of the three ways of combining sets. Each names the options
// that it has, besides those of reading and storing.
type operation struct {
	weights bool // WEIGHTS and AGGREGATE
	limit   bool // LIMIT
	combine func(q *combination) []scoredMember
}

var (
	zunion     = operation{weights: true, combine: (*combination).union}
	zinter     = operation{weights: true, combine: (*combination).intersection}
	zdiff      = operation{combine: (*combination).difference}
	zintercard = operation{limit: true, combine: (*combination).intersection}
)

// combination reads the keys, finds them and reads the options; as in Redis a
// key of another type is found before a fault in the options.
func (a *Scanner) combination(op *operation, storing bool) (q combination) {
	c := a.c
	n := a.Int()
	switch {
	case a.Err() != nil:
		return q
	case n < 1:
		a.Fail(errNoInputKeys(c.cmd))
		return q
	case n > int64(a.Left()):
		a.Syntax()
		return q
	}
	q.operands = make([]operand, n)
	for i := range q.operands {
		q.operands[i] = a.operand()
	}
	q.aggregate, q.limit = sumScores, math.MaxInt
	for a.More() {
		switch {
		case op.weights && a.WordWith("WEIGHTS", len(q.operands)):
			for i := range q.operands {
				q.operands[i].weight = a.FloatOr(errWeight)
			}
		case op.weights && a.WordWith("AGGREGATE", 1):
			a.aggregate(&q)
		case op.limit && a.WordWith("LIMIT", 1):
			if q.limit = intOf(a.IntIn(0, math.MaxInt64, errLimitNegative)); q.limit == 0 {
				q.limit = math.MaxInt
			}
		case !storing && !op.limit && a.Word("WITHSCORES"):
			q.scores = true
		default:
			a.Syntax()
		}
	}
	return q
}

// operand finds the key that comes next.
func (a *Scanner) operand() operand {
	o := operand{weight: 1}
	name := a.Next()
	if a.Err() != nil {
		return o
	}
	en := a.c.Lookup(name)
	switch {
	case en == nil:
	case en.Val.kind() == value.KindZSet:
		o.zset = en.Val.zset()
	case en.Val.kind() == value.KindSet:
		o.set = en.Val.set()
	default:
		a.Fail(errWrongType)
	}
	return o
}

func (a *Scanner) aggregate(q *combination) {
	q.counting = false
	switch {
	case a.Word("SUM"):
		q.aggregate = sumScores
	case a.Word("MIN"):
		q.aggregate = minScore
	case a.Word("MAX"):
		q.aggregate = maxScore
	case a.Word("COUNT"):
		q.aggregate, q.counting = sumScores, true
	default:
		a.Syntax()
	}
}

// scoredMember is one member of a result.
type scoredMember struct {
	member string
	score  float64
}

// smallestFirst orders the operands. The order shows: a sum of floats depends
// on it.
func (q *combination) smallestFirst() {
	slices.SortStableFunc(q.operands, func(a, b operand) int { return a.len() - b.len() })
}

func (q *combination) union() []scoredMember {
	q.smallestFirst()
	largest := q.operands[len(q.operands)-1].len()
	list := make([]scoredMember, 0, largest)
	index := make(map[string]int, largest)
	for i := range q.operands {
		o := &q.operands[i]
		for member, score := range o.all() {
			score = orZero(q.weighted(o, score))
			if at, has := index[member]; has {
				list[at].score = q.aggregate(list[at].score, score)
				continue
			}
			index[member] = len(list)
			list = append(list, scoredMember{member, score})
		}
	}
	return list
}

func (q *combination) intersection() (list []scoredMember) {
	q.smallestFirst()
	first, others := &q.operands[0], q.operands[1:]
next:
	for member, score := range first.all() {
		score = orZero(q.weighted(first, score))
		for i := range others {
			other, has := others[i].score(member)
			if !has {
				continue next
			}
			score = q.aggregate(score, q.weighted(&others[i], other))
		}
		if list = append(list, scoredMember{member, score}); len(list) == q.limit {
			break
		}
	}
	return list
}

func (q *combination) difference() (list []scoredMember) {
	others := slices.Clone(q.operands[1:])
	slices.SortStableFunc(others, func(a, b operand) int { return b.len() - a.len() })
next:
	for member, score := range q.operands[0].all() {
		for i := range others {
			if _, has := others[i].score(member); has {
				continue next
			}
		}
		list = append(list, scoredMember{member, score})
	}
	return list
}

// sortScored puts members into the order of a sorted set.
func sortScored(list []scoredMember) {
	slices.SortFunc(list, func(a, b scoredMember) int {
		switch {
		case a.score < b.score:
			return -1
		case a.score > b.score:
			return 1
		}
		return cmp.Compare(a.member, b.member)
	})
}

func cmdZUnion(c *Ctx) error { return c.combine(&zunion) }
func cmdZInter(c *Ctx) error { return c.combine(&zinter) }
func cmdZDiff(c *Ctx) error  { return c.combine(&zdiff) }

// combine answers the result of an operation.
func (c *Ctx) combine(op *operation) error {
	a := c.Scan()
	q := a.combination(op, false)
	if a.Err() != nil {
		return a.Err()
	}
	list := op.combine(&q)
	sortScored(list)
	c.openScored(len(list), q.scores)
	for _, m := range list {
		c.scored(m.member, m.score, q.scores)
	}
	return nil
}

func cmdZInterCard(c *Ctx) error {
	a := c.Scan()
	q := a.combination(&zintercard, false)
	if a.Err() != nil {
		return a.Err()
	}
	return c.int(int64(len(zintercard.combine(&q))))
}

func cmdZUnionStore(c *Ctx) error { return c.combineStore(&zunion) }
func cmdZInterStore(c *Ctx) error { return c.combineStore(&zinter) }
func cmdZDiffStore(c *Ctx) error  { return c.combineStore(&zdiff) }

// combineStore stores the result of an operation. The event bears the command's
// name. As in Redis the result is indexed first, and packed where it fits.
func (c *Ctx) combineStore(op *operation) error {
	a := c.Scan()
	dst := a.Next()
	q := a.combination(op, true)
	if a.Err() != nil {
		return a.Err()
	}
	list := op.combine(&q)
	sortScored(list)
	z := value.BuildZSet(c.e.rand.Uint64(), func(yield func(string, float64) bool) {
		packed := q.packed()
		for _, m := range list {
			if packed {
				m.member = strings.Clone(m.member)
			}
			if !yield(m.member, m.score) {
				return
			}
		}
	})
	z.Pack(c.e.limits())
	return c.storeZSet(dst, z, c.cmd.lower)
}
