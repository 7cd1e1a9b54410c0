package wire

import (
	"fmt"

	"github.com/sipc-ml/sipc/plugins"
	"github.com/sipc-ml/sipc/plugins/proto"
)

// SendBlock sends a block in parts.
func SendBlock(b *plugins.Block, send func(*proto.BlockPart) error) error {
	s := &blockSender{send: send, part: &proto.BlockPart{}}
	sizes, indices, values := flatten(b.Labels)
	ints := []struct {
		xs    []int32
		field func(*proto.BlockPart) *[]byte
	}{
		{b.Start, func(p *proto.BlockPart) *[]byte { return &p.Starts }},
		{b.Point, func(p *proto.BlockPart) *[]byte { return &p.PointNumbers }},
		{b.Tangent, func(p *proto.BlockPart) *[]byte { return &p.TangentNumbers }},
		{b.Label, func(p *proto.BlockPart) *[]byte { return &p.LabelNumbers }},
		{sizes, func(p *proto.BlockPart) *[]byte { return &p.LabelSizes }},
		{indices, func(p *proto.BlockPart) *[]byte { return &p.LabelIndices }},
	}
	floats := []struct {
		xs    []float64
		field func(*proto.BlockPart) *[]byte
	}{
		{b.Coef, func(p *proto.BlockPart) *[]byte { return &p.Coefs }},
		{b.Points.Data, func(p *proto.BlockPart) *[]byte { return &p.Points }},
		{b.Tangents.Data, func(p *proto.BlockPart) *[]byte { return &p.Tangents }},
		{values, func(p *proto.BlockPart) *[]byte { return &p.LabelValues }},
	}
	for _, a := range ints {
		if err := pieces(a.xs, 4, s.room, func(xs []int32) { s.add(a.field, bytesOf(xs)) }); err != nil {
			return err
		}
	}
	for _, a := range floats {
		if err := pieces(a.xs, 8, s.room, func(xs []float64) { s.add(a.field, bytesOf(xs)) }); err != nil {
			return err
		}
	}
	s.part.Last = true
	return send(s.part)
}

type blockSender struct {
	send func(*proto.BlockPart) error
	part *proto.BlockPart
	used int
}

// room returns how many bytes the part still takes. It sends a full part and begins a new one.
func (s *blockSender) room() (int, error) {
	if PartSize-s.used < 8 {
		if err := s.send(s.part); err != nil {
			return 0, err
		}
		s.part, s.used = &proto.BlockPart{}, 0
	}
	return PartSize - s.used, nil
}

// add puts a piece into the part, into a field that has none yet: a piece that follows another of its array begins a part.
func (s *blockSender) add(field func(*proto.BlockPart) *[]byte, piece []byte) {
	*field(s.part) = piece
	s.used += len(piece)
}

// flatten lays labels out as sizes, indices and values.
func flatten(labels []plugins.Label) (sizes, indices []int32, values []float64) {
	sizes = make([]int32, 0, len(labels))
	for _, y := range labels {
		sizes = append(sizes, int32(len(y.Index)))
		indices = append(indices, y.Index...)
		values = append(values, y.Value...)
	}
	return sizes, indices, values
}

// unflatten undoes flatten.
func unflatten(sizes, indices []int32, values []float64) ([]plugins.Label, error) {
	if len(indices) != len(values) {
		return nil, fmt.Errorf("labels have %d indices and %d values", len(indices), len(values))
	}
	labels := make([]plugins.Label, len(sizes))
	at := 0
	for i, size := range sizes {
		end := at + int(size)
		if size < 0 || end > len(indices) {
			return nil, fmt.Errorf("label %d has %d entries of %d that are left", i, size, len(indices)-at)
		}
		labels[i] = plugins.Label{Index: indices[at:end:end], Value: values[at:end:end]}
		at = end
	}
	if at != len(indices) {
		return nil, fmt.Errorf("labels have %d entries, but %d came", at, len(indices))
	}
	return labels, nil
}

// A BlockReader puts a block together. The parts must stay as they are until it is whole.
type BlockReader struct {
	start, point, tangent, label, sizes, indices array[int32]
	coef, points, tangents, values               array[float64]
	done                                         bool
}

// Add takes the next part.
func (r *BlockReader) Add(p *proto.BlockPart) error {
	if r.done {
		return fmt.Errorf("a part comes after the last one of its block")
	}
	r.done = p.GetLast()
	for _, f := range []struct {
		to   interface{ add(raw []byte) error }
		from []byte
	}{
		{&r.start, p.GetStarts()},
		{&r.point, p.GetPointNumbers()},
		{&r.tangent, p.GetTangentNumbers()},
		{&r.label, p.GetLabelNumbers()},
		{&r.sizes, p.GetLabelSizes()},
		{&r.indices, p.GetLabelIndices()},
		{&r.coef, p.GetCoefs()},
		{&r.points, p.GetPoints()},
		{&r.tangents, p.GetTangents()},
		{&r.values, p.GetLabelValues()},
	} {
		if err := f.to.add(f.from); err != nil {
			return err
		}
	}
	return nil
}

// Block returns the block, for data of p features. It does not validate it: see plugins.Block.Validate.
func (r *BlockReader) Block(p int) (*plugins.Block, error) {
	if !r.done {
		return nil, fmt.Errorf("the last part of a block is missing")
	}
	labels, err := unflatten(r.sizes.numbers(), r.indices.numbers(), r.values.numbers())
	if err != nil {
		return nil, err
	}
	b := &plugins.Block{
		Start: r.start.numbers(), Coef: r.coef.numbers(), Point: r.point.numbers(), Tangent: r.tangent.numbers(), Label: r.label.numbers(),
		Points: plugins.Matrix{Data: r.points.numbers()}, Tangents: plugins.Matrix{Data: r.tangents.numbers()},
	}
	if len(labels) > 0 {
		b.Labels = labels
	}
	for _, m := range []*plugins.Matrix{&b.Points, &b.Tangents} {
		if len(m.Data) == 0 {
			continue
		}
		if p == 0 || len(m.Data)%p != 0 {
			return nil, fmt.Errorf("%d numbers are no rows of %d features", len(m.Data), p)
		}
		m.Rows, m.Cols = len(m.Data)/p, p
	}
	return b, nil
}
