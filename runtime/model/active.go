package model

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/sipc-ml/sipc/internal/limits"
	"github.com/sipc-ml/sipc/runtime/active"
	"github.com/sipc-ml/sipc/runtime/operator"
	"github.com/sipc-ml/sipc/runtime/polar"
	"github.com/sipc-ml/sipc/runtime/risk"
	"github.com/sipc-ml/sipc/runtime/setting"
)

const (
	// meansGap is the gap of the minimum with means in place of maxima. It says where to begin, and no more.
	meansGap = 0.05
	// firstGap is that of the first minimum with an active set. A later one has laterShare of the gap that was left when all of R was looked at.
	firstGap, laterShare = 0.01, 1.0 / 80
	// comparedActive is the gap to which an active set is made before learners are compared.
	comparedActive = 0.01
)

// meant reports whether R comes in parts and has more than squares, so that a problem with means in place of its maxima comes first.
func meant(f *fitter) bool {
	return f.reg.Parts != nil && f.o.Method == setting.Risk && formsOf(f, f.reg) == nil
}

// activated returns the problem with an active set of R, where means stand in place of its maxima. The set begins with the functionals that have multipliers
// at that minimum. Where learners are to be compared, it goes on to comparedActive for one of them.
func activated(m *minimizer, l setting.Learner, compare bool) (*minimizer, error) {
	f := m.f
	if !f.means {
		return m, nil
	}
	c, ok := m.solver.(convex)
	if !ok {
		return nil, errors.New("model: statements are kept beside an R in parts")
	}
	// R² is a sum of squares here, so that the minimum takes about as long as one without R.
	r, err := c.Solve(f.ctx, risk.Request{Learner: m.weighted(l), Gap: meansGap, MaxWork: mostActive(m), Progress: m.countdown("minimize risk with means for maxima")})
	if err != nil {
		return nil, err
	}
	a := &activity{set: active.New(f.reg, m.biased(m.problem.Bias), f.rep.Labels, mostRows(f)), strength: m.strength}
	if a.last, err = a.set.Look(f.ctx, active.At{V: r.V}, f.stage("look at all of R where means stand for maxima")); err != nil {
		return nil, err
	}
	f.active, f.means = a, false
	if m, err = widened(m); err == nil && compare {
		m, _, err = minimizeActive(m, l, max(f.o.Gap, comparedActive))
	}
	return m, err
}

// widened sets the problem up anew with the functionals that the last look took in. Rows of Ψ that are at hand are not computed again. Both operators are there
// meanwhile.
func widened(m *minimizer) (*minimizer, error) {
	f, a := m.f, m.f.active
	before, known := f.before, f.op
	a.reg, a.from = a.set.Regularizer()
	operator.ForgetSingle(known)
	a.known, f.before = known, append(beforeFit(f), limits.Need{Bytes: known.Bytes(), What: "the functionals at hand", Mend: "use fewer landmarks"})
	next, err := posed(f, f.reg.Nodes)
	if err != nil {
		// The problem before stands, and its functionals are no longer those that the set has numbered.
		f.op = known
		a.set.Forget()
	}
	a.reg, a.known, f.before = nil, nil, before // rows of Ψ stand for points
	return next, err
}

// minimizeActive minimizes with the functionals at hand, and looks at all of R there. It goes on with more functionals until the gap that counts all is small
// enough. Each minimum starts from the one before. Where the time is over, or more functionals do not fit the memory, the last one stays.
//
// A look costs more than some iterations. So minima go far below the gap that the look before left, and few rounds are needed: two to four on images under moves.
// The last one goes to half of the gap asked for, as what lies outside adds to it.
func minimizeActive(m *minimizer, l setting.Learner, enough float64) (*minimizer, *risk.Result, error) {
	f, made, told := m.f, 0, ""
	var start *risk.Result
	for next := max(enough/2, firstGap); ; {
		f.active.rounds++
		round := fmt.Sprintf("round %d%s: ", f.active.rounds, told)
		r, err := m.solver.(convex).Solve(f.ctx, risk.Request{ //nolint:forcetypeassert // nothing else solves beside an active set
			Learner: m.weighted(l), Start: start, Gap: next, Limit: max(0, f.o.MaxIterations-made), Carried: true,
			MaxWork: mostActive(m), Progress: m.countdown(round + "minimize risk"),
		})
		if err != nil {
			return nil, nil, err
		}
		made += r.Iterations
		ended := !(r.Gap <= next)
		if err := counted(m, r, enough, round+"look at all of R"); err != nil {
			return nil, nil, err
		}
		r.Iterations = made
		// Without new functionals the problem stays, and only a smaller gap brings more. Where that is not asked for, or not reached, nothing does.
		before, added := next, f.active.last.Added
		start, next = r, max(enough/2, laterShare*r.Gap)
		if idle := added == 0 && (ended || next >= before); idle || r.Converged || math.IsNaN(r.Gap) || over(f, made) {
			return m, r, nil
		}
		if told = fmt.Sprintf(", from a gap of %.2g", r.Gap); added == 0 {
			continue
		}
		wider, err := widened(m)
		if tooLarge(err) || limits.TimeOver(err) {
			f.out.Left = append(f.out.Left, fmt.Sprintf("R keeps the functionals at hand: with more, %v", err))
			return m, r, nil
		}
		if err != nil {
			return nil, nil, err
		}
		m = wider
		start = risk.Carry(m.solver.(convex).Solver, r, f.active.from) //nolint:forcetypeassert // as above
	}
}

// over reports whether a fit that made so many iterations is to end where it is.
func over(f *fitter, made int) bool {
	return f.o.MaxIterations > 0 && made >= f.o.MaxIterations || limits.Over(f.ctx)
}

// tooLarge reports whether an error says that something would take more memory than it may.
func tooLarge(err error) bool {
	_, large := errors.AsType[*limits.MemoryError](err)
	return large || errors.Is(err, operator.ErrTooLarge)
}

// mostActive returns how many multiplications a minimum with the functionals at hand may take.
func mostActive(m *minimizer) float64 {
	allowed := limits.FitWork
	if of := m.f.o.Compared; of > 0 {
		allowed = limits.ComparedWork / float64(of)
	}
	return mostWork(m.f, m.solver.Work(m.f.o.MaxIterations), allowed)
}

// counted turns the upper bound of a result into one that counts all of R, by a look at it under a name. asked is the gap that decides about Converged.
func counted(m *minimizer, r *risk.Result, asked float64, name string) error {
	f, p := m.f, polar.Problem{A: m.problem.A, Gauge: m.problem.Gauge}
	rows, _ := p.A.Dims()
	values := make([]float64, rows)
	p.A.Apply(mat.NewDense(1, rows, values), mat.NewDense(1, len(r.V), r.V))
	of, count := polar.NewMeasure(p), 0
	if p.Gauge != nil {
		count = p.Gauge.Size()
	}
	// Scores of rows may stand behind R's functionals.
	errs := slices.Clone(of.Values()[:count])
	floats.Scale(of.Size(r.V), errs)
	var err error
	if f.active.last, err = f.active.set.Look(f.ctx, active.At{V: r.V, Values: values[:count], Errors: errs}, f.stage(name)); err != nil {
		return err
	}
	r.Raise(p, values[:count], f.active.last.Rho, asked)
	return nil
}
