package sipc

import (
	"context"
	"math"
	"strings"

	"gonum.org/v1/gonum/mat"

	"github.com/sipc-ml/sipc/compiler"
	"github.com/sipc-ml/sipc/dsl/diag"
	"github.com/sipc-ml/sipc/internal/limits"
	"github.com/sipc-ml/sipc/plugins"
	"github.com/sipc-ml/sipc/runtime/learn"
	"github.com/sipc-ml/sipc/runtime/metric"
	"github.com/sipc-ml/sipc/runtime/model"
	"github.com/sipc-ml/sipc/runtime/regularizer"
	"github.com/sipc-ml/sipc/runtime/report"
	"github.com/sipc-ml/sipc/runtime/represent"
	"github.com/sipc-ml/sipc/runtime/setting"
)

// An examiner measures models on the test rows of a problem. It grounds each invariance on them once.
type examiner struct {
	*settled
	trained map[string]*regularizer.Regularizer // measures on the training rows
	reg     *regularizer.Regularizer            // as the model was fitted with it
	warn    func(*diag.Diagnostic)
	tested  map[string]grounded // by invariance
}

func newExaminer(s *settled, reg *regularizer.Regularizer, warn func(*diag.Diagnostic)) *examiner {
	return &examiner{settled: s, reg: reg, warn: warn, tested: map[string]grounded{}, trained: map[string]*regularizer.Regularizer{}}
}

// evaluate evaluates a fitted model. Embeddings of the test rows are handed to the sink, if there is one.
func (x *examiner) evaluate(ctx context.Context, f *model.Fitting, sink *sink) (*evaluation, error) {
	train, test := x.rows.Train, x.rows.Test
	out := &evaluation{}
	if test.Len() == 0 {
		return x.untested(ctx, f)
	}
	var also func(represent.Batch) error
	if sink != nil {
		also = sink.write
	}
	scores, proof, err := f.Model.Scores(ctx, test.X, x.scoring(f, "test rows"), also)
	if err != nil {
		return nil, err
	}
	out.scores, out.gaps, out.errors = scores, proof.Gaps, proof.Errors
	out.metrics = metricsOf(train, test, out.scores, model.Probabilities(f.Model, out.scores))
	if out.metrics.Violations, err = x.violations(ctx, out.scores); err != nil {
		return nil, err
	}
	err = limits.Whole(ctx, func(ctx context.Context) (err error) {
		if out.summands, err = x.summands(ctx, f, out.scores); err == nil {
			out.measures, err = x.measures(ctx, f, out.scores)
		}
		return err
	})
	if limits.TimeOver(err) {
		f.Measured, f.Left = nil, append(f.Left, "the time was over before the values of R were measured on the test rows")
		out.summands, err = x.summands(ctx, f, out.scores)
	}
	if err != nil {
		return nil, err
	}
	out.under, err = x.under(ctx, func(text string, rows *mat.Dense) (metric.Figures, *report.Certificate, error) {
		scores, proof, err := f.Model.Scores(ctx, rows, x.scoring(f, "test rows under "+text), nil)
		if err != nil {
			return nil, nil, err
		}
		out.gaps = append(out.gaps, proof.Gaps...)
		return Figures(train, test, scores, model.Probabilities(f.Model, scores)), certificate(proof.Gaps, f.Model.Represent), nil
	})
	return out, err
}

// untested returns what the training rows alone tell of a fitted model.
func (x *examiner) untested(ctx context.Context, f *model.Fitting) (*evaluation, error) {
	out := &evaluation{}
	err := limits.Whole(ctx, func(ctx context.Context) (err error) {
		if out.summands, err = x.summands(ctx, f, nil); err == nil {
			out.measures, err = x.measures(ctx, f, nil)
		}
		return err
	})
	if limits.TimeOver(err) {
		f.Measured, f.Left = nil, append(f.Left, "the time was over before measures were taken")
		out.summands, err = x.summands(ctx, f, nil)
	}
	return out, err
}

// baseline fits method plain beside a model, and measures it.
func (x *examiner) baseline(ctx context.Context, beside *model.Fitting, unmeasured bool) (*baseline, error) {
	f, err := x.fitPlain(ctx, beside, unmeasured)
	if err != nil {
		return nil, err
	}
	e, err := x.evaluate(ctx, f, nil)
	if err != nil {
		return nil, err
	}
	inWitnesses(beside.Model.Witnesses, e.summands, func(w *report.Witness, s *report.Summand) {
		w.Baseline = &report.WitnessBaseline{Value: s.Value, Broken: s.Broken, Test: s.Test}
	})
	return &baseline{e, f}, nil
}

