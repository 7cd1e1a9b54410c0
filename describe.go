package sipc

import (
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/sipc-ml/sipc/runtime/blas"
	"github.com/sipc-ml/sipc/runtime/metric"
	"github.com/sipc-ml/sipc/runtime/model"
	"github.com/sipc-ml/sipc/runtime/report"
	"github.com/sipc-ml/sipc/runtime/setting"
)

// muchLost is the median share of the squared norm of functionals above which a run warns that the features lose an
// invariance. It was measured on the example two-digits, where turning and shifting the test rows gains over method
// plain with all landmarks. With fewer landmarks a share of 0.29 left 0.9 of that gain, 0.48 left 0.7 and 0.66 left
// 0.3.
const muchLost = 0.3

// describe fills the report.
func (r *runner) describe() error {
	rep := r.report
	rep.Spec, rep.Data, rep.Test = r.spec.Path, r.o.Data, r.o.Test
	rep.Method, rep.MethodReason = string(r.method), r.instance.Reason
	if r.o.Method != "" {
		rep.MethodReason = "the call names it"
	}
	train, test := r.prepared.Train, r.prepared.Test
	rep.Task, rep.NTrain, rep.NTest = string(train.Task), train.Len(), test.Len()
	represent := r.fitting.Model.Represent
	rep.Dim = represent.Features.Dim()
	if r.method.Embeds() {
		rep.Scale = represent.Scale
	}
	if represent.Labels > 1 {
		rep.Labels = represent.Labels
	}
	rep.Metrics, rep.Under = r.result.metrics, r.result.under
	rep.Certificate, rep.Missed = r.certificate(), r.missed()
	rep.Regularizer = r.result.summands(r.fitting)
	r.hintClosure()
	r.hintFurther()
	r.warnOfDecisions()
	r.warnOfPaths()
	r.describeSpan()
	r.describeLearner()
	rep.Seed, rep.SpecSHA256 = r.prepared.Seed, r.spec.SHA256
	rep.Roots = test.RootNames()
	rep.Unseen, rep.Hints = unseen(test), append(rep.Hints, r.prepared.Hints...)
	rep.Warnings = append(rep.Warnings, r.warnings()...)
	rep.Timing.Figures = append(rep.Timing.Figures, metric.Figure{Name: "total", Value: time.Since(r.started).Seconds()})
	rep.Timing.BLAS = blas.Name()
	return nil
}

// certificate sums up the gaps of the embeddings, or is that of the one problem that was solved.
func (r *runner) certificate() *report.Certificate {
	gaps := r.fitting.Gaps
	switch r.method {
	case setting.Plain:
		return nil
	case setting.Embed, setting.Warp:
		gaps = append(append([]float64(nil), gaps...), r.result.gaps...)
	case setting.Risk, setting.Dual:
	}
	c := certificate(gaps, r.fitting.Model.Represent)
	if c != nil {
		if c.Scores = scoreErrors(r.result.errors, r.fitting.Model); c.Scores != nil {
			c.Scores.Train = scoreErrors(r.fitting.Errors, r.fitting.Model)
			c.Ask(model.EnoughOfSpread)
		}
	}
	return c
}

// missed says that most gaps of the training rows, or that of the one problem, are above what was asked for; empty: they are not.
func (r *runner) missed() string {
	c := certificate(r.fitting.Gaps, r.fitting.Model.Represent)
	if !c.Missed() {
		return ""
	}
	switch r.method {
	case setting.Embed, setting.Warp:
		return c.Shortfall("embeddings of the training rows")
	case setting.Risk, setting.Dual:
		return c.Shortfall("method " + string(r.method))
	case setting.Plain:
	}
	return ""
}

// describeSpan sums up what the features lose, and warns where it is much.
func (r *runner) describeSpan() {
	var medians []float64
	count, all, largest := 0, 0, 0.0
	for k, s := range r.fitting.Span {
		if s.Sampled == s.Zero {
			continue
		}
		medians = append(medians, s.Median)
		count, all, largest = count+s.Sampled, all+s.Functionals, max(largest, s.Largest)
		if s.Median > muchLost && r.method != setting.Plain {
			r.report.Warnings = append(r.report.Warnings, fmt.Sprintf(
				"the features lose %.0f %% of %s (the median share of its functionals' squared norm); %s would let it act more",
				100*s.Median, r.reg.Invariances[k].Name, finer(&r.instance.Features)))
		}
	}
	if r.report.Span = report.SummarizeSpan(medians); r.report.Span != nil {
		r.report.Span.Count, r.report.Span.Functionals, r.report.Span.MaxLoss = count, all, report.Number(largest)
	}
}

