package model

import (
	"errors"
	"math"
	"slices"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/sipc-ml/sipc/plugins"
	"github.com/sipc-ml/sipc/runtime/dataset"
	"github.com/sipc-ml/sipc/runtime/embed"
	"github.com/sipc-ml/sipc/runtime/kernel"
	"github.com/sipc-ml/sipc/runtime/learn"
	"github.com/sipc-ml/sipc/runtime/operator"
	"github.com/sipc-ml/sipc/runtime/regularizer"
	"github.com/sipc-ml/sipc/runtime/represent"
	"github.com/sipc-ml/sipc/runtime/risk"
	"github.com/sipc-ml/sipc/runtime/setting"
)

// A riskSolver minimizes the loss of a learner over rows (nil: all) and R over all of them. It ends at the gap asked for,
// or where it has had the effort. What another learner reached has no part in the result.
type riskSolver interface {
	solve(m *minimizer, l setting.Learner, rows []bool, most effort, progress func(int, float64)) (*risk.Result, error)
	// mostCompared returns how many iterations a fit may take that is compared with others.
	mostCompared() int
	// Work returns about how many multiplications so many iterations may take; 0 means its own bound.
	Work(iterations int) float64
}

// An effort bounds iterations and multiplications; 0 means a solver's own bounds.
type effort struct {
	iterations int
	work       float64
}

// A minimizer minimizes the regularized risk of a problem over f itself: methods risk and dual, and method plain where the worst of copies
// counts.
type minimizer struct {
	f        *fitter
	problem  *risk.Problem
	solver   riskSolver
	strength float64 // s², by which the weights of losses are multiplied
	// above are R's functionals alone, where folds of rows are summed.
	above *operator.Operator
}

// newMinimizer sets up the problem and what solves it, at the nodes of the regularizer at hand.
func newMinimizer(f *fitter) (*minimizer, error) {
	m := &minimizer{f: f}
	p, err := m.pose()
	if err != nil {
		return nil, err
	}
	m.problem = p
	if err := f.curves(); err != nil {
		return nil, err
	}
	p.Curves = f.between
	if err := m.scale(p); err != nil {
		return nil, err
	}
	m.solver, err = m.newSolver(p)
	return m, err
}

// biasShare is the penalty of biases as a share of the weight of the loss, summed over the rows.
const biasShare = 1e-6

// pose sets up the functionals of R and the scores.
//
// A bias is the weight w of a constant feature c, so that b = cw costs ½b²/c². With c² = 1/(biasShare·n·C) for the
// least weight C of a loss, that is biasShare of what n losses weigh: next to nothing.
func (m *minimizer) pose() (*risk.Problem, error) {
	f := m.f
	if m.strength = f.rep.Scale * f.rep.Scale; math.IsInf(m.strength, 1) {
		return nil, errVanishing
	}
	p := &risk.Problem{Alpha: represent.Alpha, Targets: Targets(f.learnt), Copies: f.o.Learner.Copies, Labels: f.rep.Labels}
	if p.Copies > 0 {
		p.Targets = Targets(f.train)
	}
	regularized := f.reg.Gauge() != nil && f.o.Method != setting.Plain
	if f.o.Learner.Biased(p.Targets.Task) {
		least := math.Inf(1)
		for _, c := range f.candidates() {
			if c = m.weighted(c); c.Kind == setting.Ridge {
				least = min(least, 1/c.Strength)
			} else {
				least = min(least, c.Strength)
			}
		}
		p.Bias = 1 / math.Sqrt(biasShare*least*p.Targets.Total())
	}
	if err := operate(m, p, regularized); err != nil {
		return nil, err
	}
	if regularized {
		p.Gauge = gaugeOf(atHand(f.active, f.reg), f.op)
		p.Off = offOf(f.op, p.Gauge)
	}
	p.A, p.Roots = f.op, operator.RootsOf(f.op)
	return p, checkRisk(f)
}

