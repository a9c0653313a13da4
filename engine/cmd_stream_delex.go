package engine

import (
	"minikv/value"
)

func streamDeletions() []*Command {
	return []*Command{
		{Name: "XDELEX", Arity: -5, Flags: Write | Fast, Keys: key(1, RW|Delete), Group: Stream, Since: "8.2.0",
			Syntax:     "key [KEEPREF | DELREF | ACKED] IDS numids id:string [id:string ...]",
			Summary:    "Deletes entries by ID, with a choice of what becomes of them in groups.",
			Complexity: "O(G) for each ID, the stream having G groups", Handler: cmdXDelEx},
		{Name: "XACKDEL", Arity: -6, Flags: Write | Fast, Keys: key(1, RW|Update|Delete), Group: Stream, Since: "8.2.0",
			Syntax:     "key group [KEEPREF | DELREF | ACKED] IDS numids id:string [id:string ...]",
			Summary:    "Acknowledges entries and deletes them, with a choice of what becomes of them in other groups.",
			Complexity: "O(G) for each ID, the stream having G groups", Handler: cmdXAckDel},
	}
}

// What XDELEX and XACKDEL answer for each ID.
const (
	notThere = -1
	deleted  = 1
	kept     = 2
)

// refPolicy reads what a deletion is to do about groups; false if the next word
// is something else.
func (a *Scanner) refPolicy(into *value.RefPolicy, given *bool) bool {
	policy := value.KeepRefs
	switch {
	case a.Word("KEEPREF"):
	case a.Word("DELREF"):
		policy = value.DeleteRefs
	case a.Word("ACKED"):
		policy = value.OnlyAcked
	default:
		return false
	}
	if *given {
		a.Syntax()
	}
	*into, *given = policy, true
	return true
}

// countedIDs reads a number of IDs and the IDs; what follows is still to be read.
func (a *Scanner) countedIDs(badNumber, badCount error) []value.StreamID {
	n := a.IntOr(badNumber)
	switch {
	case a.err == nil && n < 1:
		a.Fail(badNumber)
	case a.err == nil && n > int64(a.Left()):
		a.Fail(badCount)
	}
	if a.err != nil {
		return nil
	}
	ids := make([]value.StreamID, 0, n)
	for range n {
		ids = append(ids, a.streamID(0))
	}
	return ids
}

// policyAndIDs reads what follows the key (and group) of XDELEX and XACKDEL.
func (a *Scanner) policyAndIDs() (policy value.RefPolicy, ids []value.StreamID, err error) {
	given := false
	for a.More() {
		switch {
		case a.refPolicy(&policy, &given):
		case ids == nil && a.Word("IDS"):
			ids = a.countedIDs(errNumIDs, errNumIDsMatch)
		default:
			a.Syntax()
		}
	}
	if a.err == nil && ids == nil {
		return policy, nil, errIDsMissing
	}
	return policy, ids, a.Err()
}

// deleteEach answers for each ID what del says of it.
func (c *Ctx) deleteEach(key []byte, ids []value.StreamID, del func(id value.StreamID) int64) {
	n := int64(0)
	c.out.Array(len(ids))
	for _, id := range ids {
		answer := del(id)
		if answer == deleted {
			n++
		}
		c.out.Int(answer)
	}
	if n > 0 {
		c.streamShrunk(key, "xdel", n)
	}
}

// deleteWith deletes an entry as a policy wants it. Entries of a stream without
// groups are nobody's to acknowledge.
func deleteWith(s *value.Stream, id value.StreamID, policy value.RefPolicy) int64 {
	there := s.Has(id)
	switch {
	case policy == value.DeleteRefs:
		s.DropRefs(id)
	case policy == value.OnlyAcked && there && (len(s.Groups()) == 0 || s.Referenced(id)):
		return kept
	}
	if !there {
		return notThere
	}
	s.Delete(id)
	return deleted
}

func cmdXDelEx(c *Ctx) error {
	a := c.Scan()
	key := a.Next()
	policy, ids, err := a.policyAndIDs()
	if err != nil {
		return err
	}
	en, err := c.Write(key, value.KindStream)
	switch {
	case err != nil:
		return err
	case en == nil:
		c.deleteEach(key, ids, func(value.StreamID) int64 { return notThere })
		return nil
	}
	s := c.streamToWrite(en)
	c.deleteEach(key, ids, func(id value.StreamID) int64 {
		answer := deleteWith(s, id, policy)
		if answer == notThere && policy == value.DeleteRefs {
			c.e.stats.dirty++ // it may have been pending still
		}
		return answer
	})
	return nil
}

func cmdXAckDel(c *Ctx) error {
	a := c.Scan()
	key, group := a.Next(), a.Next()
	policy, ids, err := a.policyAndIDs()
	if err != nil {
		return err
	}
	en, err := c.Write(key, value.KindStream)
	switch {
	case err != nil:
		return err
	case en == nil || en.Val.stream().Group(group) == nil:
		c.deleteEach(key, ids, func(value.StreamID) int64 { return notThere })
		return nil
	}
	s := c.streamToWrite(en)
	g := s.Group(group)
	c.deleteEach(key, ids, func(id value.StreamID) int64 {
		if !g.Acknowledge(id) {
			return notThere
		}
		c.e.stats.dirty++
		return max(deleteWith(s, id, policy), deleted) // it may be gone already
	})
	return nil
}
