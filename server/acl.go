package server

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"minikv/engine"
	"minikv/resp"
)

// The file that aclfile names. The engine knows what stands in it and what is
// to stand there; it is read and written here.

// aclError is an error in Redis's words.
type aclError string

func (e aclError) Error() string { return string(e) }

// startUsers tells whether the users that the configuration asks for are
// there, once those of the ACL file have been read.
func (l *loop) startUsers() error {
	if err := l.eng.UsersError(); err != nil {
		return err
	}
	if l.eng.Config().ACLFile != "" {
		if err := l.readACL(nil); err != nil {
			return err
		}
	}
	l.rules.follow(l.eng.Config(), l.eng.DefaultUserNeedsPassword())
	return nil
}

// readACL replaces the users by those of the ACL file.
func (l *loop) readACL(asker *engine.Client) error {
	name := l.eng.Config().ACLFile
	text, err := os.ReadFile(l.aclPath())
	if err != nil {
		return aclError("Error loading ACLs, opening file '" + name + "': " + systemError(err))
	}
	return l.eng.LoadACL(name, text, asker)
}

// aclPath is where the ACL file stands: a name without a place is in dir.
func (l *loop) aclPath() string {
	c := l.eng.Config()
	if filepath.IsAbs(c.ACLFile) {
		return c.ACLFile
	}
	return filepath.Join(c.Dir, c.ACLFile)
}

// performACL is ACL LOAD and ACL SAVE.
func (l *loop) performACL(cl *engine.Client, kind engine.RequestKind) {
	var err error
	if kind == engine.RequestACLLoad {
		err = l.readACL(cl)
	} else if err = replaceFile(l.aclPath(), l.eng.ACLFile()); err != nil {
		l.log(engine.LogWarning, "Saving the ACL file: "+err.Error())
		err = aclError("There was an error trying to save the ACLs. Please check the server logs for more information")
	}
	l.eng.Complete(cl, l.now(), func(out *resp.Writer) {
		if err != nil {
			out.Error("ERR " + err.Error())
			return
		}
		out.OK()
	})
}

// systemError is the system's reason alone, in C's spelling.
func systemError(err error) string {
	if path := (*fs.PathError)(nil); errors.As(err, &path) {
		err = path.Err
	}
	text := err.Error()
	return strings.ToUpper(text[:1]) + text[1:]
}
