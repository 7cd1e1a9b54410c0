package model

import (
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/sipc-ml/sipc/runtime/embed"
	"github.com/sipc-ml/sipc/runtime/learn"
	"github.com/sipc-ml/sipc/runtime/parallel"
	"github.com/sipc-ml/sipc/runtime/represent"
)

// Scores returns f(x_i, y) for the rows of x (n×p), closed as ClosingOf says, and what is certified of them. Scores
// are n×m, where m = 1 if f is a function of x alone. Of label sets they are log odds.
//
// Each part of the embeddings is handed to also, unless that is nil, and then forgotten. Scores returns an error
// of also, one of the embeddings, or ctx's when ctx ends. A row whose embedding misses the gap is not an error; its
// gap in the proof says so.
func (m *Model) Scores(ctx context.Context, x *mat.Dense, progress func(done, total int), also func(represent.Batch) error) (scores *mat.Dense, proof *Proof, err error) {
	n, _ := x.Dims()
	labels := m.Represent.Labels
	scores, proof = mat.NewDense(n, labels, nil), &Proof{}
	errs := m.newErrors(n)
	if m.Represent.Supports() {
		var norm2 []float64
		if proof.Gaps, norm2, err = m.Represent.ScoresBySupport(ctx, x, m.Fit.Weights.RawMatrix().Data, scores, progress); err != nil {
			return nil, nil, err
		}
		errs.add(represent.Batch{Gap: proof.Gaps, Norm2: norm2})
		m.finish(scores)
		proof.Errors = errs.finish()
		if also != nil { // scores are the same whether embeddings are asked for or not
			err = m.Represent.Each(ctx, x, nil, also)
		}
		return scores, proof, err
	}
	// Features are exact, so that there is nothing to certify. Scores are the same whether the features are asked for
	// or not.
	if m.Nearness == nil && !m.Represent.Regularized() {
		proof.Gaps = make([]float64, n)
		if err = m.direct(ctx, scores, x, progress); err == nil && also != nil {
			err = m.Represent.Each(ctx, x, nil, also)
		}
		m.finish(scores)
		return scores, proof, err
	}
	err = m.Represent.Each(ctx, x, progress, func(p represent.Batch) error {
		proof.Gaps = append(proof.Gaps, p.Gap...)
		scoreBatch(m.Represent, scores, p, m.Fit)
		errs.add(p)
		if also != nil {
			return also(p)
		}
		return nil
	})
	if err != nil {
		return nil, nil, err
	}
	// What predicts is the sum at the landmarks, of which statements are proved. Its features carry the errors of rounding.
	if m.Coefficients != nil {
		if err := m.direct(ctx, scores, x, nil); err != nil {
			return nil, nil, err
		}
	}
	m.finish(scores)
	proof.Errors = errs.finish()
	return scores, proof, nil
}

// direct sets the scores (n×m) of rows that are represented by their features, without biases. It computes no
// features where V can do without: see [embed.Map].
func (m *Model) direct(ctx context.Context, scores, x *mat.Dense, progress func(done, total int)) error {
	n, p := x.Dims()
	var f embed.Functions
	if m.Coefficients != nil {
		f = embed.Sums(m.Represent.Features, m.Coefficients)
	} else {
		f = m.weighted(m.Fit.Weights.RawMatrix().Data)
	}
	for lo := 0; lo < n; lo += scoredRows {
		if err := ctx.Err(); err != nil {
			return err
		}
		hi := min(lo+scoredRows, n)
		f.Features(scores.Slice(lo, hi, 0, f.Dim()).(*mat.Dense), x.Slice(lo, hi, 0, p).(*mat.Dense)) //nolint:forcetypeassert // slices of a Dense are such
		if progress != nil {
			progress(hi, n)
		}
	}
	return nil
}

// scoreBatch sets the scores (n×m) of a batch's rows, without biases. With an embedding for each label a score is
// one inner product with W ∈ ℝᵐᵈ, else m with the rows of W ∈ ℝᵐˣᵈ.
func scoreBatch(r *represent.Representer, scores *mat.Dense, p represent.Batch, fit *learn.Fit) {
	out, rows, w, m := scores.RawMatrix(), p.Iota.RawMatrix(), fit.Weights.RawMatrix(), r.Labels
	if r.Joint() {
		// Row by row, as a product with a vector adds up by how many rows there are.
		for i := range rows.Rows {
			out.Data[p.First+i] = blas64.Dot(vector(p.Iota.RawRowView(i)), vector(w.Data))
		}
		return
	}
	part := blas64.General{Rows: rows.Rows, Cols: m, Stride: m, Data: out.Data[p.First*m : (p.First+rows.Rows)*m]}
	blas64.Gemm(blas.NoTrans, blas.Trans, 1, rows, w, 0, part)
}

