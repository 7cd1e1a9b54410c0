package gauge

import (
	"testing"

	"pgregory.net/rapid"
)

// The square of a gauge is the sum of those of its parts, whose leaves keep their order.
func TestSplitIsASumOfSquares(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		root := &Node{Op: Norm, P: 2}
		var part []int
		parts := rapid.IntRange(1, 4).Draw(t, "parts")
		for range rapid.IntRange(1, 4).Draw(t, "families") {
			family := &Node{Op: Norm, P: 2}
			for range rapid.IntRange(1, 5).Draw(t, "members") {
				child := drawNode(t, 1)
				family.Children = append(family.Children, child)
				family.Weights = append(family.Weights, rapid.Float64Range(0.1, 3).Draw(t, "weight"))
				own := rapid.IntRange(-1, parts-1).Draw(t, "part")
				for range child.Size() {
					part = append(part, own)
				}
			}
			root.Children = append(root.Children, family)
			root.Weights = append(root.Weights, rapid.Float64Range(0.1, 3).Draw(t, "weight"))
		}
		values := drawVector(t, len(part), "t")
		own := make([][]float64, parts)
		for j, k := range part {
			if k < 0 {
				values[j] = 0
				continue
			}
			own[k] = append(own[k], values[j])
		}
		var sum float64
		for k, g := range root.Split(part, parts) {
			if g == nil {
				if len(own[k]) > 0 {
					t.Fatalf("part %d has leaves and no gauge", k)
				}
				continue
			}
			if err := g.Validate(); err != nil {
				t.Fatal(err)
			}
			v := g.Value(own[k])
			sum += v * v
		}
		if want := root.Value(values); !near(sum, want*want, want*want, 1e-12) {
			t.Fatalf("the squares of the parts sum to %v, that of the whole is %v", sum, want*want)
		}
	})
}

// What joins parts otherwise than by squares keeps them together.
func TestSplitRefuses(t *testing.T) {
	for name, n := range map[string]*Node{
		"a maximum":    Repeat(3, MaxOf(Leaf(Abs))),
		"a sum within": Hypot(Leaf(Abs), SumOf(Leaf(Abs), Leaf(Abs))),
		"another norm": Repeat(3, NormOf(3, Leaf(Abs))),
	} {
		if n.Split([]int{0, 0, 1}, 2) != nil {
			t.Errorf("%s falls apart", name)
		}
	}
}

// Equal children stay one that is repeated.
func TestSplitFoldsEqualChildren(t *testing.T) {
	parts := Repeat(3, Hypot(MaxOf(Leaf(Abs), Leaf(Pos)))).Split([]int{1, 1, 0, 0, 1, 1}, 2)
	if parts[1].Repeat != 2 || len(parts[1].Children) != 1 || parts[1].Size() != 4 || parts[0].Size() != 2 {
		t.Errorf("the parts are %v and %v", parts[0], parts[1])
	}
}
