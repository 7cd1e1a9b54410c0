package operator_test

import (
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"

	"github.com/sipc-ml/sipc/plugins"
	"github.com/sipc-ml/sipc/runtime/embed"
	"github.com/sipc-ml/sipc/runtime/kernel"
	"github.com/sipc-ml/sipc/runtime/operator"
)

// tallied counts the points whose features are computed.
type tallied struct {
	embed.Map
	points int
}

func (c *tallied) Features(dst, x *mat.Dense) {
	n, _ := x.Dims()
	c.points += n
	c.Map.Features(dst, x)
}

func (c *tallied) Derivatives(dst *mat.Dense, x kernel.Argument) {
	n, _ := x.Points.Dims()
	c.points += n
	c.Map.Derivatives(dst, x)
}

// Rows that another operator has are those that would be computed, in whatever order functionals come there, and none of them is computed again.
func TestKnownRowsAreNotComputedAgain(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(rt, "seed"), 6))
		m := rapid.IntRange(1, 3).Draw(rt, "labels")
		rows := random(rng, 6, 3)
		all := randomBlock(rng, rows, 40, m)
		f := features(t, rows, all)
		// Of a shuffled choice, and of all in another order. Some of these are known.
		few, many := &plugins.Block{Start: []int32{0}}, &plugins.Block{Start: []int32{0}}
		place := map[int]int{}
		for k, j := range rng.Perm(40)[:25] {
			few.Join(all.Select(func(i int) bool { return i == j }))
			place[j] = k
		}
		var of []int
		for _, j := range rng.Perm(40) {
			many.Join(all.Select(func(i int) bool { return i == j }))
			k, known := place[j]
			if !known {
				k = -1
			}
			of = append(of, k)
		}
		known := build(t, few, rows, f, m)
		a, err := operator.BuildWith(t.Context(), many, rows, f, m, operator.Options{Known: known, Of: of})
		if err != nil {
			t.Fatal(err)
		}
		_, dim := a.Dims()
		got, index := mat.NewDense(40, dim, nil), make([]int, 40)
		for k := range index {
			index[k] = k
		}
		a.Rows(got, index)
		closeTo(t, "rows", got, naive(many, rows, f, m), 1e-9)
		count := &tallied{Map: f}
		inner := make([]int, few.Len())
		for k := range inner {
			inner[k] = k
		}
		if _, err := operator.BuildWith(t.Context(), few, rows, count, m, operator.Options{Known: known, Of: inner}); err != nil || count.points > 0 {
			t.Errorf("%d points were computed again: %v", count.points, err)
		}
	})
}
