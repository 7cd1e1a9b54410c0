package mixup

import (
	"context"

	"github.com/sipc-ml/sipc/plugins"
)

// chunkNumbers bounds the numbers in a chunk's points: 8 MiB.
const chunkNumbers = 1 << 20

// paths yields the functionals of pairs, chunk by chunk, until yield fails or ctx ends.
func (s *session) paths(ctx context.Context, call *plugins.DomainCall, pairs []pair, yield func(*plugins.Chunk) error) error {
	// At least one pair a chunk, however many numbers it has.
	per := min(4096, max(1, chunkNumbers/max(1, s.data.Rows.Cols*len(call.Nodes))))
	for len(pairs) > 0 {
		if err := ctx.Err(); err != nil {
			return err
		}
		count := min(per, len(pairs))
		chunk := &plugins.Chunk{Count: count, Points: []*plugins.Block{s.values(pairs[:count], call.Nodes)}}
		if call.Derivative {
			chunk.Derivatives = []*plugins.Block{s.derivatives(pairs[:count], call.Nodes, chunk.Points[0])}
		}
		if err := yield(chunk); err != nil {
			return err
		}
		pairs = pairs[count:]
	}
	return nil
}

// values returns f(x_λ, y_λ) for every pair at every node, node by node within a pair.
func (s *session) values(pairs []pair, nodes []float64) *plugins.Block {
	terms := len(pairs) * len(nodes)
	b := newBlock(terms, terms)
	p := s.data.Rows.Cols
	b.Points = plugins.Matrix{Cols: p, Data: make([]float64, 0, terms*p)}
	for _, q := range pairs {
		for _, l := range nodes {
			b.Term(1, s.point(b, q, l), plugins.Evaluation, s.label(b, q, l, 1-l))
			b.End()
		}
	}
	return b
}

// derivatives returns Df(x_λ, y_λ)[x_i − x_j] + f(x_λ, y_i − y_j), in the order of values. It shares the points and
// labels of values.
func (s *session) derivatives(pairs []pair, nodes []float64, values *plugins.Block) *plugins.Block {
	terms := len(pairs) * len(nodes)
	b := newBlock(2*terms, terms)
	// Capped, so that appending a label copies instead of changing those of values.
	b.Points, b.Labels = values.Points, values.Labels[:len(values.Labels):len(values.Labels)]
	p := s.data.Rows.Cols
	b.Tangents = plugins.Matrix{Rows: len(pairs), Cols: p, Data: make([]float64, len(pairs)*p)}
	for e, q := range pairs {
		difference(b.Tangents.Row(e), s.data.Rows.Row(q.i), s.data.Rows.Row(q.j))
		speed := s.label(b, q, 1, -1)
		// Within a class y_i − y_j = 0, and the second term vanishes.
		still := speed == plugins.NoLabel || len(b.Labels[speed].Index) == 0
		for k := range nodes {
			at := e*len(nodes) + k
			b.Term(1, values.Point[at], int32(e), values.Label[at])
			if !still {
				b.Term(1, values.Point[at], plugins.Evaluation, speed)
			}
			b.End()
		}
	}
	return b
}

// newBlock returns an empty block with room for terms and functionals.
func newBlock(terms, functionals int) *plugins.Block {
	return &plugins.Block{
		Start:   make([]int32, 0, functionals+1),
		Coef:    make([]float64, 0, terms),
		Point:   make([]int32, 0, terms),
		Tangent: make([]int32, 0, terms),
		Label:   make([]int32, 0, terms),
	}
}

// difference sets out to a − b.
func difference(out, a, b []float64) {
	for k, v := range a {
		out[k] = v - b[k]
	}
}

// point returns x_λ as a term names it: a row at the ends of the path, a new point between.
func (s *session) point(b *plugins.Block, q pair, l float64) int32 {
	switch l {
	case 0:
		return int32(q.j)
	case 1:
		return int32(q.i)
	}
	m := &b.Points
	xi, xj := s.data.Rows.Row(q.i), s.data.Rows.Row(q.j)
	for k, v := range xi {
		m.Data = append(m.Data, float64(l*v)+float64((1-l)*xj[k])) // rounded thrice, on every machine alike
	}
	m.Rows++
	return ^int32(m.Rows - 1)
}

// label adds the label a·y_i + b·y_j, without zeros, and returns its index. It returns NoLabel if f is a function of
// x alone.
func (s *session) label(blk *plugins.Block, q pair, a, b float64) int32 {
	if len(s.data.Labels) == 0 {
		return plugins.NoLabel
	}
	// New even at the ends of a path, since terms name only labels of their own block.
	blk.Labels = append(blk.Labels, combine(a, s.data.Labels[q.i], b, s.data.Labels[q.j]))
	return int32(len(blk.Labels) - 1)
}

// combine returns a·u + b·v, indices ascending, without zeros.
func combine(a float64, u plugins.Label, b float64, v plugins.Label) plugins.Label {
	size := len(u.Index) + len(v.Index)
	out := plugins.Label{Index: make([]int32, 0, size), Value: make([]float64, 0, size)}
	i, j := 0, 0
	for i < len(u.Index) || j < len(v.Index) {
		var c int32
		var value float64
		switch {
		case j == len(v.Index) || (i < len(u.Index) && u.Index[i] < v.Index[j]):
			c, value = u.Index[i], a*u.Value[i]
			i++
		case i == len(u.Index) || v.Index[j] < u.Index[i]:
			c, value = v.Index[j], b*v.Value[j]
			j++
		default:
			c, value = u.Index[i], float64(a*u.Value[i])+float64(b*v.Value[j])
			i, j = i+1, j+1
		}
		if value != 0 {
			out.Index, out.Value = append(out.Index, c), append(out.Value, value)
		}
	}
	return out
}
