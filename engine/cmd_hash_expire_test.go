package engine

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// timedField is a field in a model of a hash; at is its deadline, -1 if it has
// none.
type timedField struct {
	text string
	at   int64
}

// hashModel is a hash whose fields have deadlines, as simple as can be.
type hashModel struct {
	*node
	cl     *Client
	fields map[string]timedField
}

// live drops the fields whose time is over.
func (m *hashModel) live() {
	for f, v := range m.fields {
		if v.at >= 0 && m.now/1000 > v.at {
			delete(m.fields, f)
		}
	}
}

// expire is HPEXPIREAT for one field; it answers what that does.
func (m *hashModel) expire(f string, at int64, cond string) int {
	v, ok := m.fields[f]
	switch {
	case !ok:
		return -2
	case cond == "NX" && v.at >= 0, cond == "XX" && v.at < 0,
		cond == "GT" && (v.at < 0 || at <= v.at), cond == "LT" && v.at >= 0 && at >= v.at:
		return 0
	case at <= m.now/1000:
		delete(m.fields, f)
		return 2
	}
	m.fields[f] = timedField{v.text, at}
	return 1
}

// bulk is a field's value as a reply.
func (m *hashModel) bulk(f string) string {
	if v, ok := m.fields[f]; ok {
		return fmt.Sprintf("$%d %s", len(v.text), v.text)
	}
	return "$-1"
}

// compare asks the server for everything that the model knows.
func (m *hashModel) compare(names []string) {
	m.live()
	timed := 0
	for _, f := range names {
		m.want(m.cl, "HGET h "+f, m.bulk(f))
		at := int64(-2)
		if v, ok := m.fields[f]; ok {
			at = v.at
		}
		if at >= 0 {
			timed = 1
		}
		m.want(m.cl, "HPEXPIRETIME h FIELDS 1 "+f, fmt.Sprintf("*1 :%d", at))
	}
	m.want(m.cl, "HLEN h", fmt.Sprintf(":%d", len(m.fields)))
	m.want(m.cl, "EXISTS h", fmt.Sprintf(":%d", min(len(m.fields), 1)))
	if n := m.e.dbs[0].fields.Len(); n != timed {
		m.t.Errorf("%d hashes are timed, want %d", n, timed)
	}
}

// TestHashDeadlineModel runs random histories against a map, with time that
// passes.
func TestHashDeadlineModel(t *testing.T) {
	t.Parallel()
	names := strings.Fields("a b c d e")
	rapid.Check(t, func(rt *rapid.T) {
		m := &hashModel{node: newNode(t, Options{}), fields: map[string]timedField{}}
		m.cl = m.client()
		name := rapid.SampledFrom(names)
		soon := rapid.Int64Range(-2, 50)
		serial := 0
		next := func() string { serial++; return fmt.Sprint(serial) }
		rt.Repeat(map[string]func(*rapid.T){
			"HSET": func(rt *rapid.T) {
				f, text := name.Draw(rt, "field"), next()
				m.send(m.cl, "HSET h "+f+" "+text)
				m.fields[f] = timedField{text, -1}
			},
			"HSETEX": func(rt *rapid.T) {
				f, text, at := name.Draw(rt, "field"), next(), m.now/1000+soon.Draw(rt, "ms")
				m.want(m.cl, fmt.Sprintf("HSETEX h PXAT %d FIELDS 1 %s %s", at, f, text), ":1")
				m.fields[f] = timedField{text, -1}
				m.expire(f, at, "")
			},
			"HSETEX KEEPTTL": func(rt *rapid.T) {
				f, text := name.Draw(rt, "field"), next()
				m.want(m.cl, "HSETEX h KEEPTTL FIELDS 1 "+f+" "+text, ":1")
				if v, ok := m.fields[f]; ok {
					m.fields[f] = timedField{text, v.at}
				} else {
					m.fields[f] = timedField{text, -1}
				}
			},
			"HPEXPIREAT": func(rt *rapid.T) {
				f, g, at := name.Draw(rt, "field"), name.Draw(rt, "field"), m.now/1000+soon.Draw(rt, "ms")
				cond := rapid.SampledFrom([]string{"", "NX", "XX", "GT", "LT"}).Draw(rt, "condition")
				first, second := m.expire(f, at, cond), m.expire(g, at, cond)
				m.want(m.cl, fmt.Sprintf("HPEXPIREAT h %d %s FIELDS 2 %s %s", at, cond, f, g), fmt.Sprintf("*2 :%d :%d", first, second))
			},
			"HGETEX": func(rt *rapid.T) {
				f, at := name.Draw(rt, "field"), m.now/1000+soon.Draw(rt, "ms")
				m.want(m.cl, fmt.Sprintf("HGETEX h PXAT %d FIELDS 1 %s", at, f), "*1 "+m.bulk(f))
				m.expire(f, at, "")
			},
			"HPERSIST": func(rt *rapid.T) {
				f := name.Draw(rt, "field")
				v, ok := m.fields[f]
				want := map[bool]int{true: 1, false: -1}[v.at >= 0]
				if !ok {
					want = -2
				} else {
					m.fields[f] = timedField{v.text, -1}
				}
				m.want(m.cl, "HPERSIST h FIELDS 1 "+f, fmt.Sprintf("*1 :%d", want))
			},
			"HGETDEL": func(rt *rapid.T) {
				f := name.Draw(rt, "field")
				m.want(m.cl, "HGETDEL h FIELDS 1 "+f, "*1 "+m.bulk(f))
				delete(m.fields, f)
			},
			"HDEL": func(rt *rapid.T) {
				f := name.Draw(rt, "field")
				m.send(m.cl, "HDEL h "+f)
				delete(m.fields, f)
			},
			"RENAME":  func(*rapid.T) { m.send(m.cl, "RENAME h i"); m.send(m.cl, "RENAME i h") },
			"COPY":    func(*rapid.T) { m.send(m.cl, "COPY h i REPLACE"); m.send(m.cl, "DEL h"); m.send(m.cl, "RENAME i h") },
			"restore": func(*rapid.T) { s := m.e.Snapshot(); m.send(m.cl, "FLUSHALL"); m.e.Restore(s); s.Release() },
			"time":    func(rt *rapid.T) { m.sleep(rapid.Int64Range(0, 30).Draw(rt, "ms")) },
			"time without Tick": func(rt *rapid.T) {
				m.now += rapid.Int64Range(0, 30).Draw(rt, "ms") * 1000
				m.live()
			},
			"": func(*rapid.T) { m.compare(names) },
		})
	})
}

