package model

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"math"
	"slices"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"

	"github.com/sipc-ml/sipc/runtime/gauge"
	"github.com/sipc-ml/sipc/runtime/operator"
	"github.com/sipc-ml/sipc/runtime/polar"
	"github.com/sipc-ml/sipc/runtime/setting"
)

// The embedding of φ(x)yᵀ is a function of all labels, but where R couples each with few others, as a taxonomy does, it is zero at most
// of them: what pulls f(x, y) up pulls up the labels that y implies, and has no say in the rest. A reach is the labels at which it is
// not, and the problem that is solved is that of these labels, the others being zero:
//
//   - Functionals of the reach alone make up a smaller problem, whose multipliers are multipliers of the whole: its upper bound holds.
//   - The lower bound is taken anew, with all functionals that the reach has a part in: of f(x, child) − f(x, parent) that of a
//     parent in the reach, −f(x, parent), counts too.
//
// A reach grows by what is violated outside of it until the gap holds for the whole problem. Labels with the same problem, as those of
// the same depth in a taxonomy have, share what is solved.
type reaches struct {
	of     [][]int32 // of each label, ascending
	shape  []int     // of each label
	shapes []*shape
}

// A shape is a problem that labels share, each with labels of its own in the places of the reach.
type shape struct {
	at, width int // the label's own place, and how many there are

	inner  *operator.Operator // functionals of the reach alone
	gauge  *gauge.Node        // nil: there are none
	solver *polar.Solver
	rim    *operator.Operator // functionals that the reach has a part in
	whole  *gauge.Node        // nil: there are none
	ops    []gauge.Op         // of its leaves
	bounds *polar.Bounds      // under the rim's problem; nil: not yet needed
}

// shareOfReach is the part of the gap to which the smaller problem is solved; the rest is for what it leaves out.
const shareOfReach = 0.5

// mostReach bounds a reach, as a share of the labels: beyond it little is saved.
const mostReach = 0.5

// fewestLabels is below how many labels reaches save nothing.
const fewestLabels = 4

// mostRounds bounds how often reaches grow.
const mostRounds = 24

// outside is the share of the largest violation outside of a reach from which on a functional's labels are taken in.
const outside = 0.1

// reachable reports whether embeddings may be found by reaches: R couples labels by exact functionals, and no maximum over an
// interval is meant.
func (r *Representer) reachable() bool {
	return r.Method == setting.Embed && r.Joint() && r.Labels >= fewestLabels && r.Curves == nil && r.Operator.Errors() == nil
}

// A survey says which functionals have a part in which labels.
type survey struct {
	rep    *Representer
	by     [][]int32 // functionals of each label, ascending
	labels [][]int32 // labels of each functional
	class  []int32   // scratch, a class for each functional, −1: none
}

func newSurvey(r *Representer) *survey {
	count, _ := r.Operator.Dims()
	s := &survey{rep: r, by: make([][]int32, r.Labels), labels: make([][]int32, count), class: make([]int32, count)}
	for i := range count {
		s.class[i] = -1
		r.Operator.Terms(i, func(label, _ int32, _ float64) {
			if n := len(s.labels[i]); n == 0 || s.labels[i][n-1] != label {
				s.labels[i] = append(s.labels[i], label)
				s.by[label] = append(s.by[label], int32(i)) //nolint:gosec // functionals are counted in 32 bits
			}
		})
	}
	return s
}

// A view is the whole problem as a label with some reach sees it.
type view struct {
	reach   []int32
	at      int
	touched []int32  // functionals that the reach has a part in, ascending
	class   []int32  // of each, those of one being equal on the reach
	keys    []string // of the classes
	within  []bool   // whether the classes' first functional is of the reach alone
	key     string   // equal for labels whose problems are
}

