package sdk

import (
	"crypto/tls"
	"crypto/x509"
	"encoding/base64"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/health"
	"google.golang.org/grpc/health/grpc_health_v1"

	"github.com/sipc-ml/sipc/plugins"
	"github.com/sipc-ml/sipc/plugins/internal/wire"
	"github.com/sipc-ml/sipc/plugins/proto"
)

// serve greets the host and answers its calls. The handshake is that of github.com/hashicorp/go-plugin, as
// proto/family.proto describes it. The library's own server is not used: its certificates and services cost a start more than
// all the rest of the handshake.
func serve(family plugins.Family, speaks wire.Versions) error {
	creds, certificate, err := identify(os.Getenv("PLUGIN_CLIENT_CERT"))
	if err != nil {
		return err
	}
	listener, err := net.Listen("unix", filepath.Join(os.Getenv("PLUGIN_UNIX_SOCKET_DIR"), "family")) //nolint:noctx // it ends with the process
	if err != nil {
		return err
	}
	server := newServer(creds)
	proto.RegisterFamilyServer(server, &familyServer{family: family, sessions: map[uint64]*boundSession{}})
	state := health.NewServer()
	state.SetServingStatus("plugin", grpc_health_v1.HealthCheckResponse_SERVING)
	grpc_health_v1.RegisterHealthServer(server, state)
	greeting := wire.Greeting{Version: speaks.Newest, Socket: listener.Addr().String(), Certificate: certificate, Speaks: &speaks}
	if version, ok := speaks.Choose(os.Getenv("PLUGIN_PROTOCOL_VERSIONS")); ok {
		greeting.Version = version
	}
	if _, err := fmt.Fprintln(os.Stdout, greeting.String()); err != nil {
		return err
	}
	os.Stdout = os.Stderr // standard output is the handshake's: what the family prints goes to the log
	return server.Serve(listener)
}

// identify makes this process's certificate, and the credentials that accept the host's alone.
func identify(host string) (creds credentials.TransportCredentials, certificate string, err error) {
	trusted := x509.NewCertPool()
	if !trusted.AppendCertsFromPEM([]byte(host)) {
		return nil, "", errors.New("PLUGIN_CLIENT_CERT holds no certificate: this program takes no connection without one")
	}
	own, err := wire.NewCertificate()
	if err != nil {
		return nil, "", err
	}
	config := &tls.Config{
		Certificates: []tls.Certificate{own}, ClientAuth: tls.RequireAndVerifyClientCert, ClientCAs: trusted, MinVersion: tls.VersionTLS13,
	}
	return credentials.NewTLS(config), base64.RawStdEncoding.EncodeToString(own.Certificate[0]), nil
}

func newServer(creds credentials.TransportCredentials) *grpc.Server {
	return grpc.NewServer(
		grpc.Creds(creds),
		grpc.MaxRecvMsgSize(wire.MaxMessage),
		grpc.MaxSendMsgSize(wire.MaxMessage),
		grpc.InitialWindowSize(wire.Window),
		grpc.InitialConnWindowSize(wire.Window),
		grpc.ReadBufferSize(wire.Buffer),
		grpc.WriteBufferSize(wire.Buffer),
	)
}
