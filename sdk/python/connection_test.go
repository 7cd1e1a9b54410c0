package python_test

import (
	"bufio"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/base64"
	"encoding/pem"
	"math/big"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials"

	"github.com/sipc-ml/sipc/plugins/host"
	"github.com/sipc-ml/sipc/plugins/proto"
)

// Host and family speak the newest version that both know, as with a family of the kit in Go; where there is none, the error names
// both ranges and says which side is behind.
func TestVersions(t *testing.T) {
	program := bundle(t, "testdata/versions.py")
	for speaks, want := range map[string]string{
		"1-1": "",
		"0-3": "",
		"2-4": "it speaks versions 2 to 4 of the contract, and this sipc version 1: update sipc",
		"0-0": "it speaks version 0 of the contract, and this sipc version 1: build the family anew with a newer kit",
	} {
		t.Run(speaks, func(t *testing.T) {
			t.Parallel()
			p, err := host.Launch(t.Context(), program, host.Options{Env: []string{"SIPC_TEST_SPEAKS=" + speaks}})
			if err == nil {
				err = p.Close()
			}
			if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
				t.Errorf("error %v, want one that says %q", err, want)
			}
		})
	}
}

// The greeting has the fields that family.proto names: of the versions that are offered, the newest that it speaks, and all that it
// speaks.
func TestGreeting(t *testing.T) {
	program := bundle(t, "testdata/versions.py")
	for _, c := range []struct{ speaks, offered, want string }{
		{"1-3", "1,2", `1\|2\|unix\|\S+\|grpc\|[A-Za-z0-9+/]+\|1-3`},
		{"2-2", "1,2,3", `1\|2\|unix\|\S+\|grpc\|[A-Za-z0-9+/]+\|2-2`},
		{"4-5", "1", `1\|5\|unix\|\S+\|grpc\|[A-Za-z0-9+/]+\|4-5`},
	} {
		own := newIdentity(t)
		if got := startByHand(t, program, c.speaks, c.offered, own.pem); !regexp.MustCompile("^" + c.want + "$").MatchString(got) {
			t.Errorf("speaking %s, offered %s, it greets with %q", c.speaks, c.offered, got)
		}
	}
}

// A family takes connections of the host that started it alone: no stranger's, and none without a certificate. And it shows the
// certificate of its greeting.
func TestConnectionsOfStrangers(t *testing.T) {
	own, stranger := newIdentity(t), newIdentity(t)
	greeting := strings.Split(startByHand(t, bundle(t, "testdata/versions.py"), "1-1", "1", own.pem), "|")
	der, err := base64.RawStdEncoding.DecodeString(greeting[5])
	if err != nil {
		t.Fatal(err)
	}
	certificate, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}
	greeted := x509.NewCertPool()
	greeted.AddCert(certificate)
	for who, c := range map[string]struct {
		certificates []tls.Certificate
		taken        bool
	}{"the host": {[]tls.Certificate{own.certificate}, true}, "a stranger": {[]tls.Certificate{stranger.certificate}, false}, "nobody": {nil, false}} {
		config := &tls.Config{Certificates: c.certificates, RootCAs: greeted, ServerName: "localhost", MinVersion: tls.VersionTLS12}
		if err := describe(t, greeting[3], config); (err == nil) != c.taken {
			t.Errorf("a call of %s: %v", who, err)
		}
	}
}

// describe calls the family at a socket.
func describe(t *testing.T, socket string, config *tls.Config) error {
	t.Helper()
	conn, err := grpc.NewClient("unix:"+socket, grpc.WithTransportCredentials(credentials.NewTLS(config)))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close() }()
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	_, err = proto.NewFamilyClient(conn).Describe(ctx, &proto.DescribeRequest{})
	return err
}

// Without a certificate of the host's it does not serve.
func TestNoCertificateNoService(t *testing.T) {
	program := bundle(t, "testdata/versions.py")
	for _, client := range []string{"", "no certificate"} {
		if got := startByHand(t, program, "1-1", "1", client); got != "" {
			t.Errorf("handed the certificate %q, it greets with %q", client, got)
		}
	}
}

// startByHand starts a family as the host does, for as long as the test runs; the result is its greeting, empty where it ends without.
func startByHand(t *testing.T, program, speaks, offered, client string) string {
	t.Helper()
	dir, err := os.MkdirTemp("/tmp", "s") //nolint:usetesting // paths of sockets must be short
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), program)
	cmd.Env = []string{
		"PATH=" + os.Getenv("PATH"), "SIPC_TEST_SPEAKS=" + speaks, "SIPC_FAMILY=1f6d8c2e", "PLUGIN_PROTOCOL_VERSIONS=" + offered,
		"PLUGIN_CLIENT_CERT=" + client, "PLUGIN_UNIX_SOCKET_DIR=" + dir,
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
	t.Cleanup(func() { _ = stdin.Close(); _ = cmd.Wait(); _ = os.RemoveAll(dir) })
	line, _ := bufio.NewReader(stdout).ReadString('\n')
	return strings.TrimSuffix(line, "\n")
}

// An identity is a certificate of one's own.
type identity struct {
	certificate tls.Certificate
	pem         string
}

func newIdentity(t *testing.T) identity {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	serial, err := rand.Int(rand.Reader, new(big.Int).Lsh(big.NewInt(1), 100))
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: serial, Subject: pkix.Name{CommonName: "localhost"}, DNSNames: []string{"localhost"},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour), IsCA: true, BasicConstraintsValid: true,
		KeyUsage: x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth},
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		t.Fatal(err)
	}
	return identity{
		tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key},
		string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})),
	}
}
