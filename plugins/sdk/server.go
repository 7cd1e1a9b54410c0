package sdk

import (
	"context"
	"strings"
	"sync"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/sipc-ml/sipc/plugins"
	"github.com/sipc-ml/sipc/plugins/internal/wire"
	"github.com/sipc-ml/sipc/plugins/proto"
)

// maxMessage bounds the text of an error.
const maxMessage = 4096

// A familyServer answers the calls of proto/family.proto from a family.
type familyServer struct {
	proto.UnimplementedFamilyServer
	family plugins.Family

	mu       sync.Mutex
	sessions map[uint64]*boundSession
	last     uint64
}

type boundSession struct {
	plugins.Session
	features int
}

func (s *familyServer) Describe(ctx context.Context, _ *proto.DescribeRequest) (*proto.Schema, error) {
	schema, err := s.family.Describe(ctx)
	if err != nil {
		return nil, toStatus(ctx, err)
	}
	return wire.FromSchema(schema), nil
}

func (s *familyServer) Open(stream grpc.ClientStreamingServer[proto.DataPart, proto.OpenReply]) error {
	data, err := wire.ReceiveData(stream.Recv)
	if err != nil {
		return err
	}
	session, err := s.family.Open(stream.Context(), data)
	if err != nil {
		return toStatus(stream.Context(), err)
	}
	if session == nil {
		return status.Error(codes.Internal, "the family opens a session that is nil")
	}
	s.mu.Lock()
	s.last++
	id := s.last
	s.sessions[id] = &boundSession{session, data.Rows.Cols}
	s.mu.Unlock()
	return stream.SendAndClose(&proto.OpenReply{Session: id})
}

func (s *familyServer) session(id uint64) (*boundSession, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if b, ok := s.sessions[id]; ok {
		return b, nil
	}
	return nil, status.Errorf(codes.NotFound, "there is no session %d", id)
}

// receive returns a call and the session that it is of.
func (s *familyServer) receive(from func() (*proto.CallPart, error)) (*wire.Call, *boundSession, error) {
	call, err := wire.ReceiveCall(from)
	if err != nil {
		return nil, nil, err
	}
	session, err := s.session(call.Session)
	return call, session, err
}

func (s *familyServer) Expand(stream grpc.BidiStreamingServer[proto.CallPart, proto.ChunkPart]) error {
	call, session, err := s.receive(stream.Recv)
	if err != nil {
		return err
	}
	domain, err := call.Domain()
	if err != nil {
		return err
	}
	err = session.Expand(stream.Context(), domain, func(c *plugins.Chunk) error {
		if err := complete(c); err != nil {
			return err
		}
		return wire.SendChunk(c, stream.Send)
	})
	return toStatus(stream.Context(), err)
}

// complete checks that a chunk can be sent at all; the host checks the rest. What it finds is not an error that a user can mend.
func complete(c *plugins.Chunk) error {
	if c == nil {
		return status.Error(codes.Internal, "the family yields a chunk that is nil")
	}
	for _, blocks := range [][]*plugins.Block{c.Points, c.Derivatives} {
		for _, b := range blocks {
			if b == nil {
				return status.Error(codes.Internal, "the family yields a block that is nil")
			}
		}
	}
	return nil
}

func (s *familyServer) Map(stream grpc.BidiStreamingServer[proto.CallPart, proto.BlockPart]) error {
	call, session, err := s.receive(stream.Recv)
	if err != nil {
		return err
	}
	m, err := call.Map(session.features)
	if err != nil {
		return err
	}
	b, err := session.Map(stream.Context(), m)
	if err != nil {
		return toStatus(stream.Context(), err)
	}
	if b == nil {
		return status.Errorf(codes.Internal, "%s answers with a block that is nil", m.Name)
	}
	return wire.SendBlock(b, stream.Send)
}

func (s *familyServer) Close(ctx context.Context, request *proto.CloseRequest) (*proto.CloseReply, error) {
	session, err := s.session(request.GetSession())
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	delete(s.sessions, request.GetSession())
	s.mu.Unlock()
	return &proto.CloseReply{}, toStatus(ctx, session.Close())
}

// toStatus returns a family's error as the host expects it. A transport's error stays as it is.
func toStatus(ctx context.Context, err error) error {
	if err == nil {
		return nil
	}
	if ctx.Err() != nil {
		return status.FromContextError(ctx.Err()).Err()
	}
	if _, ok := status.FromError(err); ok {
		return err
	}
	text := strings.ToValidUTF8(err.Error(), "\uFFFD")
	if len(text) > maxMessage {
		text = strings.ToValidUTF8(text[:maxMessage], "") + "…"
	}
	return status.Error(codes.InvalidArgument, text)
}