// operate makes the operator of a problem: R's functionals, where it is regularized, or what stands for their squares. Scores are behind them.
func operate(m *minimizer, p *risk.Problem, regularized bool) (err error) {
	f, none := m.f, &plugins.Block{}
	if summable(f) {
		return operateOnSums(m, p, regularized)
	}
	order := m.order(p)
	of := ingredients{bias: p.Bias, block: none, behind: withScores(none, f.train.Len(), f.learnt.X, order, f.rep.Labels)}
	if regularized {
		of.block, of.forms = atHand(f.active, f.reg).Functionals, formsOf(f, f.reg)
	}
	f.op, err = f.o.Shelf.operatorOf(f.rep.Features, &of, func() (*operator.Operator, error) {
		return functionals(m, &of, of.behind, order, p.Bias, regularized)
	})
	embed.ForgetThinned(f.rep.Features)
	return err
}

// functionals builds the operator of some ingredients, with functionals behind those of R: scores of rows in an order.
func functionals(m *minimizer, of *ingredients, behind *plugins.Block, order []int, bias float64, regularized bool) (*operator.Operator, error) {
	f, on, o := m.f, m.biased(bias), operator.Options{MostBytes: mostRows(m.f)}
	// Nothing comes of it where R treats labels differently, or asks for more than squares.
	if few, err := operator.Squared(f.ctx, askedOf(f, of.block, of.forms), behind, f.seen.X, on, f.rep.Labels, o); few != nil || err != nil {
		return few, err
	}
	// Functionals that stand for themselves are all there at once.
	if f.reg.Parts != nil && regularized && f.active == nil {
		if err := takeWhole(f); err != nil {
			return nil, err
		}
		of.block = f.reg.Functionals
	}
	if f.active != nil && f.active.known != nil {
		// Both operators are there until the rows of one are copied.
		o.MostBytes = max(1, o.MostBytes-int(f.active.known.Bytes()))
	}
	o.Known, o.Of = knownRows(f.active, len(order)*f.rep.Labels)
	return operator.BuildWith(f.ctx, withScores(of.block, f.train.Len(), f.learnt.X, order, f.rep.Labels), f.seen.X, on, f.rep.Labels, o)
}

// mostOff bounds what sums may be off by, as a share of α.
const mostOff = 0.01

// operateOnSums makes the operator of a problem whose rows are summed: R's functionals, and behind them the scores of those that stand for the rows.
func operateOnSums(m *minimizer, p *risk.Problem, regularized bool) error {
	f := m.f
	if err := addUp(f); err != nil { // features may have been extended
		return err
	}
	// Nothing is behind R's functionals yet, and no shelf keeps what is added up.
	none := &plugins.Block{Start: []int32{0}}
	of := ingredients{block: none}
	if regularized {
		of.block, of.forms = atHand(f.active, f.reg).Functionals, formsOf(f, f.reg)
	}
	a := f.summed.Functionals(of.block, p.Bias)
	if a == nil {
		var err error
		if a, err = functionals(m, &of, none, nil, p.Bias, regularized); err != nil {
			return err
		}
	}
	if f.o.Learner.Kind != setting.Ridge {
		kept, err := keepingOf(f, f.rep.Features, p.Bias)
		f.op, p.Passing = a, passingOf(f.learnt.X, m.biased(p.Bias), a, kept, eachPass(f))
		return err
	}
	// Folds put sums of their own beneath R's functionals. Nobody else asks for these once more.
	if folded(f) {
		m.above = a
	}
	op, square, err := f.summed.Beneath(f.ctx, a, p.Bias)
	if err != nil {
		return err
	}
	// A small λ weighs losses, and what sums are off by, so much that they prove nothing. Rows at hand then do.
	least := math.Inf(1)
	for _, c := range f.candidates() {
		least = min(least, m.weighted(c).Strength)
	}
	if square.Off/least > mostOff*p.Alpha {
		f.held, f.summed = true, nil
		return operate(m, p, regularized)
	}
	f.op, p.Squares = op, (*risk.Squares)(square)
	return nil
}

