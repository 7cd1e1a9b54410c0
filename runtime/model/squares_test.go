package model

import (
	"context"
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/sipc-ml/sipc/plugins"
	"github.com/sipc-ml/sipc/runtime/dataset"
	"github.com/sipc-ml/sipc/runtime/gauge"
	"github.com/sipc-ml/sipc/runtime/operator"
	"github.com/sipc-ml/sipc/runtime/regularizer"
	"github.com/sipc-ml/sipc/runtime/setting"
)

// level is an R of two invariances, by which f is to be the same at rows that follow each other, and at rows two apart. Each is a root of squares over
// rows and labels.
func level(s *dataset.Set) *regularizer.Regularizer {
	b := &plugins.Block{Start: []int32{0}}
	for y := range s.LabelNames {
		b.Labels = append(b.Labels, plugins.Label{Index: []int32{int32(y)}, Value: []float64{1}})
	}
	reg := &regularizer.Regularizer{Functionals: b, Rows: s.Len()}
	for apart := 1; apart < 3; apart++ {
		first := b.Len()
		for i := apart; i < s.Len(); i++ {
			for y := range s.LabelNames {
				b.Term(1, int32(i), plugins.Evaluation, int32(y))
				b.Term(-1, int32(i-apart), plugins.Evaluation, int32(y))
				b.End()
			}
		}
		reg.Invariances = append(reg.Invariances, regularizer.Invariance{
			Name: "level", Weight: float64(apart), Kind: regularizer.Seminorm, First: first, Count: b.Len() - first,
			Gauge: gauge.Repeat(b.Len()-first, gauge.Hypot(gauge.Leaf(gauge.Abs))),
		})
	}
	return reg
}

// A fit that knows Gram matrices of R's functionals alone finds the function that it finds with them, and the same values of R. Rounding of the matrices
// is in its gap.
func TestSquaresAloneMakeTheSameFit(t *testing.T) {
	train := tossed(60)
	for _, c := range []struct {
		method setting.Method
		kind   setting.LearnerKind
	}{
		{setting.Risk, setting.SVM},
		{setting.Risk, setting.Softmax},
		{setting.Risk, setting.Logistic},
		{setting.Risk, setting.Ridge},
		{setting.Warp, setting.SVM},
		{setting.Embed, setting.Ridge},
	} {
		o, kind := tellingOptions(c.method), c.kind
		o.Features = setting.Features{Kind: setting.Nystrom, Landmarks: setting.CountLandmarks, Count: 12}
		o.Kernel.Width, o.Learner, o.Strengths, o.Gap = 2, setting.Learner{Kind: kind, Strength: 1}, nil, 1e-7
		few, err := Fit(t.Context(), train, level(train), o)
		if err != nil {
			t.Fatal(err)
		}
		// Functionals that may be added between fits are kept.
		o.Exchange = func(context.Context, int, Values) (*regularizer.Regularizer, error) { return nil, nil } //nolint:nilnil // R has enough members
		all, err := Fit(t.Context(), train, level(train), o)
		if err != nil {
			t.Fatal(err)
		}
		if gaps := slices.Max(slices.Concat(few.Gaps, all.Gaps)); gaps > o.Gap {
			t.Errorf("%v: a gap of %g", c, gaps)
		}
		if c.method.Embeds() {
			checkStored(t, few.Model, all.Model, train)
		}
		var apart mat.Dense
		apart.Sub(few.Model.Fit.Weights, all.Model.Fit.Weights)
		if far := mat.Norm(&apart, 2) / mat.Norm(all.Model.Fit.Weights, 2); far > 1e-3 {
			t.Errorf("%s: weights are a share of %g apart", kind, far)
		}
		for k := range all.Measured {
			if got, want := float64(few.Measured[k].Value), float64(all.Measured[k].Value); math.Abs(got-want) > 1e-3*want {
				t.Errorf("%s: R is %g and was %g", kind, got, want)
			}
		}
	}
}

// checkStored fails unless a model is stored with few functionals, as it was, and smaller than one of all.
func checkStored(t *testing.T, few, all *Model, rows *dataset.Set) {
	t.Helper()
	few.About, all.About = About{Preparation: preparationOf(rows)}, About{Preparation: preparationOf(rows)}
	back, err := few.content().model()
	if err != nil {
		t.Fatal(err)
	}
	want, proof, err := few.Scores(t.Context(), rows.X, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	got, again, err := back.Scores(t.Context(), rows.X, nil, nil)
	if err != nil || !mat.Equal(got, want) || !slices.Equal(proof.Gaps, again.Gaps) {
		t.Errorf("a model that was read scores or proves otherwise: %v", err)
	}
	if n, m := len(fileOf(t, few)), len(fileOf(t, all)); n > m {
		t.Errorf("%d bytes, and %d with all functionals", n, m)
	}
}

// Squares stand for functionals only where the operator is smaller so, and nobody asks for more of them.
func TestSquaresStandForManyFunctionals(t *testing.T) {
	train := tossed(60)
	for _, c := range []struct {
		landmarks int
		method    setting.Method
		labels    bool // of R are not alike
		want      int
	}{{12, setting.Risk, false, 2 * 2 * 13}, {58, setting.Risk, false, 0}, {12, setting.Risk, true, 0}, {12, setting.Dual, false, 0}, {12, setting.Warp, false, 2 * 2 * 12}, {12, setting.Embed, true, 0}} {
		reg, o := level(train), tellingOptions(c.method)
		if c.labels {
			reg = telling(train)
		}
		o.Features = setting.Features{Kind: setting.Nystrom, Landmarks: setting.CountLandmarks, Count: c.landmarks}
		o.Learner = setting.Learner{Kind: setting.SVM, Strength: 1}
		f := newFitter(t.Context(), train, reg, o.filled())
		if err := f.features(); err != nil {
			t.Fatal(err)
		}
		var err error
		if c.method.Embeds() {
			err = f.operator()
		} else {
			_, err = newMinimizer(f)
		}
		if err != nil {
			t.Fatal(err)
		}
		if got := operator.RootsOf(f.op).Squares(); got != c.want {
			t.Errorf("%+v: %d functionals stand for squares", c, got)
		}
	}
}
