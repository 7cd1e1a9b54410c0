package page

import (
	"bytes"
	"fmt"
	"io"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/sipc-ml/sipc/runtime/metric"
	"github.com/sipc-ml/sipc/runtime/picture"
	"github.com/sipc-ml/sipc/runtime/report"
)

// Seeds are all that a page tells of runs of one spec under several seeds.
type Seeds struct {
	Summary *report.Summary
	Program string
	Command []string
	Sources []Source // the spec, and then what it includes
	Sets    []Set    // what the call set in it
}

// WriteHTML writes the page.
func (s *Seeds) WriteHTML(w io.Writer) error {
	sum := s.Summary
	d := &document{
		Title: "Report of " + filepath.Base(sum.Spec), Kicker: "Report of " + counted(len(sum.Seeds), "run"), Heading: filepath.Base(sum.Spec) + " on " + filepath.Base(sum.Data),
		Lead: s.lead(), Program: s.Program, Badges: s.badges(),
	}
	for _, part := range []section{s.summary(), s.notices(), s.declared(), s.metrics(), s.repeat()} {
		if len(part.Blocks) > 0 {
			d.Sections = append(d.Sections, part)
		}
	}
	return d.write(w)
}

// WriteCard writes the model card.
func (s *Seeds) WriteCard(b *bytes.Buffer, beside string) {
	c, sum := carder{b}, s.Summary
	c.linef("# Model card: %s\n\n%s\n", markdown(filepath.Base(sum.Spec)), markdown(s.lead()))
	for _, badge := range s.badges() {
		c.linef("- %s %s", badge.Sign(), markdown(badge.Text))
	}
	c.beside(beside)
	c.linef("\n## How well it predicts")
	for _, part := range []section{s.summary(), s.metrics()} {
		for _, b := range part.Blocks {
			c.table(b.Table)
		}
	}
	c.linef("## Limits\n\n- %s", markdown(s.howIntervals()))
	for _, text := range sum.Warnings {
		c.linef("- Warning at %s: %s", seedsText(text.Seeds), markdown(text.Text))
	}
	for _, text := range sum.Hints {
		c.linef("- Hint at %s: %s", seedsText(text.Seeds), markdown(text.Text))
	}
	c.linef("\n## How to repeat it\n\n```sh\n%s\n```\n", quoted(s.Command))
	c.sets(s.Sets)
	c.linef("- program: %s\n- SHA-256 of the spec: %s\n- SHA-256 of the data: %s", markdown(s.Program), code(sum.SpecSHA256), code(sum.DataSHA256))
}

// lead says what was run.
func (s *Seeds) lead() string {
	sum := s.Summary
	return fmt.Sprintf("Learns %s from %s, once for each of %s: %s to learn from, %s for the test. Method %s (%s).", taskWords[sum.Task], filepath.Base(sum.Data),
		counted(len(sum.Seeds), "seed"), counted(sum.NTrain, "row"), counted(sum.NTest, "row"), sum.Method, strings.TrimSuffix(sum.MethodReason, "."))
}

// badges returns the verdicts at the top.
func (s *Seeds) badges() (out []badge) {
	sum := s.Summary
	if n := len(sum.AllProved); n > 0 {
		out = append(out, badge{good, fmt.Sprintf("all %d required statements proved at %s", sum.Proved, counted(n, "seed"))})
	}
	if n := len(sum.Unproved); n > 0 {
		out = append(out, badge{bad, counted(n, "statement", "is", "are") + " not proved at some seed"})
	}
	if n := len(sum.GapsMissed); n > 0 {
		out = append(out, badge{doubt, "a gap is missed at " + counted(n, "seed")})
	}
	if n := len(sum.Failed); n > 0 {
		out = append(out, badge{bad, counted(n, "run") + " failed"})
	}
	if n := len(sum.Warnings); n > 0 {
		out = append(out, badge{doubt, counted(n, "warning")})
	}
	return out
}

