package learn

import (
	"context"
	"errors"
	"math"
	"slices"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"

	"github.com/sipc-ml/sipc/internal/limits"
	"github.com/sipc-ml/sipc/runtime/parallel"
	"github.com/sipc-ml/sipc/runtime/setting"
)

// maxSolve bounds the linear systems that are factored. Larger ones are solved by conjugate gradients.
const maxSolve = 12000

// maxCentred bounds the matrices that are copied to be centred: 1 GiB.
const maxCentred = 1 << 27

// fitRidge solves (XᵀHX + λI) W = XᵀHT. The projection H subtracts the mean of each label's rows, which eliminates
// the free biases. Weights of rows make it XᵀDHX and XᵀDHT, with D = diag(w) and weighted means. It solves the smaller of this primal system and its dual, W = XᵀH(HXXᵀH + λI)⁻¹HT.
func (f *Fit) fitRidge(ctx context.Context, d *Design, t *Targets) error {
	lambda := f.Learner.Strength
	if !d.rows.apart {
		w, err := f.ridgeWeights(ctx, d, ridgeTargets(d, t), d.weights(t))
		if err != nil {
			return err
		}
		f.Weights.Copy(general(w))
		f.finishRidge(d, t, lambda)
		return nil
	}
	for y := range d.m {
		own, sign := d.label(t, y)
		// Each label is a problem alone, with a bias of its own.
		centre(&own.rows, sign, own.weights(t))
		w, err := f.ridgeWeights(ctx, own, blas64.General{Rows: d.n, Cols: 1, Stride: 1, Data: sign}, own.weights(t))
		if err != nil {
			return err
		}
		copy(f.Weights.RawRowView(0)[y*own.rows.dim:], w.Data[:own.rows.dim])
	}
	f.finishRidge(d, t, lambda)
	return nil
}

// ridgeWeights returns W for centred targets, one row for each label.
func (f *Fit) ridgeWeights(ctx context.Context, d *Design, targets blas64.General, weight []float64) (w blas64.General, err error) {
	lambda, steps := f.Learner.Strength, 0
	r := &d.rows
	switch {
	case min(r.n, r.dim) > maxSolve, int64(r.n)*int64(r.dim) > maxCentred:
		w, steps, err = conjugateGradients(ctx, r, targets, weight, lambda, f.Learner.MaxSweeps)
	case r.dim <= r.n:
		w, err = awaitSystem(ctx, func() (blas64.General, error) { return ridgePrimal(r, targets, weight, lambda) })
	default:
		var gram []float64
		if gram, err = d.gramOf(ctx); err == nil {
			w, err = awaitSystem(ctx, func() (blas64.General, error) { return ridgeDual(r, targets, weight, lambda, gram) })
		}
	}
	f.Iterations += steps
	return w, err
}

// awaitSystem solves a system, which may take seconds without a look at ctx.
func awaitSystem(ctx context.Context, solve func() (blas64.General, error)) (blas64.General, error) {
	var w blas64.General
	var failed error
	if err := parallel.Await(ctx, func() { w, failed = solve() }); err != nil {
		return blas64.General{}, err // w is still being written
	}
	return w, failed
}

// ridgeTargets returns the targets of the rows, centred in each group. There is one column for each label of a shared
// design, and one in all for a joint one.
func ridgeTargets(d *Design, t *Targets) blas64.General {
	columns := d.m
	if d.joint {
		columns = 1
	}
	out := blas64.General{Rows: d.rows.n, Cols: columns, Stride: columns, Data: make([]float64, d.rows.n*columns)}
	for y := range columns {
		var col []float64
		if t.Task == setting.Real {
			col = append(col, t.Real...)
		} else {
			col = d.signs(t, y)
		}
		centre(&d.rows, col, d.weights(t))
		for i, v := range col {
			out.Data[i*columns+y] = v
		}
	}
	return out
}

// centre subtracts the weighted mean of each group: it applies H. A nil weight means ones.
func centre(r *rows, v, weight []float64) {
	for g := range r.group {
		var sum, total float64
		for i := g; i < len(v); i += r.group {
			sum += weightAt(weight, i) * v[i]
			total += weightAt(weight, i)
		}
		sum /= total
		for i := g; i < len(v); i += r.group {
			v[i] -= sum
		}
	}
}

// weigh multiplies numbers of rows by their weights to a power, 1 or ½.
func weigh(v, weight []float64, root bool) {
	for i, w := range weight {
		if root {
			w = math.Sqrt(w)
		}
		v[i] *= w
	}
}

