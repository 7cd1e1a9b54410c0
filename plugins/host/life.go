package host

import (
	"context"
	"crypto/tls"
	"encoding/base64"
	"errors"
	"fmt"
	"net"
	"strings"
	"sync"
	"unicode"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials"
	"google.golang.org/protobuf/reflect/protopath"
	"google.golang.org/protobuf/reflect/protorange"

	"github.com/sipc-ml/sipc/plugins"
	"github.com/sipc-ml/sipc/plugins/host/process"
	"github.com/sipc-ml/sipc/plugins/internal/wire"
	"github.com/sipc-ml/sipc/plugins/proto"
)

// A life is a process from its start to its end: the private directory, the process, the connection.
type life struct {
	dir    *process.Dir
	child  *process.Child
	conn   *grpc.ClientConn
	family proto.FamilyClient
	schema *plugins.Schema

	kill sync.Once
}

// begin starts the program, if approve finds nothing wrong with the digest of its private copy.
func (p *Process) begin(ctx context.Context, approve func(digest string) error) (*life, error) {
	l := &life{}
	if err := p.launch(ctx, l, approve); err != nil {
		return nil, errors.Join(err, l.end())
	}
	return l, nil
}

func (p *Process) launch(ctx context.Context, l *life, approve func(digest string) error) error {
	var err error
	if l.dir, err = process.NewDir(p.options.Dir); err != nil {
		return fmt.Errorf("family %s: %w", p.path, err)
	}
	program, digest, err := l.dir.CopyProgram(ctx, p.path)
	if err != nil {
		return fmt.Errorf("family %s: %w", p.path, err)
	}
	if err := approve(digest); err != nil {
		return err
	}
	if err := p.connect(ctx, l, program); err != nil {
		return err
	}
	if err := p.introduce(ctx, l); err != nil {
		return err
	}
	// Once it runs and is connected, neither program nor socket is needed: nothing is left even if this process is killed.
	l.dir.Forget()
	return nil
}

// connect starts the program and connects to it.
func (p *Process) connect(ctx context.Context, l *life, program string) error {
	certificate, err := wire.NewCertificate()
	if err != nil {
		return fmt.Errorf("family %s: %w", p.path, err)
	}
	l.child = process.New(program, l.dir.Path, p.options.process())
	if err := l.child.Prepare(wire.CertificatePEM(certificate)); err != nil {
		return fmt.Errorf("family %s: %w", p.path, err)
	}
	return p.first(ctx, l, starting, func(ctx context.Context, l *life, w *watch) error {
		return w.wait(func() error {
			greeting, err := l.child.Greet(ctx)
			switch {
			case errors.Is(err, process.ErrGone):
				return err
			case err != nil:
				return &unsound{err}
			}
			return l.dial(certificate, greeting)
		})
	})
}

// dial prepares the connection to the socket of a greeting, where nobody is trusted without the greeting's own certificate. Who
// answers with another one is told of at once, where gRPC would try again for ever.
func (l *life) dial(own tls.Certificate, g wire.Greeting) (err error) {
	secure := &tls.Config{
		Certificates:       []tls.Certificate{own},
		ServerName:         "localhost",
		MinVersion:         tls.VersionTLS12,
		InsecureSkipVerify: true, //nolint:gosec // the certificate itself is compared, which needs no authority
		VerifyConnection: func(s tls.ConnectionState) error {
			if base64.RawStdEncoding.EncodeToString(s.PeerCertificates[0].Raw) != g.Certificate {
				l.child.Unmask()
				return errors.New("another certificate than that of the greeting")
			}
			return nil
		},
	}
	l.conn, err = grpc.NewClient("passthrough:family",
		grpc.WithContextDialer(func(ctx context.Context, _ string) (net.Conn, error) {
			return new(net.Dialer).DialContext(ctx, "unix", g.Socket)
		}),
		grpc.WithTransportCredentials(credentials.NewTLS(secure)),
		grpc.WithIdleTimeout(0),
		grpc.WithInitialWindowSize(wire.Window),
		grpc.WithInitialConnWindowSize(wire.Window),
		grpc.WithReadBufferSize(wire.Buffer),
		grpc.WithWriteBufferSize(wire.Buffer),
		grpc.WithDefaultCallOptions(grpc.MaxCallRecvMsgSize(wire.MaxMessage), grpc.MaxCallSendMsgSize(wire.MaxMessage)),
	)
	l.family = proto.NewFamilyClient(l.conn)
	return err
}

// introduce asks for the schema and validates it.
func (p *Process) introduce(ctx context.Context, l *life) error {
	return p.first(ctx, l, describing, func(ctx context.Context, l *life, w *watch) error {
		var reply *proto.Schema
		err := w.wait(func() (err error) {
			reply, err = l.family.Describe(ctx, &proto.DescribeRequest{}, grpc.WaitForReady(true))
			return err
		})
		if err != nil {
			return err
		}
		if err := printableSchema(reply); err != nil {
			return &unsound{err}
		}
		l.schema = wire.ToSchema(reply)
		if err := l.schema.Validate(); err != nil {
			return &unsound{err}
		}
		if want := p.options.Name; want != "" && l.schema.Name != want {
			return &unsound{fmt.Errorf("it is the family %s: say `use %s from …`", l.schema.Name, l.schema.Name)}
		}
		return nil
	})
}

// end kills the process and removes what it leaves, once.
func (l *life) end() error {
	var err error
	l.kill.Do(func() {
		if l.child != nil {
			l.child.End()
		}
		if l.conn != nil {
			err = l.conn.Close()
		}
		if l.dir != nil {
			err = errors.Join(err, l.dir.Remove())
		}
	})
	return err
}

// printableSchema tells of a text in a schema that would steer the terminal on which it is shown.
func printableSchema(s *proto.Schema) error {
	return protorange.Range(s.ProtoReflect(), func(at protopath.Values) error {
		text, ok := at.Index(-1).Value.Interface().(string)
		if ok && strings.ContainsFunc(text, func(r rune) bool { return unicode.IsControl(r) && !strings.ContainsRune("\t\r\n", r) }) {
			return fmt.Errorf("its schema holds control characters in the text %q", process.Clip(text))
		}
		return nil
	})
}
