package report

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"
	"sort"
	"strconv"
	"strings"

	"github.com/sipc-ml/sipc/runtime/metric"
)

// WriteTable writes the report for a reader at a terminal.
func (r *Report) WriteTable(w io.Writer) error {
	var b strings.Builder
	r, alone := Unmatched(r)
	r.heading(&b)
	r.metricsTable(&b, r.shown(), r.Baseline)
	b.WriteByte('\n')
	if text := r.WeightLine(); text != "" && len(r.ClassWeights) > 0 {
		fmt.Fprintf(&b, "weight        %s\n", text)
	}
	r.classTable(&b)
	if r.All && len(r.Roots) > 0 {
		fmt.Fprintf(&b, "auprc         leaves the roots out, which nearly all rows have, as C-HMCNN does it: %s\n", strings.Join(r.Roots, ", "))
	}
	r.rivalTables(&b)
	r.Certificate.lines(&b)
	idleLines(&b, r, alone)
	WriteRequirements(&b, r.Required)
	r.regularizerTable(&b)
	r.measureTable(&b)
	r.orbitLines(&b)
	r.landmarksLine(&b)
	r.spanLine(&b)
	r.learnerLines(&b)
	r.timingLine(&b)
	for _, text := range r.Hints {
		fmt.Fprintf(&b, "hint: %s\n", text)
	}
	for _, text := range r.Untold() {
		fmt.Fprintf(&b, "warning: %s\n", text)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// Untold returns the warnings without those that the caller of the run has received already.
func (r *Report) Untold() []string {
	var out []string
	for _, text := range r.Warnings {
		if !slices.Contains(r.Told, text) {
			out = append(out, text)
		}
	}
	return out
}

// metricsTable shows the figures, and a contender's beside them with what the method gains over it. Names are of those to be shown; nil of all.
func (r *Report) metricsTable(b *strings.Builder, names []string, other *Contender) {
	t := &grid{right: []bool{false, true, true, true}, names: names}
	if head := []string{"", r.Method}; other == nil {
		t.add(head...)
		other = &Contender{}
	} else {
		t.add(append(head, cmp.Or(other.Method, other.Name), "difference")...)
	}
	t.figures("", &r.Metrics, &other.Metrics)
	for k := range r.Under {
		base := &Metrics{}
		if k < len(other.Under) {
			base = &other.Under[k].Metrics
		}
		label := "under " + r.Under[k].Transformation
		if u := &r.Under[k]; u.Inexact > 0 {
			label += fmt.Sprintf(" (%d of %d inexact)", u.Inexact, u.Of)
		}
		t.add(label)
		brief := *t
		if t.names != nil { // the one that matters most is enough
			brief.names = t.names[:1]
		}
		brief.figures("  ", &r.Under[k].Metrics, base)
		t.rows = brief.rows
	}
	t.write(b)
}

// shown returns the names of the figures that the table shows; nil stands for all.
func (r *Report) shown() []string {
	if r.All {
		return nil
	}
	return metric.Headline(r.Task)
}

// rivalTables writes the figures of each rival, with the run's own beside them.
func (r *Report) rivalTables(b *strings.Builder) {
	for k := range r.Rivals {
		v := &r.Rivals[k]
		// The figure of the majority stands above.
		r.metricsTable(b, slices.DeleteFunc(r.shown(), func(name string) bool { return name == metric.MajorityBaseline }), v)
		fmt.Fprintf(b, "rival %s: %s", v.Name, v.Setting)
		if len(v.Search) > 0 {
			held := "training rows held out"
			if r.NValid > 0 {
				held = "the valid rows"
			}
			fmt.Fprintf(b, ", the best of %d settings on %s", len(v.Search), held)
		}
		b.WriteByte('\n')
		if len(v.Copies) > 0 {
			more := "once"
			if v.NCopies != 1 {
				more = fmt.Sprintf("%d times", v.NCopies)
			}
			fmt.Fprintf(b, "copies        each training row %s more, under %s; scores are means over a row and its copies\n", more, strings.Join(v.Copies, "; "))
		}
		v.Learner.line(b)
		b.WriteByte('\n')
	}
}

// classTable shows each class, and how probabilities keep their word, where all figures are asked for.
func (r *Report) classTable(b *strings.Builder) {
	if !r.All || len(r.Metrics.Classes) == 0 {
		return
	}
	head := []string{"", "rows"}
	for _, f := range r.Metrics.Classes[0].Figures {
		head = append(head, f.Name)
	}
	t := &grid{right: []bool{false, true, true, true, true, true}}
	t.add(append(head, "decided")...)
	t.right = append(t.right, false)
	for i := range r.Metrics.Classes {
		c := &r.Metrics.Classes[i]
		cells := []string{c.Name, strconv.Itoa(c.Rows)}
		for _, f := range c.Figures {
			cells = append(cells, figureText(f.Value))
		}
		t.add(append(cells, decidedText(c, r.Metrics.Classes))...)
	}
	t.write(b)
	b.WriteByte('\n')
	if len(r.Metrics.Calibration) == 0 {
		return
	}
	t = &grid{right: []bool{false, true, true, true}}
	t.add("probability", "decisions", "mean", "so")
	for _, bin := range r.Metrics.Calibration {
		t.add(fmt.Sprintf("%g to %g", bin.From, bin.To), strconv.Itoa(bin.Count), figureText(bin.Confidence), figureText(bin.Share))
	}
	t.write(b)
	b.WriteByte('\n')
}

// decidedText says what the rows of a class are decided to be, the most frequent first; of a label, how many decisions are wrong.
func decidedText(c *metric.Class, all []metric.Class) string {
	if c.Decided == nil {
		return fmt.Sprintf("%d too many, %d too few", c.FalsePositive, c.FalseNegative)
	}
	var parts []metric.Figure
	for i := range all {
		if n := c.Decided[all[i].Name]; n > 0 {
			parts = append(parts, metric.Figure{Name: all[i].Name, Value: float64(n)})
		}
	}
	sort.SliceStable(parts, func(i, j int) bool { return parts[i].Value > parts[j].Value })
	texts := make([]string, len(parts))
	for i, p := range parts {
		texts[i] = fmt.Sprintf("%s %.0f", p.Name, p.Value)
	}
	return strings.Join(texts, ", ")
}

// figures adds the rows of one set of metrics.
func (t *grid) figures(indent string, m, base *Metrics) {
	for _, f := range m.Figures {
		if t.names == nil || slices.Contains(t.names, f.Name) || metric.Coverage(f.Name) && slices.Contains(t.names, metric.CoverageError) {
			t.figure(indent+f.Name, f, base.Figures, figureText, "%+.4f")
		}
	}
	for _, f := range m.Violations {
		t.figure(indent+"violations of "+f.Name, f, base.Violations, countText, "%+.4g")
	}
}

// figure adds a line with a figure, that of the baseline, and their difference.
func (t *grid) figure(label string, f metric.Figure, base metric.Figures, text func(float64) string, format string) {
	cells := []string{label, text(f.Value)}
	if v, ok := base.Get(f.Name); ok {
		cells = append(cells, text(v))
		if f.Name != metric.MajorityBaseline {
			cells = append(cells, difference(f.Value-v, format))
		}
	}
	t.add(cells...)
}

// figureText returns a figure with four decimals, or six digits if it is large.
func figureText(v float64) string {
	switch {
	case math.IsNaN(v) || math.IsInf(v, 0):
		return "undefined"
	case math.Abs(v) >= 1e4:
		return fmt.Sprintf("%.6g", v)
	}
	return fmt.Sprintf("%.4f", v)
}

// within returns a figure with no more decimals than two digits of its error have. Four are the most, and those of an unknown error.
// The flag is fmt's, + for a difference.
func within(v, err Number, flag string) string {
	value, decimals := float64(v), 4
	if e := float64(err); e > 0 && !math.IsInf(e, 0) {
		decimals = min(max(1-int(math.Floor(math.Log10(e))), 0), decimals)
	}
	if math.IsNaN(value) || math.Abs(value) >= 1e4 {
		return cmp.Or(map[string]string{"+": difference(value, "%+.4f")}[flag], figureText(value))
	}
	if math.Abs(value) < math.Pow10(-decimals)/2 {
		value = 0
	}
	return fmt.Sprintf("%"+flag+".*f", decimals, value)
}

// countText returns a count, or a mean of counts.
func countText(v float64) string {
	if v == math.Trunc(v) {
		return fmt.Sprintf("%.0f", v)
	}
	return figureText(v)
}

// difference returns a difference with its sign, or nothing if it is not finite.
func difference(v float64, format string) string {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return ""
	}
	if math.Abs(v) >= 1e4 {
		return fmt.Sprintf("%+.6g", v)
	}
	return fmt.Sprintf(format, v)
}

// Text returns the lines that a report has of a certificate: whether every embedding is proved to the target, or how far it got. Of
// no certificate there are none.
func (c *Certificate) Text() string {
	var b strings.Builder
	c.lines(&b)
	return b.String()
}

// lines writes the lines of Text.
func (c *Certificate) lines(b *strings.Builder) {
	if c == nil {
		return
	}
	if c.Reached == c.Count {
		fmt.Fprintf(b, "certificate   all %d ≤ %s", c.Count, short(c.Target))
	} else {
		fmt.Fprintf(b, "certificate   %d of %d ≤ %s: not reached by %d", c.Reached, c.Count, short(c.Target), c.Count-c.Reached)
	}
	fmt.Fprintf(b, " (largest gap %s, median %s%s)\n", short(c.MaxGap), short(c.MedianGap), c.over())
	if c.Contradictions > 0 {
		fmt.Fprintf(b, "              %s\n", c.Contradicting())
	}
	if c.Active != nil {
		fmt.Fprintf(b, "              %s\n", c.Active.Text())
	}
	c.Scores.line(b)
}

// over says what maxima and integrals over intervals are certified for.
func (c *Certificate) over() string {
	switch c.Between {
	case "proved":
		return fmt.Sprintf("; %d nodes, for the whole interval, by a proved error between them", c.Nodes)
	case "measured":
		return fmt.Sprintf("; %d nodes, for the whole interval, by a measured error between them", c.Nodes)
	case "nodes":
		return fmt.Sprintf("; for %d nodes, not for what lies between", c.Nodes)
	}
	return ""
}

func short(n Number) string {
	v := float64(n)
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return "unbounded"
	}
	return fmt.Sprintf("%.2g", v)
}

