package host

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"google.golang.org/grpc"
	gproto "google.golang.org/protobuf/proto"

	"github.com/sipc-ml/sipc/internal/limits"
	"github.com/sipc-ml/sipc/plugins"
	"github.com/sipc-ml/sipc/plugins/internal/wire"
	"github.com/sipc-ml/sipc/plugins/proto"
)

// A session is a data set that the process holds.
type session struct {
	process             *Process
	data                *plugins.Data // for the process's next life
	n, features, labels int

	answers *Answers                 // where answers are kept; nil: nowhere
	sum     func() (wire.Sum, error) // of the data

	mu   sync.Mutex
	life *life // which holds the data
	id   uint64
}

// on returns the session's number in a life of the process. It hands over the data if the process does not hold them.
func (s *session) on(ctx context.Context, l *life, w *watch) (id uint64, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.life == l {
		return s.id, nil
	}
	stream, err := l.family.Open(ctx)
	if err != nil {
		return 0, err
	}
	err = wire.SendData(s.data, func(m *proto.DataPart) error { return w.wait(func() error { return stream.Send(m) }) })
	if err != nil && !errors.Is(err, io.EOF) { // EOF: the family has answered already; its reason comes below
		return 0, err
	}
	err = w.wait(func() error {
		reply, err := stream.CloseAndRecv()
		id = reply.GetSession()
		return err
	})
	if err == nil {
		s.life, s.id = l, id
	}
	return id, err
}

// Expand enumerates a domain. Each chunk is validated before yield sees it.
func (s *session) Expand(ctx context.Context, call *plugins.DomainCall, yield func(*plugins.Chunk) error) error {
	domain := s.process.schema.Domain(call.Name)
	if domain == nil {
		return fmt.Errorf("%s has no domain %q", s.process.schema.Name, call.Name)
	}
	p := s.process
	var seen []uint64 // the digests of what yield has seen
	var answer wire.Answer
	err := p.do(ctx, "in "+call.Name, p.options.Answer, func(ctx context.Context, l *life, w *watch) error {
		stream, err := s.ask(ctx, l, w, call)
		if err != nil {
			return err
		}
		receive := receiver(w, stream.Recv, p.options.MaxChunk, p.options.MaxAnswer)
		empty := 0 // chunks in a row
		for at := 0; ; at++ {
			c, err := s.chunk(receive)
			if empty++; err == nil && c.Count > 0 {
				empty = 0
			}
			ended := errors.Is(err, io.EOF)
			switch {
			case ended && at >= len(seen):
				return nil
			case err != nil && !ended:
				return err
			case empty > limits.EmptyChunks:
				return &unsound{fmt.Errorf("it sends %d chunks in a row without an element", empty)}
			case at >= len(seen):
				seen = append(seen, wire.Digest(c))
				if err := errors.Join(s.hand(domain, call, c, &answer, yield), ctx.Err()); err != nil {
					return err
				}
			case ended || wire.Digest(c) != seen[at]:
				return &unsound{errors.New("started again, it answers otherwise than before: an answer may depend on nothing but the call and the data")}
			}
		}
	})
	if err != nil {
		return err
	}
	return s.expanded(call, &answer)
}

// hand hands a chunk to yield, if it keeps the contract.
func (s *session) hand(
	domain *plugins.DomainSchema, call *plugins.DomainCall, c *plugins.Chunk, answer *wire.Answer, yield func(*plugins.Chunk) error,
) error {
	if err := c.Validate(domain, call, s.n, s.features, s.labels); err != nil {
		return &unsound{err}
	}
	if s.answers != nil {
		answer.Chunk(c)
	}
	if err := yield(c); err != nil {
		return &yieldError{err}
	}
	return nil
}

// ask sends a call of Expand.
func (s *session) ask(ctx context.Context, l *life, w *watch, call *plugins.DomainCall) (grpc.BidiStreamingClient[proto.CallPart, proto.ChunkPart], error) {
	id, err := s.on(ctx, l, w)
	if err != nil {
		return nil, err
	}
	stream, err := l.family.Expand(ctx)
	if err != nil {
		return nil, err
	}
	send := func(m *proto.CallPart) error { return w.wait(func() error { return stream.Send(m) }) }
	if err := wire.SendDomainCall(id, call, send); err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	return stream, stream.CloseSend()
}

// chunk returns the next chunk, io.EOF after the last.
func (s *session) chunk(receive func(first bool) (*proto.ChunkPart, error)) (*plugins.Chunk, error) {
	var r wire.ChunkReader
	for first := true; ; first = false {
		part, err := receive(first)
		if err != nil {
			if errors.Is(err, io.EOF) && !first {
				return nil, &unsound{errors.New("its answer breaks off within a chunk")}
			}
			return nil, err
		}
		last, err := r.Add(part)
		if err != nil {
			return nil, &unsound{err}
		}
		if !last {
			continue
		}
		c, err := r.Chunk(s.features)
		if err != nil {
			return nil, &unsound{err}
		}
		return c, nil
	}
}

