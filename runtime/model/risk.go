package model

import (
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/sipc-ml/sipc/plugins"
	"github.com/sipc-ml/sipc/runtime/embed"
	"github.com/sipc-ml/sipc/runtime/interval"
	"github.com/sipc-ml/sipc/runtime/kernel"
	"github.com/sipc-ml/sipc/runtime/learn"
	"github.com/sipc-ml/sipc/runtime/operator"
	"github.com/sipc-ml/sipc/runtime/regularizer"
	"github.com/sipc-ml/sipc/runtime/represent"
	"github.com/sipc-ml/sipc/runtime/risk"
	"github.com/sipc-ml/sipc/runtime/setting"
)

// nodes files how many nodes stand for intervals.
func (f *fitter) nodes() { f.rep.Nodes = nodesOf(f.reg) }

// nodesOf returns how many nodes stand for an interval over which R takes a maximum or an integral; 0 where it takes none.
func nodesOf(reg *regularizer.Regularizer) int {
	for i := range reg.Invariances {
		if inv := &reg.Invariances[i]; inv.NodesOnly || len(inv.Curves) > 0 {
			return reg.Nodes
		}
	}
	return 0
}

// A riskSolver minimizes the loss of a learner over rows (nil: all) and R over all of them. What another learner reached has no part in the result.
type riskSolver interface {
	solve(f *fitter, l setting.Learner, rows []bool, gap float64, progress func(int, float64)) (*risk.Result, error)
}

// convex is the problem in V.
type convex struct{ *risk.Solver }

func (c convex) solve(f *fitter, l setting.Learner, rows []bool, gap float64, progress func(int, float64)) (*risk.Result, error) {
	return c.Solve(f.ctx, risk.Request{Learner: l, Rows: rows, Gap: gap, Progress: progress})
}

// minimize minimizes the regularized risk, for the strength that cross-validation chooses, at as many nodes as the gap needs.
func (f *fitter) minimize() error {
	p, solver, err := f.poseRisk()
	if err != nil {
		return err
	}
	candidates := f.candidates()
	best := 0
	if len(candidates) > 1 {
		if f.out.Choice, err = f.chooseRisk(solver, p.Targets, candidates); err != nil {
			return err
		}
		best = f.out.Choice.Best
	}
	for {
		result, err := solver.solve(f, f.weighted(candidates[best]), nil, f.o.Gap, f.countdown("minimize risk"))
		if err != nil {
			return err
		}
		nodes, err := f.finerRisk(result)
		if err != nil {
			return err
		}
		if nodes == f.reg.Nodes {
			if result, err = f.approach(p, solver, candidates[best], result); err != nil {
				return err
			}
			if err := f.keepRisk(p, candidates[best], result); err != nil {
				return err
			}
			return f.calibrate(solver, candidates[best])
		}
		if err := f.refine(nodes); err != nil {
			return err
		}
		if p, solver, err = f.poseRisk(); err != nil {
			return err
		}
	}
}

// finerRisk returns the number of nodes at which what lies between them should cost no more than half of the gap.
func (f *fitter) finerRisk(r *risk.Result) (int, error) {
	f.out.Short = false
	if f.between == nil || !(r.Gap > f.o.Gap) {
		return f.reg.Nodes, nil
	}
	e := interval.Excess{Bent: max(0, r.Between-r.Slack), Slack: r.Slack}
	nodes, err := f.paths.Finer(f.ctx, e, f.o.Gap)
	f.out.Short = nodes == f.reg.Nodes && e.Slack > f.o.Gap/2
	return nodes, err
}

// poseRisk sets up the problem and what solves it.
func (f *fitter) poseRisk() (*risk.Problem, riskSolver, error) {
	p, err := f.riskProblem()
	if err != nil {
		return nil, nil, err
	}
	if err := f.curves(); err != nil {
		return nil, nil, err
	}
	p.Curves = f.between
	if err := f.scaleRisk(p); err != nil {
		return nil, nil, err
	}
	solver, err := f.riskSolver(p)
	return p, solver, err
}

func (f *fitter) riskSolver(p *risk.Problem) (riskSolver, error) {
	if f.o.Method == setting.Dual {
		return f.coefficients(p)
	}
	solver, err := risk.New(*p, risk.Settings{Gap: f.o.Gap, MaxIterations: f.o.MaxIterations})
	return convex{solver}, err
}

// countdown shows a gap on its way as a share of the decades that it has to go.
func (f *fitter) countdown(name string) func(int, float64) {
	if f.o.Progress == nil {
		return nil
	}
	return func(_ int, gap float64) {
		share := min(max(math.Log(gap)/math.Log(f.o.Gap), 0), 1)
		f.o.Progress(name, int(100*share), 100)
	}
}

