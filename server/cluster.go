package server

import (
	"context"
	"errors"
	"fmt"
	"net"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"

	"minikv/engine"
	"minikv/engine/config"
)

// Cluster is the nodes of a Redis cluster in one process. Each is a server with
// its own loop and its own data; among them they have all slots in equal parts.
// They tell each other of slots that change hands, and of published messages,
// through their inboxes, as Redis's nodes do over their bus.
type Cluster struct {
	nodes []*clusterNode
	begin func() error

	mu     sync.Mutex  // over stop and start
	ending atomic.Bool // of all nodes, who then need not hear of each other
}

// clusterNode is a node with what the others call it.
type clusterNode struct {
	*Server
	cluster *Cluster
	number  int    // from 1
	id      string // in the cluster
	ip      string
	port    int
	tls     int // port
}

// maxNodes bounds a cluster.
const maxNodes = 1000

// NewCluster makes a cluster of n nodes, which do nothing yet. Each gets opt with a
// port of its own, the first opt's and the others those behind it, and another
// seed; each, if not nil, may change the options of a node, by its index. Nodes
// with NoNetwork are found by Cluster.Dial alone.
func NewCluster(n int, opt Options, each func(node int, opt *Options)) (*Cluster, error) {
	if n < 1 || n > maxNodes {
		return nil, fmt.Errorf("a cluster has 1 to %d nodes, not %d", maxNodes, n)
	}
	c := &Cluster{}
	for i := range n {
		nodeOpt, err := optionsOf(i, opt)
		if err != nil {
			return nil, err
		}
		if each != nil {
			each(i, &nodeOpt)
		}
		node := &clusterNode{cluster: c, number: i + 1}
		if node.Server, err = New(nodeOpt); err != nil {
			return nil, err
		}
		node.loop.node, node.id = node, node.loop.eng.ClusterID()
		c.nodes = append(c.nodes, node)
	}
	c.begin = sync.OnceValue(c.listen)
	return c, nil
}

// optionsOf makes a node's options of the cluster's.
func optionsOf(i int, opt Options) (Options, error) {
	if opt.Config == nil {
		opt.Config = config.New()
	}
	switch {
	case opt.Config.UnixSocket != "":
		return opt, errors.New("the nodes of a cluster cannot share a unix socket")
	case opt.Record != nil:
		return opt, errors.New("a trace is of one server, not of a cluster")
	}
	opt.Config = opt.Config.Clone()
	opt.Config.ClusterEnabled = true
	opt.Seed += uint64(i)
	if opt.Logger != nil {
		opt.Logger = opt.Logger.With("node", i+1)
	}
	if host, port, err := net.SplitHostPort(opt.Addr); err == nil && port != "0" {
		first, err := strconv.Atoi(port)
		if err != nil {
			return opt, fmt.Errorf("the nodes of a cluster need a port that is a number, not %q", port)
		}
		opt.Addr = net.JoinHostPort(host, strconv.Itoa(first+i))
	}
	if i > 0 {
		for _, port := range []*int{&opt.Config.Port, &opt.Config.TLSPort} {
			if *port != 0 {
				*port += i
			}
			if *port > 65535 {
				return opt, fmt.Errorf("there is no port %d for node %d of the cluster", *port, i+1)
			}
		}
		ext := filepath.Ext(opt.Config.DBFilename)
		opt.Config.DBFilename = fmt.Sprintf("%s-%d%s", strings.TrimSuffix(opt.Config.DBFilename, ext), i+1, ext)
		opt.ConfigFile = "" // which is the first node's
	}
	return opt, nil
}

// Listen opens all ports, and tells the nodes of each other. When it returns,
// clients can connect.
func (c *Cluster) Listen() error { return c.begin() }

