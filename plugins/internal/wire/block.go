package wire

import (
	"fmt"

	"github.com/sipc-ml/sipc/plugins"
	"github.com/sipc-ml/sipc/plugins/proto"
)

// arrays returns the arrays of a block as messages hold them, in the order of fields.
func arrays(b *plugins.Block) [10][]byte {
	sizes, indices, values := flatten(b.Labels)
	return [10][]byte{
		bytesOf(b.Start), bytesOf(b.Point), bytesOf(b.Tangent), bytesOf(b.Label), bytesOf(sizes), bytesOf(indices),
		bytesOf(b.Coef), bytesOf(b.Points.Data), bytesOf(b.Tangents.Data), bytesOf(values),
	}
}

// fields returns where a part holds the pieces of arrays.
func fields(p *proto.BlockPart) [10]*[]byte {
	return [10]*[]byte{
		&p.Starts, &p.PointNumbers, &p.TangentNumbers, &p.LabelNumbers, &p.LabelSizes, &p.LabelIndices,
		&p.Coefs, &p.Points, &p.Tangents, &p.LabelValues,
	}
}

// SendBlock sends a block in parts. A piece that follows another of its array begins a part.
func SendBlock(b *plugins.Block, send func(*proto.BlockPart) error) error {
	part, room := &proto.BlockPart{}, PartSize
	for i, raw := range arrays(b) {
		for len(raw) > 0 {
			if room < 8 {
				if err := send(part); err != nil {
					return err
				}
				part, room = &proto.BlockPart{}, PartSize
			}
			n := min(len(raw), room/8*8) // a piece breaks off between two numbers
			*fields(part)[i] = raw[:n]
			raw, room = raw[n:], room-n
		}
	}
	part.Last = true
	return send(part)
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
	switch {
	case r.done:
		return fmt.Errorf("a part comes after the last one of its block")
	case p == nil:
		return fmt.Errorf("a part of a block is missing")
	}
	r.done = p.GetLast()
	to := [10]interface{ add(raw []byte) error }{
		&r.start, &r.point, &r.tangent, &r.label, &r.sizes, &r.indices, &r.coef, &r.points, &r.tangents, &r.values,
	}
	for i, field := range fields(p) {
		if err := to[i].add(*field); err != nil {
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
			return nil, fmt.Errorf("%d numbers are not rows of %d features", len(m.Data), p)
		}
		m.Rows, m.Cols = len(m.Data)/p, p
	}
	return b, nil
}
