package engine

import "slices"

// From Redis 7.4 and Valkey 8.0 on, a script that came by EVAL alone is kept only
// while it is among the 500 that ran last: programs that put their data into the
// text of scripts would fill the cache. SCRIPT LOAD keeps a script for good.

// evalScriptsMost is how many scripts are kept that came by EVAL alone.
const evalScriptsMost = 500

// evictsScripts tells whether the emulated version does so. Redis 7.0.15, which
// is emulated unless a version is asked for, does not.
func (e *Engine) evictsScripts() bool {
	ver := e.table.ver
	return !ver.isZero() && (ver.has(version{major: 7, minor: 4}) || ver.has(version{valkey: true, major: 8}))
}

// evaluated notes that a script runs. New says that EVAL has just brought it.
func (e *Engine) evaluated(sha string, new bool) {
	if !e.evictsScripts() {
		return
	}
	s := &e.scripts
	switch {
	case s.pin(sha):
	case !new:
		return
	case len(s.evals) >= evalScriptsMost:
		delete(s.cache, s.evals[0])
		s.evals = slices.Delete(s.evals, 0, 1)
		e.stats.evictedScripts++
	}
	s.evals = append(s.evals, sha)
}

// pin keeps a script for good. It tells whether it could have been evicted.
func (s *scriptState) pin(sha string) bool {
	at := slices.Index(s.evals, sha)
	if at < 0 {
		return false
	}
	s.evals = slices.Delete(s.evals, at, at+1)
	return true
}
