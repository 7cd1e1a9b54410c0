package dataset

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"

	"github.com/sipc-ml/sipc/runtime/setting"
)

// Clipped numbers are the nearest of the box, which a declared interval widens or narrows end by end. Gaps stay.
func TestClippedNumbersAreTheNearestOfTheBox(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		number := rapid.Float64Range(-10, 10)
		low := number.Draw(t, "low")
		p := &Preparation{Outside: setting.OutsideClip, Features: []Feature{{Name: "a", Scale: 1, Low: low, High: low + rapid.Float64Range(0, 5).Draw(t, "range")}}}
		from, to := p.Features[0].Low, p.Features[0].High
		if rapid.Bool().Draw(t, "declared") {
			c := setting.ColumnType{Column: "a", Low: math.Inf(-1), High: math.Inf(1)}
			if rapid.Bool().Draw(t, "from") {
				c.Low, from = low-1, low-1
			}
			if rapid.Bool().Draw(t, "to") {
				c.High, to = low+6, low+6
			}
			p.Types = []setting.ColumnType{c}
		}
		raw, rows := mat.NewDense(4, 1, []float64{number.Draw(t, "x"), number.Draw(t, "y"), math.NaN(), number.Draw(t, "z")}), []int{0, 1, 2, 3}
		before := mat.DenseCopyOf(raw)
		warnings, whose := clip(p, &Table{rows: 4}, rows, raw)
		moved := 0
		for i := range rows {
			was, is := before.At(i, 0), raw.At(i, 0)
			if math.IsNaN(was) != math.IsNaN(is) || !math.IsNaN(was) && is != min(max(was, from), to) {
				t.Fatalf("%v became %v in [%v, %v]", was, is, from, to)
			}
			own := was != is && !math.IsNaN(was)
			if own {
				moved++
			}
			if told := len(whose) > i && whose[i]; told != own {
				t.Fatalf("%v became %v, and whether it moved is told as %v", was, is, told)
			}
		}
		if (moved > 0) != (len(warnings) == 1) {
			t.Fatalf("%d numbers moved, and there are the warnings %q", moved, warnings)
		}
		p.Outside = setting.OutsideRefuse
		if err := refuseOutside(p, &Table{rows: 4}, rows, before); (moved > 0) != (err != nil) {
			t.Fatalf("%d numbers lie outside, and the error is %v", moved, err)
		}
	})
}
