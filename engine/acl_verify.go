package engine

import "fmt"

// checkUsers: every client is a user that exists, the default user can always
// be found, and what is said of a user without limits is true.
func (e *Engine) checkUsers() error {
	if e.acl.def == nil || e.acl.users[defaultUser] != e.acl.def {
		return fmt.Errorf("the default user is not among the users")
	}
	for name, u := range e.acl.users {
		if u.name != name {
			return fmt.Errorf("user %q is listed as %q", u.name, name)
		}
		was := u.limited
		if u.setLimited(); u.limited != was {
			return fmt.Errorf("user %q is wrong about its limits", name)
		}
	}
	for _, cl := range e.clients {
		if e.acl.users[cl.user.name] != cl.user {
			return fmt.Errorf("client %d is user %q, who is not there", cl.id, cl.user.name)
		}
	}
	return nil
}
