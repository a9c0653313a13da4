package server

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"minikv/engine"
	"minikv/engine/config"
	"minikv/resp"
)

// Saving. SAVE writes the file while nobody else is served. BGSAVE lets the
// engine make the file's bytes a little in each turn of the loop, from a
// snapshot; a goroutine writes them. Either way a new file stands complete on
// the disk before it takes the place of the old one.

const (
	saveKeys  = 16                     // made at a time, before the clock is read
	saveSlice = 500 * time.Microsecond // of a turn, for a BGSAVE
	saveBatch = 1 << 20                // bytes that are written at a time
)

// dataFile is a file that is being written.
type dataFile struct {
	*os.File
	path string // where it is to stand
}

// dataPath is where the data is kept.
func dataPath(c *config.Config) string { return filepath.Join(c.Dir, c.DBFilename) }

// enterDir makes the directive dir absolute, as Redis answers it, if there is
// such a directory.
func enterDir(c *config.Config) error {
	dir, err := filepath.Abs(c.Dir)
	if err != nil {
		return err
	}
	info, err := os.Stat(dir)
	var number syscall.Errno
	switch {
	case errors.As(err, &number):
		return inRedisWords(number)
	case err != nil:
		return err
	case !info.IsDir():
		return inRedisWords(syscall.ENOTDIR)
	}
	c.Dir = dir
	return nil
}

// inRedisWords is a system error as the C library tells it: with a capital.
func inRedisWords(number syscall.Errno) error {
	text := number.Error()
	return errors.New(strings.ToUpper(text[:1]) + text[1:])
}

func createDataFile(path string) (*dataFile, error) {
	f, err := os.CreateTemp(filepath.Dir(path), "temp-*.rdb")
	if err != nil {
		return nil, err
	}
	return &dataFile{f, path}, nil
}

// finish puts the file, which is complete, in its place.
func (f *dataFile) finish() error {
	err := f.Chmod(0o644)
	if err == nil {
		err = f.Sync()
	}
	if closing := f.Close(); err == nil {
		err = closing
	}
	if err == nil {
		err = os.Rename(f.Name(), f.path)
	}
	if err != nil {
		os.Remove(f.Name())
	}
	return err
}

// discard gives the file up.
func (f *dataFile) discard() {
	f.Close()
	os.Remove(f.Name())
}

// save is SAVE: it returns when the data is on the disk.
func (l *loop) save() error {
	err := l.writeData()
	if err != nil {
		l.log(engine.LogWarning, "Error saving DB on disk: "+err.Error())
		return err
	}
	l.log(engine.LogNotice, "DB saved on disk")
	return nil
}

func (l *loop) writeData() error {
	f, err := createDataFile(dataPath(l.eng.Config()))
	if err != nil {
		return err
	}
	s := l.eng.Save(l.now(), f, engine.SaveNow)
	for done := false; !done && err == nil; {
		done, err = s.Step(1 << 10)
	}
	if err == nil {
		err = f.finish()
	} else {
		f.discard()
	}
	l.look()
	s.End(l.now(), err)
	return err
}

// backgroundSave is a BGSAVE that is under way. The loop's own, but for the
// batch that a goroutine writes.
type backgroundSave struct {
	kind  engine.SaveKind
	saver *engine.Saver
	file  *dataFile
	aof   *appendOnly // of a BGREWRITEAOF
	batch []byte      // made
	done  bool        // all is made
	away  bool        // a goroutine writes, or time has to pass
}

// Write takes what the engine makes.
func (b *backgroundSave) Write(p []byte) (int, error) {
	b.batch = append(b.batch, p...)
	return len(p), nil
}

// startSave is BGSAVE, or BGREWRITEAOF.
func (l *loop) startSave(kind engine.SaveKind) {
	b := &backgroundSave{kind: kind}
	b.saver = l.eng.Save(l.now(), b, kind)
	l.saving = b
	l.log(engine.LogNotice, b.name()+" started")
	path := dataPath(l.eng.Config())
	var err error
	if kind == engine.SaveRewrite {
		if b.aof, err = nextAppendOnly(l.eng.Config()); err == nil {
			path = b.aof.base()
		}
	}
	if err == nil {
		b.file, err = createDataFile(path)
	}
	if err != nil {
		l.endSave(err)
	}
}

// name is how the log calls it.
func (b *backgroundSave) name() string {
	if b.kind == engine.SaveRewrite {
		return "Background append only file rewriting"
	}
	return "Background saving"
}

// stepSave begins a BGSAVE if one is due, or goes on with the one that there is,
// for a little while. It tells whether there is more to do at once.
func (l *loop) stepSave() (more bool) {
	if l.saving == nil {
		kind, due := l.eng.SaveDue(l.now())
		if !due {
			return false
		}
		l.startSave(kind)
	}
	b := l.saving
	if b == nil || b.away {
		return false
	}
	delay, keys := l.eng.Config().RDBKeySaveDelay, saveKeys
	if delay > 0 {
		keys = 1
	}
	for start := time.Now(); !b.done && len(b.batch) < saveBatch && time.Since(start) < saveSlice; {
		var err error
		if b.done, err = b.saver.Step(keys); err != nil {
			l.endSave(err)
			return false
		}
		if delay > 0 && !b.done {
			b.away = true
			time.AfterFunc(time.Duration(delay)*time.Microsecond, func() { l.inbox.call(func() { b.away = false }) })
			return false
		}
	}
	if b.done || len(b.batch) >= saveBatch {
		b.away = true
		l.helpers.Go(func() { l.writeBatch(b) })
		return false
	}
	return true
}

