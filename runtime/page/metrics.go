package page

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/sipc-ml/sipc/runtime/metric"
	"github.com/sipc-ml/sipc/runtime/picture"
)

const (
	mostClasses   = 100 // rows of a table of classes
	mostConfused  = 16  // classes of a matrix of confusions
	mostConfusion = 20  // confusions that are listed where there are more classes
	smallBin      = 10  // decisions of a bin below which its frequency says little
)

// metrics tells all figures of the test rows.
func (r *Run) metrics() section {
	s := section{ID: "metrics", Title: "Metrics"}
	s.Blocks = append(s.Blocks, block{Table: figuresTable(r)})
	if t := movedTable(r); t != nil {
		s.Blocks = append(s.Blocks, block{Heading: "On transformed test rows", Text: "The test rows, moved by each transformation of evaluate under.", Table: t})
	}
	s.Blocks = append(s.Blocks, classBlocks(r)...)
	s.Blocks = append(s.Blocks, calibrationBlocks(r)...)
	s.Blocks = append(s.Blocks, numberBlocks(r)...)
	s.Blocks = append(s.Blocks, choiceBlocks(r)...)
	return s
}

// figuresTable shows every figure of every machine.
func figuresTable(r *Run) *table {
	own := &r.Machines[0]
	t := &table{Caption: "All figures on " + counted(r.Report.NTest, "test row"), Head: append([]string{"figure"}, r.besideHead()...)}
	t.Numbers = numbers(len(t.Head)+1, len(t.Head))
	t.Head = append(t.Head, "what it is")
	for i := range own.Figures {
		f := &own.Figures[i]
		row := append([]cell{{Text: f.Name, Main: f.Name == r.main()}}, r.besides(f, func(m *Machine) *Figure { return m.figure(f.Name) }, judgeFigure)...)
		t.Rows = append(t.Rows, append(row, cell{Text: metric.Meaning(f.Name)}))
	}
	for i := range own.Violations {
		f := &own.Violations[i]
		row := append([]cell{{Text: "violations of " + f.Name}}, r.besides(f, func(m *Machine) *Figure { return at(m.Violations, i) }, judgeLess)...)
		t.Rows = append(t.Rows, append(row, cell{Text: "share of rows whose decided labels break the statement; lower is better"}))
	}
	t.Note = "A difference is this run's less the other's. A sign marks those whose 95 % interval over the same test rows leaves out 0: ✓ this run is better, ✕ it is worse."
	return t
}

// besideHead returns the heads above figures of all machines beside each other.
func (r *Run) besideHead() []string {
	head := []string{r.Machines[0].Name, intervalHead}
	for _, m := range r.Machines[1:] {
		head = append(head, m.Name, "difference")
	}
	return head
}

// besides shows a figure of the run's own with its interval, and that of each other machine with its difference.
func (r *Run) besides(own *Figure, of func(*Machine) *Figure, state func(*Figure) string) []cell {
	row := []cell{{Text: number(own.Value), Main: true}, {Text: between(own.Interval, number)}}
	for k := range r.Machines[1:] {
		other := of(&r.Machines[k+1])
		switch {
		case other == nil:
			row = append(row, cell{Text: undefined}, cell{Text: undefined})
		case other.Name == metric.MajorityBaseline:
			row = append(row, cell{Text: number(other.Value)}, cell{})
		default:
			row = append(row, cell{Text: number(other.Value)}, cell{Text: signed(other.More), State: state(other)})
		}
	}
	return row
}

// at returns one of some figures; nil where there are fewer.
func at(figures []Figure, k int) *Figure {
	if k >= len(figures) {
		return nil
	}
	return &figures[k]
}

// judgeFigure says whether the run's own figure is better; it says nothing of a coverage, more of which is not better.
func judgeFigure(f *Figure) string {
	if metric.Coverage(f.Name) {
		return ""
	}
	return judge(metric.Smaller(f.Name), f).State
}

// judgeLess says whether the run's own figure is better, of one that is small where it is good.
func judgeLess(f *Figure) string { return judge(true, f).State }

// movedTable shows the main figure on transformed test rows; nil where there are none.
func movedTable(r *Run) *table {
	name, own := r.main(), &r.Machines[0]
	if len(r.Report.Under) == 0 {
		return nil
	}
	t := &table{Caption: name + " on transformed test rows", Head: append([]string{"transformation"}, r.besideHead()...)}
	t.Numbers = numbers(len(t.Head))
	line := func(label string, of func(*Machine) *Figure) {
		t.Rows = append(t.Rows, append([]cell{{Text: label}}, r.besides(of(own), of, judgeFigure)...))
	}
	line("none", func(m *Machine) *Figure { return m.figure(name) })
	for k := range r.Report.Under {
		u := &r.Report.Under[k]
		label := u.Transformation
		if u.Inexact > 0 {
			label += fmt.Sprintf(" (%d of %d embeddings missed the gap)", u.Inexact, u.Of)
		}
		line(label, func(m *Machine) *Figure { return at(m.Moved, k) })
	}
	return t
}

