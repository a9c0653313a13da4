package engine

import (
	"cmp"
	"math"
	"slices"

	"minikv/value"
)

const (
	geoShapeSyntax = "<FROMMEMBER member | FROMLONLAT longitude latitude> <BYRADIUS radius <M | KM | FT | MI> | BYBOX width height <M | KM | FT | MI>> [ASC | DESC] [COUNT count [ANY]]"
	geoShapeCost   = "O(N+log(M)), N being the members in the squares around the shape and M the size of the set"
)

func geoSearches() []*Command {
	return []*Command{
		{Name: "GEOSEARCH", Arity: -7, Flags: ReadOnly, Keys: key(1, RO|Access), Group: Geo, Since: "6.2.0",
			Syntax:  "key " + geoShapeSyntax + " [WITHCOORD] [WITHDIST] [WITHHASH]",
			Summary: "Finds the members inside a circle or a box.", Complexity: geoShapeCost, Handler: cmdGeoSearch},
		{Name: "GEOSEARCHSTORE", Arity: -8, Flags: Write | DenyOOM, Keys: specs(key(1, OW|Update), key(2, RO|Access)), Group: Geo, Since: "6.2.0",
			Syntax:  "destination source " + geoShapeSyntax + " [STOREDIST]",
			Summary: "Stores the members inside a circle or a box.", Complexity: geoShapeCost, Handler: cmdGeoSearchStore},
	}
}

// geoSearch is what a search is asked for.
type geoSearch struct {
	z     *value.ZSet // where to search; nil: there is no key
	shape value.GeoShape

	fromMember, fromPlace, byRadius, byBox bool // said so far, of GEOSEARCH

	asc, desc                     bool
	count                         int64 // 0: all
	any                           bool  // the first found, not the nearest
	withDist, withHash, withCoord bool

	store     []byte // where to store what is found; nil: it is answered
	storeDist bool   // with distances as scores
}

// geoPlace is one that a search has found.
type geoPlace struct {
	member string
	score  float64
	metres float64
}

// geoOption reads an option that all searches have.
func (a *Scanner) geoOption(q *geoSearch) bool {
	switch {
	case a.Word("WITHDIST"):
		q.withDist = true
	case a.Word("WITHHASH"):
		q.withHash = true
	case a.Word("WITHCOORD"):
		q.withCoord = true
	case a.Word("ANY"):
		q.any = true
	case a.Word("ASC"):
		q.asc, q.desc = true, false
	case a.Word("DESC"):
		q.asc, q.desc = false, true
	case a.WordWith("COUNT", 1):
		if q.count = a.Int(); a.err == nil && q.count <= 0 {
			a.Fail(errGeoCount)
		}
	default:
		return false
	}
	return true
}

// geoShapeOption reads an option that says where to search.
func (a *Scanner) geoShapeOption(q *geoSearch) bool {
	switch {
	case !q.fromPlace && a.WordWith("FROMMEMBER", 1):
		q.fromMember = true
		a.geoMember(q)
	case !q.fromMember && a.WordWith("FROMLONLAT", 2):
		q.fromPlace = true
		q.shape.Center = a.place()
	case !q.byBox && a.WordWith("BYRADIUS", 2):
		q.byRadius = true
		a.geoRadius(q)
	case !q.byRadius && a.WordWith("BYBOX", 3):
		q.byBox = true
		a.geoBox(q)
	default:
		return false
	}
	return true
}

// geoMember reads the member around which to search.
func (a *Scanner) geoMember(q *geoSearch) {
	member := a.Next()
	if q.z == nil {
		return
	}
	var has bool
	if q.shape.Center, has = placeOf(q.z, member); !has {
		a.Fail(errGeoMember)
	}
}

func (a *Scanner) geoRadius(q *geoSearch) {
	if q.shape.Radius = a.length("radius"); q.shape.Radius < 0 {
		a.Fail(errGeoRadius)
	}
	q.shape.Unit = a.unit()
}

func (a *Scanner) geoBox(q *geoSearch) {
	q.shape.Box = true
	q.shape.Width = a.length("width")
	if q.shape.Height = a.length("height"); q.shape.Width < 0 || q.shape.Height < 0 {
		a.Fail(errGeoBox)
	}
	q.shape.Unit = a.unit()
}

