package model

import (
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/sipc-ml/sipc/runtime/setting"
)

// Rows that are gathered in several parts have the scores that they have by themselves, also where each label has an embedding.
func TestRowsInPartsHaveTheirScores(t *testing.T) {
	train := tossed(20)
	for _, method := range []setting.Method{setting.Warp, setting.Risk} {
		o := tellingOptions(method)
		o.Features, o.Strengths = setting.Features{Kind: setting.Nystrom, Landmarks: setting.CountLandmarks, Count: 3}, nil
		x := mat.NewDense(gathered+3, 3, nil)
		for i := range gathered + 3 {
			x.SetRow(i, train.X.RawRowView(i%20))
		}
		all, err := Judge(t.Context(), train, level(train), o, x)
		if err != nil {
			t.Fatal(err)
		}
		few, err := Judge(t.Context(), train, level(train), o, train.X)
		if err != nil {
			t.Fatal(err)
		}
		for i := range gathered + 3 {
			if !mat.EqualApprox(all[0].RowView(i), few[0].RowView(i%20), 1e-9) {
				t.Fatalf("%s: row %d of %d has other scores", method, i, gathered+3)
			}
		}
	}
}
