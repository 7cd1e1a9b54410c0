package page

import (
	"fmt"
	"strings"

	"github.com/sipc-ml/sipc/runtime/report"
)

// answerProved is the answer of a statement that holds at every point of its region.
const answerProved = "proved"

const (
	mostLines    = 400 // of a source that the page shows
	mostRequired = 60
	mostOpen     = 4 // cells of a statement
	mostSides    = 8 // columns of a region
)

// declared tells what the spec says, and how far that is true, kept and proved.
func (r *Run) declared() section {
	s := section{ID: "declared", Title: "What was declared"}
	for k := range r.Sources {
		source := r.Sources[k]
		name := source.Name
		if k > 0 {
			s.Blocks = append(s.Blocks, block{More: &more{"Included: " + name, codeBlocks(source)}})
			continue
		}
		s.Blocks = append(s.Blocks, codeBlocks(source)...)
	}
	s.Blocks = append(s.Blocks, setBlocks(r.Sets)...)
	s.Blocks = append(s.Blocks, weightBlocks(r)...)
	s.Blocks = append(s.Blocks, statementBlocks(r)...)
	s.Blocks = append(s.Blocks, requiredBlocks(r)...)
	return append1(s, expectedBlock(r))
}

// setBlocks tells which numbers of the spec the call replaced.
func setBlocks(sets []Set) (out []block) {
	if len(sets) == 0 {
		return nil
	}
	t := &table{Caption: "Values that the call set", Head: []string{"let", "value of this run", "value of the spec"}, Note: "They are marked in the spec above: what --set replaced is struck out, and what took its place follows."}
	for _, s := range sets {
		t.Rows = append(t.Rows, []cell{{Text: s.Name}, {Text: s.Value, Main: true}, {Text: s.Before}})
	}
	return []block{{Table: t}}
}

// weightBlocks tells how training rows are weighed.
func weightBlocks(r *Run) []block {
	rep := r.Report
	if len(rep.ClassWeights) == 0 {
		if text := rep.WeightLine(); text != "" {
			return []block{{Facts: []fact{{Term: "weight", Text: text}}}}
		}
		return nil
	}
	t := &table{Caption: "Weights of classes: " + rep.WeightBy, Head: []string{"class", "training rows", "weight of a row"}, Numbers: numbers(3), Note: "Classes count alike in the fit and where numbers are chosen. Figures on the test rows count rows as they are."}
	for _, c := range rep.ClassWeights {
		t.add(c.Class, grouped(c.Rows), number(c.Weight))
	}
	return []block{{Table: t.cut(mostClasses, "class")}}
}

// append1 adds a block to a section unless it is empty.
func append1(s section, b *block) section {
	if b != nil {
		s.Blocks = append(s.Blocks, *b)
	}
	return s
}

// codeBlocks shows a source, the first lines of a long one.
func codeBlocks(source Source) []block {
	left := len(source.Lines) - mostLines
	if left > 0 {
		source.Lines = source.Lines[:mostLines]
	}
	out := []block{{Code: &source}}
	if left > 0 {
		out = append(out, block{Quiet: true, Text: counted(left, "further line", "is", "are") + " left out here."})
	}
	return out
}

// statementBlocks shows each invariance and measure with what is known of it.
func statementBlocks(r *Run) (out []block) {
	if len(r.Declared) == 0 {
		return []block{{Heading: "Invariances", Text: "The spec declares no invariance, so that R = 0: f is as the kernel and the learner make it."}}
	}
	intro := "Each statement is an expression of f that should be small. Its curvature is proved before anything is fitted, which makes the problem convex. " +
		"Its value is that of the function that predicts, scaled to a standard deviation of 1 over the training rows: 0 means that f obeys it exactly. "
	if r.Report.Baseline != nil {
		intro += "Free is the function of method plain on the same rows and features, which knows of no statement."
	}
	return []block{{Heading: "Statements", Text: intro}, {Cards: cardsOf(r, false)}, {Cards: cardsOf(r, true)}}
}

// cardsOf returns a card for each invariance, or for each measure.
func cardsOf(r *Run, measures bool) (out []card) {
	own, plain, k := r.Report.Regularizer, []report.Summand(nil), 0
	if measures {
		own = r.Report.Measures
	}
	if b := r.Report.Baseline; b != nil {
		if plain = b.Regularizer; measures {
			plain = b.Measures
		}
	}
	for i := range r.Declared {
		d := &r.Declared[i]
		if d.Measure != measures {
			continue
		}
		if k < len(own) {
			var free *report.Summand
			if k < len(plain) {
				free = &plain[k]
			}
			out = append(out, cardOf(r, d, &own[k], free))
		}
		k++
	}
	return out
}

