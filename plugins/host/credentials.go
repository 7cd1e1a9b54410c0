package host

import (
	"context"
	"crypto/tls"
	"errors"
	"net"

	"google.golang.org/grpc/credentials"
)

// A checkedTLS is TLS by a configuration that the handshake completes: it trusts the certificate of the process's greeting and no
// other. Who answers with another one is told of at once, where gRPC would try again for ever.
type checkedTLS struct {
	credentials.TransportCredentials // for all but the handshake
	config                           *tls.Config
	impostor                         func()
}

func newCheckedTLS(config *tls.Config, impostor func()) *checkedTLS {
	return &checkedTLS{credentials.NewTLS(config), config, impostor}
}

// ClientHandshake makes a connection secure.
func (c *checkedTLS) ClientHandshake(ctx context.Context, authority string, raw net.Conn) (net.Conn, credentials.AuthInfo, error) {
	conn, info, err := credentials.NewTLS(c.config).ClientHandshake(ctx, authority, raw) // which copies what is trusted now
	var untrusted *tls.CertificateVerificationError
	if errors.As(err, &untrusted) {
		c.impostor()
	}
	return conn, info, err
}

// Clone makes a copy.
func (c *checkedTLS) Clone() credentials.TransportCredentials {
	return &checkedTLS{c.TransportCredentials.Clone(), c.config, c.impostor}
}
