package model

import (
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/sipc-ml/sipc/plugins"
	"github.com/sipc-ml/sipc/runtime/dataset"
	"github.com/sipc-ml/sipc/runtime/gauge"
	"github.com/sipc-ml/sipc/runtime/regularizer"
	"github.com/sipc-ml/sipc/runtime/report"
)

// A measurement is an invariance at a scorer's function.
type measurement struct {
	Measured
	values, weighed []float64 // of its functionals, scaled; weighed as they count in a sample
}

// Elsewhere measures an invariance by the rows of another set: the k-th of a regularizer that was grounded on
// them. The scores (n×m) are those that the model gives to the rows; they save embeddings and may be nil. Values
// are scaled by the training rows' scores, so that they compare with [Fitting.Measured]. A value that is not known
// comes with its reason, and is not an error. An error is ctx's, or one of the embeddings'.
func (f *Fitting) Elsewhere(ctx context.Context, reg *regularizer.Regularizer, k int, set *dataset.Set, scores *mat.Dense) (*Measured, error) {
	return f.measuredAt(ctx, &site{rows: set.X, reg: reg, scores: scores, few: true}, k, set)
}

// measuredAt measures the k-th invariance at a site.
func (f *Fitting) measuredAt(ctx context.Context, at *site, k int, set *dataset.Set) (*Measured, error) {
	s, err := newScorer(ctx, f.Model, f.spread, f.allowance)
	if err != nil {
		return nil, err
	}
	if m := f.Model; m.Fit.Sets != nil || m.Fit.Odds || ClosingOf(m) == Met {
		at.scores = nil // they are log odds, or have met
	}
	m, err := s.measure(at, k, set, f.size)
	if err != nil {
		return nil, err
	}
	return &m.Measured, nil
}

// Measures reports whether anything was measured at the function that predicts.
func (f *Fitting) Measures() bool { return f.size > 0 }

// AtTraining measures an invariance that was grounded on the rows that R sees, as Elsewhere does on others. The first of them are the
// training rows.
func (f *Fitting) AtTraining(ctx context.Context, reg *regularizer.Regularizer, k int, seen *dataset.Set) (*Measured, error) {
	return f.measuredAt(ctx, &site{rows: seen.X, reg: reg, scores: f.scores}, k, seen)
}

// ValuesAt returns the values of the functionals of the k-th invariance of a regularizer at the function that predicts. The regularizer is grounded on a
// set of rows. Values are scaled by the training rows' scores, as measured ones are.
func (f *Fitting) ValuesAt(ctx context.Context, reg *regularizer.Regularizer, k int, set *dataset.Set) ([]float64, error) {
	s, err := newScorer(ctx, f.Model, f.spread, f.allowance)
	if err != nil {
		return nil, err
	}
	values, _, err := s.values(&site{rows: set.X, reg: reg}, k, nil)
	for i := range values {
		values[i] /= f.size
	}
	return values, err
}

// measure returns the k-th invariance at the function divided by a size.
func (s *scorer) measure(at *site, k int, set *dataset.Set, size float64) (*measurement, error) {
	if k < len(at.known) && isFinite(at.known[k]/size) {
		return &measurement{Measured: Measured{Tested: report.Tested{Value: report.Number(at.known[k] / size)}}}, nil
	}
	s.spent = 0
	var factors []float64
	thinned := s.sample(at, k)
	if thinned != nil {
		factors = thinned.factors
	}
	values, units, err := s.values(at, k, factors)
	if why := Unmeasured(err); why != "" {
		return &measurement{Measured: *UnknownMeasure(why)}, nil
	} else if err != nil {
		return nil, err
	}
	m := &measurement{values: values, weighed: values}
	m.Broken = brokenAt(at.reg, k, set, values, units, size)
	for i := range values {
		values[i] /= size
	}
	if thinned != nil {
		m.weighed, m.Sampled = floats.MulTo(make([]float64, len(values)), values, factors), &thinned.of
	}
	value := at.reg.Invariances[k].Gauge.Value(m.weighed)
	if !isFinite(value) {
		return &measurement{Measured: *UnknownMeasure(noNumbers)}, nil
	}
	if m.Value = report.Number(value); thinned != nil {
		m.Sampled.Error = report.Number(thinned.standardError(at.reg.Invariances[k].Gauge, values))
	}
	return m, nil
}

// noNumbers says why an invariance has no value.
const noNumbers = "the scores that it asks for are not numbers"