func (c *Cluster) listen() error {
	for _, n := range c.nodes {
		if err := n.locate(); err != nil {
			c.Close()
			return err
		}
	}
	members, slots := make([]engine.ClusterNode, len(c.nodes)), make([][]engine.SlotRange, len(c.nodes))
	for i, n := range c.nodes {
		members[i] = engine.ClusterNode{ID: n.id, Host: n.ip, Port: n.port, TLS: n.tls}
		slots[i] = []engine.SlotRange{{First: engine.Slots * i / len(c.nodes), Last: engine.Slots*(i+1)/len(c.nodes) - 1}}
	}
	for _, n := range c.nodes {
		if err := n.inLoop(func() { n.loop.eng.Join(n.loop.now(), members, slots) }); err != nil {
			return err
		}
	}
	return nil
}

// firstVirtualPort is where the nodes of a cluster without a network seem to be.
const firstVirtualPort = 7000

// locate begins to listen and finds what clients are told of where that is.
func (n *clusterNode) locate() error {
	if err := n.Server.Listen(); err != nil {
		return err
	}
	n.mu.Lock()
	n.ip, n.port, n.tls = n.place()
	n.mu.Unlock()
	if n.port == 0 && n.tls == 0 && !n.opt.NoNetwork {
		return errors.New("a node of a cluster needs a port")
	}
	if n.port == 0 && n.tls == 0 {
		n.port = firstVirtualPort + n.number - 1
	}
	return nil
}

// place is what a node tells clients of where it listens; port 0: nowhere. The
// caller holds s.mu.
func (s *Server) place() (ip string, port, tlsPort int) {
	ip = "127.0.0.1"
	for _, ln := range s.listeners {
		tcp, ok := ln.Addr().(*net.TCPAddr)
		switch {
		case !ok:
			continue
		case ln.kind == tlsListener && tlsPort == 0:
			tlsPort = tcp.Port
		case ln.kind == plainListener && port == 0:
			port = tcp.Port
		default:
			continue
		}
		if !tcp.IP.IsUnspecified() {
			ip = tcp.IP.String()
		}
	}
	if announced := s.conf.ClusterAnnounceIP; announced != "" {
		ip = announced
	}
	return ip, port, tlsPort
}

// Nodes are the servers, for all that a cluster has no method for.
func (c *Cluster) Nodes() []*Server {
	nodes := make([]*Server, len(c.nodes))
	for i, n := range c.nodes {
		nodes[i] = n.Server
	}
	return nodes
}

// Addresses is where the nodes are, as they tell clients, after Listen.
func (c *Cluster) Addresses() []string {
	list := make([]string, len(c.nodes))
	for i, n := range c.nodes {
		list[i] = n.address()
	}
	return list
}

// Addrs are the addresses that are listened on.
func (c *Cluster) Addrs() (addrs []net.Addr) {
	for _, n := range c.nodes {
		addrs = append(addrs, n.Addrs()...)
	}
	return addrs
}

func (n *clusterNode) address() string {
	port := n.port
	if port == 0 {
		port = n.tls
	}
	return net.JoinHostPort(n.ip, strconv.Itoa(port))
}

// at finds the node at an address, nil if there is none.
func (c *Cluster) at(addr string) *clusterNode {
	for _, n := range c.nodes {
		if n.address() == addr {
			return n
		}
	}
	return nil
}

// Dial connects to the node at an address without a network; one that is not a
// node's is the first's. It has the form of go-redis's ClusterOptions.Dialer.
func (c *Cluster) Dial(ctx context.Context, network, addr string) (net.Conn, error) {
	node := c.at(addr)
	if node == nil {
		node = c.nodes[0]
	}
	return node.Dial(ctx, network, addr)
}

// Serve serves until ctx ends or the last node has ended by SHUTDOWN, then closes
// the cluster.
func (c *Cluster) Serve(ctx context.Context) error {
	if err := c.Listen(); err != nil {
		return err
	}
	ended := make(chan error)
	for _, n := range c.nodes {
		go func() {
			err := n.Serve(ctx)
			n.down.Store(true)
			if ctx.Err() == nil && !c.ending.Load() {
				c.reach(n, false)
			}
			ended <- err
		}()
	}
	var errs []error
	for range c.nodes {
		errs = append(errs, <-ended)
	}
	return errors.Join(errs...)
}

