package main

import (
	"bytes"
	"fmt"
	"strings"
	"time"

	"minikv/engine"
)

// workload is a row: commands that are run one after the other, over and over.
// %04d in them is a number that counts up from round to round, below numbers.
type workload struct {
	name     string
	setup    []string
	commands []string
}

const (
	numbers = 1000
	rounds  = 5 * numbers
	release = "return redis.call('GET',KEYS[1])==ARGV[1]and(redis.call('DEL',KEYS[1]))or(0)"
)

var workloads = []workload{
	{"PING", nil, []string{"PING"}},
	{"SET", nil, []string{"SET key:%04d valuevaluevaluevalue"}},
	{"SET new, DEL", nil, []string{"SET key:%04d valuevaluevaluevalue", "DEL key:%04d"}},
	{"SET EX", nil, []string{"SET key:%04d value EX 100"}},
	{"SET NX EX held", nil, []string{"SET lock token NX EX 100"}},
	{"SET NX EX, release", nil, []string{"SET lock:%04d token NX EX 100", "EVALSHA @release 1 lock:%04d token"}},
	{"GET", []string{"SET key:%04d valuevaluevaluevalue"}, []string{"GET key:%04d"}},
	{"GET missing", []string{"SET other v"}, []string{"GET key:%04d"}},
	{"INCR", nil, []string{"INCR key:%04d"}},
	{"EXPIRE", []string{"SET key:%04d v"}, []string{"EXPIRE key:%04d 100"}},
	{"MSET of 10", nil, []string{"MSET a:%04d 1 b:%04d 2 c:%04d 3 d:%04d 4 e:%04d 5 f:%04d 6 g:%04d 7 h:%04d 8 i:%04d 9 j:%04d 10"}},
	{"LPUSH, RPOP", []string{"LPUSH l element:%04d"}, []string{"LPUSH l element:%04d", "RPOP l"}},
	{"LPUSH", nil, []string{"LPUSH l element:%04d"}},
	{"LRANGE of 100", []string{"RPUSH l element:%04d"}, []string{"LRANGE l 0 99"}},
	{"HSET", nil, []string{"HSET h field:%04d value"}},
	{"HSET packed", nil, []string{"HSET h:%04d name anne", "HSET h:%04d age 41", "HSET h:%04d town here"}},
	{"HGET", []string{"HSET h field:%04d value"}, []string{"HGET h field:%04d"}},
	{"HGET packed", []string{"HSET h name anne age 41 town here"}, []string{"HGET h town"}},
	{"SADD", nil, []string{"SADD s member:%04d"}},
	{"SADD numbers", nil, []string{"SADD s:%04d 5", "SADD s:%04d 3", "SADD s:%04d 4"}},
	{"SADD packed", nil, []string{"SADD s:%04d one", "SADD s:%04d two", "SADD s:%04d three"}},
	{"SISMEMBER", []string{"SADD s member:%04d"}, []string{"SISMEMBER s member:%04d"}},
	{"ZADD", nil, []string{"ZADD z %04d member:%04d"}},
	{"ZADD, ZPOPMIN", []string{"ZADD z %04d member:%04d"}, []string{"ZADD z %04d other:%04d", "ZPOPMIN z"}},
	{"ZRANGE of 10", []string{"ZADD z %04d member:%04d"}, []string{"ZRANGE z 500 509"}},
	{"XADD", nil, []string{"XADD x * field value:%04d"}},
	{"PUBLISH to nobody", nil, []string{"PUBLISH channel message:%04d"}},
	{"MULTI, INCR, EXEC", nil, []string{"MULTI", "INCR key:%04d", "EXEC"}},
}

// node is an engine with one client, whose output is taken as a loop does.
type node struct {
	e      *engine.Engine
	cl     *engine.Client
	sha    string
	chunks [][]byte
}

var start = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC).UnixMicro()

func newNode() (*node, error) {
	e := engine.New(engine.Options{})
	n := &node{e: e, cl: e.Connect(start, engine.ConnInfo{})}
	reply := n.do([][]byte{[]byte("SCRIPT"), []byte("LOAD"), []byte(release)})
	_, sha, _ := strings.Cut(reply, "\r\n")
	if n.sha = strings.TrimSpace(sha); len(n.sha) != 40 {
		return nil, fmt.Errorf("SCRIPT LOAD answers %q", reply)
	}
	return n, nil
}

// do runs a command and answers its reply.
func (n *node) do(argv [][]byte) string {
	n.e.Do(n.cl, start, argv)
	n.chunks = n.cl.Output(n.chunks[:0])
	reply := bytes.Join(n.chunks, nil)
	n.recycle()
	return string(reply)
}

func (n *node) recycle() {
	for _, chunk := range n.chunks {
		n.cl.Recycle(chunk)
	}
}

// spell makes the commands of every round.
func (n *node) spell(commands []string) (list [][][]byte) {
	for i := range numbers {
		for _, command := range commands {
			command = strings.ReplaceAll(command, "%04d", fmt.Sprintf("%04d", i))
			command = strings.ReplaceAll(command, "@release", n.sha)
			list = append(list, bytes.Fields([]byte(command)))
		}
	}
	return list
}

// prepare makes what there is before the measurement, and runs the commands once
// to see that none fails.
func (w *workload) prepare() (n *node, list [][][]byte, err error) {
	if n, err = newNode(); err != nil {
		return nil, nil, err
	}
	list = n.spell(w.commands)
	for _, argv := range append(n.spell(w.setup), list...) {
		if reply := n.do(argv); reply[0] == '-' {
			return nil, nil, fmt.Errorf("%s: %q answers %q", w.name, argv, reply)
		}
	}
	return n, list, nil
}

// run is what is measured.
func (n *node) run(list [][][]byte) {
	for range rounds / numbers {
		for _, argv := range list {
			n.e.Do(n.cl, start, argv)
			n.chunks = n.cl.Output(n.chunks[:0])
			n.recycle()
		}
	}
}