// regularizerTable writes a line for each summand of R: its size, and its values on training and test rows.
func (r *Report) regularizerTable(b *strings.Builder) {
	if len(r.Regularizer) == 0 {
		b.WriteString("regularizer   none: R = 0\n")
		return
	}
	r.summandTable(b, regularizerHead, true)
}

// regularizerHead stands above the invariances of R.
const regularizerHead = "regularizer"

// measureTable writes a line for each measure, which R does not hold.
func (r *Report) measureTable(b *strings.Builder) {
	if len(r.Measures) == 0 {
		return
	}
	of := *r
	of.Regularizer, of.Lint = r.Measures, nil
	if r.Baseline != nil {
		base := *r.Baseline
		base.Regularizer = base.Measures
		of.Baseline = &base
	}
	of.summandTable(b, "measure", len(r.Regularizer) == 0)
}

// summandTable writes a line for each invariance, and what there is to say of them below: of the columns too, if explained says so.
func (r *Report) summandTable(b *strings.Builder, head string, explained bool) {
	own, plain, tested := r.own(), "", slices.ContainsFunc(r.Regularizer, func(s Summand) bool { return s.Test.known() })
	if r.Baseline != nil {
		plain = r.Baseline.Method
	}
	lines := make([][]string, 1+len(r.Regularizer))
	for _, column := range []struct {
		head  string
		there bool
		text  func(k int, s *Summand) string
	}{
		{head, true, func(_ int, s *Summand) string { return "  " + s.Name }},
		{"kind", true, func(_ int, s *Summand) string { return s.Kind }},
		{"weight", head == regularizerHead, func(_ int, s *Summand) string { return fmt.Sprintf("%g", s.Weight) }},
		{"functionals", true, func(_ int, s *Summand) string { return strconv.Itoa(s.Functionals) }},
		{"value", true, own.valueCell},
		{plain, r.Baseline != nil, r.Baseline.valueCell},
		{"test rows", tested, own.testCell},
		{plain, tested && r.Baseline != nil, r.Baseline.testCell},
		{"labels break", len(r.Lint) > 0, func(_ int, s *Summand) string { return r.labelsBreak(s.Name) }},
	} {
		if !column.there {
			continue
		}
		lines[0] = append(lines[0], column.head)
		for k := range r.Regularizer {
			lines[k+1] = append(lines[k+1], column.text(k, &r.Regularizer[k]))
		}
	}
	t := &grid{right: append([]bool{false, false}, slices.Repeat([]bool{true}, len(lines[0])-2)...), rows: lines}
	t.write(b)
	r.regularizerNotes(b, tested, explained)
}

