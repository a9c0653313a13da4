package engine

import "fmt"

// Saving. The engine knows what is to be saved, when and how it went; files are
// the outside's. A Saver makes the bytes of an RDB file out of a snapshot, as
// much at a time as the outside asks for, and the outside ends the saving when
// the file stands in its place, or does not.

// persistState is what a node knows of its own saving.
type persistState struct {
	last      int64 // when data was last saved, unix seconds; 0: not since the start
	dirty     int64 // stats.dirty as it was in what was saved last
	saves     int64
	running   *Saver // BGSAVE or BGREWRITEAOF
	scheduled bool   // BGSAVE once nothing stands in its way
	tried     int64  // when the last BGSAVE began, unix seconds
	took      int64  // how many seconds it took, plus 1; 0: there was none
	failed    bool   // it failed

	rewrite rewriteState

	loaded, loadedLate int64 // keys of the last file that was read, kept and past their time
}

// rewriteState is what INFO tells of BGREWRITEAOF.
type rewriteState struct {
	scheduled      bool  // once no BGSAVE stands in its way
	took           int64 // how many seconds the last one took, plus 1; 0: there was none
	done, failures int64 // those since the last that was done
}

// retryDelay is how many seconds after a BGSAVE that failed the next one begins
// by itself.
const retryDelay = 5

// lastSave is when the data was last saved, in unix seconds; as in Redis the
// start counts as such.
func (e *Engine) lastSave() int64 {
	if e.persist.last == 0 {
		return e.start / 1_000_000
	}
	return e.persist.last
}

// unsaved is how many changes are not in any file.
func (e *Engine) unsaved() int64 { return e.stats.dirty - e.persist.dirty }

// SaveDue tells whether the data is to be saved in the background now: a save
// point of the configuration is reached, or BGSAVE or BGREWRITEAOF had to wait.
func (e *Engine) SaveDue(now int64) (kind SaveKind, due bool) {
	switch p := &e.persist; {
	case p.running != nil:
		return 0, false
	case p.rewrite.scheduled:
		return SaveRewrite, true
	}
	return SaveInBackground, e.persist.scheduled || len(e.conf.Save) > 0 && now >= e.NextSave()
}

// NextSave is when SaveDue will be true if nothing changes any more, in
// microseconds.
func (e *Engine) NextSave() int64 {
	next := never
	if e.persist.running != nil {
		return next
	}
	for _, p := range e.conf.Save {
		if n := e.unsaved(); n >= p.Changes {
			next = min(next, (e.lastSave()+min(p.Seconds, longestSavePoint)+1)*1_000_000)
		}
	}
	if e.persist.failed && next != never {
		next = max(next, (e.persist.tried+retryDelay+1)*1_000_000)
	}
	return next
}

// longestSavePoint keeps sums in range: a thousand years.
const longestSavePoint = 1000 * 366 * 86400

// diskFails tells whether changes are refused because they could not be saved.
func (e *Engine) diskFails() bool {
	return e.persist.failed && e.conf.StopWritesOnBgsaveError && len(e.conf.Save) > 0
}

// persistence is INFO's section of that name.
func (w *infoWriter) persistence() {
	e, p := w.e, &w.e.persist
	running, seconds, written, total := 0, int64(-1), 0, 0
	rewriting, rewritingFor, rewriteStatus, scheduled := 0, int64(-1), "ok", 0
	if s := p.running; s != nil && s.kind == SaveRewrite {
		rewriting, rewritingFor = 1, max(0, e.now/1_000_000-s.began)
	} else if s != nil {
		running, seconds = 1, max(0, e.now/1_000_000-s.began)
		written, total = s.written, s.total
	}
	status := "ok"
	if p.failed {
		status = "err"
	}
	w.zeros("loading", "async_loading", "current_cow_peak", "current_cow_size", "current_cow_size_age")
	w.line("current_fork_perc", fmt.Sprintf("%.2f", 100*float64(written)/float64(max(total, 1))))
	w.line("current_save_keys_processed", written)
	w.line("current_save_keys_total", total)
	w.line("rdb_changes_since_last_save", e.unsaved())
	w.line("rdb_bgsave_in_progress", running)
	w.line("rdb_last_save_time", e.lastSave())
	w.line("rdb_last_bgsave_status", status)
	w.line("rdb_last_bgsave_time_sec", p.took-1)
	w.line("rdb_current_bgsave_time_sec", seconds)
	w.line("rdb_saves", p.saves)
	w.zeros("rdb_last_cow_size")
	w.line("rdb_last_load_keys_expired", p.loadedLate)
	w.line("rdb_last_load_keys_loaded", p.loaded)
	if p.rewrite.failures > 0 {
		rewriteStatus = "err"
	}
	if p.rewrite.scheduled {
		scheduled = 1
	}
	w.zeros("aof_enabled")
	w.line("aof_rewrite_in_progress", rewriting)
	w.line("aof_rewrite_scheduled", scheduled)
	w.line("aof_last_rewrite_time_sec", p.rewrite.took-1)
	w.line("aof_current_rewrite_time_sec", rewritingFor)
	w.line("aof_last_bgrewrite_status", rewriteStatus)
	w.line("aof_rewrites", p.rewrite.done)
	w.line("aof_rewrites_consecutive_failures", p.rewrite.failures)
	w.line("aof_last_write_status", "ok")
	w.zeros("aof_last_cow_size", "module_fork_in_progress", "module_fork_last_cow_size")
}

// saved is what a file tells of when a value was used.
func (e *Engine) savedAccess(lru uint32) (idle int64, freq int) {
	switch policy := e.conf.MaxMemoryPolicy; {
	case policy.LFU():
		return -1, int(e.lfuDecayed(lru))
	case policy.LRU():
		return e.idleSince(lru), -1
	}
	return -1, -1
}
