package page

import (
	"fmt"
	"math"
	"path/filepath"
	"strings"

	"github.com/sipc-ml/sipc/runtime/metric"
	"github.com/sipc-ml/sipc/runtime/picture"
	"github.com/sipc-ml/sipc/runtime/report"
)

// taskWords says what kind of target is learnt.
var taskWords = map[string]string{
	"binary": "one of two classes", "class": "one of several classes", "real": "a number", "counts": "a count", "quantiles": "quantiles of a number", "multilabel": "a set of labels",
}

// lead says what was learnt from what, in one sentence or two.
func (r *Run) lead() string {
	rep := r.Report
	of := taskWords[rep.Task]
	if n := len(r.Classes); n > 2 {
		of += fmt.Sprintf(" (%d)", n)
	}
	target := r.Target
	if target == "" {
		target = "the label"
	}
	from := counted(len(r.Columns), "column")
	if r.Image[0] > 0 {
		from = fmt.Sprintf("images of %d × %d pixels", r.Image[0], r.Image[1])
	}
	text := fmt.Sprintf("Learns %s, %s, from %s of %s: %s to learn from, %s held out for the test.",
		target, of, from, filepath.Base(rep.Data), counted(rep.NTrain, "row"), counted(rep.NTest, "row"))
	return text
}

// main returns the name of the figure that matters most.
func (r *Run) main() string { return metric.Headline(r.Report.Task)[0] }

// summary tells the main figure beside those of others, and what else a reader should know first.
func (r *Run) summary() section {
	s := section{ID: "summary", Title: "Summary"}
	name := r.main()
	own := r.Machines[0].figure(name)
	if own == nil {
		return s
	}
	text := block{Text: fmt.Sprintf("%s is %s on the %s%s. It is the %s.",
		name, number(own.Value), counted(r.Report.NTest, "test row"), within(own.Interval), metric.Meaning(name))}
	if r.Alone != "" {
		text.Text += " Nothing stands beside it: " + r.Alone + "."
	}
	s.Blocks = append(s.Blocks, text, block{Figures: []figure{comparison(r, name)}}, block{Table: contest(r, name)}, block{Quiet: true, Text: howIntervals(r, own)})
	return s
}

// within writes an interval behind a figure.
func within(i metric.Interval) string {
	if !i.Known() {
		return ""
	}
	return ", with a 95 % interval from " + number(i.Low) + " to " + number(i.High)
}

// howIntervals says what the intervals are, and what they do not say.
func howIntervals(r *Run, own *Figure) string {
	text := "Intervals are of 95 %, over draws of the test rows. "
	of := "They"
	if own.Exact {
		text += "Those of shares of rows are Wilson's. "
		of = "The others, and those of differences,"
	}
	if r.Draws > 0 {
		are := "between quantiles"
		if r.Normal {
			are = "1.96 standard deviations about the estimate"
		}
		text += fmt.Sprintf("%s are %s of %s draws of the test rows with replacement, by the seed; each draw has the same rows for all. ", of, are, grouped(r.Draws))
	}
	if r.Draws < r.Asked {
		text += fmt.Sprintf("The time was over when %s of %s draws were done. ", grouped(r.Draws), grouped(r.Asked))
	}
	return text + "They tell nothing of other training rows, which --seeds does, nor of rows from elsewhere."
}

// comparison draws a figure of all machines.
func comparison(r *Run, name string) figure {
	p := &picture.Intervals{Heading: picture.Heading{Title: name, Note: "points are estimates, lines their intervals of 95 %", Value: name}}
	var told []string
	add := func(f *Figure, label string, colour int) {
		text := number(f.Value)
		if f.Interval.Known() {
			text += "  (" + number(f.Interval.Low) + " to " + number(f.Interval.High) + ")"
		}
		p.Rows = append(p.Rows, picture.Estimate{Name: label, Text: text, Value: f.Value, Low: f.Interval.Low, High: f.Interval.High, Colour: colour})
		told = append(told, label+" "+text)
	}
	for k := range r.Machines {
		if f := r.Machines[k].figure(name); f != nil {
			add(f, r.Machines[k].Name, min(k, 1))
		}
	}
	if f := majority(r, name); f != nil {
		add(f, "majority", 6)
	}
	p.Desc = strings.Join(told, "; ")
	return figureOf(p.Draw(), "")
}

// majority returns the figure of the majority beside an accuracy; nil beside others.
func majority(r *Run, name string) *Figure {
	if name != metric.Accuracy && name != metric.HammingAccuracy {
		return nil
	}
	return r.Machines[0].figure(metric.MajorityBaseline)
}

