package sipc

import (
	"context"
	"fmt"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/sipc-ml/sipc/compiler"
	"github.com/sipc-ml/sipc/runtime/dataset"
	"github.com/sipc-ml/sipc/runtime/regularizer"
	"github.com/sipc-ml/sipc/runtime/report"
	"github.com/sipc-ml/sipc/runtime/rival"
	"github.com/sipc-ml/sipc/runtime/setting"
)

// rival fits one rival and measures it on the test rows.
func (x *examiner) rival(ctx context.Context, o RivalOptions) (*contender, error) {
	m, out, err := x.rows.FitRival(ctx, x.instance, x.reg, o)
	if err != nil {
		return nil, err
	}
	train, test := x.rows.Train, x.rows.Test
	x.rows.step("score test rows of " + string(o.Name))
	scores, err := m.Scores(ctx, test.X)
	if err != nil {
		return nil, err
	}
	probabilities := m.Probabilities(scores)
	out.Metrics = metricsOf(train, test, scores, probabilities)
	found := &contender{Contender: out, scores: scores, probabilities: probabilities}
	if out.Metrics.Violations, found.violated, err = x.violations(ctx, scores); err != nil {
		return nil, err
	}
	moved, err := x.measureUnder(ctx, func(_ string, rows *mat.Dense) (scores, probabilities *mat.Dense, c *report.Certificate, err error) {
		if scores, err = m.Scores(ctx, rows); err != nil {
			return nil, nil, nil, err
		}
		return scores, m.Probabilities(scores), nil, nil
	})
	if err != nil {
		return nil, err
	}
	out.Under, found.moved = moved.under, moved.moved
	return found, nil
}

// FitRival settles a rival's setting and fits it to the training rows. Its implications are those of R, and the machine that it copies rows for
// is an instance's. The report has no metrics yet.
func (p *Prepared) FitRival(ctx context.Context, in *compiler.Instance, reg *regularizer.Regularizer, o RivalOptions) (*rival.Model, *report.Contender, error) {
	if err := p.Spec.suits(o.Name); err != nil {
		return nil, nil, err
	}
	reg, err := implying(ctx, p, in, reg, o.Name)
	if err != nil {
		return nil, nil, err
	}
	options, out := p.RivalOptions(in, reg, o), &report.Contender{Name: string(o.Name)}
	e := entrants(p, in, o.Name)[0]
	if o.Setting == nil {
		var top rival.Trial
		if e, top, out.Search, err = chooseRival(ctx, p, in, o.Name, options); err != nil {
			return nil, nil, err
		}
		options.Setting = top.Setting
	}
	options.Machine, out.Setting, out.Copies, out.NCopies = e.machine, e.text(options.Setting), e.copies, e.number
	p.step("fit " + string(o.Name))
	m, err := rival.Fit(ctx, o.Name, p.Train, options)
	if err == nil && m.Solution != nil {
		out.Learner = solutionOf(m.Solution)
	}
	return m, out, err
}

// implying returns the R whose implications a rival needs. Under method plain R is zero, and is grounded for such a rival alone.
func implying(ctx context.Context, p *Prepared, in *compiler.Instance, reg *regularizer.Regularizer, name rival.Name) (*regularizer.Regularizer, error) {
	if in.Method != setting.Plain || !name.Hierarchical() {
		return reg, nil
	}
	return p.ground(ctx, compiler.WithR(in), nil)
}

// entrants returns the machines that a rival may be: of augment one for each to which the spec's grids lead, else one.
func entrants(p *Prepared, in *compiler.Instance, name rival.Name) []*entrant {
	if name == rival.Augment {
		return p.augmentations(in)
	}
	return []*entrant{{settings: rival.Search(name), text: func(s rival.Setting) string { return s.Text(name) }}}
}

// chooseRival compares a rival's settings on training rows held out. It returns the best, the machine that it is of, and all that were tried.
func chooseRival(
	ctx context.Context, p *Prepared, in *compiler.Instance, name rival.Name, options rival.Options,
) (best *entrant, top rival.Trial, tried []report.Tried, err error) {
	all := entrants(p, in, name)
	for k, e := range all {
		options.Machine = e.machine
		if e.instance != nil {
			options.Part = parter(p, e.instance, name)
		}
		stage := "choose the setting of " + string(name)
		if len(all) > 1 {
			stage += fmt.Sprintf(", %d of %d", k+1, len(all))
		}
		won, trials, err := rival.Choose(ctx, name, p.Train, e.settings, options, p.stage(stage))
		if err != nil {
			return nil, top, nil, err
		}
		for _, t := range trials {
			tried = append(tried, report.Tried{Choice: e.text(t.Setting), Score: report.Number(t.Score)})
		}
		if k == 0 || rival.Better(p.Train.Task, won.Score, top.Score) {
			best, top = e, won
		}
	}
	return best, top, tried, nil
}

// RivalOptions returns how a rival is fitted to the training rows, with the setting that is asked for.
func (p *Prepared) RivalOptions(in *compiler.Instance, reg *regularizer.Regularizer, o RivalOptions) rival.Options {
	out := rival.Options{Pairs: o.Pairs, Edges: rival.Edges(reg), Seed: p.Seed, By: o.By, MaxIterations: o.MaxIterations, Valid: p.Valid}
	if o.Setting != nil {
		out.Setting = *o.Setting
	}
	if o.Name == rival.Augment {
		out.Machine = p.augmentation(in).machine
	}
	out.Part = parter(p, in, o.Name)
	return out
}

// parter returns what makes the folds of a rival where rows follow each other in time; nil where they do not. An instance has the machine of augment.
func parter(p *Prepared, in *compiler.Instance, name rival.Name) func(ctx context.Context, rest, held []int) (learnt, test *dataset.Set, m *rival.Machine, err error) {
	if p.Train.Times == nil {
		return nil
	}
	return func(ctx context.Context, rest, held []int) (learnt, test *dataset.Set, m *rival.Machine, err error) {
		q, err := inTime(ctx, p, rest, held)
		if err != nil {
			return nil, nil, nil, err
		}
		if name == rival.Augment {
			m = q.augmentation(in).machine
		}
		return q.Train, q.Test, m, nil
	}
}

// ordersLabels returns an error if the implications give a hierarchical rival no order of the labels, before anything is fitted.
// A grid counts by its first number other than 0, which would leave an invariance out that another choice has.
func (p *Prepared) ordersLabels(ctx context.Context, rivals []RivalOptions) error {
	if !slices.ContainsFunc(rivals, func(o RivalOptions) bool { return o.Name.Hierarchical() }) {
		return nil
	}
	var choice []int
	for _, g := range p.Spec.Plan.Grid {
		choice = append(choice, max(0, slices.IndexFunc(g.Values, func(v float64) bool { return v != 0 })))
	}
	reg, err := p.ground(ctx, compiler.WithR(p.Spec.Plan.At(choice)), nil)
	if err != nil {
		return err
	}
	for _, o := range rivals {
		if err := o.Name.Orders(p.Train, rival.Edges(reg)); err != nil {
			return &RivalError{err}
		}
	}
	return nil
}

// A RivalError is a rival that cannot be compared with on the spec's task.
type RivalError struct{ Err error }

func (e *RivalError) Error() string { return e.Err.Error() }

// Unwrap returns what is wrong.
func (e *RivalError) Unwrap() error { return e.Err }
