package compat_test

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	redigo "github.com/gomodule/redigo/redis"
	"github.com/redis/go-redis/v9"
	"github.com/redis/rueidis"

	"minikv/server"
)

// authority is a certificate authority for one test.
type authority struct {
	t      *testing.T
	cert   *x509.Certificate
	key    *ecdsa.PrivateKey
	file   string
	serial int64
}

func newAuthority(t *testing.T) *authority {
	a := &authority{t: t, serial: 1}
	template := &x509.Certificate{
		Subject: pkix.Name{CommonName: "authority of a test"}, IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign,
	}
	der, key := a.sign(template, nil)
	a.key, a.file = key, a.write("CERTIFICATE", der)
	var err error
	if a.cert, err = x509.ParseCertificate(der); err != nil {
		t.Fatal(err)
	}
	return a
}

// sign makes a key and a certificate of it; without a signer it vouches for
// itself.
func (a *authority) sign(template, signer *x509.Certificate) ([]byte, *ecdsa.PrivateKey) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		a.t.Fatal(err)
	}
	signing := a.key
	if signer == nil {
		signer, signing = template, key
	}
	template.SerialNumber = big.NewInt(a.serial)
	a.serial++
	template.NotBefore, template.NotAfter = time.Now().Add(-time.Hour), time.Now().Add(time.Hour)
	der, err := x509.CreateCertificate(rand.Reader, template, signer, &key.PublicKey, signing)
	if err != nil {
		a.t.Fatal(err)
	}
	return der, key
}

func (a *authority) write(kind string, der []byte) string {
	path := filepath.Join(a.t.TempDir(), "file.pem")
	if err := os.WriteFile(path, pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der}), 0o600); err != nil {
		a.t.Fatal(err)
	}
	return path
}

// issue writes a certificate for a name, and its key.
func (a *authority) issue(name string, usage x509.ExtKeyUsage) (certFile, keyFile string) {
	der, key := a.sign(&x509.Certificate{
		Subject: pkix.Name{CommonName: name}, DNSNames: []string{name}, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
		KeyUsage: x509.KeyUsageDigitalSignature, ExtKeyUsage: []x509.ExtKeyUsage{usage},
	}, a.cert)
	keyDER, err := x509.MarshalECPrivateKey(key)
	if err != nil {
		a.t.Fatal(err)
	}
	return a.write("CERTIFICATE", der), a.write("EC PRIVATE KEY", keyDER)
}

// clientConfig trusts the authority, and shows the certificate of a client that
// another, or the same, has made.
func (a *authority) clientConfig(by *authority) *tls.Config {
	pool := x509.NewCertPool()
	pool.AddCert(a.cert)
	conf := &tls.Config{RootCAs: pool, ServerName: "minikv.test"}
	if by != nil {
		pair, err := tls.LoadX509KeyPair(by.issue("client", x509.ExtKeyUsageClientAuth))
		if err != nil {
			a.t.Fatal(err)
		}
		conf.Certificates = []tls.Certificate{pair}
	}
	return conf
}

// startTLS runs a server on a tls-port of its own.
func startTLS(t *testing.T, a *authority, authClients string) (addr string) {
	t.Helper()
	certFile, keyFile := a.issue("minikv.test", x509.ExtKeyUsageServerAuth)
	for range 20 { // another may take the port that was free
		port := freePort(t)
		conf := testConfig()
		for directive, value := range map[string]string{
			"port": "0", "tls-port": port, "tls-cert-file": certFile, "tls-key-file": keyFile, "tls-ca-cert-file": a.file,
			"tls-auth-clients": authClients, "bind": "127.0.0.1",
		} {
			if err := conf.Apply(directive, []string{value}, "test"); err != nil {
				t.Fatal(err)
			}
		}
		srv, err := server.Start(server.Options{Config: conf})
		if err == nil {
			t.Cleanup(func() { srv.Close() })
			return net.JoinHostPort("127.0.0.1", port)
		}
		t.Log(err)
	}
	t.Fatal("no port is free")
	return ""
}

