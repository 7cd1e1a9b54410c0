package rest

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"runtime/debug"
	"strings"
	"time"

	sipc "github.com/sipc-ml/sipc"
	"github.com/sipc-ml/sipc/internal/limits"
	"github.com/sipc-ml/sipc/runtime/model"
)

// Options say how a model is served. The zero value will do.
type Options struct {
	Name    string        // of the model; empty stands for "model"
	Body    int64         // the most bytes of a request; 0 stands for 16 MiB
	Rows    int           // the most rows of a request; 0 stands for 10,000
	Timeout time.Duration // of a request, from its first byte to its answer; 0 stands for 30 s
	Strict  bool          // rows that hold what no training row does are an error
	Log     *slog.Logger  // gets a record for each request; nil logs nothing
}

// stopPatience is how long requests that are under way may go on when the server is to stop.
const stopPatience = 1500 * time.Millisecond

// A Server answers requests about one model.
type Server struct {
	o       Options
	about   *metadata
	copies  chan *model.Model // those that are free: a model is for one goroutine at a time
	version string
	aside   map[string]bool // columns of the training file that are no features
	// words are the first texts of columns whose texts are not false and true, so that no boolean is one of them.
	words  map[string][]string
	memory int64 // that a request may take; it is asked for once, as the system takes longer to tell than a row to be scored
}

// New returns a server of a model. Copies of it, of which there is at least one, serve as many requests at once. Each of these may take the memory that
// work under ctx may.
func New(ctx context.Context, copies []*model.Model, o Options) (*Server, error) {
	if len(copies) == 0 {
		return nil, errors.New("rest: there is no model to serve")
	}
	o.Name, o.Body, o.Rows, o.Timeout = cmp.Or(o.Name, "model"), cmp.Or(o.Body, 16<<20), cmp.Or(o.Rows, 10_000), cmp.Or(o.Timeout, 30*time.Second)
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	s := &Server{o: o, memory: limits.Memory(ctx), aside: map[string]bool{}, copies: make(chan *model.Model, len(copies)), version: copies[0].SHA256[:min(12, len(copies[0].SHA256))]}
	for _, c := range copies[0].About.Preparation.Others {
		s.aside[c.Name] = true
	}
	s.about, s.words = describe(copies[0], o.Name, s.version), wordsOf(copies[0])
	for _, m := range copies {
		s.copies <- m
	}
	return s, nil
}

// Serve answers requests until ctx ends. Then it takes no further ones, and lets those under way end for a while. It returns nil unless the listener
// fails.
func (s *Server) Serve(ctx context.Context, l net.Listener) error {
	server := &http.Server{
		Handler: s.Handler(), ReadHeaderTimeout: 5 * time.Second, ReadTimeout: s.o.Timeout, WriteTimeout: 2 * s.o.Timeout, IdleTimeout: 2 * time.Minute,
		MaxHeaderBytes: 64 << 10, ErrorLog: slog.NewLogLogger(s.o.Log.Handler(), slog.LevelWarn),
	}
	failed := make(chan error, 1)
	go func() { failed <- server.Serve(l) }()
	select {
	case err := <-failed:
		return err
	case <-ctx.Done():
	}
	patience, cancel := context.WithTimeout(context.WithoutCancel(ctx), stopPatience)
	defer cancel()
	err := server.Shutdown(patience)
	if errors.Is(err, context.DeadlineExceeded) {
		err = server.Close()
	}
	s.o.Log.Info("stopped")
	return err
}

// Handler answers requests, and logs each.
func (s *Server) Handler() http.Handler {
	mux := http.NewServeMux()
	answer := func(pattern string, do func(r *http.Request) (any, error)) {
		mux.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) { s.answer(w, r, do) })
	}
	answer("GET /v2", func(*http.Request) (any, error) {
		return map[string]any{"name": "sipc", "version": sipc.Version, "extensions": []string{}}, nil
	})
	answer("GET /v2/health/live", func(*http.Request) (any, error) { return map[string]bool{"live": true}, nil })
	answer("GET /v2/health/ready", func(*http.Request) (any, error) { return map[string]bool{"ready": true}, nil })
	for _, of := range []string{"/v2/models/{model}", "/v2/models/{model}/versions/{version}"} {
		answer("GET "+of, s.ofModel(func(*http.Request) (any, error) { return s.about, nil }))
		answer("GET "+of+"/ready", s.ofModel(func(*http.Request) (any, error) { return map[string]any{"name": s.o.Name, "ready": true}, nil }))
		answer("POST "+of+"/infer", s.ofModel(s.infer))
	}
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		s.answer(w, r, func(r *http.Request) (any, error) { return nil, noSuch(mux, r, s.o.Name) })
	})
	return mux
}

// noSuch returns the error of a path that nobody answers, or answers by another method.
func noSuch(mux *http.ServeMux, r *http.Request, name string) error {
	for _, method := range []string{http.MethodGet, http.MethodPost} {
		other := r.Clone(r.Context())
		other.Method = method
		if _, pattern := mux.Handler(other); pattern != "/" {
			return &Fault{http.StatusMethodNotAllowed, fmt.Sprintf("%s %s: the method is %s here", r.Method, r.URL.Path, method)}
		}
	}
	return &Fault{http.StatusNotFound, fmt.Sprintf("there is no %s; the model is at /v2/models/%s, and takes rows at /v2/models/%[2]s/infer", r.URL.Path, name)}
}