// classBlocks shows each class or label, and how classes are confused.
func classBlocks(r *Run) []block {
	all := r.Report.Metrics.Classes
	if len(all) == 0 {
		return nil
	}
	noun := "class"
	if all[0].Decided == nil {
		noun = "label"
	}
	t := &table{Caption: "Each " + noun + " against the rest", Head: []string{noun, "rows", "precision", intervalHead, "recall", intervalHead, "f1", "auc", "wrongly decided for", "missed"}, Numbers: numbers(10)}
	whole := !r.Weighted
	for i := range all {
		c := &all[i]
		precision, recall := metric.NoInterval(), metric.NoInterval()
		if whole {
			precision, recall = metric.Wilson(c.TruePositive, c.TruePositive+c.FalsePositive), metric.Wilson(c.TruePositive, c.TruePositive+c.FalseNegative)
		}
		value := func(name string) string {
			v, _ := c.Figures.Get(name)
			return number(v)
		}
		t.add(c.Name, grouped(c.Rows), value(metric.Precision), between(precision, percent), value(metric.Recall), between(recall, percent),
			value(metric.F1), value(metric.AUC), grouped(c.FalsePositive), grouped(c.FalseNegative))
	}
	t.Note = "Intervals are Wilson's, which take rows as independent."
	if !whole {
		t.Note = "Rows have weights, so that no interval of single classes is given."
	}
	out := []block{{Heading: "By " + noun, Table: t.cut(mostClasses, noun)}}
	if all[0].Decided != nil {
		out = append(out, confusionBlock(all))
	}
	return out
}

// confusionBlock shows which classes are decided for which, or the most frequent confusions of many classes.
func confusionBlock(all []metric.Class) block {
	if len(all) > mostConfused {
		return frequentConfusions(all)
	}
	t := &table{Caption: "Confusions: rows of a class, by the class decided for", Head: []string{"is \\ decided"}, Numbers: numbers(len(all) + 1)}
	for i := range all {
		t.Head = append(t.Head, all[i].Name)
	}
	for i := range all {
		row := []cell{{Text: all[i].Name}}
		for j := range all {
			n := all[i].Decided[all[j].Name]
			row = append(row, cell{Text: grouped(n), Shade: float64(n) / math.Max(1, float64(all[i].Rows)), Main: i == j})
		}
		t.Rows = append(t.Rows, row)
	}
	t.Note = "The shade is the share of the class's rows. What stands on the diagonal is right."
	return block{Heading: "Confusions", Table: t}
}

// frequentConfusions lists which classes are most often taken for which.
func frequentConfusions(all []metric.Class) block {
	type confusion struct {
		is, decided string
		n, of       int
	}
	var list []confusion
	for i := range all {
		for j := range all {
			if n := all[i].Decided[all[j].Name]; i != j && n > 0 {
				list = append(list, confusion{all[i].Name, all[j].Name, n, all[i].Rows})
			}
		}
	}
	slices.SortStableFunc(list, func(a, b confusion) int { return cmp.Compare(b.n, a.n) })
	t := &table{Caption: "The most frequent confusions", Head: []string{"is", "decided", "rows", "of the class"}, Numbers: numbers(4, 1)}
	for _, c := range list {
		t.add(c.is, c.decided, grouped(c.n), percent(float64(c.n)/float64(c.of)))
	}
	return block{Heading: "Confusions", Table: t.cut(mostConfusion, "confusion")}
}