// under measures the test rows under each transformation of `evaluate under`, and under all of them one after the other. What measure returns
// beside the figures is the certificate of embeddings on which they rest; it may be nil.
func (x *examiner) under(
	ctx context.Context, measure func(text string, rows *mat.Dense) (metric.Figures, *report.Certificate, error),
) ([]report.Under, error) {
	transforms := x.instance.Transforms()
	data := familyData(x.rows.Test)
	all := *data
	var texts []string
	var out []report.Under
	add := func(text string, rows plugins.Matrix) error {
		figures, c, err := measure(text, dense(rows))
		u := report.Under{Transformation: text, Metrics: report.Metrics{Figures: figures}}
		if c != nil && c.Reached < c.Count {
			u.Inexact, u.Of = c.Count-c.Reached, c.Count
		}
		out = append(out, u)
		return err
	}
	if len(transforms) > 0 && transforms[0].Orbit != "" {
		return x.underOrbit(ctx, transforms, data, measure)
	}
	for _, t := range transforms {
		moved, err := t.Apply(ctx, data, x.rows.Seed)
		if err != nil {
			return nil, err
		}
		if err := add(t.Text, moved); err != nil {
			return nil, err
		}
		if all.Rows, err = t.Apply(ctx, &all, x.rows.Seed); err != nil {
			return nil, err
		}
		texts = append(texts, t.Text)
	}
	if len(transforms) < 2 {
		return out, nil
	}
	return out, add(strings.Join(texts, ", then "), all.Rows)
}

// underOrbit measures the test rows under moves of an orbit, each row under moves of its own: figures are means over the moves.
func (x *examiner) underOrbit(
	ctx context.Context, moves []compiler.Transform, data *plugins.Data, measure func(text string, rows *mat.Dense) (metric.Figures, *report.Certificate, error),
) ([]report.Under, error) {
	out := report.Under{Transformation: moves[0].Orbit}
	for _, t := range moves {
		moved, err := t.Apply(ctx, data, x.rows.Seed)
		if err != nil {
			return nil, err
		}
		figures, c, err := measure(t.Text, dense(moved))
		if err != nil {
			return nil, err
		}
		if c != nil && c.Reached < c.Count {
			out.Inexact += c.Count - c.Reached
		}
		if c != nil {
			out.Of += c.Count
		}
		for k, f := range figures {
			if len(out.Metrics.Figures) <= k {
				out.Metrics.Figures = append(out.Metrics.Figures, metric.Figure{Name: f.Name})
			}
			out.Metrics.Figures[k].Value += f.Value / float64(len(moves))
		}
	}
	if out.Inexact == 0 {
		out.Of = 0
	}
	return []report.Under{out}, nil
}

// scoring returns the progress of what is done to rows under a fit, by name: a method that makes embeddings embeds them first.
func (x *examiner) scoring(f *model.Fitting, rows string) func(done, total int) {
	switch method := f.Model.Represent.Method; {
	case method != x.method:
		return x.rows.stage("score " + rows + " of " + string(method))
	case method.Embeds():
		return x.rows.stage("embed " + rows)
	}
	return x.rows.stage("score " + rows)
}

// violations returns the share of test rows whose decided labels violate an invariance, for those that decisions can judge.
func (x *examiner) violations(ctx context.Context, scores *mat.Dense) (metric.Figures, error) {
	if x.rows.Test.Task != setting.Multilabel {
		return nil, nil
	}
	var figures metric.Figures
	for k := range x.reg.Invariances {
		if !model.OnRows(x.reg, k) {
			continue
		}
		name := x.reg.Invariances[k].Name
		share, err := x.violationsOf(ctx, name, learn.Decide(setting.Multilabel, scores).Multi)
		if err != nil {
			return nil, err
		}
		figures = append(figures, metric.Figure{Name: name, Value: share})
	}
	return figures, nil
}

// violationsOf grounds one invariance on the test rows. NaN means that it says nothing of them.
func (x *examiner) violationsOf(ctx context.Context, name string, decisions *mat.Dense) (float64, error) {
	reg, _, err := x.onTestRows(ctx, name)
	if err != nil || reg == nil {
		return math.NaN(), err
	}
	return model.Violations(reg, decisions)[0], nil
}