// scaleSamples is how many evaluations the scale of the norm is taken from.
const scaleSamples = 64

// scaleRisk sets the scale s of strengths: s²·k has mean 1 on the diagonal, k(G, G) = ⟨a, M₀⁻¹a⟩ being the kernel of the norm
// with every maximum of R replaced by a mean. It is that of the features alone where there is no R, or one that is one-sided and
// leaves functions alone that satisfy it.
func (f *fitter) scaleRisk(p *risk.Problem) error {
	f.strength = f.rep.Scale * f.rep.Scale
	if p.Gauge == nil || f.reg.Kind() == regularizer.Sublinear {
		return nil
	}
	weights := make([]float64, p.Gauge.Size()+f.train.Len()*p.Labels)
	p.Gauge.Surrogate(weights[:p.Gauge.Size()])
	factor, err := f.op.Factor(f.ctx, represent.Alpha, weights)
	if err != nil {
		return err
	}
	_, dim := f.op.Dims()
	all := f.train.Len() * p.Labels
	count := min(all, scaleSamples)
	a, v := mat.NewDense(count, dim, nil), mat.NewDense(count, dim, nil)
	index := make([]int, count)
	for k := range index {
		index[k] = p.Gauge.Size() + k*(all-1)/max(1, count-1)
	}
	f.op.Rows(a, index)
	for k := range index {
		for at := dim/p.Labels - 1; p.Bias > 0 && at < dim; at += dim / p.Labels {
			a.Set(k, at, 0)
		}
	}
	if err := factor.Solve(f.ctx, v, a); err != nil {
		return err
	}
	if free, held := mat.Dot(asVector(a), asVector(a)), mat.Dot(asVector(a), asVector(v)); held > 0 {
		f.strength *= free / held
	}
	return nil
}

func asVector(m *mat.Dense) mat.Vector {
	data := m.RawMatrix().Data
	return mat.NewVecDense(len(data), data)
}

// weighted is a learner as it weighs scores of features that are not scaled: what is minimized is ½(‖V‖² + R(V)²) + s²·loss,
// and s is the scale, so that strengths mean what they mean to the other methods.
func (f *fitter) weighted(l setting.Learner) setting.Learner {
	l = l.Filled()
	if s := f.strength; l.Kind == setting.Ridge {
		l.Strength /= s
	} else {
		l.Strength *= s
	}
	return l
}

// unweighted is the learner that weighted took.
func (f *fitter) unweighted(l setting.Learner) setting.Learner {
	if l.Kind == setting.Ridge {
		l.Strength *= f.strength
	} else {
		l.Strength /= f.strength
	}
	return l
}

// biasShare is the penalty of biases as a share of the weight of the loss, summed over the rows.
const biasShare = 1e-6

// riskProblem sets up the functionals of R and the scores.
func (f *fitter) riskProblem() (*risk.Problem, error) {
	p := &risk.Problem{Alpha: represent.Alpha, Targets: Targets(f.train), Labels: f.rep.Labels}
	block := &plugins.Block{}
	if root := f.reg.Gauge(); root != nil {
		p.Gauge = root
		block = f.reg.Functionals
	}
	if f.o.Learner.Biased(p.Targets.Task) {
		least := math.Inf(1)
		f.strength = f.rep.Scale * f.rep.Scale
		for _, c := range f.candidates() {
			if c = f.weighted(c); c.Kind == setting.Ridge {
				least = min(least, 1/c.Strength)
			} else {
				least = min(least, c.Strength)
			}
		}
		p.Bias = 1 / math.Sqrt(biasShare*least*float64(f.train.Len()))
	}
	var err error
	f.op, err = operator.Build(f.ctx, withScores(block, f.train.Len(), f.rep.Labels), f.train.X, f.biased(p.Bias), f.rep.Labels)
	p.A = f.op
	return p, err
}

// biased is the features with a constant one, where there is a bias.
func (f *fitter) biased(bias float64) embed.Map {
	if bias == 0 {
		return f.rep.Features
	}
	return withConstant{f.rep.Features, bias}
}

// chooseRisk judges the learners by cross-validation. R is taken over all training rows whatever the fold, as it is where
// representations are compared, unless it depends on the labels of rows.
func (f *fitter) chooseRisk(solver riskSolver, targets *learn.Targets, candidates []setting.Learner) (*learn.Choice, error) {
	if f.anew() {
		return f.chooseAnew(targets, candidates)
	}
	n, m := f.train.Len(), f.rep.Labels
	folds, err := learn.Folds(targets, learn.Validation{Seed: f.o.Seed})
	if err != nil {
		return nil, err
	}
	choice := learn.NewChoice(targets.Task, candidates)
	for at, held := range folds {
		rows, rest := make([]bool, n), learn.Complement(n, held)
		for _, i := range rest {
			rows[i] = true
		}
		for k, c := range candidates {
			result, err := f.compared(solver, c, rows)
			if err != nil {
				return nil, err
			}
			scores := mat.NewDense(len(held), m, nil)
			for r, i := range held {
				scores.SetRow(r, result.Scores[i*m:(i+1)*m])
			}
			choice.Judge(k, targets.Subset(held), finished(c, targets.Subset(rest), scores))
			f.choosing(at*len(candidates)+k+1, len(folds)*len(candidates))
		}
	}
	choice.Take()
	return choice, nil
}

