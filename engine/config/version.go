package config

import (
	"regexp"
	"strconv"
	"strings"
)

var versionForm = regexp.MustCompile(`^(?:(valkey)[- ])?(\d{1,4})(?:\.(\d{1,4}))?(?:\.\d{1,4})?$`)

// redisVersion is "", "7", "7.0", "7.2.4" or one with "valkey-" in front.
var redisVersion = textThat(func(s string) error {
	if s == "" {
		return nil
	}
	m := versionForm.FindStringSubmatch(lower(s))
	switch {
	case m == nil:
		return reason("argument must be a version such as 7.0, 7.2.4 or valkey-8.0")
	case m[1] == "" && atoi(m[2]) < 5:
		return reason("argument must be a version of Redis from 5.0 on")
	case m[1] != "" && (atoi(m[2]) < 7 || atoi(m[2]) == 7 && atoi(m[3]) < 2):
		return reason("argument must be a version of Valkey from 7.2 on")
	}
	return nil
})

// asked tells whether the version to be was named, and is one of Redis that
// has what came with since ("8.2"). Valkey has what Redis 7.2 has.
func (c *Config) asked(since string) bool {
	m := versionForm.FindStringSubmatch(lower(c.RedisVersion))
	if m == nil {
		return false
	}
	if m[1] != "" {
		return since <= "7.2"
	}
	major, minor, _ := strings.Cut(since, ".")
	if m[2] != major {
		return atoi(m[2]) > atoi(major)
	}
	return atoi(m[3]) >= atoi(minor)
}

// has tells whether the version to be has what came with since.
func (c *Config) has(since string) bool {
	return since == "" || c.RedisVersion == "" || c.asked(since)
}

// shows tells whether CONFIG GET lists a directive: one that is not hidden
// and that a 7.0 server has, or a later one if such a version was asked for.
func (c *Config) shows(d *Directive) bool {
	return !d.is(Hidden|FileOnly) && (d.Since == "" || c.asked(d.Since))
}

// atoi is 0 for what is no number.
func atoi(s string) int {
	n, _ := strconv.Atoi(s)
	return n
}
