package model

import (
	"math"
	"math/rand/v2"
	"slices"

	"github.com/sipc-ml/sipc/runtime/gauge"
	"github.com/sipc-ml/sipc/runtime/regularizer"
)

// A Sample is how many elements of index sets were looked at, of how many; zero where all were.
type Sample struct {
	Elements, Of int
	Least        bool // the largest elements alone count in every index set drawn from: the value of all is no smaller
}

// sample returns by what each functional of a two-sided invariance is to be multiplied where all of them would cost much: 0 for those that
// are not looked at. Elements are drawn from the outermost index set of each part, alike at every call. The gauge of the values so multiplied
// estimates that of all, and is at most that where the largest count. Nil takes all as they are.
func (s *scorer) sample(at *site, k int) (factors []float64, of Sample) {
	inv := &at.reg.Invariances[k]
	if inv.Kind == regularizer.Sublinear {
		return nil, of
	}
	if cost := s.cost(at, demandOf(at.reg, k, nil)); cost > s.few() {
		t := &thinning{cost: cost, few: s.few(), invariance: k, of: Sample{Least: true}}
		t.thin(inv.Gauge, 1)
		if t.of.Of > 0 {
			return t.factors, t.of
		}
	}
	return nil, of
}

// A thinning draws elements.
type thinning struct {
	cost, few  int // how many embeddings all of them need, and how many may be made
	invariance int
	factors    []float64
	of         Sample
}

// thin appends the factors of a gauge's leaves, times one that they share.
func (t *thinning) thin(n *gauge.Node, factor float64) {
	switch {
	case len(n.Children) == 0:
		t.factors = append(t.factors, factor)
		return
	case n.Repeat < 2: // parts that are not alike count each
		for _, c := range n.Children {
			t.thin(c, factor)
		}
		return
	}
	drawn := make([]bool, n.Repeat)
	elements := max(1, n.Repeat*t.few/t.cost)
	for _, i := range rand.New(rand.NewPCG(uint64(n.Repeat), uint64(t.invariance))).Perm(n.Repeat)[:elements] {
		drawn[i] = true
	}
	t.of.Elements, t.of.Of = t.of.Elements+elements, t.of.Of+n.Repeat
	t.of.Least = t.of.Least && n.Op != gauge.Norm && n.Op != gauge.Sum
	factor *= scaleUp(n, drawn)
	for _, d := range drawn {
		own := 0.0
		if d {
			own = factor
		}
		t.factors = append(t.factors, slices.Repeat([]float64{own}, n.Children[0].Size())...)
	}
}

// scaleUp returns by what a gauge of the elements drawn is to be multiplied to estimate that of all.
func scaleUp(n *gauge.Node, drawn []bool) float64 {
	power := 1.0
	switch n.Op {
	case gauge.Norm:
		power = n.P
	case gauge.Sum:
	default:
		return 1
	}
	all, own := 0.0, 0.0
	for i, d := range drawn {
		weight := 1.0
		if n.Weights != nil {
			weight = math.Pow(n.Weights[i], power)
		}
		all += weight
		if d {
			own += weight
		}
	}
	if own == 0 {
		return 1
	}
	return math.Pow(all/own, 1/power)
}
