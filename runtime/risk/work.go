package risk

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/sipc-ml/sipc/runtime/parallel"
)

// work is one request while it is being solved.
type work struct {
	solver  *Solver
	loss    Loss
	request *Request
	// weight is that of the metric, so that β = 1 suits the loss; see weighLoss.
	weight float64
	// level is twice the decade of β.
	level int

	// squares says that losses are squares, of all rows alike, beside no cuts.
	squares bool
	// z, u, last and values have a number for each functional; room is memory for any purpose.
	z, u, last, values, room []float64
	v, q                     []float64 // of all dimensions
	part, moved              []float64 // of all rows
	past                     *history  // nil where functionals are few
	products                 *products
	// end is where cuts begin among the functionals.
	end    int
	aiming aiming
	// lower is the best D for intervals, if there are integrals.
	lower float64
	// lost is by how much rounding errors lower the best D.
	lost  float64
	out   *Result
	spent *effort
	// passed is what the last pass told, where bounds are those of rows that pass by, and kept are the scales of its slopes.
	passed *passed
	kept   []float64
	// contradicted says that no V keeps all cuts, so that no penalty is large enough.
	contradicted bool
}

// newWork begins a request, at the point of its start if there is one.
func newWork(s *Solver, l Loss, q *Request) *work {
	count := len(s.metric)
	w := &work{
		solver: s, loss: l, request: q, weight: weighLoss(s, l.Slope()),
		z: make([]float64, count), u: make([]float64, count), last: make([]float64, count), values: make([]float64, count),
		room: make([]float64, count), v: make([]float64, s.dim), q: make([]float64, s.dim), part: make([]float64, s.n), moved: make([]float64, s.n),
		lower: math.Inf(-1),
	}
	w.products = newProducts(s.problem.A, s.dim/s.problem.Labels, q.Gap)
	hastened := s.metric
	if w.squares = alikeSquares(l) && !slices.Contains(q.Rows, false) && s.cuts == nil; w.squares {
		hastened = hastened[:s.r]
	}
	if HistoryNumbers(len(hastened)) > 0 {
		w.past = newHistory(hastened)
	}
	most := q.MaxWork
	if most == 0 { // which takes a pass over the gauge
		most = s.Work(q.Limit)
	}
	w.spent = newEffort(s, most)
	w.end = s.r + s.n*s.width
	w.out = &Result{
		V: make([]float64, s.dim), Scores: make([]float64, s.n*s.problem.Labels), Upper: math.Inf(1), Lower: math.Inf(-1), Floor: math.Inf(-1), Gap: math.Inf(1),
	}
	if s.cuts != nil {
		zero := w.sumRows(make([]float64, w.end-s.r), l.Value)
		w.aiming = newAiming(s.cuts, s.measure, s.metric, w.end, s.problem.Alpha, zero)
	}
	if start := q.Start; start != nil && start.z == nil && len(start.c) == w.end && w.end == count {
		w.enter(start)
	} else if start != nil && start.z != nil && len(start.z) >= w.end && len(start.z) <= count {
		// At the same level the step grows with the weight of the loss, and so do the multipliers that z stands for.
		copy(w.z, start.z)
		w.level = start.level
		w.aiming.enter(w.z[w.end:], start.V, len(start.z)-w.end)
	}
	return w
}

// alikeSquares reports whether the losses of all rows are squares of one weight.
func alikeSquares(l Loss) bool {
	if w, ok := l.(*weighted); ok && slices.Min(w.weight) == slices.Max(w.weight) {
		l = w.single
	}
	_, ok := l.(*square)
	return ok
}

// enter begins at V and at the multipliers of a result that was carried from another problem: z = ÃV + c/(βW).
func (w *work) enter(start *Result) {
	w.level = start.level
	w.solver.problem.A.Apply(row(w.z), row(start.V))
	raise(w, start.c)
}

// raise adds c/(βW) to z.
func raise(w *work, c []float64) {
	each(w, func(lo, hi int, beta float64) {
		for j, c := range c[lo:hi] {
			w.z[lo+j] += c / (beta * w.solver.metric[lo+j])
		}
	})
}

// lighter is a factor of the metric of the losses. It was found by trial on images, taxonomies and curves, under weights from 0.1 to 100 and
// C from 0.01 to 100.
const lighter = 0.15

// weighLoss returns the weight of the metric for a loss of a slope s: βEᵀE is a share of the geometric mean of α and of sEᵀE. Of copies only the
// worst counts, and it changes from step to step; s itself suits them.
func weighLoss(s *Solver, slope float64) float64 {
	if s.problem.Copies > 0 {
		return slope
	}
	if factor := math.Sqrt(s.problem.Alpha * float64(s.dim) / (slope * scoreSizes(s))); factor > 0 && !math.IsInf(factor, 0) {
		return lighter * slope * factor
	}
	return slope
}

// scoreSizes returns the sum of ‖e‖² over all scores ⟨e, V⟩, biases aside. Every row counts once, as the metric has no weights of rows and the
// slope is that of the heaviest.
func scoreSizes(s *Solver) (sum float64) {
	for _, size := range s.measure.Sizes()[s.r : s.r+s.n*s.width] {
		sum += max(0, size*size-s.problem.Bias*s.problem.Bias)
	}
	return sum
}

// eachRow calls body with the scores of every row that counts, its copies behind it. x begins with the scores of the first row.
func (w *work) eachRow(x []float64, body func(i int, s []float64)) {
	m := w.solver.width
	parallel.For(w.solver.n, rowsAtOnce, func(lo, hi int) {
		for i := lo; i < hi; i++ {
			if w.counts(i) {
				body(i, x[i*m:(i+1)*m])
			}
		}
	})
}

// counts reports whether the loss of a row counts.
func (w *work) counts(i int) bool { return len(w.request.Rows) == 0 || w.request.Rows[i] }

// keepScores keeps the scores of the rows themselves, without those of copies.
func keepScores(w *work) {
	m := w.solver.problem.Labels
	for i := range w.solver.n {
		copy(w.out.Scores[i*m:(i+1)*m], w.values[w.solver.r+i*w.solver.width:])
	}
}

// sumRows returns the sum over the rows that count of what body returns, added in order.
func (w *work) sumRows(x []float64, body func(i int, s []float64) float64) float64 {
	clear(w.part)
	w.eachRow(x, func(i int, s []float64) { w.part[i] = body(i, s) })
	return floats.Sum(w.part)
}

// row returns x as a matrix of one row, in the same memory.
func row(x []float64) *mat.Dense { return mat.NewDense(1, len(x), x) }
