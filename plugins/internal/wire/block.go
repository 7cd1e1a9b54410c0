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
		if err := pieces(a.xs, 4, s.room, func(xs []int32) { s.add(a.field, func(to []byte) []byte { return appendInts(to, xs) }) }); err != nil {
			return err
		}
	}
	for _, a := range floats {
		if err := pieces(a.xs, 8, s.room, func(xs []float64) { s.add(a.field, func(to []byte) []byte { return appendFloats(to, xs) }) }); err != nil {
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

// room is how many bytes the part still takes; a full part is sent and a new one begun.
func (s *blockSender) room() (int, error) {
	if PartSize-s.used < 8 {
		if err := s.send(s.part); err != nil {
			return 0, err
		}
		s.part, s.used = &proto.BlockPart{}, 0
	}
	return PartSize - s.used, nil
}

func (s *blockSender) add(field func(*proto.BlockPart) *[]byte, put func([]byte) []byte) {
	f := field(s.part)
	before := len(*f)
	*f = put(*f)
	s.used += len(*f) - before
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

// A BlockReader puts a block together.
type BlockReader struct {
	block          plugins.Block
	sizes, indices []int32
	values         []float64
	done           bool
}

// Add takes the next part.
func (r *BlockReader) Add(p *proto.BlockPart) error {
	if r.done {
		return fmt.Errorf("a part comes after the last one of its block")
	}
	r.done = p.GetLast()
	b := &r.block
	for _, f := range []struct {
		to   *[]int32
		from []byte
	}{
		{&b.Start, p.GetStarts()},
		{&b.Point, p.GetPointNumbers()},
		{&b.Tangent, p.GetTangentNumbers()},
		{&b.Label, p.GetLabelNumbers()},
		{&r.sizes, p.GetLabelSizes()},
		{&r.indices, p.GetLabelIndices()},
	} {
		xs, err := readInts(*f.to, f.from)
		if err != nil {
			return err
		}
		*f.to = xs
	}
	for _, f := range []struct {
		to   *[]float64
		from []byte
	}{
		{&b.Coef, p.GetCoefs()},
		{&b.Points.Data, p.GetPoints()},
		{&b.Tangents.Data, p.GetTangents()},
		{&r.values, p.GetLabelValues()},
	} {
		xs, err := readFloats(*f.to, f.from)
		if err != nil {
			return err
		}
		*f.to = xs
	}
	return nil
}

// Done tells whether the block's last part has come.
func (r *BlockReader) Done() bool { return r.done }

// Block is the block, for data of p features. It is not validated: see plugins.Block.Validate.
func (r *BlockReader) Block(p int) (*plugins.Block, error) {
	if !r.done {
		return nil, fmt.Errorf("the last part of a block is missing")
	}
	labels, err := unflatten(r.sizes, r.indices, r.values)
	if err != nil {
		return nil, err
	}
	if len(labels) > 0 {
		r.block.Labels = labels
	}
	for _, m := range []*plugins.Matrix{&r.block.Points, &r.block.Tangents} {
		if len(m.Data) == 0 {
			continue
		}
		if p == 0 || len(m.Data)%p != 0 {
			return nil, fmt.Errorf("%d numbers are no rows of %d features", len(m.Data), p)
		}
		m.Rows, m.Cols = len(m.Data)/p, p
	}
	return &r.block, nil
}
