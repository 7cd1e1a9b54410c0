package plugins_test

import (
	"reflect"
	"testing"

	"pgregory.net/rapid"

	"github.com/sipc-ml/sipc/plugins"
)

// spelled writes a functional out: its terms with points, tangents and labels in full.
func spelled(b *plugins.Block, functional int) (out []any) {
	for k := b.Start[functional]; k < b.Start[functional+1]; k++ {
		out = append(out, b.Coef[k])
		if p := b.Point[k]; p >= 0 {
			out = append(out, p)
		} else {
			out = append(out, append([]float64(nil), b.Points.Row(int(^p))...))
		}
		order, row := plugins.OrderOf(b.Tangent[k])
		if out = append(out, order); order > 0 {
			out = append(out, append([]float64(nil), b.Tangents.Row(int(row))...))
		}
		if y := b.Label[k]; y != plugins.NoLabel {
			out = append(out, b.Labels[y])
		}
	}
	return out
}

// What is selected, and what is joined, are the functionals that they were.
func TestSelectedAndJoinedFunctionalsStay(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		first, second := sound(t), sound(t)
		for k, tangent := range second.Tangent { // some derive twice
			if tangent >= 0 && k%2 == 0 {
				second.Tangent[k] = plugins.Twice(tangent)
			}
		}
		var want [][]any
		joined := &plugins.Block{}
		for _, b := range []*plugins.Block{first, second} {
			chosen := map[int]bool{}
			for i := range b.Len() {
				if rapid.Bool().Draw(t, "chosen") {
					chosen[i] = true
					want = append(want, spelled(b, i))
				}
			}
			few := b.Select(func(i int) bool { return chosen[i] })
			if few.Len() != len(chosen) {
				t.Fatalf("%d functionals are selected, want %d", few.Len(), len(chosen))
			}
			joined.Join(few)
		}
		if err := joined.ValidateTwice(rows, features, labels); err != nil {
			t.Fatal(err)
		}
		var got [][]any
		for i := range joined.Len() {
			got = append(got, spelled(joined, i))
		}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("functionals are %v, want %v", got, want)
		}
	})
}
