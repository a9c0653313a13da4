package oracle

import (
	"os"
	"testing"

	"minikv/engine/transcript"
)

// session shows every way in which a server can come to rest.
const session = `# config busy-reply-threshold 50
> SET k "v\x00"
OK
A> BLPOP l 0
(waiting)
B> BRPOP l 0
(waiting)
> RPUSH l x y z
(integer) 3
A: 1) "l"
A: 2) "x"
B: 1) "l"
B: 2) "z"
A> BLPOP q 0.05
(waiting)
# after 50ms
A: (nil array)
A> SUBSCRIBE c d
1) "subscribe"
2) "c"
3) (integer) 1
1) "subscribe"
2) "d"
3) (integer) 2
> PUBLISH c hello
(integer) 1
A: 1) "message"
A: 2) "c"
A: 3) "hello"
> CLIENT REPLY SKIP
> CLIENT PAUSE 50 WRITE
> SET k w
(waiting)
# after 50ms
: OK
# resp3
B> HGETALL k
(error) WRONGTYPE Operation against a key holding the wrong kind of value
B> QUIT
OK
(closed)
# let id
B> CLIENT ID
(integer) 1
> CLIENT KILL ID ${id}
(integer) 1
B: (closed)
B> MONITOR
OK
# matches OK\nB: [\d.]+ \[0 [\d.:]+\] "SET" "k" "x"
> SET k x
OK
> CLIENT KILL TYPE normal
(integer) 2
B: (closed)
> CLIENT KILL TYPE pubsub
(integer) 1
A: (closed)
C> CLIENT PAUSE 250
OK
> PING
(waiting)
# after 250ms
: PONG
> CLIENT PAUSE 250 ALL
OK
C> PING
(waiting)
# after 250ms
C: PONG
# any
> SCRIPT LOAD "while true do end"
"sha"
C> EVALSHA 694a5fe1ddb97a4c6a1bf299d9537c7d3d0f84e7 0
(waiting)
> SHUTDOWN NOSAVE
(closed)
C: (closed)
`

func TestRedisComesToRest(t *testing.T) {
	t.Parallel()
	path, version := installed(t)
	f, err := transcript.Parse("session", session)
	if err != nil {
		t.Fatal(err)
	}
	target, err := Start(path, f)
	if err != nil {
		t.Fatal(err)
	}
	defer target.Close()
	result, err := transcript.Run(f, target, version)
	if err != nil {
		t.Fatal(err)
	}
	if diff := transcript.Compare(f, result); diff != "" {
		t.Error("(- expected, + answered)\n" + diff)
	}
}

func TestConfigFromTheStart(t *testing.T) {
	t.Parallel()
	path, version := installed(t)
	const text = "# config requirepass secret\n# config databases 3\n> GET k\n(error) NOAUTH Authentication required.\n" +
		"> AUTH secret\nOK\n> SELECT 3\n(error) ERR DB index is out of range\n> BLPOP l 0\n(waiting)\n"
	f, err := transcript.Parse("config", text)
	if err != nil {
		t.Fatal(err)
	}
	target, err := Start(path, f)
	if err != nil {
		t.Fatal(err)
	}
	defer target.Close()
	result, err := transcript.Run(f, target, version)
	if err != nil {
		t.Fatal(err)
	}
	if diff := transcript.Compare(f, result); diff != "" {
		t.Error("(- expected, + answered)\n" + diff)
	}
}

func installed(t *testing.T) (string, transcript.Version) {
	t.Helper()
	path, version, err := Installed()
	switch {
	case err == nil:
	case os.Getenv("MINIKV_REQUIRE_REDIS") == "1":
		t.Fatal(err)
	default:
		t.Skip(err)
	}
	return path, version
}
