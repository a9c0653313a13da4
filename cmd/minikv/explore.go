package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/alecthomas/kong"
	"github.com/schollz/progressbar/v3"

	"minikv/explore"
)

// exploreCommand is what "minikv explore" understands.
type exploreCommand struct {
	Scenario string `arg:"" optional:"" help:"A scenario file, or the name of one that comes with minikv, such as s04."`
	Form     string `help:"Only the form of this name."`
	All      bool   `help:"Check every scenario that comes with minikv against what it declares."`
	List     bool   `help:"List the scenarios that come with minikv."`

	Depth       int  `help:"Moves per schedule; 0: no limit."`
	Pauses      *int `help:"Clients that stop while the clock goes on."`
	LostReplies *int `help:"Replies that never come."`
	Kills       *int `help:"Clients that die."`
	Crashes     *int `help:"Nodes that die."`
	Restarts    *int `help:"Nodes that start anew."`
	Cuts        *int `help:"Nodes that cannot be reached."`
	Failovers   *int `help:"Replicas that take over."`
	ClockSteps  *int `help:"Jumps of a node's clock."`
	Late        *int `help:"Clients that begin later than the first."`
	Switches    *int `help:"Times a client is left for another though it could go on; 0: no limit."`

	States int           `help:"Give up after so many states." default:"${states}"`
	Time   time.Duration `help:"Give up after so long, such as 30s."`
	Plain  bool          `help:"Without reduction: try every order."`

	Replay     string `help:"Play this schedule again instead of searching." placeholder:"SCHEDULE"`
	JSON       bool   `help:"Print results as JSON."`
	Test       bool   `help:"Print the schedule as a Go test."`
	Transcript bool   `help:"Print the schedule as lines for redis-cli."`
	Mermaid    bool   `help:"Print the schedule as a sequence diagram."`
}

const exploreHelp = `Finds the schedule that breaks a lock: tries the orders in which clients' commands,
expiries and failures can happen, and tells the shortest that breaks as a story.
Exits with 1 if there is one.

minikv explore [options] -- program runs a program of your own in many orders: see minikv explore --help --`

func runExplore(args []string, std stdio) int {
	if i := slices.Index(args, "--"); i >= 0 {
		return runProgramExplore(args[:i], args[i+1:], std)
	}
	var cmd exploreCommand
	done := false
	parser, err := kong.New(&cmd, kong.Name("minikv explore"), kong.Description(exploreHelp), kong.Writers(std.out, std.err),
		kong.Vars{"states": fmt.Sprint(explore.DefaultStates)}, kong.Exit(func(int) { done = true }))
	if err != nil {
		return std.fail(err)
	}
	_, err = parser.Parse(args)
	switch {
	case done:
		return exitOK
	case err != nil:
		return std.fail(err)
	case cmd.List:
		return cmd.list(std)
	case cmd.All:
		return cmd.all(std)
	case cmd.Scenario == "":
		return std.fail(errors.New("explore: which scenario? Give a file or a name, --all or --list"))
	}
	s, err := cmd.load(cmd.Scenario)
	if err != nil {
		return std.fail(err)
	}
	if cmd.Replay != "" {
		return cmd.replay(s, std)
	}
	return cmd.forms(s, std)
}

// load reads a file, or a scenario that comes with minikv.
func (cmd *exploreCommand) load(name string) (*explore.Scenario, error) {
	source, err := os.ReadFile(name)
	switch {
	case err == nil:
		return explore.Parse(name, source)
	case strings.HasSuffix(name, ".lua"):
		return nil, err
	}
	return explore.Load(name)
}

func (cmd *exploreCommand) list(std stdio) int {
	for _, name := range explore.Names() {
		s, err := explore.Load(name)
		if err != nil {
			return std.fail(err)
		}
		fmt.Fprintf(std.out, "%-28s %s\n", name, s.Title)
		for _, f := range s.Forms {
			fmt.Fprintf(std.out, "  %-8s %s\n", f.Expect, f.Name)
		}
	}
	return exitOK
}

// boundFlag is a flag that says a bound, and the bound.
type boundFlag struct {
	name         string
	given, field *int
}

func (cmd *exploreCommand) boundFlags(b *explore.Bounds) []boundFlag {
	return []boundFlag{
		{"pauses", cmd.Pauses, &b.Pauses}, {"lost-replies", cmd.LostReplies, &b.Lost}, {"kills", cmd.Kills, &b.Kills},
		{"crashes", cmd.Crashes, &b.Crashes}, {"restarts", cmd.Restarts, &b.Restarts}, {"cuts", cmd.Cuts, &b.Cuts},
		{"failovers", cmd.Failovers, &b.Failovers}, {"clock-steps", cmd.ClockSteps, &b.Steps}, {"late", cmd.Late, &b.Late},
		{"switches", cmd.Switches, &b.Switches},
	}
}

// Validate is called by kong.
func (cmd *exploreCommand) Validate() error {
	for _, flag := range append(cmd.boundFlags(new(explore.Bounds)), boundFlag{"depth", &cmd.Depth, nil}, boundFlag{"states", &cmd.States, nil}) {
		if flag.given != nil && *flag.given < 0 {
			return fmt.Errorf("--%s must not be negative", flag.name)
		}
	}
	return nil
}

