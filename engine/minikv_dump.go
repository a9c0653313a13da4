package engine

import (
	"fmt"
	"slices"
	"strings"

	"minikv/resp"
	"minikv/value"
)

// A dump is the data as text, for people and golden files: every database that
// has keys, the keys sorted, unordered elements sorted, times to live in whole
// seconds as TTL answers them. Whoever looks disturbs nothing: no key expires,
// counts as used, or is copied.
//
//	db 0
//	"jobs" list
//	    "a"
//	    "b"
//	"lock" string ttl 30 "t1"

// Dump writes the data as of a time. Not while a command runs.
func (e *Engine) Dump(now int64) string {
	d := dumper{now: now / 1000}
	for _, db := range e.dbs {
		d.database(db)
	}
	return d.text.String()
}

type dumper struct {
	text strings.Builder
	now  int64 // milliseconds
}

func (d *dumper) database(db *DB) {
	n := db.keys.Len()
	keys := make([]*Entry, 0, n)
	for en := range db.keys.All() {
		if at := en.Val.expireAt(); at < 0 || d.now <= at {
			keys = append(keys, en)
		}
		if n--; n == 0 {
			break // before the table tidies up behind the iteration
		}
	}
	if len(keys) == 0 {
		return
	}
	slices.SortFunc(keys, func(a, b *Entry) int { return strings.Compare(a.Key, b.Key) })
	fmt.Fprintf(&d.text, "db %d\n", db.id)
	for _, en := range keys {
		fmt.Fprintf(&d.text, "%s %s%s", quoted(en.Key), en.Val.kind(), d.ttl(en.Val.expireAt()))
		d.value(&en.Val)
	}
}

func quoted[T string | []byte](s T) string { return string(resp.AppendQuoted(nil, string(s))) }

// ttl is what is left until a deadline, as TTL rounds it.
func (d *dumper) ttl(at int64) string {
	if at < 0 {
		return ""
	}
	return fmt.Sprintf(" ttl %d", (at-d.now+500)/1000)
}

// value writes what a key holds, and ends its line.
func (d *dumper) value(o *Object) {
	var lines []string
	ordered := true
	switch o.kind() {
	case value.KindString:
		d.text.WriteString(" " + quoted(o.text(nil)))
	case value.KindList:
		for _, elem := range o.list().All() {
			lines = append(lines, quoted(elem))
		}
	case value.KindSet:
		ordered = false
		for member := range o.set().All() {
			lines = append(lines, quoted(member))
		}
	case value.KindZSet:
		for member, score := range o.zset().All() {
			lines = append(lines, resp.FormatDouble(score)+" "+quoted(member))
		}
	case value.KindHash:
		ordered = false
		lines = d.fields(o.hash())
	case value.KindStream:
		lines = streamLines(o.stream())
	case value.KindArray:
		arr := o.array()
		for index, text := range arr.All(0, arr.Last()) {
			lines = append(lines, fmt.Sprintf("%d %s", index, quoted(text)))
		}
	}
	if !ordered {
		slices.Sort(lines)
	}
	d.text.WriteByte('\n')
	for _, line := range lines {
		d.text.WriteString("    " + line + "\n")
	}
}

// fields lists a hash's fields whose time is not over.
func (d *dumper) fields(h *value.Hash) (lines []string) {
	for field, text := range h.All() {
		at, timed := h.Deadline(field)
		switch {
		case !timed:
			lines = append(lines, quoted(field)+" "+quoted(text))
		case d.now <= at:
			lines = append(lines, quoted(field)+d.ttl(at)+" "+quoted(text))
		}
	}
	return lines
}

// streamLines lists entries, then groups with what is pending in them.
func streamLines(s *value.Stream) (lines []string) {
	text := func(id value.StreamID) string { return string(id.Append(nil)) }
	last := value.StreamID{MS: ^uint64(0), Seq: ^uint64(0)}
	for entry := range s.Range(value.StreamID{}, last) {
		line := text(entry.ID)
		for field, val := range entry.All {
			line += " " + quoted(field) + " " + quoted(val)
		}
		lines = append(lines, line)
	}
	for _, g := range s.Groups() {
		lines = append(lines, "group "+quoted(g.Name())+" last "+text(g.LastID))
		for _, c := range g.Consumers() {
			line := "    consumer " + quoted(c.Name())
			for p := range c.Pending(value.StreamID{}) {
				line += " " + text(p.ID)
			}
			lines = append(lines, line)
		}
	}
	return lines
}
