package server

import (
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"log/slog"
	"net"
	"sync"
	"sync/atomic"

	"minikv/engine"
	"minikv/engine/config"
)

// Options make a server. The zero value is Redis's default: port 6379 on every
// address of this machine.
type Options struct {
	// Config is what redis.conf says; nil: the defaults. The server keeps its
	// own copy.
	Config *config.Config
	// ConfigFile is where Config came from; CONFIG REWRITE writes it anew.
	// Empty: CONFIG REWRITE is refused.
	ConfigFile string
	// Addr, if not empty, is listened on in place of bind and port:
	// "127.0.0.1:0" is any free port.
	Addr string
	// NoNetwork opens no port and no socket: DialMemory and Do are the only
	// ways in.
	NoNetwork bool
	// Logger gets what Redis would log; nil: nobody does.
	Logger *slog.Logger
	// Seed of all randomness: the same seed and the same commands in the same
	// order give the same replies.
	Seed uint64
	// Clock, if set, is the time in place of the system's.
	Clock Clock
	// Tap and Effects are those of engine.Options; they are called by the
	// server's own goroutine.
	Tap     func(*engine.TapEvent)
	Effects func(engine.Effect)
	// Record, if set, gets the server's trace: see Trace.
	Record io.Writer
	// Noted is engine.Options.Noted: it hears of commands that were refused or
	// spoiled by a fault.
	Noted func(cl *engine.Client, argv [][]byte, what string)
}

// Server is one node: an engine, its loop and its connections.
type Server struct {
	opt  Options
	conf *config.Config // as at the start
	loop *loop

	mu        sync.Mutex
	state     state
	listeners []*listener
	memory    *memoryListener
	secure    atomic.Pointer[tls.Config]

	running     sync.WaitGroup // listeners and sessions
	loopDone    chan struct{}
	ending      chan struct{} // closed when Close has begun
	done        chan struct{} // closed when Close is done
	quit        chan struct{} // closed by SHUTDOWN
	quitOnce    sync.Once
	connections atomic.Int64 // that ever were

	down atomic.Bool    // a node that is stopped
	away []awayListener // those of such a node
}

type state uint8

const (
	stateNew state = iota
	stateListening
	stateClosed
)

// New makes a server that does nothing yet.
func New(opt Options) (*Server, error) {
	if opt.Config == nil {
		opt.Config = config.New()
	}
	if opt.Logger == nil {
		opt.Logger = slog.New(slog.DiscardHandler)
	}
	s := &Server{
		opt:      opt,
		conf:     opt.Config.Clone(),
		memory:   newMemoryListener(),
		loopDone: make(chan struct{}),
		ending:   make(chan struct{}),
		done:     make(chan struct{}),
		quit:     make(chan struct{}),
	}
	if err := enterDir(s.conf); err != nil {
		return nil, fmt.Errorf("can't use the directory %q: %w", s.conf.Dir, err)
	}
	var trace *tracer
	var journal func(*engine.JournalEntry)
	if opt.Record != nil {
		trace = newTracer(opt.Record, opt.Seed, s.conf)
		journal = trace.write
	}
	s.loop = newLoop(engine.Options{
		Journal: journal,
		Config:  s.conf.Clone(),
		Seed:    opt.Seed,
		Tap:     opt.Tap,
		Effects: opt.Effects,
		Noted:   opt.Noted,
		Log:     s.log,
		Process: s.process,
		Gossip:  s.gossip,

		Reconfigured: s.reconfigured,
	}, opt.Clock)
	s.loop.trace = trace
	if err := s.loop.startUsers(); err != nil {
		return nil, err
	}
	s.loop.configFile = opt.ConfigFile
	s.loop.ending = s.ending
	s.loop.quit = func() { s.quitOnce.Do(func() { close(s.quit) }) }
	return s, nil
}

// Start makes a server and serves in the background until Close, or until a
// client sends SHUTDOWN.
func Start(opt Options) (*Server, error) {
	s, err := New(opt)
	if err != nil {
		return nil, err
	}
	if err := s.Listen(); err != nil {
		return nil, err
	}
	go s.Serve(context.Background())
	return s, nil
}

