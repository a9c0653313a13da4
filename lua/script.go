package lua

import (
	"bytes"
	"crypto/sha1"
	"encoding/hex"
	"errors"
	"strings"
)

// A Script is a compiled script. It belongs to the machine that compiled it
// and does not change.
type Script struct {
	// SHA is the script's name: the SHA-1 of its source in lower-case hex.
	SHA string
	// Flags are what the shebang line declares.
	Flags Flags

	code any
}

// Flags are the permissions a script declares in its first line, as in
// "#!lua flags=no-writes,allow-stale". The server enforces them.
type Flags struct {
	// Shebang is true when there is a shebang line at all; a script without
	// one runs in the compatible way of servers before 7.0.
	Shebang bool

	NoWrites           bool
	AllowOOM           bool
	AllowStale         bool
	NoCluster          bool
	AllowCrossSlotKeys bool
}

// SHA1 returns the name under which a script is cached.
func SHA1(source []byte) string {
	sum := sha1.Sum(source)
	return hex.EncodeToString(sum[:])
}

// ParseShebang reads the first line of a script. It returns the flags and the
// source with that line emptied, so that line numbers stay; both alias source.
func ParseShebang(source []byte) (Flags, []byte, error) {
	var f Flags
	if !bytes.HasPrefix(source, []byte("#!")) {
		return f, source, nil
	}
	words, body := shebang(source)
	switch {
	case body == nil:
		return f, nil, errors.New("ERR Invalid script shebang")
	case words == nil:
		return f, nil, errors.New("ERR Invalid engine in script shebang")
	case words[0] != "#!lua":
		return f, nil, errors.New("ERR Unexpected engine in script shebang: " + words[0])
	}
	f.Shebang = true
	for _, w := range words[1:] {
		list, ok := strings.CutPrefix(w, "flags=")
		if !ok {
			return f, nil, errors.New("ERR Unknown lua shebang option: " + w)
		}
		if list == "" {
			continue
		}
		for name := range strings.SplitSeq(list, ",") {
			if !f.set(name) {
				return f, nil, errors.New("ERR Unexpected flag in script shebang: " + name)
			}
		}
	}
	return f, body, nil
}

func (f *Flags) set(name string) bool {
	switch name {
	case "no-writes":
		f.NoWrites = true
	case "allow-oom":
		f.AllowOOM = true
	case "allow-stale":
		f.AllowStale = true
	case "no-cluster":
		f.NoCluster = true
	case "allow-cross-slot-keys":
		f.AllowCrossSlotKeys = true
	default:
		return false
	}
	return true
}
