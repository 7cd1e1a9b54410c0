package risk_test

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"

	"github.com/sipc-ml/sipc/runtime/gauge"
	"github.com/sipc-ml/sipc/runtime/polar"
	"github.com/sipc-ml/sipc/runtime/risk"
	"github.com/sipc-ml/sipc/runtime/setting"
)

// A stream lets the rows of a matrix pass by, seven at a time, with functionals of R beside them.
type stream struct {
	of, rows *mat.Dense
	apart    bool
}

// newStream returns the problem of an instance whose rows pass by. Every third of them is a sample.
func newStream(t *testing.T, x *instance, apart bool) risk.Problem {
	t.Helper()
	all := x.problem.A.(*polar.Dense).Matrix()
	count, dim := all.Dims()
	r, d, p := count-x.n*x.m, dim/x.m, x.problem
	s, few, index := stream{of: mat.DenseCopyOf(all.Slice(0, r, 0, dim)), rows: mat.NewDense(x.n, d, nil)}, stream{rows: mat.NewDense((x.n+2)/3, d, nil)}, []int(nil)
	few.of = s.of
	for i := range x.n {
		row := all.RawRowView(r + i*x.m)[:d]
		if s.rows.SetRow(i, row); i%3 == 0 {
			few.rows.SetRow(i/3, row)
			index = append(index, i)
		}
	}
	var err error
	if p.A, err = polar.NewDense(s.of); err != nil {
		t.Fatal(err)
	}
	s.apart = apart
	few.apart = apart
	p.Passing = &risk.Passing{Rows: s, Sample: few, Index: index}
	return p
}

// Under implements polar.Rows.
func (s stream) Under(rows ...blas64.General) polar.Operator {
	r, dim := s.of.Dims()
	_, d := s.rows.Dims()
	out := mat.NewDense(r+rows[0].Rows*dim/d, dim, nil)
	out.Slice(0, r, 0, dim).(*mat.Dense).Copy(s.of)
	for k := range rows[0].Rows {
		for y := range dim / d {
			own := rows[y%len(rows)]
			copy(out.RawRowView(r + k*dim/d + y)[y*d:(y+1)*d], own.Data[k*own.Stride:])
		}
	}
	a, err := polar.NewDense(out)
	if err != nil {
		panic(err)
	}
	return a
}

// Some implements polar.Rows.
func (s stream) Some(_ context.Context, index []int, dst blas64.General) error {
	for k, i := range index {
		copy(dst.Data[k*dst.Stride:], s.rows.RawRowView(i))
	}
	return nil
}

// Apart implements polar.Rows.
func (s stream) Apart() bool { return s.apart }

// Pass implements polar.Rows by plain sums.
func (s stream) Pass(ctx context.Context, v blas64.General, columns, curves int, _ float64, see func(*polar.Glance)) (*polar.Passage, error) {
	n, d := s.rows.Dims()
	const share = 1e-13
	sums, grams := mat.NewDense(columns, d, nil), make([]blas64.General, curves)
	for c := range grams {
		grams[c] = mat.NewDense(d, d, nil).RawMatrix()
	}
	weights := mat.NewDense(v.Rows, d, v.Data)
	for lo := 0; lo < n; lo += 7 {
		part := mat.DenseCopyOf(s.rows.Slice(lo, min(lo+7, n), 0, d))
		k, _ := part.Dims()
		scores, of := mat.NewDense(k, v.Rows, nil), mat.NewDense(k, columns, nil)
		scores.Mul(part, weights.T())
		g := polar.Glance{First: lo, Scores: scores.RawMatrix(), Share: share, Columns: of.RawMatrix(), Curves: blas64.General{Rows: k, Cols: curves, Stride: max(1, curves), Data: make([]float64, k*curves)}}
		for i := range k {
			g.Sizes = append(g.Sizes, mat.Norm(part.RowView(i), 2)*(1+share))
		}
		see(&g)
		var own mat.Dense
		own.Mul(of.T(), part)
		sums.Add(sums, &own)
		for i, h := range g.Curves.Data {
			blas64.Ger(h, part.RowView(i/curves).(*mat.VecDense).RawVector(), part.RowView(i/curves).(*mat.VecDense).RawVector(), grams[i%curves])
		}
	}
	return &polar.Passage{Sums: sums.RawMatrix(), Grams: grams, Share: share}, ctx.Err()
}

