package host

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"os/exec"
	"strings"
	"sync"
	"time"
	"unicode"

	"github.com/hashicorp/go-hclog"
	"github.com/hashicorp/go-plugin"
	"github.com/hashicorp/go-plugin/runner"
	"google.golang.org/grpc"
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
	client *plugin.Client
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
	secure := &tls.Config{
		Certificates: []tls.Certificate{certificate},
		RootCAs:      x509.NewCertPool(), // none, until the process has greeted
		ServerName:   "localhost",
		MinVersion:   tls.VersionTLS12,
	}
	l.client = plugin.NewClient(&plugin.ClientConfig{
		HandshakeConfig:  plugin.HandshakeConfig{MagicCookieKey: wire.CookieKey, MagicCookieValue: wire.CookieValue},
		VersionedPlugins: callers(),
		RunnerFunc: func(_ hclog.Logger, cmd *exec.Cmd, _ string) (runner.Runner, error) {
			return l.child.Runner(), l.child.Prepare(append(cmd.Env, "PLUGIN_CLIENT_CERT="+wire.CertificatePEM(certificate)))
		},
		AllowedProtocols: []plugin.Protocol{plugin.ProtocolGRPC},
		TLSConfig:        secure,
		SkipHostEnv:      true,
		StartTimeout:     p.options.Start + time.Second, // ours acts first, and knows more
		UnixSocketConfig: &plugin.UnixSocketConfig{TempDir: l.dir.Path},
		SyncStdout:       l.child.Lines,
		SyncStderr:       l.child.Lines,
		Logger:           hclog.NewNullLogger(),
		GRPCDialOptions: []grpc.DialOption{
			grpc.WithTransportCredentials(newCheckedTLS(secure, l.child.Unmask)),
			grpc.WithIdleTimeout(0),
			grpc.WithInitialWindowSize(wire.Window),
			grpc.WithInitialConnWindowSize(wire.Window),
			grpc.WithReadBufferSize(wire.Buffer),
			grpc.WithWriteBufferSize(wire.Buffer),
			grpc.WithDefaultCallOptions(grpc.MaxCallRecvMsgSize(wire.MaxMessage), grpc.MaxCallSendMsgSize(wire.MaxMessage)),
		},
	})
	return p.first(ctx, l, starting, func(ctx context.Context, l *life, w *watch) error {
		return w.wait(func() error { return within(ctx, l.dispense) })
	})
}

// dispense starts the process and waits for its greeting.
func (l *life) dispense() error {
	protocol, err := l.client.Client()
	if err != nil {
		if err = l.child.GreetingError(err); !errors.Is(err, process.ErrGone) {
			err = &unsound{err}
		}
		return err
	}
	raw, err := protocol.Dispense(wire.PluginName)
	if err != nil {
		return err
	}
	family, ok := raw.(proto.FamilyClient)
	if !ok {
		return fmt.Errorf("%T is not a family", raw)
	}
	l.family = family
	return nil
}

// within runs f, but does not wait for it longer than ctx.
func within(ctx context.Context, f func() error) error {
	done := make(chan error, 1)
	go func() { done <- f() }()
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
	}
	if errors.Is(context.Cause(ctx), process.ErrGone) { // then f ends too, and knows more
		select {
		case err := <-done:
			return err
		case <-time.After(time.Second):
		}
	}
	return context.Cause(ctx)
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
		if l.client != nil {
			closed := make(chan struct{})
			go func() {
				defer close(closed)
				l.client.Kill() // releases what the library holds; the process is gone
			}()
			select {
			case <-closed:
			case <-time.After(time.Second):
			}
		}
		if l.dir != nil {
			err = l.dir.Remove()
		}
	})
	return err
}

// callers returns the client sides of a family, by the versions that are offered.
func callers() map[int]plugin.PluginSet {
	out := map[int]plugin.PluginSet{}
	for _, version := range process.Speaks.All() {
		out[version] = plugin.PluginSet{wire.PluginName: &caller{}}
	}
	return out
}

// caller makes the client side of a family for the handshake's library.
type caller struct{ plugin.NetRPCUnsupportedPlugin }

// GRPCServer returns an error: package sdk serves families.
func (*caller) GRPCServer(*plugin.GRPCBroker, *grpc.Server) error {
	return errors.New("package host calls families; package sdk serves them")
}

// GRPCClient returns the family's client.
func (*caller) GRPCClient(_ context.Context, _ *plugin.GRPCBroker, conn *grpc.ClientConn) (any, error) {
	return proto.NewFamilyClient(conn), nil
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
