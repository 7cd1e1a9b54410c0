package metric

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"
)

// The sums of classes and labels. Behind them stand three for each bin of a calibration, and then three for each class or label:
//
//	sumOfRight, sumOfMajority   rows, or decisions about labels, that are right, and those that the majority of the training rows gets right
//	sumOfExact                  rows all of whose labels are right
//	sumOfLogLoss                Σ −log p of what is true
//	bins                        decisions of a bin, the sum of their probabilities, and how many are so
//	classes                     true positives, false positives, false negatives
const (
	sumOfRight = 1 + iota
	sumOfMajority
	sumOfExact
	sumOfLogLoss
	sumsOfBins
	sumsOfClasses = sumsOfBins + 3*calibrationBins
)

// bin lets a decision of probability p add to its bin.
func (c *contributions) bin(p float64, so bool) {
	at := sumsOfBins + 3*binOf(p)
	c.add(at, 1)
	c.add(at+1, p)
	if so {
		c.add(at+2, 1)
	}
}

// decision lets a decision about the k-th class or label add to its counts.
func (c *contributions) decision(k int, truth, decided bool) {
	at := sumsOfClasses + 3*k
	switch {
	case truth && decided:
		c.add(at, 1)
	case decided:
		c.add(at+1, 1)
	case truth:
		c.add(at+2, 1)
	}
}

// errorOfBins returns Σ_b |sum of what is so − sum of probabilities| / n, the expected calibration error.
func errorOfBins(sums []float64) float64 {
	off, all := 0.0, 0.0
	for b := range calibrationBins {
		of := sums[sumsOfBins+3*b:]
		off, all = off+math.Abs(of[2]-of[1]), all+of[0]
	}
	return off / all
}

// tallyOf returns the counts of the k-th class or label.
func tallyOf(sums []float64, k int) tally {
	of := sums[sumsOfClasses+3*k:]
	return tally{tp: of[0], fp: of[1], fn: of[2]}
}

// MeasureClasses measures what [Classes] does; train counts by its weights.
func MeasureClasses(names []string, truth, predicted, train []int, scores, probabilities *mat.Dense, weight []float64) *Measure {
	_, columns := scores.Dims()
	of := &classSums{two: columns == 1, known: !slices.Contains(truth, -1), probable: probabilities != nil}
	m := &Measure{rows: len(truth), parts: newContributions(sumsOfClasses + 3*len(names)), figures: of.figures}
	majority := majorityOf(train, weight)
	for i, t := range truth {
		m.parts.add(sumOfAll, 1)
		if t == majority {
			m.parts.add(sumOfMajority, 1)
		}
		m.parts.class(t, predicted[i])
		if of.probable {
			best, top := mostProbable(probabilities.RawRowView(i))
			m.parts.bin(top, best == t)
			m.parts.add(sumOfLogLoss, surprise(probabilities.At(i, max(t, 0))))
		}
		m.parts.next()
	}
	if of.two { // of two classes the figures are those of the second
		m.areas = []ranking{rankRows(mat.Col(nil, 0, scores), func(i int) bool { return truth[i] == 1 })}
		return m
	}
	ranked := scores
	// Probabilities compare between rows where scores of several classes need not.
	if of.probable {
		ranked = probabilities
	}
	for k := range names {
		m.areas = append(m.areas, rankRows(mat.Col(nil, k, ranked), func(i int) bool { return truth[i] == k }))
	}
	return m
}

// class lets a row add its decision for a class.
func (c *contributions) class(truth, decided int) {
	// A right decision is one entry of its class, and a wrong one has two: of the class decided for and of the true one, where that is known.
	if truth == decided {
		c.add(sumOfRight, 1)
		c.decision(truth, true, true)
		return
	}
	c.decision(decided, false, true)
	if truth >= 0 {
		c.decision(truth, true, false)
	}
}

// classSums make figures of classes from sums: of two classes, or of several. A true class may be unknown, and there may be no probabilities.
type classSums struct{ two, known, probable bool }

// figures returns those of one draw, in the order of [Classes]: s are its sums, and areas those below the curves of the classes.
func (c *classSums) figures(s, areas []float64) Figures {
	out := Figures{{Accuracy, s[sumOfRight] / s[sumOfAll]}, {MajorityBaseline, s[sumOfMajority] / s[sumOfAll]}}
	switch {
	case c.probable && c.known:
		out = append(out, Figure{LogLoss, s[sumOfLogLoss] / s[sumOfAll]})
	case c.probable:
		out = append(out, Figure{LogLoss, math.NaN()})
	}
	if c.two {
		of := tallyOf(s, 1)
		out = append(out, Figure{Precision, of.precision()}, Figure{Recall, of.recall()}, Figure{F1, of.f1()}, Figure{AUC, areas[0]})
	} else {
		f1, auc := meansOf(s, areas, func(_ int, of tally) bool { return of.occurs() })
		out = append(out, Figure{MacroF1, f1}, Figure{AUC, auc})
	}
	if c.probable {
		out = append(out, Figure{ECE, errorOfBins(s)})
	}
	return out
}