// evaluationsAt sets the rows of dst to the functionals f(x_i, y) at positions i·labels + y, biases aside.
func evaluationsAt(m *minimizer, dst *mat.Dense, at []int) {
	x, labels := m.f.learnt.X, m.problem.Labels
	_, dim := dst.Dims()
	_, p := x.Dims()
	rows, phi := mat.NewDense(len(at), p, nil), mat.NewDense(len(at), m.f.rep.Features.Dim(), nil)
	for k, i := range at {
		rows.SetRow(k, x.RawRowView(i/labels))
	}
	m.f.rep.Features.Features(phi, rows)
	// A label has its own features, and 0 at the others.
	for k, i := range at {
		copy(dst.RawRowView(k)[i%labels*dim/labels:], phi.RawRowView(k))
	}
}

// order returns the positions of the rows that f is evaluated at, copies among them, as the problem has them. Where the worst of
// copies counts, those of a row are behind it.
func (m *minimizer) order(p *risk.Problem) []int {
	all, n := m.f.learnt.Len(), p.Targets.Len()
	out := make([]int, all)
	for k := range out {
		out[k] = k/(1+p.Copies) + k%(1+p.Copies)*n
	}
	return out
}

// errVanishing reports features that are so small at the training rows that strengths leave the range of floating point.
var errVanishing = errors.New("features: they are all but zero at the training rows; take landmarks = all, a larger rank or a larger width of the kernel")

// scaleSamples is how many evaluations the scale of the norm is taken from.
const scaleSamples = 64

// scaleNumbers bounds the numbers of evaluations that are looked at together, with the values of all functionals.
const scaleNumbers = 1 << 20

// scale sets the scale s of strengths, so that s²·k has mean 1 on the diagonal. Here k(G, G) = ⟨a, M₀⁻¹a⟩ is the
// kernel of the norm in which a mean replaces every maximum of R.
//
// Embeddings are scaled to a mean squared norm of 1, so that a strength means about the same under all methods. At
// most scaleSamples evaluations estimate the mean. If there is no R, or R is one-sided, s is the scale of the
// features alone: a one-sided R leaves functions alone that satisfy it. The constant feature of a bias is left
// out, as it is of the features' scale.
func (m *minimizer) scale(p *risk.Problem) error {
	f := m.f
	if f.active != nil {
		m.strength = f.active.strength
		return nil
	}
	m.strength = f.rep.Scale * f.rep.Scale
	if p.Gauge == nil || f.reg.Kind() == regularizer.Sublinear {
		return nil
	}
	solve, err := surrogate(f, p)
	if err != nil {
		return err
	}
	functionals, dim := f.op.Dims()
	rows := f.learnt
	if p.Copies > 0 {
		rows = f.train // each with its copies
	}
	index := sampled(rows, (1+p.Copies)*p.Labels, scaleSamples)
	for k := range index {
		if !p.Summed() {
			index[k] += p.Gauge.Size()
		}
	}
	step := max(1, min(len(index), scaleNumbers/(functionals+dim)))
	free, held := 0.0, 0.0
	for part := range slices.Chunk(index, step) {
		a, v := mat.NewDense(len(part), dim, nil), mat.NewDense(len(part), dim, nil)
		if !p.Summed() {
			f.op.Rows(a, part)
		} else {
			evaluationsAt(m, a, part)
		}
		for k := range part {
			for at := dim/p.Labels - 1; p.Bias > 0 && at < dim; at += dim / p.Labels {
				a.Set(k, at, 0)
			}
		}
		if err := solve(v, a); err != nil {
			return err
		}
		free += mat.Dot(asVector(a), asVector(a))
		held += mat.Dot(asVector(a), asVector(v))
	}
	if held > 0 {
		m.strength *= free / held
	}
	return nil
}

