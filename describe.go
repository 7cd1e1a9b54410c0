package sipc

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/sipc-ml/sipc/runtime/blas"
	"github.com/sipc-ml/sipc/runtime/embed"
	"github.com/sipc-ml/sipc/runtime/learn"
	"github.com/sipc-ml/sipc/runtime/model"
	"github.com/sipc-ml/sipc/runtime/report"
	"github.com/sipc-ml/sipc/runtime/setting"
)

// muchLost is the median share of the squared norm of functionals above which a run warns that the features lose an
// invariance. It was measured on the example two-digits, where turning and shifting the test rows gains over method
// plain with all landmarks. With fewer landmarks a share of 0.29 left 0.9 of that gain, 0.48 left 0.7 and 0.66 left
// 0.3.
const muchLost = 0.3

// report returns the report of a run, but for its files and times. Warnings that it finds on the way are told to the journal.
func (f *findings) report(j *journal) *report.Report {
	represent := f.fitting.Model.Represent
	rep := &report.Report{
		Spec: f.rows.Spec.Path, SpecSHA256: f.rows.Spec.SHA256, DataSHA256: f.rows.dataSHA256, TestSHA256: f.rows.testSHA256, Seed: f.rows.Seed,
		Method: string(f.method), MethodReason: cmp.Or(f.reason, f.instance.Reason),
		Task: string(f.rows.Train.Task), NTrain: f.rows.Train.Len(), NUnlabelled: f.rows.seen.Len() - f.rows.Train.Len(), NTest: f.rows.Test.Len(), Dim: represent.Features.Dim(),
		Metrics: f.metrics, Under: f.under, Lint: f.lints, Regularizer: f.summands, Measures: f.measures,
		Certificate: f.certificate(), Missed: f.missed(), Learner: f.solution(), Grid: f.grid,
		Roots: f.rows.Test.RootNames(), Unseen: f.rows.Test.Unseen,
		Required: requirements(f.rows.Preparation, f.fitting.Model.Requirements),
	}
	if f.rows.Valid != nil {
		rep.NValid = f.rows.Valid.Len()
	}
	f.describeWeights(rep)
	if n := f.fitting.Learnt; n > rep.NTrain {
		rep.NLearnt = n
	}
	for _, t := range f.instance.LearnUnder() {
		rep.LearnUnder = append(rep.LearnUnder, t.Text)
	}
	rep.Timing.BLAS = blas.Name()
	if f.rows.method != "" {
		rep.MethodReason = "the call names it"
	}
	if f.method.Embeds() {
		rep.Scale = represent.Scale
	}
	if represent.Labels > 1 {
		rep.Labels = represent.Labels
	}
	if c := embed.Choose(represent.Features); c != nil {
		rep.Landmarks = &report.Landmarks{
			Count: c.Landmarks, Points: c.Points, RowsLost: report.Number(c.Rows), FunctionalsLost: report.Number(c.Functionals), Sampled: c.Sampled, Costly: c.Costly,
		}
	}
	if f.fitting.Choice != nil {
		rep.Grid = strengthOf(f.fitting)
	}
	f.describeBeside(rep)
	if f.rows.Test.Len() > 0 {
		rep.Expected = expected(f.instance, rep)
	} else if n := len(f.instance.Expected(func(string, string, bool) (float64, string) { return 0, "" })); n > 0 {
		j.note("there are no test rows: what the spec expects is not judged")
	}
	further := f.hintsCost()
	costs := further != nil
	if !costs {
		further = hintsFurther(f.further, rep.Regularizer)
	}
	rep.Hints = slices.Concat(f.hintsClosure(), further, f.grid.Bearing(), hintsOrbit(rep.Regularizer, &f.instance.Features, rep.Landmarks), f.rows.Hints)
	for _, d := range f.pathDoubts(rep.Certificate) {
		j.warn(d)
	}
	var lost []string
	if rep.Span, lost = f.span(); costs {
		lost = nil // R that costs should not act more
	}
	rep.Warnings, rep.Told = slices.Concat(j.warnings, lost, f.warnings(rep.Certificate)), j.told
	return rep
}

