package engine

// Category is a set of ACL categories.
type Category uint32

// The categories of ACL CAT.
const (
	CatKeyspace Category = 1 << iota
	CatRead
	CatWrite
	CatSet
	CatSortedset
	CatList
	CatHash
	CatString
	CatBitmap
	CatHyperloglog
	CatGeo
	CatStream
	CatPubsub
	CatAdmin
	CatFast
	CatSlow
	CatBlocking
	CatDangerous
	CatConnection
	CatTransaction
	CatScripting
	CatArray
)

var categoryNames = []string{
	"keyspace", "read", "write", "set", "sortedset", "list", "hash", "string", "bitmap", "hyperloglog", "geo",
	"stream", "pubsub", "admin", "fast", "slow", "blocking", "dangerous", "connection", "transaction", "scripting",
	"array",
}

// Names lists the categories in ACL CAT's order.
func (c Category) Names() []string {
	var names []string
	for i, name := range categoryNames {
		if c&(1<<i) != 0 {
			names = append(names, name)
		}
	}
	return names
}

var groupCategory = map[Group]Category{
	Generic: CatKeyspace, String: CatString, List: CatList, Set: CatSet, SortedSet: CatSortedset, Hash: CatHash,
	PubSubGroup: CatPubsub, Transactions: CatTransaction, Connection: CatConnection, Scripting: CatScripting,
	HyperLogLog: CatHyperloglog, Geo: CatGeo, Stream: CatStream, Bitmap: CatBitmap, Array: CatArray,
}

// noGroupCategory in a row's ACL says that the command is not in its group's
// category (containers, and some members of the generic group).
const noGroupCategory Category = 1 << 31

// Categories is the set of ACL categories of a command: what its flags and
// group imply, and what its row adds.
func (cmd *Command) Categories() Category {
	cats := cmd.ACL &^ noGroupCategory
	if cmd.ACL&noGroupCategory == 0 {
		cats |= groupCategory[cmd.Group]
	}
	if cmd.Flags&Write != 0 {
		cats |= CatWrite
	}
	if cmd.Flags&ReadOnly != 0 && cmd.Group != Scripting {
		cats |= CatRead
	}
	if cmd.Flags&Admin != 0 {
		cats |= CatAdmin | CatDangerous
	}
	if cmd.Flags&PubSub != 0 {
		cats |= CatPubsub
	}
	if cmd.Flags&Blocking != 0 {
		cats |= CatBlocking
	}
	if cmd.Flags&Fast != 0 {
		return cats | CatFast
	}
	return cats | CatSlow
}

// categories finds the categories in which the emulated version has a command.
func (t *Table) categories() (all Category) {
	for _, cmd := range t.all {
		if t.visible(cmd) {
			all |= cmd.Categories()
		}
	}
	return all
}

// category finds a category by name, in any case; 0 if there is none.
func (t *Table) category(name string) Category { return categoryNamed(name) & t.cats }
