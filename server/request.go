package server

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime/debug"
	"time"

	"minikv/engine"
	"minikv/engine/config"
	"minikv/resp"
)

// perform does what a command asked of the outside. It tells whether its
// client may go on at once.
func (l *loop) perform(k link) (more bool) {
	cl := k.core().eng
	request := cl.Request()
	switch request.Kind {
	case engine.RequestSleep:
		l.hold(time.Duration(request.Micros) * time.Microsecond)
		l.eng.Complete(cl, l.now(), func(out *resp.Writer) { out.OK() })
	case engine.RequestShutdown:
		if !l.saveForEnd(request) {
			l.eng.Refuse(cl, l.now(), "ERR Errors trying to SHUTDOWN. Check logs.")
			break
		}
		k.core().closing = true
		l.quit()
	case engine.RequestSave:
		l.replySaved(cl, l.save(), "ERR")
	case engine.RequestBGSave:
		l.startSave(engine.SaveInBackground)
		l.eng.Complete(cl, l.now(), func(out *resp.Writer) { out.Status("Background saving started") })
	case engine.RequestRewriteAOF:
		l.startSave(engine.SaveRewrite)
		l.eng.Complete(cl, l.now(), func(out *resp.Writer) { out.Status("Background append only file rewriting started") })
	case engine.RequestReload:
		l.performReload(cl, request)
	case engine.RequestMigrate:
		l.migrate(cl, request.Migration)
	case engine.RequestClock:
		l.performClock(cl, request)
	case engine.RequestNodeList, engine.RequestNodeStart, engine.RequestNodeStop:
		l.performNode(cl, request)
	case engine.RequestACLLoad, engine.RequestACLSave:
		l.performACL(cl, request.Kind)
	case engine.RequestPurge:
		go func() { // takes a collection's time: others are served meanwhile
			debug.FreeOSMemory()
			l.inbox.call(func() { l.eng.Complete(cl, l.now(), func(out *resp.Writer) { out.OK() }) })
		}()
	case engine.RequestConfigRewrite:
		err := rewrite(l.configFile, l.eng.Config())
		l.eng.Complete(cl, l.now(), func(out *resp.Writer) {
			if err != nil {
				out.Error("ERR Rewriting config file: " + err.Error())
				return
			}
			out.OK()
		})
	}
	return !cl.Waiting() && !k.core().closing
}

// rewrite brings a configuration file up to date.
func rewrite(path string, conf *config.Config) error {
	old, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return replaceFile(path, conf.Rewrite(old))
}

// replaceFile gives a file another text, which stands complete beside the old
// one before it takes its place.
func replaceFile(path string, text []byte) error {
	f, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".*.tmp")
	if err != nil {
		return err
	}
	_, err = f.Write(text)
	if err == nil {
		err = f.Chmod(0o644)
	}
	if err == nil {
		err = f.Sync()
	}
	if closing := f.Close(); err == nil {
		err = closing
	}
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		os.Remove(f.Name())
	}
	return err
}

// hold is DEBUG SLEEP: nobody is served for a while, as in Redis. Only the
// server's end cuts it short.
func (l *loop) hold(d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-l.ending:
	}
	l.look()
}
