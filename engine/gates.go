package engine

import (
	"errors"
	"strings"
)

// A gate decides whether a command may run now. The gates stand in Redis's
// order; the first to object answers. Since most commands of most clients meet
// none, a set of bits says whether any gate could be closed at all, and the
// usual command passes with one comparison.

type gateBits uint16

const (
	gateAuth      gateBits = 1 << iota // the client has not authenticated
	gateMulti                          // the client is inside MULTI
	gateSubscribe                      // the client has subscriptions
	gateBusy                           // a script runs too long
	gatePause                          // CLIENT PAUSE
	gateMemory                         // maxmemory is set, or data cannot be saved
	gateRow                            // the command is gated by its own row
	gateMonitor                        // the client monitors
	gateACL                            // the client's user may not do everything
	gateFault                          // there are faults
	gateStrict                         // strict mode has rules
	gateCluster                        // keys may be elsewhere
)

var clientGates = []func(*Ctx) error{
	protectedGate, testGate, authGate, multiGate, aclGate, clusterGate, memoryGate, diskGate, subscribeGate, busyGate, monitorGate, pauseGate, strictGate, faultGate,
}

// errPaused is what the pause gate answers; the loop keeps the command.
var errPaused = errors.New("client paused")

func (cl *Client) closedGates() (g gateBits) {
	if !cl.authed {
		g |= gateAuth
	}
	if cl.user.limited {
		g |= gateACL
	}
	if cl.multi.open {
		g |= gateMulti
	}
	if cl.subs.count() > 0 {
		g |= gateSubscribe
	}
	if cl.monitor {
		g |= gateMonitor
	}
	return g
}

// setClosedGates derives the gates that concern every client.
func (e *Engine) setClosedGates() {
	e.closedGates &= gateFault | gateBusy | gateCluster // which faults, a script and cluster mode open and close
	if e.pausing() != pauseNone {
		e.closedGates |= gatePause
	}
	if e.conf.MaxMemory > 0 || e.diskFails() {
		e.closedGates |= gateMemory
	}
	e.followStrict()
	if e.cluster != nil {
		e.cluster.judge(e)
	}
}

func gatesOf(cmd *Command) gateBits {
	if cmd.Flags&(Protected|ForTests) != 0 {
		return gateRow
	}
	return 0
}

func authGate(c *Ctx) error {
	if !c.cl.authed && c.e.acl.authRequired() && c.cmd.Flags&NoAuth == 0 {
		return errNoAuth
	}
	return nil
}

// protectedGate guards DEBUG, which enable-debug-command opens, and MODULE's part,
// which enable-module-command opens.
func protectedGate(c *Ctx) error {
	opens, err := c.e.conf.EnableDebugCommand, errDebugOff
	if c.cmd.parent != nil && c.cmd.parent.Name == "MODULE" {
		opens, err = c.e.conf.EnableModuleCommand, errModuleOff
	}
	if c.cmd.Flags&Protected == 0 || opens.Allows(c.cl.conn.Local) {
		return nil
	}
	return err
}

func multiGate(c *Ctx) error {
	if c.cl.multi.open && c.cmd.Flags&NoMulti != 0 {
		return errNoMulti
	}
	return nil
}

// memoryGate evicts keys while more than maxmemory is used. If that does not help
// it refuses commands that may need memory. While a script lets others be served
// nothing goes.
func memoryGate(c *Ctx) error {
	if c.e.conf.MaxMemory == 0 || c.e.scripts.running != nil {
		return nil
	}
	c.e.eviction.short = c.e.evict() == evictedTooFew
	if len(c.e.effects.list) > 0 {
		c.e.flushEffects()
	}
	if !c.e.eviction.short {
		return nil
	}
	flags, m := c.flags(), &c.cl.multi
	switch {
	case flags&DenyOOM != 0,
		flags&Commits != 0 && m.flags&DenyOOM != 0,
		m.open && flags&EndsMulti == 0: // what is kept needs memory, too
		return errOOM
	}
	return nil
}

// diskGate refuses to change data that cannot be saved. PING, too, tells of it.
func diskGate(c *Ctx) error {
	switch flags := c.cmd.Flags; {
	case flags&(Write|TellsOfDisk) == 0 && (flags&Commits == 0 || c.cl.multi.flags&Write == 0), !c.e.diskFails():
		return nil
	}
	return errDisk
}

func subscribeGate(c *Ctx) error {
	if c.cl.subs.count() > 0 && c.cl.out.Proto() == 2 && c.cmd.Flags&InSubscribe == 0 {
		return errorf("ERR Can't execute '%s': only (P|S)SUBSCRIBE / (P|S)UNSUBSCRIBE / PING / QUIT / RESET are allowed in this context",
			strings.ToLower(c.cmd.FullName()))
	}
	return nil
}

func busyGate(c *Ctx) error {
	if c.e.scripts.busy && c.cmd.Flags&AllowBusy == 0 {
		return c.e.scripts.busyError()
	}
	return nil
}

// monitorGate keeps a client that monitors, which to Redis is a replica of a
// kind, from the keyspace.
func monitorGate(c *Ctx) error {
	if c.cl.monitor && c.cmd.Flags&(Write|ReadOnly) != 0 {
		return errReplica
	}
	return nil
}

func pauseGate(c *Ctx) error {
	c.e.endPause()
	switch c.e.pausing() {
	case pauseAll:
		return errPaused
	case pauseWrites:
		flags := c.flags()
		if flags&Commits != 0 {
			flags |= c.cl.multi.flags
		}
		if flags&(Write|MayReplicate) != 0 {
			return errPaused
		}
	}
	return nil
}
