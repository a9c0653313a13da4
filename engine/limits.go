package engine

import (
	"math"

	"minikv/value"
)

// intsetMax bounds set-max-intset-entries, whatever is configured.
const intsetMax = 1 << 30

// limits says when packed collections turn into indexed ones, as the
// configuration has it now. Valid until the configuration changes.
func (e *Engine) limits() *value.Limits {
	conf := e.conf
	e.packing = value.Limits{
		HashMaxListpackEntries: intOf(conf.HashMaxListpackEntries),
		HashMaxListpackValue:   intOf(conf.HashMaxListpackValue),
		SetMaxIntsetEntries:    intOf(min(conf.SetMaxIntsetEntries, intsetMax)),
		ZSetMaxListpackEntries: intOf(conf.ZSetMaxListpackEntries),
		ZSetMaxListpackValue:   intOf(conf.ZSetMaxListpackValue),
	}
	return &e.packing
}

// intOf is n as an int, or the largest there is.
func intOf(n int64) int { return int(min(n, math.MaxInt)) }