// finished are sums of scores as a learner of the targets decides by them.
func finished(l setting.Learner, t *learn.Targets, scores *mat.Dense) *mat.Dense {
	(&learn.Fit{Sets: learn.SetsOf(l, t)}).Finish(scores)
	return scores
}

// keepRisk makes a model of what was found.
func (f *fitter) keepRisk(p *risk.Problem, l setting.Learner, result *risk.Result) error {
	f.out.Model = &Model{Represent: f.rep, Fit: f.riskFit(p, l, result), Closure: f.o.Closure}
	f.out.Gaps = []float64{result.Gap}
	var err error
	f.out.Errors, err = f.nearRisk(f.out.Model, p, l, result)
	return err
}

// riskFit is V as the weights of scaled features, and biases.
func (f *fitter) riskFit(p *risk.Problem, l setting.Learner, result *risk.Result) *learn.Fit {
	m, d := f.rep.Labels, f.rep.Features.Dim()
	fit := &learn.Fit{
		Learner: l.Filled(), Task: p.Targets.Task, Weights: mat.NewDense(m, d, nil), Bias: make([]float64, m),
		Gap: result.Gap, Iterations: result.Iterations, Converged: result.Converged,
	}
	fit.Objective = f.asLearner(fit.Learner, result.Upper)
	fit.Sets = learn.SetsOf(l, p.Targets)
	stride := len(result.V) / m
	for y := range m {
		own := result.V[y*stride : (y+1)*stride]
		for j := range d {
			fit.Weights.Set(y, j, own[j]/f.rep.Scale)
		}
		if stride > d {
			fit.Bias[y] = p.Bias * own[d]
		}
	}
	return fit
}

// asLearner is a value of the risk in the units of the learner's objective.
func (f *fitter) asLearner(l setting.Learner, value float64) float64 {
	if value /= f.strength; l.Kind == setting.Ridge {
		value *= 2 * l.Filled().Strength
	}
	return value
}

// withScores is a block of functionals with f(x_i, y) after them, for n rows and m labels, labels fastest.
func withScores(b *plugins.Block, n, m int) *plugins.Block {
	out := *b
	terms := len(b.Coef)
	out.Start = append(make([]int32, 0, b.Len()+1+n*m), b.Start...)
	out.Coef = append(make([]float64, 0, terms+n*m), b.Coef...)
	out.Point = append(make([]int32, 0, terms+n*m), b.Point...)
	out.Tangent = append(make([]int32, 0, terms+n*m), b.Tangent...)
	out.Label = append(make([]int32, 0, terms+n*m), b.Label...)
	out.Labels = append([]plugins.Label(nil), b.Labels...)
	first := int32(len(out.Labels))
	for y := range m {
		if m > 1 {
			out.Labels = append(out.Labels, plugins.Label{Index: []int32{int32(y)}, Value: []float64{1}})
		}
	}
	for i := range n {
		for y := range m {
			label := int32(plugins.NoLabel)
			if m > 1 {
				label = first + int32(y)
			}
			out.Term(1, int32(i), plugins.Evaluation, label)
			out.End()
		}
	}
	return &out
}

// withConstant is a feature map with one more feature, a constant.
type withConstant struct {
	embed.Map
	constant float64
}

// Dim is d + 1.
func (c withConstant) Dim() int { return c.Map.Dim() + 1 }

// Features sets row i of dst to (φ(x_i), constant).
func (c withConstant) Features(dst, x *mat.Dense) {
	n, d := dst.Dims()
	part := mat.NewDense(n, d-1, nil)
	c.Map.Features(part, x)
	c.join(dst, part, c.constant)
}

// Derivatives sets row i of dst to those of (φ, constant).
func (c withConstant) Derivatives(dst *mat.Dense, x kernel.Argument) {
	n, d := dst.Dims()
	part := mat.NewDense(n, d-1, nil)
	c.Map.Derivatives(part, x)
	c.join(dst, part, 0)
}

func (withConstant) join(dst, part *mat.Dense, last float64) {
	n, d := dst.Dims()
	for i := range n {
		to := dst.RawRowView(i)
		copy(to, part.RawRowView(i))
		to[d-1] = last
	}
}