// surrogate returns what solves with M₀, the matrix of the norm in which R has a mean for every maximum. Where there is no maximum, it
// takes the root that the minimum takes, too.
func surrogate(f *fitter, p *risk.Problem) (func(v, a *mat.Dense) error, error) {
	functionals, dim := f.op.Dims()
	weights := make([]float64, functionals)
	if own, ok := p.Gauge.Quadratic(); ok {
		copy(weights, own)
		root, err := operator.RootsOf(f.op).Root(f.ctx, represent.Alpha, weights)
		if err != nil {
			return nil, err
		}
		if root != nil {
			return func(v, a *mat.Dense) error {
				v.Copy(a)
				rows, _ := v.Dims()
				// Labels are rows of a matrix each, as all have the same root.
				all := blas64.General{Rows: rows * p.Labels, Cols: root.N, Stride: root.N, Data: v.RawMatrix().Data[:rows*dim]}
				blas64.Trsm(blas.Right, blas.Trans, 1, *root, all)
				blas64.Trsm(blas.Right, blas.NoTrans, 1, *root, all)
				return nil
			}, nil
		}
	}
	p.Gauge.Surrogate(weights[:p.Gauge.Size()])
	factor, err := f.op.Factor(f.ctx, represent.Alpha, weights)
	if err != nil {
		return nil, err
	}
	return func(v, a *mat.Dense) error { return factor.Solve(f.ctx, v, a) }, nil
}

// sampled returns at most so many evaluations f(x_i, y) of a set, spread evenly, as positions i·labels + y. A row with the weight w
// takes the room of w rows.
func sampled(s *dataset.Set, labels, most int) []int {
	n, total := s.Len(), s.Total()
	count := int(min(max(math.Ceil(total), float64(n))*float64(labels), float64(most)))
	out := make([]int, count)
	if s.Weight == nil {
		for k := range out {
			out[k] = k * (n*labels - 1) / max(1, count-1)
		}
		return out
	}
	// Positions count rows from 0 to where the last one begins, as if each stood there as often as it weighs.
	last := (total-min(1, total/float64(n)))*float64(labels) + float64(labels-1)
	row, passed := 0, s.Weight[0]
	for k := range out {
		// Whole weights must give whole positions, rounding or not.
		at := math.Floor(float64(k)*last/float64(max(1, count-1)) + 1e-9)
		place := math.Floor(at / float64(labels))
		// The weights before a row say where it begins.
		for row+1 < n && passed <= place {
			row++
			passed += s.Weight[row]
		}
		out[k] = row*labels + int(at-place*float64(labels))
	}
	return out
}

// asVector returns a matrix's entries, row by row.
func asVector(m *mat.Dense) mat.Vector {
	data := m.RawMatrix().Data
	return mat.NewVecDense(len(data), data)
}

// weighted returns a learner as it weighs scores of features that are not scaled. What is minimized is ½(‖V‖² +
// R(V)²) + s²·loss, and s is the scale, so that strengths mean what they mean to the other methods. Ridge divides,
// as its strength is λ in (f − t)²/(2λ).
func (m *minimizer) weighted(l setting.Learner) setting.Learner {
	l = l.Filled()
	if s := m.strength; l.Kind == setting.Ridge {
		l.Strength /= s
	} else {
		l.Strength *= s
	}
	return l
}

// unweighted returns the learner that weighted took.
func (m *minimizer) unweighted(l setting.Learner) setting.Learner {
	if l.Kind == setting.Ridge {
		l.Strength *= m.strength
	} else {
		l.Strength /= m.strength
	}
	return l
}

// newSolver returns what solves the problem by the method at hand.
func (m *minimizer) newSolver(p *risk.Problem) (riskSolver, error) {
	if m.f.o.Method == setting.Dual {
		return m.coefficients(p)
	}
	solver, err := risk.New(*p, risk.Settings{Gap: m.gap(), MaxIterations: m.f.o.MaxIterations})
	if err != nil || !keeps(m.f) {
		return convex{solver}, err
	}
	return newKeeping(m.f, convex{solver})
}

// gap returns the gap to reach. Under method plain it is the learner's.
func (m *minimizer) gap() float64 {
	if m.f.o.Method == setting.Plain {
		return m.f.o.Learner.Filled().Gap
	}
	return m.f.o.Gap
}

// convex is the problem in V.
type convex struct{ *risk.Solver }

