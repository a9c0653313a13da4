package engine

import (
	"math"
	"strings"

	"minikv/value"
)

func streamReads() []*Command {
	return []*Command{
		{Name: "XREAD", Arity: -4, Flags: ReadOnly | Blocking | MovableKeys,
			Keys:  []KeySpec{{Flags: RO | Access, Keyword: "STREAMS", From: 1, Last: -1, Step: 1, Limit: 2}},
			Group: Stream, Since: "5.0.0",
			Syntax:     "[COUNT count] [MAXCOUNT@8.10 maxcount] [MAXSIZE@8.10 maxsize] [BLOCK milliseconds] STREAMS key [key ...] id:string [id:string ...]",
			Summary:    "Answers the entries of several streams that stand behind given IDs, or waits for such.",
			Complexity: "O(N) for N entries answered", Handler: cmdXRead},
		{Name: "XREADGROUP", Arity: -7, Flags: Write | Blocking | MovableKeys,
			Keys:  []KeySpec{{Flags: RO | Access, Keyword: "STREAMS", From: 4, Last: -1, Step: 1, Limit: 2}},
			Group: Stream, Since: "5.0.0",
			Syntax:     "GROUP group consumer [COUNT count] [MAXCOUNT@8.10 maxcount] [MAXSIZE@8.10 maxsize] [BLOCK milliseconds] [CLAIM@8.4 min-idle-time] [NOACK] STREAMS key [key ...] id:string [id:string ...]",
			Summary:    "Delivers new entries to a consumer of a group, or answers again what it has not acknowledged.",
			Complexity: "O(N) for N entries answered", Handler: cmdXReadGroup},
	}
}

// streamRead is the arguments of XREAD and XREADGROUP.
type streamRead struct {
	grouped         bool
	group, consumer []byte
	count           int // for each stream; math.MaxInt: all
	caps            readCaps
	block           bool
	deadline        int64
	claim           int64 // how long idle entries that are claimed must be, or -1
	noAck           bool
	keys, ids       [][]byte
	idsAt           int // position of the first ID
}

func cmdXRead(c *Ctx) error      { return c.readStreams(false) }
func cmdXReadGroup(c *Ctx) error { return c.readStreams(true) }

func (c *Ctx) readStreams(grouped bool) error {
	r := streamRead{grouped: grouped, count: math.MaxInt, claim: -1}
	if err := c.parseRead(&r); err != nil {
		return err
	}
	first, end := c.awaitedStream(&r)
	afters := make([]value.StreamID, len(r.keys))
	for i := first; i < end; i++ {
		var err error
		if afters[i], err = c.readAfter(&r, i); err != nil {
			return err
		}
	}
	if grouped && c.knowsActive() {
		for _, key := range r.keys[first:end] {
			c.member(key, r.group, r.consumer).wake()
		}
	}
	var sources []source
	for i := first; i < end; i++ {
		var err error
		if sources, err = c.plan(&r, i, afters[i], sources); err != nil {
			return err
		}
	}
	switch {
	case len(sources) > 0:
		c.answerSources(&r, sources)
	case r.block:
		return c.Block(c.readLater(&r, afters))
	default:
		c.out.NullArray()
	}
	return nil
}

func (c *Ctx) parseRead(r *streamRead) error {
	a := c.Scan()
	for a.More() && r.idsAt == 0 {
		switch {
		case a.WordWith("BLOCK", 1):
			r.parseBlock(&a)
		case a.WordWith("COUNT", 1):
			r.count = positiveOr(a.Int(), math.MaxInt)
		case a.WordWith("MAXCOUNT", 1):
			r.caps.count, r.caps.given = int(a.IntIn(1, math.MaxInt, errPositive)), true
		case a.WordWith("MAXSIZE", 1):
			r.caps.size, r.caps.given = int(a.IntIn(1, math.MaxInt, errPositive)), true
		case a.WordWith("STREAMS", 1):
			r.parseStreams(&a)
		case a.WordWith("GROUP", 2):
			r.group, r.consumer = a.Next(), a.Next()
			r.onlyGrouped(&a, "GROUP")
		case (r.grouped || c.knowsClaim()) && a.WordWith("CLAIM", 1):
			r.claim = a.IntIn(0, math.MaxInt64, errClaimIdleTime)
			r.onlyGrouped(&a, "CLAIM")
		case a.Word("NOACK"):
			r.noAck = true
			r.onlyGrouped(&a, "NOACK")
		default:
			a.Syntax()
		}
	}
	switch {
	case a.err != nil:
		return a.err
	case r.idsAt == 0:
		return errSyntax
	case r.grouped && r.group == nil:
		return errNoGroupOption
	}
	return r.caps.begin(r.count)
}

