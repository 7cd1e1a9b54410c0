package model

import (
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/sipc-ml/sipc/runtime/embed"
	"github.com/sipc-ml/sipc/runtime/kernel"
	"github.com/sipc-ml/sipc/runtime/risk"
	"github.com/sipc-ml/sipc/runtime/setting"
)

const (
	// A part of a cut becomes a landmark where the features hold less than spannedShare of its squared norm.
	spannedShare = 0.9
	// mostWidened bounds the landmarks that cuts add, and mostSurveys how often they do.
	mostWidened = 400
	mostSurveys = 8
)

// survey finds the cuts that all fits of a minimizer begin with, and makes landmarks of those that the features hardly span. Far from
// all landmarks every function of the features is nearly 0, so that no margin could be kept there. It returns the minimizer on the features
// at the end.
func survey(m *minimizer, k *keeping, l setting.Learner) (*minimizer, error) {
	f := m.f
	q := risk.Request{Learner: m.weighted(l), Gap: f.o.Gap}
	if err := k.size(m, q); err != nil {
		return nil, err
	}
	added := 0
	for range mostSurveys {
		marks, count := k.unspanned(m, mostWidened-added)
		if len(k.faint) == 0 || count == 0 {
			break
		}
		added += count
		var err error
		if f.rep.Features, err = embed.Extended(f.ctx, f.rep.Features, marks); err != nil {
			return nil, err
		}
		old := k
		if m, err = posed(f, f.reg.Nodes); err != nil {
			return nil, err
		}
		k = m.solver.(*keeping) //nolint:forcetypeassert // the options are the same
		k.statements, k.margins, k.floors, k.norm = old.statements, old.margins, old.floors, old.norm
		k.relearn(m, &old.known)
		if _, err = k.rounds(m, q, &k.known); err != nil {
			return nil, err
		}
	}
	return m, nil
}

// relearn takes the points of a pool, whose functionals it evaluates on the features at hand.
func (k *keeping) relearn(m *minimizer, known *pool) {
	found := make([][][]float64, len(k.statements))
	for i, s := range known.of {
		found[s] = append(found[s], known.points[i])
	}
	k.join(m, &k.known, found)
}

// An atom is a value or a derivative at a point, a part of a cut.
type atom struct {
	point, along []float64
	order        int
}

// unspanned returns the parts of the first cuts that the features hardly span as landmarks, at most so many.
func (k *keeping) unspanned(m *minimizer, most int) (marks []kernel.Argument, count int) {
	var lost [kernel.MostOrder + 1][]atom
	span := newSpan(m.f.rep.Features)
	for i, s := range k.known.of {
		for _, a := range k.atoms(s, k.known.points[i]) {
			if count < most && span.lacks(a) {
				lost[a.order] = append(lost[a.order], a)
				count++
			}
		}
	}
	for _, atoms := range lost {
		if len(atoms) > 0 {
			marks = append(marks, argumentOf(atoms))
		}
	}
	return marks, count
}

// atoms returns the parts of the functional of a statement at a point.
func (k *keeping) atoms(s int, point []float64) (out []atom) {
	for i := range k.statements[s].Terms {
		t := &k.statements[s].Terms[i]
		at := make([]float64, len(point))
		t.At(at, point)
		one := atom{point: at, order: len(t.Derive), along: make([]float64, len(point))}
		for _, c := range t.Derive {
			one.along[c] = 1
		}
		out = append(out, one)
		if len(t.Derive) == 2 && t.Derive[0] != t.Derive[1] {
			other := atom{point: at, order: 2, along: append([]float64(nil), one.along...)}
			other.along[t.Derive[1]] = -1
			out = append(out, other)
		}
	}
	return out
}

// argument returns an atom as an argument of a kernel.
func (a *atom) argument() kernel.Argument { return argumentOf([]atom{*a}) }

// argumentOf returns atoms of one order as an argument of a kernel.
func argumentOf(atoms []atom) kernel.Argument {
	p := len(atoms[0].point)
	x := kernel.Argument{Points: mat.NewDense(len(atoms), p, nil), Along: mat.NewDense(len(atoms), p, nil), Order: atoms[0].order}
	for i := range atoms {
		x.Points.SetRow(i, atoms[i].point)
		x.Along.SetRow(i, atoms[i].along)
	}
	if x.Order == 0 {
		x.Along = nil
	}
	return x
}

// A span tells which atoms features hold.
type span struct {
	features  embed.Map
	own, held *mat.Dense
}

// newSpan prepares to look at atoms.
func newSpan(features embed.Map) *span {
	return &span{features, mat.NewDense(1, 1, nil), mat.NewDense(1, features.Dim(), nil)}
}

// lacks reports whether the features hardly span an atom.
func (s *span) lacks(a atom) bool {
	x := a.argument()
	s.features.Kernel().Derived(s.own, x, x)
	s.features.Derivatives(s.held, x)
	length := floats.Norm(s.held.RawRowView(0), 2)
	return length*length < spannedShare*s.own.At(0, 0)
}
