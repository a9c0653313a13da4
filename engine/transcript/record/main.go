// Record writes the replies of transcripts: it runs each named file on a
// redis-server of its own and puts what that answers in the file.
//
//	go run ./engine/transcript/record engine/testdata/string/getdel.txt
//
// With -n it changes nothing and shows how the files and the server differ.
// Commands that are newer than the installed server keep the replies they have.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"minikv/engine/transcript"
	"minikv/engine/transcript/oracle"
)

// atOnce is how many servers run at a time: they wait more than they work.
const atOnce = 4

func main() {
	dry := flag.Bool("n", false, "write nothing: show the differences, and fail if there are any")
	flag.Usage = func() {
		fmt.Fprintln(flag.CommandLine.Output(), "usage: record [-n] FILE...")
		flag.PrintDefaults()
	}
	flag.Parse()
	if flag.NArg() == 0 {
		flag.Usage()
		os.Exit(2)
	}
	path, version, err := oracle.Installed()
	if err != nil {
		fmt.Fprintln(os.Stderr, "record:", err)
		os.Exit(1)
	}
	if !recordAll(os.Stdout, flag.Args(), *dry, path, version) {
		os.Exit(1)
	}
}

// recordAll records files, some at a time, and writes what changed to w. It
// tells whether all went well.
func recordAll(w io.Writer, files []string, dry bool, server string, version transcript.Version) bool {
	reports := make([]string, len(files))
	failed := make([]bool, len(files))
	slots := make(chan struct{}, atOnce)
	var wg sync.WaitGroup
	for i, name := range files {
		slots <- struct{}{}
		wg.Go(func() {
			defer func() { <-slots }()
			report, agrees, err := record(filepath.Clean(name), dry, server, version)
			if reports[i] = report; err != nil {
				reports[i] = err.Error() + "\n"
			}
			failed[i] = err != nil || dry && !agrees
		})
	}
	wg.Wait()
	ok := true
	for i, report := range reports {
		fmt.Fprint(w, report)
		ok = ok && !failed[i]
	}
	return ok
}

// record records one file and reports what changed in it. agrees tells whether
// the file already said what the server answers.
func record(name string, dry bool, server string, version transcript.Version) (report string, agrees bool, err error) {
	f, err := transcript.Read(name)
	if err != nil {
		return "", false, err
	}
	if !version.Has(f.Since) {
		return fmt.Sprintf("%s: needs a newer server, left as it is\n", name), true, nil
	}
	t, err := oracle.Start(server, f)
	if err != nil {
		return "", false, fmt.Errorf("%s: %w", name, err)
	}
	result, err := transcript.Run(f, t, version)
	if err = errors.Join(err, t.Close()); err != nil {
		return "", false, err
	}
	differences := transcript.Compare(f, result)
	if dry || differences == "" {
		return differences, differences == "", nil
	}
	report = transcript.Compare(f, changed(f, result))
	transcript.Update(f, result)
	return report, false, os.WriteFile(name, []byte(f.Format()), 0o644)
}

// changed leaves only the steps that had a reply before.
func changed(f *transcript.File, result transcript.Result) transcript.Result {
	old := slices.Clone(result)
	for i, s := range f.Steps {
		if s.Want.IsEmpty() {
			old[i] = nil
		}
	}
	return old
}
