package value

import "math"

// A place on earth is kept in a sorted set as a score of 52 bits: 26 of the
// longitude and 26 of the latitude, each counted from its lower end in equal
// steps, taken in turns, the longitude's first. So the members of a square, be it large
// or small, stand one behind the other, and a search looks at nine such squares.

// Place is a point on earth in degrees.
type Place struct{ Lon, Lat float64 }

const (
	geoSteps = 26 // bits of each coordinate
	lonMax   = 180.0
	latMax   = 85.05112878 // where the Mercator projection is square
)

// Valid tells whether the place can be kept.
func (p Place) Valid() bool {
	return p.Lon >= -lonMax && p.Lon <= lonMax && p.Lat >= -latMax && p.Lat <= latMax
}

// Score is the place as a score.
func (p Place) Score() uint64 { return cellOf(p, geoSteps, latMax).bits() }

// PlaceOf is the middle of the square that a score stands for. Any score is one.
func PlaceOf(score float64) Place {
	a := cellOfBits(scoreBits(score)).area()
	return Place{
		Lon: min(max((a.west+a.east)/2, -lonMax), lonMax),
		Lat: min(max((a.south+a.north)/2, -latMax), latMax),
	}
}

// scoreBits is a score as an integer, as amd64 converts a double even where it
// is out of range.
func scoreBits(score float64) uint64 {
	const two63 = 1 << 63
	switch {
	case score >= two63*2:
		return 0
	case score >= two63:
		return uint64(score-two63) | two63
	case score < -two63:
		return two63
	}
	return uint64(int64(score))
}

// ScoreInt is a score as an integer, as GEOSEARCH WITHHASH shows it: the lowest
// there is for one out of range.
func ScoreInt(score float64) int64 {
	if score >= math.MinInt64 && score < -math.MinInt64 {
		return int64(score)
	}
	return math.MinInt64
}

const geoAlphabet = "0123456789bcdefghjkmnpqrstuvwxyz"

// AppendGeohash appends the standard geohash of the place: 11 letters, of which
// the last is always 0, since 52 bits make ten.
func (p Place) AppendGeohash(dst []byte) []byte {
	bits := cellOf(p, geoSteps, 90).bits()
	for shift := 2*geoSteps - 5; shift >= 0; shift -= 5 {
		dst = append(dst, geoAlphabet[bits>>shift&31])
	}
	return append(dst, geoAlphabet[0])
}

// geoCell is one of the squares into which the map is cut by halving its sides so
// many times, counted from the south-west.
type geoCell struct {
	steps    int
	lon, lat uint32
}

// cellOf is the square in which a place lies, on a map that ends at a latitude
// both ways. A place at the eastern or northern end lies behind the last square.
func cellOf(p Place, steps int, limit float64) geoCell {
	n := float64(uint64(1) << steps)
	return geoCell{
		steps: steps,
		lon:   uint32(uint64((p.Lon + lonMax) / (2 * lonMax) * n)),
		lat:   uint32(uint64((p.Lat + limit) / (2 * limit) * n)),
	}
}

func cellOfBits(bits uint64) geoCell {
	return geoCell{steps: geoSteps, lon: squeezeBits(bits >> 1), lat: squeezeBits(bits)}
}

func (c geoCell) bits() uint64 { return spreadBits(c.lon)<<1 | spreadBits(c.lat) }

// scores is the range of the scores in the square: from (included), to (excluded).
func (c geoCell) scores() (from, to float64) {
	shift := 2 * (geoSteps - c.steps)
	return float64(c.bits() << shift), float64((c.bits() + 1) << shift)
}

// neighbour is the square so many squares to the east and to the north. The map
// is round both ways.
func (c geoCell) neighbour(east, north int) geoCell {
	mask := uint32(1)<<c.steps - 1
	if east != 0 {
		c.lon = (c.lon + uint32(east)) & mask
	}
	if north != 0 {
		c.lat = (c.lat + uint32(north)) & mask
	}
	return c
}

// geoArea is what the square covers, in degrees.
type geoArea struct{ west, south, east, north float64 }

func (c geoCell) area() geoArea {
	n := float64(uint64(1) << c.steps)
	side := func(i uint64, limit float64) float64 { return -limit + float64(float64(i)/n*(2*limit)) }
	return geoArea{
		west: side(uint64(c.lon), lonMax), east: side(uint64(c.lon)+1, lonMax),
		south: side(uint64(c.lat), latMax), north: side(uint64(c.lat)+1, latMax),
	}
}

// spreadBits puts a zero bit before each bit.
func spreadBits(x uint32) uint64 {
	u := uint64(x)
	u = (u | u<<16) & 0x0000ffff0000ffff
	u = (u | u<<8) & 0x00ff00ff00ff00ff
	u = (u | u<<4) & 0x0f0f0f0f0f0f0f0f
	u = (u | u<<2) & 0x3333333333333333
	return (u | u<<1) & 0x5555555555555555
}

// squeezeBits takes every other bit, the opposite of spreadBits.
func squeezeBits(u uint64) uint32 {
	u &= 0x5555555555555555
	u = (u | u>>1) & 0x3333333333333333
	u = (u | u>>2) & 0x0f0f0f0f0f0f0f0f
	u = (u | u>>4) & 0x00ff00ff00ff00ff
	u = (u | u>>8) & 0x0000ffff0000ffff
	return uint32(u | u>>16)
}

const (
	earthRadius = 6372797.560856 // metres
	pi          = float64(math.Pi)
	degree      = pi / 180
)

// Distance is the way between two places along a great circle, in metres.
//
// DIFFERS: a distance that GEOSEARCHSTORE or GEORADIUS stores (STOREDIST) is the nearest float to the true one, where the C library under Redis errs by the last bit about once in 400 times.
func (p Place) Distance(q Place) float64 {
	lat1, lat2 := p.Lat*degree, q.Lat*degree
	u, v := sin((lat2-lat1)/2), sin((q.Lon*degree-p.Lon*degree)/2)
	a := float64(u*u) + float64(cos(lat1)*cos(lat2)*v*v)
	return 2 * earthRadius * asin(math.Sqrt(a))
}

// latDistance is the way between two latitudes, in metres.
func latDistance(lat1, lat2 float64) float64 {
	return earthRadius * math.Abs(float64(lat2*degree)-float64(lat1*degree))
}
