package gauge

import (
	"math"
	"math/rand/v2"
	"strconv"
	"testing"
)

func TestRestrictIsTheGaugeAtZeros(t *testing.T) {
	pos, abs := Leaf(Pos), Leaf(Abs)
	for _, root := range []*Node{
		Repeat(4, Hypot(Repeat(3, MaxOf(pos)))),
		Hypot(MaxOf(pos, abs), MaxOf(abs, pos, pos)),
		Hypot(Weighted(MaxOf(pos, abs, pos), 1, 2, 1), SumOf(abs, pos), TopOf(2, pos, pos, abs), Scaled(Repeat(3, NormOf(3, abs)), 2)),
	} {
		rng := rand.New(rand.NewPCG(1, 1))
		size := root.Size()
		for range 200 {
			class, t0 := make([]int32, size), make([]float64, size)
			for i := range class {
				if class[i] = int32(rng.IntN(5)) - 1; class[i] >= 0 {
					t0[i] = float64(class[i]*class[i]) - 3.5 // leaves of one class have one value
				}
			}
			node, kept := root.Restrict(class)
			var values []float64
			for _, i := range kept {
				values = append(values, t0[i])
			}
			got := 0.0
			if node != nil {
				if err := node.Validate(); err != nil {
					t.Fatal(err)
				}
				got = node.Value(values)
			}
			if want := root.Value(t0); math.Abs(got-want) > 1e-12*(1+want) {
				t.Fatalf("%v at %v: %g, want %g", node, values, got, want)
			}
		}
	}
}

func TestCanonicalForgetsTheOrderOfChildren(t *testing.T) {
	text := func(n *Node, names ...string) string {
		at := -1
		return n.Canonical(func() string { at++; return names[at] })
	}
	a := MaxOf(Leaf(Pos), Scaled(Leaf(Abs), 2))
	b := MaxOf(Scaled(Leaf(Abs), 2), Leaf(Pos))
	if text(a, "x", "y") != text(b, "y", "x") {
		t.Errorf("%s and %s", text(a, "x", "y"), text(b, "y", "x"))
	}
	for k, n := range []*Node{b, MaxOf(Leaf(Pos), Scaled(Leaf(Abs), 3)), SumOf(Leaf(Pos), Scaled(Leaf(Abs), 2))} {
		if text(n, "x", "y") == text(a, "x", "y") {
			t.Error("another gauge has the same text: " + strconv.Itoa(k))
		}
	}
}
