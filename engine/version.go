package engine

import (
	"fmt"
	"strconv"
	"strings"
)

// version is a server version that a command or option came with, or that is
// emulated. The zero version is "everything".
type version struct {
	valkey       bool
	major, minor int
	patch        int
}

func (v version) isZero() bool { return v == version{} }

// parseVersion reads "7.0", "7.2.4", "valkey-9.0" or "valkey 9".
func parseVersion(s string) (version, error) {
	var v version
	if s == "" {
		return v, nil
	}
	rest := s
	for _, prefix := range []string{"valkey-", "valkey "} {
		if r, ok := strings.CutPrefix(strings.ToLower(s), prefix); ok {
			v.valkey, rest = true, r
		}
	}
	parts := strings.Split(rest, ".")
	if len(parts) > 3 {
		return v, fmt.Errorf("'%s' is not a version", s)
	}
	for i, p := range parts {
		n, err := strconv.Atoi(p)
		if err != nil || n < 0 {
			return v, fmt.Errorf("'%s' is not a version", s)
		}
		switch i {
		case 0:
			v.major = n
		case 1:
			v.minor = n
		case 2:
			v.patch = n
		}
	}
	return v, nil
}

// has tells whether an emulated version v contains what came with since.
// Valkey grew out of Redis 7.2: it has all of that, then its own additions.
func (v version) has(since version) bool {
	switch {
	case v.isZero() || since.isZero():
		return true
	case v.valkey && !since.valkey:
		return !since.after(version{major: 7, minor: 2, patch: 4})
	case !v.valkey && since.valkey:
		return false
	}
	// A version given as 7.0 means the newest of its line.
	return !version{v.valkey, since.major, since.minor, 0}.after(version{v.valkey, v.major, v.minor, 0})
}

// from tells whether the emulated version behaves as since it did. The zero
// version has everything but behaves as 7.0.
func (v version) from(since version) bool { return !v.isZero() && !since.after(v) }

func (v version) after(w version) bool {
	if v.major != w.major {
		return v.major > w.major
	}
	if v.minor != w.minor {
		return v.minor > w.minor
	}
	return v.patch > w.patch
}
