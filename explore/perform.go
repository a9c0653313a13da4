package explore

import (
	"fmt"
	"strconv"
	"strings"

	"minikv/lua"
	"minikv/lua/vm"
	"minikv/resp"
)

// failure says how a call hands an error to its program.
type failure uint8

const (
	raise   failure = iota // as redis.call
	asTable                // as redis.pcall
	asText                 // nil and the text, as a client library
)

// moves are the functions that a program does something with.
func (m *machine) moves() map[string]vm.Native {
	act := func(kind actionKind, read func(c vm.Call) action, result func(c vm.Call, seen string) int) vm.Native {
		return func(c vm.Call) int {
			a := read(c)
			a.kind = kind
			return result(c, m.perform(c, a))
		}
	}
	nothing := func(vm.Call) action { return action{} }
	millis := func(c vm.Call) action { return action{n: m.number(c, 1)} }
	words := func(c vm.Call) action { return action{text: m.text(c, 1)} }
	silent := func(vm.Call, string) int { return 0 }
	number := func(c vm.Call, seen string) int {
		n, _ := strconv.ParseFloat(seen, 64)
		return c.Return(vm.Number(n))
	}
	return map[string]vm.Native{
		"node":     func(c vm.Call) int { return m.call(c, 2, int(m.number(c, 1)), asText) },
		"eval":     m.eval,
		"sleep":    act(actSleep, millis, silent),
		"each":     func(c vm.Call) int { return m.call(c, 1, everyNode, asText) },
		"work":     act(actWork, millis, silent),
		"now":      act(actNow, nothing, number),
		"finished": act(actCount, nothing, number),
		"enter":    act(actEnter, nothing, silent),
		"leave":    act(actLeave, nothing, silent),
		"believe":  act(actBelieve, millis, silent),
		"fail":     act(actFail, words, silent),
		"show":     act(actShow, words, silent),
		"note":     act(actNote, words, silent),
		"choose":   act(actChoose, m.choices, number),
		"write":    act(actWrite, millis, func(c vm.Call, seen string) int { return c.Return(vm.Bool(seen == "1")) }),
		"token":    m.token,
		"sha1":     func(c vm.Call) int { return c.Return(vm.String(lua.SHA1([]byte(m.text(c, 1))))) },
		"__from":   m.fromAttempt,
		"__attempt": func(c vm.Call) int {
			if n := int(m.number(c, 1)); n != m.run.attempt {
				m.perform(c, action{kind: actAttempt, n: int64(n)})
			}
			m.run.tokens = 0
			return 0
		},
	}
}

func (m *machine) choices(c vm.Call) action {
	n := m.number(c, 1)
	if n < 1 || n > 9 {
		m.wrong(c, "choose takes a number from 1 to 9")
	}
	return action{n: n}
}

// fromAttempt says with which attempt a run begins. An attempt knows nothing
// of those before it, so a run needs no record of them.
func (m *machine) fromAttempt(c vm.Call) int {
	m.run.begun = true
	return c.Return(vm.Number(float64(max(m.run.attempt, 1))))
}

// token makes a text that no other attempt uses: the client's name and a
// number.
func (m *machine) token(c vm.Call) int {
	if !m.run.inside || m.run.program < 0 {
		m.wrong(c, "only a client's program can do this")
	}
	m.run.tokens++
	text := m.run.scenario.clients[m.run.program].name + strconv.Itoa(max(m.run.attempt, 1)+m.run.tokens-1)
	if m.mut != nil && m.mut.sameToken {
		m.mut.used = true
		text = "1"
	}
	return c.Return(vm.String(text))
}

// call sends a command whose words begin at argument from.
func (m *machine) call(c vm.Call, from, node int, mode failure) int {
	var argv []string
	for i := from; i <= c.N(); i++ {
		argv = append(argv, m.text(c, i))
	}
	return m.send(c, argv, node, mode)
}

// eval sends a script: eval(script, keys, args).
func (m *machine) eval(c vm.Call) int {
	list := func(i int) (words []string) {
		if c.Arg(i).IsNil() {
			return nil
		}
		t := m.table(c, i)
		for k := range t.Len() {
			v := t.Element(k + 1)
			text, ok := v.Text()
			if !ok {
				m.wrong(c, fmt.Sprintf("argument %d must list strings and numbers", i))
			}
			words = append(words, text)
		}
		return words
	}
	keys := list(2)
	argv := append([]string{"EVAL", m.text(c, 1), strconv.Itoa(len(keys))}, keys...)
	return m.send(c, append(argv, list(3)...), 0, asText)
}

// send sends a command. A reply that the program surely does not look at is not
// put on record.
func (m *machine) send(c vm.Call, argv []string, node int, mode failure) int {
	a := action{kind: actCall, node: node, argv: argv, blind: mode == asText && c.Ignored()}
	if len(a.argv) == 0 {
		m.wrong(c, "a command is missing")
	}
	if m.mut != nil && m.mut.change != nil && m.run.program >= 0 {
		a.argv = m.mut.change(m.mut, a.argv)
	}
	seen := m.perform(c, a)
	if a.blind {
		return 0
	}
	if text, failed := strings.CutPrefix(seen, "!"); failed {
		return m.failed(c, mode, text)
	}
	v, _, err := resp.Decode([]byte(seen))
	if err != nil {
		return m.wrong(c, "a reply cannot be read: "+err.Error())
	}
	if v.IsError() {
		return m.failed(c, mode, v.Str)
	}
	return c.Return(m.fromReply(v))
}

// failed hands an error to the program.
func (m *machine) failed(c vm.Call, mode failure, text string) int {
	if mode == asText {
		return c.Return2(vm.Value{}, vm.String(text))
	}
	t := m.field("err", text)
	if mode == raise {
		c.Throw(t)
	}
	return c.Return(t)
}

func (m *machine) field(name, text string) vm.Value {
	t := m.vm.NewTable(0, 1)
	t.SetField(name, vm.String(text))
	return vm.TableValue(t)
}

// fromReply converts a reply as redis.call does.
func (m *machine) fromReply(v resp.Value) vm.Value {
	switch {
	case v.IsNull():
		return vm.False
	case v.Type == resp.TypeStatus:
		return m.field("ok", v.Str)
	case v.IsError():
		return m.field("err", v.Str)
	case v.Type == resp.TypeInt:
		return vm.Number(float64(v.Int))
	case v.Type == resp.TypeArray:
		t := m.vm.NewTable(len(v.Elems), 0)
		for i, el := range v.Elems {
			t.SetElement(i+1, m.fromReply(el))
		}
		return vm.TableValue(t)
	}
	return vm.String(v.Str)
}
