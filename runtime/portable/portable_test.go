package portable

import (
	"bytes"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"

	"github.com/sipc-ml/sipc/plugins"
	"github.com/sipc-ml/sipc/runtime/embed"
	"github.com/sipc-ml/sipc/runtime/learn"
	"github.com/sipc-ml/sipc/runtime/model"
	"github.com/sipc-ml/sipc/runtime/onnx"
	"github.com/sipc-ml/sipc/runtime/onnx/onnxtest"
	"github.com/sipc-ml/sipc/runtime/regularizer"
	"github.com/sipc-ml/sipc/runtime/represent"
	"github.com/sipc-ml/sipc/runtime/setting"
)

// tb is what a test can fail by.
type tb interface {
	Helper()
	Fatal(args ...any)
	Fatalf(format string, args ...any)
}

// graphed returns what a graph makes of a matrix, an output for each value that build returns by name.
func graphed(t tb, m *model.Model, in *mat.Dense, build func(b *builder, x onnx.Value) (map[string]onnx.Value, error)) map[string]*mat.Dense {
	t.Helper()
	b := &builder{g: onnx.NewGraph("g"), m: m, columns: map[int]onnx.Value{}}
	n, p := in.Dims()
	x, err := b.g.Input("x", onnx.Double, rows, onnx.Of(p))
	if err != nil {
		t.Fatal(err)
	}
	out, err := build(b, x)
	if err != nil {
		t.Fatal(err)
	}
	for name, v := range out {
		if err := b.g.Output(name, v, onnx.Double, rows, onnx.Any("m")); err != nil {
			t.Fatal(err)
		}
	}
	var file bytes.Buffer
	if err := (&onnx.Model{Graph: b.g}).Write(&file); err != nil {
		t.Fatal(err)
	}
	read, err := onnxtest.Read(file.Bytes())
	if err == nil {
		err = read.Graph.Check()
	}
	if err != nil {
		t.Fatal(err)
	}
	made, err := read.Graph.Run(map[string]*onnxtest.Tensor{"x": {Dims: []int{n, p}, Data: mat.DenseCopyOf(in).RawMatrix().Data}})
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]*mat.Dense{}
	for name, v := range made {
		got[name] = mat.NewDense(v.Dims[0], v.Dims[1], v.Data.([]float64))
	}
	return got
}

// near checks that two matrices differ by a share of the largest number at most.
func near(t tb, what string, want, got *mat.Dense, share float64) {
	t.Helper()
	var off mat.Dense
	off.Sub(want, got)
	most := max(1, mat.Max(want), -mat.Min(want))
	if d := max(mat.Max(&off), -mat.Min(&off)); !(d <= share*most) {
		t.Fatalf("%s: the graph is off by %.3g of %.3g", what, d, most)
	}
}

// Implications are kept by a graph as by a model, in every way in which they may be.
func TestGraphsKeepImplications(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n, m := rapid.IntRange(1, 5).Draw(t, "rows"), rapid.IntRange(2, 6).Draw(t, "labels")
		own := &model.Model{Fit: &learn.Fit{Task: setting.Multilabel}, Represent: &represent.Representer{Labels: m}, Declared: rapid.Bool().Draw(t, "declared")}
		own.Fit.Learner = setting.Learner{Kind: rapid.SampledFrom([]setting.LearnerKind{setting.SVM, setting.Logistic}).Draw(t, "learner"), Probabilities: true}
		if own.Declared && rapid.Bool().Draw(t, "required") {
			own.Requirements = make([]model.Requirement, 1)
		}
		own.Fit.Odds = own.Fit.Learner.Kind == setting.SVM && own.Requirements == nil
		for range m {
			if own.Fit.Learner.Kind == setting.SVM {
				g := learn.Sigmoid{Slope: rapid.Float64Range(0.1, 3).Draw(t, "slope")}
				if own.Fit.Odds {
					g.Offset = rapid.Float64Range(-2, 2).Draw(t, "offset")
				}
				own.Fit.Sigmoids = append(own.Fit.Sigmoids, g)
			}
		}
		label := rapid.Int32Range(0, int32(m-1))
		for range rapid.IntRange(0, m).Draw(t, "rules") {
			own.Closure = append(own.Closure, regularizer.Implication{If: label.Draw(t, "if"), Then: label.Draw(t, "then")})
		}
		f := mat.NewDense(n, m, nil)
		f.Apply(func(_, _ int, _ float64) float64 { return rapid.Float64Range(-5, 5).Draw(t, "f") }, f)
		got := graphed(t, own, f, func(b *builder, x onnx.Value) (map[string]onnx.Value, error) {
			scores := b.closed(b.logOdds(x))
			return map[string]onnx.Value{"scores": scores, "probabilities": b.probabilities(scores)}, nil
		})
		want := mat.DenseCopyOf(f)
		own.Fit.Finish(want)
		want = settled(own, want)
		near(t, "scores", want, got["scores"], 1e-12)
		near(t, "probabilities", model.Probabilities(own, want), got["probabilities"], 1e-12)
	})
}

