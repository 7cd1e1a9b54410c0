package metric

import (
	"slices"

	"gonum.org/v1/gonum/mat"
)

// A ranking is scores in order, for areas under curves. The order is the same for any weights of the rows, so that each draw takes one pass. With w the
// weights, + the rows that have what is scored and − the others,
//
//	area under the ROC curve = Σ_{i in +} w_i (Σ_{j in −, s_j < s_i} w_j + ½ Σ_{j in −, s_j = s_i} w_j) / (Σ_+ w Σ_− w)
//	area under the precision–recall curve = Σ_k (found_k − found_{k−1}) / Σ_+ w · found_k / passed_k
//
// where k counts the distinct scores from the highest down, found_k is the weight of + that is passed until then, and passed_k that of all.
type ranking struct {
	// entries are rows in the order of their scores. The lowest bits say whether a row has what is scored, and whether it is the last of equal scores.
	entries []uint32
	// curve says that the area is that under the precision–recall curve, and scores come from the highest down. Else it is that under the ROC curve.
	curve bool
}

// The parts of an entry.
const (
	hasIt     = 1
	lastEqual = 2
	rowShift  = 2
)

// rankRows ranks rows by one score each, for the area under the ROC curve.
func rankRows(scores []float64, has func(i int) bool) ranking {
	order := ascending(scores)
	r := ranking{entries: make([]uint32, len(order))}
	for k, i := range order {
		r.entries[k] = entry(int(i), has(int(i)), k+1 == len(order) || scores[order[k+1]] != scores[i])
	}
	return r
}

// rankDecisions ranks all decisions about labels together, without those of roots, for the area under the precision–recall curve.
func rankDecisions(truth, scores *mat.Dense, roots []bool) ranking {
	_, m := scores.Dims()
	all := flat(scores)
	order := ascending(all)
	slices.Reverse(order)
	if len(roots) > 0 {
		order = slices.DeleteFunc(order, func(d int32) bool { return roots[int(d)%m] })
	}
	r := ranking{curve: true, entries: make([]uint32, len(order))}
	for k, d := range order {
		i, y := int(d)/m, int(d)%m
		r.entries[k] = entry(i, truth.At(i, y) > 0, k+1 == len(order) || all[order[k+1]] != all[d])
	}
	return r
}

// entry returns a row with its marks.
func entry(row int, has, last bool) uint32 {
	e := uint32(row) << rowShift //nolint:gosec // rows are fewer
	if has {
		e |= hasIt
	}
	if last {
		e |= lastEqual
	}
	return e
}

// under returns the area of each draw under the weights (rows × draws); NaN where no row, or under the ROC curve every row, has what is scored.
func (r *ranking) under(weight []float64, draws int) []float64 {
	numbers := make([]float64, 5*draws)
	part := func(k int) []float64 { return numbers[k*draws:][:draws] }
	p := &pass{have: part(0), rest: part(1), found: part(2), passed: part(3), area: part(4)}
	single, equal := p.onROC, p.equalOnROC
	if r.curve {
		single, equal = p.onCurve, p.equalOnCurve
	}
	begun := false
	for _, e := range r.entries {
		// A row's weights in all draws lie side by side, so that one look at the order serves them all.
		w, has, last := weight[int(e>>rowShift)*draws:][:draws], e&hasIt != 0, e&lastEqual != 0
		// Most scores equal no other, and take no sums of equal ones.
		if last && !begun {
			single(w, has)
			continue
		}
		if begun = !last; has {
			add(p.have, w)
		} else {
			add(p.rest, w)
		}
		if last {
			equal()
			clear(p.have)
			clear(p.rest)
		}
	}
	// Where a kind of rows has no weight this is 0/0.
	for k := range p.area {
		if p.area[k] /= p.found[k]; !r.curve {
			p.area[k] /= p.passed[k]
		}
	}
	return p.area
}

// A pass goes through a ranking. have and rest are the weights of equal scores so far, by whether rows have what is scored. found and passed are
// those of the rows before. found is of rows that have it. passed is of the others under the ROC curve, and of all under the other curve.
type pass struct{ have, rest, found, passed, area []float64 }

// add adds numbers to others.
func add(to, of []float64) {
	to = to[:len(of)]
	for k, v := range of {
		to[k] += v
	}
}

// onROC counts the pairs that a row makes with those below.
func (p *pass) onROC(w []float64, has bool) {
	if !has {
		add(p.passed, w)
		return
	}
	for k, up := range w {
		p.area[k] += up * p.passed[k]
		p.found[k] += up
	}
}

// equalOnROC counts the pairs that equal scores make with those below, and half of those among them (Mann and Whitney 1947).
func (p *pass) equalOnROC() {
	for k, up := range p.have {
		p.area[k] += up * (p.passed[k] + p.rest[k]/2)
		p.found[k] += up
		p.passed[k] += p.rest[k]
	}
}

// onCurve adds the step of the precision–recall curve at one decision.
func (p *pass) onCurve(w []float64, has bool) {
	add(p.passed, w)
	if !has {
		return
	}
	for k, up := range w {
		if p.found[k] += up; up > 0 {
			p.area[k] += up * p.found[k] / p.passed[k]
		}
	}
}

// equalOnCurve adds the step at equal scores.
func (p *pass) equalOnCurve() {
	add(p.passed, p.rest)
	p.onCurve(p.have, true)
}
