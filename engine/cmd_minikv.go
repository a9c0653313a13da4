package engine

// MINIKV.* commands are for tests: they steer the server's time, make commands
// fail, and tell what strict mode has found. Redis has none of them, so a
// program under test never meets one by chance. The test-commands directive
// says who may use them: by default clients on the same machine.

func minikvCommands() []*Command {
	var rows []*Command
	for _, part := range [][]*Command{clockRows(), faultRows(), nodeRows(), warningRows()} {
		rows = append(rows, part...)
	}
	return rows
}

// testFlags are those of all MINIKV.* commands. They are never queued: a
// transaction does not hold back what steers it from outside.
const testFlags = Admin | NoScript | Loading | Stale | SkipMonitor | SkipSlowlog | NoMulti | ForTests

// testGate lets those use MINIKV.* commands whom test-commands names.
func testGate(c *Ctx) error {
	if c.cmd.Flags&ForTests == 0 || c.e.conf.TestCommands.Allows(c.cl.conn.Local) {
		return nil
	}
	return errTestsOff
}
