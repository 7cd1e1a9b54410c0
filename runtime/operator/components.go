package operator

import "context"

// A Part of an operator consists of labels that functionals couple and these functionals, both ascending. Operator
// maps functions of these labels to the values of these functionals. A label without functionals is a part of its
// own.
type Part struct {
	Labels, Functionals []int
	Operator            *Operator
}

// Parts returns the parts that A falls into, in the order of their first label. No functional of one part has a label
// of another, so that M and the values AV fall apart alike. Functionals that are zero belong to no part.
func (a *Operator) Parts() []*Part {
	a.cache.once.Do(func() { a.cache.parts = a.components() })
	return a.cache.parts
}

// pick returns the weights of the part's functionals.
func (p *Part) pick(w []float64) []float64 {
	out := make([]float64, len(p.Functionals))
	for i, f := range p.Functionals {
		out[i] = w[f]
	}
	return out
}

// components splits the labels into those that functionals couple, in the order of their first label. It merges sets
// of labels (union-find), with the smallest label as the root of a set.
func (a *Operator) components() []*Part {
	parent := make([]int, a.labels)
	for c := range parent {
		parent[c] = c
	}
	root := func(c int) int {
		for parent[c] != c {
			// Halving the path keeps later searches short.
			parent[c] = parent[parent[c]]
			c = parent[c]
		}
		return c
	}
	// Joining every label of a functional with its first label joins them all.
	for i := range a.functionals {
		for _, e := range a.of(i)[min(1, len(a.of(i))):] {
			s, t := root(int(a.columns[a.of(i)[0].at].label)), root(int(a.columns[e.at].label))
			parent[max(s, t)] = min(s, t)
		}
	}
	byRoot := make([]*Part, a.labels)
	var list []*Part
	for c := range parent {
		r := root(c)
		if byRoot[r] == nil {
			byRoot[r] = &Part{}
			list = append(list, byRoot[r])
		}
		byRoot[r].Labels = append(byRoot[r].Labels, c)
	}
	for i := range a.functionals {
		if es := a.of(i); len(es) > 0 {
			p := byRoot[root(int(a.columns[es[0].at].label))]
			p.Functionals = append(p.Functionals, i)
		}
	}
	for _, p := range list {
		p.Operator = a.Restrict(p.Labels, p.Functionals)
	}
	return list
}

// Terms calls visit with each term of a functional: value times a row of Ψ, at a label.
func (a *Operator) Terms(functional int, visit func(label, row int32, value float64)) {
	for _, e := range a.of(functional) {
		visit(a.columns[e.at].label, a.columns[e.at].row, e.value)
	}
}

// Restrict returns the operator of some functionals on functions that are zero except at some labels, both ascending.
// Its label c is labels[c]. Functionals that stand for squares come all or not at all. It shares Ψ with a, in both precisions. Columns keep their order, so a shift for each label
// translates them.
func (a *Operator) Restrict(labels, functionals []int) *Operator {
	s := &Operator{
		layout: layout{functionals: len(functionals), labels: len(labels), dim: a.dim, first: []int32{0}, start: []int32{0}},
		psi:    a.psi, psi32: a.psi32, off: a.off,
	}
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
			delta, ok := shift[a.columns[e.at].label]
			// Functions are zero at this label.
			if !ok {
				continue
			}
			e.at += delta
			s.entries = append(s.entries, e)
		}
		s.start = append(s.start, int32(len(s.entries)))
		if a.errors != nil {
			s.errors = append(s.errors, a.errors[i])
		}
	}
	s.finish()
	return s
}

// splitPlan solves component by component: M is block diagonal over them, up to the order of labels. Small inverses
// cost less than a large one, in time by the square and in memory by the ratio of the orders.
type splitPlan struct {
	whole *Operator
	parts []*Part
	plans []plan
}

// factor returns the components' factors in double precision.
func (p *splitPlan) factor(ctx context.Context, alpha float64) (solver[float64], error) {
	return splitFactor(p, func(sub plan) (solver[float64], error) { return sub.factor(ctx, alpha) })
}

// factor32 returns the components' factors in single precision.
func (p *splitPlan) factor32(ctx context.Context, alpha float64) (solver[float32], error) {
	return splitFactor(p, func(sub plan) (solver[float32], error) { return sub.factor32(ctx, alpha) })
}

// splitFactor factors every component.
func splitFactor[T number](p *splitPlan, factor func(plan) (solver[T], error)) (solver[T], error) {
	f := &split[T]{whole: p.whole, parts: p.parts}
	for _, sub := range p.plans {
		g, err := factor(sub)
		if err != nil {
			return nil, err
		}
		f.factors = append(f.factors, g)
	}
	return f, nil
}

// split holds the factors of all components.
type split[T number] struct {
	whole   *Operator
	parts   []*Part
	factors []solver[T]
}

// solve gathers the labels of each component, solves, and puts them back.
func (f *split[T]) solve(ctx context.Context, dst, b matrix[T]) error {
	d := f.whole.dim
	for k, p := range f.parts {
		step := min(b.Rows, max(1, batchNumbers/(d*len(p.Labels))))
		room := newMatrix[T](step, d*len(p.Labels))
		for lo := 0; lo < b.Rows; lo += step {
			hi := min(lo+step, b.Rows)
			part, from, to := room.span(0, hi-lo), b.span(lo, hi), dst.span(lo, hi)
			for at, c := range p.Labels {
				// The labels of a component need not be consecutive, so their features are copied together.
				part.cut(at*d, d).copyFrom(from.cut(c*d, d))
			}
			if err := f.factors[k].solve(ctx, part, part); err != nil {
				return err
			}
			for at, c := range p.Labels {
				to.cut(c*d, d).copyFrom(part.cut(at*d, d))
			}
		}
	}
	return nil
}
