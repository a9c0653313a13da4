package engine

// cmdACLSetUser applies the rules to a copy, so that all take effect or none.
func cmdACLSetUser(c *Ctx) error {
	c.secretFrom(2)
	name := c.argv[2]
	if !validUserName(name) {
		return errUserName
	}
	rules, unclosed := joinSelectors(c.argv[3:])
	if unclosed != nil {
		return errorf("ERR Unmatched parenthesis in acl selector starting at '%s'.", clip(unclosed, len(unclosed)))
	}
	u := c.e.acl.users[string(name)]
	var changed *user
	if u != nil {
		changed = u.clone()
	} else {
		changed = c.e.newUser(string(name))
	}
	for _, rule := range rules {
		if err := c.e.applyRule(changed, rule); err != nil {
			return errorf("ERR Error in ACL SETUSER modifier '%s': %s", clip(rule, len(rule)), err)
		}
	}
	if u == nil {
		changed.setLimited()
		c.e.acl.users[changed.name] = changed
		return c.ok()
	}
	c.e.expelListeners(u, changed)
	u.become(changed)
	return c.ok()
}

func cmdACLDelUser(c *Ctx) error {
	names := c.argv[2:]
	for _, name := range names {
		if string(name) == defaultUser {
			return errDefaultStays
		}
	}
	n := int64(0)
	for _, name := range names {
		if u := c.e.acl.users[string(name)]; u != nil {
			delete(c.e.acl.users, u.name)
			c.e.expel(u, c.cl)
			n++
		}
	}
	return c.int(n)
}

func cmdACLUsers(c *Ctx) error {
	users := c.e.acl.sortedUsers()
	c.out.Array(len(users))
	for _, u := range users {
		c.out.BulkString(u.name)
	}
	return nil
}

func cmdACLList(c *Ctx) error {
	users := c.e.acl.sortedUsers()
	c.out.Array(len(users))
	for _, u := range users {
		c.out.BulkString("user " + c.e.describeUser(u))
	}
	return nil
}

func cmdACLGetUser(c *Ctx) error {
	u := c.e.acl.users[string(c.argv[2])]
	if u == nil {
		c.out.Null()
		return nil
	}
	out := c.out
	out.Map(6)
	out.BulkString("flags")
	flags := u.flagNames()
	out.Set(len(flags))
	for _, flag := range flags {
		out.BulkString(flag)
	}
	out.BulkString("passwords")
	hashes := u.hashes()
	out.Array(len(hashes))
	for _, hash := range hashes {
		out.BulkString(hash)
	}
	c.selectorFields(u.root)
	out.BulkString("selectors")
	out.Array(len(u.selectors))
	for _, s := range u.selectors {
		out.Map(3)
		c.selectorFields(s)
	}
	return nil
}

// selectorFields writes the three fields that tell a selector.
func (c *Ctx) selectorFields(s *selector) {
	for _, field := range [...][2]string{
		{"commands", c.e.describeCommands(s)}, {"keys", s.describeKeys()}, {"channels", s.describeChannels()},
	} {
		c.out.BulkString(field[0])
		c.out.BulkString(field[1])
	}
}