// summary tells the figure that matters most.
func (s *Seeds) summary() section {
	sum, name := s.Summary, metric.Headline(s.Summary.Task)[0]
	out := section{ID: "summary", Title: "Summary"}
	own := spreadOf(sum.Metrics, name)
	if own == nil {
		return out
	}
	p := &picture.Intervals{Heading: picture.Heading{Title: name, Note: "points are estimates, lines their intervals of 95 %", Value: name + ", mean over the seeds"}}
	t := &table{Caption: name + " over the seeds", Head: []string{"", "mean", intervalHead, "difference", "95 % interval of the difference", "better at"}, Numbers: numbers(6)}
	var told []string
	add := func(label string, colour int, of *report.Spread, further ...cell) {
		i := intervalOf(of.Mean, of.Interval)
		p.Rows = append(p.Rows, picture.Estimate{Name: label, Text: number(float64(of.Mean)) + " ± " + number(float64(of.Interval)), Value: float64(of.Mean), Low: i.Low, High: i.High, Colour: colour})
		told = append(told, label+" "+number(float64(of.Mean)))
		t.Rows = append(t.Rows, append([]cell{{Text: label, Main: colour == 0}, {Text: number(float64(of.Mean)), Main: colour == 0}, {Text: between(i, number)}}, further...))
	}
	add(sum.Method, 0, own, cell{}, cell{}, cell{})
	for k := range sum.Contenders {
		c := &sum.Contenders[k]
		for j := range c.Metrics {
			if m := &c.Metrics[j]; m.Metric == name {
				add(c.Name, 1, &m.Spread, comparedCells(m)...)
			}
		}
	}
	if majority := spreadOf(sum.Metrics, metric.MajorityBaseline); majority != nil {
		add("majority", 6, majority, cell{}, cell{}, cell{})
	}
	p.Desc = strings.Join(told, "; ")
	t.Note = "A difference is that of " + sum.Method + " less the other, seed by seed on the same rows."
	out.Blocks = []block{{Figures: []figure{figureOf(p.Draw(), "")}}, {Table: t}, {Quiet: true, Text: s.howIntervals()}}
	return out
}

// howIntervals says what the intervals are, and what they do not say.
func (s *Seeds) howIntervals() string {
	text := "Intervals are of 95 %, by Student's t over the seeds. A seed draws the rows anew from one file, so that draws overlap: they speak of draws, and not of other data."
	if s.Summary.SameRows {
		text = "Every seed has the same training and test rows, so that the intervals tell nothing of other draws."
	}
	return text
}

// spreadOf returns the spread of a figure; nil where there is none.
func spreadOf(all []report.Spread, name string) *report.Spread {
	for k := range all {
		if all[k].Metric == name {
			return &all[k]
		}
	}
	return nil
}

// intervalOf returns an interval about a mean.
func intervalOf(mean, half report.Number) metric.Interval {
	return metric.Interval{Low: float64(mean - half), High: float64(mean + half)}
}

// comparedCells returns a difference, its interval, and at how many seeds the run's own is better.
func comparedCells(c *report.Compared) []cell {
	i := intervalOf(c.Difference, c.DifferenceInterval)
	difference := cell{Text: signed(float64(c.Difference))}
	if metric.Meaning(c.Metric) != "" && !metric.Coverage(c.Metric) && c.Metric != metric.MajorityBaseline {
		difference.State = judge(metric.Smaller(c.Metric), &Figure{More: float64(c.Difference), Between: i}).State
	}
	return []cell{difference, {Text: between(i, signed)}, {Text: fmt.Sprintf("%d of %d", c.Better, c.Pairs)}}
}

// notices tells failures, warnings and hints, each with its seeds.
func (s *Seeds) notices() section {
	sum, out := s.Summary, section{ID: "notices", Title: "Warnings and hints"}
	add := func(state, title, text string) {
		out.Blocks = append(out.Blocks, block{Callout: &callout{state, title, text}})
	}
	for _, f := range sum.Failed {
		add(bad, fmt.Sprintf("The run of seed %d failed.", f.Seed), f.Error)
	}
	for _, u := range sum.Unproved {
		add(bad, "Not proved at "+seedsText(u.Seeds)+".", u.Text)
	}
	if sum.Missed != "" {
		add(bad, "A run missed its aim.", sum.Missed+".")
	}
	for _, w := range sum.Warnings {
		add(doubt, "Warning at "+seedsText(w.Seeds)+".", w.Text)
	}
	for _, h := range sum.Hints {
		add("", "Hint at "+seedsText(h.Seeds)+".", h.Text)
	}
	return out
}

// seedsText names seeds.
func seedsText(seeds []uint64) string {
	const most = 12
	var names []string
	for _, seed := range seeds {
		names = append(names, strconv.FormatUint(seed, 10))
	}
	if len(names) == 1 {
		return "seed " + names[0]
	}
	return "seeds " + listed(names, most)
}

