package model

import (
	"context"
	"maps"
	"math"
	"slices"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"github.com/sipc-ml/sipc/plugins"
	"github.com/sipc-ml/sipc/runtime/embed"
	"github.com/sipc-ml/sipc/runtime/polar"
	"github.com/sipc-ml/sipc/runtime/regularizer"
	"github.com/sipc-ml/sipc/runtime/represent"
	"github.com/sipc-ml/sipc/runtime/setting"
)

// SlopeStep is half the distance over which a slope of a score that is not linear in φ is measured, in standard
// deviations. It counts those of the columns that move. BendStep is the distance for second derivatives: their
// differences are divided by its square, and so it is longer.
const (
	SlopeStep = 0.05
	BendStep  = 0.2
)

// scoredRows is how many points are scored at once.
const scoredRows = 2048

// A scorer is the function that predicts: f(x, y) = ⟨W, ι(x, y)⟩ + b_y, closed under `decode closure`.
// Where label sets are learnt it is the f of which their scores are sums.
type scorer struct {
	*Model
	ctx context.Context //nolint:containedctx // a scorer lives for one call of Fit or Broken
	// linear is φ(x)ᵀV_y of f(x, y) = φ(x)ᵀV_y + b_y; nil where ι is not linear.
	linear embed.Functions
	// v are the V_y (m×d) of linear.
	v      *mat.Dense
	spread []float64 // of each feature over the training rows: its standard deviation
	allowance
	// progress is told how many points of those that are embedded at once are done; it may be nil.
	progress func(done, total int)
}

// A site is where functionals look: rows, and the regularizer that was grounded on them. The scores of its first rows are
// known; nil means that none are.
type site struct {
	rows   *mat.Dense
	reg    *regularizer.Regularizer
	scores *mat.Dense
	// values are those of all functionals at the scorer's function; nil means that they are not known.
	values []float64
	// known are those of the invariances themselves; nil means that they follow from their functionals.
	known []float64
	// few says that a sample of the elements is enough, where its error is told.
	few bool
}

// A demand lists the atoms at which the scorer's function is evaluated for some functionals of an invariance, and the
// labels that each needs.
type demand struct {
	index  map[embed.Atom]int
	atoms  []embed.Atom
	wanted []map[int]bool
}

// newScorer finds out whether scores are linear in φ. They are without embeddings, and where R is quadratic. There
// ι is linear and symmetric, so that ⟨W, ι(G)⟩ is the value of the functional G at ι(W). Of other R points have to
// be embedded.
func newScorer(ctx context.Context, m *Model, spread []float64, a allowance) (*scorer, error) {
	s := &scorer{Model: m, ctx: ctx, spread: spread, allowance: a}
	v := m.Fit.Weights.RawMatrix().Data
	if r := m.Represent; r.Regularized() {
		if _, quadratic := r.Gauge.Quadratic(); !quadratic {
			return s, nil
		}
		var err error
		if v, err = r.Embed(ctx, v); err != nil {
			return nil, err
		}
	}
	s.v = unscaled(m, v)
	s.linear = m.Represent.Features.Weighted(s.v)
	return s, nil
}

// weighted returns φ(x)ᵀV_y for the labels y, for V on features of the embeddings' scale, label by label.
func (m *Model) weighted(v []float64) embed.Functions {
	return m.Represent.Features.Weighted(unscaled(m, v))
}

// unscaled returns V (m×d) on features as they are, for V on those of the embeddings' scale.
func unscaled(m *Model, v []float64) *mat.Dense {
	labels, d := m.Represent.Labels, m.Represent.Features.Dim()
	scaled := mat.NewDense(labels, d, nil)
	scaled.Scale(m.Represent.Scale, mat.NewDense(labels, d, v))
	return scaled
}

