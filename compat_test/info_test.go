package compat_test

import (
	"context"
	"fmt"
	"net"
	"os"
	"strings"
	"testing"

	"github.com/redis/go-redis/v9"
)

// TestInfoHasTheFieldsOfRedis7 compares the sections of INFO and the names in
// them, in their order, with a real redis-server 7.0: programs read them.
// Commandstats, errorstats, latencystats and keyspace hold what has happened,
// which differs.
func TestInfoHasTheFieldsOfRedis7(t *testing.T) {
	t.Parallel()
	theirs, ours := redis7(t), engine7(t)
	for _, args := range []string{"", "default", "all", "everything", "server", "clients memory", "STATS persistence cpu",
		"replication modules cluster", "nope", "nope server", "default commandstats", "all server", "module_list"} {
		ask := append([]string{"INFO"}, strings.Fields(args)...)
		want, got := infoNames(theirs(ask...).Str), infoNames(ours(ask...).Str)
		if want != got {
			t.Errorf("INFO %s has\n%s\nwant\n%s", args, got, want)
		}
	}
}

// infoNames keeps titles and the names of fields.
func infoNames(info string) string {
	var names []string
	for _, line := range strings.Split(info, "\r\n") {
		name, _, _ := strings.Cut(line, ":")
		if strings.HasPrefix(name, "cmdstat_") || strings.HasPrefix(name, "latency_percentiles_") || strings.HasPrefix(name, "errorstat_") {
			continue
		}
		names = append(names, name)
	}
	return strings.Join(names, "\n")
}

// TestInfoTellsOfTheProcess: what lies outside the engine is there, as
// exporters read it.
func TestInfoTellsOfTheProcess(t *testing.T) {
	t.Parallel()
	srv := start(t, listening)
	rdb := redis.NewClient(options(srv))
	defer rdb.Close()
	info := rdb.InfoMap(context.Background(), "server", "memory", "clients").Val()
	port := srv.Addrs()[0].(*net.TCPAddr).Port
	for field, want := range map[string]string{"process_id": fmt.Sprint(os.Getpid()), "tcp_port": fmt.Sprint(port)} {
		if got := info["Server"][field]; got != want {
			t.Errorf("%s is %q, want %q", field, got, want)
		}
	}
	if info["Memory"]["allocator_allocated"] == "0" || info["Clients"]["connected_clients"] != "1" {
		t.Errorf("INFO answers %v", info)
	}
}
