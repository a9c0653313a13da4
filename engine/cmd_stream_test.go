package engine_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"minikv/engine"
	"minikv/engine/config"
)

// TestStreamEffects: what happened to a stream is said in commands that do it
// again.
func TestStreamEffects(t *testing.T) {
	t.Parallel()
	now := fmt.Sprint(int64(virtualStart) / 1000)
	testEffects(t, []effectTest{
		{"", "XADD s * f v", "XADD s " + now + "-0 f v"},
		{"XADD s 1-1 f v", "XADD s 1-* LIMIT v", "XADD s 1-2 LIMIT v"},
		{"XADD s 1-1 f v", "XADD s MAXLEN ~ 0 LIMIT 5 2-1 LIMIT v", "XADD s MAXLEN = 0 2-1 LIMIT v"},
		{"XADD s 1-1 f v", "XADD s MINID ~ 1 2-1 f v", "XADD s MAXLEN = 2 2-1 f v"},
		{"XADD s 1-1 f v", "XTRIM s MAXLEN ~ 0 LIMIT 9", "XTRIM s MAXLEN = 0"},
		{"XADD s 1-1 f v", "XTRIM s MAXLEN ~ 1", ""},
		{"XADD s 1-1 f v", "XDEL s 2-2", ""},
		{"XADD s 1-1 f v", "XGROUP CREATE s g $", "XGROUP CREATE s g $"},
		{"XGROUP CREATE s g 0 MKSTREAM", "XREADGROUP GROUP g c STREAMS s >", ""},
	})
}

// TestStreamDeliveriesAreEffects: a delivery is said as the claim that makes it
// again, whatever was asked for.
func TestStreamDeliveriesAreEffects(t *testing.T) {
	t.Parallel()
	var got []string
	e := engine.New(engine.Options{Effects: func(f engine.Effect) {
		got = append(got, string(bytes.Join(f.Argv, []byte(" "))))
	}})
	replies(e, "XADD s 1-1 f v", "XADD s 2-1 f v", "XGROUP CREATE s g 0")
	got = nil
	replies(e, "XREADGROUP GROUP g c COUNT 1 STREAMS s >")
	now := fmt.Sprint(int64(virtualStart) / 1000)
	want := "MULTI|XGROUP CREATECONSUMER s g c|XCLAIM s g c 0 1-1 TIME " + now +
		" RETRYCOUNT 1 FORCE JUSTID LASTID 1-1|XGROUP SETID s g 1-1 ENTRIESREAD 1|EXEC"
	if text := strings.Join(got, "|"); text != want {
		t.Errorf("%q, want %q", text, want)
	}
}

