package server

import (
	"bufio"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"minikv/engine/config"
)

// certificate writes a certificate that vouches for itself, and its key.
func certificate(t *testing.T) (certFile, keyFile string, pool *x509.CertPool) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "minikv"}, DNSNames: []string{"localhost"},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	keyDER, err := x509.MarshalECPrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	certFile, keyFile = filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem")
	certPEM := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})
	keyPEM := pem.EncodeToMemory(&pem.Block{Type: "EC PRIVATE KEY", Bytes: keyDER})
	for file, text := range map[string][]byte{certFile: certPEM, keyFile: keyPEM} {
		if err := os.WriteFile(file, text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	pool = x509.NewCertPool()
	pool.AppendCertsFromPEM(certPEM)
	return certFile, keyFile, pool
}

func TestTLS(t *testing.T) {
	t.Parallel()
	certFile, keyFile, pool := certificate(t)
	conf := config.New()
	conf.Port = 0
	conf.TLSCertFile, conf.TLSKeyFile, conf.TLSCACertFile = certFile, keyFile, certFile
	conf.TLSProtocols = "TLSv1.2"
	conf.TLSCiphers = "ECDHE-ECDSA-AES256-GCM-SHA384:ECDHE-ECDSA-CHACHA20-POLY1305"
	s := startOnFreePort(t, conf, &conf.TLSPort)
	addr := s.Addrs()[0].String()

	cert, err := tls.LoadX509KeyPair(certFile, keyFile)
	if err != nil {
		t.Fatal(err)
	}
	conn, err := tls.Dial("tcp", addr, &tls.Config{RootCAs: pool, ServerName: "localhost", Certificates: []tls.Certificate{cert}})
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	conn.SetDeadline(time.Now().Add(patience))
	if suite := conn.ConnectionState().CipherSuite; suite != tls.TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384 && suite != tls.TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256 {
		t.Errorf("the cipher is %s", tls.CipherSuiteName(suite))
	}
	c := &client{Conn: conn, t: t, in: bufio.NewReader(conn)}
	c.send("SUBSCRIBE news", "PING")
	c.expect("*3\r\n$9\r\nsubscribe\r\n$4\r\nnews\r\n:1\r\n*2\r\n$4\r\npong\r\n$0\r\n\r\n")
	if v, err := s.Do("PUBLISH", "news", "x"); err != nil || v.Int != 1 {
		t.Errorf("PUBLISH: %v, %v", v, err)
	}
	c.expect("*3\r\n$7\r\nmessage\r\n$4\r\nnews\r\n$1\r\nx\r\n")

	// Without a certificate one does not get in (tls-auth-clients yes).
	bare, err := tls.Dial("tcp", addr, &tls.Config{RootCAs: pool, ServerName: "localhost"})
	if err == nil {
		bare.SetDeadline(time.Now().Add(patience))
		bare.Write([]byte("PING\r\n"))
		if n, err := bare.Read(make([]byte, 1)); err == nil {
			t.Errorf("a client without a certificate reads %d bytes", n)
		}
		bare.Close()
	}
	// A peer that never begins to shake hands does not hold up Close.
	mute, err := net.Dial("tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	defer mute.Close()
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
}

func TestTLSNeedsItsFiles(t *testing.T) {
	t.Parallel()
	certFile, keyFile, _ := certificate(t)
	for directive, set := range map[string]func(c *config.Config){
		"tls-cert-file":    func(c *config.Config) { c.TLSCertFile = "" },
		"tls-key-file":     func(c *config.Config) { c.TLSKeyFile = "" },
		"tls-ca-cert-file": func(c *config.Config) { c.TLSCACertFile = "" },
		"tls-protocols":    func(c *config.Config) { c.TLSProtocols = "TLSv9" },
		"tls-ciphers":      func(c *config.Config) { c.TLSCiphers = "ECDHE-RSA-AES128-GCM-SHA256:ROT13" },
	} {
		conf := config.New()
		conf.Port, conf.TLSPort = 0, 1 // it is not listened on
		conf.TLSCertFile, conf.TLSKeyFile, conf.TLSCACertFile = certFile, keyFile, certFile
		set(conf)
		if s, err := Start(Options{Config: conf}); err == nil {
			s.Close()
			t.Errorf("%s: it starts", directive)
		} else if !strings.Contains(err.Error(), directive) {
			t.Errorf("%v: that does not name %s", err, directive)
		}
	}
}