// Map moves the points of functionals. The answer is validated.
func (s *session) Map(ctx context.Context, call *plugins.MapCall) (*plugins.Block, error) {
	p := s.process
	if p.schema.Map(call.Name) == nil {
		return nil, fmt.Errorf("%s has no map %q", p.schema.Name, call.Name)
	}
	if call.At == nil {
		return nil, fmt.Errorf("%s: the call has no functionals", call.Name)
	}
	var block *plugins.Block
	err := p.do(ctx, "in "+call.Name, p.options.Answer, func(ctx context.Context, l *life, w *watch) (err error) {
		block, err = s.moved(ctx, l, w, call)
		return err
	})
	if err != nil {
		return nil, err
	}
	return block, s.mapped(call, block)
}

// moved makes a call of Map in one life of the process.
func (s *session) moved(ctx context.Context, l *life, w *watch, call *plugins.MapCall) (*plugins.Block, error) {
	id, err := s.on(ctx, l, w)
	if err != nil {
		return nil, err
	}
	stream, err := l.family.Map(ctx)
	if err != nil {
		return nil, err
	}
	send := func(m *proto.CallPart) error { return w.wait(func() error { return stream.Send(m) }) }
	if err := wire.SendMapCall(id, call, send); err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	if err := stream.CloseSend(); err != nil {
		return nil, err
	}
	most := s.process.options.MaxAnswer
	block, err := s.block(receiver(w, stream.Recv, most, most))
	if err != nil {
		return nil, err
	}
	if block.Len() != call.At.Len() {
		return nil, &unsound{fmt.Errorf("it answers %d functionals with %d", call.At.Len(), block.Len())}
	}
	return block, nil
}

// block returns the whole answer as a block.
func (s *session) block(receive func(first bool) (*proto.BlockPart, error)) (*plugins.Block, error) {
	var r wire.BlockReader
	for first := true; ; first = false {
		part, err := receive(first)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, err
		}
		if err := r.Add(part); err != nil {
			return nil, &unsound{err}
		}
	}
	b, err := r.Block(s.features)
	if err != nil {
		return nil, &unsound{err}
	}
	if err := b.Validate(s.n, s.features, s.labels); err != nil {
		return nil, &unsound{err}
	}
	return b, nil
}

// What a part costs beside what it holds: a process that sends many small ones fills memory too. A label is a slice of indices and one
// of values here, where a message holds but its size.
const (
	partCost  = 64
	labelCost = 48
)

// cost returns how much memory a part takes here.
func cost(m gproto.Message) int64 {
	var block *proto.BlockPart
	switch m := m.(type) {
	case *proto.BlockPart:
		block = m
	case *proto.ChunkPart:
		block = m.GetPoints().GetBlock()
		if block == nil {
			block = m.GetDerivatives().GetBlock()
		}
	}
	return int64(gproto.Size(m)) + partCost + int64(len(block.GetLabelSizes()))/4*labelCost
}

// receiver receives parts under watch; the parts of one chunk together may hold chunk bytes, all of them answer bytes.
func receiver[M gproto.Message](w *watch, receive func() (M, error), chunk, answer int64) func(first bool) (M, error) {
	used, total := int64(0), int64(0)
	return func(first bool) (m M, err error) {
		if first {
			used = 0
		}
		err = w.wait(func() error {
			m, err = receive()
			return err
		})
		if err != nil {
			return m, err
		}
		size := cost(m)
		used, total = used+size, total+size
		switch {
		case total > answer:
			return m, &unsound{fmt.Errorf("it answers with more than %d MiB, the most that one call may bring", answer>>20)}
		case used > chunk:
			return m, &unsound{fmt.Errorf("it answers with more than %d MiB in one chunk: let it yield more and smaller ones", chunk>>20)}
		}
		return m, nil
	}
}

// closeTimeout is how long a session may take to end.
const closeTimeout = 2 * time.Second

// Close releases the data that the process holds. It does not fail where the process is gone: they are gone with it.
func (s *session) Close() error {
	p := s.process
	s.mu.Lock()
	l, id := s.life, s.id
	s.mu.Unlock()
	if !p.state.lives(l) {
		return nil
	}
	err := p.once(context.Background(), l, "while it closes a session", closeTimeout, func(ctx context.Context, l *life, w *watch) error {
		return w.wait(func() error {
			_, err := l.family.Close(ctx, &proto.CloseRequest{Session: id})
			return err
		})
	})
	var died *crash
	if errors.As(err, &died) {
		return nil // another call starts it again
	}
	return err
}