// Terminate is Server.Terminate of all nodes.
func (c *Cluster) Terminate(interrupt bool) error {
	c.ending.Store(true)
	var errs []error
	for _, n := range c.nodes {
		if err := n.Terminate(interrupt); err != nil && err != ErrClosed {
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}

// Close ends all nodes.
func (c *Cluster) Close() error {
	c.ending.Store(true)
	var errs []error
	for _, n := range c.nodes {
		errs = append(errs, n.Server.Close())
	}
	return errors.Join(errs...)
}

// gossip carries a node's news to all others that can be reached. Its loop calls it.
func (s *Server) gossip(news *engine.ClusterNews) {
	n := s.loop.node
	if n == nil || s.down.Load() {
		return
	}
	for _, to := range n.cluster.nodes {
		if to == n || to.down.Load() {
			continue
		}
		l := to.loop
		l.inbox.call(func() { l.between(func() { l.eng.Hear(l.now(), news) }) })
	}
}

// reach tells all others whether a node can be reached.
func (c *Cluster) reach(n *clusterNode, up bool) {
	for _, to := range c.nodes {
		if to != n {
			to.inLoop(func() { to.loop.eng.Reach(to.loop.now(), n.id, up) })
		}
	}
}

// ErrNodeDown is the error of a connection to a node that is stopped.
var ErrNodeDown = errors.New("minikv: the node is stopped")

var errNodeEnded = errors.New("the node has ended by SHUTDOWN, and cannot be started again")

// ErrNoNode is the error for a node that the cluster does not have.
var ErrNoNode = errors.New("there is no such node")

// StopNode takes a node, counted from 1, off the network: it closes its ports and
// its connections, and the others call it failed. It keeps its data.
func (c *Cluster) StopNode(number int) error { return c.setUp(number, false) }

// StartNode puts a node back where it was. It hears what has changed meanwhile.
func (c *Cluster) StartNode(number int) error { return c.setUp(number, true) }

func (c *Cluster) setUp(number int, up bool) error {
	if number < 1 || number > len(c.nodes) {
		return ErrNoNode
	}
	n := c.nodes[number-1]
	c.mu.Lock()
	defer c.mu.Unlock()
	if n.down.Load() == !up {
		return nil
	}
	if !up {
		if err := n.suspend(); err != nil {
			return err
		}
		c.reach(n, false)
		return nil
	}
	if err := n.resume(); err != nil {
		return err
	}
	c.reach(n, true)
	for _, other := range c.nodes {
		if err := n.inLoop(func() {
			n.loop.eng.Reach(n.loop.now(), other.id, !other.down.Load())
		}); err != nil {
			return err
		}
		if other.down.Load() {
			continue
		}
		if err := other.inLoop(other.loop.eng.Tell); err != nil {
			return err
		}
	}
	return nil
}

// suspend closes all listeners and connections but the embedding program's.
func (s *Server) suspend() error {
	s.down.Store(true)
	s.mu.Lock()
	kept := s.listeners[:0]
	for _, ln := range s.listeners {
		if ln.kind == inMemoryListener {
			kept = append(kept, ln)
			continue
		}
		s.away = append(s.away, awayListener{ln.kind, place{network: ln.Addr().Network(), addr: ln.Addr().String()}})
		ln.retire()
	}
	s.listeners = kept
	s.mu.Unlock()
	return s.inLoop(func() {
		for k := range s.loop.links {
			if _, embedded := k.(*call); !embedded {
				s.loop.drop(k)
			}
		}
	})
}

// awayListener is a listener of a node that is stopped.
type awayListener struct {
	kind listenerKind
	place
}

// resume listens again where suspend has ended that.
func (s *Server) resume() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.state != stateListening {
		return errNodeEnded
	}
	n := len(s.listeners)
	for len(s.away) > 0 {
		if err := s.bindAll(s.away[0].kind, []place{s.away[0].place}); err != nil {
			return err
		}
		s.away = s.away[1:]
	}
	s.down.Store(false)
	for _, ln := range s.listeners[n:] {
		s.accepting(ln)
	}
	return nil
}