// valueCell returns the value of the k-th invariance at the contender's function, with the digits to which the run's own is known.
func (c *Contender) valueCell(k int, own *Summand) string {
	if s := c.summand(k); s != nil {
		return sampledText(s.Value, own.Sampled)
	}
	return ""
}

// testCell returns the value of the k-th invariance by the test rows.
func (c *Contender) testCell(k int, _ *Summand) string {
	if s := c.summand(k); s != nil && s.Test != nil {
		return sampledText(s.Test.Value, s.Test.Sampled)
	}
	return ""
}

// regularizerNotes says below the table of invariances what its columns are, and what there is to know of single values.
func (r *Report) regularizerNotes(b *strings.Builder, tested, columns bool) {
	seen, by := "training rows", ""
	if r.NUnlabelled > 0 {
		seen, by = "rows that R sees", "by all rows that R sees, "
	}
	if columns && slices.ContainsFunc(r.Regularizer, func(s Summand) bool { return valueText(s.Value) != "" }) {
		fmt.Fprintf(b, "value         %sat the function that predicts, scaled to a standard deviation of 1\n", by)
	}
	for _, s := range r.Regularizer {
		switch {
		case s.Unknown != "":
			fmt.Fprintf(b, "%s have no value of %s: %s\n", seen, s.Name, s.Unknown)
		case s.Sampled != nil:
			fmt.Fprintf(b, "              %s\n", s.Sampled.sentence(s.Name))
		}
	}
	if tested && columns {
		b.WriteString("test rows     the value that the invariance has by the test rows, at the same function and scale\n")
	}
	for k := range r.Regularizer {
		r.Regularizer[k].testLine(b)
	}
	for k, s := range r.Regularizer {
		if s.Broken == nil {
			continue
		}
		var base *Broken
		if plain := r.Baseline.summand(k); plain != nil {
			base = plain.Broken
		}
		fmt.Fprintf(b, "broken        %s\n", s.Broken.named(s.Name, base))
	}
	if slices.ContainsFunc(r.Regularizer, func(s Summand) bool { return r.labelsBreak(s.Name) != untellable }) {
		b.WriteString("labels break  the share of training rows, or of comparisons of rows, whose labels break it; sipc explain names them\n")
	}
}

