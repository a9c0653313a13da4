package config

import (
	"fmt"
	"slices"
)

// Set is CONFIG SET: all pairs or none. It returns the names of the
// directives whose value is another now; the caller applies what needs
// applying. local tells that the client is on this machine, which protected
// directives may ask for. Errors are complete wire errors.
func (c *Config) Set(pairs [][2]string, local bool) (changed []string, err error) {
	found := make([]name, len(pairs))
	for i, pair := range pairs {
		if found[i], err = c.settable(pair[0], found[:i], local); err != nil {
			return nil, err
		}
	}
	next := c.Clone()
	next.savesGoOn = false
	for i, n := range found {
		before := n.d.value.get(next, n.d)
		if err := n.d.set(next, pairs[i][1]); err != nil {
			return nil, Failed(n.text, err.Error())
		}
		if n.d.value.get(next, n.d) != before && !slices.Contains(changed, n.d.Name) {
			changed = append(changed, n.d.Name)
		}
	}
	*c = *next
	return changed, nil
}

// settable finds the directive that CONFIG SET asks to change, if it may.
func (c *Config) settable(asked string, before []name, local bool) (name, error) {
	n, ok := c.find(asked)
	if !ok {
		return n, fmt.Errorf("ERR Unknown option or number of arguments for CONFIG SET - '%s'", asked)
	}
	if n.d.is(Immutable) {
		return n, Failed(n.text, "can't set immutable config")
	}
	if n.d.is(Protected) && !c.EnableProtectedConfigs.Allows(local) {
		return n, Failed(n.text, "can't set protected config")
	}
	for _, other := range before {
		if other.text == n.text {
			return n, Failed(n.text, "duplicate parameter")
		}
	}
	return n, nil
}

// Failed is the error of a CONFIG SET that could not be carried out. The
// engine and the server use it when applying a change fails, after putting
// the old configuration back.
func Failed(directive, reason string) error {
	return fmt.Errorf("ERR CONFIG SET failed (possibly related to argument '%s') - %s", directive, reason)
}