// positiveOr is n, or other if n is not positive.
func positiveOr(n, other int64) int {
	if n <= 0 {
		n = other
	}
	return int(min(n, math.MaxInt))
}

// knowsClaim tells whether the emulated version can claim and read at once.
func (c *Ctx) knowsClaim() bool { return c.e.table.ver.has(version{major: 8, minor: 4}) }

// knowsLast tells whether + is the last entry of a stream to it.
func (c *Ctx) knowsLast() bool {
	ver := c.e.table.ver
	return ver.has(version{major: 7, minor: 4}) || ver.has(version{valkey: true, major: 8})
}

func (r *streamRead) parseBlock(a *Scanner) {
	if a.c.source == FromScript && !a.c.e.table.ver.from(version{major: 7, minor: 4}) {
		a.Fail(errorf("ERR %s command is not allowed with BLOCK option from scripts", clip(a.c.argv[0], longestName)))
		return
	}
	r.block = true
	r.deadline = a.timeoutMS()
}

func (r *streamRead) parseStreams(a *Scanner) {
	at := a.pos
	rest := a.Rest()
	if len(rest)%2 != 0 {
		a.Fail(errUnbalanced(a.c))
		return
	}
	n := len(rest) / 2
	r.keys, r.ids, r.idsAt = rest[:n], rest[n:], at+n
}

func (r *streamRead) onlyGrouped(a *Scanner, option string) {
	if !r.grouped {
		a.Fail(errorf("ERR The %s option is only supported by XREADGROUP. You called XREAD instead.", option))
	}
}

// errUnbalanced is the answer to keys and IDs that do not match.
func errUnbalanced(c *Ctx) error {
	id := "$"
	if c.e.table.ver.from(version{major: 7, minor: 2}) {
		if strings.Contains(c.cmd.lower, "group") {
			id = ">"
		}
		return errorf("ERR Unbalanced '%s' list of streams: for each stream key an ID or '%s' must be specified.", c.cmd.lower, id)
	}
	return errUnbalancedOld
}

// awaitedStream is the range of the streams to look at: all or, run again, the
// one that changed. Redis 7.2 looks at all again.
func (c *Ctx) awaitedStream(r *streamRead) (first, end int) {
	if key := c.firstOf(r.keys); len(key) == 1 {
		for i := range r.keys {
			if string(r.keys[i]) == string(key[0]) {
				return i, i + 1
			}
		}
	}
	return 0, len(r.keys)
}

// readAfter is the ID behind which to read the i-th stream; for new entries of a
// group the greatest there is.
func (c *Ctx) readAfter(r *streamRead, i int) (id value.StreamID, err error) {
	s, err := c.readStream(r.keys[i])
	if err != nil {
		return id, err
	}
	text := string(r.ids[i])
	if r.grouped && (s == nil || s.Group(r.group) == nil) {
		return id, c.errGroupGone(r, i, s)
	}
	switch {
	case text == "$" && r.grouped:
		return id, errDollarInGroup
	case text == "+" && r.grouped && c.knowsLast():
		return id, errPlusInGroup
	case text == "+" && s != nil && c.knowsLast():
		if last, ok := s.Last(); ok {
			id, _ = last.Prev()
			return id, nil
		}
		return s.LastID, nil
	case text == "+" && c.knowsLast():
		return id, nil
	case text == "$" && s != nil:
		return s.LastID, nil
	case text == "$":
		return id, nil
	case text == ">" && r.grouped:
		return value.MaxStreamID, nil
	case text == ">":
		return id, errNewOutsideGroup
	}
	id, ok := value.ParseStreamID(r.ids[i], 0)
	if !ok {
		return id, errStreamID
	}
	return id, nil
}

// readStream is the stream at a key, or nil.
func (c *Ctx) readStream(key []byte) (*value.Stream, error) {
	en, err := c.Read(key, value.KindStream)
	switch {
	case err != nil && c.source == FromBlocked && !c.e.table.ver.from(version{major: 7, minor: 2}):
		return nil, errUnblockedGone
	case err != nil || en == nil:
		return nil, err
	}
	return en.Val.stream(), nil
}

// errGroupGone is the answer to a group that is not there (any more).
func (c *Ctx) errGroupGone(r *streamRead, i int, s *value.Stream) error {
	switch {
	case c.source != FromBlocked || c.e.table.ver.from(version{major: 7, minor: 2}):
		return errorf("NOGROUP No such key '%s' or consumer group '%s' in XREADGROUP with GROUP option", cText(r.keys[i]), cText(r.group))
	case s == nil:
		return errUnblockedGone
	}
	return errUnblockedGroup
}
