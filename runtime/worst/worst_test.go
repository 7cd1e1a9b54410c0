package worst_test

import (
	"context"
	"errors"
	"math"
	"testing"

	"github.com/sipc-ml/sipc/runtime/proof"
	"github.com/sipc-ml/sipc/runtime/statement"
	"github.com/sipc-ml/sipc/runtime/worst"
)

// bump returns exp(−(x−1)²/2) and the statement that it rises where x is from −2 to 4.
func bump(t *testing.T) (*proof.Function, *statement.Statement) {
	t.Helper()
	f, err := proof.New(&proof.Model{
		Columns: 1, Bias: []float64{0}, Components: []proof.Component{{Value: 0, Base: proof.Base{Width: 1}}},
		Products: []proof.Product{{Weight: 1, Of: []int{0}}}, Landmarks: []proof.Landmark{{Point: []float64{1}}}, Coef: [][]float64{{1}},
	})
	if err != nil {
		t.Fatal(err)
	}
	return f, &statement.Statement{
		Name: "rising", Terms: []statement.Term{{Coef: 1, Derive: []int{0}}}, Region: []statement.Side{{Columns: []int{0}, Low: -2, High: 4}},
	}
}

// The slope of the bump is least one width beyond its top.
func TestSearchFindsTheWorstPoint(t *testing.T) {
	f, s := bump(t)
	points, err := worst.Search(t.Context(), f, s, 0, 5)
	if err != nil || len(points) != 1 || math.Abs(points[0].X[0]-2) > 1e-3 || math.Abs(points[0].Value+math.Exp(-0.5)) > 1e-6 {
		t.Errorf("%v, %v", points, err)
	}
	if points, err = worst.Search(t.Context(), f, s, -1, 5); err != nil || len(points) > 0 {
		t.Errorf("below −1: %v, %v", points, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := worst.Search(ctx, f, s, 0, 5); !errors.Is(err, context.Canceled) {
		t.Errorf("a cancelled search gave %v", err)
	}
}

// Suspects come from enclosures alone. Where nothing is known, they end at a negative slope.
func TestSuspectsNeedNoPolynomials(t *testing.T) {
	f, s := bump(t)
	points, err := worst.Suspects(t.Context(), &proof.Quest{Function: f, Statement: s, Blind: true})
	if err != nil || len(points) != 1 {
		t.Fatalf("%v, %v", points, err)
	}
	if _, high, err := f.Enclose(s, points[0]); err != nil || high >= 0 || !s.Holds(points[0]) {
		t.Errorf("the slope is at most %v at %v, %v", high, points[0], err)
	}
}