// meansOf returns the means of f1 and of areas over the classes or labels that count, and where they are defined.
func meansOf(sums, areas []float64, counts func(k int, of tally) bool) (f1, auc float64) {
	var ofF1, ofArea []float64
	for k := range areas {
		of := tallyOf(sums, k)
		if !counts(k, of) {
			continue
		}
		if ofF1 = append(ofF1, of.f1()); !math.IsNaN(areas[k]) {
			ofArea = append(ofArea, areas[k])
		}
	}
	return mean(ofF1), mean(ofArea)
}

// mean returns the mean of some numbers; NaN of none.
func mean(all []float64) float64 {
	sum := 0.0
	for _, v := range all {
		sum += v
	}
	return sum / float64(len(all))
}

// MeasureLabels measures what [Labels] does; train counts by its weights.
func MeasureLabels(truth, predicted, scores, train, probabilities *mat.Dense, roots []bool, weight []float64) *Measure {
	n, labels := truth.Dims()
	of := &labelSums{there: make([]bool, labels), probable: probabilities != nil}
	m := &Measure{rows: n, parts: newContributions(sumsOfClasses + 3*labels), figures: of.figures}
	constant := majorityLabels(train, weight)
	// Labels that nobody has count in macro-averages as on the rows themselves; those that a draw misses do not.
	for i := range n {
		t, p := truth.RawRowView(i), predicted.RawRowView(i)
		m.parts.labels(t, p, constant)
		for y := range t {
			of.there[y] = of.there[y] || t[y] > 0 || p[y] > 0
		}
		if of.probable {
			m.parts.probabilities(t, probabilities.RawRowView(i))
		}
		m.parts.next()
	}
	for y := range labels {
		m.areas = append(m.areas, rankRows(mat.Col(nil, y, scores), func(i int) bool { return truth.At(i, y) > 0 }))
	}
	m.areas = append(m.areas, rankDecisions(truth, scores, roots))
	return m
}

// labelSums make figures of labels from sums. A label is there if it is the truth or the decision of some row.
type labelSums struct {
	there    []bool
	probable bool
}

// figures returns those of one draw, in the order of [Labels]. s are its sums, and areas those below the curves of the labels, and of all.
func (l *labelSums) figures(s, areas []float64) Figures {
	labels, all := len(l.there), tally{}
	// Of each row so many decisions count.
	decisions := s[sumOfAll] * float64(labels)
	for k := range labels {
		of := tallyOf(s, k)
		all = tally{all.tp + of.tp, all.fp + of.fp, all.fn + of.fn}
	}
	f1, auc := meansOf(s, areas[:labels], func(k int, of tally) bool { return of.occurs() || !l.there[k] })
	out := Figures{
		{HammingAccuracy, s[sumOfRight] / decisions},
		{MajorityBaseline, s[sumOfMajority] / decisions},
		{ExactMatch, s[sumOfExact] / s[sumOfAll]},
		{MicroF1, all.f1()},
		{MacroF1, f1},
		{AUPRC, areas[labels]},
	}
	if l.probable {
		out = append(out, Figure{LogLoss, s[sumOfLogLoss] / decisions})
	}
	out = append(out, Figure{MicroPrecision, all.precision()}, Figure{MicroRecall, all.recall()}, Figure{AUC, auc})
	if l.probable {
		out = append(out, Figure{ECE, errorOfBins(s)})
	}
	return out
}

// labels lets a row add what its decisions about labels come to.
func (c *contributions) labels(truth, predicted, constant []float64) {
	// A label that is neither there nor decided for adds to what is right alone.
	right, majority := 0.0, 0.0
	for y, t := range truth {
		if t == predicted[y] {
			right++
		}
		if t == constant[y] {
			majority++
		}
		c.decision(y, t > 0, predicted[y] > 0)
	}
	c.add(sumOfAll, 1)
	c.add(sumOfRight, right)
	c.add(sumOfMajority, majority)
	if slices.Equal(truth, predicted) {
		c.add(sumOfExact, 1)
	}
}

// probabilities lets a row add what the probabilities of its labels come to.
func (c *contributions) probabilities(truth, of []float64) {
	// Decisions of a row fall into few bins, so that it adds to each once.
	var bins [3 * calibrationBins]float64
	loss := 0.0
	for y, p := range of {
		at := 3 * binOf(p)
		bins[at]++
		bins[at+1] += p
		if truth[y] > 0 {
			bins[at+2]++
		}
		if truth[y] == 0 {
			p = 1 - p
		}
		loss += surprise(p)
	}
	c.add(sumOfLogLoss, loss)
	for k, v := range bins {
		c.add(sumsOfBins+k, v)
	}
}
