package model

import (
	"context"
	"fmt"

	"gonum.org/v1/gonum/mat"

	"github.com/sipc-ml/sipc/internal/limits"
	"github.com/sipc-ml/sipc/runtime/dataset"
	"github.com/sipc-ml/sipc/runtime/embed"
	"github.com/sipc-ml/sipc/runtime/learn"
	"github.com/sipc-ml/sipc/runtime/operator"
	"github.com/sipc-ml/sipc/runtime/regularizer"
	"github.com/sipc-ml/sipc/runtime/represent"
	"github.com/sipc-ml/sipc/runtime/risk"
	"github.com/sipc-ml/sipc/runtime/setting"
)

// choose judges the candidates by cross-validation, or on the valid rows. It returns nil where there was no time for it.
func (f *fitter) choose(m *minimizer, candidates []setting.Learner) (*learn.Choice, error) {
	targets := Targets(f.train)
	choice, folds, best := learn.NewChoice(targets.Task, candidates), 0, ""
	compare := step{share: 0.5, whole: true, run: func() error {
		if f.o.Valid != nil {
			return judgeOnValid(f, choice, candidates)
		}
		stage := func() string { return "choose the learner" + best }
		return f.byFolds(m, candidates, stage, func(truth *learn.Targets, _ []int, scores []*mat.Dense) {
			for k := range candidates {
				choice.Judge(k, truth, scores[k])
			}
			folds++
			at := choice.Take()
			best = choice.SoFar(at, candidates[at].String())
		})
	}}
	switch err := compare.by(f.ctx, f); {
	case limits.TimeOver(err) && folds > 0:
		f.out.Left = append(f.out.Left, fmt.Sprintf("the time was over when learners were compared on %d of %d folds", folds, learn.UsualFolds))
	case limits.TimeOver(err):
		f.out.Left = append(f.out.Left, "the time was over before learners were compared; the first is taken")
		return nil, nil //nolint:nilnil // as the comment says
	case err != nil:
		return nil, err
	}
	f.out.Anew, choice.Later = f.o.Valid == nil && f.anew(), f.o.Valid == nil && targets.Time != nil
	choice.Take()
	return choice, nil
}

// judgeOnValid judges the candidates on rows that no fit has seen.
func judgeOnValid(f *fitter, choice *learn.Choice, candidates []setting.Learner) error {
	scores, err := f.judged(candidates, f.o.Valid.X)
	if err != nil {
		return err
	}
	for k := range candidates {
		choice.Judge(k, Targets(f.o.Valid), scores[k])
	}
	choice.Valid = f.o.Valid.Len()
	return nil
}

// calibrate makes probabilities of scores, where the learner was asked for them. The scores of a fold are those of
// a function that was learnt without it. On the rows that it was learnt from, its scores are too far from 0, and
// sigmoids of them too sure. Methods that embed need no minimizer.
func (f *fitter) calibrate(by *minimizer, l setting.Learner) error {
	if !l.Probabilities || !l.Margins() {
		return nil
	}
	// Scores are closed once they are log odds of their labels.
	closure := f.o.Closure
	f.o.Closure = nil
	defer func() { f.o.Closure = closure }()
	targets, of := Targets(f.train), make([][]float64, f.train.Len())
	err := f.byFolds(by, []setting.Learner{l}, func() string { return "learn probabilities" }, func(_ *learn.Targets, held []int, own []*mat.Dense) {
		for r, i := range held {
			of[i] = own[0].RawRowView(r)
		}
	})
	if err != nil {
		return err
	}
	var judged []int // folds in time leave the earliest rows out
	for i := range of {
		if of[i] != nil {
			judged = append(judged, i)
		}
	}
	scores := mat.NewDense(len(judged), f.rep.Labels, nil)
	for r, i := range judged {
		scores.SetRow(r, of[i])
	}
	if len(judged) < targets.Len() {
		targets = targets.Subset(judged)
	}
	m := f.out.Model
	m.Fit.Calibrate(targets, scores, len(m.Requirements) > 0)
	if ClosingOf(m) == Met {
		finishSums(m, scores)
		m.Fit.Recalibrate(targets, scores)
	}
	return nil
}

// byFolds calls take with the rows held out of each fold, their truth, and the scores that learners give to them. These are fitted without the rows, to
// be compared.
func (f *fitter) byFolds(m *minimizer, learners []setting.Learner, stage func() string, take func(truth *learn.Targets, held []int, scores []*mat.Dense)) error {
	targets := Targets(f.train)
	folds, err := learn.Folds(targets, learn.UsualFolds, f.o.Seed)
	if err != nil {
		return err
	}
	for at, held := range folds {
		truth, scores, err := scoresOfFold(f, m, learners, Fold{Number: at + 1, Of: len(folds), Rows: targets.Rest(held), Held: held})
		if err != nil {
			return err
		}
		take(truth, held, scores)
		if progress := f.stage(stage()); progress != nil {
			progress(at+1, len(folds))
		}
	}
	return nil
}

