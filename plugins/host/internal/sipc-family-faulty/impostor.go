package main

import (
	"context"
	"crypto/tls"
	"encoding/base64"
	"fmt"
	"net"
	"os"
	"path/filepath"

	"github.com/sipc-ml/sipc/plugins/internal/wire"
)

// pretend greets with one certificate, or with none, and answers with another.
func pretend(certified bool) {
	own, err := wire.NewCertificate()
	must(err)
	path := filepath.Join(os.Getenv("PLUGIN_UNIX_SOCKET_DIR"), "s")
	listener, err := new(net.ListenConfig).Listen(context.Background(), "unix", path)
	must(err)
	shown := ""
	if certified {
		other, err := wire.NewCertificate()
		must(err)
		shown = base64.RawStdEncoding.EncodeToString(other.Certificate[0])
	}
	greeting := fmt.Sprintf("1|1|unix|%s|grpc|%s\n", path, shown)
	_, err = os.Stdout.WriteString(greeting)
	must(err)
	for {
		conn, err := listener.Accept()
		must(err)
		_ = tls.Server(conn, &tls.Config{Certificates: []tls.Certificate{own}, NextProtos: []string{"h2"}, MinVersion: tls.VersionTLS13}).Handshake() //nolint:noctx // it lasts as long as the process
	}
}
