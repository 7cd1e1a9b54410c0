package model

import (
	"context"
	"math"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/sipc-ml/sipc/runtime/kernel"
	"github.com/sipc-ml/sipc/runtime/regularizer"
	"github.com/sipc-ml/sipc/runtime/setting"
	"github.com/sipc-ml/sipc/runtime/statement"
)

// requiring returns options of a fit whose function is required to fall where the data rise, and what pictures of it need.
func requiring() Options {
	o := wholeOptions(setting.Risk, 1e-8)
	o.Kernel, o.Learner, o.Witnesses = pairwiseOf(2, 0.7), setting.Learner{Kind: setting.Ridge, Strength: 0.1}, true
	o.Require = func(context.Context) ([]statement.Statement, error) {
		return []statement.Statement{{Name: "falling", Terms: []statement.Term{{Coef: -1, Derive: []int{0}}}, Region: boxOf(2)}}, nil
	}
	return o
}

// The twin of a function that keeps statements is what is fitted without them, and both come back from the file.
func TestTwinIsFittedWithoutStatements(t *testing.T) {
	train, o := steps(40, 2), requiring()
	f, err := Fit(t.Context(), train, &regularizer.Regularizer{}, o)
	if err != nil {
		t.Fatal(err)
	}
	o.Require = nil
	free, err := Fit(t.Context(), train, &regularizer.Regularizer{}, o)
	if err != nil {
		t.Fatal(err)
	}
	f.Model.About = About{Preparation: preparationOf(train)}
	read, err := f.Model.content().model()
	if err != nil {
		t.Fatal(err)
	}
	if !mat.Equal(read.Rows.X, train.X) || read.Rows.Of != train.Len() || read.Rows.Weight != nil {
		t.Errorf("rows are %d of %d with weights %v, want all", read.Rows.X.RawMatrix().Rows, read.Rows.Of, read.Rows.Weight)
	}
	at := func(m *Model, coef *mat.Dense, bias float64) []float64 {
		k, _ := coef.Dims()
		values := mat.NewDense(train.Len(), k, nil)
		first := 0
		for _, mark := range Landmarks(m) {
			size, _ := mark.Points.Dims()
			m.Represent.Features.Kernel().Derived(values.Slice(0, train.Len(), first, first+size).(*mat.Dense), kernel.At(train.X), mark)
			first += size
		}
		var out mat.Dense
		out.Mul(values, coef)
		f := mat.Col(nil, 0, &out)
		for i := range f {
			f[i] += bias
		}
		return f
	}
	own, twin := at(read, AtLandmarks(read), read.Fit.Bias[0]), at(read, read.Twin.Coefficients, read.Twin.Bias[0])
	want := at(free.Model, AtLandmarks(free.Model), free.Model.Fit.Bias[0])
	apart := 0.0
	for i := range want {
		if math.Abs(twin[i]-want[i]) > 1e-3 {
			t.Errorf("row %d: the twin is %v, and a fit without statements %v", i, twin[i], want[i])
		}
		apart = max(apart, math.Abs(own[i]-want[i]))
	}
	if apart < 1e-2 {
		t.Errorf("statements change f by %v at most: the test compares nothing", apart)
	}
}

// Many rows are kept at equal steps with their weights, and rows of many columns not at all.
func TestRowsKept(t *testing.T) {
	s := steps(2*mostKept+1, 2)
	s.Weight = make([]float64, s.Len())
	for i := range s.Weight {
		s.Weight[i] = float64(1 + i)
	}
	rows := rowsKept(s)
	if n, _ := rows.X.Dims(); n != mostKept || rows.Of != s.Len() || len(rows.Weight) != mostKept {
		t.Fatalf("%d rows and %d weights of %d, want %d", n, len(rows.Weight), rows.Of, mostKept)
	}
	if last := int(rows.Weight[mostKept-1]) - 1; !mat.Equal(rows.X.RowView(mostKept-1), s.X.RowView(last)) || last < 2*mostKept-2 {
		t.Errorf("the last row kept is %d of %d", last, s.Len())
	}
	s.Groups = make([]setting.Group, mostColumns+1)
	if rowsKept(s) != nil {
		t.Error("rows of many columns are kept")
	}
	if Spread(s) == nil {
		t.Error("rows that are given are not taken")
	}
}

// Rows and twins that do not suit the model are refused.
func TestDrawnFitsTheModel(t *testing.T) {
	train := steps(20, 2)
	f, err := Fit(t.Context(), train, &regularizer.Regularizer{}, requiring())
	if err != nil {
		t.Fatal(err)
	}
	f.Model.About = About{Preparation: preparationOf(train)}
	for name, tt := range map[string]struct {
		change func(m *Model)
		want   string
	}{
		"columns":      {func(m *Model) { m.Rows.X = mat.NewDense(3, 1, nil) }, "rows: 3 rows of 1 columns"},
		"of too few":   {func(m *Model) { m.Rows.Of = 1 }, "rows: 20 rows"},
		"weights":      {func(m *Model) { m.Rows.Weight = []float64{1} }, "with 1 weights"},
		"negative":     {func(m *Model) { m.Rows.Weight = make([]float64, 20) }, "a weight is not a positive number"},
		"coefficients": {func(m *Model) { m.Twin.Coefficients = mat.NewDense(1, 1, nil) }, "twin: coefficients are 1×1"},
		"biases":       {func(m *Model) { m.Twin.Bias = []float64{1, 2} }, "with 2 biases"},
		"no biases":    {func(m *Model) { m.Twin.Bias = nil }, "with 0 biases"},
		"no rows":      {func(m *Model) { m.Rows.X = nil }, "rows: 0 rows"},
	} {
		m, rows, twin := *f.Model, *f.Model.Rows, *f.Model.Twin
		m.Rows, m.Twin = &rows, &twin
		tt.change(&m)
		if _, err := m.content().model(); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v, want %q", name, err, tt.want)
		}
	}
}

// TwinOf is nil of a function that is no sum at landmarks.
func TestTwinOfSums(t *testing.T) {
	train := labelled(8, 2)
	fit := func(f setting.Features) *Model {
		o := wholeOptions(setting.Plain, 1e-3)
		o.Features = f
		out, err := Fit(t.Context(), train, &regularizer.Regularizer{}, o)
		if err != nil {
			t.Fatal(err)
		}
		return out.Model
	}
	if TwinOf(fit(setting.Features{Kind: setting.Fourier, Count: 5})) != nil {
		t.Error("waves are taken for landmarks")
	}
	m := fit(setting.Features{Kind: setting.Nystrom, Landmarks: setting.RowLandmarks})
	if twin := TwinOf(m); twin == nil || !twin.Plain || !mat.Equal(twin.Coefficients, AtLandmarks(m)) {
		t.Error("the twin of method plain is another function")
	}
}
