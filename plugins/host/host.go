// Package host runs families that are processes of their own.
//
// A family's process is not trusted. Its program is copied to a private place, the digest of the very bytes that will
// run is held against the one that is pinned in sipc.lock, and the copy is run: in its own process group, with little
// environment, standard output guarded, over mutually authenticated TLS. Every wait for it has an end, every block that
// it sends is validated before anything looks at it. A process that crashes, hangs, floods or lies is killed with its
// children, and the call that it failed ends in one *Error that shows its last words. Nothing is left behind.
package host

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"sync"
	"time"

	"github.com/hashicorp/go-hclog"
	"github.com/hashicorp/go-plugin"
	"github.com/hashicorp/go-plugin/runner"
	"google.golang.org/grpc"

	"github.com/sipc-ml/sipc/plugins"
	"github.com/sipc-ml/sipc/plugins/internal/wire"
	"github.com/sipc-ml/sipc/plugins/proto"
)

// Options say how a family's process is run. The zero value is the default.
type Options struct {
	// Name is the family's name, as in `use NAME from "PATH"`; a program that calls itself otherwise is refused. Empty
	// takes any.
	Name string
	// Lock pins the program's digest; nil pins nothing.
	Lock *Lock
	// Silence is how long the process may neither answer nor use its processor while an answer is awaited; default 3 s.
	// It is watched where the platform tells (Linux).
	Silence time.Duration
	// Start, Answer and Call are how long a start, one message of an answer, and a whole call may take even if the process is
	// busy; default 20 s, 2 min and 30 min.
	Start, Answer, Call time.Duration
	// MaxChunk and MaxAnswer are how much the process may send in one chunk and in one answer, in bytes; default 256 MiB and 1 GiB.
	// An answer of Map is one block, which may be as large as an answer.
	MaxChunk, MaxAnswer int64
	// Memory is how much memory each of its processes may ask for, in bytes, and Processor how long each may use processors;
	// default 4 GiB and 2 h. They are limits where the platform has them (Linux).
	Memory    int64
	Processor time.Duration
	// Log receives what the process writes to its standard error, line by line, each after the family's name; nil discards it.
	Log io.Writer
	// Dir is where the private directories are made; default that of temporary files.
	Dir string
	// Env is added to the process's environment, which otherwise holds PATH, LANG, LC_ALL, LC_CTYPE and TZ of this one,
	// a TMPDIR of its own, and the handshake.
	Env []string
}

func (o Options) withDefaults() Options {
	for _, d := range []struct {
		field    *time.Duration
		fallback time.Duration
	}{{&o.Silence, 3 * time.Second}, {&o.Start, 20 * time.Second}, {&o.Answer, 2 * time.Minute}, {&o.Call, 30 * time.Minute}, {&o.Processor, 2 * time.Hour}} {
		if *d.field <= 0 {
			*d.field = d.fallback
		}
	}
	for _, b := range []struct {
		field    *int64
		fallback int64
	}{{&o.MaxChunk, 256 << 20}, {&o.MaxAnswer, 1 << 30}, {&o.Memory, 4 << 30}} {
		if *b.field <= 0 {
			*b.field = b.fallback
		}
	}
	return o
}

// A Process is a family that runs as a process. It implements plugins.Family; its answers are those of the family in
// process, bit by bit. Close ends it.
type Process struct {
	path     string // as the user gave it
	options  Options
	digest   string
	firstUse bool

	dir    *privateDir
	child  *child
	client *plugin.Client
	family proto.FamilyClient
	schema *plugins.Schema

	kill sync.Once
	mu   sync.Mutex
	dead error // why the process was given up; nil while it is trusted
}

var _ interface {
	plugins.Family
	io.Closer
} = (*Process)(nil)

// Launch starts the program at path and asks it for its schema. It fails with *Error where the program is at fault, and
// with *DigestError where it is not the one that the lock pins. Cancelling ctx ends the start, not the process: see Close.
func Launch(ctx context.Context, path string, options Options) (*Process, error) {
	p := &Process{path: path, options: options.withDefaults()}
	if err := p.launch(ctx); err != nil {
		return nil, errors.Join(err, p.end())
	}
	return p, nil
}