// contest compares the run's own figure with all others.
func contest(r *Run, name string) *table {
	t := &table{Caption: "The run beside others on the same test rows, by " + name, Head: []string{"", name, "difference", "95 % interval of the difference", ""}, Numbers: numbers(5, 4)}
	t.Rows = append(t.Rows, []cell{{Text: r.Machines[0].Name + ", this run", Main: true}, {Text: number(r.Machines[0].figure(name).Value), Main: true}, {}, {}, {}})
	for k := range r.Machines[1:] {
		m := &r.Machines[k+1]
		if f := m.figure(name); f != nil {
			verdict := judge(metric.Smaller(name), f)
			t.Rows = append(t.Rows, []cell{{Text: m.title()}, {Text: number(f.Value)}, {Text: signed(f.More)}, {Text: between(f.Between, signed)}, verdict})
		}
	}
	if f := majority(r, name); f != nil {
		own := r.Machines[0].figure(name)
		less := &Figure{More: own.Value - f.Value, Between: f.Between}
		t.Rows = append(t.Rows, []cell{{Text: "majority, which looks at no column"}, {Text: number(f.Value)}, {Text: signed(less.More)}, {Text: between(less.Between, signed)}, judge(metric.Smaller(name), less)})
	}
	t.Note = "A difference is that of this run less the other. Where its interval holds 0, these rows cannot tell the two apart."
	return t
}

// title names a machine with its setting.
func (m *Machine) title() string {
	if m.About == "" {
		return m.Name
	}
	return m.Name + ", " + m.About
}

// judge says whether the run's own figure is better, which a smaller one may be.
func judge(smaller bool, f *Figure) cell {
	sign := 1.0
	if smaller {
		sign = -1
	}
	switch {
	case math.IsNaN(f.More) || !f.Between.Known():
		return cell{}
	case f.Between.Holds(0):
		return cell{Text: "cannot be told apart"}
	case sign*f.More > 0:
		return cell{Text: "better", State: good}
	}
	return cell{Text: "worse", State: bad}
}

// badges returns the verdicts at the top.
func (r *Run) badges() (out []badge) {
	rep := r.Report
	if n := len(rep.Required); n > 0 {
		proved := 0
		for i := range rep.Required {
			if rep.Required[i].Answer == answerProved {
				proved++
			}
		}
		b := badge{good, fmt.Sprintf("%d of %d required statements proved", proved, n)}
		if proved < n {
			b.State = bad
		}
		out = append(out, b)
	}
	if rep.Certificate != nil {
		out = append(out, certificateBadge(rep.Certificate))
	}
	doubtful := 0
	for i := range rep.Lint {
		if rep.Lint[i].Doubtful {
			doubtful++
		}
	}
	if doubtful > 0 {
		out = append(out, badge{doubt, "labels break " + counted(doubtful, "declared statement")})
	}
	met := 0
	for _, e := range rep.Expected {
		if e.Met {
			met++
		}
	}
	if n := len(rep.Expected); n > 0 {
		b := badge{good, fmt.Sprintf("%d of %d expectations met", met, n)}
		if met < n {
			b.State = bad
		}
		out = append(out, b)
	}
	out = append(out, worthOf(rep)...)
	if n := len(rep.Warnings); n > 0 {
		out = append(out, badge{doubt, counted(n, "warning")})
	}
	return out
}

// worthOf says where what is declared costs, and where it does nothing.
func worthOf(rep *report.Report) (out []badge) {
	if b := rep.Baseline; b != nil && b.Costs != nil {
		out = append(out, badge{bad, fmt.Sprintf("what is declared costs %s of %s beside method plain", number(math.Abs(float64(b.Costs.More))), b.Costs.Metric)})
	}
	if rep.Certificate.Idle() {
		out = append(out, badge{doubt, "R is idle"})
	}
	return out
}

// mostScoreError is the bound of errors of scores, in their standard deviations, above which reached gaps are no good news.
const mostScoreError = 0.1

// certificateBadge says whether gaps reached their target, and whether scores may be far off all the same.
func certificateBadge(c *report.Certificate) badge {
	b := badge{good, "certificate: every gap reached its target"}
	if c.Reached < c.Count {
		b = badge{doubt, fmt.Sprintf("certificate: %d of %d gaps missed their target", c.Count-c.Reached, c.Count)}
	}
	if c.Scores == nil || c.Scores.Largest <= mostScoreError {
		return b
	}
	b.State = doubt
	if c.Scores.Largest <= 1 {
		b.Text += fmt.Sprintf("; scores are certified only within %s of their standard deviation", percent(float64(c.Scores.Largest)))
	} else {
		b.Text += "; single scores are not certified within their standard deviation"
	}
	return b
}

// notices tells the warnings and hints of the run.
func (r *Run) notices() section {
	s := section{ID: "notices", Title: "Warnings and hints"}
	if r.Report.Missed != "" {
		s.Blocks = append(s.Blocks, block{Callout: &callout{bad, "The run missed its aim.", r.Report.Missed + "."}})
	}
	for _, text := range r.Report.Warnings {
		s.Blocks = append(s.Blocks, block{Callout: &callout{doubt, "Warning.", text}})
	}
	for _, text := range r.Report.Hints {
		s.Blocks = append(s.Blocks, block{Callout: &callout{"", "Hint.", text}})
	}
	return s
}
