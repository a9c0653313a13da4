package value

import (
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// bigSine is the sine of x by its Taylor series, to many more bits than it needs.
func bigSine(x *big.Float) *big.Float {
	const precision = 400
	term := new(big.Float).SetPrec(precision).Set(x)
	sum := new(big.Float).SetPrec(precision).Set(x)
	square := new(big.Float).SetPrec(precision).Mul(x, x)
	for n := int64(1); n < 80; n += 2 {
		term.Mul(term, square)
		term.Quo(term, new(big.Float).SetInt64(-(n+1)*(n+2)))
		sum.Add(sum, term)
	}
	return sum
}

func bigFloat(x float64) *big.Float { return new(big.Float).SetPrec(400).SetFloat64(x) }

// angles are some of all sizes up to half a turn.
func angles(n int) (list []float64) {
	r := rand.New(rand.NewPCG(1, 2))
	for range n {
		x := (2*r.Float64() - 1) * math.Pi
		list = append(list, x, x*math.Pow(10, -8*r.Float64()), math.Round(x*256)/256+r.Float64()*1e-9)
	}
	return append(list, 0, 1, -1, math.Pi, -math.Pi, math.Pi/2, math.Pi/4, -math.Pi/4, 1e-300, 0x1p-27)
}

// TestSineIsExact: the float nearest to the sine, and to the cosine.
func TestSineIsExact(t *testing.T) {
	t.Parallel()
	right := new(big.Float).SetPrec(400)
	right.SetString("1.57079632679489661923132169163975144209858469968755291048747229615390820314310449931401741267105853399107404326")
	for _, x := range angles(1000) {
		if want, _ := bigSine(bigFloat(x)).Float64(); sin(x) != want {
			t.Errorf("sin(%v) = %v, want %v", x, sin(x), want)
		}
		if want, _ := bigSine(new(big.Float).SetPrec(400).Sub(right, bigFloat(math.Abs(x)))).Float64(); cos(x) != want {
			t.Errorf("cos(%v) = %v, want %v", x, cos(x), want)
		}
	}
}

// TestArcsineIsExact: the float nearest to the arcsine; the sines of the middles
// between it and the next floats lie on both sides.
func TestArcsineIsExact(t *testing.T) {
	t.Parallel()
	for _, x := range angles(1000) {
		y := math.Abs(x) / math.Pi
		got := asin(y)
		below := new(big.Float).SetPrec(400).Add(bigFloat(got), bigFloat(math.Nextafter(got, -1)))
		above := new(big.Float).SetPrec(400).Add(bigFloat(got), bigFloat(math.Nextafter(got, 9)))
		below.Quo(below, bigFloat(2))
		above.Quo(above, bigFloat(2))
		if y < 1 && (bigSine(below).Cmp(bigFloat(y)) > 0 || bigSine(above).Cmp(bigFloat(y)) < 0) {
			t.Errorf("asin(%v) = %v is not the nearest", y, got)
		}
	}
	if got := asin(1); got != math.Pi/2 {
		t.Errorf("asin(1) = %v", got)
	}
}

func places() *rapid.Generator[Place] {
	lon := rapid.OneOf(rapid.Float64Range(-180, 180), rapid.SampledFrom([]float64{-180, 180, 0, 179.9999, -90}))
	lat := rapid.OneOf(rapid.Float64Range(-latMax, latMax), rapid.SampledFrom([]float64{-latMax, latMax, 0, 85, -85, 66.5}))
	return rapid.Custom(func(t *rapid.T) Place { return Place{lon.Draw(t, "lon"), lat.Draw(t, "lat")} })
}

// TestPlaceIsNear: a score stands for a place less than a metre away.
func TestPlaceIsNear(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		p := places().Draw(t, "place")
		if d := p.Distance(PlaceOf(float64(p.Score()))); d > 1 {
			t.Fatalf("%v is kept %v metres away", p, d)
		}
	})
}

// TestSpansCoverShape: whatever lies within a shape stands in one of its spans,
// and in one only. The longitude of a shape ends where the map does, and near a
// pole a wide shape is no square: as in Redis some places are then not found, so
// shapes are small here.
func TestSpansCoverShape(t *testing.T) {
	t.Parallel()
	found := 0
	rapid.Check(t, func(t *rapid.T) {
		s := GeoShape{Center: Place{
			Lon: rapid.Float64Range(-170, 170).Draw(t, "lon"), Lat: rapid.Float64Range(-60, 60).Draw(t, "lat"),
		}, Unit: 1000}
		s.Box = rapid.Bool().Draw(t, "box")
		s.Radius = rapid.Float64Range(0, 300).Draw(t, "radius")
		s.Width, s.Height = rapid.Float64Range(0, 600).Draw(t, "width"), rapid.Float64Range(0, 600).Draw(t, "height")
		spans := s.Spans()
		if len(spans) > len(around) {
			t.Fatalf("%d spans", len(spans))
		}
		for range 20 {
			p := PlaceOf(float64(Place{
				Lon: s.Center.Lon + rapid.Float64Range(-5, 5).Draw(t, "east"), Lat: s.Center.Lat + rapid.Float64Range(-3, 3).Draw(t, "north"),
			}.Score()))
			if _, within := s.Distance(p); !within {
				continue
			}
			found++
			score, holding := float64(p.Score()), 0
			for _, span := range spans {
				if score >= span.From && score < span.To {
					holding++
				}
			}
			if holding != 1 {
				t.Fatalf("%v stands in %d spans of %+v", p, holding, s)
			}
		}
	})
	if found == 0 {
		t.Error("nothing lay within any shape")
	}
}

// TestHugeShapes: a search that covers the earth ends, and looks everywhere.
func TestHugeShapes(t *testing.T) {
	t.Parallel()
	for _, size := range []float64{0, 5e-324, 1e7, 1e300, math.MaxFloat64, math.Inf(1)} {
		for _, center := range []Place{{0, 0}, {180, latMax}, {-180, -latMax}, {10, 89}} {
			for _, box := range []bool{false, true} {
				s := GeoShape{Center: center, Box: box, Radius: size, Width: size, Height: size, Unit: 1609.34}
				spans := s.Spans()
				if len(spans) == 0 || !slices.ContainsFunc(spans, func(s ScoreSpan) bool { return s.From < s.To }) {
					t.Errorf("%+v: spans %v", s, spans)
				}
			}
		}
	}
}

// FuzzPlaceOf: any score is a place on the map.
func FuzzPlaceOf(f *testing.F) {
	for _, score := range []float64{0, -1, 1.5, 3479099956230698, 1 << 63, math.Inf(1), math.Inf(-1), math.NaN(), math.MaxFloat64} {
		f.Add(score)
	}
	f.Fuzz(func(t *testing.T, score float64) {
		p := PlaceOf(score)
		if !p.Valid() {
			t.Errorf("%v is %v", score, p)
		}
		if text := p.AppendGeohash(nil); len(text) != 11 {
			t.Errorf("%v has the geohash %q", p, text)
		}
	})
}

func BenchmarkDistance(b *testing.B) {
	p, q := Place{13.361389, 38.115556}, Place{15.087269, 37.502669}
	for b.Loop() {
		p.Distance(q)
	}
}
