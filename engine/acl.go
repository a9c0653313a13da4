package engine

import (
	"crypto/sha256"
	"crypto/subtle"
	"slices"
)

// Access control. A user has passwords, and selectors that say what it may do:
// the root selector, which rules outside parentheses make, and any number of
// others. A command is allowed if one selector alone allows all of it: the
// command, each key, each channel.
//
// A user is one object for as long as it exists, and clients point to it; what
// it may do is replaced as a whole and never changed in place. So whoever
// holds a copy of it (a snapshot, a check under way) holds what was true then,
// and a change reaches every client at once.
//
// Almost every client of almost every server is the default user, who may do
// everything. User.limited is false for whoever may, and it is all that such a
// client's commands look at (see Client.closedGates).

// defaultUser is the name of the user that connections have before they
// authenticate. It always exists.
const defaultUser = "default"

// user is one user of the access control list.
type user struct {
	name     string
	on       bool
	nopass   bool
	sanitize sanitizing
	limited  bool // there is something that it may not do
	// passwords are SHA-256 digests, the oldest first.
	passwords []passwordHash
	root      *selector
	selectors []*selector // those in parentheses
}

type passwordHash = [sha256.Size]byte

// sanitizing is what was said of RESTORE's payloads.
//
// DIFFERS: sanitize-payload and skip-sanitize-payload are kept and shown but change nothing: a payload of RESTORE is always checked as a whole.
type sanitizing uint8

const (
	sanitizeUnsaid sanitizing = iota
	sanitizeOn
	sanitizeSkip
)

// accessList is all users and what they were refused.
type accessList struct {
	users map[string]*user
	def   *user // users[defaultUser]
	err   error // what is wrong with the configuration's users
	log   accessLog
	refs  []KeyRef // of the check under way
}

// newUser makes a user who may do nothing.
func (e *Engine) newUser(name string) *user {
	u := &user{name: name, limited: true, root: e.newSelector()}
	if e.table.ver.from(version{major: 7, minor: 2}) {
		u.sanitize = sanitizeOn
	}
	return u
}

// newDefaultUser makes the default user as it is if nobody has said anything of
// it: it needs no password and may do everything.
func (e *Engine) newDefaultUser() *user {
	u := e.newUser(defaultUser)
	u.on, u.nopass = true, true
	u.root.allowAll(e.table)
	u.root.allKeys, u.root.allChannels = true, true
	u.setLimited()
	return u
}

// clone is a copy that can be changed.
func (u *user) clone() *user {
	c := *u
	c.passwords = slices.Clone(u.passwords)
	c.root = u.root.clone()
	c.selectors = make([]*selector, len(u.selectors))
	for i, s := range u.selectors {
		c.selectors[i] = s.clone()
	}
	return &c
}

// become takes over what another may do; other must not be changed after it.
func (u *user) become(other *user) {
	name := u.name
	*u = *other
	u.name = name
	u.setLimited()
}

func (u *user) setLimited() {
	u.limited = !slices.ContainsFunc(u.all(), (*selector).allowsEverything)
}

// all lists the selectors, the root first.
func (u *user) all() []*selector { return append([]*selector{u.root}, u.selectors...) }

// sortedUsers lists the users by name.
func (a *accessList) sortedUsers() []*user {
	list := make([]*user, 0, len(a.users))
	for _, name := range sortedKeys(a.users) {
		list = append(list, a.users[name])
	}
	return list
}

// authRequired tells whether a client has to authenticate before anything else.
func (a *accessList) authRequired() bool { return !a.def.open() }

// open tells that connections are this user without a password.
func (u *user) open() bool { return u.nopass && u.on }

// DefaultUserNeedsPassword tells whether strangers cannot be the default user:
// protected mode turns them away if they can.
func (e *Engine) DefaultUserNeedsPassword() bool { return !e.acl.def.nopass }

// passwordFits compares with every password, in a time that tells neither
// which one was right nor how much of it.
func (u *user) passwordFits(password []byte) bool {
	if u.nopass {
		return true
	}
	got, fits := sha256.Sum256(password), 0
	for i := range u.passwords {
		fits |= subtle.ConstantTimeCompare(got[:], u.passwords[i][:])
	}
	return fits == 1
}

// login makes a client a user, if name and password are right. A failure goes
// into the log.
func (c *Ctx) login(name, password []byte) error {
	u := c.e.acl.users[string(name)]
	if u == nil || !u.on || !u.passwordFits(password) {
		c.logDenial(denial{why: deniedAuth}, string(name))
		return errWrongPass
	}
	c.cl.user, c.cl.authed = u, true
	return nil
}

// logout makes a client what it was when it connected.
func (cl *Client) logout() {
	cl.user = cl.e.acl.def
	cl.authed = cl.user.open()
}

// setDefaultPassword is what requirepass does: the default user has this
// password alone, or needs none.
func (e *Engine) setDefaultPassword(password string) {
	u := e.acl.def.clone()
	u.passwords, u.nopass = nil, password == ""
	if password != "" {
		u.addPassword(sha256.Sum256([]byte(password)))
	}
	e.acl.def.become(u)
}