// streamCommand draws a command on streams x0 and x1.
func streamCommand(t *rapid.T) string {
	pick := func(of ...string) string { return rapid.SampledFrom(of).Draw(t, "word") }
	id := func() string {
		return fmt.Sprintf("%d-%d", rapid.IntRange(0, 30).Draw(t, "ms"), rapid.IntRange(0, 2).Draw(t, "seq"))
	}
	trim := func() string {
		return pick("MAXLEN ", "MAXLEN ~ ") + fmt.Sprint(rapid.IntRange(0, 9).Draw(t, "maxlen")) + " "
	}
	key, group, consumer := pick("x0", "x0", "x1"), pick("g", "h"), pick("c", "d")
	in := key + " " + group + " "
	switch rapid.IntRange(0, 19).Draw(t, "command") {
	case 0, 1, 2:
		return "XADD " + key + " " + pick("* ", "* ", fmt.Sprint(rapid.IntRange(0, 40).Draw(t, "ms"))+"-* ") + "f v"
	case 3:
		return "XADD " + key + " " + trim() + "* f v g " + pick("1", "-5000", "text")
	case 4:
		return "XADD " + key + " MINID " + pick("", "~ ") + id() + " " + id() + " f v"
	case 5:
		return "XTRIM " + key + " " + trim()
	case 6:
		return "XDEL " + key + " " + id() + " " + id()
	case 7:
		return "XGROUP CREATE " + in + pick("0", "$", id()) + " MKSTREAM"
	case 8:
		return "XGROUP " + pick("SETID "+in+id(), "DESTROY "+in, "CREATECONSUMER "+in+consumer, "DELCONSUMER "+in+consumer)
	case 9, 10:
		return "XREADGROUP GROUP " + group + " " + consumer + pick("", " COUNT 2") + pick("", "", " NOACK") + " STREAMS " + key + " >"
	case 11:
		return "XREADGROUP GROUP " + group + " " + consumer + " STREAMS x0 x1 " + pick("0 >", "> 0", "> >")
	case 12:
		return "XACK " + in + id() + " " + id()
	case 13:
		return "XCLAIM " + in + consumer + " 0 " + id() + " " + id() + pick("", " FORCE", " JUSTID", " RETRYCOUNT 5", " LASTID 9-9")
	case 14:
		return "XAUTOCLAIM " + in + consumer + " 0 - COUNT 2" + pick("", " JUSTID")
	case 15:
		return "XSETID " + key + " " + id() + pick("", " ENTRIESADDED 50", " MAXDELETEDID 3-3")
	}
	ids := " IDS 2 " + id() + " " + id()
	switch rapid.IntRange(0, 4).Draw(t, "newer command") {
	case 0:
		return "XDELEX " + key + pick("", " DELREF", " ACKED") + ids
	case 1:
		return "XACKDEL " + in + pick("", " DELREF", " ACKED") + ids
	case 2:
		return "XNACK " + in + pick("SILENT", "FAIL", "FATAL") + ids + pick("", " FORCE")
	case 3:
		return "XTRIM " + key + " " + trim() + pick("ACKED", "DELREF")
	}
	return pick("DEL "+key, "COPY x0 x1 REPLACE")
}

// TestStreamEffectsDoItAgain runs random commands, and their effects in another
// engine: both must come to the same.
func TestStreamEffectsDoItAgain(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		verify := func(err error) { t.Fatal(err) }
		copied := engine.New(engine.Options{Verify: verify})
		link := copied.Connect(virtualStart, engine.ConnInfo{})
		e := engine.New(engine.Options{Verify: verify, Effects: func(f engine.Effect) { copied.Do(link, virtualStart, f.Argv) }})
		for _, en := range []*engine.Engine{e, copied} {
			replies(en, "CONFIG SET stream-node-max-entries 3")
		}
		for range rapid.IntRange(1, 60).Draw(t, "commands") {
			line := streamCommand(t)
			replies(e, line)
			state := []string{"XINFO STREAM x0 FULL COUNT 0", "XINFO STREAM x1 FULL COUNT 0", "XINFO STREAM x0", "XINFO STREAM x1"}
			if here, there := replies(e, state...), replies(copied, state...); here != there {
				at := 0
				for at < min(len(here), len(there)) && here[at] == there[at] {
					at++
				}
				from := max(0, at-100)
				t.Fatalf("after %s:\n...%.200q\nand by effects\n...%.200q", line, here[from:], there[from:])
			}
		}
	})
}

func BenchmarkXAdd(b *testing.B) { benchCommand(b, "XADD s MAXLEN ~ 1000 * field value number 12345") }

func BenchmarkXRange(b *testing.B) {
	setup := []string{}
	for i := range 1000 {
		setup = append(setup, fmt.Sprintf("XADD s %d-1 field value number %d", i+1, i))
	}
	b.Run("10", func(b *testing.B) { benchCommand(b, "XRANGE s 500 + COUNT 10", setup...) })
	b.Run("all", func(b *testing.B) { benchCommand(b, "XRANGE s - +", setup...) })
}

