package proof_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"github.com/sipc-ml/sipc/runtime/blas"
	"github.com/sipc-ml/sipc/runtime/proof"
	"github.com/sipc-ml/sipc/runtime/statement"
	"github.com/sipc-ml/sipc/runtime/worst"
)

// Tests run on the matrix products that the program runs on.
func TestMain(m *testing.M) {
	if err := blas.Use(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(m.Run())
}

// slope returns a Gaussian model of one column and the statement that it rises.
func slope() (*proof.Model, *statement.Statement) {
	m := &proof.Model{
		Columns: 1, Bias: []float64{1},
		Components: []proof.Component{{Value: 0, Base: proof.Base{Width: 1}}},
		Products:   []proof.Product{{Weight: 1, Of: []int{0}}},
		Landmarks:  []proof.Landmark{{Point: []float64{3}}},
		Coef:       [][]float64{{1}},
	}
	s := &statement.Statement{
		Name: "rising", Terms: []statement.Term{{Coef: 1, Derive: []int{0}}},
		Region: []statement.Side{{Columns: []int{0}, Low: -1, High: 2}},
	}
	return m, s
}

func TestProveReportsItsMargin(t *testing.T) {
	m, s := slope()
	f, err := proof.New(m)
	if err != nil {
		t.Fatal(err)
	}
	v, err := f.Prove(context.Background(), s, proof.Options{Suspects: worst.Suspects})
	least := 4 * math.Exp(-8) // the slope at −1
	if err != nil || v.Answer != proof.Proved || v.Margin <= 0 || v.Margin > least {
		t.Errorf("%+v, %v; the least slope is %v", v, err, least)
	}
	s.Region[0].High = 3.5
	v, err = f.Prove(context.Background(), s, proof.Options{Suspects: worst.Suspects})
	if err != nil || v.Answer != proof.Refuted || v.At[0] <= 3 || v.High >= 0 {
		t.Errorf("%+v, %v", v, err)
	}
	s.Region[0].High = 3 // the slope at 3 is 0
	v, err = f.Prove(context.Background(), s, proof.Options{Suspects: worst.Suspects})
	if err != nil || v.Answer != proof.Open || v.Open == 0 || v.Reason == "" || v.Margin > 0 || v.Margin < -1e-9 {
		t.Errorf("%+v, %v", v, err)
	}
	if len(v.Left) == 0 && v.Open > 0 {
		t.Error("no box is left")
	}
}

// A constant function rises and falls everywhere, by exactly 0; its values are not 0.
func TestSlopesOfAConstantAreProved(t *testing.T) {
	m, s := slope()
	f, err := proof.New(m)
	if err != nil {
		t.Fatal(err)
	}
	zeros := make([][]float64, len(m.Coef))
	for i := range zeros {
		zeros[i] = make([]float64, len(m.Bias))
	}
	if f, err = f.With(zeros, []float64{-1}); err != nil {
		t.Fatal(err)
	}
	for coef, want := range map[float64]proof.Answer{1: proof.Proved, -1: proof.Proved} {
		s.Terms[0].Coef = coef
		if v, err := f.Prove(t.Context(), s, proof.Options{Suspects: worst.Suspects}); err != nil || v.Answer != want || v.Margin != 0 {
			t.Errorf("%v times the slope: %+v, %v", coef, v, err)
		}
	}
	s.Terms[0] = statement.Term{Coef: 1}
	if v, err := f.Prove(t.Context(), s, proof.Options{Suspects: worst.Suspects}); err != nil || v.Answer != proof.Refuted {
		t.Errorf("f >= 0 for f = -1: %+v, %v", v, err)
	}
}

// A mixed derivative is 0 where no component has both columns, though f varies.
func TestWhatIsZeroEverywhereIsProved(t *testing.T) {
	m := &proof.Model{
		Columns: 2, Bias: []float64{1},
		Components: []proof.Component{{Value: 0, Base: proof.Base{Width: 1}}, {Value: 1, Base: proof.Base{Width: 1}}},
		Products:   []proof.Product{{Weight: 0.5, Of: []int{0}}, {Weight: 0.5, Of: []int{1}}},
		Landmarks:  []proof.Landmark{{Point: []float64{3, 1}}},
		Coef:       [][]float64{{1}},
	}
	f, err := proof.New(m)
	if err != nil {
		t.Fatal(err)
	}
	s := &statement.Statement{
		Name: "trust", Terms: []statement.Term{{Coef: 1, Derive: []int{0, 1}}},
		Region: []statement.Side{{Columns: []int{0}, Low: -1, High: 2}, {Columns: []int{1}, Low: -1, High: 2}},
	}
	for constant, want := range map[float64]proof.Answer{0: proof.Proved, 2: proof.Proved, -1: proof.Refuted} {
		s.Constant = constant
		if v, err := f.Prove(t.Context(), s, proof.Options{Suspects: worst.Suspects}); err != nil || v.Answer != want || v.Margin > math.Max(constant, 0) {
			t.Errorf("0 + %v: %+v, %v", constant, v, err)
		}
	}
}

func TestProveObeysBudgetAndContext(t *testing.T) {
	m, s := slope()
	f, err := proof.New(m)
	if err != nil {
		t.Fatal(err)
	}
	s.Region[0].High = 3.5
	s.Constant = 0.25
	p := draw(rand.New(rand.NewPCG(1, 17)))
	g, err := proof.New(&p.model)
	if err != nil {
		t.Fatal(err)
	}
	p.statement.Constant = 1e-3 - lowest(t, g, p)
	v, err := g.Prove(context.Background(), &p.statement, proof.Options{Suspects: worst.Suspects, Cells: 1})
	if err != nil || v.Answer != proof.Open || !strings.HasPrefix(v.Reason, "1 cells were not enough") {
		t.Errorf("%+v, %v", v, err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := f.Prove(ctx, s, proof.Options{Suspects: worst.Suspects}); !errors.Is(err, context.Canceled) {
		t.Errorf("a cancelled proof gave %v", err)
	}
	if _, err := worst.Search(ctx, f, s, 1, 5); !errors.Is(err, context.Canceled) {
		t.Errorf("a cancelled search gave %v", err)
	}
}

// lowest returns the lowest value that the search finds.
func lowest(t *testing.T, f *proof.Function, p *problem) float64 {
	t.Helper()
	points, err := worst.Search(context.Background(), f, &p.statement, math.Inf(1), 1)
	if err != nil || len(points) == 0 {
		t.Fatalf("%v, %v", points, err)
	}
	return points[0].Value
}

func TestNewRefusesBadModels(t *testing.T) {
	for want, spoil := range map[string]func(m *proof.Model){
		"0 columns":                        func(m *proof.Model) { m.Columns = 0 },
		"width 0":                          func(m *proof.Model) { m.Components[0].Base.Width = 0 },
		"width NaN":                        func(m *proof.Model) { m.Components[0].Base.Width = math.NaN() },
		"kind 9":                           func(m *proof.Model) { m.Components[0].Base.Kind = 9 },
		"column 5":                         func(m *proof.Model) { m.Components[0].Value = 5 },
		"weight +Inf":                      func(m *proof.Model) { m.Products[0].Weight = math.Inf(1) },
		"component 1 of 1":                 func(m *proof.Model) { m.Products[0].Of = []int{1} },
		"have a column in common":          func(m *proof.Model) { m.Products[0].Of = []int{0, 0} },
		"point [NaN]":                      func(m *proof.Model) { m.Landmarks[0].Point = []float64{math.NaN()} },
		"order 3":                          func(m *proof.Model) { m.Landmarks[0].Order = 3 },
		"tangent []":                       func(m *proof.Model) { m.Landmarks[0].Order = 1 },
		"0 rows of coefficients":           func(m *proof.Model) { m.Coef = nil },
		"coefficients [1 2] of landmark 0": func(m *proof.Model) { m.Coef[0] = []float64{1, 2} },
		"biases [NaN]":                     func(m *proof.Model) { m.Bias[0] = math.NaN() },
		"which has no derivative of order 2": func(m *proof.Model) {
			m.Components[0].Base.Kind = proof.Matern32
			m.Landmarks[0].Order, m.Landmarks[0].Tangent = 2, []float64{1}
		},
	} {
		m, _ := slope()
		spoil(m)
		if _, err := proof.New(m); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}

func TestStatementsThatDoNotSuit(t *testing.T) {
	m, s := slope()
	m.Components[0].Base.Kind = proof.Matern32
	f, err := proof.New(m)
	if err != nil {
		t.Fatal(err)
	}
	s.Terms[0].Derive = []int{0, 0}
	v, err := f.Prove(context.Background(), s, proof.Options{Suspects: worst.Suspects})
	if err != nil || v.Answer != proof.Open || !strings.Contains(v.Reason, "matern32, which has no derivative of order 2") {
		t.Errorf("%+v, %v", v, err)
	}
	s.Terms[0].Label = 1
	if _, err := f.Prove(context.Background(), s, proof.Options{Suspects: worst.Suspects}); err == nil {
		t.Error("a label that does not exist was accepted")
	}
	s.Terms[0].Label = 0
	if _, _, err := f.Enclose(s, []float64{1, 2}); err == nil {
		t.Error("a point of two columns was accepted")
	}
}

// A number that comes from one side, and its mask from another, is beyond polynomials. A falling function is refuted all the same.
func TestComponentsOfTwoSides(t *testing.T) {
	m, s := slope()
	m.Columns = 3
	m.Components[0].Masks = []int{1}
	m.Landmarks[0].Point = []float64{3, 0, 0}
	s.Terms = []statement.Term{{Coef: 1, Move: []statement.Move{{Column: 0, From: 2, Mul: 1}}}}
	s.Region = []statement.Side{{Columns: []int{0, 1}, Low: -1, High: 2, Points: [][]float64{{0, 1}}}, {Columns: []int{2}, Low: -1, High: 9}}
	f, err := proof.New(m)
	if err != nil {
		t.Fatal(err)
	}
	for constant, want := range map[float64]proof.Answer{0: proof.Open, -1.001: proof.Refuted, -1.5: proof.Refuted} {
		s.Constant = constant
		v, err := f.Prove(t.Context(), s, proof.Options{Suspects: worst.Suspects})
		if err != nil || v.Answer != want || want == proof.Open && !strings.Contains(v.Reason, "two sides") {
			t.Errorf("%v: %+v, %v", constant, v, err)
		}
	}
}

// Bounds of values of a pairwise kernel have no centre. The sum of the pairs' minima stays below the minimum, and not far.
func TestValuesOfManyColumnsAreBounded(t *testing.T) {
	src := rand.New(rand.NewPCG(3, 4))
	p := &problem{kind: "pairwise"}
	for c := range 6 {
		p.model.Columns++
		p.model.Components = append(p.model.Components, proof.Component{Value: c, Base: proof.Base{Width: 2}})
		p.statement.Region = append(p.statement.Region, statement.Side{Columns: []int{c}, Low: -2, High: 2})
		p.model.Products = append(p.model.Products, proof.Product{Weight: 1.0 / 6, Of: []int{c}})
		for l := range c {
			p.model.Products = append(p.model.Products, proof.Product{Weight: 1.0 / 15, Of: []int{l, c}})
		}
	}
	p.model.Bias = []float64{0}
	for range 40 {
		p.landmark(src, 1)
	}
	p.statement.Terms = []statement.Term{{Coef: 1}}
	f, err := proof.New(&p.model)
	if err != nil {
		t.Fatal(err)
	}
	least := lowest(t, f, p)
	for _, c := range []struct {
		above float64
		want  proof.Answer
	}{{0.01, proof.Proved}, {-0.01, proof.Refuted}} {
		p.statement.Constant = c.above*math.Abs(least) - least
		v, err := f.Prove(context.Background(), &p.statement, proof.Options{Suspects: worst.Suspects})
		if err != nil || v.Answer != c.want || v.Margin > c.above*math.Abs(least) {
			t.Errorf("%+v, %v; the least value is %v", v, err, least)
		}
	}
}
