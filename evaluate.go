package sipc

import (
	"context"
	"math"
	"strings"

	"gonum.org/v1/gonum/mat"

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
	keeps   bool                // what the test rows get on which figures rest, for their intervals
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
	if out.metrics.Violations, out.violated, err = x.violations(ctx, out.scores); err != nil {
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
	moved, err := x.measureUnder(ctx, func(text string, rows *mat.Dense) (scores, probabilities *mat.Dense, c *report.Certificate, err error) {
		scores, proof, err := f.Model.Scores(ctx, rows, x.scoring(f, "test rows under "+text), nil)
		if err != nil {
			return nil, nil, nil, err
		}
		out.gaps = append(out.gaps, proof.Gaps...)
		return scores, model.Probabilities(f.Model, scores), certificate(proof.Gaps, f.Model.Represent), nil
	})
	if err != nil {
		return nil, err
	}
	out.under, out.moved = moved.under, moved.moved
	return out, nil
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

// A scorer returns what a machine gives to rows, and the certificate of embeddings on which that rests. Probabilities and certificate may be nil.
type scorer func(text string, rows *mat.Dense) (scores, probabilities *mat.Dense, c *report.Certificate, err error)

// A mover measures a machine on test rows that are moved. It has the scores of these, too, if the examiner keeps them. There is one matrix for a
// transformation, and for an orbit one for each of its moves.
type mover struct {
	x     *examiner
	score scorer
	under []report.Under
	moved [][]*mat.Dense
}

// A move is how rows are moved, in words and as they become.
type move struct {
	text string
	rows func() (plugins.Matrix, error)
}

// add measures rows under some moves: figures are means over the moves.
func (m *mover) add(text string, moves ...move) error {
	out, all := report.Under{Transformation: text}, []*mat.Dense(nil)
	for _, of := range moves {
		rows, err := of.rows()
		if err != nil {
			return err
		}
		scores, probabilities, c, err := m.score(of.text, dense(rows))
		if err != nil {
			return err
		}
		if c != nil && c.Reached < c.Count {
			out.Inexact += c.Count - c.Reached
		}
		if c != nil {
			out.Of += c.Count
		}
		for at, f := range Figures(m.x.rows.Train, m.x.rows.Test, scores, probabilities) {
			if len(out.Metrics.Figures) <= at {
				out.Metrics.Figures = append(out.Metrics.Figures, metric.Figure{Name: f.Name})
			}
			out.Metrics.Figures[at].Value += f.Value / float64(len(moves))
		}
		if m.x.keeps {
			all = append(all, scores)
		}
	}
	if out.Inexact == 0 {
		out.Of = 0
	}
	m.under, m.moved = append(m.under, out), append(m.moved, all)
	return nil
}

// measureUnder measures the test rows under each transformation of `evaluate under`, and under all of them one after the other. Under an orbit each row
// has moves of its own.
func (x *examiner) measureUnder(ctx context.Context, score scorer) (*mover, error) {
	m, data := &mover{x: x, score: score}, familyData(x.rows.Test)
	all := *data
	var moves []move
	var texts []string
	for _, t := range x.instance.Transforms() {
		of := move{t.Text, func() (plugins.Matrix, error) { return t.Apply(ctx, data, x.rows.Seed) }}
		if moves, texts = append(moves, of), append(texts, t.Text); t.Orbit != "" {
			continue
		}
		if err := m.add(t.Text, of); err != nil {
			return nil, err
		}
		var err error
		if all.Rows, err = t.Apply(ctx, &all, x.rows.Seed); err != nil {
			return nil, err
		}
	}
	var err error
	switch {
	case len(moves) > 0 && len(m.under) == 0: // of one orbit
		err = m.add(x.instance.Transforms()[0].Orbit, moves...)
	case len(moves) > 1:
		text := strings.Join(texts, ", then ")
		err = m.add(text, move{text, func() (plugins.Matrix, error) { return all.Rows, nil }})
	}
	return m, err
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

// judging returns the names of the invariances that decisions about rows may judge. Method plain has grounded none, so that these are all that
// are one-sided.
func (x *examiner) judging() (names []string) {
	if x.method == setting.Plain {
		return x.instance.OneSided()
	}
	for k := range x.reg.Invariances {
		if model.OnRows(x.reg, k) {
			names = append(names, x.reg.Invariances[k].Name)
		}
	}
	return names
}

// violations returns the share of test rows whose decided labels violate an invariance, for those that decisions can judge. It returns these
// rows, too, as ones; nil for an invariance that says nothing of them.
func (x *examiner) violations(ctx context.Context, scores *mat.Dense) (figures metric.Figures, rows [][]float64, err error) {
	if x.rows.Test.Task != setting.Multilabel {
		return nil, nil, nil
	}
	for _, name := range x.judging() {
		reg, _, err := x.onTestRows(ctx, name)
		if err != nil {
			return nil, nil, err
		}
		if x.method == setting.Plain && (reg == nil || !model.OnRows(reg, 0)) {
			continue // the test rows alone tell what decisions can judge
		}
		var violated []float64
		if reg != nil {
			violated = model.Violations(reg, 0, learn.Decide(setting.Multilabel, scores).Multi)
		}
		f := metric.Figure{Name: name, Value: math.NaN()}
		if violated != nil {
			f.Value = metric.Mean(violated, x.rows.Test.Weight)
		}
		figures, rows = append(figures, f), append(rows, violated)
	}
	return figures, rows, nil
}
