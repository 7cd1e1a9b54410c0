package model

import (
	"context"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"

	"github.com/sipc-ml/sipc/runtime/learn"
	"github.com/sipc-ml/sipc/runtime/regularizer"
	"github.com/sipc-ml/sipc/runtime/represent"
)

// A Model is a fitted model.
type Model struct {
	Represent *represent.Representer
	Fit       *learn.Fit
	About     About
	// Witnesses say what the invariances come to at the fitted function; nil where nobody asked for them, or the model was written
	// by a program that did not.
	Witnesses *Witnesses
	// Nearness says how near scores are to those of exact solutions; nil where nothing was solved for, or the model was written by a
	// program that did not say.
	Nearness *Nearness
	// Closure are rules under which scores are closed: a label takes the largest score of those that imply it.
	Closure []regularizer.Implication
}

// A Proof is what is certified of scores.
type Proof struct {
	Gaps []float64 // of the embeddings that they come from
	// Errors bound by how much each score (n×m) may differ from that of exact embeddings, or of the exact minimizer of the risk. Nil
	// where nothing is known.
	Errors *mat.Dense
}

// Scores returns f(x_i, y) for the rows of x, closed under Closure: n×m, m = 1 where f is a function of x alone; and what is certified of them.
// Each part of the embeddings is handed to also, unless that is nil, and then forgotten.
func (m *Model) Scores(ctx context.Context, x *mat.Dense, progress func(done, total int), also func(represent.Batch) error) (scores *mat.Dense, proof *Proof, err error) {
	n, _ := x.Dims()
	labels := m.Represent.Labels
	scores, proof = mat.NewDense(n, labels, nil), &Proof{}
	errs := m.newErrors(n)
	if also == nil && m.Represent.Supports() {
		var norm2 []float64
		if proof.Gaps, norm2, err = m.Represent.ScoresBySupport(ctx, x, m.Fit.Weights.RawMatrix().Data, scores, progress); err != nil {
			return nil, nil, err
		}
		errs.add(represent.Batch{Gap: proof.Gaps, Norm2: norm2})
		m.finish(scores)
		proof.Errors = errs.finish()
		return scores, proof, nil
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
	m.finish(scores)
	proof.Errors = errs.finish()
	return scores, proof, nil
}

// scoreBatch sets the scores (n×m) of a batch's rows, without biases.
func scoreBatch(r *represent.Representer, scores *mat.Dense, p represent.Batch, fit *learn.Fit) {
	out, rows, w, m := scores.RawMatrix(), p.Iota.RawMatrix(), fit.Weights.RawMatrix(), r.Labels
	if r.Joint() {
		part := blas64.Vector{N: rows.Rows, Inc: 1, Data: out.Data[p.First : p.First+rows.Rows]}
		blas64.Gemv(blas.NoTrans, 1, rows, vector(w.Data), 0, part)
		return
	}
	part := blas64.General{Rows: rows.Rows, Cols: m, Stride: m, Data: out.Data[p.First*m : (p.First+rows.Rows)*m]}
	blas64.Gemm(blas.NoTrans, blas.Trans, 1, rows, w, 0, part)
}

// finish adds the biases, makes of what label sets are learnt by scores of labels, and closes them under Closure.
func (m *Model) finish(scores *mat.Dense) {
	addBias(scores, m.Fit)
	m.Fit.Finish(scores)
	closeScores(scores, m.Closure)
}

func addBias(scores *mat.Dense, fit *learn.Fit) {
	n, _ := scores.Dims()
	for i := range n {
		row := scores.RawRowView(i)
		for y, b := range fit.Bias {
			row[y] += b
		}
	}
}
