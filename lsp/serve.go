package lsp

import (
	"context"
	"errors"
	"io"
	"log"
	"os"
	"runtime/debug"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/creachadair/jrpc2"

	"github.com/sipc-ml/sipc/plugins"
)

// Options say what surrounds the server. The zero value has no families and logs nothing.
type Options struct {
	Version  string
	Families map[string]plugins.Family // built in, by name
	// Pinned are the paths of the families of `use NAME` that the lock in folder dir knows, by name. Nil knows none.
	Pinned func(dir string) (map[string][]string, error)
	Log    io.Writer // nil discards
}

// ErrNoShutdown says that the client left without asking the server to shut down first.
var ErrNoShutdown = errors.New("the client ended the server without asking it to shut down")

// The errors of the protocol that the server answers with.
var (
	errNotInitialized = &jrpc2.Error{Code: -32002, Message: "the server is not initialized"}
	errShutDown       = &jrpc2.Error{Code: jrpc2.InvalidRequest, Message: "the server is shut down"}
	errCancelled      = &jrpc2.Error{Code: -32800, Message: "the request was cancelled"}
	errInternal       = &jrpc2.Error{Code: jrpc2.InternalError, Message: "the server failed at this request; its log says how"}
)

// A session is a conversation with one client.
type session struct {
	options  Options
	log      *log.Logger
	ctx      context.Context //nolint:containedctx // a session lives for one call of Serve
	stop     context.CancelFunc
	docs     store
	settings atomic.Pointer[Settings]
	client   atomic.Pointer[ClientCapabilities]

	initialized, shutDown atomic.Bool

	publishing sync.Mutex
	work       sync.WaitGroup // goroutines that outlive the request that began them
	notify     func(method string, params any)
	headers    headers
}

func newSession(ctx context.Context, o Options) *session {
	if o.Log == nil {
		o.Log = io.Discard
	}
	s := &session{options: o, log: log.New(o.Log, "sipc lsp: ", log.LstdFlags), notify: func(string, any) {}}
	s.ctx, s.stop = context.WithCancel(ctx)
	s.settings.Store(&Settings{})
	s.client.Store(&ClientCapabilities{})
	s.headers.known = map[string]*dataColumns{}
	return s
}

// Serve speaks the protocol until the client exits or closes its end, or ctx ends. It is nil where the client left in
// good order, ErrNoShutdown where it just left.
func Serve(ctx context.Context, in io.Reader, out io.WriteCloser, o Options) error {
	s := newSession(ctx, o)
	defer s.stop()
	collectSeldom()
	server := jrpc2.NewServer(s, &jrpc2.ServerOptions{
		AllowPush: true, DisableBuiltin: true, Concurrency: concurrency, NewContext: func() context.Context { return s.ctx },
	})
	s.notify = func(method string, params any) {
		if err := server.Notify(s.ctx, method, params); err != nil && !errors.Is(err, jrpc2.ErrConnClosed) {
			s.log.Printf("%s: %v", method, err)
		}
	}
	server.Start(framed(in, out))
	context.AfterFunc(s.ctx, server.Stop) //nolint:contextcheck // the session's context is derived from ctx
	err := server.Wait()
	s.stop()
	for _, d := range s.docs.all() {
		d.cancel()
	}
	s.work.Wait()
	switch {
	case s.shutDown.Load():
		return nil
	case ctx.Err() != nil:
		return ctx.Err()
	case err != nil && !errors.Is(err, io.EOF):
		return err
	}
	return ErrNoShutdown
}

// collectSeldom lets garbage grow to several times what is in use, which is little, before it is collected. Every
// version of a text becomes garbage within one keystroke or two, and collecting it meanwhile would slow the answers.
// Whoever sets GOGC has the say.
func collectSeldom() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(garbagePercent)
		debug.SetMemoryLimit(min(debug.SetMemoryLimit(-1), memoryLimit))
	}
}

// How much garbage there may be, in percent of what is in use, and above how many bytes it is collected whatever the share.
const garbagePercent, memoryLimit = 400, 256 << 20

// concurrency is how many requests are answered at a time; more than there are processors, as some wait for the same check.
const concurrency = 16

// Assign returns the handler of a method. Nil means that the server does not know it.
func (s *session) Assign(_ context.Context, method string) jrpc2.Handler {
	h := handlers[method]
	if h == nil {
		return nil
	}
	return func(ctx context.Context, req *jrpc2.Request) (any, error) {
		result, err := s.handle(ctx, method, h, req.UnmarshalParams)
		if req.ID() == "" { // a notification
			return nil, nil // nobody waits for an answer, and the library would give one to a client that left
		}
		return result, err
	}
}

// handle answers a message. A fault of the server's own costs one answer, not the server.
func (s *session) handle(ctx context.Context, method string, h handler, decode func(any) error) (result any, err error) {
	defer func() {
		if r := recover(); r != nil {
			s.log.Printf("%s: %v", method, r)
			result, err = nil, errInternal
		}
	}()
	switch {
	case method == "exit" || method == "$/cancelRequest":
	case s.shutDown.Load():
		return nil, errShutDown
	case !s.initialized.Load() && method != "initialize":
		return nil, errNotInitialized
	}
	p := new(Params)
	if err := decode(p); err != nil && strings.HasPrefix(method, "textDocument/") { // elsewhere some clients write [] for nothing
		return nil, &jrpc2.Error{Code: jrpc2.InvalidParams, Message: err.Error()}
	}
	result, err = h(ctx, s, p)
	if ctx.Err() != nil {
		return nil, errCancelled
	}
	return result, err
}

// initialize agrees on what both ends can do.
func initialize(_ context.Context, s *session, p *Params) (any, error) {
	if !s.initialized.CompareAndSwap(false, true) {
		return nil, &jrpc2.Error{Code: jrpc2.InvalidRequest, Message: "the server is initialized already"}
	}
	s.client.Store(&p.Capabilities)
	if p.InitializationOptions != nil {
		s.settings.Store(p.InitializationOptions)
	}
	return map[string]any{"capabilities": capabilities, "serverInfo": map[string]any{"name": "sipc", "version": s.options.Version}}, nil
}

// capabilities say what the server can do.
var capabilities = map[string]any{
	"positionEncoding":           "utf-16",
	"textDocumentSync":           map[string]any{"openClose": true, "change": 2, "save": map[string]any{}},
	"hoverProvider":              true,
	"completionProvider":         map[string]any{"triggerCharacters": []string{"(", ",", "=", " ", "{", ":", "/", "\"", "|"}},
	"signatureHelpProvider":      map[string]any{"triggerCharacters": []string{"(", ","}},
	"definitionProvider":         true,
	"referencesProvider":         true,
	"documentHighlightProvider":  true,
	"documentFormattingProvider": true,
	"codeActionProvider":         map[string]any{"codeActionKinds": []string{kindQuickFix, kindFixAll}},
	"renameProvider":             map[string]any{"prepareProvider": true},
	"inlayHintProvider":          true,
	"documentSymbolProvider":     true,
}
