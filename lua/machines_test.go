package lua

import "testing"

// machines are the machines under test.
var machines = []struct {
	name string
	make func() Machine
}{
	{"own", func() Machine { return New("7.0.15") }},
	{"gopher", func() Machine { return NewGopher("7.0.15") }},
}

// eachMachine runs a test on every machine.
func eachMachine(t *testing.T, test func(t *testing.T, newMachine func() Machine)) {
	t.Parallel()
	for _, machine := range machines {
		t.Run(machine.name, func(t *testing.T) {
			t.Parallel()
			test(t, machine.make)
		})
	}
}
