package engine

import (
	"slices"

	"minikv/resp"
	"minikv/value"
)

// MIGRATE takes keys to another server. The engine finds and serialises them and
// asks the outside to carry them there; Migrated then deletes those that have
// arrived. Until it does, nothing may change them: writing commands wait and
// no key expires, as under CLIENT PAUSE WRITE. That ends in any case, since
// the outside gives up after the command's time-out.
//
// DIFFERS: while MIGRATE talks to the other server only commands that write have to wait for it; Redis serves nobody meanwhile.
//
// DIFFERS: MIGRATE is refused inside MULTI and in scripts, because they are one step and the other server is asked outside it.

// Migration is what a MIGRATE asks to be carried.
type Migration struct {
	Host, Port string
	DB         int64 // there
	TimeoutMS  int64 // of each thing that is waited for
	Auth       [][]byte
	Replace    bool
	Asking     bool // in a cluster: to a node to which the keys' slot is on its way
	Keys       []MigratingKey

	keep bool // COPY
	from int  // database
}

// MigratingKey is one key on its way.
type MigratingKey struct {
	Key     []byte
	TTL     int64 // milliseconds, 0: none
	Payload []byte
}

// MigrationResult is what became of a Migration.
type MigrationResult struct {
	Taken   []int  // which of Keys the other server has
	Refusal string // its first error, without the dash
	Failure string // what failed of the connection, as MIGRATE's error has it
}

// The failures that MIGRATE's error tells of.
const (
	MigrationNotConnected = "connecting to the client"
	MigrationNotWritten   = "writing to target instance"
	MigrationNotRead      = "reading to target instance"
)

func migrateRows() []*Command {
	return []*Command{
		{Name: "MIGRATE", Arity: -6, Flags: Write | MovableKeys | TakesAway, ACL: CatDangerous, Tips: []string{"nondeterministic_output"},
			Keys: []KeySpec{{Flags: RW | Access | Delete, Index: 3, Step: 1},
				{Flags: RW | Access | Delete | Incomplete, Keyword: "KEYS", From: -2, Last: -1, Step: 1}},
			GetKeys: migratedKeys, Group: Generic, Since: "2.6.0",
			Syntax:  `host port <key | ""> destination-db timeout:integer [COPY@3.0] [REPLACE@3.0] [AUTH@4.0.7 password | AUTH2@6.0 username password] [KEYS@3.0.6 key [key ...]]`,
			Summary: "Takes keys to another server.", Complexity: "That of DUMP and DEL here, of RESTORE there, and O(N) for N bytes on the way",
			Handler: cmdMigrate},
	}
}

// migratedKeys finds the key, or those behind KEYS.
func migratedKeys(argv [][]byte) ([]KeyRef, error) {
	const flags = RW | Access | Delete
	for i := 6; i < len(argv); i++ {
		switch {
		case isWord(argv[i], "AUTH"):
			i++
		case isWord(argv[i], "AUTH2"):
			i += 2
		case isWord(argv[i], "KEYS") && len(argv[3]) > 0:
			return nil, errMigrateKeys
		case isWord(argv[i], "KEYS"):
			var refs []KeyRef
			for i++; i < len(argv); i++ {
				refs = append(refs, KeyRef{i, flags})
			}
			return refs, nil
		}
	}
	return []KeyRef{{3, flags}}, nil
}

func cmdMigrate(c *Ctx) error {
	m, keys, err := c.migration()
	if err != nil {
		return err
	}
	c.e.serials.Compress = c.e.conf.RDBCompression
	for _, key := range keys {
		en := c.Lookup(key)
		if en == nil {
			continue
		}
		moving := MigratingKey{Key: slices.Clone(key), Payload: c.e.serials.AppendDump(nil, en.Val.serial())}
		if at := en.Val.expireAt(); at >= 0 {
			moving.TTL = max(at-c.nowMS(), 1)
		}
		m.Keys = append(m.Keys, moving)
	}
	if len(m.Keys) == 0 {
		c.out.Status("NOKEY")
		return nil
	}
	err = c.ask(Request{Kind: RequestMigrate, Migration: m})
	if err == errWait {
		c.e.holdWrites(1)
	}
	return err
}

// migration reads the arguments, and which keys are meant.
func (c *Ctx) migration() (m *Migration, keys [][]byte, err error) {
	m = &Migration{Host: string(c.argv[1]), Port: string(c.argv[2]), from: c.db.id, Asking: c.e.cluster != nil}
	keys = c.argv[3:4]
	a := c.Scan()
	for range 5 {
		a.Next()
	}
	for a.More() {
		switch {
		case a.Word("COPY"):
			m.keep = true
		case a.Word("REPLACE"):
			m.Replace = true
		case a.WordWith("AUTH", 1):
			m.Auth = copyArgv([][]byte{a.Next()})
		case a.WordWith("AUTH2", 2):
			m.Auth = copyArgv([][]byte{a.Next(), a.Next()})
		case a.Word("KEYS"):
			if len(c.argv[3]) > 0 {
				return nil, nil, errMigrateKeys
			}
			for keys = nil; a.More(); {
				keys = append(keys, a.Next())
			}
		default:
			return nil, nil, errSyntax
		}
	}
	timeout, ok := value.ParseInt(c.argv[5])
	db, isDB := value.ParseInt(c.argv[4])
	if !ok || !isDB {
		return nil, nil, errNotInteger
	}
	m.DB, m.TimeoutMS = db, timeout
	if timeout <= 0 {
		m.TimeoutMS = 1000
	}
	return m, keys, a.Err()
}

// Migrated ends a MIGRATE: the keys that have arrived are deleted, also when the
// client has gone meanwhile, and it is answered.
func (e *Engine) Migrated(cl *Client, now int64, m *Migration, r MigrationResult) {
	e.setNow(now)
	e.unit++
	if !m.keep && m.from < len(e.dbs) {
		for _, i := range r.Taken {
			key, db := m.Keys[i].Key, e.dbs[m.from]
			if en := db.keys.Get(key); en != nil {
				db.delete(en)
				e.addEffect(db, []byte("DEL"), key)
			}
		}
	}
	e.unit--
	e.afterUnit()
	switch {
	case r.Refusal != "":
		e.Refuse(cl, now, "ERR Target instance replied with error: "+r.Refusal)
	case r.Failure != "":
		e.Refuse(cl, now, "IOERR error or timeout "+r.Failure)
	default:
		e.Complete(cl, now, func(out *resp.Writer) { out.OK() })
	}
	e.holdWrites(-1)
}