// values returns the values at the scorer's function of the functionals of the k-th invariance. It also returns
// the unit of each, by which it is multiplied to be counted. Functionals whose factor is 0 have the value 0.
func (s *scorer) values(at *site, k int, factors []float64) (values, units []float64, err error) {
	inv, b := &at.reg.Invariances[k], at.reg.Functionals
	values, units = make([]float64, inv.Count), make([]float64, inv.Count)
	for i := range units {
		if len(factors) == 0 || factors[i] != 0 {
			units[i] = s.unitOf(b, inv.First+i)
		}
	}
	if at.values != nil {
		copy(values, at.values[inv.First:inv.First+inv.Count])
		return values, units, nil
	}
	// Functionals of a linear function come some at a time, so that memory does not grow with their number. Of others all that is to be
	// embedded is known before.
	step := max(1, inv.Count)
	if s.linear != nil {
		step = askedAtOnce
	}
	for lo := 0; lo < inv.Count; lo += step {
		if err := valuesOf(s, values[:min(inv.Count, lo+step)], at, k, factors, lo); err != nil {
			return nil, nil, err
		}
	}
	return values, units, nil
}

// askedAtOnce is how many functionals of a linear function are evaluated at once.
const askedAtOnce = 1 << 14

// valuesOf sets the values of the k-th invariance from a functional on.
func valuesOf(s *scorer, values []float64, at *site, k int, factors []float64, from int) error {
	inv, b := &at.reg.Invariances[k], at.reg.Functionals
	d := demandOf(at.reg, k, factors, from, len(values))
	scores, err := s.meet(at, d)
	if err != nil {
		return err
	}
	for i := from; i < len(values); i++ {
		if len(factors) > 0 && factors[i] == 0 {
			continue
		}
		for t := b.Start[inv.First+i]; t < b.Start[inv.First+i+1]; t++ {
			row := scores.RawRowView(d.index[embed.Atom{Point: b.Point[t], Tangent: b.Tangent[t]}])
			values[i] += b.Coef[t] * termOf(b, t, row)
		}
	}
	return nil
}

// demandOf returns what functionals from … to−1 of the k-th invariance need, but for those whose factor is 0; nil leaves
// out none.
func demandOf(reg *regularizer.Regularizer, k int, factors []float64, from, to int) *demand {
	inv, b := &reg.Invariances[k], reg.Functionals
	d := &demand{index: map[embed.Atom]int{}}
	for f := from; f < to; f++ {
		if len(factors) > 0 && factors[f] == 0 {
			continue
		}
		for t := b.Start[inv.First+f]; t < b.Start[inv.First+f+1]; t++ {
			a := embed.Atom{Point: b.Point[t], Tangent: b.Tangent[t]}
			i, ok := d.index[a]
			if !ok {
				i = len(d.atoms)
				d.index[a], d.atoms, d.wanted = i, append(d.atoms, a), append(d.wanted, map[int]bool{})
			}
			for _, y := range labelsOf(b, t) {
				d.wanted[i][int(y)] = true
			}
		}
	}
	return d
}

// meet returns the scores at the places of a demand, and the slopes where it derives. It has a row for each atom
// and a column for each label, of which the wanted are right. It returns an error if that takes more embeddings
// than are allowed.
func (s *scorer) meet(at *site, d *demand) (*mat.Dense, error) {
	if err := s.permits(s.cost(at, d)); err != nil {
		return nil, err
	}
	points := embed.NewPoints(at.rows, at.reg.Functionals)
	out := mat.NewDense(max(1, len(d.atoms)), s.Represent.Labels, nil)
	var here, slopes []int // atoms to evaluate, and to derive
	for i, a := range d.atoms {
		switch {
		case a.Order() > 0:
			slopes = append(slopes, i)
		case at.knows(a):
			out.SetRow(i, at.scores.RawRowView(int(a.Point)))
		default:
			here = append(here, i)
		}
	}
	if err := s.differ(out, points, d, here); err != nil {
		return nil, err
	}
	if s.linear != nil && len(lent(s.Model)) == 0 {
		return out, s.derive(out, points, d, slopes)
	}
	return out, s.differ(out, points, d, slopes)
}