func (p *Process) launch(ctx context.Context) error {
	var err error
	if p.dir, err = newPrivateDir(p.options.Dir); err != nil {
		return fmt.Errorf("family %s: %w", p.path, err)
	}
	program, digest, err := p.dir.copyProgram(ctx, p.path)
	if err != nil {
		return fmt.Errorf("family %s: %w", p.path, err)
	}
	p.digest = digest
	pinned, err := p.options.Lock.check(p.path, digest)
	if err != nil {
		return err
	}
	if err := p.connect(ctx, program); err != nil {
		return err
	}
	if err := p.introduce(ctx); err != nil {
		return err
	}
	// Once it runs and is connected, neither program nor socket is needed: nothing is left even if this process is killed.
	p.dir.forget()
	if pinned || p.options.Lock == nil {
		return nil
	}
	p.firstUse = true
	return p.options.Lock.record(p.path, Pin{Name: p.schema.Name, Version: p.schema.Version, SHA256: map[string]string{platform(): digest}})
}

// connect starts the program and connects to it.
func (p *Process) connect(ctx context.Context, program string) error {
	certificate, err := wire.NewCertificate()
	if err != nil {
		return fmt.Errorf("family %s: %w", p.path, err)
	}
	p.child = newChild(program, p.dir.path, p.options)
	p.client = plugin.NewClient(&plugin.ClientConfig{
		HandshakeConfig:  plugin.HandshakeConfig{MagicCookieKey: wire.CookieKey, MagicCookieValue: wire.CookieValue},
		VersionedPlugins: callers(),
		RunnerFunc: func(_ hclog.Logger, cmd *exec.Cmd, _ string) (runner.Runner, error) {
			return p.child, p.child.prepare(append(cmd.Env, "PLUGIN_CLIENT_CERT="+wire.CertificatePEM(certificate)))
		},
		AllowedProtocols: []plugin.Protocol{plugin.ProtocolGRPC},
		TLSConfig: &tls.Config{
			Certificates: []tls.Certificate{certificate},
			RootCAs:      x509.NewCertPool(), // none, until the process has greeted
			ServerName:   "localhost",
			MinVersion:   tls.VersionTLS12,
		},
		SkipHostEnv:      true,
		StartTimeout:     p.options.Start + time.Second, // ours acts first, and knows more
		UnixSocketConfig: &plugin.UnixSocketConfig{TempDir: p.dir.path},
		SyncStdout:       p.child.words,
		SyncStderr:       p.child.words,
		Logger:           hclog.NewNullLogger(),
		GRPCDialOptions: []grpc.DialOption{
			grpc.WithIdleTimeout(0),
			grpc.WithInitialWindowSize(wire.Window),
			grpc.WithInitialConnWindowSize(wire.Window),
			grpc.WithReadBufferSize(wire.Buffer),
			grpc.WithWriteBufferSize(wire.Buffer),
			grpc.WithDefaultCallOptions(grpc.MaxCallRecvMsgSize(wire.MaxMessage), grpc.MaxCallSendMsgSize(wire.MaxMessage)),
		},
	})
	return p.do(ctx, "while it starts", p.options.Start, func(ctx context.Context, w *watch) error {
		return w.wait(func() error { return within(ctx, p.dispense) })
	})
}

// dispense starts the process and waits for its greeting.
func (p *Process) dispense() error {
	protocol, err := p.client.Client()
	if err != nil {
		return p.child.greetingError(err)
	}
	raw, err := protocol.Dispense(wire.PluginName)
	if err != nil {
		return err
	}
	family, ok := raw.(proto.FamilyClient)
	if !ok {
		return fmt.Errorf("%T is no family", raw)
	}
	p.family = family
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
	if errors.Is(context.Cause(ctx), errGone) { // then f ends too, and knows more
		select {
		case err := <-done:
			return err
		case <-time.After(time.Second):
		}
	}
	return context.Cause(ctx)
}

// introduce asks for the schema and validates it.
func (p *Process) introduce(ctx context.Context) error {
	return p.do(ctx, "while it describes itself", p.options.Start, func(ctx context.Context, w *watch) error {
		var reply *proto.Schema
		err := w.wait(func() (err error) {
			reply, err = p.family.Describe(ctx, &proto.DescribeRequest{}, grpc.WaitForReady(true))
			return err
		})
		if err != nil {
			return err
		}
		p.schema = wire.ToSchema(reply)
		if err := p.schema.Validate(); err != nil {
			return &unsound{err}
		}
		if want := p.options.Name; want != "" && p.schema.Name != want {
			return &unsound{fmt.Errorf("it is the family %s: say `use %s from …`", p.schema.Name, p.schema.Name)}
		}
		return nil
	})
}

