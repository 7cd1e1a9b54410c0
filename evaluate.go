package sipc

import (
	"math"
	"strings"

	"gonum.org/v1/gonum/mat"

	"github.com/sipc-ml/sipc/plugins"
	"github.com/sipc-ml/sipc/runtime/dataset"
	"github.com/sipc-ml/sipc/runtime/learn"
	"github.com/sipc-ml/sipc/runtime/metric"
	"github.com/sipc-ml/sipc/runtime/model"
	"github.com/sipc-ml/sipc/runtime/report"
	"github.com/sipc-ml/sipc/runtime/represent"
	"github.com/sipc-ml/sipc/runtime/setting"
)

// An evaluation is what a model does on the test rows.
type evaluation struct {
	scores  *mat.Dense
	metrics report.Metrics
	under   []report.Under // for each transformation of `evaluate under`
	gaps    []float64
	errors  *mat.Dense         // bounds on those of the scores; nil where nothing is known
	tested  []*model.Elsewhere // by invariance, at the test rows; none where nothing was measured
}

// evaluate measures the model on the test rows, as they are and transformed.
func (r *runner) evaluate() error {
	sink, err := r.out.embeddings(testName, r.prepared.Test, r.fitting.Model.Represent)
	if err != nil {
		return err
	}
	out, err := r.measure(r.fitting, sink)
	if err != nil {
		return err
	}
	r.result = out
	out.inWitnesses(r.fitting.Model.Witnesses, r.fitting)
	r.lap("evaluate")
	return nil
}

// measure evaluates a fitted model. Embeddings of the test rows are handed to the sink, if there is one.
func (r *runner) measure(f *model.Fitting, sink *sink) (*evaluation, error) {
	train, test := r.prepared.Train, r.prepared.Test
	out := &evaluation{}
	var also func(represent.Batch) error
	if sink != nil {
		also = sink.write
	}
	scores, proof, err := f.Model.Scores(r.ctx, test.X, r.scoring(f, "test rows"), also)
	if err != nil {
		return nil, err
	}
	out.scores, out.gaps, out.errors = scores, proof.Gaps, proof.Errors
	out.metrics = metricsOf(train, test, out.scores, f.Model.Fit.Probabilities(out.scores))
	if out.metrics.Violations, err = r.violations(out.scores); err != nil {
		return nil, err
	}
	if out.tested, err = r.atTest(f, out.scores); err != nil {
		return nil, err
	}
	out.under, err = r.under(func(text string, rows *mat.Dense) (metric.Figures, error) {
		scores, proof, err := f.Model.Scores(r.ctx, rows, r.scoring(f, "test rows under "+text), nil)
		if err != nil {
			return nil, err
		}
		out.gaps = append(out.gaps, proof.Gaps...)
		return figuresOf(f.Model, train, test, scores), nil
	})
	return out, err
}

// under measures the test rows under each transformation of `evaluate under`, and under all of them one after the other.
func (r *runner) under(measure func(text string, rows *mat.Dense) (metric.Figures, error)) ([]report.Under, error) {
	transforms := r.instance.Transforms()
	data := familyData(r.prepared.Test)
	all := *data
	var texts []string
	var out []report.Under
	add := func(text string, rows plugins.Matrix) error {
		figures, err := measure(text, dense(rows))
		out = append(out, report.Under{Transformation: text, Metrics: report.Metrics{Figures: figures}})
		return err
	}
	for _, t := range transforms {
		moved, err := t.Apply(r.ctx, data)
		if err != nil {
			return nil, err
		}
		if err := add(t.Text, moved); err != nil {
			return nil, err
		}
		if all.Rows, err = t.Apply(r.ctx, &all); err != nil {
			return nil, err
		}
		texts = append(texts, t.Text)
	}
	if len(transforms) < 2 {
		return out, nil
	}
	return out, add(strings.Join(texts, ", then "), all.Rows)
}

// scoring returns the progress of what is done to rows under a fit, by name: a method that makes embeddings embeds them first.
func (r *runner) scoring(f *model.Fitting, rows string) func(done, total int) {
	switch method := f.Model.Represent.Method; {
	case method != r.method:
		return r.stage("score " + rows + " of " + string(method))
	case method.Embeds():
		return r.stage("embed " + rows)
	}
	return r.stage("score " + rows)
}

// step tells what is at hand where nothing counts how far it is.
func (r *runner) step(name string) {
	if progress := r.stage(name); progress != nil {
		progress(0, 0)
	}
}

func (r *runner) stage(name string) func(done, total int) {
	if r.o.Progress == nil {
		return nil
	}
	return func(done, total int) { r.o.Progress(name, done, total) }
}

// figuresOf returns the metrics of scores on a test set, with the majority of the training rows beside them.
func figuresOf(m *model.Model, train, test *dataset.Set, scores *mat.Dense) metric.Figures {
	return figures(train, test, scores, m.Fit.Probabilities(scores))
}

// metricsOf returns the figures, those of each class or label, and the calibration of probabilities; these may be nil.
func metricsOf(train, test *dataset.Set, scores, probabilities *mat.Dense) report.Metrics {
	task := test.Task
	out := report.Metrics{Figures: figures(train, test, scores, probabilities)}
	p := learn.Decide(task, scores)
	switch task {
	case setting.Real:
	case setting.Multilabel:
		out.Classes = metric.PerLabel(test.LabelNames, test.Multi, p.Multi, scores)
		if probabilities != nil {
			out.Calibration = metric.LabelCalibration(test.Multi, probabilities)
		}
	case setting.Binary, setting.Class:
		ranking := scores
		if task == setting.Class && probabilities != nil {
			ranking = probabilities
		}
		out.Classes = metric.PerClass(test.LabelNames, test.Class, p.Class, ranking)
		if probabilities != nil {
			out.Calibration = metric.ClassCalibration(test.Class, probabilities)
		}
	}
	return out
}

// figures returns the metrics of scores on a test set; probabilities may be nil.
func figures(train, test *dataset.Set, scores, probabilities *mat.Dense) metric.Figures {
	task := test.Task
	p := learn.Decide(task, scores)
	switch task {
	case setting.Real:
		return metric.Numbers(test.Real, p.Real)
	case setting.Multilabel:
		return metric.Labels(test.Multi, p.Multi, scores, train.Multi, probabilities, test.Roots())
	case setting.Binary, setting.Class:
	}
	return metric.Classes(test.Class, p.Class, train.Class, scores, probabilities)
}

// violations returns the share of test rows whose decided labels violate an invariance, for those that decisions can
// judge.
func (r *runner) violations(scores *mat.Dense) (metric.Figures, error) {
	if r.prepared.Test.Task != setting.Multilabel {
		return nil, nil
	}
	var figures metric.Figures
	for k := range r.reg.Invariances {
		if !model.OnRows(r.reg, k) {
			continue
		}
		name := r.reg.Invariances[k].Name
		share, err := r.violationsOf(name, learn.Decide(setting.Multilabel, scores).Multi)
		if err != nil {
			return nil, err
		}
		figures = append(figures, metric.Figure{Name: name, Value: share})
	}
	return figures, nil
}

// violationsOf grounds one invariance on the test rows. NaN means that it says nothing of them.
func (r *runner) violationsOf(name string, decisions *mat.Dense) (float64, error) {
	reg, _, err := r.onTestRows(name)
	if err != nil || reg == nil {
		return math.NaN(), err
	}
	return model.Violations(reg, decisions)[0], nil
}