// valueText returns a value of an invariance; empty where there is none.
func valueText(n Number) string {
	if v := float64(n); !math.IsNaN(v) && !math.IsInf(v, 0) {
		return fmt.Sprintf("%.4g", v)
	}
	return ""
}

// sampledText returns a value, with no more digits than it is known to where it is an estimate.
func sampledText(n Number, from *Sampled) string {
	if text := valueText(n); text == "" || from == nil || !(from.Error > 0) {
		return text
	}
	return within(n, from.Error, "")
}

// untellable stands where labels cannot tell whether an invariance is true.
const untellable = "–"

// labelsBreak returns the share of rows or of comparisons that break an invariance.
func (r *Report) labelsBreak(name string) string {
	for i := range r.Lint {
		if l := &r.Lint[i]; l.Name == name && l.Members > 0 {
			if l.Single() {
				return strings.TrimPrefix(l.difference(), "labels differ ")
			}
			return share(float64(l.Share))
		}
	}
	return untellable
}

// spanLine writes how much of the functionals the feature map loses.
func (r *Report) spanLine(b *strings.Builder) {
	if s := r.Span; s != nil {
		of := fmt.Sprintf("the %d functionals", s.Count)
		if s.Functionals > s.Count {
			of = fmt.Sprintf("a sample of %d of the %d functionals", s.Count, s.Functionals)
		}
		fmt.Fprintf(b, "feature map   loses %s of the squared norm in the median of %s, %s at most\n", percent(s.MedianLoss), of, percent(s.MaxLoss))
	}
}

