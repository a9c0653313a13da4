package transcript

import (
	"fmt"
	"strings"
)

// maxDiff bounds the lines that are compared for a diff, whose cost is their
// number squared.
const maxDiff = 1000

// writeDiff writes how got differs from want, line by line: - is expected,
// + was given.
func writeDiff(b *strings.Builder, want, got []string) {
	if len(want) > maxDiff || len(got) > maxDiff {
		want, got = want[:min(len(want), maxDiff)], got[:min(len(got), maxDiff)]
		defer fmt.Fprintln(b, "  ... and so on")
	}
	// common[i][j] is the longest common part of want[i:] and got[j:].
	common := make([][]int, len(want)+1)
	for i := range common {
		common[i] = make([]int, len(got)+1)
	}
	for i := len(want) - 1; i >= 0; i-- {
		for j := len(got) - 1; j >= 0; j-- {
			if want[i] == got[j] {
				common[i][j] = common[i+1][j+1] + 1
			} else {
				common[i][j] = max(common[i+1][j], common[i][j+1])
			}
		}
	}
	i, j := 0, 0
	for i < len(want) || j < len(got) {
		switch {
		case i < len(want) && j < len(got) && want[i] == got[j]:
			fmt.Fprintf(b, "  %s\n", want[i])
			i++
			j++
		case j == len(got) || i < len(want) && common[i+1][j] >= common[i][j+1]:
			fmt.Fprintf(b, "- %s\n", want[i])
			i++
		default:
			fmt.Fprintf(b, "+ %s\n", got[j])
			j++
		}
	}
}