// weighRows multiplies the rows of a matrix by the roots of their weights.
func weighRows(a blas64.General, weight []float64) {
	for i, w := range weight {
		blas64.Scal(math.Sqrt(w), vector(a.Data[i*a.Stride:i*a.Stride+a.Cols]))
	}
}

// centredBlock returns HX in double precision, rows multiplied by the roots of their weights.
func centredBlock(r *rows, weight []float64) blas64.General {
	x := newGeneral(r.n, r.dim)
	for i := range r.n {
		r.copyRow(i, x.Data[i*r.dim:(i+1)*r.dim])
	}
	mean := make([]float64, r.dim)
	for g := range r.group {
		clear(mean)
		total := 0.0
		for i := g; i < r.n; i += r.group {
			total += weightAt(weight, i)
			axpy(weightAt(weight, i), x.Data[i*r.dim:(i+1)*r.dim], mean)
		}
		for i := g; i < r.n; i += r.group {
			row := x.Data[i*r.dim : (i+1)*r.dim]
			for k := range row {
				row[k] -= mean[k] / total
			}
		}
	}
	weighRows(x, weight)
	return x
}

// ridgePrimal solves in as many dimensions as there are features.
func ridgePrimal(r *rows, t blas64.General, weight []float64, lambda float64) (blas64.General, error) {
	x := centredBlock(r, weight)
	weighRows(t, weight)
	a := newGeneral(r.dim, r.dim)
	blas64.Gemm(blas.Trans, blas.NoTrans, 1, x, x, 0, a)
	b := newGeneral(r.dim, t.Cols)
	blas64.Gemm(blas.Trans, blas.NoTrans, 1, x, t, 0, b)
	w, err := solveRidge(a, b, lambda)
	return transposed(w), err
}

// ridgeDual solves in as many dimensions as there are rows.
func ridgeDual(r *rows, t blas64.General, weight []float64, lambda float64, gram []float64) (blas64.General, error) {
	a := newGeneral(r.n, r.n)
	copy(a.Data, gram)
	// H K H: rows first, then columns as rows of the transpose.
	for i := range r.n {
		centre(r, a.Data[i*r.n:(i+1)*r.n], weight)
	}
	a = transposed(a)
	for i := range r.n {
		centre(r, a.Data[i*r.n:(i+1)*r.n], weight)
		weigh(a.Data[i*r.n:(i+1)*r.n], weight, true)
	}
	// Rows now; columns had their roots above.
	weighRows(a, weight)
	weighRows(t, weight)
	dual, err := solveRidge(a, t, lambda)
	if err != nil {
		return dual, err
	}
	w := newGeneral(t.Cols, r.dim)
	for y := range t.Cols {
		beta := make([]float64, r.n)
		for i := range beta {
			beta[i] = dual.Data[i*dual.Stride+y]
		}
		// XᵀHᵀ√Dβ, as W lies in the span of the centred rows.
		weigh(beta, weight, true)
		uncentre(r, beta, weight)
		r.transposeTimes(beta, w.Data[y*r.dim:(y+1)*r.dim])
	}
	return w, nil
}

// uncentre applies Hᵀ: it subtracts from each number its weight's share of the sum of its group.
func uncentre(r *rows, v, weight []float64) {
	for g := range r.group {
		var sum, total float64
		for i := g; i < len(v); i += r.group {
			sum += v[i]
			total += weightAt(weight, i)
		}
		for i := g; i < len(v); i += r.group {
			v[i] -= weightAt(weight, i) * sum / total
		}
	}
}

// ErrSingular reports a penalty that is so small that the system of ridge is singular to rounding.
var ErrSingular = errors.New("learn: ridge meets a singular system; raise lambda")

// solveRidge solves (A + λI) X = B for a positive semidefinite A.
func solveRidge(a, b blas64.General, lambda float64) (blas64.General, error) {
	s := mat.NewSymDense(a.Rows, a.Data)
	for i := range a.Rows {
		s.SetSym(i, i, s.At(i, i)+lambda)
	}
	var cholesky mat.Cholesky
	if !cholesky.Factorize(s) {
		return b, ErrSingular
	}
	var x mat.Dense
	if err := cholesky.SolveTo(&x, general(b)); err != nil {
		var condition mat.Condition
		// An ill-conditioned system is solved as well as possible; the gap says how well.
		if !errors.As(err, &condition) {
			return b, err
		}
	}
	return x.RawMatrix(), nil
}