// solve minimizes over V. It begins from nothing.
func (c convex) solve(m *minimizer, l setting.Learner, rows []bool, most effort, progress func(int, float64)) (*risk.Result, error) {
	return c.Solve(m.f.ctx, risk.Request{Learner: l, Rows: rows, Gap: m.gap(), Limit: most.iterations, MaxWork: most.work, Carried: m.f.o.Exchange != nil && rows == nil, Progress: progress})
}

// countdown shows a gap on its way as a share of the decades that it has to go. The decades are taken from 1 to
// the gap asked for, as solvers gain about as many digits in equal times.
func (m *minimizer) countdown(name string) func(int, float64) {
	if m.f.o.Progress == nil {
		return nil
	}
	return func(_ int, gap float64) {
		share := min(max(math.Log(gap)/math.Log(m.gap()), 0), 1)
		m.f.o.Progress(name, int(100*share), 100)
	}
}

// fit returns V as the weights of scaled features, and biases. A model multiplies its features by the scale, and
// so weights are divided by it.
func (m *minimizer) fit(l setting.Learner, result *risk.Result) *learn.Fit {
	p, f := m.problem, m.f
	labels, d := f.rep.Labels, f.rep.Features.Dim()
	fit := &learn.Fit{
		Learner: l.Filled(), Task: p.Targets.Task, Weights: mat.NewDense(labels, d, nil), Bias: make([]float64, labels),
		Gap: result.Gap, Iterations: result.Iterations, Converged: result.Converged,
	}
	fit.Objective = m.asLearner(fit.Learner, result.Upper)
	fit.Sets = learn.SetsOf(l, p.Targets)
	stride := len(result.V) / labels
	for y := range labels {
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

// asLearner returns a value of the risk in the units of the learner's objective. It undoes the factor s² of the
// losses. Ridge's own objective has the loss Σ(f − t)² instead of Σ(f − t)²/(2λ), hence 2λ.
func (m *minimizer) asLearner(l setting.Learner, value float64) float64 {
	if value /= m.strength; l.Kind == setting.Ridge {
		value *= 2 * l.Filled().Strength
	}
	return value
}

// near files how near a model's scores are to those of the minimizer, and returns bounds on the errors of the
// training rows' scores. The risk is α-strongly convex, so that ½α‖V − V*‖² ≤ P(V) − lower, which is the result's
// excess. Hence the radius √(2E/α).
func (m *minimizer) near(of *Model, l setting.Learner, r *risk.Result) *mat.Dense {
	f, p := m.f, m.problem
	if p.Summed() {
		return nearBySums(m, of, m.weighted(l), r)
	}
	n := f.train.Len()
	scores := mat.NewDense(n, f.rep.Labels, slices.Clone(r.Scores[:n*f.rep.Labels]))
	finishSums(of, scores)
	near := &Nearness{Spread: spreadOf(scores, f.train.Weight), Radius: math.Sqrt(2 * r.Excess() / represent.Alpha), Bias: p.Bias}
	of.Nearness = near
	phi := m.rows()
	if p.Bias > 0 {
		near.anchor(phi, m.weighted(l), p.Targets, r)
	}
	errs := of.newErrors(n)
	for lo := 0; lo < n; lo += represent.BlockRows {
		part := represent.Batch{First: lo, Iota: mat.NewDense(min(represent.BlockRows, n-lo), f.rep.Features.Dim(), nil)}
		rows, _ := part.Iota.Dims()
		for k := range rows {
			floats.ScaleTo(part.Iota.RawRowView(k), f.rep.Scale, phi.RawRowView((lo+k)*(1+p.Copies)))
		}
		errs.add(part)
	}
	return errs.finish()
}

// sampledRows is how many training rows, evenly taken, bounds on the errors of scores are told of where rows are summed.
const sampledRows = 4096

// nearBySums does what near does where rows are summed. Errors are those of a sample of the training rows.
func nearBySums(m *minimizer, of *Model, l setting.Learner, r *risk.Result) *mat.Dense {
	f, p := m.f, m.problem
	near := &Nearness{
		Spread: f.summed.spread(unscaled(of, of.Fit.Weights.RawMatrix().Data)), Radius: math.Sqrt(2 * r.Excess() / represent.Alpha), Bias: p.Bias,
	}
	of.Nearness = near
	if p.Squares != nil {
		f.out.MeanSquare = risk.WithinMeans(l, f.summed.Total(), r)
	}
	switch {
	case p.Bias > 0 && p.Squares != nil:
		near.Center, near.Anchor = f.summed.center(p.Labels), slices.Repeat([]float64{f.out.MeanSquare}, p.Labels)
	case p.Bias > 0:
		near.Center, near.Anchor = risk.Anchored(r, p.Labels, f.rep.Features.Dim())
	}
	// Features of all rows would take as long as the sums did.
	x := evenly(f.train.X, sampledRows)
	n, _ := x.Dims()
	phi := mat.NewDense(n, f.rep.Features.Dim(), nil)
	f.rep.Features.Features(phi, x)
	phi.Scale(f.rep.Scale, phi)
	errs := of.newErrors(n)
	errs.add(represent.Batch{Iota: phi})
	return errs.finish()
}

// rows returns the features of the rows in the order of the problem, as they stand in its operator.
func (m *minimizer) rows() *mat.Dense {
	first := 0
	if m.problem.Gauge != nil {
		first = m.problem.Gauge.Size()
	}
	index := make([]int, m.f.learnt.Len())
	for i := range index {
		index[i] = first + i*m.problem.Labels
	}
	_, dim := m.f.op.Dims()
	out := mat.NewDense(len(index), dim/m.problem.Labels, nil)
	operator.RootsOf(m.f.op).At(out.RawMatrix(), index, 0)
	return out.Slice(0, len(index), 0, m.f.rep.Features.Dim()).(*mat.Dense) //nolint:forcetypeassert // a slice of a Dense is one
}

// biased returns the features with a constant one, where there is a bias.
func (m *minimizer) biased(bias float64) embed.Map {
	if bias == 0 {
		return m.f.rep.Features
	}
	return withConstant{m.f.rep.Features, bias}
}

// withConstant is a feature map with one more feature, a constant.
type withConstant struct {
	embed.Map
	constant float64
}

// Dim returns d + 1.
func (c withConstant) Dim() int { return c.Map.Dim() + 1 }

// Features sets row i of dst to (φ(x_i), constant).
func (c withConstant) Features(dst, x *mat.Dense) {
	c.Map.Features(c.join(dst, c.constant), x)
}

// Derivatives sets row i of dst to those of (φ, constant). The constant has none.
func (c withConstant) Derivatives(dst *mat.Dense, x kernel.Argument) {
	c.Map.Derivatives(c.join(dst, 0), x)
}

// join sets the last number of each row, and returns the others in the same memory.
func (withConstant) join(dst *mat.Dense, last float64) *mat.Dense {
	n, d := dst.Dims()
	for i := range n {
		dst.Set(i, d-1, last)
	}
	return dst.Slice(0, n, 0, d-1).(*mat.Dense) //nolint:forcetypeassert // a slice of a Dense is one
}

// withScores returns a block of functionals with f(x_i, y) after them, for each row of x in an order and each of m labels, labels
// fastest. So one product by the operator gives R's functionals and all scores. The first rows are the training rows, which it
// knows by their numbers. The others become points of its own. The block b stays as it is.
func withScores(b *plugins.Block, rows int, x *mat.Dense, order []int, m int) *plugins.Block {
	out := *b
	n, terms := len(order), len(b.Coef)
	out.Points.Data = slices.Clip(b.Points.Data)
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
	for _, i := range order {
		point := int32(i)
		if i >= rows {
			point = ^int32(out.Points.Append(x.RawRowView(i)))
		}
		for y := range m {
			label := int32(plugins.NoLabel)
			if m > 1 {
				label = first + int32(y)
			}
			out.Term(1, point, plugins.Evaluation, label)
			out.End()
		}
	}
	return &out
}
