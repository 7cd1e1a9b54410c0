package fuzz

import (
	"context"
	"fmt"
	"math/big"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/sipc-ml/sipc/runtime/learn"
	"github.com/sipc-ml/sipc/runtime/polar"
	"github.com/sipc-ml/sipc/runtime/risk"
	"github.com/sipc-ml/sipc/runtime/setting"
)

// A lesson is what a function learns: rows of features, their targets, and a loss.
type lesson struct {
	learner setting.Learner
	targets *learn.Targets
	rows    [][]float64
	labels  int // m, 1 where f is a function of x alone
}

// newLesson draws a lesson of few rows, so that exact sums are fast.
func newLesson(d draw) *lesson {
	l := &lesson{labels: 1}
	n, dim := d.between(3, 9), d.between(1, 5)
	l.targets = &learn.Targets{Task: []setting.Task{setting.Real, setting.Binary, setting.Class, setting.Multilabel}[d.IntN(4)]}
	kinds := []setting.LearnerKind{setting.SVM, setting.SquaredSVM, setting.Logistic, setting.Ridge}
	switch l.targets.Task {
	case setting.Real:
		kinds = kinds[3:]
	case setting.Class:
		kinds, l.labels = append(kinds, setting.Softmax), d.between(2, 4)
	case setting.Multilabel:
		l.labels = d.between(2, 4)
		l.targets.Multi = mat.NewDense(n, l.labels, nil)
	case setting.Binary:
	}
	if d.chance(30) {
		for range n {
			l.targets.Weight = append(l.targets.Weight, []float64{1, 2, 0.5, 7}[d.IntN(4)])
		}
	}
	strengths := []float64{1, 1, 0.01, 100, 1e4, 1e-4}
	l.learner = setting.Learner{Kind: kinds[d.IntN(len(kinds))], Strength: strengths[d.IntN(len(strengths))]}
	scale := []float64{1, 1, 1, 0.01, 30}[d.IntN(5)]
	for i := range n {
		row := make([]float64, dim)
		for j := range row {
			row[j] = scale * d.NormFloat64()
		}
		l.rows = append(l.rows, row)
		l.targets.Real = append(l.targets.Real, scale*d.NormFloat64())
		l.targets.Class = append(l.targets.Class, i%max(2, l.labels))
		if l.targets.Multi != nil {
			for y := range l.labels {
				l.targets.Multi.Set(i, y, float64(d.IntN(2)))
			}
		}
	}
	return l
}

// softmax reports whether the loss joins the scores of a row.
func (l *lesson) softmax() bool {
	return l.learner.Kind == setting.Softmax || l.learner.Kind == setting.Logistic && l.targets.Task == setting.Class
}

// target returns what the score of a row and label should be.
func (l *lesson) target(i, y int) float64 {
	has := false
	switch l.targets.Task {
	case setting.Real:
		return l.targets.Real[i]
	case setting.Binary:
		has = l.targets.Class[i] == 1
	case setting.Class:
		has = l.targets.Class[i] == y
	case setting.Multilabel:
		has = l.targets.Multi.At(i, y) > 0
	}
	if has {
		return 1
	}
	return -1
}

// weight returns that of the losses beside ½‖V‖².
func (l *lesson) weight() *big.Float {
	if l.learner.Kind == setting.Ridge {
		return over(exact(1), exact(l.learner.Strength))
	}
	return exact(l.learner.Strength)
}

// loss returns the sum of the losses at scores.
func (l *lesson) loss(score func(i, y int) *big.Float) *big.Float {
	total := zero()
	for i := range l.rows {
		if l.softmax() {
			all := zero()
			for y := range l.labels {
				all.Add(all, zero().Set(exponential(less(score(i, y), score(i, l.targets.Class[i])))))
			}
			total.Add(total, times(exact(l.targets.Of(i)), zero().Set(logarithm(all))))
			continue
		}
		for y := range l.labels {
			total.Add(total, times(exact(l.targets.Of(i)), l.lossAt(l.target(i, y), score(i, y))))
		}
	}
	return times(total, l.weight())
}