// writeBatch is the goroutine's part.
func (l *loop) writeBatch(b *backgroundSave) {
	_, err := b.file.File.Write(b.batch)
	switch {
	case err != nil:
		b.file.discard()
	case b.done:
		if err = b.file.finish(); err == nil && b.aof != nil {
			err = b.aof.name()
		}
	}
	l.inbox.call(func() {
		b.batch, b.away = b.batch[:0], false
		if l.saving == b && (b.done || err != nil) {
			l.between(func() { l.endSave(err) })
		}
	})
}

// endSave ends a BGSAVE.
func (l *loop) endSave(err error) {
	b := l.saving
	l.saving = nil
	l.look()
	b.saver.End(l.now(), err)
	if err != nil {
		if b.file != nil {
			b.file.discard()
		}
		l.log(engine.LogWarning, b.name()+" error: "+err.Error())
		return
	}
	l.log(engine.LogNotice, b.name()+" terminated with success")
}

// dropSave gives up a BGSAVE because the server ends.
func (l *loop) dropSave() {
	if l.saving != nil && l.saving.file != nil {
		l.saving.file.discard()
	}
}

// Terminate ends the server as shutdown-on-sigint or, if it is not an interrupt,
// shutdown-on-sigterm say: with save points, or if they ask for it, the data is
// saved first. If that fails the server goes on, and it is told.
func (s *Server) Terminate(interrupt bool) error {
	var refused error
	err := s.inLoop(func() {
		flags := s.loop.eng.Config().ShutdownOnSIGTERM
		if interrupt {
			flags = s.loop.eng.Config().ShutdownOnSIGINT
		}
		if !s.loop.saveForEnd(engine.Request{
			Save: flags&config.ShutdownSave != 0, NoSave: flags&config.ShutdownNoSave != 0, Force: flags&config.ShutdownForce != 0,
		}) {
			refused = errNotSaved
			return
		}
		s.loop.quit()
	})
	return errors.Join(err, refused)
}

var errNotSaved = errors.New("the data cannot be saved, so the server goes on")

// saveForEnd is what SHUTDOWN saves; false: the server goes on, since the data
// would be lost.
func (l *loop) saveForEnd(r engine.Request) bool {
	if r.NoSave || !r.Save && len(l.eng.Config().Save) == 0 {
		return true
	}
	l.log(engine.LogNotice, "Saving the final RDB snapshot before exiting.")
	if l.save() == nil || r.Force {
		return true
	}
	l.log(engine.LogWarning, "Error trying to save the DB, can't exit.")
	return false
}

// performReload is DEBUG RELOAD.
func (l *loop) performReload(cl *engine.Client, r engine.Request) {
	if !r.NoSave {
		if err := l.save(); err != nil {
			l.replySaved(cl, err, "ERR")
			return
		}
	}
	err := l.reload(r)
	if err != nil {
		l.log(engine.LogWarning, "Error trying to load the RDB dump: "+err.Error())
	}
	l.replySaved(cl, err, "ERR Error trying to load the RDB dump")
}

func (l *loop) reload(r engine.Request) error {
	f, err := os.Open(dataPath(l.eng.Config()))
	if err != nil {
		return err
	}
	defer f.Close()
	return l.eng.Load(l.now(), f, r.Load)
}

// loadData reads the data at the start, if there is any to be read.
func (l *loop) loadData() error {
	c := l.eng.Config()
	if !c.Files {
		return nil
	}
	path := dataPath(c)
	f, err := os.Open(path)
	if os.IsNotExist(err) {
		return nil
	}
	if err != nil {
		return err
	}
	defer f.Close()
	l.look()
	p := l.newProgress(f)
	if err := l.eng.Load(l.now(), f, engine.LoadOptions{Progress: p.tell}); err != nil {
		return &loadError{path, err}
	}
	p.end()
	return nil
}

// loadError is a file of data that cannot be used. The server does not start,
// lest it write another in its place.
type loadError struct {
	path string
	err  error
}

func (e *loadError) Error() string {
	return "the data in " + e.path + " cannot be loaded: " + e.err.Error()
}
func (e *loadError) Unwrap() error { return e.err }

// replySaved answers SAVE and the like.
func (l *loop) replySaved(cl *engine.Client, err error, refusal string) {
	if err != nil {
		l.eng.Refuse(cl, l.now(), refusal)
		return
	}
	l.eng.Complete(cl, l.now(), func(out *resp.Writer) { out.OK() })
}

var _ io.Writer = (*backgroundSave)(nil)
