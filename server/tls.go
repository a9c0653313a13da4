package server

import (
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"minikv/engine/config"
)

// tlsConfig makes what the tls- directives ask for.
func tlsConfig(c *config.Config) (*tls.Config, error) {
	if c.TLSKeyFilePass != "" {
		return nil, errors.New("tls-key-file-pass: encrypted key files cannot be read")
	}
	switch "" {
	case c.TLSCertFile:
		return nil, errors.New("tls-port needs a tls-cert-file")
	case c.TLSKeyFile:
		return nil, errors.New("tls-port needs a tls-key-file")
	}
	cert, err := tls.LoadX509KeyPair(c.TLSCertFile, c.TLSKeyFile)
	if err != nil {
		return nil, fmt.Errorf("could not load the TLS certificate: %w", err)
	}
	conf := &tls.Config{Certificates: []tls.Certificate{cert}, MinVersion: tls.VersionTLS12}
	if err := tlsVersions(conf, c.TLSProtocols); err != nil {
		return nil, err
	}
	if err := tlsCiphers(conf, c.TLSCiphers); err != nil {
		return nil, err
	}
	switch c.TLSAuthClients {
	case config.TLSAuthNo:
		return conf, nil
	case config.TLSAuthOptional:
		conf.ClientAuth = tls.VerifyClientCertIfGiven
	default:
		conf.ClientAuth = tls.RequireAndVerifyClientCert
	}
	conf.ClientCAs, err = authorities(c)
	return conf, err
}

// tlsVersions reads tls-protocols.
func tlsVersions(conf *tls.Config, protocols string) error {
	if protocols == "" {
		return nil
	}
	known := map[string]uint16{"TLSV1": tls.VersionTLS10, "TLSV1.1": tls.VersionTLS11, "TLSV1.2": tls.VersionTLS12, "TLSV1.3": tls.VersionTLS13}
	conf.MinVersion, conf.MaxVersion = 0, 0
	for _, name := range strings.Fields(protocols) {
		v, ok := known[strings.ToUpper(name)]
		if !ok {
			return fmt.Errorf("tls-protocols: there is no '%s'", name)
		}
		if conf.MinVersion == 0 || v < conf.MinVersion {
			conf.MinVersion = v
		}
		conf.MaxVersion = max(conf.MaxVersion, v)
	}
	return nil
}

// tlsCiphers reads tls-ciphers: OpenSSL's names, with colons between them.
func tlsCiphers(conf *tls.Config, ciphers string) error {
	if ciphers == "" {
		return nil
	}
	known := make(map[string]uint16)
	for _, suite := range tls.CipherSuites() {
		name := strings.TrimPrefix(suite.Name, "TLS_")
		name = strings.NewReplacer("_WITH_", "-", "AES_", "AES", "_POLY1305_SHA256", "-POLY1305", "_CBC", "", "_", "-").Replace(name)
		known[name] = suite.ID
	}
	for _, name := range strings.Split(ciphers, ":") {
		id, ok := known[name]
		if !ok {
			return fmt.Errorf("tls-ciphers: there is no '%s'", name)
		}
		conf.CipherSuites = append(conf.CipherSuites, id)
	}
	return nil
}

// authorities are those that client certificates may come from.
func authorities(c *config.Config) (*x509.CertPool, error) {
	var files []string
	if c.TLSCACertFile != "" {
		files = append(files, c.TLSCACertFile)
	}
	if c.TLSCACertDir != "" {
		found, err := filepath.Glob(filepath.Join(c.TLSCACertDir, "*"))
		if err != nil {
			return nil, err
		}
		files = append(files, found...)
	}
	if len(files) == 0 {
		return nil, errors.New("tls-auth-clients needs a tls-ca-cert-file or tls-ca-cert-dir")
	}
	pool := x509.NewCertPool()
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		if block, _ := pem.Decode(text); block != nil {
			pool.AppendCertsFromPEM(text)
		}
	}
	return pool, nil
}