// declared shows the spec.
func (s *Seeds) declared() section {
	out := section{ID: "declared", Title: "What was declared"}
	for _, source := range s.Sources {
		out.Blocks = append(out.Blocks, codeBlocks(source)...)
	}
	out.Blocks = append(out.Blocks, setBlocks(s.Sets)...)
	out.Blocks = append(out.Blocks, block{Quiet: true, Text: "A page of a single run, without --seeds, tells what is known of each statement."})
	return out
}

// metrics tells all figures over the seeds, then those beside others, and those of each seed.
func (s *Seeds) metrics() section {
	sum, out := s.Summary, section{ID: "metrics", Title: "Metrics"}
	t := &table{Caption: "All figures over " + counted(len(sum.Seeds), "seed"), Head: []string{"figure", "mean", intervalHead, "what it is"}, Numbers: numbers(4, 3)}
	for k := range sum.Metrics {
		f := &sum.Metrics[k]
		t.Rows = append(t.Rows, []cell{{Text: f.Metric}, {Text: number(float64(f.Mean)), Main: true}, {Text: between(intervalOf(f.Mean, f.Interval), number)}, {Text: metric.Meaning(f.Metric)}})
	}
	t.Note = "Values of statements are at the function that predicts, scaled to a standard deviation of 1."
	out.Blocks = append(out.Blocks, block{Table: t})
	for k := range sum.Contenders {
		c := &sum.Contenders[k]
		t := &table{Caption: sum.Method + " beside " + c.Name, Head: []string{"figure", c.Name, "difference", "95 % interval of the difference", "better at"}, Numbers: numbers(5)}
		for j := range c.Metrics {
			m := &c.Metrics[j]
			t.Rows = append(t.Rows, append([]cell{{Text: m.Metric}, {Text: number(float64(m.Mean))}}, comparedCells(m)...))
		}
		out.Blocks = append(out.Blocks, block{Table: t})
	}
	for k := range sum.Under {
		u := &sum.Under[k]
		t := &table{Caption: "Under " + u.Transformation, Head: []string{"figure", "mean", intervalHead}, Numbers: numbers(3)}
		for j := range u.Metrics {
			m := &u.Metrics[j]
			t.add(m.Metric, number(float64(m.Mean)), between(intervalOf(m.Mean, m.Interval), number))
		}
		out.Blocks = append(out.Blocks, block{Table: t})
	}
	if t := s.bySeed(); t != nil {
		out.Blocks = append(out.Blocks, block{Heading: "Seed by seed", Table: t})
	}
	return out
}

// bySeed shows the figure that matters most at each seed; nil where there is none.
func (s *Seeds) bySeed() *table {
	sum, name := s.Summary, metric.Headline(s.Summary.Task)[0]
	own := spreadOf(sum.Metrics, name)
	if own == nil {
		return nil
	}
	t := &table{Caption: name + " at each seed", Head: []string{"seed", sum.Method}}
	columns := [][]report.Number{own.Values}
	for k := range sum.Contenders {
		for j := range sum.Contenders[k].Metrics {
			if m := &sum.Contenders[k].Metrics[j]; m.Metric == name {
				t.Head, columns = append(t.Head, sum.Contenders[k].Name), append(columns, m.Values)
			}
		}
	}
	t.Numbers = numbers(len(t.Head))
	for i, seed := range sum.Seeds {
		row := []cell{{Text: strconv.FormatUint(seed, 10)}}
		for k, values := range columns {
			row = append(row, cell{Text: number(float64(values[i])), Main: k == 0})
		}
		t.Rows = append(t.Rows, row)
	}
	return t.cut(mostClasses, "seed")
}

// repeat says how to do it again, and what was chosen.
func (s *Seeds) repeat() section {
	sum := s.Summary
	facts := []fact{{"command", quoted(s.Command), true}, {"seeds", seedsText(sum.Seeds), false}, {"program", s.Program, false}, {"SHA-256 of the spec", sum.SpecSHA256, true}, {"SHA-256 of the data", sum.DataSHA256, true}}
	if sum.TestSHA256 != "" {
		facts = append(facts, fact{"SHA-256 of the test rows", sum.TestSHA256, true})
	}
	for _, c := range sum.Chosen {
		facts = append(facts, fact{"chosen at " + seedsText(c.Seeds), c.Setting, false})
	}
	return section{ID: "repeat", Title: "How to repeat it", Blocks: []block{{Facts: facts}}}
}
