package explore

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/zeebo/xxh3"

	"minikv/engine"
)

// symmetry merges worlds that differ only in who is who.
//
// Clients of one group run the same program and differ in their names alone,
// which they have in their tokens. Exchange two of them everywhere, in what
// they are about to do and in all data, and the world goes on as before with
// the two exchanged: what is reachable, and which properties are broken, is the
// same. So of all worlds that come from each other by such exchanges one is
// gone into: its key is the smallest hash that an exchange gives.
//
// That is true only if nobody looks into a token but to compare it with
// another. It is not believed but watched: a program that did would do
// something that is no renaming of what its like does after the same replies,
// and the file or a script would name a token or take it apart. Once that shows
// the search begins anew without (see errNotAlike). A node's state can be
// renamed if it has strings alone, and no client's connection there differs
// from another's, as by WATCH or BLPOP; with another state there a world stands
// for itself.
type symmetry struct {
	clients []clientDecl
	swaps   []swap // the first changes nothing
	texts   map[string]int32
	acts    map[int32]string // what is done at a point, by its number for a swap
	broken  bool             // clients of one group are not alike
}

// swap is a way to exchange clients: client i becomes who[i]. Its numbers stand
// for what the exchange makes of points, states, replies and units: 0 is not
// known yet.
type swap struct {
	who    [maxClients]int8
	letter [256]byte
	points []int32
	states []int32
	seen   []int32
	units  []int32
}

// maxSwaps bounds the work for one world.
const maxSwaps = 24

// newSymmetry finds the exchanges; nil if there is none.
func newSymmetry(s *Scenario) *symmetry {
	y := &symmetry{clients: s.clients, texts: map[string]int32{}, acts: map[int32]string{}}
	var who [maxClients]int8
	y.permute(&who, 0, 0)
	if len(y.swaps) < 2 || len(y.swaps) > maxSwaps {
		return nil
	}
	for i, c := range s.clients {
		if c.acts != i {
			return nil
		}
	}
	if rename(string(s.Source), func(byte) byte { return '?' }, y.named) != string(s.Source) {
		return nil
	}
	return y
}

// permute lists all exchanges within groups, by client.
func (y *symmetry) permute(who *[maxClients]int8, at int, used uint8) {
	if len(y.swaps) > maxSwaps {
		return
	}
	if at == len(y.clients) {
		v := swap{who: *who}
		for i, c := range y.clients {
			v.letter[c.name[0]] = y.clients[who[i]].name[0]
		}
		y.swaps = append(y.swaps, v)
		return
	}
	for to, c := range y.clients {
		if c.group == y.clients[at].group && used>>to&1 == 0 {
			who[at] = int8(to)
			y.permute(who, at+1, used|1<<to)
		}
	}
}

// named tells whether a letter is a client's name.
func (y *symmetry) named(letter byte) bool {
	return slices.ContainsFunc(y.clients, func(c clientDecl) bool { return c.name[0] == letter })
}

// rename changes the letter of each token in a text: a name with a number
// behind it that is a word of its own.
func rename(text string, to func(byte) byte, named func(byte) bool) string {
	var out []byte
	for i := 0; i+1 < len(text); i++ {
		if !digit(text[i+1]) || !named(text[i]) || i > 0 && wordly(text[i-1]) {
			continue
		}
		end := i + 2
		for end < len(text) && digit(text[end]) {
			end++
		}
		if end == len(text) || !wordly(text[end]) {
			if out == nil {
				out = []byte(text)
			}
			out[i] = to(text[i])
		}
	}
	if out == nil {
		return text
	}
	return string(out)
}

func digit(c byte) bool { return c >= '0' && c <= '9' }

func wordly(c byte) bool {
	return digit(c) || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_' || c >= 0x80
}

// text is a text with the clients exchanged.
func (y *symmetry) text(v *swap, text string) string {
	return rename(text, func(c byte) byte { return v.letter[c] }, y.named)
}