// Listen opens the ports and sockets and begins to serve. When it returns,
// clients can connect. A server whose Listen fails is closed.
func (s *Server) Listen() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch s.state {
	case stateListening:
		return nil
	case stateClosed:
		return ErrClosed
	}
	err := s.open()
	if err != nil {
		s.state = stateClosed
		for _, ln := range s.listeners {
			ln.Close()
		}
		s.listeners = nil
		close(s.ending)
		close(s.done)
		return err
	}
	s.state = stateListening
	go func() {
		defer close(s.loopDone)
		s.loop.run()
	}()
	for _, ln := range s.listeners {
		s.accepting(ln)
	}
	return nil
}

func (s *Server) open() error {
	if !s.opt.NoNetwork {
		if err := s.bind(s.conf); err != nil {
			return err
		}
	}
	if err := s.loop.loadData(); err != nil {
		return err
	}
	if s.conf.ClusterEnabled {
		s.loop.eng.Locate(s.place())
	}
	s.listeners = append(s.listeners, s.newListener(s.memory, inMemoryListener))
	if err := s.chooseSleeper(); err != nil {
		return err
	}
	s.loop.inbox.wake = s.loop.sleep.wake
	return nil
}

// Serve serves until ctx ends or a client sends SHUTDOWN, then closes the
// server. It returns nil in both cases, and if the server was closed meanwhile.
func (s *Server) Serve(ctx context.Context) error {
	if err := s.Listen(); err != nil {
		return err
	}
	select {
	case <-ctx.Done():
	case <-s.quit:
	case <-s.ending:
	}
	return s.Close()
}

// Close ends all connections and everything that runs. It may be called more
// than once; each call returns when it is done.
func (s *Server) Close() error {
	s.mu.Lock()
	before := s.state
	s.state = stateClosed
	s.mu.Unlock()
	switch before {
	case stateNew:
		close(s.ending)
		close(s.done)
	case stateListening:
		s.shut()
	}
	<-s.done
	return nil
}

// shut ends things in this order: no new connections; the connections; the
// sessions' goroutines, which need the loop to go; the loop.
func (s *Server) shut() {
	close(s.ending)
	s.loop.closing.Store(true)
	s.mu.Lock() // rebind may still be at it
	for _, ln := range s.listeners {
		ln.Close()
	}
	s.mu.Unlock()
	s.loop.inbox.call(s.loop.dropAll)
	s.running.Wait()
	s.loop.inbox.call(func() { s.loop.stopped = true })
	<-s.loopDone
	close(s.done)
}

// Addrs are the addresses that are listened on.
func (s *Server) Addrs() []net.Addr {
	s.mu.Lock()
	defer s.mu.Unlock()
	var addrs []net.Addr
	for _, ln := range s.listeners {
		if ln.kind != inMemoryListener {
			addrs = append(addrs, ln.Addr())
		}
	}
	return addrs
}

// DialMemory connects to the server without a network.
func (s *Server) DialMemory() (net.Conn, error) {
	return s.DialMemoryContext(context.Background())
}

// DialMemoryContext is DialMemory for as long as ctx lasts.
func (s *Server) DialMemoryContext(ctx context.Context) (net.Conn, error) {
	if err := s.Listen(); err != nil {
		return nil, err
	}
	if s.down.Load() {
		return nil, ErrNodeDown
	}
	conn, err := s.memory.dial(ctx)
	if err == net.ErrClosed {
		err = ErrClosed
	}
	return conn, err
}

// log passes the engine's lines on.
func (s *Server) log(level engine.LogLevel, msg string) {
	levels := [...]slog.Level{
		engine.LogDebug:   slog.LevelDebug,
		engine.LogVerbose: slog.LevelDebug,
		engine.LogNotice:  slog.LevelInfo,
		engine.LogWarning: slog.LevelWarn,
	}
	s.opt.Logger.Log(context.Background(), levels[level], msg)
}

func (s *Server) logf(level engine.LogLevel, format string, args ...any) {
	s.log(level, fmt.Sprintf(format, args...))
}
