package worst

import (
	"context"
	"slices"

	"github.com/sipc-ml/sipc/runtime/proof"
)

// starts is how many places descents begin at.
const starts = 24

// descents returns minima of g below a threshold that descents from some landmarks end in, each once.
func (s *search) descents(ctx context.Context, below float64) ([]Point, error) {
	var out []Point
	points := s.function.Points()
	for k := range starts {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		at := start(s.System, k, points)
		value := descend(s.System, at)
		if !(value < below) || slices.ContainsFunc(out, func(q Point) bool { return q.Value-value < 1e-9*s.Size && value-q.Value < 1e-9*s.Size }) {
			continue
		}
		out = append(out, Point{s.point(at), value})
	}
	return out, nil
}

// start returns the piece and place of each side that is nearest to a landmark, or its first for k = 0.
func start(s *proof.System, k int, points [][]float64) map[int]spot {
	at := map[int]spot{}
	for index, side := range s.Sides {
		m := spot{}
		if k > 0 && len(points) > 0 {
			z := points[(k*7919)%len(points)]
			for i, q := range side.Pieces {
				if q.Point == nil && q.Low <= z[side.Columns[0]] && z[side.Columns[0]] <= q.High {
					m = spot{piece: i, at: (z[side.Columns[0]] - q.Low) / max(q.High-q.Low, 1e-300)}
				} else if q.Point != nil && matches(q.Point, z, side.Columns) {
					m = spot{piece: i}
				}
			}
		}
		at[index] = m
	}
	return at
}

// matches reports whether the columns of z are those of a point.
func matches(point, z []float64, columns []int) bool {
	for i, c := range columns {
		if point[i] != z[c] {
			return false
		}
	}
	return true
}

// descend moves one side after another to where g is least while the others stay, until nothing changes, and returns g there.
func descend(s *proof.System, at map[int]spot) float64 {
	order := s.Order()
	var room proof.Scratch
	value, before := 0.0, 0.0
	for round := range 50 {
		for _, k := range order {
			coef := make([]float64, s.Sides[k].Rows)
			for _, b := range s.Blocks {
				if slices.Contains(b.Sides, k) {
					contract(s, coef, b, k, at)
				}
			}
			m := s.Sides[k].Lowest(coef, 1e-9*s.Size, &room)
			at[k] = spot{piece: m.Piece, at: m.At}
		}
		value = s.Constant
		for _, b := range s.Blocks {
			value += contract(s, nil, b, -1, at)
		}
		if round > 0 && before-value <= 1e-9*s.Size {
			break
		}
		before = value
	}
	return value
}

// contract evaluates a block with all sides but k held. It adds to k's coefficients, or returns the value if the block does not have k.
func contract(s *proof.System, coef []float64, b *proof.Block, k int, at map[int]spot) float64 {
	data := b.Data
	for _, side := range b.Sides {
		rows := s.Sides[side].Rows
		rest := len(data) / rows
		if side == k { // the others, which come later, stay inside
			continue
		}
		lead := 1
		if slices.Contains(b.Sides[:slices.Index(b.Sides, side)], k) {
			lead = s.Sides[k].Rows
			rest /= lead
		}
		p := &s.Sides[side].Pieces[at[side].piece]
		weights := proof.Bernstein(at[side].at, p.Rows)
		next := make([]float64, lead*rest)
		for l := range lead {
			for i, w := range weights {
				for j, v := range data[(l*rows+p.Start+i)*rest:][:rest] {
					next[l*rest+j] += w * v
				}
			}
		}
		data = next
	}
	if len(data) == 1 && !slices.Contains(b.Sides, k) {
		return data[0]
	}
	for i, v := range data {
		coef[i] += v
	}
	return 0
}