// conjugateGradients solves the primal system for every label, by products with X alone.
func conjugateGradients(ctx context.Context, r *rows, t blas64.General, weight []float64, lambda float64, limit int) (blas64.General, int, error) {
	w := newGeneral(t.Cols, r.dim)
	total := 0
	for y := range t.Cols {
		target := make([]float64, r.n)
		for i := range target {
			target[i] = t.Data[i*t.Stride+y]
		}
		steps, err := conjugateGradient(ctx, r, target, weight, lambda, limit, w.Data[y*r.dim:(y+1)*r.dim])
		if err != nil {
			return w, 0, err
		}
		total += steps
	}
	return w, total, nil
}

// conjugateGradient solves for one label (Hestenes and Stiefel 1952). It ends at a residual of 1e-12 of the first,
// and returns the steps.
func conjugateGradient(ctx context.Context, r *rows, target, weight []float64, lambda float64, limit int, w []float64) (int, error) {
	residual, scores, image := make([]float64, r.dim), make([]float64, r.n), make([]float64, r.dim)
	weigh(target, weight, false)
	r.transposeTimes(target, residual)
	direction := append([]float64(nil), residual...)
	size := sumSquares(residual)
	// Of the squared residual.
	stop := 1e-24 * size
	for step := 1; step <= limit && size > stop; step++ {
		if err := ctx.Err(); err != nil {
			return 0, err
		}
		r.times(direction, scores)
		// XᵀDHX w: the centring stands between both products.
		centre(r, scores, weight)
		weigh(scores, weight, false)
		r.transposeTimes(scores, image)
		axpy(lambda, direction, image)
		length := size / dot(direction, image)
		axpy(length, direction, w)
		axpy(-length, image, residual)
		before := size
		size = sumSquares(residual)
		for k, v := range residual {
			direction[k] = v + size/before*direction[k]
		}
		if size <= stop || step == limit || limits.Over(ctx) {
			return step, nil
		}
	}
	return 0, nil
}

// finishRidge sets the biases, the objective and its gap. With the best biases inserted the objective is 2λ-strongly
// convex in W, so it lies above its minimum by at most ‖∇‖²/4λ.
func (f *Fit) finishRidge(d *Design, t *Targets, lambda float64) {
	r, weight := &d.rows, d.weights(t)
	var excess float64
	f.Objective = 0
	for y := range f.Weights.RawMatrix().Rows {
		w := f.Weights.RawRowView(y)
		rest := make([]float64, r.n)
		r.times(w, rest)
		wanted := t.Real
		if t.Task != setting.Real {
			wanted = d.signs(t, y)
		}
		for i := range rest {
			rest[i] = wanted[i] - rest[i]
		}
		for g := range r.group {
			var sum, total float64
			for i := g; i < r.n; i += r.group {
				sum += weightAt(weight, i) * rest[i]
				total += weightAt(weight, i)
			}
			// The best bias is the mean of what the weights leave. y counts labels on shared designs, g on joint
			// ones.
			f.Bias[max(y, g)] = sum / total
		}
		centre(r, rest, weight)
		// The slope takes each row by its weight, as the sum of squares does.
		leaving := slices.Clone(rest)
		weigh(leaving, weight, false)
		grad := make([]float64, r.dim)
		r.transposeTimes(leaving, grad)
		for k := range grad {
			grad[k] = 2 * (lambda*w[k] - grad[k])
		}
		f.Objective += lambda*sumSquares(w) + dot(rest, leaving)
		excess += sumSquares(grad) / (4 * lambda)
	}
	f.Gap = relative(excess, f.Objective)
	f.Converged = f.Gap <= f.Learner.Gap || excess <= math.SmallestNonzeroFloat64
}

// newGeneral returns a matrix of zeros.
func newGeneral(rows, cols int) blas64.General {
	return blas64.General{Rows: rows, Cols: cols, Stride: cols, Data: make([]float64, rows*cols)}
}

// general returns the matrix for gonum, in the same memory.
func general(a blas64.General) *mat.Dense { return mat.NewDense(a.Rows, a.Cols, a.Data) }

// transposed returns the transpose.
func transposed(a blas64.General) blas64.General {
	out := newGeneral(a.Cols, a.Rows)
	for i := range a.Rows {
		for j := range a.Cols {
			out.Data[j*a.Rows+i] = a.Data[i*a.Stride+j]
		}
	}
	return out
}

// vector returns x for blas64, in the same memory.
func vector(x []float64) blas64.Vector { return blas64.Vector{N: len(x), Inc: 1, Data: x} }

// dot returns the inner product.
func dot(x, y []float64) float64 { return blas64.Dot(vector(x), vector(y)) }

// axpy adds c·x to y.
func axpy(c float64, x, y []float64) { blas64.Axpy(c, vector(x), vector(y)) }