// percent returns a share in percent.
func percent(n Number) string {
	v := float64(n)
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return "an unknown share"
	}
	if v >= 0.1 {
		return fmt.Sprintf("%.0f %%", 100*v)
	}
	return fmt.Sprintf("%.2g %%", 100*v)
}

// line says how near to its minimum a learner came; nothing where there is none.
func (l *Solution) line(b *strings.Builder) {
	if l != nil {
		fmt.Fprintf(b, "learner       %s\n", l.sentence())
	}
}

// sentence names the learner, and says how near to its minimum it came.
func (l *Solution) sentence() string {
	state := "gap " + short(l.Gap)
	switch {
	case math.IsNaN(float64(l.Gap)):
		state = "bounds contradict each other, not converged"
	case !l.Converged:
		state += ", not converged"
	}
	return fmt.Sprintf("%s (%s)", l.Text, state)
}

// learnerLine tells of a baseline whose strength was chosen, or whose learner did not come near enough to its minimum.
func (c *Contender) learnerLine(b *strings.Builder) {
	switch {
	case c == nil || c.Learner == nil:
	case c.Grid != nil && c.Grid.Valid > 0:
		fmt.Fprintf(b, "%-13s %s, chosen on the valid rows too\n", c.Method, c.Learner.sentence())
	case c.Grid != nil:
		fmt.Fprintf(b, "%-13s %s, chosen by a cross-validation of its own\n", c.Method, c.Learner.sentence())
	case !c.Learner.Converged:
		fmt.Fprintf(b, "%-13s %s\n", c.Method, c.Learner.sentence())
	}
}

// learnerLines writes how the minimization went, of the function and of the baseline.
func (r *Report) learnerLines(b *strings.Builder) {
	r.Learner.line(b)
	if l := r.Learner; l != nil {
		if l.Start != nil && l.Gradient != nil {
			fmt.Fprintf(b, "minimization  the regularized risk fell from %.4g to %.4g, computed %d times; its last gradient has length %s (0 at a minimum)\n",
				float64(*l.Start), float64(l.Objective), l.Evaluations, short(*l.Gradient))
			if l.Inner != nil {
				fmt.Fprintf(b, "coefficients  the function is their embedding, with a gap of %s\n", short(*l.Inner))
			}
		}
	}
	r.Baseline.learnerLine(b)
	r.Grid.table(b)
}

// table shows the candidates, the best first: all of a few, of many the first and the chosen one.
func (g *Grid) table(b *strings.Builder) {
	if g == nil {
		return
	}
	fmt.Fprintf(b, "grid          chose %s", g.Chosen)
	if g.Largest {
		b.WriteString(", the largest within one standard error of the best")
	}
	off, errors := "", "; means ± their standard errors"
	if g.Valid > 0 {
		fmt.Fprintf(b, ": %d fits, judged on the %s", g.Fits, Counted(g.Valid, "valid row"))
		errors = "; figures ± their standard errors over these rows"
	} else {
		fmt.Fprintf(b, ": %d fits, %s", g.Fits, Counted(g.Folds, "fold"))
	}
	if g.Later {
		b.WriteString(", each predicted from earlier rows")
	}
	if g.Anew {
		b.WriteString(", each with an R of its own rows")
	}
	if slices.ContainsFunc(g.Scores, func(c Candidate) bool { return c.off() != "" }) {
		off = "±"
		b.WriteString(errors)
	}
	b.WriteByte('\n')
	g.weights(b)
	t := &grid{right: []bool{false, true, true, false}}
	t.add("", g.Metric, off, "")
	left := 0
	for k, s := range g.Scores {
		mark := ""
		if s.Chosen {
			mark = "chosen"
		}
		if k >= shownCandidates && !s.Chosen {
			left++
			continue
		}
		t.add("  "+s.Choice, within(s.Score, s.Error, ""), s.off(), mark)
	}
	t.write(b)
	if left > 0 {
		fmt.Fprintf(b, "  and %d more, which --json lists\n", left)
	}
}

// off returns the standard error; nothing where there is none, as of one row.
func (c Candidate) off() string {
	if math.IsNaN(float64(c.Error)) {
		return ""
	}
	return within(c.Error, c.Error, "")
}

// shownCandidates is how many candidates the table shows besides the chosen one, so that the report stays a page.
const shownCandidates = 12
