package sdk

import (
	"bufio"
	"context"
	"crypto/tls"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/sipc-ml/sipc/plugins"
	"github.com/sipc-ml/sipc/plugins/host"
	"github.com/sipc-ml/sipc/plugins/internal/wire"
)

// The test's own program is a family where the environment says which versions of the contract it speaks.
func TestMain(m *testing.M) {
	var speaks wire.Versions
	if _, err := fmt.Sscanf(os.Getenv("SIPC_TEST_SPEAKS"), "%d-%d", &speaks.Oldest, &speaks.Newest); err == nil {
		serveVersions(silent{}, speaks)
	}
	os.Exit(m.Run())
}

// silent is a family that adds nothing.
type silent struct{}

func (silent) Describe(context.Context) (*plugins.Schema, error) {
	fmt.Println("a word that is not a greeting")
	return &plugins.Schema{Name: "silent", Version: "1.0.0"}, nil
}

func (silent) Open(context.Context, *plugins.Data) (plugins.Session, error) { return nil, nil }

// Host and family speak the newest version that both know; where there is none, the error names both ranges and says which
// side is behind.
func TestVersions(t *testing.T) {
	for speaks, want := range map[string]string{
		"1-1": "",
		"0-1": "",
		"1-3": "",
		"2-2": "it speaks version 2 of the contract, and this sipc version 1: update sipc, or take an older release of the family",
		"2-4": "it speaks versions 2 to 4 of the contract, and this sipc version 1: update sipc",
		"0-0": "it speaks version 0 of the contract, and this sipc version 1: build the family anew with a newer kit",
	} {
		t.Run(speaks, func(t *testing.T) {
			t.Parallel()
			p, err := host.Launch(t.Context(), os.Args[0], host.Options{Env: []string{"SIPC_TEST_SPEAKS=" + speaks}})
			if err == nil {
				err = p.Close()
			}
			if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
				t.Errorf("error %v, want one that says %q", err, want)
			}
		})
	}
}

// Started without what the host sends, a family says so and ends.
func TestStartedByHand(t *testing.T) {
	for environment, want := range map[string]string{
		"A=B":                                   `This program is the family "silent" of invariances`,
		wire.CookieKey + "=" + wire.CookieValue: "PLUGIN_CLIENT_CERT holds no certificate",
	} {
		cmd := exec.CommandContext(t.Context(), os.Args[0])
		cmd.Env = []string{"SIPC_TEST_SPEAKS=1-1", environment}
		stdin, err := cmd.StdinPipe() // held open
		if err != nil {
			t.Fatal(err)
		}
		out, err := cmd.CombinedOutput()
		if err == nil || !strings.Contains(string(out), want) {
			t.Errorf("%s: %v: %s; want %q", environment, err, out, want)
		}
		_ = stdin.Close()
	}
}

// A family takes connections of the host that started it alone: no stranger's, and none without a certificate.
func TestConnectionsOfStrangers(t *testing.T) {
	host, stranger := certificate(t), certificate(t)
	cmd := exec.CommandContext(t.Context(), os.Args[0])
	cmd.Env = []string{
		"SIPC_TEST_SPEAKS=1-1", wire.CookieKey + "=" + wire.CookieValue, "PLUGIN_CLIENT_CERT=" + wire.CertificatePEM(host),
		"PLUGIN_UNIX_SOCKET_DIR=" + t.TempDir(),
	}
	stdin, err := cmd.StdinPipe() // its end ends the family
	if err != nil {
		t.Fatal(err)
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = stdin.Close(); _ = cmd.Wait() }()
	line, err := bufio.NewReader(stdout).ReadString('\n')
	greeting, ok := wire.ParseGreeting(line)
	if err != nil || !ok {
		t.Fatalf("%q: %v", line, err)
	}
	for who, c := range map[string]struct {
		certificates []tls.Certificate
		taken        bool
	}{"the host": {[]tls.Certificate{host}, true}, "a stranger": {[]tls.Certificate{stranger}, false}, "nobody": {nil, false}} {
		config := &tls.Config{Certificates: c.certificates, InsecureSkipVerify: true, NextProtos: []string{"h2"}}
		conn, err := (&tls.Dialer{Config: config}).DialContext(t.Context(), "unix", greeting.Socket)
		if err == nil { // the family's answer to the certificate comes with its first bytes
			_ = conn.SetDeadline(time.Now().Add(5 * time.Second))
			_, err = conn.Read(make([]byte, 1))
			_ = conn.Close()
		}
		if (err == nil) != c.taken {
			t.Errorf("a connection of %s: %v", who, err)
		}
	}
}

func certificate(t *testing.T) tls.Certificate {
	t.Helper()
	c, err := wire.NewCertificate()
	if err != nil {
		t.Fatal(err)
	}
	return c
}
