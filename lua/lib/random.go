package lib

// Random is the generator behind math.random: the 48-bit linear congruential
// generator that C libraries call drand48. It is a plain value; assigning it
// copies it.
type Random struct{ x uint64 }

// NewRandom returns the generator of a server that has just started.
func NewRandom() Random { return Random{0x1234ABCD330E} }

// Seed restarts the generator, as math.randomseed does.
func (r *Random) Seed(seed int32) { r.x = uint64(uint32(seed))<<16 | 0x330E }

// Next returns the next 31 random bits.
func (r *Random) Next() int32 {
	r.x = (r.x*0x5DEECE66D + 0xB) & (1<<48 - 1)
	return int32(r.x >> 17)
}
