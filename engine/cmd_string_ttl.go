package engine

import (
	"math"

	"minikv/value"
)

// ttlWord is one of the keywords with which a command that stores or reads a
// string says what becomes of the key's deadline.
type ttlWord uint8

const (
	ttlNone ttlWord = iota
	ttlEX
	ttlPX
	ttlEXAT
	ttlPXAT
	ttlKeep
	ttlPersist
)

var ttlWords = [...]string{ttlEX: "EX", ttlPX: "PX", ttlEXAT: "EXAT", ttlPXAT: "PXAT", ttlKeep: "KEEPTTL", ttlPersist: "PERSIST"}

// ttlOption is what a command's arguments say of the key's deadline. The
// number is judged by deadline, after everything else was read.
type ttlOption struct {
	word ttlWord
	arg  []byte
}

// timed tells whether the option gives a deadline.
func (o *ttlOption) timed() bool { return o.word >= ttlEX && o.word <= ttlPXAT }

// ttl reads EX, PX, EXAT or PXAT with its number, or the word also (KEEPTTL or
// PERSIST). It answers whether one of them came. The same word may be given
// again, and then the last counts; two different ones are a syntax error.
func (a *Scanner) ttl(o *ttlOption, also ttlWord) bool {
	word := a.ttlWord(also)
	if word == ttlNone {
		return false
	}
	if o.word != ttlNone && o.word != word {
		a.Syntax()
		return true
	}
	o.word = word
	if o.timed() {
		o.arg = a.Next()
	}
	return true
}

func (a *Scanner) ttlWord(also ttlWord) ttlWord {
	for word := ttlEX; word <= ttlPXAT; word++ {
		if a.Word(ttlWords[word]) {
			return word
		}
	}
	if a.Word(ttlWords[also]) {
		return also
	}
	return ttlNone
}

// deadline is the option's moment in unix milliseconds. It is never 0, which
// stands for none.
func (c *Ctx) deadline(o ttlOption) (at int64, err error) {
	if !o.timed() {
		return 0, nil
	}
	n, ok := value.ParseInt(o.arg)
	if !ok {
		return 0, errNotInteger
	}
	unit, base := int64(1), int64(0)
	if o.word == ttlEX || o.word == ttlEXAT {
		unit = 1000
	}
	if o.word == ttlEX || o.word == ttlPX {
		base = c.nowMS()
	}
	if n <= 0 || n > math.MaxInt64/unit || n*unit > math.MaxInt64-base {
		return 0, errExpire(c.cmd)
	}
	return n*unit + base, nil
}
