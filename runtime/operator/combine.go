package operator

import (
	"gonum.org/v1/gonum/blas"

	"github.com/sipc-ml/sipc/runtime/parallel"
)

const (
	// leastEqual is the least number of entries of an equal piece. Fewer are not worth a call of a matrix product.
	leastEqual = 16
	// longestEqual bounds the outputs and inputs of an equal piece: a product that small is one goroutine's.
	longestEqual = 64
	// longestPiece bounds the outputs of any other piece, so that tasks can be cut between pieces.
	longestPiece = 1024
	// A goroutine takes combineRows right-hand sides and combineWide outputs at a time.
	combineRows = 64
	combineWide = 4096
)

// A piece is a run of consecutive outputs. In an equal piece several functionals read the same rows, as on a
// compressed curve, and one product of matrices does them all. Others are done entry by entry.
type piece struct {
	first, count int32
	// runs are consecutive inputs of an equal piece, first being their place in the lists; nil for another piece.
	runs []piece
}

// A combination is a sparse matrix in one precision. Output i is Σ_k value[k]·input[at[k]] over k in start[i] …
// start[i+1]−1, summed in this order or, in equal pieces, as a product of matrices. The kind of a piece fixes which,
// so that the sum has the same bits on any number of processors.
type combination[T number] struct {
	start, at []int32
	value     []T
	pieces    []piece
	// Pieces tasks[i] … tasks[i+1]−1 are one goroutine's.
	tasks []int
}

// newCombination converts the numbers of a sparse matrix to one precision and divides its pieces into tasks.
func newCombination[T number](start []int32, list []entry, pieces []piece) combination[T] {
	s := combination[T]{start: start, at: make([]int32, len(list)), value: make([]T, len(list)), pieces: pieces, tasks: []int{0}}
	for k, e := range list {
		s.at[k], s.value[k] = e.at, T(e.value)
	}
	wide := int32(0)
	for k, p := range pieces {
		// Their numbers stand input by input, as products of matrices read them.
		if p.runs != nil {
			from, width := start[p.first], start[p.first+1]-start[p.first]
			for i := range p.count {
				for j := range width {
					s.value[from+j*p.count+i] = T(list[from+i*width+j].value)
				}
			}
		}
		// Tasks end between pieces only, so their bounds depend on the matrix alone.
		if wide += p.count; wide >= combineWide || k+1 == len(pieces) {
			s.tasks, wide = append(s.tasks, k+1), 0
		}
	}
	return s
}

// piecesOf finds the pieces of a sparse matrix. S of curves has long runs of equal lists.
func piecesOf(start []int32, list []entry) []piece {
	var pieces []piece
	n := int32(len(start) - 1)
	for i := int32(0); i < n; {
		p := piece{first: i, count: 1}
		if same := runOf(start, list, i, longestEqual); same > 1 && same*(start[i+1]-start[i]) >= leastEqual && p.layRuns(list[start[i]:start[i+1]]) {
			p.count = same
		}
		i += p.count
		if last := len(pieces) - 1; p.runs == nil && last >= 0 && pieces[last].runs == nil && pieces[last].count < longestPiece {
			pieces[last].count++
			continue
		}
		pieces = append(pieces, p)
	}
	return pieces
}

// runOf counts the outputs from i on whose lists each equal the one before.
func runOf(start []int32, list []entry, i, most int32) int32 {
	n, size := int32(len(start)-1), start[i+1]-start[i]
	if size == 0 {
		return 0
	}
	for k := int32(1); k < most && i+k < n; k++ {
		if start[i+k+1]-start[i+k] != size {
			return k
		}
		for e := range size {
			if list[start[i+k]+e].at != list[start[i]+e].at {
				return k
			}
		}
	}
	return min(most, n-i)
}

// layRuns finds the runs of inputs of a list. It reports whether they are few enough for matrix products to pay.
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
	if 3*len(runs) > len(list) {
		return false
	}
	p.runs = runs
	return true
}

// apply sets the rows of out to the combinations of the rows of in.
func (s *combination[T]) apply(out, in matrix[T]) {
	for lo := 0; lo < out.Rows; lo += combineRows {
		hi := min(lo+combineRows, out.Rows)
		s.applyPieces(out.span(lo, hi), in.span(lo, hi), s.pieces)
	}
}

// applyParallel does what apply does, on all processors. Tasks divide both right-hand sides and outputs.
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

// applyPieces applies some pieces to a few right-hand sides. Equal pieces take all of these at once, the others go
// row by row, so that a row of inputs stays in the cache.
func (s *combination[T]) applyPieces(out, in matrix[T], pieces []piece) {
	others := false
	for k := range pieces {
		if pieces[k].runs != nil {
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
			if p := &pieces[k]; p.runs == nil {
				s.applyLoose(o[p.first:p.first+p.count], x, p)
			}
		}
	}
}

// applyEqual multiplies the inputs of a piece of equal lists by its numbers, one product per run of inputs. The first
// product sets the outputs, the others add to them.
func (s *combination[T]) applyEqual(out, in matrix[T], p *piece) {
	from, count := s.start[p.first], int(p.count)
	var beta T
	for _, r := range p.runs {
		numbers := matrix[T]{Rows: int(r.count), Cols: count, Stride: count, Data: s.value[int(from)+int(r.first)*count:]}
		gemm(blas.NoTrans, blas.NoTrans, 1, in.cut(int(s.at[from+r.first]), int(r.count)), numbers, beta, out.cut(int(p.first), count))
		beta = 1
	}
}

// applyLoose combines one row for a piece that is not equal. Lists of two, as of pairs, need no inner loop.
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
