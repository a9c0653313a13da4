package engine

import (
	"bytes"
	"testing"

	"minikv/engine/config"
)

// FuzzSetUser gives a user any rules: what it is then told as makes the same
// user again, and every question about it has an answer.
func FuzzSetUser(f *testing.F) {
	for _, seed := range []string{
		"on\n>pw\n+@all\n~*\n&*", "+get\n-@all\n+config|get\n+select|0", "(+get\n~a\n)", "( +@read %R~a* &b )", "%RW~x\n%R~x\n&y", "+@all\n-@write\n-config|set",
		"#30c952fab122c3f9759f02a6d95c3758b246b4fee239957b2d4fee46e26170c4\nreset\nsanitize-payload", "+get|\x00\n\n ( ", "(((\n)))", "+|\n-|\n+@\n%\n~\n&\n>\n<\n#\n!",
	} {
		f.Add([]byte(seed), uint8(0))
	}
	f.Fuzz(func(t *testing.T, rules []byte, kind uint8) {
		if len(rules) > 4096 {
			return
		}
		conf := config.New()
		conf.RedisVersion = []string{"", "7.0", "7.2"}[kind%3]
		e := New(Options{Config: conf})
		u := e.newUser("u")
		words, unclosed := joinSelectors(bytes.Split(rules, []byte("\n")))
		if unclosed != nil {
			return
		}
		for _, rule := range words {
			if len(rule) > 0 && rule[0] != '(' && bytes.ContainsAny(rule, " \t\r\v\f\x00") {
				return // a first argument with a space is taken, as by Redis, and no file can tell it
			}
			if len(rule) > 1 && rule[0] == '(' && bytes.ContainsAny(rule[1:len(rule)-1], "()") {
				return // nor a selector's pattern with a parenthesis
			}
			if err := e.applyRule(u, rule); err != nil {
				return
			}
		}
		u.setLimited()
		told := e.describeUser(u)
		again, err := e.readACL("file", []byte("user "+told+"\n"))
		if err != nil {
			t.Fatalf("%q is told as %q, which is refused: %v", rules, told, err)
		}
		if got := e.describeUser(again["u"]); got != told {
			t.Fatalf("%q is told as %q, and that as %q", rules, told, got)
		}
		for _, cmd := range e.table.all {
			a, b := u.root.allows(cmd, nil), again["u"].root.allows(cmd, nil)
			if a != b {
				t.Fatalf("%q: told as %q, which has another %s", rules, told, cmd.lower)
			}
		}
		e.check(u, e.table.find([]byte("mget")), [][]byte{[]byte("MGET"), rules, []byte("a")})
		e.check(u, e.table.find([]byte("psubscribe")), [][]byte{[]byte("PSUBSCRIBE"), rules})
	})
}

// FuzzACLFile reads any file: it is refused, or what it makes can be written
// and read again.
func FuzzACLFile(f *testing.F) {
	for _, seed := range []string{
		"user default on nopass ~* &* +@all\nuser a on >pw +get ~a (+set ~b)\n", "user a on\nuser a on\n", "usr b\n", "user \n", "user a (+get", "\t user  b  on \r\n\n",
		"# no comment\n", "user a +nosuch\nuser b ~* ~a\n", "user a ( +get ~z )\nuser b !zz", "user a \x00on\nuser \xff on",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		if len(text) > 4096 {
			return
		}
		e := New(Options{})
		if e.LoadACL("file", text, nil) != nil {
			return
		}
		saved := e.ACLFile()
		other := New(Options{})
		if err := other.LoadACL("file", saved, nil); err != nil {
			t.Fatalf("%q makes %q, which is refused: %v", text, saved, err)
		}
		if got := other.ACLFile(); !bytes.Equal(got, saved) {
			t.Fatalf("%q makes %q, and that %q", text, saved, got)
		}
	})
}
