package represent

import (
	"context"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/sipc-ml/sipc/runtime/polar"
)

// mostSupport bounds a support, as a share of the labels: beyond it little is saved.
const mostSupport = 0.5

// mostRounds bounds how often supports grow.
const mostRounds = 24

// outside is the share of the largest violation outside of a support from which on a functional's labels are taken in.
const outside = 0.1

// explore finds the supports of all labels, and on the way embeds rows by their features, shape by shape. It returns
// nil where supports save nothing.
//
// A support begins with its own label. Each round adds the labels of those functionals that the embeddings violate
// most. It ends with supports in which all rows reach the gap. Labels whose problems have the same key share every
// step.
func explore(ctx context.Context, r *Representer, phi *mat.Dense, progress func(done, total int)) (*supports, []*partial, error) {
	e := &exploration{
		rep: r, settings: r.Settings(), survey: newSurvey(r.Operator, r.Gauge, r.Labels), phi: phi, known: map[string]int{},
		out: &supports{of: make([][]int32, r.Labels), shape: make([]int, r.Labels)},
	}
	e.settings.Progress = progress
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
		if open = next; len(open) == 0 {
			return e.out, e.partials, nil
		}
	}
	return nil, nil, nil
}

// An exploration searches for supports.
type exploration struct {
	rep      *Representer
	settings polar.Settings
	survey   *survey
	phi      *mat.Dense
	known    map[string]int // shapes that reach the gap, by key
	out      *supports
	partials []*partial
}

// round solves for labels whose support is not settled, and returns those that miss the gap, with grown supports, as next. It returns false
// where supports save nothing.
func (e *exploration) round(ctx context.Context, open []int32) (next []int32, ok bool, err error) {
	failed := map[string]*grown{}
	for _, y := range open {
		sketch := e.survey.sketch(e.survey.view(y, e.out.of[y]))
		missed, err := e.try(ctx, y, sketch, failed)
		if err != nil {
			return nil, false, err
		}
		if missed == nil {
			continue
		}
		support := e.survey.grow(sketch.view, missed)
		if support == nil || float64(len(support)) > mostSupport*float64(e.rep.Labels) {
			return nil, false, nil
		}
		e.out.of[y] = support
		next = append(next, y)
	}
	return next, true, nil
}

// try solves the problem of a label's sketch, unless one of the same key was solved. It returns nil if the gap is reached, else the
// classes of functionals by which it is missed.
func (e *exploration) try(ctx context.Context, y int32, sketch *sketch, failed map[string]*grown) (*grown, error) {
	key := sketch.view.key
	if at, ok := e.known[key]; ok {
		e.out.shape[y] = at
		return nil, nil //nolint:nilnil // nothing is missed
	}
	// The same problem misses the gap in the same way. Keys name classes of functionals, so that the answer fits this
	// label too.
	if missed := failed[key]; missed != nil {
		return missed, nil
	}
	s := sketch.finish(e.rep)
	p, err := s.solve(ctx, e.phi, e.settings)
	if err != nil {
		return nil, err
	}
	if p.worst != nil {
		failed[key] = sketch.missed(p)
		return failed[key], nil
	}
	e.known[key], e.out.shape[y] = len(e.out.shapes), len(e.out.shapes)
	e.out.shapes, e.partials = append(e.out.shapes, s), append(e.partials, p)
	return nil, nil //nolint:nilnil // as above
}

// grown holds the classes of functionals by which a shape misses its gap, by their keys.
type grown struct{ classes map[string]bool }

// missed returns the classes of the rim that are violated most.
func (p *sketch) missed(of *partial) *grown {
	out := &grown{map[string]bool{}}
	most := 0.0
	value := func(k int) float64 {
		i, _ := slices.BinarySearch(p.view.touched, p.rim[k])
		// The smaller problem knows the functionals of the support alone already.
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

// grow returns a support with the labels of functionals of these classes added; nil means that they add none.
func (s *survey) grow(v *view, by *grown) []int32 {
	out := slices.Clone(v.support)
	for k, i := range v.touched {
		if by.classes[v.keys[v.class[k]]] {
			out = append(out, s.labels[i]...)
		}
	}
	// Some labels are in the support already, and several functionals name the same ones.
	slices.Sort(out)
	if out = slices.Compact(out); len(out) == len(v.support) {
		return nil
	}
	return out
}

// supportsOf returns supports that are known, with their shapes. It numbers shapes in the order in which labels first
// need them.
func supportsOf(r *Representer, of [][]int32) *supports {
	survey := newSurvey(r.Operator, r.Gauge, r.Labels)
	out := &supports{of: of, shape: make([]int, len(of))}
	known := map[string]int{}
	for y, support := range of {
		sketch := survey.sketch(survey.view(int32(y), support)) //nolint:gosec // labels are counted in 32 bits
		at, ok := known[sketch.view.key]
		if !ok {
			at = len(out.shapes)
			known[sketch.view.key] = at
			out.shapes = append(out.shapes, sketch.finish(r))
		}
		out.shape[y] = at
	}
	return out
}
