package engine

// trackingCommands are the subcommands of CLIENT for client-side caching.
func trackingCommands() []*Command {
	const own = NoScript | Loading | Stale
	return []*Command{
		{Name: "CACHING", Arity: 3, Flags: own, Since: "6.0.0", Syntax: "<YES | NO>", Complexity: "O(1)",
			Summary: "Says whether the keys of the next command are tracked.", Handler: cmdClientCaching},
		{Name: "GETREDIR", Arity: 2, Flags: own, Since: "6.0.0", Complexity: "O(1)",
			Summary: "Tells to which connection invalidations are redirected.", Handler: cmdClientGetRedir},
		{Name: "TRACKING", Arity: -3, Flags: own, Since: "6.0.0",
			Syntax:     "<ON | OFF> [REDIRECT client-id] [PREFIX prefix [PREFIX prefix ...]] [BCAST] [OPTIN] [OPTOUT] [NOLOOP]",
			Complexity: "O(1); O(N log N), N the prefixes, for BCAST",
			Summary:    "Tells the connection, or no longer, when keys that it may have cached change.", Handler: cmdClientTracking},
		{Name: "TRACKINGINFO", Arity: 2, Flags: own, Since: "6.2.0", Complexity: "O(1)",
			Summary: "Tells how the connection tracks keys.", Handler: cmdClientTrackingInfo},
	}
}

// cmdClientTracking reads its options before it looks whether they are for ON
// or OFF.
func cmdClientTracking(c *Ctx) error {
	m, prefixes, err := c.trackingOptions()
	switch {
	case err != nil:
		return err
	case isWord(c.argv[2], "OFF"):
		c.e.untrack(c.cl)
		return c.ok()
	case !isWord(c.argv[2], "ON"):
		return errSyntax
	}
	if err := m.fits(c.cl.tracking, prefixes); err != nil {
		return err
	}
	if m.broadcast {
		var old []string
		if c.cl.tracking != nil {
			old = c.cl.tracking.prefixes
		}
		if m.prefixes, err = addPrefixes(old, prefixes); err != nil {
			return err
		}
	}
	c.e.track(c.cl, m)
	return c.ok()
}

// trackingOptions reads what follows ON or OFF.
func (c *Ctx) trackingOptions() (m *trackingMode, prefixes []string, err error) {
	m = new(trackingMode)
	a := c.Scan()
	a.Next()
	for a.More() {
		switch {
		case a.WordWith("REDIRECT", 1):
			if m.redirect != 0 {
				return nil, nil, errTrackingRedirects
			}
			m.redirect = a.Int()
			if a.Err() == nil && c.e.clients[m.redirect] == nil {
				return nil, nil, errTrackingNoClient
			}
		case a.Word("BCAST"):
			m.broadcast = true
		case a.Word("OPTIN"):
			m.optIn = true
		case a.Word("OPTOUT"):
			m.optOut = true
		case a.Word("NOLOOP"):
			m.noLoop = true
		case a.WordWith("PREFIX", 1):
			prefixes = append(prefixes, string(a.Next()))
		default:
			a.Syntax()
		}
	}
	return m, prefixes, a.Err()
}

// fits tells what is wrong with the options, by themselves or after those that
// hold already.
func (m *trackingMode) fits(old *trackingMode, prefixes []string) error {
	switch {
	case !m.broadcast && len(prefixes) > 0:
		return errTrackingPrefix
	case old != nil && old.broadcast != m.broadcast:
		return errTrackingSwitch
	case m.broadcast && (m.optIn || m.optOut):
		return errTrackingOptBroadcast
	case m.optIn && m.optOut:
		return errTrackingOptBoth
	case old != nil && (m.optIn && old.optOut || m.optOut && old.optIn):
		return errTrackingOptSwitch
	}
	return nil
}

func cmdClientCaching(c *Ctx) error {
	m := c.cl.tracking
	if m == nil {
		return errCachingOff
	}
	a := c.Scan()
	switch {
	case a.Word("YES"):
		if !m.optIn {
			return errCachingYes
		}
	case a.Word("NO"):
		if !m.optOut {
			return errCachingNo
		}
	default:
		return errSyntax
	}
	m.caching, m.cachingIn = true, c.cmd.parent
	return c.ok()
}

func cmdClientGetRedir(c *Ctx) error { return c.int(c.cl.redirection()) }

// redirection is the number of the client that is told instead: 0 for none, -1
// for one that does not track.
func (cl *Client) redirection() int64 {
	if cl.tracking == nil {
		return -1
	}
	return cl.tracking.redirect
}

func cmdClientTrackingInfo(c *Ctx) error {
	m := c.cl.tracking
	if m == nil {
		c.trackingInfo([]string{"off"}, -1, nil)
		return nil
	}
	flags := []string{"on"}
	for _, f := range []struct {
		on   bool
		name string
	}{
		{m.broadcast, "bcast"},
		{m.optIn, "optin"},
		{m.optIn && m.caching, "caching-yes"},
		{m.optOut, "optout"},
		{m.optOut && m.caching, "caching-no"},
		{m.noLoop, "noloop"},
		{m.broken, "broken_redirect"},
	} {
		if f.on {
			flags = append(flags, f.name)
		}
	}
	c.trackingInfo(flags, m.redirect, m.prefixes)
	return nil
}

func (c *Ctx) trackingInfo(flags []string, redirect int64, prefixes []string) {
	c.out.Map(3)
	c.out.BulkString("flags")
	c.out.Set(len(flags))
	for _, flag := range flags {
		c.out.BulkString(flag)
	}
	c.out.BulkString("redirect")
	c.out.Int(redirect)
	c.out.BulkString("prefixes")
	c.out.Array(len(prefixes))
	for _, prefix := range prefixes {
		c.out.BulkString(prefix)
	}
}
