package operator

import (
	"slices"

	"gonum.org/v1/gonum/blas"

	"github.com/sipc-ml/sipc/runtime/parallel"
)

// A shape says how the lists of consecutive outputs of a sparse matrix relate.
type shape uint8

const (
	loose   shape = iota // not at all
	shifted              // each is the one before it, moved by one place
	equal                // all are the same
)

const (
	shortest     = 6    // outputs of a shifted piece
	leastEqual   = 16   // numbers of an equal one
	longestEqual = 64   // outputs and inputs of an equal piece: a product that small is one goroutine's
	longestPiece = 1024 // outputs of any other piece
	combineRows  = 64   // right-hand sides that a goroutine takes at a time …
	combineWide  = 4096 // … and outputs
)

// A piece is consecutive outputs whose lists have a shape.
type piece struct {
	first, count int32
	shape        shape
	ones         bool    // all numbers are 1
	a, b         int32   // of a shifted one: the first inputs; b is −1 where there is one only
	from         int32   // … and the first number
	runs         []piece // of an equal one: consecutive inputs, and where they stand in the lists
}

// A combination is a sparse matrix in one precision. Output i is Σ_k value[k]·input[at[k]] over k in start[i] … start[i+1]−1,
// summed in this order or, in equal pieces, as a product of matrices.
type combination[T number] struct {
	start, at []int32
	value     []T
	pieces    []piece
	tasks     []int // piece tasks[i] … tasks[i+1]−1 are one goroutine's
}

func newCombination[T number](start []int32, list []entry, pieces []piece) combination[T] {
	s := combination[T]{start: start, at: make([]int32, len(list)), value: make([]T, len(list)), pieces: pieces, tasks: []int{0}}
	for k, e := range list {
		s.at[k], s.value[k] = e.at, T(e.value)
	}
	wide := int32(0)
	for k, p := range pieces {
		if p.shape == equal { // their numbers stand input by input, as products read them
			from, width := start[p.first], start[p.first+1]-start[p.first]
			for i := range p.count {
				for j := range width {
					s.value[from+j*p.count+i] = T(list[from+i*width+j].value)
				}
			}
		}
		if wide += p.count; wide >= combineWide || k+1 == len(pieces) {
			s.tasks, wide = append(s.tasks, k+1), 0
		}
	}
	return s
}

// piecesOf finds the pieces of a sparse matrix.
func piecesOf(start []int32, list []entry) []piece {
	var pieces []piece
	n := int32(len(start) - 1)
	for i := int32(0); i < n; {
		p := piece{first: i, count: 1}
		if same := runOf(start, list, i, 0, longestEqual); same > 1 && same*(start[i+1]-start[i]) >= leastEqual && p.layRuns(list[start[i]:start[i+1]]) {
			p.count, p.shape = same, equal
		} else if moved := runOf(start, list, i, 1, longestPiece); moved >= shortest && start[i+1]-start[i] <= 2 {
			p.count, p.shape = moved, shifted
			p.a, p.b, p.from = list[start[i]].at, -1, start[i]
			if start[i+1]-start[i] == 2 {
				p.b = list[start[i]+1].at
			}
			p.ones = !slices.ContainsFunc(list[start[i]:start[i+moved]], func(e entry) bool { return e.value != 1 })
		}
		i += p.count
		if last := len(pieces) - 1; p.shape == loose && last >= 0 && pieces[last].shape == loose && pieces[last].count < longestPiece {
			pieces[last].count++
			continue
		}
		pieces = append(pieces, p)
	}
	return pieces
}

// runOf counts the outputs from i on whose lists are each the one before it, moved by some places.
func runOf(start []int32, list []entry, i, move, most int32) int32 {
	n, size := int32(len(start)-1), start[i+1]-start[i]
	if size == 0 {
		return 0
	}
	for k := int32(1); k < most && i+k < n; k++ {
		if start[i+k+1]-start[i+k] != size {
			return k
		}
		for e := range size {
			if list[start[i+k]+e].at != list[start[i]+e].at+k*move {
				return k
			}
		}
	}
	return min(most, n-i)
}

