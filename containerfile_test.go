package minikv_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestContainerfile reads the Containerfile as a builder would, without one: what
// it copies is there, its build makes a program, and what that is started with
// is taken by it.
func TestContainerfile(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("Containerfile")
	if err != nil {
		t.Fatal(err)
	}
	var images []string
	var build string
	lists := make(map[string][]string)
	for line := range strings.Lines(string(text)) {
		word, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
		switch word {
		case "", "#", "WORKDIR", "EXPOSE", "USER":
		case "FROM":
			images = append(images, strings.Fields(rest)[0])
		case "COPY":
			names := strings.Fields(rest)
			for _, name := range names[:len(names)-1] {
				if strings.HasPrefix(name, "--from=") {
					break
				}
				if _, err := os.Stat(name); err != nil {
					t.Errorf("COPY: %v", err)
				}
			}
		case "RUN":
			if strings.Contains(rest, "go build") {
				build = rest
			}
		case "ENTRYPOINT", "CMD":
			var list []string
			if err := json.Unmarshal([]byte(rest), &list); err != nil {
				t.Errorf("%s is not a list, for which a shell would be needed: %v", word, err)
			}
			lists[word] = list
		default:
			if !strings.HasPrefix(word, "#") {
				t.Errorf("what is %q?", line)
			}
		}
	}
	gomod, err := os.ReadFile("go.mod")
	if err != nil {
		t.Fatal(err)
	}
	version := regexp.MustCompile(`(?m)^go (\d+\.\d+)`).FindSubmatch(gomod)
	if want := []string{"golang:" + string(version[1]), "scratch"}; !slices.Equal(images, want) {
		t.Errorf("images %q, want %q: the Go of go.mod, and nothing", images, want)
	}
	program := filepath.Join(t.TempDir(), "minikv")
	before, after, ok := strings.Cut(build, " go build ")
	if !ok || before != "CGO_ENABLED=0" || !slices.Equal(lists["ENTRYPOINT"], []string{"/minikv"}) {
		t.Fatalf("it builds by %q and starts %q", build, lists["ENTRYPOINT"])
	}
	cmd := exec.Command("go", append([]string{"build"}, strings.Fields(strings.Replace(after, "/minikv ", program+" ", 1))...)...)
	cmd.Env = append(os.Environ(), before)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	out, err := exec.Command(program, append(lists["CMD"], "--port", "99999")...).CombinedOutput()
	if err == nil || !strings.Contains(string(out), "port") {
		t.Errorf("with %q and a port that cannot be it says %q", lists["CMD"], out)
	}
}
