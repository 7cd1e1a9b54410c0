package risk

import (
	"math"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"
)

// What elimination solves is I + k Σ p_Y 1_Y 1_Yᵀ, whatever the sets.
func TestElimination(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := rapid.IntRange(1, 9).Draw(t, "labels")
		sets := make([][]int32, rapid.IntRange(1, 7).Draw(t, "sets"))
		p := rapid.SliceOfN(rapid.Float64Range(0, 1), len(sets), len(sets)).Draw(t, "p")
		k := math.Pow(10, rapid.Float64Range(-2, 4).Draw(t, "log k"))
		want := mat.NewDense(m, m, nil)
		for y := range m {
			want.Set(y, y, 1)
		}
		for s := range sets {
			for y := range m {
				if rapid.Bool().Draw(t, "in") {
					sets[s] = append(sets[s], int32(y))
				}
			}
			for _, y := range sets[s] {
				for _, z := range sets[s] {
					want.Set(int(y), int(z), want.At(int(y), int(z))+k*p[s])
				}
			}
		}
		b := rapid.SliceOfN(rapid.Float64Range(-1, 1), m, m).Draw(t, "b")
		e, err := newElimination(m, sets)
		if err != nil {
			t.Fatal(err)
		}
		entries, x, room := make([]float64, e.start[m]), make([]float64, m), make([]float64, m)
		e.factor(entries, p, k)
		e.solve(x, b, entries, room)
		var got mat.VecDense
		got.MulVec(want, mat.NewVecDense(m, x))
		for y, v := range b {
			if math.Abs(got.AtVec(y)-v) > 1e-9*(1+k) {
				t.Fatalf("equation %d of %v: %v, want %v", y, want, got.AtVec(y), v)
			}
		}
	})
}

// Nothing fills in where sets are paths of a tree.
func TestPathsFillNothing(t *testing.T) {
	// The root 0 has children 1 and 2; 1 has 3 and 4, 2 has 5, and 5 has 6.
	e, err := newElimination(7, [][]int32{{0, 1, 3}, {0, 1, 4}, {0, 2, 5, 6}, {0, 2, 5}, {0, 1}})
	if err != nil {
		t.Fatal(err)
	}
	if got, want := e.start[7], int32(7+1+1+2+2+2+3); got != want {
		t.Errorf("%d entries, want %d: each label and those above it", got, want)
	}
}

func TestSetsWithTooMuchInCommon(t *testing.T) {
	all := make([]int32, 500)
	for y := range all {
		all[y] = int32(y)
	}
	if _, err := newElimination(len(all), [][]int32{all}); err == nil || !strings.Contains(err.Error(), "1 label sets of 500 labels") {
		t.Errorf("%v; one set of 500 labels should be refused", err)
	}
}
