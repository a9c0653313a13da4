package foreign

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"strings"
	"time"

	"minikv/engine"
	"minikv/resp"
)

// conn is a connection of the program, and the one to the server behind it.
// Everything below state is under the gate's lock.
type conn struct {
	gate    *Gate
	client  net.Conn
	server  net.Conn
	id      int64         // by which the engine knows it
	places  chan struct{} // of commands that are read ahead
	arrived int           // how many connections came before

	number  int // in the order of first commands; 0: none yet
	name    string
	queue   []command
	state   state
	passed  bool      // what runs was not gated
	since   time.Time // when the state was entered
	inMulti bool
	queued  []string // MULTI and what came after it
	quit    bool
}

// state is what a connection is doing.
type state uint8

const (
	thinking state = iota // has its reply, and may send a command at any moment
	running               // a command was let through, and has not been run
	blocked               // its command waits: in BLPOP, for a delay
	gone                  // it was closed
)

// command is one that the client has sent.
type command struct {
	argv [][]byte
	wire []byte
}

// readAhead is how many commands of a connection are held at most.
const readAhead = 1024

// name is the command's, a container's with its subcommand.
func (c *command) lookup() *engine.Command {
	cmd := engine.Commands().Lookup(string(c.argv[0]))
	if cmd != nil && len(cmd.Sub) > 0 && len(c.argv) > 1 {
		if sub := engine.Commands().Lookup(string(c.argv[0]) + "|" + string(c.argv[1])); sub != nil {
			return sub
		}
	}
	return cmd
}

// touchesOthers are those commands of the connection group that others notice.
var touchesOthers = map[string]bool{"client|kill": true, "client|pause": true, "client|unpause": true, "client|unblock": true}

// passes tells of a command that no other client can notice: it needs no turn.
func (c *conn) passes(cmd *command) bool {
	name := strings.ToLower(string(cmd.argv[0]))
	switch {
	case c.inMulti:
		return name != "exec" && name != "discard"
	case name == "multi":
		return true
	}
	known := cmd.lookup()
	return known != nil && known.Group == engine.Connection && !touchesOthers[strings.ToLower(known.FullName())]
}

// dial connects to the server and learns the client's ID there.
func (c *conn) dial() error {
	var err error
	if c.server, err = c.gate.srv.DialMemory(); err != nil {
		return err
	}
	if _, err = c.server.Write(resp.AppendCommandStrings(nil, "CLIENT", "ID")); err != nil {
		return err
	}
	v, err := resp.NewReader(c.server).Read()
	if err == nil && v.Type != resp.TypeInt {
		err = fmt.Errorf("CLIENT ID: %s", v.Str)
	}
	c.id = v.Int
	return err
}

// read takes the client's commands until it closes.
func (c *conn) read() {
	in := bufio.NewReader(c.client)
	for {
		cmd, err := readCommand(in)
		if err != nil {
			break
		}
		if len(cmd.argv) == 0 {
			continue
		}
		select {
		case c.places <- struct{}{}:
		case <-c.gate.ctx.Done():
			return
		}
		c.gate.came(c, cmd)
	}
	c.gate.closed(c)
}

// answer passes on what the server says.
func (c *conn) answer() {
	buf := make([]byte, 32<<10)
	for {
		n, err := c.server.Read(buf)
		if n > 0 {
			c.gate.heard(c)
			if _, werr := c.client.Write(buf[:n]); werr != nil {
				break
			}
		}
		if err != nil {
			break
		}
	}
	c.client.Close()
}

// Bounds of what a client may send.
const (
	maxArguments = 1 << 20
	maxArgument  = 512 << 20
	maxInline    = 64 << 10
)

// readCommand reads a command: an array of bulk strings, or a line of words,
// which is passed on as it is.
func readCommand(in *bufio.Reader) (command, error) {
	line, err := readLine(in)
	if err != nil {
		return command{}, err
	}
	cmd := command{wire: line}
	if line[0] != '*' {
		cmd.argv = bytes.Fields(line)
		return cmd, nil
	}
	n, err := number(line)
	if err != nil || n > maxArguments {
		return command{}, errProtocol
	}
	for range n {
		if line, err = readLine(in); err != nil {
			return command{}, err
		}
		size, err := number(line)
		if line[0] != '$' || err != nil || size < 0 || size > maxArgument {
			return command{}, errProtocol
		}
		cmd.wire = append(cmd.wire, line...)
		var arg bytes.Buffer // grows with what really comes
		if _, err := io.CopyN(&arg, in, size+2); err != nil {
			return command{}, err
		}
		cmd.argv = append(cmd.argv, arg.Bytes()[:size])
		cmd.wire = append(cmd.wire, arg.Bytes()...)
	}
	return cmd, nil
}

var errProtocol = fmt.Errorf("foreign: the client does not speak Redis's protocol")

// readLine reads a line with its end.
func readLine(in *bufio.Reader) ([]byte, error) {
	var line []byte
	for {
		part, err := in.ReadSlice('\n')
		line = append(line, part...)
		switch {
		case err == nil:
			return line, nil
		case err != bufio.ErrBufferFull:
			return nil, err
		case len(line) > maxInline:
			return nil, errProtocol
		}
	}
}

// number is what a line says after its first byte.
func number(line []byte) (n int64, err error) {
	digits := bytes.TrimRight(line[1:], "\r\n")
	if len(digits) == 0 || len(digits) > 10 {
		return 0, errProtocol
	}
	for _, d := range digits {
		if d < '0' || d > '9' {
			return 0, errProtocol
		}
		n = n*10 + int64(d-'0')
	}
	return n, nil
}

// serve is a new connection.
func (g *Gate) serve(ctx context.Context, client net.Conn) {
	c := &conn{gate: g, client: client, places: make(chan struct{}, readAhead), since: time.Now()}
	err := c.dial()
	if err == nil && !g.join(c) {
		err = ctx.Err()
	}
	if err != nil {
		client.Close()
		if c.server != nil {
			c.server.Close()
		}
		return
	}
	g.running.Go(c.read)
	g.running.Go(c.answer)
}