// view looks at the problem from a label.
func (s *survey) view(label int32, reach []int32) *view {
	v := &view{reach: reach, at: slices.Index(reach, label)}
	place := make(map[int32]int32, len(reach))
	for k, c := range reach {
		place[c] = int32(k) //nolint:gosec // labels are counted in 32 bits
		v.touched = append(v.touched, s.by[c]...)
	}
	slices.Sort(v.touched)
	v.touched = slices.Compact(v.touched)
	known := map[string]int32{}
	var key []byte
	for _, i := range v.touched {
		inside := true
		key = key[:0]
		s.rep.Operator.Terms(int(i), func(c, row int32, value float64) {
			k, ok := place[c]
			if !ok {
				inside = false
				return
			}
			key = binary.LittleEndian.AppendUint32(key, uint32(k))   //nolint:gosec // bits
			key = binary.LittleEndian.AppendUint32(key, uint32(row)) //nolint:gosec // bits
			key = binary.LittleEndian.AppendUint64(key, math.Float64bits(value))
		})
		if inside {
			key = append(key, '.')
		}
		class, ok := known[string(key)]
		if !ok {
			class = int32(len(v.keys)) //nolint:gosec // as many as functionals at most
			known[string(key)] = class
			v.keys, v.within = append(v.keys, string(key)), append(v.within, inside)
		}
		v.class = append(v.class, class)
	}
	return v
}

// restricted is the gauge of the functionals touched, or of those of the reach alone, and the numbers of those that are left.
func (s *survey) restricted(v *view, within bool) (node *gauge.Node, kept []int32) {
	for k, i := range v.touched {
		if !within || v.within[v.class[k]] {
			s.class[i] = v.class[k]
		}
	}
	node, kept = s.rep.Gauge.Restrict(s.class)
	for _, i := range v.touched {
		s.class[i] = -1
	}
	return node, kept
}

// A plot is a shape in the making.
type plot struct {
	*shape
	view       *view
	inner, rim []int32 // functionals
}

// plot makes the gauges of a view, and its key.
func (s *survey) plot(v *view) *plot {
	p := &plot{shape: &shape{at: v.at, width: len(v.reach)}, view: v}
	p.gauge, p.inner = s.restricted(v, true)
	p.whole, p.rim = s.restricted(v, false)
	if p.whole != nil {
		p.whole.Leaves(func(op gauge.Op) { p.ops = append(p.ops, op) })
	}
	key := binary.LittleEndian.AppendUint32(nil, uint32(p.at))   //nolint:gosec // bits
	key = binary.LittleEndian.AppendUint32(key, uint32(p.width)) //nolint:gosec // bits
	for _, part := range []struct {
		gauge *gauge.Node
		kept  []int32
	}{{p.gauge, p.inner}, {p.whole, p.rim}} {
		sum := sha256.Sum256([]byte(v.describe(part.gauge, part.kept)))
		key = append(key, sum[:]...)
	}
	v.key = string(key)
	return p
}

// describe is a gauge of some functionals as text that is the same for gauges that differ in the order of children alone.
func (v *view) describe(n *gauge.Node, functionals []int32) string {
	if n == nil {
		return ""
	}
	at := 0
	return n.Canonical(func() string {
		k, _ := slices.BinarySearch(v.touched, functionals[at])
		at++
		return v.keys[v.class[k]]
	})
}

// finish makes the operators.
func (p *plot) finish(r *Representer) *shape {
	labels := make([]int, p.width)
	for k, c := range p.view.reach {
		labels[k] = int(c)
	}
	list := func(of []int32) []int {
		out := make([]int, len(of))
		for k, i := range of {
			out[k] = int(i)
		}
		return out
	}
	if p.gauge != nil {
		p.shape.inner = r.Operator.Restrict(labels, list(p.inner))
	}
	if p.whole != nil {
		p.shape.rim = r.Operator.Restrict(labels, list(p.rim))
	}
	return p.shape
}

