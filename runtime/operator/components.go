package operator

import (
	"context"

	"gonum.org/v1/gonum/mat"

	"github.com/sipc-ml/sipc/runtime/polar"
)

// A component is labels that functionals couple, with their functionals.
type component struct {
	labels      []int
	functionals []int
	operator    *Operator // of these labels and functionals alone
}

// pick is the weights of the component's functionals.
func (p *component) pick(w []float64) []float64 {
	out := make([]float64, len(p.functionals))
	for i, f := range p.functionals {
		out[i] = w[f]
	}
	return out
}

// components splits the labels into those that functionals couple, in the order of their first label. Functionals without
// a row belong to none.
func (a *Operator) components() []*component {
	parent := make([]int, a.labels)
	for c := range parent {
		parent[c] = c
	}
	root := func(c int) int {
		for parent[c] != c {
			parent[c] = parent[parent[c]]
			c = parent[c]
		}
		return c
	}
	for i := range a.functionals {
		for _, e := range a.of(i)[min(1, len(a.of(i))):] {
			s, t := root(int(a.columns[a.of(i)[0].at].label)), root(int(a.columns[e.at].label))
			parent[max(s, t)] = min(s, t)
		}
	}
	byRoot := make([]*component, a.labels)
	var list []*component
	for c := range parent {
		r := root(c)
		if byRoot[r] == nil {
			byRoot[r] = &component{}
			list = append(list, byRoot[r])
		}
		byRoot[r].labels = append(byRoot[r].labels, c)
	}
	for i := range a.functionals {
		if es := a.of(i); len(es) > 0 {
			p := byRoot[root(int(a.columns[es[0].at].label))]
			p.functionals = append(p.functionals, i)
		}
	}
	for _, p := range list {
		p.operator = a.restrict(p.labels, p.functionals)
	}
	return list
}

// restrict is the operator of some labels and of functionals that use no others. It shares Ψ.
func (a *Operator) restrict(labels, functionals []int) *Operator {
	s := &Operator{functionals: len(functionals), labels: len(labels), dim: a.dim, psi: a.psi, first: []int32{0}, start: []int32{0}}
	shift := make(map[int32]int32, len(labels)) // label → new column minus old column
	for to, c := range labels {
		delta := int32(len(s.columns)) - a.first[c]
		shift[int32(c)] = delta
		for _, col := range a.columns[a.first[c]:a.first[c+1]] {
			s.columns = append(s.columns, column{int32(to), col.row})
		}
		var runs []run
		for _, r := range a.runs[c] {
			r.column += delta
			runs = append(runs, r)
		}
		s.runs = append(s.runs, runs)
		s.first = append(s.first, int32(len(s.columns)))
	}
	for _, i := range functionals {
		for _, e := range a.of(i) {
			e.at += shift[a.columns[e.at].label]
			s.entries = append(s.entries, e)
		}
		s.start = append(s.start, int32(len(s.entries)))
	}
	s.finish()
	return s
}

// splitPlan solves component by component.
type splitPlan struct {
	whole *Operator
	parts []*component
	plans []plan
}

func (p *splitPlan) factor(ctx context.Context, alpha float64) (polar.Factor, error) {
	f := &splitFactor{whole: p.whole, parts: p.parts}
	for _, sub := range p.plans {
		g, err := sub.factor(ctx, alpha)
		if err != nil {
			return nil, err
		}
		f.factors = append(f.factors, g)
	}
	return f, nil
}

type splitFactor struct {
	whole   *Operator
	parts   []*component
	factors []polar.Factor
}

// Solve gathers the labels of each component, solves, and puts them back.
func (f *splitFactor) Solve(dst, b *mat.Dense) {
	n, _ := b.Dims()
	d := f.whole.dim
	for k, p := range f.parts {
		step := max(1, flightNumber/(d*len(p.labels)))
		for lo := 0; lo < n; lo += step {
			hi := min(lo+step, n)
			part := mat.NewDense(hi-lo, d*len(p.labels), nil)
			for to, c := range p.labels {
				view(part, 0, hi-lo, to*d, (to+1)*d).Copy(b.Slice(lo, hi, c*d, (c+1)*d))
			}
			f.factors[k].Solve(part, part)
			for to, c := range p.labels {
				view(dst, lo, hi, c*d, (c+1)*d).Copy(part.Slice(0, hi-lo, to*d, (to+1)*d))
			}
		}
	}
}
