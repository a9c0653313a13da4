package explore

import (
	"context"
	"testing"
)

// TestScenarios: every form of every scenario is what it declares.
func TestScenarios(t *testing.T) {
	t.Parallel()
	for _, name := range Names() {
		s, err := Load(name)
		if err != nil {
			t.Fatal(err)
		}
		for i := range s.Forms {
			t.Run(name+"/"+s.Forms[i].Name, func(t *testing.T) {
				t.Parallel()
				r, meets, err := Judge(context.Background(), s, i, Config{})
				if err != nil {
					t.Fatal(err)
				}
				t.Log(r.Summary())
				if !meets {
					t.Error("this is not what it declares")
				}
			})
		}
	}
}