func (y *symmetry) all(v *swap, texts []string) []string {
	out := make([]string, len(texts))
	for i, t := range texts {
		out[i] = y.text(v, t)
	}
	return out
}

// number is a text's, from 1.
func (y *symmetry) number(text string) int32 {
	n, ok := y.texts[text]
	if !ok {
		n = int32(len(y.texts) + 1)
		y.texts[text] = n
	}
	return n
}

// known looks a number up in a list, or finds it.
func known(list *[]int32, at int32, find func() int32) int32 {
	for int(at) >= len(*list) {
		*list = append(*list, make([]int32, max(64, len(*list)))...)
	}
	if (*list)[at] == 0 {
		n := find()
		(*list)[at] = n
	}
	return (*list)[at]
}

// pointAs is a client's point with the clients exchanged.
func (x *sim) pointAs(v *swap, who int8, at *point) int32 {
	y := x.sym
	return known(&v.points, at.number, func() int32 {
		act := &at.act
		does := fmt.Sprintf("%d %d %q %d %q %t", act.kind, act.node, y.all(v, act.argv), act.n, y.text(v, act.text), act.blind)
		text := fmt.Sprintf("point %d %d %q", v.who[who], at.attempt, y.all(v, at.record()))
		if at.ahead != nil {
			text = fmt.Sprintf("ahead %d %s", v.who[who], does)
			for _, to := range at.ahead {
				text += fmt.Sprint(" ", x.pointAs(v, who, to))
			}
		}
		n := y.number(text)
		if did, ok := y.acts[n]; ok && did != does {
			y.broken = true
		}
		y.acts[n] = does
		return n
	})
}

// stateAs is a node's state with the clients exchanged.
func (x *sim) stateAs(v *swap, state int32) int32 {
	return known(&v.states, state, func() int32 {
		st := &x.store.states[state]
		if !st.simple {
			return x.sym.number(fmt.Sprint("state ", state))
		}
		return x.sym.number(fmt.Sprintf("state %q", x.sym.all(v, st.data)))
	})
}

func (x *sim) seenAs(v *swap, seen int32) int32 {
	return known(&v.seen, seen, func() int32 { return x.sym.number(fmt.Sprintf("seen %q", x.sym.text(v, x.seen[seen]))) })
}

func (x *sim) unitAs(v *swap, unit int32) int32 {
	return known(&v.units, unit, func() int32 {
		text := "unit"
		for _, argv := range x.store.units[unit] {
			for _, word := range argv {
				text += fmt.Sprintf(" %q", x.sym.text(v, string(word)))
			}
			text += "\n"
		}
		return x.sym.number(text)
	})
}

// exchangeable tells whether all of a world can be renamed.
func (x *sim) exchangeable(w *world) bool {
	for i := range w.nodes[:x.scenario.nodes] {
		if !x.store.states[w.nodes[i].state].simple {
			return false
		}
	}
	return true
}

// order is what a client is apart from its name, as far as it is quickly had:
// of the exchanges only those are looked at that leave the clients in order.
func (x *sim) order(w *world, who int) uint64 {
	c := &w.clients[who]
	h := uint64(c.phase) | uint64(c.paused)<<3 | uint64(flag(c.inside))<<5 | uint64(c.asked)<<6 | uint64(c.agreed)<<9
	for i := range w.nodes[:x.scenario.nodes] {
		if w.nodes[i].owners[0] == int8(who) {
			h |= 1 << (12 + i)
		}
	}
	return h ^ uint64(c.until)<<20 ^ uint64(c.belief)<<40
}

