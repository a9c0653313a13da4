package main

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/alecthomas/kong"
	"golang.org/x/term"

	"minikv/cmd/minikv/cli"
	"minikv/resp"
	"minikv/server"
)

// cliCommand is what "minikv cli" understands; the letters are redis-cli's.
type cliCommand struct {
	Help     showHelp `help:"Show this text."`
	Host     string   `short:"h" default:"127.0.0.1" help:"The server's host."`
	Port     int      `short:"p" default:"6379" help:"The server's port."`
	Socket   string   `short:"s" help:"The server's unix socket, instead of host and port." placeholder:"PATH"`
	URL      string   `short:"u" name:"url" help:"The server, user and database in one: redis://USER:PASSWORD@HOST:PORT/DB, or rediss:// with TLS." placeholder:"URL"`
	User     string   `help:"The user who logs in, with -a." placeholder:"NAME"`
	Pass     string   `short:"a" env:"REDISCLI_AUTH" help:"The password to log in with." placeholder:"WORD"`
	DB       int      `short:"n" name:"db" help:"The number of the database." placeholder:"N"`
	RESP2    bool     `short:"2" name:"resp2" help:"Speak RESP2, which is the default but for --json."`
	RESP3    bool     `short:"3" name:"resp3" help:"Speak RESP3."`
	Repeat   int64    `short:"r" default:"1" help:"Run the command so many times; -1 is for ever." placeholder:"N"`
	Interval float64  `short:"i" help:"Seconds between the times." placeholder:"SECONDS"`
	Stdin    bool     `short:"x" name:"stdin" help:"Take the last argument from standard input."`
	Errors   bool     `short:"e" name:"errors" help:"Exit with 1 if the reply is an error."`
	Raw      bool     `xor:"format" help:"Replies for programs; the default when they do not go to a terminal."`
	NoRaw    bool     `xor:"format" help:"Replies for people, terminal or not."`
	JSON     bool     `xor:"format" name:"json" help:"Replies as JSON."`
	TLS      bool     `name:"tls" help:"Speak TLS."`
	SNI      string   `name:"sni" help:"The server's name, if it is not the host." placeholder:"NAME"`
	CACert   string   `name:"cacert" help:"Whom to trust, a file in PEM; else the system's." type:"existingfile" placeholder:"FILE"`
	Insecure bool     `help:"Trust every certificate."`
	Cert     string   `help:"The client's certificate." type:"existingfile" placeholder:"FILE"`
	Key      string   `help:"The client's key." type:"existingfile" placeholder:"FILE"`
	History  string   `help:"Where the lines that were typed are kept; default ~/.minikv_history, none if empty." default:"~/.minikv_history" placeholder:"FILE"`
	Command  []string `arg:"" optional:"" passthrough:"partial" help:"A command, instead of a prompt for many."`
}

const cliHelp = `A client for minikv, or any Redis server. Without a command it asks for many: with a line editor on a terminal, where
tab completes and hints tell the arguments, or one a line from a pipe. Commands and replies look as in redis-cli 7.0.
Redirections of a cluster (-c) are shown, not followed.`

// showHelp is --help; -h is the host, as in redis-cli.
type showHelp bool

func (showHelp) BeforeReset(ctx *kong.Context) error {
	if err := ctx.PrintUsage(false); err != nil {
		return err
	}
	ctx.Exit(exitOK)
	return nil
}

func (showHelp) IsBool() bool { return true }

func runCLI(args []string, std stdio) int {
	var cmd cliCommand
	done, err := parse(&cmd, "minikv cli", cliHelp, args, std, kong.NoDefaultHelp(), kong.WithHyphenPrefixedParameters(true))
	switch {
	case done:
		return exitOK
	case err != nil:
		return std.fail(err)
	}
	s, err := cmd.session(std)
	if err != nil {
		return std.fail(err)
	}
	defer s.Close()
	switch {
	case len(cmd.Command) > 0:
		err = cmd.once(s, std)
	case isTerminal(std.in) && isTerminal(std.out):
		err = s.Prompt(cli.NewEditor(s, cmd.historyPath()))
	default:
		err = s.Lines(cli.NewLines(std.in))
	}
	if err != nil {
		fmt.Fprintln(std.err, err)
		return exitFailure
	}
	if cmd.Errors && s.Failed() {
		return exitFailure
	}
	return exitOK
}

