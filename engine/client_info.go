package engine

import (
	"fmt"
	"strings"
)

// info is the client's line in CLIENT LIST, with the fields of Redis 7.0 and
// the two that CLIENT SETINFO brought.
func (cl *Client) info() string {
	var b strings.Builder
	e := cl.e
	name := "NULL"
	if cl.lastCmd != nil {
		name = cl.lastCmd.lower
	}
	multi := -1
	if cl.multi.open {
		multi = len(cl.multi.cmds)
	}
	read, room, output := cl.held()
	omem := output + cl.out.Len()
	fmt.Fprintf(&b, "id=%d addr=%s laddr=%s fd=%d name=%s age=%d idle=%d flags=%s db=%d sub=%d psub=%d ssub=%d multi=%d",
		cl.id, cl.conn.Addr, cl.conn.LAddr, cl.conn.FD, cl.name, (e.now-cl.created)/1_000_000, max(0, e.now-cl.seen)/1_000_000,
		cl.flags(), cl.db.id, len(cl.subs.channels), len(cl.subs.patterns), len(cl.subs.shards), multi)
	fmt.Fprintf(&b, " qbuf=%d qbuf-free=%d argv-mem=0 multi-mem=%d rbs=0 rbp=0 obl=%d oll=0 omem=%d tot-mem=%d events=r cmd=%s user=%s redir=%d resp=%d",
		read, room, cl.multi.bytes, omem, omem, cl.memory(), name, cl.user.name, cl.redirection(), cl.out.Proto())
	if e.table.ver.has(version{major: 7, minor: 2}) {
		fmt.Fprintf(&b, " lib-name=%s lib-ver=%s", cl.libName, cl.libVer)
	}
	return b.String()
}

// flags are the letters of CLIENT LIST.
func (cl *Client) flags() string {
	var b []byte
	for _, f := range []struct {
		on     bool
		letter byte
	}{
		{cl.monitor, 'O'},
		{cl.subs.count() > 0, 'P'},
		{cl.multi.open, 'x'},
		{cl.wait != nil || cl.paused, 'b'},
		{cl.tracking != nil, 't'},
		{cl.tracking != nil && cl.tracking.broken, 'R'},
		{cl.tracking != nil && cl.tracking.broadcast, 'B'},
		{cl.multi.failed, 'd'},
		{cl.closing, 'c'},
		{cl.closeNow, 'A'},
		{cl.conn.Unix, 'U'},
		{cl.readonly, 'r'},
		{cl.noEvict, 'e'},
		{cl.noTouch, 'T'},
	} {
		if f.on {
			b = append(b, f.letter)
		}
	}
	if len(b) == 0 {
		return "N"
	}
	return string(b)
}

// kind is the client's type for CLIENT LIST TYPE and KILL TYPE.
func (cl *Client) kind() string {
	if cl.subs.count() > 0 {
		return "pubsub"
	}
	return "normal"
}
