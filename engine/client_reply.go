package engine

import "minikv/resp"

// CLIENT REPLY. A client may want no replies, or not the next one. Commands run
// and write all the same; what they wrote is taken back afterwards, up to where
// it is heard in any case: messages, and what EXEC had answered before one of
// its own commands switched replies off.

// muted tells whether CLIENT REPLY keeps the running command's reply back.
func (cl *Client) muted() bool { return cl.off || cl.skip }

// hear says that the output so far goes out in any case: it stands already, or
// it is a message rather than a reply.
func (c *Ctx) hear() { c.heard = c.cl.out.Mark() }

// mute takes the output back that is not heard if CLIENT REPLY keeps replies
// back. EXEC does so for each of its commands, since any of them may change the
// setting.
func (c *Ctx) mute() {
	if c.cl.muted() {
		c.cl.out.Truncate(c.heard)
	}
}

// answer writes the reply that a client has waited for.
func (cl *Client) answer(write func(out *resp.Writer)) {
	if !cl.muted() {
		write(&cl.out)
	}
}