// lossAt returns the loss of one score.
func (l *lesson) lossAt(target float64, s *big.Float) *big.Float {
	switch l.learner.Kind {
	case setting.Ridge:
		off := less(s, exact(target))
		return times(times(off, off), exact(0.5))
	case setting.SVM:
		return larger(zero(), less(exact(1), times(exact(target), s)))
	case setting.SquaredSVM:
		short := larger(zero(), less(exact(1), times(exact(target), s)))
		return times(short, short)
	}
	return zero().Set(logarithm(sum(exact(1), zero().Set(exponential(times(exact(-target), s))))))
}

// conjugate returns the sum of the conjugates at multipliers, nil outside their domain.
func (l *lesson) conjugate(g []float64) *big.Float {
	total := zero()
	for k, v := range g {
		weight := times(l.weight(), exact(l.targets.Of(k/l.labels)))
		t := l.target(k/l.labels, k%l.labels)
		along := times(exact(t), exact(v))
		if l.learner.Kind == setting.Ridge {
			total.Add(total, sum(along, over(times(times(exact(v), exact(v)), exact(0.5)), weight)))
			continue
		}
		p := over(zero().Neg(along), weight)
		if l.learner.Kind == setting.SquaredSVM {
			if p.Sign() < 0 {
				return nil
			}
			total.Add(total, sum(along, over(times(times(exact(v), exact(v)), exact(0.25)), weight)))
			continue
		}
		if p.Sign() < 0 || p.Cmp(exact(1)) > 0 {
			return nil
		}
		if l.learner.Kind == setting.SVM {
			total.Add(total, along)
			continue
		}
		for _, part := range []*big.Float{p, less(exact(1), p)} {
			if part.Sign() > 0 {
				total.Add(total, times(weight, times(part, zero().Set(logarithm(part)))))
			}
		}
	}
	return total
}

// learners solves a lesson by its learner, to its gap and closer. The closer objective must not lie below what the gap leaves room for.
func (c *Case) learners(ctx context.Context) error {
	d := newDraw(c.Seed)
	l := newLesson(d)
	c.Text = fmt.Sprintf("%+v %v", l.learner, l.targets.Task)
	design, err := learn.Shared(matrix(l.rows), l.labels)
	if err != nil {
		return err
	}
	l.learner.Gap = []float64{1e-2, 1e-5, 1e-8}[d.IntN(3)]
	fit, err := learn.Solve(ctx, l.learner, design, l.targets)
	if err != nil {
		return err
	}
	closer := l.learner
	closer.Gap, closer.MaxSweeps = 1e-11, 20000
	best, err := learn.Solve(ctx, closer, design, l.targets)
	if err != nil {
		return err
	}
	c.Certificates++
	own, other := l.objective(fit), l.objective(best)
	// Some learners improve biases once more after their objective is known.
	slip := times(l.weight(), exact(roundingOfScores*l.targets.Total()*float64(l.labels)))
	if own.Cmp(sum(slip, times(exact(fit.Objective), exact(1+roundingOfLearners)))) > 0 {
		got, _ := own.Float64()
		c.wrong(fmt.Sprintf("the objective is given as %v, and is %v", fit.Objective, got))
	}
	if room := less(times(own, less(exact(1-roundingOfLearners), exact(min(fit.Gap, 1)))), slip); other.Cmp(room) < 0 {
		got, _ := over(less(own, other), own).Float64()
		c.wrong(fmt.Sprintf("the gap is %v, and at least %v", fit.Gap, got))
	}
	return nil
}

// What rounding may do to an objective of a learner, as a share of it, and to each of its scores. Gaps of learners do not count it.
const roundingOfLearners, roundingOfScores = 1e-9, 1e-13

// objective returns what a learner minimizes.
func (l *lesson) objective(f *learn.Fit) *big.Float {
	total := zero()
	for y := range l.labels {
		total.Add(total, times(exact(0.5), square(exacts(f.Weights.RawRowView(y)))))
	}
	total.Add(total, l.loss(func(i, y int) *big.Float {
		return sum(dot(l.rows[i], exacts(f.Weights.RawRowView(y))), exact(f.Bias[y]))
	}))
	if l.learner.Kind == setting.Ridge {
		total.Mul(total, exact(2*l.learner.Strength))
	}
	return total
}