// layRuns finds the runs of inputs of a list, and reports whether they are few enough for products to pay.
func (p *piece) layRuns(list []entry) bool {
	if len(list) > longestEqual {
		return false
	}
	var runs []piece
	for k, e := range list {
		if k == 0 || e.at != list[k-1].at+1 {
			runs = append(runs, piece{first: int32(k)})
		}
		runs[len(runs)-1].count++
	}
	p.runs = runs
	return 3*len(runs) <= len(list)
}

// apply sets the rows of out to the combinations of the rows of in.
func (s *combination[T]) apply(out, in matrix[T]) {
	for lo := 0; lo < out.Rows; lo += combineRows {
		hi := min(lo+combineRows, out.Rows)
		s.applyPieces(out.span(lo, hi), in.span(lo, hi), s.pieces)
	}
}

// applyParallel is apply on all processors.
func (s *combination[T]) applyParallel(out, in matrix[T]) {
	parts := len(s.tasks) - 1
	chunks := (out.Rows + combineRows - 1) / combineRows
	parallel.For(chunks*parts, 1, func(from, to int) {
		for k := from; k < to; k++ {
			lo := k / parts * combineRows
			hi := min(lo+combineRows, out.Rows)
			s.applyPieces(out.span(lo, hi), in.span(lo, hi), s.pieces[s.tasks[k%parts]:s.tasks[k%parts+1]])
		}
	})
}

func (s *combination[T]) applyPieces(out, in matrix[T], pieces []piece) {
	others := false
	for k := range pieces {
		if pieces[k].shape == equal {
			s.applyEqual(out, in, &pieces[k])
		} else {
			others = true
		}
	}
	if !others {
		return
	}
	for i := range out.Rows {
		o, x := out.row(i), in.row(i)
		for k := range pieces {
			switch p := &pieces[k]; p.shape {
			case shifted:
				s.applyShifted(o[p.first:p.first+p.count], x, p)
			case loose:
				s.applyLoose(o[p.first:p.first+p.count], x, p)
			case equal:
			}
		}
	}
}

// applyEqual multiplies the inputs of a piece of equal lists by its numbers.
func (s *combination[T]) applyEqual(out, in matrix[T], p *piece) {
	from, count := s.start[p.first], int(p.count)
	var beta T
	for _, r := range p.runs {
		numbers := matrix[T]{Rows: int(r.count), Cols: count, Stride: count, Data: s.value[int(from)+int(r.first)*count:]}
		gemm(blas.NoTrans, blas.NoTrans, 1, in.cut(int(s.at[from+r.first]), int(r.count)), numbers, beta, out.cut(int(p.first), count))
		beta = 1
	}
}

func (s *combination[T]) applyShifted(o, x []T, p *piece) {
	a := x[p.a:][:len(o)]
	switch {
	case p.b < 0 && p.ones:
		for i := range o {
			o[i] = a[i]
		}
	case p.b < 0:
		v := s.value[p.from:][:len(o)]
		for i := range o {
			o[i] = v[i] * a[i]
		}
	case p.ones:
		b := x[p.b:][:len(o)]
		for i := range o {
			o[i] = a[i] + b[i]
		}
	default:
		b, v := x[p.b:][:len(o)], s.value[p.from:][:2*len(o)]
		for i := range o {
			o[i] = v[2*i]*a[i] + v[2*i+1]*b[i]
		}
	}
}

func (s *combination[T]) applyLoose(o, x []T, p *piece) {
	start := s.start[p.first:][:len(o)+1]
	for i := range o {
		lo, hi := start[i], start[i+1]
		if hi == lo+2 {
			o[i] = s.value[lo]*x[s.at[lo]] + s.value[lo+1]*x[s.at[lo+1]]
			continue
		}
		var sum T
		at, value := s.at[lo:hi], s.value[lo:hi]
		for k, j := range at {
			sum += value[k] * x[j]
		}
		o[i] = sum
	}
}
