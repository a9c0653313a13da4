package compat_test

import (
	"bufio"
	"bytes"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"minikv/engine"
	"minikv/engine/config"
	"minikv/resp"
)

// TestCommandInfoIsRedis7 compares what COMMAND INFO says of every command,
// field by field, with a real redis-server 7.0, whose version is emulated.
func TestCommandInfoIsRedis7(t *testing.T) {
	t.Parallel()
	ask := redis7(t)
	theirs, err := described(ask("COMMAND"))
	if err != nil {
		t.Fatal(err)
	}
	ours, err := described(engine7(t)("COMMAND"))
	if err != nil {
		t.Fatal(err)
	}
	missing := 0
	for name, want := range theirs {
		got, have := ours[name]
		if !have {
			missing++
			continue
		}
		for _, field := range slices.Sorted(fields(want)) {
			if want[field] != got[field] {
				t.Errorf("%s: %s is %s, want %s", name, field, got[field], want[field])
			}
		}
	}
	for name := range ours {
		if theirs[name] == nil && !strings.HasPrefix(name, "minikv.") {
			t.Errorf("%s: Redis 7.0 does not have it", name)
		}
	}
	t.Logf("%d commands compared, %d of Redis's are not there", len(ours), missing)
}

// TestCommandCountIsThatOfTheList checks the three ways of counting commands;
// LIST alone names subcommands too.
func TestCommandCountIsThatOfTheList(t *testing.T) {
	t.Parallel()
	ask := engine7(t)
	count, list, infos := ask("COMMAND", "COUNT"), ask("COMMAND", "LIST"), ask("COMMAND", "INFO")
	words := slices.DeleteFunc(slices.Clone(list.Elems), func(v resp.Value) bool { return strings.Contains(v.Str, "|") })
	if count.Int == 0 || int(count.Int) != len(words) || len(words) != len(infos.Elems) || len(words) == len(list.Elems) {
		t.Errorf("COUNT %d, LIST %d of %d, INFO %d", count.Int, len(words), len(list.Elems), len(infos.Elems))
	}
}

// asker sends a command and answers the reply, in RESP3.
type asker func(args ...string) resp.Value

// engine7 is an engine that emulates Redis 7.0.
func engine7(t testing.TB) asker {
	conf := config.New()
	if err := conf.Apply("redis-version", []string{"7.0"}, "test"); err != nil {
		t.Fatal(err)
	}
	e := engine.New(engine.Options{Config: conf})
	cl := e.Connect(1, engine.ConnInfo{})
	ask := func(args ...string) resp.Value {
		argv := make([][]byte, len(args))
		for i, arg := range args {
			argv[i] = []byte(arg)
		}
		e.Do(cl, 1, argv)
		v, _, err := resp.Decode(bytes.Join(cl.Output(nil), nil))
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	ask("HELLO", "3")
	return ask
}

// redis7 starts a redis-server for this test; its version must be 7.0.
func redis7(t testing.TB) asker {
	path := requireRedis(t)
	socket := filepath.Join(t.TempDir(), "redis.sock")
	cmd := exec.Command(path, "--port", "0", "--unixsocket", socket, "--save", "", "--dir", filepath.Dir(socket))
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		cmd.Process.Kill()
		cmd.Wait()
	})
	conn := dialWhenReady(t, socket)
	reader := resp.NewReader(bufio.NewReader(conn))
	ask := func(args ...string) resp.Value {
		var b []byte
		b = fmt.Appendf(b, "*%d\r\n", len(args))
		for _, arg := range args {
			b = fmt.Appendf(b, "$%d\r\n%s\r\n", len(arg), arg)
		}
		if _, err := conn.Write(b); err != nil {
			t.Fatal(err)
		}
		v, err := reader.Read()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	hello := ask("HELLO", "3")
	if version := entry(hello, "version").Str; !strings.HasPrefix(version, "7.0.") {
		if os.Getenv("MINIKV_REQUIRE_REDIS") != "" {
			t.Fatalf("redis-server is %s, want 7.0", version)
		}
		t.Skipf("redis-server is %s, not 7.0", version)
	}
	return ask
}

func dialWhenReady(t testing.TB, socket string) net.Conn {
	deadline := time.Now().Add(20 * time.Second)
	for {
		conn, err := net.Dial("unix", socket)
		if err == nil {
			t.Cleanup(func() { conn.Close() })
			return conn
		}
		if time.Now().After(deadline) {
			t.Fatal(err)
		}
		time.Sleep(5 * time.Millisecond)
	}
}

// entry is a map's value.
func entry(m resp.Value, key string) resp.Value {
	for i := 0; i+1 < len(m.Elems); i += 2 {
		if m.Elems[i].Str == key {
			return m.Elems[i+1]
		}
	}
	return resp.Value{}
}

// described maps command names, subcommands too, to what COMMAND says of each
// by field, as text in which sets are sorted.
func described(commands resp.Value) (map[string]map[string]string, error) {
	all := make(map[string]map[string]string)
	for _, c := range commands.Elems {
		if len(c.Elems) != 10 {
			return nil, fmt.Errorf("a command has %d fields: %v", len(c.Elems), c)
		}
		fields := make(map[string]string)
		for i, name := range []string{"name", "arity", "flags", "first", "last", "step", "categories", "tips", "keys"} {
			v := c.Elems[i]
			if name == "keys" {
				fields[name] = specText(v)
				continue
			}
			fields[name] = setText(v)
		}
		subs, err := described(c.Elems[9])
		if err != nil {
			return nil, err
		}
		for name, sub := range subs {
			all[name] = sub
		}
		all[c.Elems[0].Str] = fields
	}
	return all, nil
}

func fields(m map[string]string) func(func(string) bool) {
	return func(yield func(string) bool) {
		for name := range m {
			if !yield(name) {
				return
			}
		}
	}
}

// setText is a value as text; a set's elements are sorted.
func setText(v resp.Value) string {
	if v.Type != resp.TypeSet {
		return v.String()
	}
	var elems []string
	for _, e := range v.Elems {
		elems = append(elems, e.Str)
	}
	slices.Sort(elems)
	return "{" + strings.Join(elems, " ") + "}"
}

// specText is the key specifications as text, in their order.
func specText(specs resp.Value) string {
	var b strings.Builder
	for _, spec := range specs.Elems {
		b.WriteString("(")
		for i := 0; i+1 < len(spec.Elems); i += 2 {
			name, v := spec.Elems[i].Str, spec.Elems[i+1]
			if v.Type == resp.TypeMap {
				fmt.Fprintf(&b, " %s=%s%v", name, entry(v, "type").Str, entry(v, "spec").Elems)
				continue
			}
			fmt.Fprintf(&b, " %s=%s", name, setText(v))
		}
		b.WriteString(" )")
	}
	return b.String()
}