// TestStreamsOfOtherVersions: what came later is not there before, and what
// changed answers as its version did.
func TestStreamsOfOtherVersions(t *testing.T) {
	t.Parallel()
	setup := []string{"XADD s 1-1 f v", "XGROUP CREATE s g 0"}
	for _, test := range []struct{ version, command, reply string }{
		{"7.0", "XDELEX s IDS 1 1-1", "-ERR unknown command 'XDELEX', with args beginning with: 's' 'IDS' '1' '1-1' \r\n"},
		{"8.0", "XTRIM s MAXLEN 1 KEEPREF", "-ERR syntax error\r\n"},
		{"8.2", "XTRIM s MAXLEN 1 KEEPREF", ":0\r\n"},
		{"8.4", "XADD s IDMP p i * f v", "-ERR Invalid stream ID specified as stream command argument\r\n"},
		{"7.2", "XREAD STREAMS s +", "-ERR Invalid stream ID specified as stream command argument\r\n"},
		{"7.2", "XREADGROUP GROUP g c STREAMS s +", "-ERR Invalid stream ID specified as stream command argument\r\n"},
		{"valkey-8.0", "XREAD STREAMS none +", "*-1\r\n"},
		{"8.2", "XREADGROUP GROUP g c CLAIM 5 STREAMS s >", "-ERR syntax error\r\n"},
		{"8.2", "XREAD CLAIM 5 STREAMS s 0", "-ERR syntax error\r\n"},
		{"8.8", "XREAD MAXCOUNT 5 STREAMS s 0", "-ERR syntax error\r\n"},
		{"7.0", "XREAD STREAMS s t 0", "-ERR Unbalanced XREAD list of streams: for each stream key an ID or '$' must be specified.\r\n"},
		{"7.2", "XREAD STREAMS s t 0", "-ERR Unbalanced 'xread' list of streams: for each stream key an ID or '$' must be specified.\r\n"},
		{"7.2", "XREADGROUP GROUP g c STREAMS s t 0", "-ERR Unbalanced 'xreadgroup' list of streams: for each stream key an ID or '>' must be specified.\r\n"},
	} {
		if got := replies(emulating(test.version, setup...), test.command); got != test.reply {
			t.Errorf("%s: %s: %q, want %q", test.version, test.command, got, test.reply)
		}
	}
	for _, test := range []struct{ version, commands, want string }{
		{"7.0", "XREADGROUP GROUP g c STREAMS s >|XREADGROUP GROUP g d STREAMS s >|XINFO CONSUMERS s g", "*1\r\n*6\r\n$4\r\nname\r\n$1\r\nc\r\n"},
		{"7.2", "XREADGROUP GROUP g c STREAMS s >|XREADGROUP GROUP g d STREAMS s >|XINFO CONSUMERS s g", "$4\r\nidle\r\n:0\r\n$8\r\ninactive\r\n:-1\r\n"},
		{"7.2", "XCLAIM s g c 0 9-9|XAUTOCLAIM s g d 0 -|XINFO GROUPS s", "$9\r\nconsumers\r\n:2\r\n"},
		{"7.2", "XREADGROUP GROUP g c STREAMS s >|XINFO STREAM s FULL", "$11\r\nactive-time\r\n:" + fmt.Sprint(int64(virtualStart)/1000) + "\r\n"},
		{"8.8", "XREADGROUP GROUP g c STREAMS s >|XNACK s g FAIL IDS 1 1-1|XINFO STREAM s FULL", "$9\r\npel-count\r\n:1\r\n$12\r\nnacked-count\r\n:1\r\n"},
		{"8.6", "XADD s IDMP p i * f v|XADD s IDMP p i * f v|XCFGSET s IDMP-MAXSIZE 7|XINFO STREAM s",
			"$13\r\nidmp-duration\r\n:100\r\n$12\r\nidmp-maxsize\r\n:7\r\n$12\r\npids-tracked\r\n:0\r\n$12\r\niids-tracked\r\n:0\r\n$10\r\niids-added\r\n:1\r\n$15\r\niids-duplicates\r\n:1\r\n"},
		{"8.6", "CONFIG SET stream-idmp-maxsize 1|XADD s IDMP p i * f v|XADD s IDMP p j * f v|XINFO STREAM s FULL",
			"$12\r\npids-tracked\r\n:1\r\n$12\r\niids-tracked\r\n:1\r\n$10\r\niids-added\r\n:2\r\n"},
	} {
		if got := replies(emulating(test.version, setup...), strings.Split(test.commands, "|")...); !strings.Contains(got, test.want) {
			t.Errorf("%s: %s: %q lacks %q", test.version, test.commands, got, test.want)
		}
	}
}

// emulating is an engine of a version that has run some commands.
func emulating(version string, setup ...string) *engine.Engine {
	conf := config.New()
	conf.RedisVersion = version
	e := engine.New(engine.Options{Config: conf})
	replies(e, setup...)
	return e
}
