package value

// Chains tells of one array of a table's chains.
type Chains struct {
	Slots   int
	Nodes   int
	Lengths [ChainLengths]int // how many chains have each length; longer ones count as the longest
	Longest int
}

// ChainLengths is how many lengths of chains are told apart.
const ChainLengths = 50

// Used is how many chains have a node.
func (c *Chains) Used() int { return c.Slots - c.Lengths[0] }

// Chains tells of the table's array and, while chains are moving, of the one
// that they move to. It looks at every slot.
func (t *Table[E]) Chains() []Chains {
	all := []Chains{t.cur.chains()}
	if t.moving() {
		all = append(all, t.next.chains())
	}
	return all
}

func (s *slots[E]) chains() Chains {
	c := Chains{Slots: int(s.len())}
	filled := 0
	for _, seg := range s.dir {
		for _, n := range seg {
			if n == nil {
				continue
			}
			length := 0
			for ; n != nil; n = n.next {
				length++
			}
			filled++
			c.Nodes += length
			c.Longest = max(c.Longest, length)
			c.Lengths[min(length, ChainLengths-1)]++
		}
	}
	c.Lengths[0] = c.Slots - filled
	return c
}

// Chains tells of the hash's table; nil while it is packed.
func (h *Hash) Chains() []Chains {
	if t := h.table(); t != nil {
		return t.Chains()
	}
	return nil
}

// Chains tells of the set's table; nil while it is packed.
func (s *Set) Chains() []Chains {
	if x := s.index(); x != nil {
		return x.table.Chains()
	}
	return nil
}

// Chains tells of the table that finds a member by name; nil while the sorted
// set is packed.
func (z *ZSet) Chains() []Chains {
	if large := z.large(); large != nil {
		return large.table.Chains()
	}
	return nil
}
