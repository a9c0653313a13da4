package engine

import (
	"math"

	"minikv/resp"
)

func waitRows() []*Command {
	return []*Command{
		{Name: "WAIT", Arity: 3, Flags: NoScript, ACL: CatConnection | noGroupCategory, Group: Generic, Since: "3.0.0",
			Syntax: "numreplicas timeout:integer", Summary: "Waits until so many replicas have what this client wrote.",
			Complexity: "O(1)", Tips: []string{"request_policy:all_shards", "response_policy:agg_min"}, Variants: inScriptsToo, Handler: cmdWait},
		{Name: "WAITAOF", Arity: 4, Flags: Blocking, ACL: CatConnection | noGroupCategory, Group: Generic, Since: "7.2.0",
			Syntax: "numlocal:integer numreplicas timeout:integer", Summary: "Waits until what this client wrote is on disk, here and on so many replicas.",
			Complexity: "O(1)", Tips: []string{"request_policy:all_shards", "response_policy:agg_min"}, Handler: cmdWaitAOF},
	}
}

// cmdWait knows no replica: who asks for one waits until the time is over.
// Redis keeps the number in 32 bits, so a larger one may come out as none.
func cmdWait(c *Ctx) error {
	a := c.Scan()
	replicas := a.Int()
	until := a.timeoutMS()
	if a.Err() != nil {
		return a.Err()
	}
	if replicas <= 0 || int32(replicas) <= 0 {
		return c.int(0)
	}
	return c.Block(Block{Timeout: until, OnTimeout: func(out *resp.Writer) { out.Int(0) }})
}

// cmdWaitAOF knows neither replicas nor an append-only file.
func cmdWaitAOF(c *Ctx) error {
	a := c.Scan()
	local := a.Int()
	if local < 0 || local > 1 {
		a.Fail(errWaitLocal)
	}
	replicas := a.IntIn(0, math.MaxInt64, errPositive)
	until := a.timeoutMS()
	if a.Err() != nil {
		return a.Err()
	}
	if local > 0 {
		return errWaitNoAOF
	}
	none := func(out *resp.Writer) {
		out.Array(2)
		out.Int(0)
		out.Int(0)
	}
	if replicas == 0 {
		none(c.out)
		return nil
	}
	return c.Block(Block{Timeout: until, OnTimeout: none})
}

// timeoutMS reads a time-out in whole milliseconds and makes it a deadline;
// 0 stays 0, for ever, as does one beyond all time.
func (a *Scanner) timeoutMS() int64 {
	ms := a.IntOr(errTimeoutInt)
	switch now := a.c.nowMS(); {
	case a.err != nil || ms == 0:
		return 0
	case ms < 0:
		a.Fail(errTimeoutNeg)
		return 0
	case ms > math.MaxInt64-now:
		return 0
	default:
		return now + ms
	}
}