// settled returns scores that keep implications, by a walk from every label to all that it leads to.
func settled(m *model.Model, scores *mat.Dense) *mat.Dense {
	n, labels := scores.Dims()
	leads := make([][]bool, labels)
	for a := range leads {
		leads[a] = make([]bool, labels)
		var walk func(y int)
		walk = func(y int) {
			if leads[a][y] {
				return
			}
			leads[a][y] = true
			for _, r := range m.Closure {
				if int(r.If) == y {
					walk(int(r.Then))
				}
			}
		}
		walk(a)
	}
	out := mat.DenseCopyOf(scores)
	for i := range n {
		for y := range labels {
			most, least := math.Inf(-1), math.Inf(1)
			for z := range labels {
				if leads[z][y] {
					most = max(most, scores.At(i, z))
				}
				if leads[y][z] {
					least = min(least, scores.At(i, z))
				}
			}
			switch model.ClosingOf(m) {
			case model.Lent:
				out.Set(i, y, most)
			case model.Met:
				out.Set(i, y, most/2+least/2)
			case model.Alone, model.Agreed:
			}
		}
	}
	return out
}

// graphedKernels are kernels of four columns, of which the last two are marks of one category.
var graphedKernels = map[string]setting.Kernel{
	"gaussian":   {Kind: setting.Gaussian, Width: 1.3},
	"laplacian":  {Kind: setting.Laplacian, Width: 2},
	"matern32":   {Kind: setting.Matern32, Width: 1.7},
	"matern52":   {Kind: setting.Matern52, Width: 1.7},
	"linear":     {Kind: setting.Linear},
	"polynomial": {Kind: setting.Polynomial, Degree: 3, Offset: 1},
	"additive": {Kind: setting.Additive, Components: []setting.Component{
		{Name: "a", Columns: []int{0}, Base: setting.Base{Kind: setting.Gaussian, Width: 1, Linear: 0.5}},
		{Name: "b", Columns: []int{1}, Base: setting.Base{Kind: setting.Periodic, Width: 1, Period: 6}},
		{Name: "c", Columns: []int{2, 3}, Base: setting.Base{Kind: setting.Category}},
	}},
	"pairwise": {Kind: setting.Pairwise, Components: []setting.Component{
		{Name: "a", Columns: []int{0}, Base: setting.Base{Kind: setting.Matern52, Width: 1}},
		{Name: "b", Columns: []int{1, 3}, Base: setting.Base{Kind: setting.Gaussian, Width: 2}},
		{Name: "c", Columns: []int{2}, Base: setting.Base{Kind: setting.Linear}},
	}},
	"some pairs": {Kind: setting.Pairwise, Pairs: [][2]int{{0, 2}}, Components: []setting.Component{
		{Name: "a", Columns: []int{0}, Base: setting.Base{Kind: setting.Gaussian, Width: 1}},
		{Name: "b", Columns: []int{1}, Base: setting.Base{Kind: setting.Matern52, Width: 2}},
		{Name: "c", Columns: []int{2, 3}, Base: setting.Base{Kind: setting.Category}},
	}},
}

// The graph of every kernel has its values at landmarks, and where it has derivatives, those along tangents, once and twice.
func TestKernelsInGraphs(t *testing.T) {
	for name, k := range graphedKernels {
		rng := rand.New(rand.NewPCG(3, uint64(len(name))))
		random := func(r, c int) plugins.Matrix {
			m := plugins.Matrix{Rows: r, Cols: c, Data: make([]float64, r*c)}
			for i := range m.Data {
				m.Data[i] = rng.NormFloat64()
			}
			return m
		}
		points := func(n int) plugins.Matrix { // a row has one of two texts, or another
			m := random(n, 4)
			for i := range n {
				m.Data[4*i+2], m.Data[4*i+3] = float64((i%3)/2), float64(i%3%2)
			}
			return m
		}
		state := &embed.State{Kind: setting.Nystrom, Kernel: k, Landmarks: points(5), At: points(6), Along: random(6, 4), Twice: 2, Whiten: random(11, 3)}
		if k.Kind == setting.Laplacian || k.Kind == setting.Matern32 { // which have no second derivatives
			state.Twice = 0
		}
		if k.Kind == setting.Laplacian {
			state.At, state.Along, state.Whiten = plugins.Matrix{}, plugins.Matrix{}, random(5, 3)
		}
		features, err := embed.FromState(state)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		weights := mat.NewDense(2, 3, random(2, 3).Data)
		own := &model.Model{Fit: &learn.Fit{Bias: []float64{0.25, -1}}, Represent: &represent.Representer{Features: features, Labels: 2}}
		x := mat.NewDense(40, 4, points(40).Data)
		want := featuresAt(features.Weighted(weights), x)
		want.Apply(func(_, y int, v float64) float64 { return v + own.Fit.Bias[y] }, want)
		got := graphed(t, own, x, func(b *builder, x onnx.Value) (map[string]onnx.Value, error) {
			v, err := b.scores(x, weights)
			return map[string]onnx.Value{"scores": v}, err
		})
		near(t, name, want, got["scores"], 1e-12)
	}
}

// A gap may be written in any mixture of capitals and small letters.
func TestGapWords(t *testing.T) {
	all := map[string]bool{}
	for _, w := range gapWords() {
		if all[w] {
			t.Errorf("%q is listed twice", w)
		}
		all[w] = true
	}
	for _, w := range []string{"", "NA", "na", "Na", "n/A", "NaN", "nUlL", "?"} {
		if !all[w] {
			t.Errorf("%q is no gap", w)
		}
	}
}