// cost returns how many embeddings a demand needs. A derivative of order o needs scores at 1 + o points. Closed
// scores need all labels, as a label takes the largest of others.
func (s *scorer) cost(at *site, d *demand) int {
	if s.linear != nil {
		return 0
	}
	count := 0
	for i, a := range d.atoms {
		own := len(d.wanted[i])
		if len(lent(s.Model)) > 0 {
			own = s.Represent.Labels
		}
		switch {
		case a.Order() > 0:
			count += (1 + a.Order()) * own
		case !at.knows(a):
			count += own
		}
	}
	return count
}

// knows reports whether the scores at an atom are there.
func (at *site) knows(a embed.Atom) bool {
	if a.Order() > 0 || a.Point < 0 || at.scores == nil {
		return false
	}
	known, _ := at.scores.Dims()
	return int(a.Point) < known
}

// derive sets rows of dst to the derivatives of scores that are linear in φ.
func (s *scorer) derive(dst *mat.Dense, points *embed.Points, d *demand, which []int) error {
	for block := range slices.Chunk(which, represent.BlockRows) {
		if err := s.ctx.Err(); err != nil {
			return err
		}
		atoms := make([]embed.Atom, len(block))
		for k, i := range block {
			atoms[k] = d.atoms[i]
		}
		slopes := points.Features(s.linear, atoms)
		for k, i := range block {
			dst.SetRow(i, slopes.RawRowView(k))
		}
	}
	return nil
}

// signs are the steps at which scores are taken for a value, a first and a second derivative.
var signs = [][]float64{{0}, {1, -1}, {1, -1, 0}}

// differ sets rows of dst to scores at atoms, or to derivatives there. They are differences of scores before and behind
// a point, and there for second ones. With h the step and ẋ the tangent, they are (s(x + hẋ) − s(x − hẋ))/2h and
// (s(x + hẋ) − 2s(x) + s(x − hẋ))/h².
func (s *scorer) differ(dst *mat.Dense, points *embed.Points, d *demand, which []int) error {
	_, p := points.Rows.Dims()
	none := make([]float64, p)
	for block := range slices.Chunk(which, scoredRows/len(signs)) {
		steps, asked := make([]float64, len(block)), 0
		for _, i := range block {
			asked += len(signs[d.atoms[i].Order()])
		}
		x := mat.NewDense(asked, p, nil)
		var labels []map[int]bool
		for k, i := range block {
			tangent := none
			order, along := plugins.OrderOf(d.atoms[i].Tangent)
			if order > 0 {
				tangent = points.Block.Tangents.Row(int(along))
			}
			steps[k] = []float64{0, SlopeStep, BendStep}[order] * s.unit(tangent, 1)
			for _, sign := range signs[order] {
				floats.AddScaledTo(x.RawRowView(len(labels)), points.At(d.atoms[i].Point), sign*steps[k], tangent)
				labels = append(labels, d.wanted[i])
			}
		}
		scores, err := s.at(x, labels)
		if err != nil {
			return err
		}
		next := 0
		for k, i := range block {
			differences(dst.RawRowView(i), scores, next, d.atoms[i].Order(), steps[k])
			next += 1 + d.atoms[i].Order()
		}
	}
	return nil
}

// differences sets dst to a derivative of an order, by the scores from a row on. The rows are the point, or a step
// before, a step behind and, for a second derivative, the point between.
func differences(dst []float64, scores *mat.Dense, from, order int, step float64) {
	copy(dst, scores.RawRowView(from))
	switch order {
	case 1:
		floats.Sub(dst, scores.RawRowView(from+1))
		floats.Scale(1/(2*step), dst)
	case 2:
		floats.Add(dst, scores.RawRowView(from+1))
		floats.AddScaled(dst, -2, scores.RawRowView(from+2))
		floats.Scale(1/(step*step), dst)
	}
}