// A patch is embeddings of some rows for the labels of a shape: row i of Iota has d numbers for each place of the reach.
type patch struct {
	iota  *mat.Dense
	gap   []float64
	norm2 []float64 // ⟨a, ι⟩, not scaled
	worst []float64 // the largest value of each functional of the rim, over the rows whose gap is missed; nil: none is
}

// solve embeds rows, whose features are given, as far as the shape goes.
func (s *shape) solve(ctx context.Context, phi *mat.Dense, gap float64) (*patch, error) {
	n, d := phi.Dims()
	a := mat.NewDense(n, s.width*d, nil)
	for i := range n {
		copy(a.RawRowView(i)[s.at*d:], phi.RawRowView(i))
	}
	if s.solver == nil {
		problem := polar.Problem{Alpha: alpha, Gauge: s.gauge}
		if s.gauge != nil {
			problem.A = s.inner
		}
		var err error
		if s.solver, err = polar.New(ctx, problem, polar.Settings{Gap: shareOfReach * gap}); err != nil {
			return nil, err
		}
	}
	result, err := s.solver.Solve(ctx, a)
	if err != nil {
		return nil, err
	}
	out := &patch{iota: result.Iota, gap: result.Gap, norm2: result.Norm2}
	if s.whole == nil {
		return out, nil
	}
	functionals, _ := s.rim.Dims()
	t := mat.NewDense(n, functionals, nil)
	s.rim.Apply(t, result.Iota)
	for i := range n {
		upper := result.Norm2[i] * (1 + result.Gap[i])
		s.certify(out, i, a.RawRowView(i), t.RawRowView(i), upper, gap)
	}
	return out, nil
}

// certify takes the lower bound of the whole problem, ⟨a, V⟩²/J(V), and the multiple of V that attains it.
func (s *shape) certify(p *patch, i int, a, t []float64, upper, gap float64) {
	v := vector(p.iota.RawRowView(i))
	rho := s.whole.Value(t)
	along, j := blas64.Dot(vector(a), v), alpha*blas64.Dot(v, v)+rho*rho
	if upper == 0 {
		return // a is zero, and so is ι
	}
	if s.bounds == nil {
		s.bounds = polar.NewBounds(polar.Problem{Alpha: alpha, A: s.rim, Gauge: s.whole})
	}
	lower := s.bounds.Lower(a, v.Data, t)
	if p.gap[i], p.norm2[i] = gapOf(lower, upper), lower; lower > 0 {
		blas64.Scal(along/j, v)
	}
	if p.gap[i] <= gap {
		return
	}
	if p.worst == nil {
		p.worst = make([]float64, len(t))
	}
	for k, x := range t {
		if s.ops[k] == gauge.Abs {
			x = math.Abs(x)
		}
		p.worst[k] = max(p.worst[k], x)
	}
}

// explore finds the reaches of all labels, and embeds rows whose features are given on the way: the patches are those of the
// shapes. It returns nil where reaches save nothing.
func (r *Representer) explore(ctx context.Context, phi *mat.Dense, progress func(done, total int)) (*reaches, []*patch, error) {
	e := &exploration{
		rep: r, survey: newSurvey(r), phi: phi, known: map[string]int{},
		out: &reaches{of: make([][]int32, r.Labels), shape: make([]int, r.Labels)},
	}
	open := make([]int32, r.Labels)
	for y := range open {
		open[y] = int32(y)              //nolint:gosec // labels are counted in 32 bits
		e.out.of[y] = []int32{int32(y)} //nolint:gosec // as above
		e.out.shape[y] = -1
	}
	for range mostRounds {
		next, ok, err := e.round(ctx, open)
		if err != nil || !ok {
			return nil, nil, err
		}
		if progress != nil {
			progress(r.Labels-len(next), r.Labels)
		}
		if open = next; len(open) == 0 {
			return e.out, e.patches, nil
		}
	}
	return nil, nil, nil
}