// tlsClients are the libraries: each gets in, has a long value, a pipeline, a
// wait and a message through, or fails.
var tlsClients = map[string]func(ctx context.Context, addr string, conf *tls.Config) error{
	"go-redis": func(ctx context.Context, addr string, conf *tls.Config) error {
		rdb := redis.NewClient(&redis.Options{Addr: addr, TLSConfig: conf, MaxRetries: -1})
		defer rdb.Close()
		if err := rdb.Set(ctx, "go", longValue, 0).Err(); err != nil {
			return err
		}
		sub := rdb.Subscribe(ctx, "go")
		defer sub.Close()
		if _, err := sub.Receive(ctx); err != nil {
			return err
		}
		if _, err := rdb.Pipelined(ctx, func(p redis.Pipeliner) error {
			for i := range 1000 {
				p.RPush(ctx, "go:list", i)
			}
			p.Publish(ctx, "go", "hello")
			return nil
		}); err != nil {
			return err
		}
		m, err := sub.ReceiveMessage(ctx)
		if err != nil {
			return err
		}
		return wanted(rdb.BLPop(ctx, 0, "go:list").Val(), rdb.Get(ctx, "go").Val(), m.Payload)
	},
	"rueidis": func(ctx context.Context, addr string, conf *tls.Config) error {
		c, err := rueidis.NewClient(rueidis.ClientOption{InitAddress: []string{addr}, TLSConfig: conf, ForceSingleClient: true})
		if err != nil {
			return err
		}
		defer c.Close()
		set := c.B().Set().Key("ru").Value(longValue).Build()
		push := c.B().Rpush().Key("ru:list").Element("0", "1").Build()
		for _, r := range c.DoMulti(ctx, set, push) {
			if err := r.Error(); err != nil {
				return err
			}
		}
		popped, err := c.Do(ctx, c.B().Blpop().Key("ru:list").Timeout(0).Build()).AsStrSlice()
		if err != nil {
			return err
		}
		value, err := c.DoCache(ctx, c.B().Get().Key("ru").Cache(), time.Minute).ToString()
		if err != nil {
			return err
		}
		return wanted(popped, value, "hello")
	},
	"redigo": func(ctx context.Context, addr string, conf *tls.Config) error {
		c, err := redigo.DialContext(ctx, "tcp", addr, redigo.DialUseTLS(true), redigo.DialTLSConfig(conf))
		if err != nil {
			return err
		}
		defer c.Close()
		if _, err := c.Do("SET", "gm", longValue); err != nil {
			return err
		}
		for i := range 1000 {
			c.Send("RPUSH", "gm:list", i)
		}
		popped, err := redigo.Strings(c.Do("BLPOP", "gm:list", 0))
		if err != nil {
			return err
		}
		value, err := redigo.String(c.Do("GET", "gm"))
		if err != nil {
			return err
		}
		return wanted(popped, value, "hello")
	},
}

// longValue does not fit into one record of TLS.
var longValue = strconv.Itoa(1e9) + string(make([]byte, 100_000))

func wanted(popped []string, value, message string) error {
	if len(popped) != 2 || popped[1] != "0" || value != longValue || message != "hello" {
		return fmt.Errorf("popped %q, %d bytes, message %q", popped, len(value), message)
	}
	return nil
}

// TestTLSClients: who gets in, by tls-auth-clients and the client's
// certificate.
func TestTLSClients(t *testing.T) {
	t.Parallel()
	ours, foreign := newAuthority(t), newAuthority(t)
	for _, c := range []struct {
		authClients string
		by          *authority
		enters      bool
	}{
		{"yes", ours, true},
		{"yes", nil, false},
		{"yes", foreign, false},
		{"optional", ours, true},
		{"optional", nil, true},
		{"optional", foreign, false},
		{"no", nil, true},
		{"no", foreign, true}, // it is not asked for
	} {
		shown := map[*authority]string{ours: "a good", foreign: "a foreign", nil: "no"}[c.by]
		t.Run(fmt.Sprintf("auth-clients %s, %s certificate", c.authClients, shown), func(t *testing.T) {
			t.Parallel()
			addr := startTLS(t, ours, c.authClients)
			conf := ours.clientConfig(c.by)
			for library, use := range tlsClients {
				ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
				if err := use(ctx, addr, conf.Clone()); (err == nil) != c.enters {
					t.Errorf("%s: %v", library, err)
				}
				cancel()
			}
		})
	}
	t.Run("a client that does not trust the server", func(t *testing.T) {
		t.Parallel()
		addr := startTLS(t, ours, "no")
		for library, use := range tlsClients {
			if err := use(t.Context(), addr, foreign.clientConfig(nil)); err == nil {
				t.Errorf("%s trusts any server", library)
			}
		}
	})
}