// finer names features that lose less than those given.
func finer(f *setting.Features) string {
	switch {
	case f.Kind == setting.Fourier:
		return "a larger count, or features nystrom(landmarks = all),"
	case f.Kind != setting.Nystrom:
		return "features nystrom(landmarks = all)"
	case f.Rank > 0:
		return "a larger rank, or none,"
	case f.Landmarks == setting.AllLandmarks:
		return "features exact, which loses nothing,"
	}
	return "more landmarks, or landmarks = all,"
}

func (r *runner) describeLearner() {
	r.report.Learner = learnerOf(r.fitting)
	if d := r.fitting.Descent; d != nil {
		start, gradient, inner := report.Number(d.Start), report.Number(d.Gradient), report.Number(d.Inner)
		r.report.Learner.Start, r.report.Learner.Gradient, r.report.Learner.Evaluations = &start, &gradient, d.Evaluations
		r.report.Learner.Inner = &inner
	}
	if r.fitting.Choice != nil {
		r.report.Grid = strengthOf(r.fitting)
	}
}

// learnerOf returns the learner of a fitted model as a report has it.
func learnerOf(f *model.Fitting) *report.Solution {
	fit := f.Model.Fit
	return &report.Solution{
		Text: fit.Learner.String(), Objective: report.Number(fit.Objective), Gap: report.Number(fit.Gap),
		Iterations: fit.Iterations, Converged: fit.Converged, Strength: fit.Learner.Strength,
	}
}

// strengthOf returns how the learner's strength was chosen; nil where there was nothing to choose.
func strengthOf(f *model.Fitting) *report.Grid {
	c := f.Choice
	if c == nil {
		return nil
	}
	g := gridOf(c, c.Best, func(k int) string { return c.Scores[k].Learner.String() })
	g.Anew = f.Anew
	return g
}

// warnings returns those of the data and of the fit.
func (r *runner) warnings() []string {
	out := slices.Clone(r.prepared.Warnings)
	if c := r.report.Certificate; c != nil && c.Reached < c.Count && r.method != setting.Risk && r.method != setting.Dual {
		text := fmt.Sprintf("%d of %d embeddings did not reach the gap %.0e", c.Count-c.Reached, c.Count, float64(c.Target))
		if c.Contradictions > 0 {
			text += "; " + c.Contradicting()
		} else {
			text += fmt.Sprintf("; the largest is %.2g", float64(c.MaxGap))
		}
		out = append(out, text)
	}
	if !r.fitting.Model.Fit.Converged {
		text := fmt.Sprintf("the learner stopped at a gap of %.2g", r.fitting.Model.Fit.Gap)
		if math.IsNaN(r.fitting.Model.Fit.Gap) {
			text = "the bounds of the learner's minimum contradict each other, so that nothing is proved of it"
		}
		if d := r.fitting.Descent; d != nil && d.Inner > d.InnerTarget {
			text += fmt.Sprintf("; the function is the embedding of its coefficients to a gap of %.2g, not %.2g", d.Inner, d.InnerTarget)
		}
		out = append(out, text)
	}
	return out
}

func (r *runner) describeBaseline(f *model.Fitting, e *evaluation) {
	r.report.Baseline = &report.Baseline{
		Method: string(setting.Plain), Metrics: e.metrics, Under: e.under, Regularizer: e.summands(f),
		Learner: learnerOf(f), Grid: strengthOf(f),
	}
}

// hintClosure tells of `decode closure` where labels imply one another and method plain breaks that less often.
func (r *runner) hintClosure() {
	if r.report.Baseline == nil || r.instance.Decode == setting.Closure || len(r.reg.Implications()) == 0 {
		return
	}
	for _, v := range r.report.Metrics.Violations {
		plain, ok := r.report.Baseline.Metrics.Violations.Get(v.Name)
		if ok && v.Value > plain {
			r.report.Hints = append(r.report.Hints, fmt.Sprintf(
				"the decided labels break %s more often than those of method plain (%.3g against %.3g): R acts on f, not on decisions; "+
					"`decode closure` makes them obey every implication", v.Name, v.Value, plain))
		}
	}
}
