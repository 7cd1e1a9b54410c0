package sipc

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/sipc-ml/sipc/runtime/blas"
	"github.com/sipc-ml/sipc/runtime/metric"
	"github.com/sipc-ml/sipc/runtime/report"
	"github.com/sipc-ml/sipc/runtime/rival"
)

// rival fits one rival and measures it on the test rows.
func (x *examiner) rival(ctx context.Context, o RivalOptions) (*rivalFound, error) {
	f, err := x.fitRival(ctx, o)
	if err != nil {
		return nil, err
	}
	x.rows.step("score test rows of " + string(o.Name))
	if f.scores, err = f.model.Scores(ctx, x.rows.Test.X); err != nil {
		return nil, err
	}
	out := f.described
	out.Metrics = metricsOf(x.rows.Train, x.rows.Test, f.scores, f.model.Probabilities(f.scores))
	if out.Metrics.Violations, err = x.violations(ctx, f.scores); err != nil {
		return nil, err
	}
	out.Under, err = x.under(ctx, func(_ string, rows *mat.Dense) (metric.Figures, error) {
		scores, err := f.model.Scores(ctx, rows)
		if err != nil {
			return nil, err
		}
		return figures(x.rows.Train, x.rows.Test, scores, f.model.Probabilities(scores)), nil
	})
	return f, err
}

// fitRival settles a rival's setting and fits it.
func (x *examiner) fitRival(ctx context.Context, o RivalOptions) (*rivalFound, error) {
	options := rival.Options{Pairs: o.Pairs, Edges: rival.Edges(x.reg), Seed: x.rows.Seed, By: o.By, MaxIterations: o.MaxIterations}
	out := &report.Contender{Name: string(o.Name)}
	if err := x.rows.Spec.suits(o.Name); err != nil {
		return nil, err
	}
	if o.Name == rival.Augment {
		if err := x.augment(ctx, &o, &options, out); err != nil {
			return nil, err
		}
	}
	if o.Setting == nil {
		best, trials, err := rival.Choose(ctx, o.Name, x.rows.Train, rival.Search(o.Name), options, x.rows.stage("choose the setting of "+string(o.Name)))
		if err != nil {
			return nil, err
		}
		for _, t := range trials {
			out.Search = append(out.Search, report.Tried{Choice: t.Setting.Text(o.Name), Score: report.Number(t.Score)})
		}
		o.Setting = &best.Setting
	}
	options.Setting = *o.Setting
	if o.Name != rival.Augment {
		out.Setting = o.Setting.Text(o.Name)
	}
	x.rows.step("fit " + string(o.Name))
	m, err := rival.Fit(ctx, o.Name, x.rows.Train, options)
	if err != nil {
		return nil, err
	}
	f := &rivalFound{model: m, described: out}
	if s := m.Solution; s != nil {
		out.Learner = &report.Solution{
			Text: s.Learner.String(), Objective: report.Number(s.Objective), Gap: report.Number(s.Gap), Iterations: s.Iterations,
			Converged: s.Converged, Strength: s.Learner.Strength,
		}
		if !s.Converged {
			f.warnings = []string{fmt.Sprintf("rival %s: the learner stopped at a gap of %.2g", out.Name, s.Gap)}
		}
	}
	return f, nil
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
	reg, err := p.ground(ctx, p.Spec.Plan.At(choice), nil)
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

// RunRival fits a rival, and nothing else, to the rows of a spec, and evaluates it as Run would. Of the options, Data, Test, Open, Seed
// and Progress count.
func RunRival(ctx context.Context, spec *Spec, o RunOptions, contender RivalOptions) (*Outcome, error) {
	j := newJournal(o.Warn)
	p, err := Prepare(ctx, spec, o)
	if err != nil {
		return nil, err
	}
	j.lap("load")
	s := &settled{rows: p, chosen: &chosen{instance: spec.Plan.At(nil)}}
	if s.reg, err = p.Ground(ctx); err != nil {
		return nil, err
	}
	f, err := newExaminer(s, s.reg, j.warn).rival(ctx, contender)
	if err != nil {
		return nil, spec.explain(err)
	}
	rep := &report.Report{
		Spec: spec.Path, Data: o.Data, Test: o.Test, Method: "rival " + f.described.Name, Task: string(p.Train.Task), NTrain: p.Train.Len(), NTest: p.Test.Len(),
		Metrics: f.described.Metrics, Rivals: []report.Contender{*f.described}, Seed: p.Seed, SpecSHA256: spec.SHA256,
		DataSHA256: p.dataSHA256, TestSHA256: p.testSHA256, Warnings: append(j.warnings, f.warnings...), Told: j.told,
	}
	rep.Timing.Figures, rep.Timing.BLAS = j.total(), blas.Name()
	return &Outcome{
		Report: rep, Train: p.Train, Test: p.Test, Scores: f.scores, Score: f.model.Scores, Probabilities: f.model.Probabilities,
	}, nil
}

// ScoreRival returns what a setting of a rival reaches on training rows of a spec that are held out.
func ScoreRival(ctx context.Context, spec *Spec, o RunOptions, contender RivalOptions) (float64, error) {
	p, err := Prepare(ctx, spec, o)
	if err != nil {
		return 0, err
	}
	reg, err := p.Ground(ctx)
	if err != nil {
		return 0, err
	}
	if contender.Setting == nil {
		return 0, errors.New("sipc: a rival without a setting has no score")
	}
	if err := spec.suits(contender.Name); err != nil {
		return 0, err
	}
	options := rival.Options{
		Setting: *contender.Setting, Pairs: contender.Pairs, Edges: rival.Edges(reg), Seed: p.Seed, By: contender.By,
		MaxIterations: contender.MaxIterations,
	}
	if contender.Name == rival.Augment {
		options.Machine = p.augmentation(spec.Plan.At(nil)).Machine
	}
	return rival.Score(ctx, contender.Name, p.Train, options)
}

// Score returns what a spec reaches on training rows that are held out, in the folds that rivals are scored in. It is the mean of the
// figure named by; empty means accuracy, or micro-F1 of labels. Its test rows are not looked at. Every grid outside the
// learner is at its first value.
func Score(ctx context.Context, spec *Spec, o RunOptions, by string) (float64, error) {
	p, err := Prepare(ctx, spec, o)
	if err != nil {
		return 0, err
	}
	folds, err := rival.Folds(p.Train, p.Seed)
	if err != nil {
		return 0, err
	}
	score, err := p.validate(ctx, spec.Plan.At(nil), folds, by)
	return score, spec.explain(err)
}
