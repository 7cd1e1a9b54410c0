package proof

import (
	"context"
	"slices"
)

// sample reports whether g is surely negative at one of some landmarks, moved into the region.
func (p *prover) sample() bool {
	for k := range min(starts, len(p.model.atoms)) {
		if p.consider(p.landmark(k)) {
			return true
		}
	}
	return false
}

// landmark returns one of the landmarks, moved into the region.
func (p *prover) landmark(k int) []float64 {
	z := p.model.atoms[k*7919%len(p.model.atoms)].point
	x := p.anywhere()
	for i := range p.of.Region {
		r := &p.of.Region[i]
		if r.Moves() {
			x[r.Columns[0]] = min(max(z[r.Columns[0]], r.Low), r.High)
		}
		for _, v := range r.Points {
			if matches(v, z, r.Columns) {
				for j, c := range r.Columns {
					x[c] = v[j]
				}
			}
		}
	}
	return x
}

// starts is how many places descents begin at.
const starts = 24

// descents returns minima of g below a threshold that descents from some landmarks end in, each once.
func (p *prover) descents(ctx context.Context, s *system, below float64) ([]Point, error) {
	var out []Point
	for k := range starts {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		at := s.start(k, p)
		value := s.descend(at)
		if !(value < below) || slices.ContainsFunc(out, func(q Point) bool { return q.Value-value < 1e-9*s.size && value-q.Value < 1e-9*s.size }) {
			continue
		}
		x := p.anywhere()
		for side, m := range at {
			s.sides[side].set(x, m.piece, m.at)
		}
		out = append(out, Point{x, value})
	}
	return out, nil
}

// start returns the piece and place of each side that is nearest to a landmark, or its first for k = 0.
func (s *system) start(k int, p *prover) map[int]minimum {
	at := map[int]minimum{}
	for index, side := range s.sides {
		m := minimum{}
		if k > 0 && len(p.model.atoms) > 0 {
			z := p.model.atoms[(k*7919)%len(p.model.atoms)].point
			for i, q := range side.pieces {
				if q.point == nil && q.low <= z[side.columns[0]] && z[side.columns[0]] <= q.high {
					m = minimum{piece: i, at: (z[side.columns[0]] - q.low) / max(q.high-q.low, 1e-300)}
				} else if q.point != nil && matches(q.point, z, side.columns) {
					m = minimum{piece: i}
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
func (s *system) descend(at map[int]minimum) float64 {
	order := s.order()
	var room scratch
	value, before := 0.0, 0.0
	for round := range 50 {
		for _, k := range order {
			coef := make([]float64, s.sides[k].rows)
			for _, b := range s.blocks {
				if slices.Contains(b.sides, k) {
					s.contract(coef, b, k, at)
				}
			}
			at[k] = s.sides[k].lowest(coef, 1e-9*s.size, &room)
		}
		value = s.constant
		for _, b := range s.blocks {
			value += s.contract(nil, b, -1, at)
		}
		if round > 0 && before-value <= 1e-9*s.size {
			break
		}
		before = value
	}
	return value
}

// contract evaluates a block with all sides but k held. It adds to k's coefficients, or returns the value if the block does not have k.
func (s *system) contract(coef []float64, b *block, k int, at map[int]minimum) float64 {
	data := b.data
	for _, side := range b.sides {
		rows := s.sides[side].rows
		rest := len(data) / rows
		if side == k { // the others, which come later, stay inside
			continue
		}
		lead := 1
		if slices.Contains(b.sides[:slices.Index(b.sides, side)], k) {
			lead = s.sides[k].rows
			rest /= lead
		}
		p := &s.sides[side].pieces[at[side].piece]
		weights := bernstein(at[side].at, p.rows)
		next := make([]float64, lead*rest)
		for l := range lead {
			for i, w := range weights {
				for j, v := range data[(l*rows+p.start+i)*rest:][:rest] {
					next[l*rest+j] += w * v
				}
			}
		}
		data = next
	}
	if len(data) == 1 && !slices.Contains(b.sides, k) {
		return data[0]
	}
	for i, v := range data {
		coef[i] += v
	}
	return 0
}