// brokenAt counts the rows at which a one-sided functional of the k-th invariance is positive by more than
// Tolerated. Nil means that there is nothing to count: the invariance is two-sided, or none of its one-sided
// functionals is about rows. A functional in which no f is left, as under a factor of 0, is about none. One that is
// about several rows counts for each of them.
func brokenAt(reg *regularizer.Regularizer, k int, set *dataset.Set, values, units []float64, size float64) *report.Broken {
	inv := &reg.Invariances[k]
	if inv.Kind != regularizer.Sublinear || inv.Members == nil {
		return nil
	}
	about, hit := make([]bool, set.Len()), make([]bool, set.Len())
	i, over, rowsOf := 0, report.OverRows, inv.Members.Rows()
	inv.Gauge.Leaves(func(op gauge.Op) {
		if op != gauge.Abs {
			bound := rowsOf(i)
			if units[i] > 0 {
				over = max(over, overOf(bound))
			}
			for _, rows := range bound {
				for _, r := range rows {
					about[r] = about[r] || units[i] > 0
					hit[r] = hit[r] || values[i]*units[i] > Tolerated*size
				}
			}
		}
		i++
	})
	told := set.Told()
	out := &report.Broken{Train: countOf(about[:told], hit[:told]), Over: over}
	if told < set.Len() {
		unlabelled := countOf(about[told:], hit[told:])
		out.Unlabelled = &unlabelled
	}
	if trues(about) == 0 {
		return nil
	}
	out.Statement = wordsOf(reg, k, set)
	return out
}

// overOf says whether a functional is about a row, about several, or about a path between two. Its rows come variable by variable.
func overOf(bound [][]int32) report.Over {
	over := report.OverRows
	for _, rows := range bound {
		if len(rows) > 1 {
			return report.OverPaths
		}
		if len(rows) > 0 && rows[0] != bound[0][0] {
			over = report.OverSeveral
		}
	}
	return over
}

// countOf counts rows that break a statement among those that it is about.
func countOf(about, hit []bool) report.Count {
	c := report.Count{Rows: trues(about), Broken: trues(hit)}
	if c.Rows < len(about) {
		c.Among = len(about)
	}
	return c
}

// trues counts what is true.
func trues(all []bool) int {
	n := 0
	for _, v := range all {
		if v {
			n++
		}
	}
	return n
}

// wordsOf says what is the case where a one-sided invariance is broken. It leaves out functionals in which no f is
// left. Parts that would say different things get the invariance's name instead.
func wordsOf(reg *regularizer.Regularizer, k int, set *dataset.Set) string {
	inv := &reg.Invariances[k]
	words, i := "", 0
	inv.Gauge.Leaves(func(op gauge.Op) {
		own := inv.Name + " is broken"
		if op != gauge.Abs && largestFactor(reg.Functionals, inv.First+i) > 0 {
			if s := slopeWords(reg.Functionals, inv.First+i, set); s != "" {
				own = s
			}
			if words != "" && own != words {
				own = inv.Name + " is broken"
			}
			words = own
		}
		i++
	})
	return words
}

// slopeWords says of a first or second derivative along one column what is the case where it is positive. It
// returns nothing for any other functional. The sign is that of the factor before f, times that of the step to the
// power of the order.
func slopeWords(b *plugins.Block, functional int, set *dataset.Set) string {
	t := b.Start[functional]
	if b.Start[functional+1] != t+1 || b.Tangent[t] == plugins.Evaluation {
		return ""
	}
	order, along := plugins.OrderOf(b.Tangent[t])
	column, value := single(b.Tangents.Row(int(along)))
	sign := b.Coef[t] * math.Pow(value, float64(order))
	score := "the score"
	if b.Label[t] != plugins.NoLabel {
		y := b.Labels[b.Label[t]]
		if len(y.Index) != 1 {
			return ""
		}
		sign *= y.Value[0]
		score += " of " + set.LabelNames[y.Index[0]]
	}
	switch {
	case column < 0 || column >= len(set.Columns):
		return ""
	case order == 2 && sign < 0:
		return fmt.Sprintf("%s is not convex in %s", score, set.Columns[column])
	case order == 2:
		return fmt.Sprintf("%s is not concave in %s", score, set.Columns[column])
	case sign < 0:
		return fmt.Sprintf("%s falls with %s", score, set.Columns[column])
	}
	return fmt.Sprintf("%s rises with %s", score, set.Columns[column])
}
