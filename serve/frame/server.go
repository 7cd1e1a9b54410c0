package frame

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"runtime/debug"
	"sync"
	"time"

	"gonum.org/v1/gonum/mat"

	"github.com/sipc-ml/sipc/internal/limits"
)

// A server answers the requests of one client.
type server struct {
	models *models

	writing sync.Mutex
	out     *bufio.Writer

	mu      sync.Mutex
	waiting map[int64]context.CancelFunc // of requests that are not answered, by id
}

// A call is a request at work.
type call struct {
	*request
	server  *server
	arrays  []array
	results [][]byte // buffers of the answer

	asked bool // for progress
	told  time.Time
	stage string
}

// An operation answers a call. What it returns is the result, beside the arrays that it adds to the call.
type operation func(ctx context.Context, c *call) (any, error)

// operations returns all operations by name.
func operations() map[string]operation {
	return map[string]operation{
		"version": tellVersion, "check": check, "fit": fit, "load": load, "release": release, "predict": predict, "embed": embed, "prove": prove,
		"curves": curves, "report": witnesses,
	}
}

// errCut says that the input ended within a message.
var errCut = errors.New("the input ended within a message")

// Serve answers requests until the input ends, or ctx does. Work that goes on then is cancelled. It returns an error if the input is cut off within a
// message, or what it answers cannot be written.
func Serve(ctx context.Context, in io.Reader, out io.Writer) error {
	ctx, stop := context.WithCancel(limits.WithMemory(ctx, limits.Memory(ctx))) // asked for once: the system takes longer to tell than a row to be scored
	defer stop()
	s := &server{models: newModels(limits.FrameModels), out: bufio.NewWriterSize(out, 1<<16), waiting: map[int64]context.CancelFunc{}}
	queue, ended := make(chan *queued, limits.FrameWaiting), make(chan error, 1)
	go func() {
		defer close(queue)
		err := s.read(ctx, newReader(in, limits.Memory(ctx)/2), queue)
		if err != nil {
			ended <- err
		}
		stop() // whoever asked is gone
	}()
	var failed error
	for {
		select {
		case q, more := <-queue:
			if !more {
				return s.outcome(ctx, failed, ended)
			}
			if err := s.answer(q); err != nil && failed == nil {
				failed = err
				stop()
			}
		case <-ctx.Done():
			return s.outcome(ctx, failed, ended)
		}
	}
}

// outcome returns why the server ends; nil where the client left in good order.
func (s *server) outcome(ctx context.Context, failed error, ended chan error) error {
	select {
	case err := <-ended:
		return err
	default:
	}
	if failed != nil {
		return failed
	}
	if err := context.Cause(ctx); !errors.Is(err, context.Canceled) || err != context.Canceled { //nolint:errorlint // a signal's cause is one of cancellation, too
		return err
	}
	return nil
}

// A queued is a request that waits, and its context.
type queued struct {
	*request
	ctx context.Context //nolint:containedctx // it lives as long as the request
}

// read reads requests into the queue until the input ends. Cancellations it heeds itself.
func (s *server) read(ctx context.Context, from *reader, queue chan<- *queued) error {
	for {
		q, err := from.next()
		fault, faulty := errors.AsType[*Fault](err)
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case errors.Is(err, io.ErrUnexpectedEOF):
			return errors.Join(errCut, s.fault(q.ID, protocolFault("%s", errCut)))
		case faulty:
			if err := s.fault(q.ID, fault); err != nil {
				return err
			}
		case err != nil:
			return err
		case q.Op == "cancel":
			if err := s.cancel(ctx, q); err != nil {
				return err
			}
		default:
			if err := s.enqueue(ctx, q, queue); err != nil {
				return err
			}
		}
	}
}

// enqueue lets a request wait for its turn, or refuses it.
func (s *server) enqueue(ctx context.Context, q *request, queue chan<- *queued) error {
	s.mu.Lock()
	_, taken := s.waiting[q.ID]
	if !taken {
		ctx, s.waiting[q.ID] = context.WithCancel(ctx)
	}
	s.mu.Unlock()
	if taken {
		return s.fault(q.ID, protocolFault("the request %d is not answered yet; give each an id of its own", q.ID))
	}
	select {
	case queue <- &queued{q, ctx}:
		return nil
	default:
		s.done(q.ID)
		return s.fault(q.ID, protocolFault("%d requests wait already; send further ones when some are answered", limits.FrameWaiting))
	}
}

