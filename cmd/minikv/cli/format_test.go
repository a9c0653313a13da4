package cli

import (
	"bufio"
	"bytes"
	"flag"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"

	"minikv/resp"
)

// testdata/replies.txt is what redis-cli 7.0.15 shows of these replies; with
// -update it is written anew by the redis-cli that is installed.
var update = flag.Bool("update", false, "ask redis-cli for testdata/replies.txt")

const recorded = "testdata/replies.txt"

var replies = []string{
	"+OK\r\n", "-ERR no\r\n", ":1\r\n", ":-5\r\n", "$-1\r\n", "*-1\r\n", "_\r\n", "$5\r\nhello\r\n", "$0\r\n\r\n",
	"$17\r\na\"\\\n\r\t\b\f\a\x00\x01\x7f\xc3\xa9\xff'/\r\n", ",1.5\r\n", ",inf\r\n", ",-inf\r\n", ",10\r\n", ",1e+30\r\n", "#t\r\n", "#f\r\n",
	"=8\r\ntxt:a\nb\n\r\n", "*0\r\n", "%0\r\n", "~0\r\n",
	"*2\r\n$1\r\na\r\n:2\r\n",
	"*2\r\n*2\r\n$1\r\na\r\n*1\r\n$-1\r\n*0\r\n",
	"*2\r\n*2\r\n*2\r\n:1\r\n:2\r\n:3\r\n$1\r\nb\r\n",
	"*10\r\n" + strings.Repeat("$1\r\nx\r\n", 10),
	"%2\r\n$1\r\na\r\n:1\r\n$1\r\nb\r\n*2\r\n:1\r\n:2\r\n",
	"%1\r\n:5\r\n%1\r\n+x\r\n~1\r\n#t\r\n",
	"%2\r\n+x\r\n%2\r\n+a\r\n:1\r\n+b\r\n:2\r\n+y\r\n~2\r\n:1\r\n:2\r\n",
	"~2\r\n$1\r\na\r\n$1\r\nb\r\n",
	"*2\r\n-ERR x\r\n+OK\r\n",
	"*2\r\n%1\r\n+x\r\n+y\r\n,2.5\r\n",
	"%2\r\n+x\r\n_\r\n+y\r\n%0\r\n",
	"*1\r\n=5\r\ntxt:a\r\n",
	"*3\r\n_\r\n*-1\r\n#f\r\n",
	"%1\r\n,1.5\r\n#t\r\n",
	"%1\r\n*1\r\n:1\r\n:2\r\n",
	"%11\r\n" + strings.Repeat("+k\r\n*2\r\n:0\r\n:1\r\n", 11),
}

var formats = []struct {
	format Format
	option string
}{{Formatted, "--no-raw"}, {Raw, "--raw"}, {JSON, "--json"}}

func TestFormatsAreRedisCLIs(t *testing.T) {
	t.Parallel()
	if *update {
		record(t)
	}
	text, err := os.ReadFile(recorded)
	if err != nil {
		t.Fatal(err)
	}
	var wire string
	checked := 0
	for line := range strings.Lines(string(text)) {
		kind, quoted, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		want, err := strconv.Unquote(quoted)
		if err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		if kind == "reply" {
			wire = want
			continue
		}
		v, _, err := resp.Decode([]byte(wire))
		if err != nil {
			t.Fatalf("%q: %v", wire, err)
		}
		for _, f := range formats {
			if f.option == kind {
				checked++
				if got := f.format.show(v); got != want {
					t.Errorf("%q %s: %q, want %q", wire, kind, got, want)
				}
			}
		}
	}
	if checked != len(replies)*len(formats) {
		t.Errorf("%d texts are recorded, want %d", checked, len(replies)*len(formats))
	}
}

// What redis-cli cannot show.
func TestFormatsBeyondRedisCLI(t *testing.T) {
	t.Parallel()
	for wire, want := range map[string]string{
		"(12345678901234567890123\r\n": "(big number) 12345678901234567890123\n",
		"!5\r\nERR x\r\n":              "(error) ERR x\n",
		">2\r\n+a\r\n:1\r\n":           "1> a\n2> (integer) 1\n",
		",nan\r\n":                     "(double) nan\n",
	} {
		v, _, err := resp.Decode([]byte(wire))
		if err != nil {
			t.Fatal(err)
		}
		if got := Formatted.show(v); got != want {
			t.Errorf("%q: %q, want %q", wire, got, want)
		}
	}
}

// record asks redis-cli, which talks to a server that has one answer.
func record(t *testing.T) {
	var out bytes.Buffer
	for _, reply := range replies {
		addr := answering(t, reply)
		_, port, _ := net.SplitHostPort(addr)
		fmt.Fprintf(&out, "reply %s\n", strconv.QuoteToASCII(reply))
		for _, f := range formats {
			shown, err := exec.CommandContext(t.Context(), "redis-cli", "-p", port, f.option, "X").Output()
			if err != nil {
				t.Fatalf("%q: %v", reply, err)
			}
			fmt.Fprintf(&out, "%s %s\n", f.option, strconv.QuoteToASCII(string(shown)))
		}
	}
	if err := os.WriteFile(recorded, out.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
}

// answering is a server that answers an empty map to HELLO, and one reply to
// everything else.
func answering(t *testing.T, reply string) (addr string) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			go func() {
				defer conn.Close()
				in := resp.NewReader(bufio.NewReader(conn))
				for {
					v, err := in.Read()
					if err != nil || len(v.Elems) == 0 {
						return
					}
					answer := reply
					if strings.EqualFold(v.Elems[0].Str, "HELLO") {
						answer = "%0\r\n"
					}
					if _, err := io.WriteString(conn, answer); err != nil {
						return
					}
				}
			}()
		}
	}()
	return l.Addr().String()
}