// Describe says what the family adds to the language.
func (p *Process) Describe(context.Context) (*plugins.Schema, error) {
	if err := p.alive(); err != nil {
		return nil, err
	}
	return p.schema, nil
}

// Open hands the process a data set.
func (p *Process) Open(ctx context.Context, data *plugins.Data) (plugins.Session, error) {
	s := &session{process: p, n: data.N(), features: data.Rows.Cols, labels: len(data.LabelNames)}
	err := p.do(ctx, "while it takes the data", p.options.Answer, func(ctx context.Context, w *watch) error {
		stream, err := p.family.Open(ctx)
		if err != nil {
			return err
		}
		err = wire.SendData(data, func(m *proto.DataPart) error { return w.wait(func() error { return stream.Send(m) }) })
		if err != nil && !errors.Is(err, io.EOF) { // EOF: the family has answered already; its reason comes below
			return err
		}
		return w.wait(func() error {
			reply, err := stream.CloseAndRecv()
			s.id = reply.GetSession()
			return err
		})
	})
	if err != nil {
		return nil, err
	}
	return s, nil
}

// Digest is the SHA-256 of the program that runs, in hexadecimal.
func (p *Process) Digest() string { return p.digest }

// FirstUse tells whether the lock did not know the program and now pins it: it was trusted unseen.
func (p *Process) FirstUse() bool { return p.firstUse }

// Failed tells whether the process was given up because of what it did.
func (p *Process) Failed() bool {
	var failed *Error
	return errors.As(p.alive(), &failed)
}

// PID is the number of the process.
func (p *Process) PID() int { return p.child.pid() }

// Close ends the process and whatever it started, and removes its files. Calls that are under way fail.
func (p *Process) Close() error {
	p.mu.Lock()
	if p.dead == nil {
		p.dead = fmt.Errorf("family %s: it is closed", p.name())
	}
	p.mu.Unlock()
	return p.end()
}

// end kills the process and removes what it leaves, once.
func (p *Process) end() error {
	var err error
	p.kill.Do(func() {
		if p.child != nil {
			p.child.end()
		}
		if p.client != nil {
			closed := make(chan struct{})
			go func() {
				defer close(closed)
				p.client.Kill() // releases what the library holds; the process is gone
			}()
			select {
			case <-closed:
			case <-time.After(time.Second):
			}
		}
		if p.dir != nil {
			err = p.dir.remove()
		}
	})
	return err
}

// name is how errors call the family.
func (p *Process) name() string {
	name := p.options.Name
	if name == "" && p.schema != nil {
		name = p.schema.Name
	}
	if name == "" {
		return filepath.Base(p.path)
	}
	return fmt.Sprintf("%s (%s)", name, p.path)
}

// speaks are the versions of the contract that this package speaks.
var speaks = wire.Versions{Oldest: plugins.OldestVersion, Newest: plugins.ContractVersion}

// callers are the client sides of a family, by the versions that are offered.
func callers() map[int]plugin.PluginSet {
	out := map[int]plugin.PluginSet{}
	for _, version := range speaks.All() {
		out[version] = plugin.PluginSet{wire.PluginName: &caller{}}
	}
	return out
}

// caller makes the client side of a family for the handshake's library.
type caller struct{ plugin.NetRPCUnsupportedPlugin }

// GRPCServer is package sdk's affair.
func (*caller) GRPCServer(*plugin.GRPCBroker, *grpc.Server) error {
	return errors.New("package host calls families; package sdk serves them")
}

// GRPCClient is the family's client.
func (*caller) GRPCClient(_ context.Context, _ *plugin.GRPCBroker, conn *grpc.ClientConn) (any, error) {
	return proto.NewFamilyClient(conn), nil
}

// platform is the key of a digest in the lock.
func platform() string { return runtime.GOOS + "/" + runtime.GOARCH }

// environment is what the process inherits.
func environment() []string {
	var out []string
	for _, key := range []string{"PATH", "LANG", "LC_ALL", "LC_CTYPE", "TZ"} {
		if v, ok := os.LookupEnv(key); ok {
			out = append(out, key+"="+v)
		}
	}
	return out
}
