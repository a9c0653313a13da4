package value

import "math"

// GeoShape is the region that a search looks for: a circle, or a box of which the
// sides are measured along its middle.
type GeoShape struct {
	Center Place
	Box    bool
	Radius float64 // of a circle
	Width  float64 // of a box
	Height float64
	Unit   float64 // metres, in which these are given
}

// Distance tells whether a place lies within the shape and how far it is from
// the centre, in metres.
func (s *GeoShape) Distance(p Place) (metres float64, within bool) {
	if s.Box {
		if latDistance(p.Lat, s.Center.Lat) > s.Height*s.Unit/2 {
			return 0, false
		}
		if p.Distance(Place{s.Center.Lon, p.Lat}) > s.Width*s.Unit/2 {
			return 0, false
		}
		return s.Center.Distance(p), true
	}
	metres = s.Center.Distance(p)
	return metres, metres <= s.Radius*s.Unit
}

// ScoreSpan is a range of scores, To excluded.
type ScoreSpan struct{ From, To float64 }

// Spans are the ranges of scores in which what lies within the shape is found,
// in the order in which Redis looks: the square of the centre, the four beside it
// and the four at its corners. On a small map, where west is east, some are the
// same, and stand one behind the other.
func (s *GeoShape) Spans() []ScoreSpan {
	bounds := s.bounds()
	steps := s.steps()
	center := cellOf(s.Center, steps, latMax)
	if steps > 1 && !center.reach(bounds) {
		steps--
		center = cellOf(s.Center, steps, latMax)
	}
	spans := make([]ScoreSpan, 0, len(around))
	have := center.area()
	last := 0
	for i, to := range around {
		useless := steps >= 2 && (to.north < 0 && have.south < bounds.south || to.north > 0 && have.north > bounds.north ||
			to.east < 0 && have.west < bounds.west || to.east > 0 && have.east > bounds.east)
		square := center.neighbour(to.east, to.north)
		if useless || last > 0 && square == center.neighbour(around[last].east, around[last].north) {
			continue
		}
		from, end := square.scores()
		spans = append(spans, ScoreSpan{from, end})
		last = i
	}
	return spans
}

// around is where the nine squares lie, seen from the first.
var around = [...]struct{ east, north int }{
	{0, 0}, {0, 1}, {0, -1}, {1, 0}, {-1, 0}, {1, 1}, {-1, 1}, {1, -1}, {-1, -1},
}

// reach tells whether the squares beside this one reach the bounds.
func (c geoCell) reach(bounds geoArea) bool {
	return !(c.neighbour(0, 1).area().north < bounds.north || c.neighbour(0, -1).area().south > bounds.south ||
		c.neighbour(1, 0).area().east < bounds.east || c.neighbour(-1, 0).area().west > bounds.west)
}

// bounds is the smallest map that shows the shape. Going to a pole the same way
// covers more degrees of longitude, so the side nearer to it counts.
func (s *GeoShape) bounds() geoArea {
	height, width := s.Unit*s.Radius, s.Unit*s.Radius
	if s.Box {
		height, width = s.Unit*(s.Height/2), s.Unit*(s.Width/2)
	}
	lat := height / earthRadius / degree
	edge := s.Center.Lat + lat
	if s.Center.Lat < 0 {
		edge = s.Center.Lat - lat
	}
	lon := width / earthRadius / math.Cos(edge*degree) / degree
	return geoArea{west: s.Center.Lon - lon, east: s.Center.Lon + lon, south: s.Center.Lat - lat, north: s.Center.Lat + lat}
}

// steps is how often the map is to be halved so that nine squares cover the
// shape: fewer near the poles, where squares are narrower.
func (s *GeoShape) steps() int {
	const halfEquator = 20037726.37 // metres on the map
	metres := s.Radius
	if s.Box {
		w, h := s.Width/2, s.Height/2
		metres = math.Sqrt(float64(w*w) + float64(h*h))
	}
	metres *= s.Unit
	if metres == 0 {
		return geoSteps
	}
	steps := 1
	for metres < halfEquator {
		metres *= 2
		steps++
	}
	steps -= 2
	if lat := math.Abs(s.Center.Lat); lat > 80 {
		steps -= 2
	} else if lat > 66 {
		steps--
	}
	return min(max(steps, 1), geoSteps)
}