// risks minimizes a random risk, and computes both of its bounds anew.
func (c *Case) risks(ctx context.Context) error {
	d := newDraw(c.Seed)
	l, node := newLesson(d), randomGauge(d, 3)
	c.Text = fmt.Sprintf("%+v %v", l.learner, l.targets.Task)
	if err := node.Validate(); err != nil {
		return err
	}
	dim := len(l.rows[0])
	var functionals, scores [][]float64
	for range node.Size() {
		row := make([]float64, dim*l.labels)
		for j := range row {
			row[j] = d.NormFloat64()
		}
		functionals = append(functionals, row)
	}
	for _, x := range l.rows {
		for y := range l.labels {
			row := make([]float64, dim*l.labels)
			copy(row[y*dim:], x)
			scores = append(scores, row)
		}
	}
	alpha := []float64{1, 1, 0.01, 10}[d.IntN(4)]
	solve := func(gap float64) (*risk.Result, error) {
		a, err := polar.NewDense(matrix(append(functionals[:len(functionals):len(functionals)], scores...)))
		if err != nil {
			return nil, err
		}
		s, err := risk.New(risk.Problem{Alpha: alpha, A: a, Gauge: node, Targets: l.targets, Labels: l.labels}, risk.Settings{Gap: gap})
		if err != nil {
			return nil, err
		}
		return s.Solve(ctx, risk.Request{Learner: l.learner})
	}
	found, err := solve([]float64{1e-2, 1e-3, 1e-6}[d.IntN(3)])
	if err != nil {
		return err
	}
	closer, err := solve(1e-10)
	if err != nil {
		return err
	}
	dense, err := polar.NewDense(matrix(functionals))
	if err != nil {
		return err
	}
	return c.bounds(ctx, l, polar.Problem{Alpha: alpha, A: dense, Gauge: node}, scores, found, closer)
}

// bounds checks the upper end at V, and the lower end at better functions and at the multipliers.
func (c *Case) bounds(ctx context.Context, l *lesson, p polar.Problem, scores [][]float64, found, closer *risk.Result) error {
	n, _ := normOf(p)
	value := func(r *risk.Result) *big.Float {
		v := exacts(r.V)
		return sum(times(exact(0.5), n.value(r.V)), l.loss(func(i, y int) *big.Float { return dot(scores[i*l.labels+y], v) }))
	}
	c.Certificates++
	slip := exact(1 + allowance)
	for _, r := range []*risk.Result{found, closer} {
		if v := value(r); v.Cmp(times(exact(r.Upper), slip)) > 0 {
			got, _ := v.Float64()
			c.wrong(fmt.Sprintf("the risk is at most %v, and is %v", r.Upper, got))
		} else if v.Cmp(over(exact(max(found.Lower, closer.Lower)), slip)) < 0 {
			got, _ := v.Float64()
			c.wrong(fmt.Sprintf("the least risk is at least %v, and one is %v", max(found.Lower, closer.Lower), got))
		}
	}
	if l.softmax() || found.Slopes == nil {
		return nil
	}
	return c.multipliers(ctx, l, n, p, scores, found)
}

// multipliers checks that the slopes of the losses prove the lower end, with multipliers of the functionals that suit them best.
func (c *Case) multipliers(ctx context.Context, l *lesson, n *norm, p polar.Problem, scores [][]float64, found *risk.Result) error {
	a := make([]float64, len(found.V))
	for k, g := range found.Slopes {
		floats.AddScaled(a, -g, scores[k])
	}
	dual := l.conjugate(found.Slopes)
	if dual == nil {
		c.wrong("slopes outside the domain of the losses")
		return nil
	}
	solver, err := polar.New(ctx, p, polar.Settings{Gap: 1e-10, Multipliers: true})
	if err != nil {
		return err
	}
	r, err := solver.Solve(ctx, matrix([][]float64{a}))
	if err != nil || r.Status[0] == polar.Infeasible {
		return err
	}
	half := times(exact(0.5), n.upper(a, r.Multipliers.RawRowView(0)))
	proved := less(zero().Neg(half), dual)
	room := times(half, exact(r.Gap[0]+roundingOfLearners))
	if claim := less(exact(found.Lower), room); proved.Cmp(claim) < 0 {
		got, _ := proved.Float64()
		c.wrong(fmt.Sprintf("the least risk is at least %v, and the multipliers prove %v", found.Lower, got))
	}
	return nil
}
