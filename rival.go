package sipc

import (
	"context"
	"errors"
	"fmt"
	"time"

	"gonum.org/v1/gonum/mat"

	"github.com/sipc-ml/sipc/runtime/blas"
	"github.com/sipc-ml/sipc/runtime/metric"
	"github.com/sipc-ml/sipc/runtime/report"
	"github.com/sipc-ml/sipc/runtime/rival"
)

// RivalOptions say how a rival is fitted.
type RivalOptions struct {
	Name rival.Name
	// Setting is taken as it is; nil chooses one on training rows held out.
	Setting *rival.Setting
	Pairs   int // that mixup draws; 0 stands for 4 a row
	// By names the figure that settings are compared by; empty is the usual of the task.
	By string
	// MaxIterations bounds the work of each fit; 0 stands for 1000. See rival.Options.
	MaxIterations int
}

// rivals fits the rivals that were asked for to the same rows.
func (r *runner) rivals() error {
	for _, o := range r.o.Rivals {
		_, out, _, err := r.rival(o)
		if err != nil {
			return err
		}
		r.report.Rivals = append(r.report.Rivals, *out)
	}
	if len(r.o.Rivals) > 0 {
		r.lap("rivals")
	}
	return nil
}

// rival fits one rival and measures it on the test rows.
func (r *runner) rival(o RivalOptions) (m *rival.Model, out *report.Rival, scores *mat.Dense, err error) {
	if m, out, err = r.fitRival(o); err != nil {
		return nil, nil, nil, err
	}
	r.step("score test rows of " + string(o.Name))
	if scores, err = m.Scores(r.ctx, r.prepared.Test.X); err != nil {
		return nil, nil, nil, err
	}
	out.Metrics = metricsOf(r.prepared.Train, r.prepared.Test, scores, m.Probabilities(scores))
	if out.Metrics.Violations, err = r.violations(scores); err != nil {
		return nil, nil, nil, err
	}
	out.Under, err = r.under(func(_ string, rows *mat.Dense) (metric.Figures, error) {
		scores, err := m.Scores(r.ctx, rows)
		if err != nil {
			return nil, err
		}
		return figures(r.prepared.Train, r.prepared.Test, scores, m.Probabilities(scores)), nil
	})
	return m, out, scores, err
}

// fitRival settles a rival's setting and fits it.
func (r *runner) fitRival(o RivalOptions) (*rival.Model, *report.Rival, error) {
	train := r.prepared.Train
	options := rival.Options{Pairs: o.Pairs, Edges: rival.Edges(r.reg), Seed: r.prepared.Seed, By: o.By, MaxIterations: o.MaxIterations}
	out := &report.Rival{Name: string(o.Name)}
	if err := r.spec.suits(o.Name); err != nil {
		return nil, nil, err
	}
	if o.Name == rival.Augment {
		if err := r.augment(&o, &options, out); err != nil {
			return nil, nil, err
		}
	}
	if o.Setting == nil {
		best, trials, err := rival.Choose(r.ctx, o.Name, train, rival.Search(o.Name), options, r.stage("choose the setting of "+string(o.Name)))
		if err != nil {
			return nil, nil, err
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
	r.step("fit " + string(o.Name))
	m, err := rival.Fit(r.ctx, o.Name, train, options)
	if err != nil {
		return nil, nil, err
	}
	r.describeSolution(out, m.Solution)
	return m, out, nil
}

// describeSolution says how near to its minimum a rival came, and warns where that is not near enough. Nil: it solves for none.
func (r *runner) describeSolution(out *report.Rival, s *rival.Solution) {
	if s == nil {
		return
	}
	out.Learner = &report.Solution{
		Text: s.Learner.String(), Objective: report.Number(s.Objective), Gap: report.Number(s.Gap), Iterations: s.Iterations,
		Converged: s.Converged, Strength: s.Learner.Strength,
	}
	if !s.Converged {
		r.report.Warnings = append(r.report.Warnings, fmt.Sprintf("rival %s: the learner stopped at a gap of %.2g", out.Name, s.Gap))
	}
}

// A RivalError is a rival that cannot be compared with on the spec's task.
type RivalError struct{ Err error }

func (e *RivalError) Error() string { return e.Err.Error() }

// Unwrap returns what is wrong.
func (e *RivalError) Unwrap() error { return e.Err }

// RunRival fits a rival, and nothing else, to the rows of a spec, and evaluates it as Run would. Of the options, Data, Test, Open, Seed
// and Progress count.
func RunRival(ctx context.Context, spec *Spec, o RunOptions, contender RivalOptions) (*Outcome, error) {
	r, err := atRows(ctx, spec, o)
	if err != nil {
		return nil, err
	}
	m, out, scores, err := r.rival(contender)
	if err != nil {
		return nil, r.explain(err)
	}
	rep := r.report
	rep.Spec, rep.Data, rep.Test, rep.Method = spec.Path, o.Data, o.Test, "rival "+out.Name
	rep.Task, rep.NTrain, rep.NTest = string(r.prepared.Train.Task), r.prepared.Train.Len(), r.prepared.Test.Len()
	rep.Metrics, rep.Rivals, rep.Seed, rep.SpecSHA256 = out.Metrics, []report.Rival{*out}, r.prepared.Seed, spec.SHA256
	rep.Timing.Figures = append(rep.Timing.Figures, metric.Figure{Name: "total", Value: time.Since(r.started).Seconds()})
	rep.Timing.BLAS = blas.Name()
	return &Outcome{
		Report: rep, Train: r.prepared.Train, Test: r.prepared.Test, Scores: scores, Score: m.Scores, Probabilities: m.Probabilities,
	}, nil
}

// atRows reads and splits the data and grounds the invariances, every grid at its first value.
func atRows(ctx context.Context, spec *Spec, o RunOptions) (*runner, error) {
	if err := spec.Err(); err != nil {
		return nil, err
	}
	r := newRunner(ctx, spec, o)
	r.instance = spec.Plan.At(nil)
	if err := r.load(); err != nil {
		return nil, r.explain(err)
	}
	var err error
	r.reg, err = r.prepared.Ground(ctx)
	return r, err
}

// ScoreRival returns the score of a rival's setting on held-out training rows of a spec.
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

// Score returns the score of a spec on held-out training rows, in the folds that rivals are scored in. It is the mean
// of the figure named by; if that is empty, of accuracy, or of micro-F1 for labels. It does not look at test rows.
// Every grid outside the learner has its first value.
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
