package explore

import (
	"context"
	"fmt"
	"math"
	"strings"
	"time"
)

// Judge searches a form and tells whether it is what it declares. Of one that
// narrows it is searched again within its smaller bounds, where it must hold.
func Judge(ctx context.Context, s *Scenario, form int, conf Config) (r *Result, meets bool, err error) {
	r, err = Search(ctx, s, form, conf)
	if err != nil {
		return nil, false, err
	}
	meets = r.Meets()
	if within := s.Forms[form].Within; within != nil && meets {
		conf.Bounds, conf.Verdict = within, true
		narrow, err := Search(ctx, s, form, conf)
		if err != nil {
			return nil, false, err
		}
		r.Narrow = narrow
		meets = narrow.Broken == nil && narrow.Exhaustive
	}
	return r, meets, nil
}

// Summary is the result in a line or two.
func (r *Result) Summary() string {
	text := ""
	switch n := count(r.Schedules, "schedule"); {
	case r.Broken != nil:
		text = fmt.Sprintf("broken (%s), %d moves: %s", r.Broken.Property, len(strings.FieldsFunc(r.Schedule, func(r rune) bool { return r == '.' })), r.Schedule)
		if r.Long {
			text += " (there may be shorter ones)"
		}
	case r.Exhaustive:
		text = fmt.Sprintf("all %s hold", n)
	default:
		text = fmt.Sprintf("%s tried, not exhaustive", n)
	}
	if r.Broken == nil && r.Shown != nil {
		text = "shown; " + text
	}
	if r.Narrow != nil {
		text += fmt.Sprintf("; within %s %s", r.Narrow.Bounds, r.Narrow.verdict())
	}
	return text + fmt.Sprintf("\n%s, %s, %s of a node, %s run; %s; %s", count(float64(r.States), "state"), count(float64(r.Moves), "move"),
		count(float64(r.NodeStates), "state"), count(float64(r.Computed), "command"), r.Bounds, r.Elapsed.Round(time.Millisecond))
}

func (r *Result) verdict() string {
	if r.Broken != nil {
		return "it is broken"
	}
	return "it holds"
}

// count writes a number with its noun.
func count(n float64, noun string) string {
	switch {
	case n == 1:
		return "1 " + noun
	case n >= 1e15:
		return fmt.Sprintf("%.1e %s", n, plural(noun))
	}
	digits := fmt.Sprintf("%.0f", math.Round(n))
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return digits + " " + plural(noun)
}