// An exploration is the search for reaches.
type exploration struct {
	rep     *Representer
	survey  *survey
	phi     *mat.Dense
	known   map[string]int // shapes that reach the gap, by key
	out     *reaches
	patches []*patch
}

// round looks at labels whose reach is not settled, and lets those grow that miss the gap: they are next. It is not ok where reaches save
// nothing.
func (e *exploration) round(ctx context.Context, open []int32) (next []int32, ok bool, err error) {
	failed := map[string]*grown{}
	for _, y := range open {
		plot := e.survey.plot(e.survey.view(y, e.out.of[y]))
		missed, err := e.try(ctx, y, plot, failed)
		if err != nil {
			return nil, false, err
		}
		if missed == nil {
			continue
		}
		reach := e.survey.grow(plot.view, missed)
		if reach == nil || float64(len(reach)) > mostReach*float64(e.rep.Labels) {
			return nil, false, nil
		}
		e.out.of[y] = reach
		next = append(next, y)
	}
	return next, true, nil
}

// try solves the problem of a label's plot, unless one of the same key was solved. Nil: it reaches the gap; else, what it is missed by.
func (e *exploration) try(ctx context.Context, y int32, plot *plot, failed map[string]*grown) (*grown, error) {
	key := plot.view.key
	if at, ok := e.known[key]; ok {
		e.out.shape[y] = at
		return nil, nil //nolint:nilnil // nothing is missed
	}
	if missed := failed[key]; missed != nil {
		return missed, nil
	}
	s := plot.finish(e.rep)
	p, err := s.solve(ctx, e.phi, e.rep.Gap)
	if err != nil {
		return nil, err
	}
	if p.worst != nil {
		failed[key] = plot.missed(p)
		return failed[key], nil
	}
	e.known[key], e.out.shape[y] = len(e.out.shapes), len(e.out.shapes)
	e.out.shapes, e.patches = append(e.out.shapes, s), append(e.patches, p)
	return nil, nil //nolint:nilnil // as above
}

// grown are the classes of functionals by which a shape's gap is missed.
type grown struct{ classes map[string]bool }

// missed are the classes of the rim that are violated most.
func (p *plot) missed(of *patch) *grown {
	out := &grown{map[string]bool{}}
	most := 0.0
	value := func(k int) float64 {
		i, _ := slices.BinarySearch(p.view.touched, p.rim[k])
		if p.view.within[p.view.class[i]] {
			return 0
		}
		return of.worst[k]
	}
	for k := range p.rim {
		most = max(most, value(k))
	}
	for k, i := range p.rim {
		if v := value(k); v > 0 && v >= outside*most {
			at, _ := slices.BinarySearch(p.view.touched, i)
			out.classes[p.view.keys[p.view.class[at]]] = true
		}
	}
	return out
}

// grow adds the labels of functionals of these classes to a reach; nil: there are none.
func (s *survey) grow(v *view, by *grown) []int32 {
	out := slices.Clone(v.reach)
	for k, i := range v.touched {
		if by.classes[v.keys[v.class[k]]] {
			out = append(out, s.labels[i]...)
		}
	}
	slices.SortFunc(out, cmp.Compare[int32])
	if out = slices.Compact(out); len(out) == len(v.reach) {
		return nil
	}
	return out
}

// reachesOf makes the shapes of reaches that are known.
func (r *Representer) reachesOf(of [][]int32) *reaches {
	survey := newSurvey(r)
	out := &reaches{of: of, shape: make([]int, len(of))}
	known := map[string]int{}
	for y, reach := range of {
		plot := survey.plot(survey.view(int32(y), reach)) //nolint:gosec // labels are counted in 32 bits
		at, ok := known[plot.view.key]
		if !ok {
			at = len(out.shapes)
			known[plot.view.key] = at
			out.shapes = append(out.shapes, plot.finish(r))
		}
		out.shape[y] = at
	}
	return out
}