func cmdGeoSearch(c *Ctx) error { return c.geoSearch(nil, c.argv[1], 2) }

func cmdGeoSearchStore(c *Ctx) error { return c.geoSearch(c.argv[1], c.argv[2], 3) }

// geoSearch is GEOSEARCH: options follow from an argument on.
func (c *Ctx) geoSearch(store, name []byte, options int) error {
	z, err := c.readZSet(name)
	if err != nil {
		return err
	}
	a := c.Scan()
	a.pos = options
	q := geoSearch{z: z, store: store}
	for a.More() {
		switch {
		case a.geoOption(&q) || a.geoShapeOption(&q):
		case store != nil && a.Word("STOREDIST"):
			q.storeDist = true
		default:
			a.Syntax()
		}
	}
	switch {
	case a.Err() != nil:
		return a.Err()
	case store != nil && q.shows():
		return errGeoStoreWith("GEOSEARCHSTORE")
	case !q.fromMember && !q.fromPlace:
		return errGeoFrom(c.argv[0])
	case !q.byRadius && !q.byBox:
		return errGeoBy(c.argv[0])
	}
	return c.runGeoSearch(&q, "geosearchstore")
}

// shows tells whether more than members is to be answered.
func (q *geoSearch) shows() bool { return q.withDist || q.withHash || q.withCoord }

// runGeoSearch does a search of which the options are read.
func (c *Ctx) runGeoSearch(q *geoSearch, event string) error {
	if q.any && q.count == 0 {
		return errGeoAny
	}
	var found []geoPlace
	if q.z != nil {
		found = q.find()
	}
	if q.store != nil {
		return c.storePlaces(q, found, event)
	}
	c.out.Array(len(found))
	for i := range found {
		c.foundPlace(q, &found[i])
	}
	return nil
}

// find finds the places, in the order in which Redis answers them.
func (q *geoSearch) find() []geoPlace {
	limit := math.MaxInt
	if q.any {
		limit = intOf(q.count)
	}
	found := q.scan(limit)
	n := len(found)
	if q.count > 0 {
		n = min(n, intOf(q.count))
	}
	order := func(x, y geoPlace) int { return cmp.Compare(x.metres, y.metres) }
	if q.desc {
		order = func(x, y geoPlace) int { return cmp.Compare(y.metres, x.metres) }
	}
	switch {
	case !q.asc && !q.desc && (q.count == 0 || q.any): // as they are
	case n == len(found):
		slices.SortStableFunc(found, order)
	default:
		partialSort(found, 0, n-1, order)
	}
	return found[:n]
}

// scan looks at all squares that the shape touches, until it has enough.
func (q *geoSearch) scan(limit int) (found []geoPlace) {
	for _, span := range q.shape.Spans() {
		from, to := q.z.ByScore(value.ScoreRange{Min: span.From, Max: span.To, MaxEx: true})
		for member, score := range q.z.Range(from, to) {
			if len(found) == limit {
				return found
			}
			if metres, within := q.shape.Distance(value.PlaceOf(score)); within {
				found = append(found, geoPlace{member, score, metres})
			}
		}
	}
	return found
}

// foundPlace answers one place with what is to be shown of it.
func (c *Ctx) foundPlace(q *geoSearch, p *geoPlace) {
	if q.shows() {
		n := 1
		for _, shown := range []bool{q.withDist, q.withHash, q.withCoord} {
			if shown {
				n++
			}
		}
		c.out.Array(n)
	}
	c.out.BulkString(p.member)
	if q.withDist {
		c.distance(p.metres / q.shape.Unit)
	}
	if q.withHash {
		c.out.Int(value.ScoreInt(p.score))
	}
	if q.withCoord {
		c.place(value.PlaceOf(p.score))
	}
}

// storePlaces stores what was found as a sorted set, indexed first and packed
// where it fits, as Redis does.
func (c *Ctx) storePlaces(q *geoSearch, found []geoPlace, event string) error {
	z, indexed := c.newZSet(), new(value.Limits)
	for i := range found {
		score := found[i].score
		if q.storeDist {
			score = found[i].metres / q.shape.Unit
		}
		z.Add(indexed, []byte(found[i].member), score)
	}
	z.Pack(c.e.limits())
	if len(found) > 0 {
		c.e.stats.dirty += int64(len(found) - 1)
	}
	return c.storeZSet(q.store, z, event)
}