// ofModel returns what answers requests about the model, and refuses those about another.
func (s *Server) ofModel(do func(r *http.Request) (any, error)) func(r *http.Request) (any, error) {
	return func(r *http.Request) (any, error) {
		if name := r.PathValue("model"); name != s.o.Name {
			return nil, &Fault{http.StatusNotFound, fmt.Sprintf("there is no model %q; the one here is called %q", name, s.o.Name)}
		}
		if version := r.PathValue("version"); version != "" && version != s.version {
			return nil, &Fault{http.StatusNotFound, fmt.Sprintf("there is no version %q of the model; the one here is %q", version, s.version)}
		}
		return do(r)
	}
}

// A Fault is an error that the client may mend, with the status of the answer.
type Fault struct {
	Status  int
	Message string
}

// Error says what is wrong.
func (f *Fault) Error() string { return f.Message }

// answer writes what a request comes to as JSON, and logs it. An error has the form that the protocol gives it. A panic is a fault of the program: the
// request fails, and the server goes on.
func (s *Server) answer(w http.ResponseWriter, r *http.Request, do func(r *http.Request) (any, error)) {
	began := time.Now()
	ctx, cancel := context.WithTimeout(r.Context(), s.o.Timeout)
	defer cancel()
	r = r.WithContext(limits.WithMemory(ctx, s.memory))
	r.Body = http.MaxBytesReader(w, r.Body, s.o.Body)
	out, err := any(nil), s.host(r)
	if err == nil {
		out, err = guarded(r, do)
	}
	status := http.StatusOK
	if err != nil {
		status = s.status(err)
		out = map[string]string{"error": err.Error()}
	}
	text, err2 := json.Marshal(out)
	if err2 != nil { // no answer holds what JSON cannot
		status, text = http.StatusInternalServerError, []byte(`{"error":"the answer holds numbers that are not finite"}`)
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("X-Content-Type-Options", "nosniff")
	w.WriteHeader(status)
	_, _ = w.Write(append(text, '\n')) // a client that has gone is none to tell
	s.log(r, out, status, err, time.Since(began))
}

// host refuses a request that reached a loopback address by another name than that of this machine. A page in a browser may have bent its own name
// to it.
func (s *Server) host(r *http.Request) error {
	local, ok := r.Context().Value(http.LocalAddrContextKey).(net.Addr)
	if !ok {
		return nil
	}
	if at, err := netip.ParseAddrPort(local.String()); err != nil || !at.Addr().IsLoopback() {
		return nil //nolint:nilerr // an address that is none of the Internet is no loopback one
	}
	name := r.Host
	if host, _, err := net.SplitHostPort(name); err == nil {
		name = host
	}
	name = strings.Trim(name, "[]")
	if ip, err := netip.ParseAddr(name); strings.EqualFold(name, "localhost") || err == nil && ip.IsLoopback() {
		return nil
	}
	return &Fault{http.StatusForbidden, fmt.Sprintf("the host is %q, and this server is for programs on its own machine: call it 127.0.0.1 or localhost", r.Host)}
}

// guarded answers a request. It returns an error where that panics.
func guarded(r *http.Request, do func(r *http.Request) (any, error)) (out any, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = &panicked{fmt.Errorf("a fault of the program: %v", p), debug.Stack()}
		}
	}()
	return do(r)
}

// A panicked is a fault of the program. The stack is for the log alone.
type panicked struct {
	error
	stack []byte
}

// status returns that of an error.
func (s *Server) status(err error) int {
	var fault *Fault
	var large *http.MaxBytesError
	switch {
	case errors.As(err, &fault):
		return fault.Status
	case errors.As(err, &large):
		return http.StatusRequestEntityTooLarge
	case errors.Is(err, context.DeadlineExceeded):
		return http.StatusGatewayTimeout
	case errors.Is(err, context.Canceled):
		return 499 // the client has gone, as nginx has it
	}
	return http.StatusInternalServerError
}

// log records a request: its method, path, status and seconds, and of an inference its rows. What went wrong is recorded with it.
func (s *Server) log(r *http.Request, out any, status int, err error, took time.Duration) {
	level := slog.LevelInfo
	attributes := []slog.Attr{
		slog.String("method", r.Method), slog.String("path", r.URL.Path), slog.Int("status", status), slog.Float64("seconds", took.Seconds()),
		slog.String("client", r.RemoteAddr),
	}
	if done, ok := out.(*response); ok {
		attributes = append(attributes, slog.Int("rows", done.rows))
	}
	if err != nil {
		attributes = append(attributes, slog.String("error", err.Error()))
		if p := (*panicked)(nil); errors.As(err, &p) {
			attributes = append(attributes, slog.String("stack", string(p.stack)))
		}
		if level = slog.LevelWarn; status >= http.StatusInternalServerError {
			level = slog.LevelError
		}
	}
	s.o.Log.LogAttrs(r.Context(), level, "request", attributes...)
}
