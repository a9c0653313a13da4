package value

// Kind is the type of a key's value.
type Kind uint8

// The zero Kind is no value.
const (
	KindNone Kind = iota
	KindString
	KindList
	KindSet
	KindZSet
	KindHash
	KindStream
	KindArray
)

// String is the name TYPE answers.
func (k Kind) String() string {
	switch k {
	case KindString:
		return "string"
	case KindList:
		return "list"
	case KindSet:
		return "set"
	case KindZSet:
		return "zset"
	case KindHash:
		return "hash"
	case KindStream:
		return "stream"
	case KindArray:
		return "array"
	}
	return "none"
}

// ParseKind reads a TYPE name in any case, as SCAN's TYPE option does; an unknown
// name is false.
func ParseKind(name []byte) (Kind, bool) {
	for k := KindString; k <= KindArray; k++ {
		if equalFold(name, k.String()) {
			return k, true
		}
	}
	return KindNone, false
}

// Limits says when packed collections turn into indexed ones: the settings of the
// same names.
type Limits struct {
	HashMaxListpackEntries int
	HashMaxListpackValue   int
	SetMaxIntsetEntries    int
	ZSetMaxListpackEntries int
	ZSetMaxListpackValue   int
}

// DefaultLimits is Redis's default configuration.
func DefaultLimits() Limits {
	return Limits{
		HashMaxListpackEntries: 512,
		HashMaxListpackValue:   64,
		SetMaxIntsetEntries:    512,
		ZSetMaxListpackEntries: 128,
		ZSetMaxListpackValue:   64,
	}
}
