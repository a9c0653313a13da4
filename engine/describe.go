package engine

import (
	"encoding/binary"
	"maps"
	"slices"
	"strings"
)

// AppendState describes the state that decides what later commands do and
// answer: two nodes of one configuration with equal descriptions go on alike,
// given the same times and the same commands of the same clients. The schedule
// search tells states apart by it.
//
// clients are those that may go on sending; each is described by its place in
// the list, not by its ID. Left out is what only looks back (statistics, slow
// log, idle times), configuration, who listens to which channel, and where a
// key stands in its table, which shows in the order of SCAN, KEYS and
// RANDOMKEY. Texts stand in it as they are, so that some can be exchanged for
// others of a meaning. Not while a command runs.
func (e *Engine) AppendState(dst []byte, clients []*Client) []byte {
	dst, _ = e.pcg.AppendBinary(dst)
	for _, db := range e.dbs {
		dst = db.appendState(dst, clients)
	}
	for _, cl := range clients {
		dst = cl.appendState(dst)
	}
	dst = binary.AppendUvarint(dst, uint64(len(e.scripts.cache)))
	for _, sha := range slices.Sorted(maps.Keys(e.scripts.cache)) {
		dst = append(dst, sha...)
	}
	for _, sha := range e.scripts.evals {
		dst = append(dst, sha...)
	}
	dst = e.acl.appendState(dst)
	libraries := e.scripts.functions.libraries
	dst = binary.AppendUvarint(dst, uint64(len(libraries)))
	for _, name := range slices.Sorted(maps.Keys(libraries)) {
		dst = appendText(dst, libraries[name].source)
	}
	dst = append(dst, byte(e.pause.kind))
	return binary.AppendVarint(dst, e.pause.until)
}

func (db *DB) appendState(dst []byte, clients []*Client) []byte {
	entries := make([]*Entry, 0, db.keys.Len())
	for n := db.keys.Len(); n > 0; n = 0 {
		for en := range db.keys.All() {
			if entries = append(entries, en); len(entries) == n {
				break // before the table tidies up behind the iteration
			}
		}
	}
	slices.SortFunc(entries, func(a, b *Entry) int { return strings.Compare(a.Key, b.Key) })
	dst = binary.AppendUvarint(dst, uint64(len(entries)))
	db.e.serials.Compress = false
	for _, en := range entries {
		dst = appendText(dst, en.Key)
		dst = binary.AppendVarint(dst, en.Val.expireAt())
		dst = db.e.serials.AppendValue(append(dst, byte(en.Val.kind())), en.Val.serial())
	}
	dst = binary.AppendUvarint(dst, uint64(len(db.waits)))
	for _, key := range slices.Sorted(maps.Keys(db.waits)) {
		dst = appendText(dst, key)
		for el := db.waits[key].clients.Front(); el != nil; el = el.Next() {
			dst = append(dst, byte(slices.Index(clients, el.Value.(*Client))))
		}
		dst = append(dst, 0xff)
	}
	return dst
}

// appendState describes what a client selected, queued, watches and waits for.
func (cl *Client) appendState(dst []byte) []byte {
	m := &cl.multi
	for _, flag := range [...]bool{cl.authed, cl.off, cl.skip, cl.skipNext, m.open, m.aborted, m.failed, cl.wait != nil, cl.paused} {
		dst = append(dst, boolByte(flag))
	}
	dst = append(dst, byte(cl.db.id), byte(cl.out.Proto()))
	dst = appendText(appendText(dst, cl.name), cl.user.name)
	dst = binary.AppendUvarint(dst, uint64(len(m.cmds)))
	for _, q := range m.cmds {
		dst = appendArgv(dst, q.argv)
	}
	dst = binary.AppendUvarint(dst, uint64(len(cl.watched)))
	for _, w := range cl.watched {
		dst = append(appendText(dst, w.key), byte(w.db.id), boolByte(w.expired))
	}
	if w := cl.wait; w != nil {
		dst = appendArgv(append(dst, byte(w.db.id)), w.argv)
		dst = binary.AppendVarint(binary.AppendVarint(dst, w.Timeout), w.Again)
	}
	return dst
}

func appendText[T string | []byte](dst []byte, s T) []byte {
	return append(binary.AppendUvarint(dst, uint64(len(s))), s...)
}

func appendArgv(dst []byte, argv [][]byte) []byte {
	dst = binary.AppendUvarint(dst, uint64(len(argv)))
	for _, a := range argv {
		dst = appendText(dst, a)
	}
	return dst
}

func boolByte(b bool) byte {
	if b {
		return 1
	}
	return 0
}
