package engine

import (
	"fmt"
	"slices"

	"minikv/resp"
)

// MONITOR shows a client every command that runs, with its time, its database,
// its sender and its arguments: commands of scripts too, and those of a
// transaction when EXEC runs them. It does not show administrative ones, those
// that were refused, and passwords. A line is written when the command is
// done, since only then it is known what is secret; EVAL and its kind, which
// know no secrets, are written before the commands they run.

// cmdMonitor makes the client one that watches; it answers once.
func cmdMonitor(c *Ctx) error {
	if !c.mayWait() {
		return errMonitorMulti
	}
	if c.cl.monitor {
		return nil
	}
	c.cl.monitor = true
	c.e.monitors = append(c.e.monitors, c.cl)
	return c.ok()
}

// unmonitor ends MONITOR, if the client has sent it.
func (e *Engine) unmonitor(cl *Client) {
	if !cl.monitor {
		return
	}
	cl.monitor = false
	e.monitors = slices.DeleteFunc(e.monitors, func(m *Client) bool { return m == cl })
	if len(e.monitors) == 0 {
		e.monitors = nil
	}
}

// showMonitors writes an execution's line to all who monitor. A client that
// waited is not shown again when its command runs again.
func (e *Engine) showMonitors(c *Ctx) {
	if c.source == FromBlocked {
		return
	}
	sender := c.cl.conn.Addr
	switch {
	case c.source == FromScript:
		sender = "lua"
	case c.cl.conn.Unix:
		sender = "unix:" + sender
	}
	line := fmt.Appendf(nil, "%d.%06d [%d %s]", e.now/1_000_000, e.now%1_000_000, c.db.id, sender)
	for i, arg := range c.argv {
		line = append(line, ' ')
		if c.isSecret(i) {
			line = append(line, `"(redacted)"`...)
			continue
		}
		line = resp.AppendQuoted(line, string(arg))
	}
	for _, cl := range slices.Clone(e.monitors) {
		e.push(cl, func(out *resp.Writer) { out.Status(string(line)) })
	}
}
