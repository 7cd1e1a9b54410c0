package proof

import (
	"errors"
	"fmt"
	"math"
	"slices"

	gonum "gonum.org/v1/gonum/blas"

	"github.com/sipc-ml/sipc/runtime/blas"
	"github.com/sipc-ml/sipc/runtime/statement"
)

// mostNumbers is how many numbers a block or table may have.
const mostNumbers = 1 << 24

// A Block is the sum of all elements over the same sides, by coefficients. They are a tensor with the rows of each side, the last side's
// together.
type Block struct {
	Sides []int
	Data  []float64
}

// A System is a statement's g as a sum of blocks,
//
//	|g(x) − constant − Σ_b B_b(x)| ≤ miss   for all x,
//
// where B_b is the polynomial (on pieces) or value (at points) that the coefficients of block b give.
type System struct {
	Sides    map[int]*Side
	Blocks   []*Block
	Constant float64
	Miss     float64
	Size     float64 // above the sum of absolute values of constant and coefficients
}

// System returns the system of a statement, over pieces of less than two lengths of the kernel; nil for one that has no polynomials. It fails if the
// statement does not suit the function's columns and labels.
func (f *Function) System(s *statement.Statement) (*System, error) {
	if err := f.check(s); err != nil {
		return nil, err
	}
	p := &prover{model: f, of: s}
	var err error
	var out *System
	if p.exp, err = f.expand(s, nil); err == nil {
		out, err = f.build(p.exp, p.cut(coarse), f.tables)
	}
	if reason := undecided(""); errors.As(err, &reason) {
		return nil, nil //nolint:nilnil // a statement without polynomials is not at fault
	}
	return out, err
}

// build computes the system of an expansion over sides, with the tables that are kept.
func (f *Function) build(e *expansion, sides map[int]*Side, kept *tables) (*System, error) {
	s := &System{Sides: sides, Constant: e.constant.v, Miss: e.constant.r, Size: math.Abs(e.constant.v)}
	for _, el := range e.elements {
		numbers, left := 1, len(f.atoms)
		for i, k := range el.sides {
			if len(f.atoms)*sides[k].Rows > mostNumbers {
				return nil, undecided(fmt.Sprintf("a side needs %d numbers for each landmark", sides[k].Rows))
			}
			if numbers *= sides[k].Rows; i < len(el.sides)-1 {
				left *= sides[k].Rows
			}
			if numbers > mostNumbers || left > mostNumbers {
				return nil, undecided(fmt.Sprintf("the kernel couples %d sides that move, which needs too much memory", len(el.sides)))
			}
		}
		i := slices.IndexFunc(s.Blocks, func(b *Block) bool { return slices.Equal(b.Sides, el.sides) })
		if i < 0 {
			i = len(s.Blocks)
			s.Blocks = append(s.Blocks, &Block{el.sides, make([]float64, numbers)})
		}
		s.Miss = up(s.Miss + f.accumulate(s.Blocks[i], el, sides, kept))
	}
	for _, b := range s.Blocks {
		s.Size = up(s.Size + largest(b.Data))
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
func (f *Function) accumulate(b *Block, el *element, sides map[int]*Side, kept *tables) float64 {
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
	before := largest(b.Data)
	if n > 0 {
		blas.Implementation{}.Dgemm(gonum.Trans, gonum.NoTrans, rows, last.rows, n, 1, left, rows, last.coef, last.rows, 1, b.Data, last.rows)
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
		miss = up(miss + up(others*t.heaviest(el.weight, len(sides[el.sides[k]].Pieces))))
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

// Order returns the sides, ascending.
func (s *System) Order() []int {
	var out []int
	for k := range s.Sides {
		out = append(out, k)
	}
	slices.Sort(out)
	return out
}

// roundings bounds what arithmetic on coefficients adds: degree roundings each time that a cell or leaf is halved, and one for each
// block and leaf.
func (s *System) roundings(leaves int) float64 {
	return up(float64((2*deepest+1)*Terms+len(s.Blocks)+leaves+8) * unit * s.Size)
}

// Cover returns the cheapest centre of at most three sides such that no block has two sides outside it.
func (s *System) Cover() (best []int, ok bool) {
	all := s.Order()
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
			k := s.Sides[all[i]]
			more := float64(len(k.Pieces))
			if k.Rows > len(k.Pieces) {
				more = float64(k.Rows) * 4
			}
			try(i+1, append(centre, all[i]), cells*more)
		}
	}
	try(0, nil, 1)
	return best, ok
}

// covers reports whether no block has two sides outside a centre.
func (s *System) covers(centre []int) bool {
	for _, b := range s.Blocks {
		outside := 0
		for _, k := range b.Sides {
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
