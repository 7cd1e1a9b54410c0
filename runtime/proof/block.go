package proof

import (
	"fmt"
	"math"
	"slices"

	gonum "gonum.org/v1/gonum/blas"

	"github.com/sipc-ml/sipc/runtime/blas"
)

// mostNumbers is how many numbers a block or table may have.
const mostNumbers = 1 << 24

// A block is the sum of all elements over the same sides, by coefficients. They are a tensor with the rows of each side, the last side's
// together.
type block struct {
	sides []int
	data  []float64
}

// A system is a statement's g as a sum of blocks,
//
//	|g(x) − constant − Σ_b B_b(x)| ≤ miss   for all x,
//
// where B_b is the polynomial (on pieces) or value (at points) that the coefficients of block b give.
type system struct {
	sides    map[int]*side
	blocks   []*block
	constant float64
	miss     float64
	size     float64 // above the sum of absolute values of constant and coefficients
}

// build computes the system of an expansion over sides, with the tables that are kept.
func (f *Function) build(e *expansion, sides map[int]*side, kept *tables) (*system, error) {
	s := &system{sides: sides, constant: e.constant.v, miss: e.constant.r, size: math.Abs(e.constant.v)}
	for _, el := range e.elements {
		numbers, left := 1, len(f.atoms)
		for i, k := range el.sides {
			if len(f.atoms)*sides[k].rows > mostNumbers {
				return nil, undecided(fmt.Sprintf("a side needs %d numbers for each landmark", sides[k].rows))
			}
			if numbers *= sides[k].rows; i < len(el.sides)-1 {
				left *= sides[k].rows
			}
			if numbers > mostNumbers || left > mostNumbers {
				return nil, undecided(fmt.Sprintf("the kernel couples %d sides that move, which needs too much memory", len(el.sides)))
			}
		}
		i := slices.IndexFunc(s.blocks, func(b *block) bool { return slices.Equal(b.sides, el.sides) })
		if i < 0 {
			i = len(s.blocks)
			s.blocks = append(s.blocks, &block{el.sides, make([]float64, numbers)})
		}
		s.miss = up(s.miss + f.accumulate(s.blocks[i], el, sides, kept))
	}
	for _, b := range s.blocks {
		s.size = up(s.size + largest(b.data))
	}
	return s, nil
}

// accumulate adds an element to its block, and returns a bound of the error.
//
// With w the weights (within r of them, |w| ≤ A), φ_s the factors, p_s the stored polynomials, |φ_s − p_s| ≤ e_s and both at most top_s,
//
//	|Π φ_s − Π p_s| ≤ Σ_s e_s Π_{t ≠ s} top_t,
//
// The sum over n atoms of products of |sides| + 1 numbers, in any order, fused or not, is wrong by at most
//
//	γ Σ_i A_i Π top,   γ = mu/(1 − mu),   m = n + |sides| + 3
//
// (Higham, Accuracy and Stability of Numerical Algorithms, 3.1). One of these additions is that to the block.
func (f *Function) accumulate(b *block, el *element, sides map[int]*side, kept *tables) float64 {
	n := len(f.atoms)
	tables := make([]*table, len(el.sides))
	product := 1.0
	for k, s := range el.sides {
		tables[k] = f.table(sides[s], el.parts[k], kept)
		product = up(product * tables[k].top)
	}
	left, rows := make([]float64, n), 1
	total, radii := 0.0, 0.0
	for i, w := range el.weight {
		left[i] = w.v
		total += w.abs()
		radii += w.r
	}
	for _, t := range tables[:len(tables)-1] {
		left, rows = khatriRao(left, t.coef, n, rows, t.rows)
	}
	last := tables[len(tables)-1]
	before := largest(b.data)
	if n > 0 {
		blas.Implementation{}.Dgemm(gonum.Trans, gonum.NoTrans, rows, last.rows, n, 1, left, rows, last.coef, last.rows, 1, b.data, last.rows)
	}
	m := float64(n+len(tables)+3) * unit
	miss := up(up(radii)*product) + up(m/(1-m)*(up(up(total)*product)+before))
	for k, t := range tables {
		others := 1.0
		for l, other := range tables {
			if l != k {
				others = up(others * other.top)
			}
		}
		miss = up(miss + up(others*t.heaviest(el.weight, len(sides[el.sides[k]].pieces))))
	}
	return miss
}

// heaviest returns the largest Σ_i |weight_i| miss_i of a piece, rounded up.
func (t *table) heaviest(weight []ball, pieces int) float64 {
	sums := make([]float64, pieces)
	for i, w := range weight {
		a := w.abs()
		for j, e := range t.miss[i*pieces:][:pieces] {
			sums[j] += up(a * e)
		}
	}
	return up(slices.Max(sums))
}

// khatriRao returns the products of the numbers of each row of a with those of b.
func khatriRao(a, b []float64, n, p, q int) (out []float64, rows int) {
	out = make([]float64, 0, n*p*q)
	for i := range n {
		for _, v := range a[i*p:][:p] {
			for _, w := range b[i*q:][:q] {
				out = append(out, v*w)
			}
		}
	}
	return out, p * q
}

// order returns the sides, ascending.
func (s *system) order() []int {
	var out []int
	for k := range s.sides {
		out = append(out, k)
	}
	slices.Sort(out)
	return out
}

// roundings bounds what arithmetic on coefficients adds: degree roundings each time that a cell or leaf is halved, and one for each
// block and leaf.
func (s *system) roundings(leaves int) float64 {
	return up(float64((2*deepest+1)*terms+len(s.blocks)+leaves+8) * unit * s.size)
}

// cover returns the cheapest centre of at most three sides such that no block has two sides outside it.
func (s *system) cover() (best []int, ok bool) {
	all := s.order()
	least := math.Inf(1)
	var try func(from int, centre []int, cells float64)
	try = func(from int, centre []int, cells float64) {
		if cells < least && s.covers(centre) {
			best, least, ok = slices.Clone(centre), cells, true
		}
		if len(centre) == 3 {
			return
		}
		for i := from; i < len(all); i++ {
			k := s.sides[all[i]]
			more := float64(len(k.pieces))
			if k.rows > len(k.pieces) {
				more = float64(k.rows) * 4
			}
			try(i+1, append(centre, all[i]), cells*more)
		}
	}
	try(0, nil, 1)
	return best, ok
}

// covers reports whether no block has two sides outside a centre.
func (s *system) covers(centre []int) bool {
	for _, b := range s.blocks {
		outside := 0
		for _, k := range b.sides {
			if !slices.Contains(centre, k) {
				outside++
			}
		}
		if outside > 1 {
			return false
		}
	}
	return true
}