// describeWeights fills in how training rows are weighed.
func (f *findings) describeWeights(rep *report.Report) {
	train, spec := f.rows.Train, f.rows.Spec.data()
	if train.Weight == nil {
		return
	}
	rep.Weight, rep.WeightBy = train.Total(), spec.Weight
	if !spec.Balanced {
		return
	}
	if rep.WeightBy = "balanced"; spec.Weight != "" {
		rep.WeightBy += "(" + spec.Weight + ")"
	}
	for k, name := range train.LabelNames {
		c := report.ClassWeight{Class: name}
		for i, of := range train.Class {
			if of == k {
				c.Rows, c.Weight = c.Rows+1, c.Weight+train.Weight[i]
			}
		}
		if c.Rows > 0 {
			c.Weight /= float64(c.Rows)
			rep.ClassWeights = append(rep.ClassWeights, c)
		}
	}
}

// describeBeside fills in the baseline and the rivals.
func (f *findings) describeBeside(rep *report.Report) {
	switch b := f.baseline; {
	case b != nil:
		rep.Baseline = &report.Contender{
			Method: string(setting.Plain), Metrics: b.metrics, Under: b.under, Regularizer: b.summands, Measures: b.measures,
			Learner: solutionOf(b.fitting.Model.Fit), Grid: strengthOf(b.fitting), Costs: f.cost,
		}
	case f.alone:
		rep.Baseline = rep.Twin(string(setting.Plain))
	}
	for _, r := range f.rivals {
		rep.Rivals = append(rep.Rivals, *r.Contender)
	}
}

// certificate sums up the gaps of the embeddings, or is that of the one problem that was solved.
func (f *findings) certificate() *report.Certificate {
	gaps := f.fitting.Gaps
	switch f.method {
	case setting.Plain:
		return nil
	case setting.Embed, setting.Warp:
		gaps = append(append([]float64(nil), gaps...), f.gaps...)
	case setting.Risk, setting.Dual:
	}
	c := certificate(gaps, f.fitting.Model.Represent)
	if c != nil {
		c.Active = f.fitting.Active
		if c.Scores = scoreErrors(f.errors, f.fitting.Model); c.Scores != nil {
			c.Scores.Train = scoreErrors(f.fitting.Errors, f.fitting.Model)
			if n, _ := f.fitting.Errors.Dims(); n < f.rows.Train.Len() {
				c.Scores.Train.Sampled = n
			}
			c.Scores.Train.MeanSquare = report.Number(f.fitting.MeanSquare / f.fitting.Model.Nearness.Spread)
			c.Ask(model.EnoughOfSpread, f.fitting.Rounding)
		}
		if idle := report.Number(f.fitting.Idle); f.fitting.Idle >= 0 && len(f.fitting.Regularizer.Invariances) > 0 {
			c.Without = &idle
		}
	}
	return c
}

// missed says that most gaps of the training rows are above what was asked for, or the gap of the one problem is. Empty means no.
func (f *findings) missed() string {
	c := certificate(f.fitting.Gaps, f.fitting.Model.Represent)
	if !c.Missed() {
		return ""
	}
	switch f.method {
	case setting.Embed, setting.Warp:
		return c.Shortfall("embeddings of the training rows")
	case setting.Risk, setting.Dual:
		return c.Shortfall("method " + string(f.method))
	case setting.Plain:
	}
	return ""
}

// span sums up what the features lose, and warns where it is much.
func (f *findings) span() (out *report.Span, lost []string) {
	var medians []float64
	count, all, largest := 0, 0, 0.0
	for k, s := range f.fitting.Span {
		if s.Sampled == s.Zero {
			continue
		}
		medians = append(medians, s.Median)
		count, all, largest = count+s.Sampled, all+s.Functionals, max(largest, s.Largest)
		if s.Median > muchLost && f.method != setting.Plain {
			lost = append(lost, fmt.Sprintf(
				"the features lose %.0f %% of %s (the median share of its functionals' squared norm); %s would let it act more",
				100*s.Median, f.fitting.Regularizer.Invariances[k].Name, finer(&f.instance.Features, embed.Choose(f.fitting.Model.Represent.Features), f.method)))
		}
	}
	if out = report.SummarizeSpan(medians); out != nil {
		out.Count, out.Functionals, out.MaxLoss = count, all, report.Number(largest)
	}
	return out, lost
}