// cancel ends the request that a message names, whether it waits or is at work. It answers nothing if there is no such request any more.
func (s *server) cancel(ctx context.Context, q *request) error {
	var args struct {
		ID int64 `json:"id"`
	}
	if err := decode(q.Args, &args); err != nil {
		return s.fault(q.ID, faultOf(ctx, err))
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if stop := s.waiting[args.ID]; stop != nil {
		stop()
	}
	return nil
}

// done forgets a request.
func (s *server) done(id int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if stop := s.waiting[id]; stop != nil {
		stop()
	}
	delete(s.waiting, id)
}

// answer does the work of a request, and writes the answer.
func (s *server) answer(q *queued) error {
	defer s.done(q.ID)
	c := &call{request: q.request, server: s}
	began := time.Now()
	result, err := s.work(q.ctx, c)
	if err != nil {
		return s.fault(q.ID, faultOf(q.ctx, err))
	}
	return s.write(&answer{ID: q.ID, Kind: "result", Result: result, Seconds: time.Since(began).Seconds(), Arrays: c.arrays}, c.results...)
}

// work runs an operation. A fault of the program itself is an error of this request alone.
func (s *server) work(ctx context.Context, c *call) (result any, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = &Fault{Kind: KindFailed, Message: fmt.Sprintf("the program has a fault: %v", r), Rendered: string(debug.Stack())}
		}
	}()
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	do := operations()[c.Op]
	if do == nil {
		return nil, callFault("there is no operation %q", c.Op)
	}
	return do(ctx, c)
}

// fault answers a request with an error.
func (s *server) fault(id int64, f *Fault) error {
	return s.write(&answer{ID: id, Kind: "error", Error: f})
}

// write writes a message whole.
func (s *server) write(a *answer, buffers ...[]byte) error {
	s.writing.Lock()
	defer s.writing.Unlock()
	return writeAnswer(s.out, a, buffers)
}

// decode reads the arguments of a request, of which none may be unknown.
func decode(raw json.RawMessage, to any) error {
	if len(raw) == 0 {
		raw = json.RawMessage("{}")
	}
	d := json.NewDecoder(bytes.NewReader(raw))
	d.DisallowUnknownFields()
	if err := d.Decode(to); err != nil {
		return callFault("the arguments cannot be read: %s", jsonProblem(err))
	}
	return nil
}

// progressEvery is the time between two messages about one stage.
const progressEvery = 100 * time.Millisecond

// progress tells the client how far the call is, if it asked for that. It may be called from several goroutines.
func (c *call) progress(stage string, done, total int) {
	s := c.server
	if !c.asked {
		return
	}
	s.writing.Lock()
	defer s.writing.Unlock()
	now := time.Now()
	if stage == c.stage && done < total && now.Sub(c.told) < progressEvery {
		return
	}
	c.stage, c.told = stage, now
	_ = writeAnswer(s.out, &answer{ID: c.ID, Kind: "progress", Progress: &progress{stage, done, total}}, nil) // the answer will fail likewise
}

// counted returns the progress of a stage; nil if the client did not ask for any.
func (c *call) counted(stage string) func(done, total int) {
	if !c.asked {
		return nil
	}
	return func(done, total int) { c.progress(stage, done, total) }
}

// warn tells the client what is worth saying.
func (c *call) warn(w *warning) {
	_ = c.server.write(&answer{ID: c.ID, Kind: "warning", Warning: w}) // the answer will fail likewise
}

// warnAll tells warnings that have no place.
func (c *call) warnAll(texts []string) {
	for _, text := range texts {
		c.warn(&warning{Text: text})
	}
}

// add adds a buffer to the answer.
func (c *call) add(name, kind string, data []byte, shape ...int) {
	c.arrays = append(c.arrays, array{Name: name, Kind: kind, Shape: shape, Buffer: len(c.results)})
	c.results = append(c.results, data)
}

// addMatrix adds a matrix to the answer.
func (c *call) addMatrix(name string, m *mat.Dense) {
	n, width := m.Dims()
	c.add(name, "f8", bytesOf(m), n, width)
}
