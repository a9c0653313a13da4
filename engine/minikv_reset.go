package engine

// Reset deletes all data as FLUSHALL does, and removes faults and warnings. Scripts,
// configuration and clients stay. Not while a command runs.
func (e *Engine) Reset(now int64) {
	e.setNow(now)
	e.unit++
	for _, db := range e.dbs {
		e.stats.dirty += int64(db.flush())
	}
	e.invalidateAll()
	e.addEffect(e.dbs[0], []byte("FLUSHALL"))
	e.RemoveFaults()
	e.strict.warnings = nil
	e.unit--
	e.afterUnit()
}
