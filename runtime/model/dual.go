package model

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/sipc-ml/sipc/runtime/dual"
	"github.com/sipc-ml/sipc/runtime/operator"
	"github.com/sipc-ml/sipc/runtime/polar"
	"github.com/sipc-ml/sipc/runtime/risk"
	"github.com/sipc-ml/sipc/runtime/setting"
)

// coefficients is the problem over dual coefficients.
type coefficients struct {
	*dual.Solver
	// near are the last results of learners, of other rows: the best to go on from.
	near map[setting.Learner]*dual.Result
}

// coefficients sets up the problem over dual coefficients: of the same function, with the same losses. Its
// operator holds the functionals of R alone, as scores come from the rows' features. It keeps what each learner
// reached, for the next fit of the same learner to begin at.
func (m *minimizer) coefficients(p *risk.Problem) (riskSolver, error) {
	f := m.f
	features := m.biased(p.Bias)
	q := dual.Problem{
		Alpha: p.Alpha, Gauge: p.Gauge, Targets: p.Targets, Labels: p.Labels, Bias: p.Bias,
		Features: mat.NewDense(f.learnt.Len(), features.Dim(), nil),
	}
	features.Features(q.Features, f.learnt.X)
	if p.Gauge != nil {
		var a polar.Operator
		a, err := operator.BuildWith(f.ctx, f.reg.Functionals, f.seen.X, features, f.rep.Labels, operator.Options{MostBytes: mostRows(f)})
		if err != nil {
			return nil, err
		}
		q.A = a
	}
	solver, err := dual.New(f.ctx, q, dual.Settings{Gap: f.o.Gap, MaxEvaluations: f.o.MaxIterations})
	return &coefficients{solver, map[setting.Learner]*dual.Result{}}, err
}

// comparedEvaluations bounds the evaluations of a fit that is compared with others. Each takes an embedding.
const comparedEvaluations = 300

// mostCompared implements riskSolver.
func (*coefficients) mostCompared() int { return comparedEvaluations }

// solve minimizes the risk over dual coefficients. If R takes maxima over intervals, it solves to half of the gap
// and leaves the other half to what lies between the nodes. The result has converged only if its V is near enough
// as an embedding, too. A fit of all rows files its [Descent].
func (c *coefficients) solve(m *minimizer, l setting.Learner, rows []bool, most effort, progress func(int, float64)) (*risk.Result, error) {
	f, gap := m.f, m.f.o.Gap
	if progress == nil && f.o.Progress != nil { // where learners are compared: a single one may take long
		progress = m.countdown(fmt.Sprintf("minimize risk, %s", m.unweighted(l)))
	}
	target := gap
	if f.between != nil {
		target /= 2
	}
	found, err := c.Solve(f.ctx, dual.Request{Learner: l, Rows: rows, Start: c.near[l], Gap: target, Limit: most.iterations, MaxWork: most.work, Progress: falling(progress)})
	if err != nil {
		return nil, err
	}
	c.near[l] = found
	out := &risk.Result{
		V: found.V, Upper: found.Upper, Lower: found.Lower, Gap: found.Gap, Iterations: found.Iterations, Converged: found.Converged,
		Scores: found.Scores, Slopes: found.Slopes,
	}
	if f.between != nil {
		functionals, dim := f.op.Dims()
		t, g := mat.NewDense(1, functionals, nil), f.reg.Gauge()
		f.op.Apply(t, mat.NewDense(1, dim, out.V))
		converged := out.Converged // as an embedding, too
		out.OverInterval(polar.Problem{A: f.op, Gauge: g, Curves: f.between}, t.RawRowView(0)[:g.Size()], gap)
		out.Converged = out.Converged && converged
	}
	if rows == nil {
		own := m.unweighted(l)
		f.out.Descent = &Descent{
			Coefficients: found.Coefficients, Start: m.asLearner(own, found.Start),
			Gradient: math.Sqrt(m.asLearner(own, found.Gradient*found.Gradient)),
			Inner:    found.Inner, InnerTarget: dual.InnerShare * target, Evaluations: found.Evaluations,
		}
	}
	return out, nil
}

// falling tells the least gap so far. Coefficients that were begun anew may be above it.
func falling(progress func(int, float64)) func(int, float64) {
	if progress == nil {
		return nil
	}
	least := math.Inf(1)
	return func(evaluations int, gap float64) {
		least = min(least, gap)
		progress(evaluations, least)
	}
}