// cardOf returns what is known of one statement.
func cardOf(r *Run, d *Declared, s, free *report.Summand) card {
	c := card{Name: d.Name, Code: d.Text, Text: d.Words, Quiet: d.Comment}
	if d.Line > 0 {
		c.At = fmt.Sprintf("line %d", d.Line)
	}
	c.Badges = append(c.Badges, badge{good, "proved " + s.Kind})
	if lint := lintOf(r, d.Name); lint != nil {
		c.Badges = append(c.Badges, truthOf(lint))
	}
	if d.Measure {
		c.Badges = append(c.Badges, badge{"", "a measure: nothing asks f to obey it"})
	}
	c.Table = obedience(d, s, free)
	c.Facts = append(c.Facts, fact{Term: "curvature", Text: d.Theory})
	if !d.Measure {
		c.Facts = append(c.Facts, fact{Term: "weight", Text: fmt.Sprintf("%g", s.Weight)})
	}
	c.Facts = append(c.Facts, fact{Term: "functionals", Text: grouped(s.Functionals)})
	if s.Searched != nil {
		c.Facts = append(c.Facts, fact{Term: "worst moves", Text: s.Searched.Sentence(s.Value)})
	}
	if s.Drawn != nil {
		c.Facts = append(c.Facts, fact{Term: "sample", Text: s.Drawn.Sentence(s.Name) + "."})
	}
	if len(d.Conditions) > 0 {
		c.Facts = append(c.Facts, fact{Term: "proved if", Text: strings.Join(d.Conditions, " and ")})
	}
	if lint := lintOf(r, d.Name); lint != nil && lint.Members > 0 {
		text := lint.Summary()
		if worst := lint.Worst(3); worst != "" && lint.Broken > 0 {
			text += ". " + worst
		}
		c.Facts = append(c.Facts, fact{Term: "is it true of the labels?", Text: text})
	}
	return c
}

// lintOf returns what labels say of an invariance; nil where nobody asked them.
func lintOf(r *Run, name string) *report.Lint {
	for i := range r.Report.Lint {
		if r.Report.Lint[i].Name == name {
			return &r.Report.Lint[i]
		}
	}
	return nil
}

// truthOf says whether the labels themselves obey a statement.
func truthOf(l *report.Lint) badge {
	switch {
	case l.Members == 0:
		return badge{"", "labels cannot tell whether it is true"}
	case l.Doubtful:
		return badge{doubt, "labels break it often"}
	case l.Broken == 0:
		return badge{good, "no label breaks it"}
	}
	return badge{good, "labels rarely break it"}
}

// obedience shows the value of a statement, and where it is broken, on training and test rows, beside the free function's.
func obedience(d *Declared, s, free *report.Summand) *table {
	t := &table{Caption: "How far f obeys " + d.Name, Head: []string{"", "this run"}}
	if free != nil {
		t.Head = append(t.Head, "free", "less by")
	}
	t.Numbers = numbers(len(t.Head))
	t.compare(free != nil, "value at the training rows", number, float64(s.Value), valueOf(free))
	if s.Test != nil && s.Test.Unknown == "" {
		t.compare(free != nil, "value at the test rows", number, float64(s.Test.Value), testOf(free))
	}
	if b := s.Broken; b != nil {
		t.broken(free, "training rows that break it", &b.Train, func(b *report.Broken) *report.Count { return &b.Train })
		t.broken(free, "test rows that break it", b.Test, func(b *report.Broken) *report.Count { return b.Test })
		t.Note = "A row breaks it from a thousandth of the standard deviation of the score on"
		if !strings.HasSuffix(b.Statement, "is broken") {
			t.Note += ": there " + b.Statement
		}
		t.Note += "."
	}
	for k, of := range []*report.Sampled{s.Sampled, tested(s)} {
		if of != nil {
			t.Note += fmt.Sprintf(" The value at the %s rows is known from %d of %d elements.", []string{"training", "test"}[k], of.Elements, of.Of)
		}
	}
	for _, why := range []string{s.Unknown, unknown(s)} {
		if why != "" {
			t.Note += " A value is not known: " + why + "."
		}
	}
	return t
}

// compare adds a line with a number, and another beside it if both says so.
func (t *table) compare(both bool, label string, text func(float64) string, own, other float64) {
	row := []cell{{Text: label}, {Text: text(own), Main: true}}
	if both {
		row = append(row, cell{Text: text(other)}, cell{Text: reduction(own, other)})
	}
	t.Rows = append(t.Rows, row)
}

// broken adds a line with how many rows break a statement; no line where they were not counted.
func (t *table) broken(free *report.Summand, label string, own *report.Count, of func(*report.Broken) *report.Count) {
	if own == nil {
		return
	}
	row := []cell{{Text: label}, {Text: countText(own), Main: true}}
	if free != nil {
		text, share := undefined, notKnown
		if free.Broken != nil && of(free.Broken) != nil {
			text, share = countText(of(free.Broken)), of(free.Broken).Share()
		}
		row = append(row, cell{Text: text}, cell{Text: reduction(own.Share(), share)})
	}
	t.Rows = append(t.Rows, row)
}