// calibrationBlocks shows whether probabilities keep their word.
func calibrationBlocks(r *Run) []block {
	bins := r.Report.Metrics.Calibration
	if len(bins) == 0 {
		return nil
	}
	p := &picture.Agreement{Heading: picture.Heading{Title: "Calibration", Note: "points on the diagonal keep their word"}, X: "mean probability in a bin", Y: "share that is so"}
	t := &table{Caption: "Bins of probabilities", Head: []string{"probability", "decisions", "mean probability", "share that is so", intervalHead}, Numbers: numbers(5)}
	small, intervals := 0, ""
	for _, b := range bins {
		i := metric.NoInterval()
		if b.Weight == 0 {
			i, intervals = metric.Wilson(int(math.Round(b.Share*float64(b.Count))), b.Count), " Intervals are Wilson's."
		}
		if b.Count < smallBin {
			small++
		}
		p.Points = append(p.Points, picture.Found{Predicted: b.Confidence, Found: b.Share, Low: i.Low, High: i.High, Count: b.Count})
		t.add(fmt.Sprintf("%.1f to %.1f", b.From, b.To), grouped(b.Count), number(b.Confidence), number(b.Share), between(i, percent))
	}
	ece, _ := r.Report.Metrics.Figures.Get(metric.ECE)
	p.Desc = fmt.Sprintf("%d bins; the expected calibration error is %s", len(bins), number(ece))
	text := "Of decisions with a probability of 0.8, four fifths should be right. Decisions are sorted into ten bins by their probability." + intervals + " Bars beneath show how many decisions a bin has."
	if small > 0 {
		text += fmt.Sprintf(" %s fewer than %d decisions, and say little.", counted(small, "bin", "has", "have"), smallBin)
	}
	return []block{{Heading: "Calibration", Text: text, Figures: []figure{figureOf(p.Draw(), "")}}, {More: &more{"The bins as a table", []block{{Table: t}}}}}
}

// numberBlocks shows predictions beside the truth, residuals, and coverages of quantiles.
func numberBlocks(r *Run) []block {
	n := r.Numbers
	if n == nil {
		return nil
	}
	var figures []figure
	if n.Levels != nil {
		p := &picture.Agreement{Heading: picture.Heading{Title: "Coverage of the quantiles", Note: "points on the diagonal cover as much as they should"}, X: "level", Y: "share of test rows at or below", Even: true}
		var told []string
		for k, q := range n.Levels {
			p.Points = append(p.Points, picture.Found{Predicted: q, Found: n.Coverage[k], Low: n.Intervals[k].Low, High: n.Intervals[k].High, Count: n.Of})
			told = append(told, fmt.Sprintf("level %g covers %s", q, percent(n.Coverage[k])))
		}
		p.Desc = strings.Join(told, "; ")
		figures = append(figures, figureOf(p.Draw(), "A level of 0.9 should lie at or above nine tenths of the numbers. Intervals are of 95 %."))
	}
	of := "prediction"
	if n.Levels != nil {
		of = "median"
		if !slices.Contains(n.Levels, 0.5) {
			of = "middle quantile"
		}
	}
	both := &picture.Scatter{
		Heading: picture.Heading{Title: "Truth beside prediction", Note: "points on the line are exact", Desc: fmt.Sprintf("%d test rows, %s against truth", len(n.Truth), of)},
		X:       of, Y: "truth", Diagonal: true,
	}
	rest := &picture.Scatter{
		Heading: picture.Heading{Title: "Residuals", Note: "truth less " + of + "; a shape here is something not learnt", Desc: fmt.Sprintf("%d test rows, residual against %s", len(n.Truth), of)},
		X:       of, Y: "residual", Level: true,
	}
	for i, v := range n.Truth {
		both.Points = append(both.Points, [2]float64{n.Predicted[i], v})
		rest.Points = append(rest.Points, [2]float64{n.Predicted[i], v - n.Predicted[i]})
	}
	caption := ""
	if len(n.Truth) < n.Of {
		caption = fmt.Sprintf("%s of %s test rows, at equal steps.", grouped(len(n.Truth)), grouped(n.Of))
	}
	return []block{{Heading: "Predictions and residuals", Figures: append(figures, figureOf(both.Draw(), caption), figureOf(rest.Draw(), caption))}}
}

// choiceBlocks shows what was chosen by cross-validation.
func choiceBlocks(r *Run) []block {
	g := r.Report.Grid
	if g == nil {
		return nil
	}
	t := &table{Caption: "Candidates, the best first, by " + g.Metric, Head: []string{"candidate", g.Metric, "standard error", ""}, Numbers: numbers(4, 3)}
	for _, c := range g.Scores {
		mark := cell{}
		if c.Chosen {
			mark = cell{Text: "chosen", State: good}
		}
		t.Rows = append(t.Rows, []cell{{Text: c.Choice}, {Text: number(float64(c.Score))}, {Text: number(float64(c.Error))}, mark})
	}
	text := fmt.Sprintf("%s fits in %d folds of the training rows. No test row took part.", grouped(g.Fits), g.Folds)
	if g.Later {
		text += " Each fold was predicted from rows before it, and nothing later took part."
	}
	if g.Valid > 0 {
		text = fmt.Sprintf("%s fits, judged on %s. No test row took part.", grouped(g.Fits), counted(g.Valid, "valid row"))
	}
	if g.Largest {
		text += " The largest weights within one standard error of the best were taken."
	}
	return []block{{Heading: "What was chosen", Text: text, Table: t.cut(mostConfusion, "candidate")}}
}