// CheckScores refuses scores that are not numbers, as those of hostile weights or of rows beyond all bounds overflow.
func CheckScores(scores *mat.Dense) error {
	n, m := scores.Dims()
	// The first one is enough: what made it makes the others.
	for i := range n {
		for y, s := range scores.RawRowView(i) {
			if !isFinite(s) {
				return fmt.Errorf("row %d: score %d of %d is %v, out of the range of numbers; mend the row, or train the model again", i+1, y+1, m, s)
			}
		}
	}
	return nil
}

// finish adds the biases, makes log odds of the scores where a fit has such, and closes them.
func (m *Model) finish(scores *mat.Dense) {
	addBias(scores, m.Fit)
	finishSums(m, scores)
}

// finishSums does what finish does, without biases.
func finishSums(m *Model, scores *mat.Dense) {
	m.Fit.Finish(scores)
	settle(ClosingOf(m), scores, m.Closure)
}

// addBias adds the bias of each label to its scores.
func addBias(scores *mat.Dense, fit *learn.Fit) {
	n, _ := scores.Dims()
	for i := range n {
		row := scores.RawRowView(i)
		for y, b := range fit.Bias {
			row[y] += b
		}
	}
}

// scoreErrors collects bounds on the errors of a model's scores.
type scoreErrors struct {
	model  *Model
	length float64    // ‖W‖
	of     *mat.Dense // n×m
}

// newErrors returns the bounds of n rows; nil where the model does not know how near its scores are.
func (m *Model) newErrors(n int) *scoreErrors {
	if m.Nearness == nil {
		return nil
	}
	return &scoreErrors{model: m, length: mat.Norm(m.Fit.Weights, 2), of: mat.NewDense(n, m.Represent.Labels, nil)}
}

// add takes the bounds of a part.
func (e *scoreErrors) add(p represent.Batch) {
	switch {
	case e == nil:
	case !e.model.Represent.Method.Embeds():
		e.addRisk(p)
	default:
		e.addEmbedded(p)
	}
}

// addEmbedded takes ‖W‖ ‖V − ι‖ for each embedding. A gap is upper/lower − 1 and Norm2 the lower end, so that
// their product is upper − lower ≥ α‖V − ι‖². Where nothing is proved the bound is infinite.
func (e *scoreErrors) addEmbedded(p represent.Batch) {
	all := e.of.RawMatrix().Data
	for k, gap := range p.Gap {
		all[p.First+k] = math.Inf(1)
		if !math.IsInf(gap, 1) {
			all[p.First+k] = e.length * e.model.Represent.Scale * math.Sqrt(max(0, gap*p.Norm2[k])/represent.Alpha)
		}
	}
}

// addRisk takes the better of the two bounds for each row and label: ‖V − V*‖ ‖φ‖ with the constant feature, or
// that of the anchored bias. The representer's rows are scaled and the radius is not, so that φ is divided by the
// scale.
func (e *scoreErrors) addRisk(p represent.Batch) {
	near, scale := e.model.Nearness, e.model.Represent.Scale
	rows, d := p.Iota.Dims()
	parallel.For(rows, 1, func(lo, hi int) {
		own, apart := make([]float64, d), make([]float64, d)
		for i := lo; i < hi; i++ {
			phi := p.Iota.RawRowView(i)
			whole := near.Radius * math.Hypot(floats.Norm(phi, 2)/scale, near.Bias)
			floats.ScaleTo(own, 1/scale, phi)
			for y := range e.model.Represent.Labels {
				bound := whole
				if near.Center != nil {
					floats.SubTo(apart, own, near.Center.RawRowView(y))
					bound = min(bound, near.Anchor[y]+near.Radius*floats.Norm(apart, 2))
				}
				e.of.Set(p.First+i, y, bound)
			}
		}
	})
}

// finish turns the bounds into those of finished scores. Each log odds is a difference of two functions of the
// sums of scores over label sets. These move by no more than the largest of the sums does, and the difference by
// at most twice that. A maximum moves by no more than the largest of what it is taken of.
func (e *scoreErrors) finish() *mat.Dense {
	if e == nil {
		return nil
	}
	if sets := e.model.Fit.Sets; sets != nil {
		n, _ := e.of.Dims()
		sums := make([]float64, len(sets.Each))
		for i := range n {
			row := e.of.RawRowView(i)
			sets.Sum(sums, row)
			most := 2 * floats.Max(sums)
			for y := range row {
				row[y] = most
			}
		}
	}
	e.model.Fit.FinishErrors(e.of)
	rules := e.model.Closure
	switch ClosingOf(e.model) {
	case Lent:
		closeScores(e.of, rules)
	case Met: // the mean of two moves by no more than the further of both
		back := mat.DenseCopyOf(e.of)
		closeScores(back, reversed(rules))
		closeScores(e.of, rules)
		e.of.Apply(func(i, y int, v float64) float64 { return math.Max(v, back.At(i, y)) }, e.of)
	case Alone, Agreed:
	}
	return e.of
}
