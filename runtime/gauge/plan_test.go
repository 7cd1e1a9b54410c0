package gauge

import (
	"math"
	"math/rand/v2"
	"testing"
)

// A norm of the same norms is one norm of their children, with the products of weights.
func TestNestedNormsMerge(t *testing.T) {
	weighted := func(n *Node, w ...float64) *Node {
		n.Weights = w
		return n
	}
	abs, pos := Leaf(Abs), Leaf(Pos)
	for name, c := range map[string]struct{ nested, flat *Node }{
		"copies of copies":  {Repeat(3, NormOf(3, Repeat(2, NormOf(3, abs)))), Repeat(6, NormOf(3, abs))},
		"sums of unlike":    {SumOf(weighted(SumOf(abs, pos), 2, 3), abs), weighted(SumOf(abs, pos, abs), 2, 3, 1)},
		"weights multiply":  {weighted(Repeat(2, MaxOf(weighted(MaxOf(abs, pos), 2, 5))), 3, 7), weighted(MaxOf(abs, pos, abs, pos), 6, 15, 14, 35)},
		"others stay":       {NormOf(2, NormOf(3, abs, pos), NormOf(2, pos, abs)), NormOf(2, NormOf(3, abs, pos), pos, abs)},
		"an only child":     {weighted(SumOf(NormOf(4, abs, pos, abs)), 5), weighted(NormOf(4, abs, pos, abs), 5, 5, 5)},
		"the largest of it": {TopOf(1, MaxOf(abs, pos), abs), MaxOf(abs, pos, abs)},
	} {
		rng := rand.New(rand.NewPCG(1, 2))
		p, q := NewProx(c.nested), NewProx(c.flat)
		if p.plan.once != q.plan.once {
			t.Errorf("%s: an evaluation takes %v multiplications, and %v of the flat norm", name, p.plan.once, q.plan.once)
		}
		for range 20 {
			u := gaussians(rng, c.nested.Size())
			got, want := make([]float64, len(u)), make([]float64, len(u))
			p.Square(got, u, 0.3)
			q.Square(want, u, 0.3)
			for j := range got {
				if !(math.Abs(got[j]-want[j]) <= 1e-12) {
					t.Fatalf("%s: %v, and %v of the flat norm", name, got, want)
				}
			}
		}
	}
}