// at returns the scores of the rows of x, of which the labels that are named are right.
func (s *scorer) at(x *mat.Dense, labels []map[int]bool) (*mat.Dense, error) {
	if err := s.ctx.Err(); err != nil {
		return nil, err
	}
	n, _ := x.Dims()
	scores := mat.NewDense(n, s.Represent.Labels, nil)
	switch {
	case s.linear != nil:
		s.linear.Features(scores, x)
	case s.Represent.Supports():
		if _, _, err := s.Represent.ScoresBySupport(s.ctx, x, s.Fit.Weights.RawMatrix().Data, scores, nil); err != nil {
			return nil, err
		}
	default:
		if err := s.embedded(scores, x, labels); err != nil {
			return nil, err
		}
	}
	addBias(scores, s.Fit)
	closeScores(scores, lent(s.Model))
	return scores, nil
}

// embedded sets scores without biases by embedding the rows of x for the labels that are named, or for all where
// scores are to be closed. It goes on with three times as many as are made, so that it soon learns what they cost. It
// stops with an error where the rest would take too much work.
func (s *scorer) embedded(scores, x *mat.Dense, labels []map[int]bool) error {
	type side struct{ row, label int }
	var sides []side
	m, r := s.Represent.Labels, s.Represent
	for i := range labels {
		for y := range m {
			if labels[i][y] || len(lent(s.Model)) > 0 {
				sides = append(sides, side{i, y})
			}
		}
	}
	d := r.Features.Dim()
	phi := mat.NewDense(len(labels), d, nil)
	r.Features.Features(phi, x)
	next := func(lo, hi int) *mat.Dense {
		out := mat.NewDense(hi-lo, r.Dim(), nil)
		for k := lo; k < hi; k++ {
			copy(out.RawRowView(k - lo)[sides[k].label*d:(sides[k].label+1)*d], phi.RawRowView(sides[k].row))
		}
		return out
	}
	w := vector(s.Fit.Weights.RawMatrix().Data)
	s.tell(0, len(sides))
	before := s.spent
	for from, to := 0, s.first(len(sides)); from < to; from, to = to, min(4*to, len(sides)) {
		own := func(lo, hi int) (*mat.Dense, error) { return next(from+lo, from+hi), nil }
		err := r.SolveTo(s.ctx, to-from, own, func(lo int, part *polar.Result) error {
			n, _ := part.Iota.Dims()
			for k := range n {
				side := sides[from+lo+k]
				scores.Set(side.row, side.label, r.Scale*blas64.Dot(w, vector(part.Iota.RawRowView(k))))
			}
			s.spent += floats.Sum(part.Work)
			s.tell(from+lo+n, len(sides))
			return nil
		})
		if err == nil {
			err = s.lasts(before, to, len(sides)-to)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// tell says how many points are done, to whoever listens.
func (s *scorer) tell(done, total int) {
	if s.progress != nil {
		s.progress(done, total)
	}
}

// labelsOf returns the labels of a term; the first one stands for a function of x alone.
func labelsOf(b *plugins.Block, term int32) []int32 {
	if b.Label[term] == plugins.NoLabel {
		return []int32{0}
	}
	return b.Labels[b.Label[term]].Index
}

// termOf returns what a term takes of the scores of its place.
func termOf(b *plugins.Block, term int32, row []float64) float64 {
	if b.Label[term] == plugins.NoLabel {
		return row[0]
	}
	y, sum := b.Labels[b.Label[term]], 0.0
	for j, l := range y.Index {
		sum += y.Value[j] * row[l]
	}
	return sum
}

// unitOf returns the unit of a functional. With it a slope is per standard deviation of the columns that move, and
// the largest factor before f is 1. So what stands before a statement, or a mean around it, does not decide
// whether it is broken. The unit is 0 where no f is left.
func (s *scorer) unitOf(b *plugins.Block, functional int) float64 {
	largest, unit := largestFactor(b, functional), 0.0
	for t := b.Start[functional]; t < b.Start[functional+1]; t++ {
		if order, along := plugins.OrderOf(b.Tangent[t]); unit == 0 && order > 0 {
			unit = s.unit(b.Tangents.Row(int(along)), order)
		}
	}
	switch {
	case largest == 0:
		return 0 // no f is there
	case unit == 0:
		unit = 1
	}
	return unit / largest
}

// largestFactor returns the largest factor before f in a functional, without its sign.
func largestFactor(b *plugins.Block, functional int) (largest float64) {
	for t := b.Start[functional]; t < b.Start[functional+1]; t++ {
		factor := 1.0
		if b.Label[t] != plugins.NoLabel {
			factor = floats.Norm(b.Labels[b.Label[t]].Value, math.Inf(1))
		}
		largest = max(largest, math.Abs(b.Coef[t])*factor)
	}
	return largest
}

// unit returns what makes a derivative along a tangent one per standard deviation of the columns that move. A
// first one is multiplied by how much of the tangent is a standard deviation, a second one by its square. A
// tangent of two columns stands for a mixed derivative, of which it holds four.
func (s *scorer) unit(tangent []float64, order int) float64 {
	var variance, length float64
	var moved [2]int // the last two
	count := 0
	for j, v := range tangent {
		if v != 0 {
			variance, length = variance+s.spread[j]*s.spread[j], length+v*v
			moved[0], moved[1], count = moved[1], j, count+1
		}
	}
	switch {
	case length == 0:
		return 1
	case variance == 0:
		variance = 1
	case order == 2 && count == 2 && s.spread[moved[0]]*s.spread[moved[1]] > 0:
		return s.spread[moved[0]] * s.spread[moved[1]] / math.Abs(4*tangent[moved[0]]*tangent[moved[1]])
	}
	return math.Pow(variance/length, float64(order)/2)
}

// A slope asks for a derivative along one column.
type slope struct {
	column  int
	label   int32
	falling bool
}

// everywhere reports whether the k-th invariance asks the same of every row. It does where the score is linear in the columns, so that slopes are the
// same wherever they are taken. Each functional must be one slope, and each row must have the same of them. Second derivatives are 0.
func everywhere(s *scorer, reg *regularizer.Regularizer, k int) bool {
	if s.linear == nil || s.Represent.Features.Kernel().Setting().Kind != setting.Linear || len(lent(s.Model)) > 0 || s.Fit.Sets != nil {
		return false
	}
	inv, b := &reg.Invariances[k], reg.Functionals
	at := map[int32]map[slope]bool{}
	var first map[slope]bool
	for i := inv.First; i < inv.First+inv.Count; i++ {
		own, none, ok := slopeOf(b, i)
		switch {
		case !ok:
			return false
		case none:
			continue
		}
		point := b.Point[b.Start[i]]
		if at[point] == nil {
			at[point] = map[slope]bool{}
		}
		if at[point][own] = true; first == nil {
			first = at[point]
		}
	}
	for _, own := range at {
		if !maps.Equal(own, first) {
			return false
		}
	}
	return true
}

// slopeOf returns the slope that a functional of a linear score is. None means that it is zero. It returns false for anything else.
func slopeOf(b *plugins.Block, functional int) (own slope, none, ok bool) {
	t := b.Start[functional]
	if b.Start[functional+1] == t {
		return slope{}, true, true
	}
	order, row := plugins.OrderOf(b.Tangent[t])
	if b.Start[functional+1] > t+1 || order == 0 {
		return slope{}, false, false
	}
	column, value := single(b.Tangents.Row(int(row)))
	none = order == 2 || b.Coef[t] == 0
	return slope{column, b.Label[t], b.Coef[t]*value < 0}, none, none || column >= 0
}

// single returns the one column that a tangent moves, and by how much; −1 where it is not one.
func single(tangent []float64) (column int, value float64) {
	column = -1
	for j, v := range tangent {
		switch {
		case v != 0 && column >= 0:
			return -1, 0
		case v != 0:
			column, value = j, v
		}
	}
	return column, value
}

// deviations returns the standard deviations of columns, over rows with weights; nil means ones.
func deviations(x *mat.Dense, weight []float64) []float64 {
	n, p := x.Dims()
	out, column := make([]float64, p), make([]float64, n)
	for j := range out {
		mat.Col(column, j, x)
		out[j] = math.Sqrt(stat.PopVariance(column, weight))
	}
	return out
}
