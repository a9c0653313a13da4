package engine

// debugReload asks the outside to save and to load.
//
// DIFFERS: DEBUG RELOAD with a file that is not good, or with NOFLUSH and one that has a key of the node's, answers an error and changes nothing; Redis has emptied its databases by then, or ends.
func debugReload(c *Ctx, args [][]byte) error {
	r := Request{Kind: RequestReload}
	for _, arg := range args {
		switch {
		case isWord(arg, "MERGE"):
			r.Load.Merge = true
		case isWord(arg, "NOFLUSH"):
			r.Load.Keep = true
		case isWord(arg, "NOSAVE"):
			r.NoSave = true
		default:
			return errReloadOption
		}
	}
	return c.ask(r)
}
