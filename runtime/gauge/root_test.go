package gauge

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// A search takes few evaluations wherever the root lies: in the middle, at kinks, and many decades nearer to an end.
func TestRootIsFoundInFewEvaluations(t *testing.T) {
	logarithm := func(root float64) func(float64) (float64, float64) {
		return func(s float64) (float64, float64) { return math.Log(s / root), 1 / s }
	}
	for name, c := range map[string]struct {
		lo, hi, at, root float64
		most             int
		f                func(float64) (float64, float64)
	}{
		"near the lower end": {0, 1, 0.9, 1e-200, 20, logarithm(1e-200)},
		"a line":             {0, 1, 0.9, 0.25, 2, func(s float64) (float64, float64) { return s - 0.25, 1 }},
		"near the upper end": {0, 1, 0.5, 1, 20, func(s float64) (float64, float64) { return -math.Log((1 - s) / 1e-30), 1 / (1 - s) }},
		"a kink": {0, 1, 0.9, 1.0 / 3, 12, func(s float64) (float64, float64) {
			if s < 0.4 {
				return 100 * (s - 1.0/3), 100
			}
			return 100*(0.4-1.0/3) + 0.01*(s-0.4), 0.01
		}},
		"an open interval": {math.Inf(-1), math.Inf(1), 0, 300, 30, func(s float64) (float64, float64) {
			e := math.Exp(0.1 * (s - 300))
			return e - 1, 0.1 * e
		}},
	} {
		last, evaluations := 0.0, 0
		(&effort{}).root(c.lo, c.hi, c.at, func(s float64) (float64, float64) {
			last = s
			evaluations++
			return c.f(s)
		})
		if math.Abs(last-c.root) > 1e-14*c.root || evaluations > c.most {
			t.Errorf("%s: %d evaluations lead to %v in place of %v", name, evaluations, last, c.root)
		}
	}
}

// Searches within searches take few evaluations of a node, and never more than the bound and what is under way there.
func TestNestedSearchesAreBounded(t *testing.T) {
	parts := func(op Op, p float64, w []float64, c ...*Node) *Node {
		return &Node{Op: op, P: p, Weights: w, Children: c}
	}
	row := parts(Norm, 40, []float64{1, 1, 3},
		parts(Max, 0, nil, Leaf(Pos), Leaf(Pos)), parts(Sum, 0, []float64{1, 1, 3}, Leaf(Abs), Leaf(Pos), Leaf(Abs)), parts(Max, 0, nil, Leaf(Abs), Leaf(Pos)))
	other := parts(Sum, 0, []float64{3, 1}, Leaf(Abs), Leaf(Abs))
	n := parts(Norm, 2, []float64{8, 1}, &Node{Op: Sum, Repeat: 12, Children: []*Node{other}}, &Node{Op: Norm, P: 1.1, Repeat: 12, Children: []*Node{row}})
	p := NewProx(n)
	most := p.on.effort.most
	rapid.Check(t, func(t *rapid.T) {
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1)) //nolint:gosec // a test
		u, out, tau := make([]float64, n.Size()), make([]float64, n.Size()), math.Pow(10, rapid.Float64Range(-6, 2).Draw(t, "tau"))
		for i := range u {
			u[i] = rng.NormFloat64()
		}
		p.on.effort.most = most
		p.Square(out, u, tau)
		if each := p.on.effort.work / len(p.on.slots); each > 400 {
			t.Errorf("a search takes %d evaluations of each node", each)
		}
		p.on.effort.most = 50
		p.Square(out, u, tau)
		if over := p.on.effort.work - p.on.effort.most; over > 6*len(p.on.slots) {
			t.Errorf("a search takes %d evaluations more than it may", over)
		}
		if !(n.Value(out) <= n.Value(u)*(1+1e-9)) {
			t.Errorf("a search that is cut off goes from %v to %v", n.Value(u), n.Value(out))
		}
	})
}

// A proximal map gives the same bits whatever the same Prox mapped before, and its work is bounded alone.
func TestProximalMapsDoNotDependOnEarlierOnes(t *testing.T) {
	part := &Node{Op: Norm, P: 1.1, Children: []*Node{SumOf(Leaf(Pos), Leaf(Abs)), Leaf(Pos)}}
	nested := &Node{Op: Norm, P: 40, Repeat: 4, Children: []*Node{part}}
	for name, n := range map[string]*Node{"flat": Hypot(MaxOf(Leaf(Abs), Leaf(Abs)), nested), "nested": SumOf(nested, Leaf(Abs))} {
		rng := rand.New(rand.NewPCG(1, 1))
		u, got, want := make([]float64, n.Size()), make([]float64, n.Size()), make([]float64, n.Size())
		used := NewProx(n)
		for k := range 1500 {
			for i := range u {
				u[i] = rng.NormFloat64()
			}
			used.Square(got, u, 1)
			NewProx(n).Square(want, u, 1)
			if !slices.Equal(got, want) {
				t.Fatalf("%s: map %d is %v, alone %v", name, k, got, want)
			}
		}
	}
}
