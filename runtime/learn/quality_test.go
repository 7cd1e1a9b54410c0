package learn

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"

	"github.com/sipc-ml/sipc/runtime/setting"
)

// The standard error of a table with whole weights is that of the table that repeats each row as often.
func TestStandardErrorTakesWeights(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		task := rapid.SampledFrom([]setting.Task{setting.Binary, setting.Class, setting.Real, setting.Multilabel}).Draw(t, "task")
		n, m := rapid.IntRange(2, 8).Draw(t, "n"), map[setting.Task]int{setting.Binary: 1, setting.Class: 3, setting.Real: 1, setting.Multilabel: 3}[task]
		of, scores := &Targets{Task: task, Multi: mat.NewDense(n, m, nil)}, mat.NewDense(n, m, nil)
		var many []int
		for i := range n {
			w := rapid.IntRange(1, 4).Draw(t, "weight")
			of.Weight = append(of.Weight, float64(w))
			for range w {
				many = append(many, i)
			}
			of.Class = append(of.Class, rapid.IntRange(0, max(1, m-1)).Draw(t, "class"))
			of.Real = append(of.Real, rapid.Float64Range(-1, 1).Draw(t, "real"))
			for y := range m {
				of.Multi.Set(i, y, float64(rapid.IntRange(0, 1).Draw(t, "label")))
				scores.Set(i, y, rapid.Float64Range(-1, 1).Draw(t, "score"))
			}
		}
		repeated, all := of.Subset(many), mat.NewDense(len(many), m, nil)
		repeated.Weight = nil
		for k, i := range many {
			all.SetRow(k, scores.RawRowView(i))
		}
		got, want := standardError(of, Decide(task, scores)), standardError(repeated, Decide(task, all))
		if math.Abs(got-want) > 1e-12*(1+want) {
			t.Fatalf("%s: %v, and %v of repeated rows", task, got, want)
		}
	})
}
