package gauge

import (
	"math"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"
)

// drawDeep returns a tree of some depth with random nodes.
func drawDeep(rng *rand.Rand, depth int) *Node {
	if depth == 0 {
		return Leaf([]Op{Abs, Pos}[rng.IntN(2)])
	}
	n := &Node{Op: []Op{Max, Sum, Norm, Norm, Top}[rng.IntN(5)]}
	for i := range 2 + rng.IntN(2) {
		below := depth - 1
		if i > 0 {
			below = rng.IntN(depth)
		}
		n.Children = append(n.Children, drawDeep(rng, below))
		n.Weights = append(n.Weights, []float64{1, 0.3, 5}[rng.IntN(3)])
	}
	switch n.Op {
	case Norm:
		n.P = []float64{1.2, 1.5, 2, 3, 7}[rng.IntN(5)]
	case Top:
		n.K = 1 + rng.IntN(len(n.Children))
	}
	return n
}

// gaussians returns random numbers.
func gaussians(rng *rand.Rand, n int) []float64 {
	u := make([]float64, n)
	for i := range u {
		u[i] = rng.NormFloat64()
	}
	return u
}

// distance returns ½‖t − u‖² + (τ/2)ρ(t)².
func distance(n *Node, t, u []float64, tau float64) float64 {
	rho, sum := n.Value(t), 0.0
	for i, x := range t {
		sum += (x - u[i]) * (x - u[i])
	}
	return sum/2 + tau/2*rho*rho
}

// Sweeps find what searches within searches find, or better.
func TestSweepsFindTheProximalPoint(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1)) //nolint:gosec // a test
		n := drawDeep(rng, rapid.IntRange(3, 5).Draw(t, "depth"))
		u, tau := gaussians(rng, n.Size()), math.Pow(10, rapid.Float64Range(-3, 1).Draw(t, "tau"))
		swept, searched := make([]float64, len(u)), make([]float64, len(u))
		p, q := NewProx(n), NewProx(n)
		p.Square(swept, u, tau)
		q.ready()
		q.on.u, q.on.t = u, searched
		q.on.effort.begin()
		q.on.magnitudes(q.plan, 0)
		q.on.eval(q.plan, 0, 0, square(tau))
		if a, b := distance(n, swept, u, tau), distance(n, searched, u, tau); a > b*(1+1e-9) {
			t.Errorf("%v, tau = %g: sweeps come to %g, searches to %g", n, tau, a, b)
		}
	})
}

// The work for a node does not grow with the depth of the tree.
func TestSweepsAreLinearInDepth(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, depth := range []int{3, 10, 24} {
		n := NormOf(3, Leaf(Abs), Leaf(Pos))
		for k := range depth {
			n = []*Node{NormOf(float64(4+k%4), n, Leaf(Abs)), TopOf(2, n, Leaf(Abs), Leaf(Pos)), MaxOf(n, Leaf(Abs)), NormOf(1.5, n, Leaf(Pos))}[k%4]
		}
		p, worst := NewProx(n), 0
		for range 5 {
			u := gaussians(rng, n.Size())
			p.Square(make([]float64, len(u)), u, 0.1)
			worst = max(worst, p.on.effort.work/len(p.on.slots))
		}
		if worst > 60 {
			t.Errorf("at depth %d a proximal map takes %d evaluations of each node", depth, worst)
		}
	}
}