// Rows that pass by have the minimum of rows at hand, under any R and any cuts. However soon passes end, the bounds hold.
func TestRowsThatPassByHaveTheirMinimum(t *testing.T) {
	const n, d, r = 60, 5, 8
	// Losses with kinks take many passes to close a gap on so few rows.
	gaps, passes := map[bool]float64{false: 1e-7, true: 1e-3}, map[bool]int{false: 40, true: 60}
	for name, c := range map[string]struct {
		root    *gauge.Node
		task    setting.Task
		m       int
		learner setting.Learner
		apart   bool // labels have curvatures each
	}{
		"quadratic":     {quadratic(r), setting.Binary, 1, setting.Learner{Kind: setting.Logistic, Strength: 3}, false},
		"largest":       {worst(r), setting.Binary, 1, setting.Learner{Kind: setting.Logistic, Strength: 0.3}, false},
		"labels":        {worst(r), setting.Multilabel, 3, setting.Learner{Kind: setting.Logistic, Strength: 2}, false},
		"heavy":         {worst(r), setting.Binary, 1, setting.Learner{Kind: setting.Logistic, Strength: 1e3}, false},
		"huge":          {worst(r), setting.Binary, 1, setting.Learner{Kind: setting.Logistic, Strength: 1e5}, false},
		"squared":       {worst(r), setting.Binary, 1, setting.Learner{Kind: setting.SquaredSVM, Strength: 2}, false},
		"labels apart":  {worst(r), setting.Multilabel, 3, setting.Learner{Kind: setting.Logistic, Strength: 2}, true},
		"hinge":         {worst(r), setting.Binary, 1, setting.Learner{Kind: setting.SVM, Strength: 2}, false},
		"heavy hinge":   {quadratic(r), setting.Binary, 1, setting.Learner{Kind: setting.SVM, Strength: 1e3}, false},
		"hinge, apart":  {worst(r), setting.Class, 3, setting.Learner{Kind: setting.SVM, Strength: 2}, true},
		"quantile":      {worst(r), setting.Quantiles, 1, setting.Learner{Kind: setting.Quantile, Strength: 1}, false},
		"softmax":       {worst(r), setting.Class, 3, setting.Learner{Kind: setting.Softmax, Strength: 2}, true},
		"heavy softmax": {quadratic(r), setting.Class, 3, setting.Learner{Kind: setting.Softmax, Strength: 300}, false},
		"classes apart": {quadratic(r), setting.Class, 3, setting.Learner{Kind: setting.SquaredSVM, Strength: 2}, true},
	} {
		for _, bias := range []float64{0, 30} {
			if bias > 0 && c.learner.Kind == setting.Softmax { // which needs none
				continue
			}
			for _, weighs := range []bool{false, true} {
				for _, cut := range []bool{false, true} {
					x, rng := newInstance(t, 4, c.task, n, c.m, d, c.root, bias), rand.New(rand.NewPCG(1, 9))
					for range n {
						if weighs {
							x.problem.Targets.Weight = append(x.problem.Targets.Weight, 0.2+rng.Float64())
						}
					}
					solved := func(p risk.Problem, q risk.Request) *risk.Result {
						s := mustNew(t, p)
						if _, dim := p.A.Dims(); cut {
							if err := s.Keep(drawCuts(rand.New(rand.NewPCG(1, 9)), 6, dim, 0)); err != nil {
								t.Fatal(err)
							}
						}
						q.Learner = c.learner
						out, err := s.Solve(t.Context(), q)
						if err != nil {
							t.Fatal(err)
						}
						return out
					}
					held, stream := solved(x.problem, risk.Request{Gap: 1e-9}), newStream(t, x, c.apart)
					where := func(r *risk.Result) {
						t.Errorf("%s, bias %g, weights %t, cuts %t: P from %.12g to %.12g in %d passes, and from %.12g to %.12g with all rows", name, bias, weighs, cut, r.Lower, r.Upper, r.Iterations, held.Lower, held.Upper)
					}
					own := solved(stream, risk.Request{Gap: gaps[risk.Kinked(c.learner)]})
					if !own.Converged || own.Lower > held.Upper || own.Upper < held.Lower || own.Iterations > passes[risk.Kinked(c.learner)] {
						where(own)
					}
					for limit := range 4 {
						start := &risk.Result{V: make([]float64, len(own.V))}
						for j := range start.V {
							start.V[j] = rng.NormFloat64()
						}
						if early := solved(stream, risk.Request{Gap: 1e-12, Limit: 1 + limit, Start: start}); early.Lower > held.Upper || !cut && early.Upper < held.Lower || math.IsNaN(early.Gap) {
							where(early)
						}
					}
				}
			}
		}
	}
}