// moreLandmarks is how many times more landmarks are named where all were not taken.
const moreLandmarks = 2

// finer names features that lose less than those given, of whose points some are landmarks.
func finer(f *setting.Features, c *embed.Choice, method setting.Method) string {
	switch {
	case f.Landmarks == setting.AllLandmarks && c != nil && c.Landmarks < c.Points:
		text := fmt.Sprintf("features nystrom(landmarks = %d), at more cost,", min(moreLandmarks*c.Landmarks, c.Points))
		if method.Embeds() {
			text = "method risk, at whose cost more landmarks are taken, or " + text
		}
		return text
	case f.Kind == setting.Fourier:
		return "a larger count, or features nystrom(landmarks = all),"
	case f.Kind != setting.Nystrom:
		return "features nystrom(landmarks = all)"
	case f.Rank > 0:
		return "a larger rank, or none,"
	case f.Landmarks == setting.AllLandmarks:
		return "features exact, which loses nothing,"
	}
	if f.Landmarks == setting.RowLandmarks {
		return "landmarks = all"
	}
	return "more landmarks"
}

// solution returns how the learner was fitted, and for method dual how its coefficients were found.
func (f *findings) solution() *report.Solution {
	out := solutionOf(f.fitting.Model.Fit)
	if d := f.fitting.Descent; d != nil {
		start, gradient, inner := report.Number(d.Start), report.Number(d.Gradient), report.Number(d.Inner)
		out.Start, out.Gradient, out.Inner, out.Evaluations = &start, &gradient, &inner, d.Evaluations
	}
	return out
}

// solutionOf returns a learner and how it was fitted, as a report has them.
func solutionOf(fit *learn.Fit) *report.Solution {
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

// warnings returns those of the data, the fit and the rivals.
func (f *findings) warnings(c *report.Certificate) []string {
	out := slices.Concat(f.rows.Warnings, f.fitting.Left)
	if c != nil && c.Reached < c.Count && f.method != setting.Risk && f.method != setting.Dual {
		text := fmt.Sprintf("%d of %d embeddings did not reach the gap %.0e", c.Count-c.Reached, c.Count, float64(c.Target))
		if c.Contradictions > 0 {
			text += "; " + c.Contradicting()
		} else {
			text += fmt.Sprintf("; the largest is %.2g", float64(c.MaxGap))
		}
		out = append(out, text)
	}
	if !f.fitting.Model.Fit.Converged {
		text := fmt.Sprintf("the learner stopped at a gap of %.2g", f.fitting.Model.Fit.Gap)
		if math.IsNaN(f.fitting.Model.Fit.Gap) {
			text = "the bounds of the learner's minimum contradict each other, so that nothing is proved of it"
		}
		if d := f.fitting.Descent; d != nil && d.Inner > d.InnerTarget {
			text += fmt.Sprintf("; the function is the embedding of its coefficients to a gap of %.2g, not %.2g", d.Inner, d.InnerTarget)
		}
		out = append(out, text)
	}
	for _, r := range f.rivals {
		if r.Learner != nil && !r.Learner.Converged {
			out = append(out, fmt.Sprintf("rival %s: the learner stopped at a gap of %.2g", r.Name, float64(r.Learner.Gap)))
		}
	}
	return out
}

// hintsClosure tells of `decode closure` where labels imply one another and method plain breaks that less often.
func (f *findings) hintsClosure() (hints []string) {
	if f.baseline == nil || f.instance.Decode == setting.Closure || len(f.fitting.Regularizer.Implications()) == 0 {
		return nil
	}
	for _, v := range f.metrics.Violations {
		plain, ok := f.baseline.metrics.Violations.Get(v.Name)
		if ok && v.Value > plain {
			hints = append(hints, fmt.Sprintf(
				"the decided labels break %s more often than those of method plain (%.3g against %.3g): R acts on f, not on decisions; "+
					"`decode closure` makes them obey every implication", v.Name, v.Value, plain))
		}
	}
	return hints
}
