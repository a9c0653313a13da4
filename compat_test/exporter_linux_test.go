package compat_test

import (
	"io"
	"net/http"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
)

// TestExporter lets Prometheus's exporter for Redis read a minikv and a
// redis-server after the same commands: there is no error, and there are the
// same metrics.
func TestExporter(t *testing.T) {
	t.Parallel()
	tool, err := exec.LookPath("prometheus-redis-exporter")
	if err != nil {
		if os.Getenv("MINIKV_REQUIRE_REDIS") != "" {
			t.Fatal(err)
		}
		t.Skip("there is no prometheus-redis-exporter here")
	}
	ours, theirs := both(t)
	metrics := make(map[string][]string)
	for _, port := range []string{ours, theirs} {
		c := dialRESP(t, "127.0.0.1:"+port)
		for _, command := range []string{
			"CONFIG SET slowlog-log-slower-than 0", "SET a text EX 100", "GET a", "GET no-key", "NO-SUCH-COMMAND", "EVAL return(1) 0", "XADD s 1-1 f v",
			"XGROUP CREATE s g 0", "XREADGROUP GROUP g c STREAMS s >", "SELECT 3", "RPUSH l a b c", "MEMORY USAGE l", "SELECT 0",
		} {
			c.do(strings.Fields(command)...)
		}
		metrics[port] = scrape(t, tool, port)
	}
	if len(metrics[theirs]) < 90 {
		t.Errorf("%d metrics of redis-server", len(metrics[theirs]))
	}
	for _, m := range metrics[theirs] {
		if !slices.Contains(metrics[ours], m) {
			t.Errorf("redis-server has a metric that minikv has not: %s", m)
		}
	}
	for _, m := range metrics[ours] {
		if !slices.Contains(metrics[theirs], m) {
			t.Errorf("minikv has a metric that redis-server has not: %s", m)
		}
	}
}

// scrape runs the exporter and answers the names and labels of its metrics,
// without those that tell of the server's age and of the clients' addresses.
func scrape(t *testing.T, tool, port string) []string {
	listen := "127.0.0.1:" + freePort(t)
	var log strings.Builder
	cmd := exec.Command(tool, "-redis.addr", "redis://127.0.0.1:"+port, "-web.listen-address", listen, "-debug",
		"-check-single-keys", "a,db3=l", "-check-single-streams", "s", "-include-system-metrics", "-export-client-list", "-include-config-metrics")
	cmd.Stderr = &log
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() {
		cmd.Process.Kill()
		cmd.Wait()
		if strings.Contains(log.String(), "level=error") {
			t.Errorf("the exporter's log:\n%s", log.String())
		}
	}()
	var body []byte
	for deadline := time.Now().Add(20 * time.Second); ; time.Sleep(20 * time.Millisecond) {
		if resp, err := http.Get("http://" + listen + "/metrics"); err == nil {
			body, err = io.ReadAll(resp.Body)
			resp.Body.Close()
			if err == nil && resp.StatusCode == http.StatusOK {
				break
			}
		}
		if time.Now().After(deadline) {
			t.Fatalf("the exporter does not answer:\n%s", log.String())
		}
	}
	metric := regexp.MustCompile(`(?m)^(redis_\w+(?:\{[^}]*\})?) (\S+)$`)
	varying := regexp.MustCompile(`^redis_(instance_info|connected_client_|latency_spike|exporter_|commands_latencies|config_key_value|config_value|latency_percentiles)`)
	var names []string
	for _, m := range metric.FindAllStringSubmatch(string(body), -1) {
		if !varying.MatchString(m[1]) {
			names = append(names, m[1])
		}
	}
	return names
}
