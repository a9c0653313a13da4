package explore

import (
	"context"
	"testing"
)

// survivors are mistakes that a form's properties cannot see, with the reason.
var survivors = map[string]string{
	"s23-blpop/one at a time all the same/token dropped":                "nobody is late enough: one pause does not outlast the lock",
	"s23-blpop/one at a time all the same/DEL for the compared release": "nobody is late enough: one pause does not outlast the lock",
}

// TestMutants: every form that holds is found broken once a classic mistake is
// put into it. One that survived would mean that its properties look at nothing.
func TestMutants(t *testing.T) {
	t.Parallel()
	for _, name := range Names() {
		s, err := Load(name)
		if err != nil {
			t.Fatal(err)
		}
		for i := range s.Forms {
			if s.Forms[i].Expect != Holds || s.nodes > 1 {
				continue // with several nodes no single mistake of these need show within the bounds
			}
			for _, mutant := range Mutants() {
				t.Run(name+"/"+s.Forms[i].Name+"/"+mutant.Name, func(t *testing.T) {
					t.Parallel()
					testMutant(t, s, i, mutant)
				})
			}
		}
	}
}

func testMutant(t *testing.T, s *Scenario, form int, mutant *Mutant) {
	r, err := Search(context.Background(), s, form, Config{Mutant: mutant, Verdict: true})
	if err != nil {
		t.Fatal(err)
	}
	reason, survives := survivors[s.File+"/"+s.Forms[form].Name+"/"+mutant.Name]
	switch {
	case !mutant.Used():
		t.Skip("the form has no place for this mistake")
	case survives && r.Broken != nil:
		t.Errorf("it is listed as one that survives (%s), and was found: %s", reason, r.Broken.Text)
	case !survives && r.Broken == nil:
		t.Errorf("it was not found in %.0f schedules", r.Schedules)
	}
}
