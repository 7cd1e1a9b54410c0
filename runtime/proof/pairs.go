package proof

import (
	"context"
	"fmt"
	"math"
	"slices"
)

// A pairing bounds a system whose sides all meet in pairs, for which there is no centre. It gives each pair of sides a share of what depends
// on one side alone,
//
//	g = c + Σ_st [v_st + φ_st + φ_ts],   Σ_t φ_st = u_s.
//
// So g is at least c plus the sum of the pairs' minima, whatever the shares are, and each pair is a star. Shares are moved until the minima agree on
// where they are attained (diffusion; see Werner 2007). The bound need not come near the minimum of g.
type pairing struct {
	*system
	pairs  []pair
	single map[int][]float64 // u_s
}

// A pair is a block of two sides with its shares.
type pair struct {
	*block
	share [2][]float64
}

// newPairing returns equal shares. ok is false if a block has more than two sides.
func newPairing(s *system) (p *pairing, ok bool) {
	p = &pairing{system: s, single: map[int][]float64{}}
	degree := map[int]float64{}
	for k, side := range s.sides {
		p.single[k] = make([]float64, side.rows)
	}
	for _, b := range s.blocks {
		switch len(b.sides) {
		case 1:
			p.single[b.sides[0]] = b.data
		case 2:
			p.pairs = append(p.pairs, pair{block: b})
			degree[b.sides[0]]++
			degree[b.sides[1]]++
		default:
			return nil, false
		}
	}
	for i := range p.pairs {
		for j, k := range p.pairs[i].sides {
			p.pairs[i].share[j] = slices.Clone(p.single[k])
			for r := range p.pairs[i].share[j] {
				p.pairs[i].share[j][r] /= degree[k]
			}
		}
	}
	return p, true
}

// sweeps is how often the shares of every side are moved.
const sweeps = 8

// decidePairs tries to decide a statement whose sides all meet.
func (p *prover) decidePairs(ctx context.Context, s *system) error {
	points, err := p.descents(ctx, s, math.Inf(1))
	if err != nil {
		return err
	}
	for _, q := range points {
		if q.Value < s.miss && p.consider(q.X) {
			return nil
		}
	}
	reason := fmt.Sprintf("its %d sides all meet, and sums of the minima of pairs are too low", len(s.sides))
	pairs, ok := newPairing(s)
	if !ok {
		return undecided(reason)
	}
	for range sweeps {
		for _, k := range s.order() {
			if err := ctx.Err(); err != nil {
				return err
			}
			pairs.diffuse(k)
		}
	}
	for _, tol := range []float64{1e-4, 1e-7} {
		low, err := pairs.low(ctx, tol, &p.verdict.Cells, p.options.Cells)
		if err != nil {
			return err
		}
		if p.verdict.Margin = low; low >= 0 {
			p.verdict.Answer = Proved
			return nil
		}
	}
	return undecided(reason)
}

// diffuse moves the shares of one side so that all its pairs have the same minima above it.
func (p *pairing) diffuse(side int) {
	var mine []*[]float64
	var minima [][]float64
	mean := make([]float64, p.sides[side].rows)
	for i := range p.pairs {
		j := slices.Index(p.pairs[i].sides, side)
		if j < 0 {
			continue
		}
		m := p.minima(&p.pairs[i], j)
		mine, minima = append(mine, &p.pairs[i].share[j]), append(minima, m)
		for r, v := range m {
			mean[r] += v
		}
	}
	for i, share := range mine {
		for r := range *share {
			(*share)[r] += mean[r]/float64(len(mine)) - minima[i][r]
		}
	}
}

// minima returns polynomials near the minimum of a pair above each place of its side j.
func (p *pairing) minima(q *pair, j int) []float64 {
	s, other := p.sides[q.sides[j]], p.sides[q.sides[1-j]]
	out := make([]float64, s.rows)
	var room scratch
	for i := range s.pieces {
		piece := &s.pieces[i]
		var values [terms]ball
		for r := range piece.rows {
			at := (1 + chebyshev().nodes[r]) / 2
			coef := slices.Clone(q.share[1-j])
			sum := 0.0
			for b, w := range bernstein(at, piece.rows) {
				sum += w * q.share[j][piece.start+b]
				for k := range coef {
					if j == 0 {
						coef[k] += w * q.data[(piece.start+b)*other.rows+k]
					} else {
						coef[k] += w * q.data[k*s.rows+piece.start+b]
					}
				}
			}
			values[r] = exactly(sum + other.lowest(coef, 1e-6*p.size, &room).high)
		}
		if piece.rows == 1 {
			out[piece.start] = values[0].v
		} else {
			chebyshev().coefficients(out[piece.start:][:terms], &values)
		}
	}
	return out
}

// low returns a lower bound of g: the sum of the minima of pairs, and of what the shares of a side leave of u_s. It is within tol of
// that sum, relative to the size of g.
func (p *pairing) low(ctx context.Context, tol float64, looked *int, most int) (float64, error) {
	sum, miss, size := p.constant, p.miss, math.Abs(p.constant)
	var room scratch
	for _, k := range p.order() {
		rest, all := p.rest(k)
		sum += p.sides[k].lowest(rest, 1e-6*p.size, &room).low
		size += all
		miss += float64(len(p.pairs)+2+(deepest+1)*terms) * unit * all
	}
	for i := range p.pairs {
		q := &p.pairs[i]
		s := &system{sides: p.sides, blocks: []*block{q.block, {q.sides[:1], q.share[0]}, {q.sides[1:], q.share[1]}}}
		for _, b := range s.blocks {
			s.size += largest(b.data)
		}
		low, err := newStar(s, q.sides[:1]).minimum(ctx, tol*p.size/float64(len(p.pairs)), looked, most)
		if err != nil {
			return 0, err
		}
		sum += low
		size += s.size
		miss += s.roundings(1)
	}
	miss += float64(len(p.pairs)+len(p.sides)+2) * unit * size
	return math.Nextafter(sum-up(miss), math.Inf(-1)), nil
}

// rest returns u_s less its shares, and a bound of all numbers in that.
func (p *pairing) rest(k int) (rest []float64, size float64) {
	rest = slices.Clone(p.single[k])
	size = largest(rest)
	for i := range p.pairs {
		if j := slices.Index(p.pairs[i].sides, k); j >= 0 {
			for r, v := range p.pairs[i].share[j] {
				rest[r] -= v
			}
			size += largest(p.pairs[i].share[j])
		}
	}
	return rest, up(size)
}
