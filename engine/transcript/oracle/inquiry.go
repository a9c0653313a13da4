package oracle

import (
	"errors"
	"time"

	"minikv/resp"
)

// inquiry is a connection on which the server is asked about itself. It is
// made when it is needed, and anew when CLIENT KILL took it.
type inquiry struct {
	addr     string
	password string
	multi    bool // begin with MULTI
	link     *link
	owed     int  // answers to come
	refused  bool // the server accepts no connection any more
}

var errNoAnswer = errors.New("oracle: the server does not answer")

// connect makes the connection.
func (q *inquiry) connect() error {
	q.close()
	l, err := dial(q.addr)
	if err != nil {
		q.refused = true
		return err
	}
	q.link, q.owed = l, 0
	var greeting []byte
	if q.password != "" {
		q.owed++
		greeting = resp.AppendCommandStrings(greeting, "AUTH", q.password)
	}
	if q.multi {
		q.owed++
		greeting = resp.AppendCommandStrings(greeting, "MULTI")
	}
	return l.send(greeting)
}

func (q *inquiry) close() {
	if q.link != nil {
		q.link.close()
		q.link = nil
	}
}

// ask sends a question, on a new connection if the old one is closed.
func (q *inquiry) ask(words ...string) error {
	if q.owed > 0 && q.ready() { // an end of CLIENT PAUSE answered earlier questions
		_, _ = q.answer(0) // an error shows below
	}
	if q.link != nil {
		q.link.fill()
	}
	if q.link == nil || q.link.err != nil {
		if err := q.connect(); err != nil {
			return err
		}
	}
	q.owed++
	return q.link.send(resp.AppendCommandStrings(nil, words...))
}

// ready tells whether something has come.
func (q *inquiry) ready() bool {
	q.link.fill()
	return len(q.link.in) > 0 || q.link.err != nil
}

// answer waits for the answers to all questions and returns the last. The
// error is errNoAnswer if they do not come in time.
func (q *inquiry) answer(patience time.Duration) (last resp.Value, err error) {
	deadline := time.Now().Add(patience)
	for q.owed > 0 {
		v, found, err := q.link.next()
		switch {
		case err != nil:
			return last, err
		case found:
			q.owed--
			last = v
		case !q.link.await(deadline):
			return last, errNoAnswer
		}
	}
	return last, nil
}
