package wire

import (
	"fmt"
	"slices"
	"strings"

	"github.com/sipc-ml/sipc/plugins"
	"github.com/sipc-ml/sipc/plugins/proto"
)

// SendDomainCall sends a call of Expand in parts.
func SendDomainCall(session uint64, c *plugins.DomainCall, send func(*proto.CallPart) error) error {
	head := &proto.CallHead{
		Session: session, Name: c.Name, Seed: c.Seed, Nodes: bytesOf(c.Nodes), Derivative: c.Derivative,
	}
	if err := sendHead(head, c.Args, send); err != nil {
		return err
	}
	return send(&proto.CallPart{Last: true})
}

// SendMapCall sends a call of Map in parts.
func SendMapCall(session uint64, c *plugins.MapCall, send func(*proto.CallPart) error) error {
	head := &proto.CallHead{Session: session, Name: c.Name, Derivative: c.Derivative}
	if err := sendHead(head, c.Args, send); err != nil {
		return err
	}
	return SendBlock(c.At, func(b *proto.BlockPart) error { return send(&proto.CallPart{At: b, Last: b.GetLast()}) })
}

func sendHead(head *proto.CallHead, args []plugins.Value, send func(*proto.CallPart) error) error {
	for _, v := range args {
		head.Args = append(head.Args, &proto.Value{
			Name: v.Name, Kind: proto.Kind(v.Kind), Number: v.Number, Text: strings.ToValidUTF8(v.Text, "\uFFFD"), Index: int64(v.Index),
		})
	}
	if err := send(&proto.CallPart{Head: head}); err != nil {
		return err
	}
	for i, v := range args {
		for edges := range slices.Chunk(v.Edges, PartSize/8) {
			ends := make([]int32, 0, 2*len(edges))
			for _, e := range edges {
				ends = append(ends, e.Child, e.Parent)
			}
			if err := send(&proto.CallPart{Arg: &proto.ArgPart{Arg: int64(i), Edges: bytesOf(ends)}}); err != nil {
				return err
			}
		}
		for content := range slices.Chunk(v.Bytes, PartSize) {
			if err := send(&proto.CallPart{Arg: &proto.ArgPart{Arg: int64(i), Content: content}}); err != nil {
				return err
			}
		}
	}
	return nil
}

// A Call is what CallParts put together.
type Call struct {
	Session uint64
	head    *proto.CallHead
	args    []plugins.Value
	at      BlockReader
}

// ReceiveCall puts a call together from the parts that receive gives.
func ReceiveCall(receive func() (*proto.CallPart, error)) (*Call, error) {
	c := &Call{}
	for last := false; !last; {
		part, err := receive()
		if err != nil {
			return nil, err
		}
		last = part.GetLast()
		if h := part.GetHead(); h != nil {
			c.head, c.Session = h, h.GetSession()
			if c.args, err = toValues(h.GetArgs()); err != nil {
				return nil, err
			}
		}
		if err := c.addArg(part.GetArg()); err != nil {
			return nil, err
		}
		if part.GetAt() != nil {
			if err := c.at.Add(part.GetAt()); err != nil {
				return nil, err
			}
		}
	}
	if c.head == nil {
		return nil, fmt.Errorf("a call without its head")
	}
	return c, nil
}

func toValues(values []*proto.Value) ([]plugins.Value, error) {
	out := make([]plugins.Value, len(values))
	for i, v := range values {
		edges, err := toEdges(nil, v.GetEdges())
		if err != nil {
			return nil, err
		}
		out[i] = plugins.Value{
			Name: v.GetName(), Kind: plugins.ValueKind(v.GetKind()), Number: v.GetNumber(), Text: v.GetText(),
			Index: int(v.GetIndex()), Edges: edges, Bytes: v.GetContent(),
		}
	}
	return out, nil
}

func toEdges(to []plugins.Edge, from []byte) ([]plugins.Edge, error) {
	if len(from)%8 != 0 {
		return nil, fmt.Errorf("%d bytes are not a whole number of edges", len(from))
	}
	ends, err := numbersOf[int32](from)
	for i := 0; i+1 < len(ends); i += 2 {
		to = append(to, plugins.Edge{Child: ends[i], Parent: ends[i+1]})
	}
	return to, err
}

func (c *Call) addArg(part *proto.ArgPart) error {
	if part == nil {
		return nil
	}
	i := part.GetArg()
	if i < 0 || i >= int64(len(c.args)) {
		return fmt.Errorf("a part of argument %d of %d", i, len(c.args))
	}
	edges, err := toEdges(c.args[i].Edges, part.GetEdges())
	if err != nil {
		return err
	}
	c.args[i].Edges = edges
	c.args[i].Bytes = append(c.args[i].Bytes, part.GetContent()...)
	return nil
}

// Domain returns the call as one of Expand.
func (c *Call) Domain() (*plugins.DomainCall, error) {
	nodes, err := numbersOf[float64](c.head.GetNodes())
	if err != nil {
		return nil, err
	}
	return &plugins.DomainCall{
		Name: c.head.GetName(), Args: c.args, Seed: c.head.GetSeed(), Nodes: nodes, Derivative: c.head.GetDerivative(),
	}, nil
}

// Map returns the call as one of Map, on data of p features.
func (c *Call) Map(p int) (*plugins.MapCall, error) {
	at, err := c.at.Block(p)
	if err != nil {
		return nil, err
	}
	return &plugins.MapCall{Name: c.head.GetName(), Args: c.args, At: at, Derivative: c.head.GetDerivative()}, nil
}