// key tells worlds apart, in 128 bits, and says by which exchange of clients it
// was had.
func (x *sim) key(w *world) (key [16]byte, who *[maxClients]int8) {
	y := x.sym
	if y == nil {
		return x.hash(w, nil).Bytes(), &unchanged
	}
	if !x.exchangeable(w) {
		return x.hash(w, &y.swaps[0]).Bytes(), &unchanged
	}
	var orders [maxClients]uint64
	for i := range y.clients {
		orders[i] = x.order(w, i)
	}
	var least xxh3.Uint128
	for i := range y.swaps {
		v := &y.swaps[i]
		if !v.sorts(y.clients, &orders) {
			continue
		}
		if k := x.hash(w, v); who == nil || k.Hi < least.Hi || k.Hi == least.Hi && k.Lo < least.Lo {
			least, who = k, &v.who
		}
	}
	return least.Bytes(), who
}

// unchanged exchanges nobody.
var unchanged = [maxClients]int8{0, 1, 2, 3, 4, 5}

// sorts tells whether clients of one group are in order after an exchange.
func (v *swap) sorts(clients []clientDecl, orders *[maxClients]uint64) bool {
	var to [maxClients]uint64
	for i := range clients {
		to[v.who[i]] = orders[i]
	}
	for i := 1; i < len(clients); i++ {
		if clients[i].group == clients[i-1].group && to[i] < to[i-1] {
			return false
		}
	}
	return true
}

// exchange moves the bits of a set of clients.
func exchange(mask uint8, who *[maxClients]int8) (out uint8) {
	for i, to := range who {
		out |= mask >> i & 1 << to
	}
	return out
}

// exchangeBack undoes it.
func exchangeBack(mask uint8, who *[maxClients]int8) (out uint8) {
	for i, to := range who {
		out |= mask >> to & 1 << i
	}
	return out
}

// notAlike tells whether it has shown that clients of one group differ.
func (x *sim) notAlike() bool { return x.symmetry && (x.store.looks || x.sym != nil && x.sym.broken) }

// blind are the commands that look at values at most to compare them.
var blind = func() map[string]bool {
	names := map[string]bool{}
	for name := range strings.FieldsSeq(`SET GET DEL UNLINK EXISTS SETNX SETEX PSETEX GETSET GETDEL DELEX DELIFEQ EXPIRE PEXPIRE PERSIST
		TTL PTTL PEXPIRETIME INCR INCRBY DECR DECRBY LPUSH RPUSH LPOP RPOP LLEN BLPOP BRPOP PUBLISH WAIT PING RESET TYPE
		WATCH UNWATCH MULTI EXEC DISCARD EVAL EVAL_RO EVALSHA SCRIPT|LOAD SCRIPT|KILL SCRIPT|FLUSH`) {
		names[name] = true
	}
	return names
}()

// looksInside tells whether what has just run may have looked into a token.
func (s *store) looksInside(argv [][]byte) bool {
	for _, c := range s.ran {
		if !blind[strings.ToUpper(c.name)] {
			return true
		}
	}
	if !isEval(string(argv[0])) {
		return false
	}
	for _, word := range [...]string{"string", "math", "sha1hex", "tonumber", "cjson", "cmsgpack", "struct", "bit", "load", "sort", "concat", "..", "<", ">", "#", ":"} {
		if strings.Contains(string(argv[1]), word) {
			return true
		}
	}
	return false
}

// describe lists what a node's state holds; simple is false if that is more
// than strings, or if clients' connections differ.
func (s *store) describe(now int64) (data []string, simple bool) {
	if !s.forgets {
		return nil, false
	}
	var first []byte
	for i, cl := range s.slots[:len(s.slots)-2] {
		s.buf = s.e.AppendState(s.buf[:0], []*engine.Client{cl})
		if i == 0 {
			first = bytes.Clone(s.buf)
		} else if !bytes.Equal(first, s.buf) {
			return nil, false
		}
	}
	for _, key := range s.do(s.observer(), now, "KEYS", "*").Elems {
		if s.do(s.observer(), now, "TYPE", key.Str).Str != "string" {
			return nil, false
		}
		value := s.do(s.observer(), now, "GET", key.Str)
		at := s.do(s.observer(), now, "PEXPIRETIME", key.Str)
		data = append(data, key.Str, value.Str, fmt.Sprint(at.Int))
	}
	return data, true
}