// scoresOfFold returns the truth of the n rows held out of a fold, and the scores (n×m) that learners give to them. Where R depends on the labels
// of rows, or rows follow each other in time, R, features and representations are those of the fold's own rows. So nothing has seen the labels of those
// held out, nor later rows. Otherwise methods that minimize take R over all training rows, and the others need no minimizer.
func scoresOfFold(f *fitter, m *minimizer, learners []setting.Learner, fold Fold) (*learn.Targets, []*mat.Dense, error) {
	truth := Targets(f.train).Subset(fold.Held)
	switch {
	case f.anew():
		own, err := f.pose(fold)
		if err != nil {
			return nil, nil, err
		}
		if f.o.Closure == nil {
			own.o.Closure = nil
		}
		held := own.o.Held
		if held == nil {
			held = f.train.Subset(fold.Held)
		}
		scores, err := own.judged(learners, held.X)
		return Targets(held), scores, err
	case m == nil:
		scores, err := learn.Compare(f.ctx, f.design, Targets(f.learnt), learners, positionsOf(f, fold.Rows), fold.Held)
		if err != nil {
			return nil, nil, err
		}
		for k, s := range scores {
			finishCompared(f, &learn.Fit{Learner: learners[k]}, s)
		}
		return truth, scores, nil
	}
	scores, err := minimizedFold(f, m, learners, fold)
	return truth, scores, err
}

// minimizedFold returns the scores that minimizers give to the rows held out of a fold whose losses they leave out.
func minimizedFold(f *fitter, m *minimizer, learners []setting.Learner, fold Fold) ([]*mat.Dense, error) {
	targets, held := Targets(f.train), fold.Held
	rows, out := make([]bool, m.problem.Targets.Len()), make([]*mat.Dense, len(learners))
	at := positionsOf(f, fold.Rows)
	if m.problem.Copies > 0 {
		at = fold.Rows // whose losses are those of their copies, too
	}
	for _, i := range at {
		rows[i] = true
	}
	if m.problem.Summed() {
		return summedFold(f, m, learners, fold, rows)
	}
	for k, l := range learners {
		result, err := m.compared(l, rows, fold.Of*len(learners))
		if err != nil {
			return nil, err
		}
		out[k] = mat.NewDense(len(held), f.rep.Labels, nil)
		for r, i := range held {
			out[k].SetRow(r, result.Scores[i*f.rep.Labels:(i+1)*f.rep.Labels])
		}
		finishCompared(f, &learn.Fit{Learner: l, Sets: learn.SetsOf(l, targets.Subset(fold.Rows))}, out[k])
	}
	return out, nil
}

// summedFold does what minimizedFold does where rows are summed, or pass by. The rows held out pass by once more, for their scores.
func summedFold(f *fitter, m *minimizer, learners []setting.Learner, fold Fold, rows []bool) (scores []*mat.Dense, err error) {
	// Losses that pass by leave rows out as they pass. Sums have left them out already, as each fold
	// has sums of its own.
	if m.problem.Squares != nil {
		rows = nil
		if m, err = withoutFold(m, fold); err != nil {
			return nil, err
		}
	}
	fits, err := minima(m, learners, rows, fold.Of)
	if err != nil {
		return nil, err
	}
	return scoresOf(f, fits, f.train.X, fold.Held)
}

// withoutFold returns what minimizes with the losses of the rows outside of a fold.
func withoutFold(m *minimizer, fold Fold) (*minimizer, error) {
	// R's functionals were evaluated once, for all rows. What stands for the losses is put beneath them anew,
	// which takes a root of the order of the features.
	op, square, err := m.f.summed.Without(fold.Number-1).Beneath(m.f.ctx, m.above, m.problem.Bias)
	if err != nil {
		return nil, err
	}
	// R, its cuts and the scale of strengths are those of all rows, as in folds of rows at hand.
	own, p := *m, *m.problem
	p.A, p.Roots, p.Squares, p.Targets = op, operator.RootsOf(op), (*risk.Squares)(square), p.Targets.Subset(fold.Rows)
	solver, err := risk.New(p, risk.Settings{Gap: m.gap(), MaxIterations: m.f.o.MaxIterations})
	if err != nil {
		return nil, err
	}
	own.problem = &p
	own.solver = convex{solver}
	// What keeps statements has the margins and first points of all rows. No other method sums rows, see summable: dual has
	// a coefficient for each row.
	if s, ok := m.solver.(*keeping); ok {
		keeps := *s
		keeps.convex = convex{solver}
		own.solver = &keeps
	}
	return &own, nil
}

