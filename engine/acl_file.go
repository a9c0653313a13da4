package engine

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"

	"minikv/engine/config"
)

// Users come from the configuration file (user lines), or from a file of their
// own (aclfile), but not from both.

// errTwoSources is why a server with both does not start.
var errTwoSources error = ruleError("Configuring Redis with users defined in redis.conf and at the same setting an ACL file path is invalid. " +
	"This setup is very likely to lead to configuration errors and security holes, please define either an ACL file or declare users " +
	"directly in your redis.conf, but not both.")

// init makes the users that the configuration asks for: the default one, whose
// password is requirepass, and those of user lines. If these are faulty only
// the default user is there: see UsersError.
func (e *Engine) initUsers() {
	def := e.newDefaultUser()
	e.acl = accessList{users: map[string]*user{defaultUser: def}, def: def}
	e.setDefaultPassword(e.conf.RequirePass)
	users, err := e.usersOfConfig()
	if err != nil {
		e.acl.err = err
		return
	}
	for _, u := range users {
		if u.name == defaultUser {
			def.become(u)
			continue
		}
		e.acl.users[u.name] = u
	}
}

// UsersError tells what is wrong with the users of the configuration, nil if
// nothing is.
func (e *Engine) UsersError() error { return e.acl.err }

func (e *Engine) usersOfConfig() ([]*user, error) {
	if len(e.conf.Users) > 0 && e.conf.ACLFile != "" {
		return nil, errTwoSources
	}
	users := make(map[string]bool)
	var list []*user
	for _, line := range e.conf.Users {
		words := make([][]byte, len(line.Args))
		for i, arg := range line.Args {
			words[i] = []byte(arg)
		}
		u, err := e.userOfConfig(words, users)
		if err != nil {
			return nil, fmt.Errorf("%s: 'user %s ...': %w", line.Where, line.Args[0], err)
		}
		list = append(list, u)
	}
	return list, nil
}

// userOfConfig makes the user of one line of the configuration. The default
// user's line begins with nothing allowed.
func (e *Engine) userOfConfig(words [][]byte, known map[string]bool) (*user, error) {
	name := string(words[0])
	if known[name] {
		return nil, ruleError("Duplicate user found. A user can only be defined once in config files")
	}
	known[name] = true
	if !validUserName(words[0]) {
		return nil, ruleError("Spaces not allowed in ACL usernames")
	}
	u := e.newUser(name)
	if name == defaultUser {
		userWords["reset"](e, u)
	}
	rules, unclosed := joinSelectors(words[1:])
	if unclosed != nil {
		return nil, ruleError("Unmatched parenthesis in acl selector")
	}
	for _, rule := range rules {
		if err := e.applyRule(u, rule); err != nil {
			return nil, ruleError(fmt.Sprintf("Error in applying operation '%s': %v", rule, err))
		}
	}
	u.setLimited()
	return u, nil
}

// usersToRewrite are the user lines that CONFIG REWRITE writes: none if the
// users have a file of their own.
func (e *Engine) usersToRewrite() []config.FileLine {
	lines := make([]config.FileLine, 0, len(e.acl.users))
	if e.conf.ACLFile != "" {
		return lines
	}
	for _, u := range e.acl.sortedUsers() {
		lines = append(lines, config.FileLine{Args: strings.Split(e.describeUser(u), " ")})
	}
	return lines
}

// ACLFile is the text that ACL SAVE writes.
func (e *Engine) ACLFile() []byte {
	var b bytes.Buffer
	for _, u := range e.acl.sortedUsers() {
		fmt.Fprintf(&b, "user %s\n", e.describeUser(u))
	}
	return b.Bytes()
}

// LoadACL replaces all users by those of a file's text, or none if there is
// anything wrong with it: then the error tells of every faulty line. Clients
// whose users are gone are closed, before 7.4 also those of users that stay;
// asker, whose ACL LOAD it is (nil: nobody's), once it has its answer.
func (e *Engine) LoadACL(path string, text []byte, asker *Client) error {
	users, err := e.readACL(path, text)
	if err != nil {
		return err
	}
	def := users[defaultUser]
	if def == nil {
		def = e.newDefaultUser()
	}
	old := e.acl.users
	e.acl.def.become(def)
	users[defaultUser] = e.acl.def
	delete(old, defaultUser)
	if e.table.ver.from(version{major: 7, minor: 4}) {
		e.keepSame(old, users)
	}
	e.acl.users = users
	for _, name := range sortedKeys(old) {
		e.expel(old[name], asker)
	}
	return nil
}

// keepSame leaves users as they are of whom the file says the same, as Redis
// 7.4 does: their clients stay.
func (e *Engine) keepSame(old, users map[string]*user) {
	for name, u := range users {
		if was := old[name]; was != nil && name != defaultUser && e.describeUser(was) == e.describeUser(u) {
			users[name] = was
			delete(old, name)
		}
	}
}

// readACL reads the users of a file. Lines that are empty mean nothing; there
// are no comments.
func (e *Engine) readACL(path string, text []byte) (map[string]*user, error) {
	users := make(map[string]*user)
	var faults []string
	number := 0
	for line := range bytes.Lines(text) {
		number++
		line = bytes.Trim(line, " \t\r\n")
		if len(line) == 0 {
			continue
		}
		if fault := e.readACLLine(users, line, number, fmt.Sprintf("%s:%d", path, number)); fault != "" {
			faults = append(faults, fault)
		}
	}
	if faults == nil {
		return users, nil
	}
	const nothingDone = "WARNING: ACL errors detected, no change to the previously active ACL rules was performed"
	return nil, errors.New(strings.Join(append(faults, nothingDone), " "))
}

// readACLLine reads one user, and answers what is wrong with the line.
//
// DIFFERS: a parenthesis that is not closed in an ACL file is an error like others, where Redis 7.0 crashes.
func (e *Engine) readACLLine(users map[string]*user, line []byte, number int, where string) (fault string) {
	words := bytes.Split(line, []byte(" "))
	if string(words[0]) != "user" || len(words) < 2 {
		return where + " should start with user keyword followed by the username."
	}
	name := string(words[1])
	if users[name] != nil {
		return fmt.Sprintf("WARNING: Duplicate user '%s' found on line %d.", name, number)
	}
	if !validUserName(words[1]) {
		return where + ": username '" + name + "' contains invalid characters."
	}
	u := e.newUser(name)
	users[name] = u
	rules, unclosed := joinSelectors(words[2:])
	if unclosed != nil {
		return where + ": Unmatched parenthesis in selector definition."
	}
	for _, rule := range slices.DeleteFunc(rules, func(rule []byte) bool { return len(rule) == 0 }) {
		switch err := e.applyRule(u, rule); err {
		case nil:
		case errRuleUnknown:
			return fmt.Sprintf("%s: Error in applying operation '%s': %s.", where, rule, err)
		default:
			return fmt.Sprintf("%s: %s.", where, err)
		}
	}
	u.setLimited()
	return ""
}
