package engine

// GEORADIUS and its kin are the older form of GEOSEARCH: place and radius stand
// at fixed arguments, and STORE is an option.

func geoRadiuses() []*Command {
	const (
		options      = " <M | KM | FT | MI> [WITHCOORD] [WITHDIST] [WITHHASH] [COUNT count [ANY@6.2]] [ASC | DESC]"
		storeOptions = options + " [STORE key] [STOREDIST key]"
		circle       = "GEOSEARCH with the BYRADIUS argument"
		member       = "GEOSEARCH with the BYRADIUS and FROMMEMBER arguments"
	)
	stored := func(from int) []KeySpec {
		return specs(key(1, RO|Access), []KeySpec{
			{Flags: OW | Update, Keyword: "STORE", From: from, Step: 1},
			{Flags: OW | Update, Keyword: "STOREDIST", From: from, Step: 1},
		})
	}
	return []*Command{
		{Name: "GEORADIUS", Arity: -6, Flags: Write | DenyOOM | MovableKeys, Keys: stored(6), Group: Geo, Since: "3.2.0",
			Syntax: "key longitude latitude radius" + storeOptions, Summary: "Finds the members inside a circle, or stores them.", Complexity: geoShapeCost,
			Deprecated: "6.2.0", ReplacedBy: "GEOSEARCH and GEOSEARCHSTORE with the BYRADIUS argument", Handler: cmdGeoRadius},
		{Name: "GEORADIUS_RO", Arity: -6, Flags: ReadOnly, Keys: key(1, RO|Access), Group: Geo, Since: "3.2.10",
			Syntax: "key longitude latitude radius" + options, Summary: "Finds the members inside a circle.", Complexity: geoShapeCost,
			Deprecated: "6.2.0", ReplacedBy: circle, Handler: cmdGeoRadiusRO},
		{Name: "GEORADIUSBYMEMBER", Arity: -5, Flags: Write | DenyOOM | MovableKeys, Keys: stored(5), Group: Geo, Since: "3.2.0",
			Syntax: "key member radius" + storeOptions, Summary: "Finds the members around one of them, or stores them.", Complexity: geoShapeCost,
			Deprecated: "6.2.0", ReplacedBy: "GEOSEARCH and GEOSEARCHSTORE with the BYRADIUS and FROMMEMBER arguments", Handler: cmdGeoRadiusByMember},
		{Name: "GEORADIUSBYMEMBER_RO", Arity: -5, Flags: ReadOnly, Keys: key(1, RO|Access), Group: Geo, Since: "3.2.10",
			Syntax: "key member radius" + options, Summary: "Finds the members around one of them.", Complexity: geoShapeCost,
			Deprecated: "6.2.0", ReplacedBy: member, Handler: cmdGeoRadiusByMemberRO},
	}
}

func cmdGeoRadius(c *Ctx) error           { return c.geoRadius((*Scanner).geoCenter, true) }
func cmdGeoRadiusRO(c *Ctx) error         { return c.geoRadius((*Scanner).geoCenter, false) }
func cmdGeoRadiusByMember(c *Ctx) error   { return c.geoRadius((*Scanner).geoAroundMember, true) }
func cmdGeoRadiusByMemberRO(c *Ctx) error { return c.geoRadius((*Scanner).geoAroundMember, false) }

// geoCenter reads a place and a radius.
func (a *Scanner) geoCenter(q *geoSearch) {
	q.shape.Center = a.place()
	a.geoRadius(q)
}

// geoAroundMember reads a member and a radius, which without a key may be
// anything.
func (a *Scanner) geoAroundMember(q *geoSearch) {
	if q.z == nil {
		a.pos += 3
		return
	}
	a.geoMember(q)
	a.geoRadius(q)
}

func (c *Ctx) geoRadius(circle func(a *Scanner, q *geoSearch), mayStore bool) error {
	a := c.Scan()
	z, err := c.readZSet(a.Next())
	if err != nil {
		return err
	}
	q := geoSearch{z: z}
	circle(&a, &q)
	for a.More() {
		switch {
		case a.geoOption(&q):
		case mayStore && a.WordWith("STORE", 1):
			q.store, q.storeDist = a.Next(), false
		case mayStore && a.WordWith("STOREDIST", 1):
			q.store, q.storeDist = a.Next(), true
		default:
			a.Syntax()
		}
	}
	switch {
	case a.Err() != nil:
		return a.Err()
	case q.store != nil && q.shows():
		return errGeoStoreWith("STORE option in GEORADIUS")
	}
	return c.runGeoSearch(&q, "georadiusstore")
}
