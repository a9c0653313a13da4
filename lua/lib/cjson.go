package lib

import "math"

// JSONConfig are the settings of a cjson instance. They last from one script
// to the next.
type JSONConfig struct {
	SparseConvert        bool
	SparseRatio          int
	SparseSafe           int
	EncodeDepth          int
	DecodeDepth          int
	Precision            int
	KeepBuffer           bool
	EncodeInvalid        InvalidNumbers
	DecodeInvalidNumbers bool
}

// InvalidNumbers tells what to make of a number that JSON does not have.
type InvalidNumbers uint8

// An invalid number is an error, written as C writes it, or null.
const (
	InvalidError InvalidNumbers = iota
	InvalidText
	InvalidNull
)

// JSON is an instance of the library cjson.
type JSON struct {
	JSONConfig
	// Null is the value that stands for null.
	Null Value
	// buffer is where encode writes.
	buffer []byte
}

// NewJSON returns an instance with the settings it has at the start.
func NewJSON(null Value) *JSON {
	return &JSON{Null: null, JSONConfig: JSONConfig{
		SparseRatio: 2, SparseSafe: 10,
		EncodeDepth: 1000, DecodeDepth: 1000,
		Precision: 14, KeepBuffer: true, DecodeInvalidNumbers: true,
	}}
}

// Functions returns the functions of the instance, all but new.
func (j *JSON) Functions() map[string]Function {
	return map[string]Function{
		"encode":                  j.encode,
		"decode":                  j.decode,
		"encode_sparse_array":     j.setSparse,
		"encode_max_depth":        func(c *Call) { j.setInteger(c, &j.EncodeDepth, math.MaxInt32) },
		"decode_max_depth":        func(c *Call) { j.setInteger(c, &j.DecodeDepth, math.MaxInt32) },
		"encode_number_precision": func(c *Call) { j.setInteger(c, &j.Precision, 14) },
		"encode_keep_buffer":      func(c *Call) { j.setSwitch(c, &j.KeepBuffer) },
		"decode_invalid_numbers":  func(c *Call) { j.setSwitch(c, &j.DecodeInvalidNumbers) },
		"encode_invalid_numbers":  j.setInvalid,
	}
}

func atMost(c *Call, n int) {
	if c.N() > n {
		c.ArgError(n+1, "found too many arguments")
	}
}

// integerOption sets one option from argument i, if that is given. A complaint
// always names the first argument.
func integerOption(c *Call, i int, option *int, low, high int) {
	if c.Missing(i) {
		return
	}
	n := c.Int(i)
	if n < low || n > high {
		c.ArgError(1, "expected integer between "+FormatNumber(float64(low))+" and "+FormatNumber(float64(high)))
	}
	*option = n
}

func switchOption(c *Call, i int, option *bool) {
	switch v := c.Arg(i); v.Kind {
	case Nil:
	case Boolean:
		*option = v.Truth()
	default:
		switch word := c.String(i); word {
		case "on":
			*option = true
		case "off":
			*option = false
		default:
			c.ArgError(i, "invalid option '"+untilNUL(word)+"'")
		}
	}
}

func (j *JSON) setInteger(c *Call, option *int, high int) {
	atMost(c, 1)
	integerOption(c, 1, option, 1, high)
	c.PushNumber(float64(*option))
}

func (j *JSON) setSwitch(c *Call, option *bool) {
	atMost(c, 1)
	switchOption(c, 1, option)
	c.PushBool(*option)
}

func (j *JSON) setSparse(c *Call) {
	atMost(c, 3)
	switchOption(c, 1, &j.SparseConvert)
	integerOption(c, 2, &j.SparseRatio, 0, math.MaxInt32)
	integerOption(c, 3, &j.SparseSafe, 0, math.MaxInt32)
	c.PushBool(j.SparseConvert)
	c.PushNumber(float64(j.SparseRatio))
	c.PushNumber(float64(j.SparseSafe))
}

func (j *JSON) setInvalid(c *Call) {
	atMost(c, 1)
	switch v := c.Arg(1); {
	case v.Kind == Nil:
	case v.Kind == Boolean && v.Truth():
		j.EncodeInvalid = InvalidText
	case v.Kind == Boolean:
		j.EncodeInvalid = InvalidError
	default:
		switch word := c.String(1); word {
		case "off":
			j.EncodeInvalid = InvalidError
		case "on":
			j.EncodeInvalid = InvalidText
		case "null":
			j.EncodeInvalid = InvalidNull
		default:
			c.ArgError(1, "invalid option '"+untilNUL(word)+"'")
		}
	}
	if j.EncodeInvalid == InvalidNull {
		c.PushString("null")
		return
	}
	c.PushBool(j.EncodeInvalid == InvalidText)
}