func isTerminal(stream any) bool {
	f, ok := stream.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

func (cmd *cliCommand) session(std stdio) (*cli.Session, error) {
	target, err := cmd.target()
	if err != nil {
		return nil, err
	}
	s := &cli.Session{Target: target, Pushes: isTerminal(std.out), Out: std.out, Err: std.err, Fallback: ownDocs}
	switch {
	case cmd.JSON:
		s.Format = cli.JSON
		s.Target.RESP3 = !cmd.RESP2
	case cmd.Raw || !cmd.NoRaw && !isTerminal(std.out):
		s.Format = cli.Raw
	}
	return s, nil
}

func (cmd *cliCommand) target() (cli.Target, error) {
	t := cli.Target{Host: cmd.Host, Port: cmd.Port, Socket: cmd.Socket, User: cmd.User, Pass: cmd.Pass, DB: cmd.DB, RESP3: cmd.RESP3}
	secure := cmd.TLS
	if cmd.URL != "" {
		u, err := url.Parse(cmd.URL)
		if err != nil {
			return t, errors.New("--url: not a URL") // its text may hold a password
		}
		switch u.Scheme {
		case "redis":
		case "rediss":
			secure = true
		default:
			return t, errors.New("--url: must begin with redis:// or rediss://")
		}
		if err := fromURL(&t, u); err != nil {
			return t, fmt.Errorf("--url: %w", err)
		}
	}
	if !secure {
		return t, nil
	}
	var err error
	t.TLS, err = cmd.tls(t.Host)
	return t, err
}

// fromURL takes what a URL says; what it does not say stays.
func fromURL(t *cli.Target, u *url.URL) (err error) {
	if u.Hostname() != "" {
		t.Host = u.Hostname()
	}
	if u.Port() != "" {
		if t.Port, err = strconv.Atoi(u.Port()); err != nil {
			return err
		}
	}
	if pass, set := u.User.Password(); set {
		t.User, t.Pass = u.User.Username(), pass
	} else if u.User != nil {
		t.Pass = u.User.Username() // as redis-cli reads redis://PASSWORD@HOST
	}
	if db := strings.Trim(u.Path, "/"); db != "" {
		if t.DB, err = strconv.Atoi(db); err != nil {
			return fmt.Errorf("%s is no database", db)
		}
	}
	return nil
}

func (cmd *cliCommand) tls(host string) (*tls.Config, error) {
	conf := &tls.Config{ServerName: host, InsecureSkipVerify: cmd.Insecure}
	if cmd.SNI != "" {
		conf.ServerName = cmd.SNI
	}
	if cmd.CACert != "" {
		pem, err := os.ReadFile(cmd.CACert)
		if err != nil {
			return nil, err
		}
		if conf.RootCAs = x509.NewCertPool(); !conf.RootCAs.AppendCertsFromPEM(pem) {
			return nil, fmt.Errorf("%s has no certificate", cmd.CACert)
		}
	}
	if cmd.Cert != "" || cmd.Key != "" {
		pair, err := tls.LoadX509KeyPair(cmd.Cert, cmd.Key)
		if err != nil {
			return nil, err
		}
		conf.Certificates = []tls.Certificate{pair}
	}
	return conf, nil
}

// once runs the command of the command line.
func (cmd *cliCommand) once(s *cli.Session, std stdio) error {
	words := make([][]byte, len(cmd.Command))
	for i, w := range cmd.Command {
		words[i] = []byte(w)
	}
	if cmd.Stdin {
		last, err := io.ReadAll(std.in)
		if err != nil {
			return err
		}
		words = append(words, last)
	}
	for i := int64(0); cmd.Repeat < 0 || i < cmd.Repeat; i++ {
		if i > 0 && cmd.Interval > 0 {
			time.Sleep(time.Duration(cmd.Interval * float64(time.Second)))
		}
		if err := s.Run(words); err != nil {
			return err
		}
	}
	return nil
}

func (cmd *cliCommand) historyPath() string {
	rest, inHome := strings.CutPrefix(cmd.History, "~/")
	if !inHome {
		return cmd.History
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return ""
	}
	return filepath.Join(home, rest)
}

// ownDocs is what our own command table tells.
func ownDocs() (resp.Value, error) {
	s, err := server.New(server.Options{NoNetwork: true})
	if err != nil {
		return resp.Value{}, err
	}
	defer s.Close()
	return s.Do("COMMAND", "DOCS")
}
