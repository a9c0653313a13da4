package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestWorkloadsRun: each workload's commands do without errors, and has a figure.
func TestWorkloadsRun(t *testing.T) {
	t.Parallel()
	known, err := parseFigures(figures)
	if err != nil {
		t.Fatal(err)
	}
	for _, w := range workloads {
		if known[w.name] == 0 {
			t.Errorf("%s has no figure: go run ./bench/instructions --update", w.name)
		}
		if _, _, err := w.prepare(); err != nil {
			t.Error(err)
		}
	}
}

// TestCompare: a workload may take a tenth more than its figure and no more.
func TestCompare(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name   string
		change func(counts []int, known map[string]int)
		fails  string // part of the error; empty: there is none
	}{
		{"as figured", func([]int, map[string]int) {}, ""},
		{"little more", func(counts []int, _ map[string]int) { counts[0] = 1099 }, ""},
		{"much less", func(counts []int, _ map[string]int) { counts[0] = 500 }, ""},
		{"too much", func(counts []int, _ map[string]int) { counts[0] = 1101 }, workloads[0].name + " takes 1101 instructions"},
		{"no figure", func(_ []int, known map[string]int) { delete(known, workloads[0].name) }, "no figure"},
		{"no workload", func(_ []int, known map[string]int) { known["GETSET"] = 1 }, `"GETSET"`},
	} {
		counts := make([]int, len(workloads))
		for i := range counts {
			counts[i] = 1000
		}
		known, err := parseFigures(string(format(counts)))
		if err != nil {
			t.Fatal(err)
		}
		test.change(counts, known)
		switch err := compare(counts, known); {
		case test.fails == "" && err != nil:
			t.Errorf("%s: %v", test.name, err)
		case test.fails != "" && (err == nil || !strings.Contains(err.Error(), test.fails)):
			t.Errorf("%s: %v, want %q", test.name, err, test.fails)
		}
	}
}

// TestTotalOf: the sum of a profile is read, and one without a sum refused.
func TestTotalOf(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "out.1")
	for _, test := range []struct {
		text string
		sum  int
	}{{"events: Ir\n0x1 5\ntotals: 5295078\n", 5295078}, {"events: Ir\n", 0}} {
		if err := os.WriteFile(file, []byte(test.text), 0o644); err != nil {
			t.Fatal(err)
		}
		if sum, err := totalOf(file); sum != test.sum || (err == nil) != (test.sum > 0) {
			t.Errorf("%q: %d, %v", test.text, sum, err)
		}
	}
}