// valueOf returns the value at the training rows; NaN of no statement.
func valueOf(s *report.Summand) float64 {
	if s == nil {
		return notKnown
	}
	return float64(s.Value)
}

// testOf returns the value at the test rows; NaN where it is not known.
func testOf(s *report.Summand) float64 {
	if s == nil || s.Test == nil || s.Test.Unknown != "" {
		return notKnown
	}
	return float64(s.Test.Value)
}

// tested returns from how many elements the value at the test rows is known; nil stands for all.
func tested(s *report.Summand) *report.Sampled {
	if s.Test == nil {
		return nil
	}
	return s.Test.Sampled
}

// unknown says why there is no value at the test rows.
func unknown(s *report.Summand) string {
	if s.Test == nil {
		return ""
	}
	return s.Test.Unknown
}

// countText writes how many rows break a statement, of how many.
func countText(c *report.Count) string {
	return fmt.Sprintf("%s of %s", grouped(c.Broken), grouped(c.Rows))
}

// reduction says by which share a number is less than another.
func reduction(own, other float64) string {
	if !(other > 0) || !(own >= 0) {
		return undefined
	}
	if share := 1 - own/other; share >= 0 {
		return percent(share)
	}
	return "more by " + percent(own/other-1)
}

// requiredBlocks shows what must hold everywhere, with its verdicts.
func requiredBlocks(r *Run) (out []block) {
	all := r.Report.Required
	if len(all) == 0 {
		return nil
	}
	out = append(out, block{Heading: "What is required", Text: "These statements must hold at every point of a region, not at the rows alone. A verdict is decided from the numbers of the model by bounds that hold in the presence of rounding. " +
		"Proved: it holds on the whole region, by the margin. Refuted: there is a point where it fails. Open: neither was found in the work allowed."})
	t := &table{Caption: "Required statements and their verdicts", Head: []string{"statement", "region", "verdict", "by at least", "aim of the fit", "cells"}, Numbers: numbers(6, 1, 2)}
	var points []string
	for i := range all {
		q := &all[i]
		state := map[string]string{answerProved: good, "refuted": bad}[q.Answer]
		if state == "" {
			state = doubt
		}
		margin, aim := undefined, undefined
		if q.Margin != nil {
			margin = atLeast(float64(*q.Margin))
		}
		if q.Aim != 0 {
			aim = number(float64(q.Aim))
		}
		t.Rows = append(t.Rows, []cell{{Text: named(q.Name, q.Text)}, {Text: regionText(q.Over)}, {Text: q.Answer, State: state}, {Text: margin}, {Text: aim}, {Text: grouped(q.Cells)}})
		if text := pointOf(q); text != "" {
			points = append(points, text)
		}
	}
	if len(points) > mostRequired {
		points = append(points[:mostRequired], "and more, which --json lists")
	}
	t.Note = "sipc prove decides them again from the model file alone."
	out = append(out, block{Table: t.cut(mostRequired, "statement")})
	if len(points) > 0 {
		out = append(out, block{Heading: "Where statements are not proved", List: points})
	}
	return out
}

// regionText writes a region, the first columns of many.
func regionText(over []string) string {
	text := strings.Join(over[:min(len(over), mostSides)], ", ")
	if left := len(over) - mostSides; left > 0 {
		text += " and " + counted(left, "further column")
	}
	return text
}

// named puts the name of a statement before its text, unless it begins with it.
func named(name, text string) string {
	if strings.HasPrefix(text, name+":") {
		return text
	}
	return name + ": " + text
}

// pointOf tells the worst point of a statement that is not proved, and the cells that are left.
func pointOf(q *report.Requirement) string {
	if q.Answer == answerProved {
		return ""
	}
	text := q.Name + " is " + q.Answer
	if q.Why != "" {
		text += ": " + q.Why
	}
	if len(q.At) > 0 {
		var at []string
		for _, c := range q.At {
			at = append(at, c.Column+" = "+c.Value)
		}
		text += fmt.Sprintf("; the sides differ by %s to %s at %s", atLeast(float64(q.Low)), atMost(float64(q.High)), strings.Join(at, ", "))
	}
	parts := []string{text}
	for _, c := range q.Left[:min(len(q.Left), mostOpen)] {
		parts = append(parts, fmt.Sprintf("open, by %s at least: %s", atLeast(float64(c.Least)), c.Where))
	}
	return strings.Join(parts, "; ")
}

// expectedBlock shows what the spec expects of a run; nil where it expects nothing.
func expectedBlock(r *Run) *block {
	if len(r.Report.Expected) == 0 {
		return nil
	}
	t := &table{Caption: "What the spec expects of a run", Head: []string{"expectation", "", "found"}}
	for _, e := range r.Report.Expected {
		c := cell{Text: "met", State: good}
		if !e.Met {
			c = cell{Text: "not met", State: bad}
		}
		t.Rows = append(t.Rows, []cell{{Text: e.Text}, c, {Text: e.Found}})
	}
	return &block{Heading: "Expectations", Table: t}
}
