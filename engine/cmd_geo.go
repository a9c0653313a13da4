package engine

import (
	"math"
	"slices"
	"strconv"

	"minikv/value"
)

// Places are members of a sorted set, their scores made of longitude and
// latitude (see value.Place): what is written of sorted sets holds for them.

func geoCommands() []*Command {
	return slices.Concat(geoPlaces(), geoSearches(), geoRadiuses())
}

func geoPlaces() []*Command {
	const logN = "O(log(N)) for each member, N being the size of the set"
	return []*Command{
		{Name: "GEOADD", Arity: -5, Flags: Write | DenyOOM, Keys: key(1, RW|Update), Group: Geo, Since: "3.2.0",
			Syntax:  "key [NX@6.2 | XX@6.2] [CH@6.2] longitude latitude member [longitude latitude member ...]",
			Summary: "Says where members of a sorted set are on earth; the set is made if need be.", Complexity: logN, Handler: cmdGeoAdd},
		{Name: "GEODIST", Arity: -4, Flags: ReadOnly, Keys: key(1, RO|Access), Group: Geo, Since: "3.2.0",
			Syntax: "key member1 member2 [M | KM | FT | MI]", Summary: "Answers how far apart two members are.", Complexity: logN, Handler: cmdGeoDist},
		{Name: "GEOHASH", Arity: -2, Flags: ReadOnly, Keys: key(1, RO|Access), Group: Geo, Since: "3.2.0",
			Syntax: "key [member [member ...]]", Summary: "Answers the geohashes of members.", Complexity: logN, Handler: cmdGeoHash},
		{Name: "GEOPOS", Arity: -2, Flags: ReadOnly, Keys: key(1, RO|Access), Group: Geo, Since: "3.2.0",
			Syntax: "key [member [member ...]]", Summary: "Answers longitudes and latitudes of members.", Complexity: logN, Handler: cmdGeoPos},
	}
}

// place is the next two arguments as a longitude and a latitude.
func (a *Scanner) place() value.Place {
	p := value.Place{Lon: a.Float(), Lat: a.Float()}
	if a.err == nil && !p.Valid() {
		a.Fail(errPlace(p.Lon, p.Lat))
	}
	return p
}

// unit is the next argument as a unit of length, in metres.
func (a *Scanner) unit() float64 {
	switch {
	case a.Word("M"):
		return 1
	case a.Word("KM"):
		return 1000
	case a.Word("FT"):
		return 0.3048
	case a.Word("MI"):
		return 1609.34
	}
	a.Fail(errUnit)
	return 1
}

// length is the next argument as a length of what is called so.
func (a *Scanner) length(what string) float64 {
	return a.FloatOr(errGeoNumber(what))
}

func cmdGeoAdd(c *Ctx) error {
	a := c.Scan()
	name, m := a.Next(), zadd{}
	for more := true; more; {
		switch {
		case a.Word("NX"):
			m.nx = true
		case a.Word("XX"):
			m.xx = true
		case a.Word("CH"):
			m.ch = true
		default:
			more = false
		}
	}
	if a.Left()%3 != 0 || m.nx && m.xx {
		return errSyntax
	}
	var pairs [][]byte
	for a.More() {
		score := a.place().Score()
		pairs = append(pairs, strconv.AppendUint(nil, score, 10), a.Next())
	}
	if err := a.Err(); err != nil {
		return err
	}
	return c.zadd(name, m, pairs)
}

// placeOf finds where a member of z (nil: no set) is.
func placeOf(z *value.ZSet, member []byte) (p value.Place, has bool) {
	if z == nil {
		return p, false
	}
	score, has := z.Score(member)
	if !has {
		return p, false
	}
	return value.PlaceOf(score), true
}

func cmdGeoDist(c *Ctx) error {
	a := c.Scan()
	name, from, to, unit := a.Next(), a.Next(), a.Next(), 1.0
	switch a.Left() {
	case 0:
	case 1:
		unit = a.unit()
	default:
		a.Syntax()
	}
	if err := a.Err(); err != nil {
		return err
	}
	z, err := c.readZSet(name)
	if err != nil {
		return err
	}
	p, hasFrom := placeOf(z, from)
	q, hasTo := placeOf(z, to)
	if !hasFrom || !hasTo {
		c.out.Null()
		return nil
	}
	c.distance(p.Distance(q) / unit)
	return nil
}

// distance answers a length with four decimals.
func (c *Ctx) distance(d float64) {
	var buf [32]byte
	c.out.Bulk(strconv.AppendFloat(buf[:0], d, 'f', 4, 64))
}

func cmdGeoHash(c *Ctx) error {
	return c.places(c.out.Null, func(p value.Place) {
		var buf [16]byte
		c.out.Bulk(p.AppendGeohash(buf[:0]))
	})
}

func cmdGeoPos(c *Ctx) error { return c.places(c.out.NullArray, c.place) }

// places answers something of where each member is.
func (c *Ctx) places(none func(), show func(p value.Place)) error {
	z, err := c.readZSet(c.argv[1])
	if err != nil {
		return err
	}
	members := c.argv[2:]
	c.out.Array(len(members))
	for _, member := range members {
		if p, has := placeOf(z, member); has {
			show(p)
		} else {
			none()
		}
	}
	return nil
}

// place answers longitude and latitude.
func (c *Ctx) place(p value.Place) {
	c.out.Array(2)
	c.coordinate(p.Lon)
	c.coordinate(p.Lat)
}

// coordinate answers a number with up to 17 decimals.
func (c *Ctx) coordinate(x float64) {
	var buf [32]byte
	text := strconv.AppendFloat(buf[:0], x, 'f', 17, 64)
	for text[len(text)-1] == '0' {
		text = text[:len(text)-1]
	}
	if text[len(text)-1] == '.' {
		text = text[:len(text)-1]
	}
	if c.resp3() {
		c.out.Raw(append(append([]byte{','}, text...), "\r\n"...))
		return
	}
	c.out.Bulk(text)
}

// cNumber writes a number as C's printf does with %f.
func cNumber(f float64) string {
	switch {
	case math.IsInf(f, 1):
		return "inf"
	case math.IsInf(f, -1):
		return "-inf"
	}
	return strconv.FormatFloat(f, 'f', 6, 64)
}
