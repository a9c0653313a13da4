package minikvtest

import (
	"context"
	"net"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/redis/go-redis/v9/maintnotifications"

	"minikv/engine/config"
	"minikv/server"
)

// Cluster is the nodes of a Redis cluster that live as long as a test.
type Cluster struct {
	// Cluster is the cluster itself, for all that it has no method for here.
	Cluster *server.Cluster

	t         testing.TB
	histories []*server.History
	served    chan struct{} // closed when nothing runs any more
}

// RunCluster starts a cluster of n nodes, among which all slots are divided, for a
// test, and closes it when the test is over. No port is opened: clients come by
// Dial.
func RunCluster(t testing.TB, n int, opts ...Option) *Cluster {
	t.Helper()
	kc := &Cluster{t: t, served: make(chan struct{})}
	var at time.Time // of all clocks
	each := func(node int, opt *server.Options) {
		if clock, ok := opt.Clock.(*server.VirtualClock); ok {
			if at.IsZero() {
				at = time.UnixMicro(clock.Now())
			}
			opt.Clock = server.NewVirtualClock(at)
		}
		history := server.NewHistory(historySize)
		history.Attach(opt)
		kc.histories = append(kc.histories, history)
	}
	opt := server.Options{NoNetwork: true, Config: config.New(), Seed: 1}
	for _, o := range opts {
		if err := o(&opt); err != nil {
			t.Fatalf("minikvtest: %v", err)
		}
	}
	cluster, err := server.NewCluster(n, opt, each)
	if err == nil {
		err = cluster.Listen()
	}
	if err != nil {
		t.Fatalf("minikvtest: %v", err)
	}
	kc.Cluster = cluster
	go func() {
		defer close(kc.served)
		cluster.Serve(context.Background()) // until Close
	}()
	t.Cleanup(kc.end)
	return kc
}

func (kc *Cluster) end() {
	kc.Cluster.Close()
	<-kc.served
	if !kc.t.Failed() {
		return
	}
	for i, history := range kc.histories {
		if text := history.String(); text != "" {
			kc.t.Logf("node %d: %s", i+1, text)
		}
	}
}

// Addrs is where the nodes seem to be, for Dial.
func (kc *Cluster) Addrs() []string { return kc.Cluster.Addresses() }

// Dial connects to the node at an address without a network. It has the form of
// go-redis's ClusterOptions.Dialer.
func (kc *Cluster) Dial(ctx context.Context, network, addr string) (net.Conn, error) {
	return kc.Cluster.Dial(ctx, network, addr)
}

// Options are those of a go-redis ClusterClient, over Dial.
func (kc *Cluster) Options() *redis.ClusterOptions {
	return &redis.ClusterOptions{
		Addrs:                    kc.Addrs(),
		Dialer:                   kc.Dial,
		DisableIdentity:          true,
		MaintNotificationsConfig: &maintnotifications.Config{Mode: maintnotifications.ModeDisabled},
	}
}

// Do runs a command at a node, counted from 1, and returns its reply; MOVED is a
// reply, too.
func (kc *Cluster) Do(node int, args ...any) server.Value {
	kc.t.Helper()
	words := make([]string, len(args))
	for i, a := range args {
		words[i] = text(a)
	}
	nodes := kc.Cluster.Nodes()
	if node < 1 || node > len(nodes) {
		kc.t.Fatalf("minikvtest: there is no node %d of %d", node, len(nodes))
	}
	v, err := nodes[node-1].Do(words...)
	kc.must(err)
	return v
}

// Stop takes a node, counted from 1, off the network, with the data that it has;
// Start puts it back.
func (kc *Cluster) Stop(node int) {
	kc.t.Helper()
	kc.must(kc.Cluster.StopNode(node))
}

// Start puts a node back that Stop has taken off the network.
func (kc *Cluster) Start(node int) {
	kc.t.Helper()
	kc.must(kc.Cluster.StartNode(node))
}

// Advance moves the time of all nodes on: see KV.Advance.
func (kc *Cluster) Advance(d time.Duration) {
	kc.t.Helper()
	for _, node := range kc.Cluster.Nodes() {
		kc.must(node.Advance(d))
	}
}

func (kc *Cluster) must(err error) {
	kc.t.Helper()
	if err != nil {
		kc.t.Fatalf("minikvtest: %v", err)
	}
}
