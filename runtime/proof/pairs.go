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
	*System
	pairs  []pair
	single map[int][]float64 // u_s
}

// A pair is a block of two sides with its shares.
type pair struct {
	*Block
	share [2][]float64
}

// newPairing returns equal shares. ok is false if a block has more than two sides.
func newPairing(s *System) (p *pairing, ok bool) {
	p = &pairing{System: s, single: map[int][]float64{}}
	degree := map[int]float64{}
	for k, side := range s.Sides {
		p.single[k] = make([]float64, side.Rows)
	}
	for _, b := range s.Blocks {
		switch len(b.Sides) {
		case 1:
			p.single[b.Sides[0]] = b.Data
		case 2:
			p.pairs = append(p.pairs, pair{Block: b})
			degree[b.Sides[0]]++
			degree[b.Sides[1]]++
		default:
			return nil, false
		}
	}
	for i := range p.pairs {
		for j, k := range p.pairs[i].Sides {
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
func (p *prover) decidePairs(ctx context.Context, s *System) error {
	if refuted, err := p.suspect(ctx, s); refuted || err != nil {
		return err
	}
	reason := fmt.Sprintf("each pair of its %d columns acts together, and bounds of so many pairs are too loose; require it over fewer columns, with others = rows", len(s.Sides))
	pairs, ok := newPairing(s)
	if !ok {
		return undecided(reason)
	}
	for range sweeps {
		for _, k := range s.Order() {
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
	mean := make([]float64, p.Sides[side].Rows)
	for i := range p.pairs {
		j := slices.Index(p.pairs[i].Sides, side)
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
	s, other := p.Sides[q.Sides[j]], p.Sides[q.Sides[1-j]]
	out := make([]float64, s.Rows)
	var room Scratch
	for i := range s.Pieces {
		piece := &s.Pieces[i]
		var values [Terms]ball
		for r := range piece.Rows {
			at := (1 + chebyshev().nodes[r]) / 2
			coef := slices.Clone(q.share[1-j])
			sum := 0.0
			for b, w := range Bernstein(at, piece.Rows) {
				sum += w * q.share[j][piece.Start+b]
				for k := range coef {
					if j == 0 {
						coef[k] += w * q.Data[(piece.Start+b)*other.Rows+k]
					} else {
						coef[k] += w * q.Data[k*s.Rows+piece.Start+b]
					}
				}
			}
			values[r] = exactly(sum + other.Lowest(coef, 1e-6*p.Size, &room).High)
		}
		if piece.Rows == 1 {
			out[piece.Start] = values[0].v
		} else {
			chebyshev().coefficients(out[piece.Start:][:Terms], &values)
		}
	}
	return out
}

// low returns a lower bound of g: the sum of the minima of pairs, and of what the shares of a side leave of u_s. It is within tol of
// that sum, relative to the size of g.
func (p *pairing) low(ctx context.Context, tol float64, looked *int, most int) (float64, error) {
	sum, miss, size := p.Constant, p.Miss, math.Abs(p.Constant)
	var room Scratch
	for _, k := range p.Order() {
		rest, all := p.rest(k)
		sum += p.Sides[k].Lowest(rest, 1e-6*p.Size, &room).Low
		size += all
		miss += float64(len(p.pairs)+2+(deepest+1)*Terms) * unit * all
	}
	for i := range p.pairs {
		q := &p.pairs[i]
		s := &System{Sides: p.Sides, Blocks: []*Block{q.Block, {q.Sides[:1], q.share[0]}, {q.Sides[1:], q.share[1]}}}
		for _, b := range s.Blocks {
			s.Size += largest(b.Data)
		}
		low, err := NewStar(s, q.Sides[:1]).minimum(ctx, tol*p.Size/float64(len(p.pairs)), looked, most)
		if err != nil {
			return 0, err
		}
		sum += low
		size += s.Size
		miss += s.roundings(1)
	}
	miss += float64(len(p.pairs)+len(p.Sides)+2) * unit * size
	return math.Nextafter(sum-up(miss), math.Inf(-1)), nil
}

// rest returns u_s less its shares, and a bound of all numbers in that.
func (p *pairing) rest(k int) (rest []float64, size float64) {
	rest = slices.Clone(p.single[k])
	size = largest(rest)
	for i := range p.pairs {
		if j := slices.Index(p.pairs[i].Sides, k); j >= 0 {
			for r, v := range p.pairs[i].share[j] {
				rest[r] -= v
			}
			size += largest(p.pairs[i].share[j])
		}
	}
	return rest, up(size)
}
