package config

import (
	"math"
	"math/bits"
	"strconv"
	"strings"
)

var memoryUnits = map[string]uint64{
	"": 1, "b": 1, "k": 1000, "kb": 1 << 10, "m": 1_000_000, "mb": 1 << 20, "g": 1_000_000_000, "gb": 1 << 30,
}

// ParseMemory reads a number of bytes with a unit: 1k is 1000, 1kb is 1024,
// and so on to gb, in any case. No digits mean 0, as in Redis.
//
// DIFFERS: an amount of memory of 2^63 bytes and more is taken as 2^63-1, where Redis counts on to 2^64 and then wraps around.
func ParseMemory(text string) (bytes int64, ok bool) {
	digits := len(text) - len(strings.TrimLeft(text, "0123456789"))
	unit, ok := memoryUnits[lower(text[digits:])]
	if !ok {
		return 0, false
	}
	if digits == 0 {
		return 0, true
	}
	n, err := strconv.ParseUint(text[:digits], 10, 64)
	high, low := bits.Mul64(n, unit)
	if err != nil || high != 0 || low > math.MaxInt64 {
		return math.MaxInt64, true
	}
	return int64(low), true
}

// memory is a number of bytes between two bounds.
func memory(low, high int64) kind[int64] {
	return one(func(s string) (int64, error) {
		v, ok := ParseMemory(s)
		if !ok {
			return 0, reason("argument must be a memory value")
		}
		return v, within(v, low, high)
	}, func(v int64) string { return strconv.FormatInt(v, 10) })
}

// memoryOrPercent is a number of bytes, or below zero a percentage.
var memoryOrPercent = one(func(s string) (int64, error) {
	if digits, ok := strings.CutSuffix(s, "%"); ok {
		v, err := strconv.ParseInt(digits, 10, 64)
		if err != nil || v < 0 || strconv.FormatInt(v, 10) != digits {
			return 0, errMemoryOrPercent
		}
		if v > 100 {
			return 0, reason("percentage argument must be less or equal to 100")
		}
		return -v, nil
	}
	v, ok := ParseMemory(s)
	if !ok {
		return 0, errMemoryOrPercent
	}
	return v, nil
}, func(v int64) string {
	if v < 0 {
		return strconv.FormatInt(-v, 10) + "%"
	}
	return strconv.FormatInt(v, 10)
})

var errMemoryOrPercent error = reason("argument must be a memory or percent value")