// positionsOf returns the positions of some training rows and of their copies, in ascending order where those are.
func positionsOf(f *fitter, rows []int) []int {
	var out []int
	for first := 0; first < f.learnt.Len(); first += f.train.Len() {
		for _, i := range rows {
			out = append(out, first+i)
		}
	}
	return out
}

// pose represents the rows of a fold. It keeps the method, the gap and the candidates of the whole fit, which
// are to be compared.
func (f *fitter) pose(fold Fold) (*fitter, error) {
	train, reg, o, err := f.o.Pose(f.ctx, fold)
	if err != nil {
		return nil, err
	}
	o.Method, o.Gap, o.MaxIterations, o.Learner, o.Strengths = f.o.Method, f.o.Gap, f.o.MaxIterations, f.o.Learner, f.o.Strengths
	o.Pose, o.Progress, o.Witnesses, o.Compared = nil, nil, false, fold.Of
	return represented(f.ctx, train, reg, o)
}

// Judge fits a learner of each of the options' strengths, or the one learner without any, to one representation of
// the training rows. It returns the scores (n×m) that each gives to the rows of x (n×p), closed as a model's are,
// in the order of the strengths. They are fitted to be compared, not kept: to a wider gap. It returns an error for
// a method that cannot fit the regularizer or the target, and ctx's when ctx ends.
func Judge(ctx context.Context, train *dataset.Set, reg *regularizer.Regularizer, o Options, x *mat.Dense) ([]*mat.Dense, error) {
	if err := o.check(train, reg); err != nil {
		return nil, err
	}
	o.Pose, o.Progress, o.Witnesses, o.Compared = nil, nil, false, max(1, o.Compared)
	f, err := represented(ctx, train, reg, o.filled())
	if err != nil {
		return nil, err
	}
	defer embed.Forget(f.rep.Features) // as a shelf has what was made of them
	return f.judged(f.candidates(), x)
}

// judged returns the scores (n×m) that each candidate gives to the rows of x, which are embedded once.
func (f *fitter) judged(candidates []setting.Learner, x *mat.Dense) ([]*mat.Dense, error) {
	fits, err := f.fits(candidates)
	if err != nil {
		return nil, err
	}
	n, _ := x.Dims()
	return scoresOf(f, fits, x, learn.Complement(n, nil))
}

// rowsGathered is how many rows are gathered at a time for their scores.
const rowsGathered = 1 << 14

// scoresOf returns the scores that each fit gives to some rows of x, finished as those of learners that are compared.
func scoresOf(f *fitter, fits []*learn.Fit, x *mat.Dense, index []int) ([]*mat.Dense, error) {
	out := make([]*mat.Dense, len(fits))
	for k := range out {
		out[k] = mat.NewDense(len(index), f.rep.Labels, nil)
	}
	_, p := x.Dims()
	// Rows may lie in files, so that they are copied some at a time.
	for lo := 0; lo < len(index); lo += rowsGathered {
		part := mat.NewDense(min(rowsGathered, len(index)-lo), p, nil)
		for r, i := range index[lo:min(lo+rowsGathered, len(index))] {
			part.SetRow(r, x.RawRowView(i))
		}
		err := f.rep.Each(f.ctx, part, nil, func(b represent.Batch) error {
			b.First += lo * f.rep.PerRow() // rows may have an embedding for each label
			for k, fit := range fits {
				scoreBatch(f.rep, out[k], b, fit)
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	for k, fit := range fits {
		addBias(out[k], fit)
		finishCompared(f, fit, out[k])
	}
	return out, nil
}

// finishCompared makes scores of sums with their biases, as a model does that is kept.
func finishCompared(f *fitter, fit *learn.Fit, scores *mat.Dense) {
	fit.Finish(scores)
	settle(closing(fit, f.o.Closure, f.o.Declared, keeps(f)), scores, f.o.Closure)
}

// fits returns the candidates, fitted to be compared.
func (f *fitter) fits(candidates []setting.Learner) ([]*learn.Fit, error) {
	if minimizes(f) {
		f.means = meant(f)
		m, err := newMinimizer(f)
		if err == nil {
			m, err = activated(m, candidates[len(candidates)/2], true)
		}
		if err != nil {
			return nil, err
		}
		return minima(m, candidates, nil, f.o.Compared)
	}
	out := make([]*learn.Fit, len(candidates))
	for k, c := range candidates {
		var err error
		if out[k], err = learn.Solve(f.ctx, learn.Compared(c), f.design, Targets(f.learnt)); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// minima returns learners, fitted to be compared in so many folds, on some rows; nil stands for all.
// They are found one after the other, as each takes all processors.
func minima(m *minimizer, learners []setting.Learner, rows []bool, folds int) ([]*learn.Fit, error) {
	out := make([]*learn.Fit, len(learners))
	for k, l := range learners {
		result, err := m.compared(l, rows, folds*len(learners))
		if err != nil {
			return nil, err
		}
		out[k] = m.fit(l, result)
	}
	return out, nil
}