// bounds are a form's own with what the flags say instead.
func (cmd *exploreCommand) bounds(f *explore.Form) *explore.Bounds {
	b := f.Bounds
	for _, flag := range cmd.boundFlags(&b) {
		if flag.given != nil {
			*flag.field = min(*flag.given, explore.MaxBound)
		}
	}
	return &b
}

func (cmd *exploreCommand) search(s *explore.Scenario, form int, std stdio) (*explore.Result, bool, error) {
	conf := explore.Config{Bounds: cmd.bounds(&s.Forms[form]), Depth: cmd.Depth, States: cmd.States, Time: cmd.Time, Plain: cmd.Plain}
	bar := progress(std, s.ID+" "+s.Forms[form].Name)
	if bar != nil {
		conf.Progress = func(done float64) { bar.Set(int(done * 1000)) }
		defer bar.Clear()
	}
	return explore.Judge(context.Background(), s, form, conf)
}

// progress is a bar on a terminal, which shows itself if a search takes long.
func progress(std stdio, title string) *progressbar.ProgressBar {
	f, ok := std.err.(*os.File)
	if !ok {
		return nil
	}
	if info, err := f.Stat(); err != nil || info.Mode()&os.ModeCharDevice == 0 {
		return nil
	}
	return progressbar.NewOptions(1000, progressbar.OptionSetWriter(f), progressbar.OptionSetDescription(title),
		progressbar.OptionThrottle(200*time.Millisecond), progressbar.OptionClearOnFinish(), progressbar.OptionSetPredictTime(false))
}

// forms searches the forms of one scenario and tells what it finds.
func (cmd *exploreCommand) forms(s *explore.Scenario, std stdio) int {
	first, last := 0, len(s.Forms)-1
	if cmd.Form != "" {
		i, err := s.Form(cmd.Form)
		if err != nil {
			return std.fail(err)
		}
		first, last = i, i
	}
	code := exitOK
	var results []*explore.Result
	for i := first; i <= last; i++ {
		r, _, err := cmd.search(s, i, std)
		if err != nil {
			return std.fail(err)
		}
		if r.Broken != nil {
			code = exitFailure
		}
		if results = append(results, r); !cmd.JSON {
			cmd.tell(s, r, std)
		}
	}
	if cmd.JSON {
		return cmd.json(results, code, std)
	}
	return code
}

func (cmd *exploreCommand) json(v any, code int, std stdio) int {
	text, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return std.fail(err)
	}
	fmt.Fprintf(std.out, "%s\n", text)
	return code
}

// tell prints one result: its summary and its story.
func (cmd *exploreCommand) tell(s *explore.Scenario, r *explore.Result, std stdio) {
	fmt.Fprintf(std.out, "%s %s (%s): %s\n", s.ID, r.Form.Name, r.Form.Expect, r.Summary())
	if r.Story != nil {
		cmd.story(s, r.Story, std)
	}
	fmt.Fprintln(std.out)
}

// story prints a story in the form that was asked for.
func (cmd *exploreCommand) story(s *explore.Scenario, story *explore.Story, std stdio) {
	switch {
	case cmd.Test:
		source := s.Source
		if _, err := explore.Load(s.File); err == nil {
			source = nil
		}
		fmt.Fprint(std.out, "\n", story.GoTest(source))
	case cmd.Transcript:
		fmt.Fprint(std.out, "\n", story.Transcript())
	case cmd.Mermaid:
		fmt.Fprint(std.out, "\n", story.Mermaid())
	default:
		fmt.Fprint(std.out, "\n", story.Text())
	}
}

// replay plays one schedule.
func (cmd *exploreCommand) replay(s *explore.Scenario, std stdio) int {
	form := 0
	if cmd.Form != "" {
		i, err := s.Form(cmd.Form)
		if err != nil {
			return std.fail(err)
		}
		form = i
	} else if len(s.Forms) > 1 {
		return std.fail(errors.New("explore: of which form? Give --form"))
	}
	story, err := explore.Replay(s, form, cmd.Replay, cmd.bounds(&s.Forms[form]))
	if err != nil {
		return std.fail(err)
	}
	code := exitOK
	if story.Breaks() {
		code = exitFailure
	}
	if cmd.JSON {
		return cmd.json(story, code, std)
	}
	cmd.story(s, story, std)
	return code
}

// all checks every scenario that comes with minikv, a line a form.
func (cmd *exploreCommand) all(std stdio) int {
	begin, code, n := time.Now(), exitOK, 0
	for _, name := range explore.Names() {
		s, err := explore.Load(name)
		if err != nil {
			return std.fail(err)
		}
		for i := range s.Forms {
			r, meets, err := cmd.search(s, i, std)
			if err != nil {
				return std.fail(err)
			}
			mark := "as declared"
			if !meets {
				mark, code = "NOT AS DECLARED", exitFailure
			}
			n++
			first, rest, _ := strings.Cut(r.Summary(), "\n")
			fmt.Fprintf(std.out, "%-4s %-34s %-8s %s: %s\n     %s\n", s.ID, s.Forms[i].Name, s.Forms[i].Expect, mark, first, rest)
		}
	}
	fmt.Fprintf(std.out, "%d forms in %s\n", n, time.Since(begin).Round(time.Millisecond))
	return code
}