// TestExpiredFieldsAreCounted in INFO: always since 7.4, before that if there are
// any.
func TestExpiredFieldsAreCounted(t *testing.T) {
	t.Parallel()
	n := newNode(t, Options{})
	cl := n.client()
	if info := n.send(cl, "INFO"); strings.Contains(info, "subexpiry") || strings.Contains(info, "expired_subkeys") {
		t.Error("INFO tells of fields that have deadlines, and there are none")
	}
	n.want(cl, "HSET h a 1 b 2", ":2")
	n.want(cl, "HSETEX i EX 100 FIELDS 1 a 1", ":1")
	n.want(cl, "HPEXPIRE h 10 FIELDS 2 a b", "*2 :1 :1")
	wantInfo := func(parts ...string) {
		t.Helper()
		for _, part := range parts {
			if info := n.send(cl, "INFO"); !strings.Contains(info, part) {
				t.Errorf("INFO does not say %s", part)
			}
		}
	}
	wantInfo(",subexpiry=2")
	n.sleep(20)
	wantInfo(",subexpiry=1", "expired_subkeys:2")
	n.want(cl, "HDEL i a", ":1")
	n.want(cl, "HSET i a 1", ":1")
	if info := n.send(cl, "INFO keyspace"); strings.Contains(info, "subexpiry") {
		t.Errorf("no field has a deadline: %s", info)
	}
}

// TestHincrbyfloatKeepsTheDeadline: so does its effect.
func TestHincrbyfloatKeepsTheDeadline(t *testing.T) {
	t.Parallel()
	var last string
	n := newNode(t, Options{Effects: func(f Effect) {
		var words []string
		for _, w := range f.Argv {
			words = append(words, string(w))
		}
		last = strings.Join(words, " ")
	}})
	cl := n.client()
	n.want(cl, "HSET h a 1", ":1")
	n.want(cl, "HINCRBYFLOAT h a 0.5", "$3 1.5")
	if last != "HSET h a 1.5" {
		t.Errorf("effect %s", last)
	}
	n.want(cl, "HEXPIRE h 100 FIELDS 1 a", "*1 :1")
	n.want(cl, "HINCRBYFLOAT h a 0.5", "$1 2")
	if last != "HSETEX h KEEPTTL FIELDS 1 a 2" {
		t.Errorf("effect %s", last)
	}
	n.want(cl, "HTTL h FIELDS 1 a", "*1 :100")
}
