package represent

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/sipc-ml/sipc/plugins"
	"github.com/sipc-ml/sipc/runtime/embed"
	"github.com/sipc-ml/sipc/runtime/gauge"
	"github.com/sipc-ml/sipc/runtime/kernel"
	"github.com/sipc-ml/sipc/runtime/operator"
	"github.com/sipc-ml/sipc/runtime/polar"
	"github.com/sipc-ml/sipc/runtime/setting"
)

// A world is rows with functionals f(x_i + step) − f(x_i), in features that span both, under a Gaussian kernel.
type world struct {
	rows, moved *mat.Dense
	kernel      *kernel.Function
	features    embed.Map
	operator    *operator.Operator
}

func newWorld(t *testing.T) *world {
	t.Helper()
	const n, p = 12, 3
	rng := rand.New(rand.NewPCG(1, 2))
	w := &world{rows: mat.NewDense(n, p, nil), moved: mat.NewDense(n, p, nil)}
	block := &plugins.Block{}
	for i := range n {
		for j := range p {
			w.rows.Set(i, j, rng.NormFloat64())
			w.moved.Set(i, j, w.rows.At(i, j)+.4*rng.NormFloat64())
		}
		at := block.Points.Append(w.moved.RawRowView(i))
		block.Term(1, int32(^at), plugins.Evaluation, plugins.NoLabel)
		block.Term(-1, int32(i), plugins.Evaluation, plugins.NoLabel)
		block.End()
	}
	var err error
	if w.kernel, err = kernel.New(setting.Kernel{Kind: setting.Gaussian, Width: .7}); err != nil {
		t.Fatal(err)
	}
	if w.features, err = embed.New(context.Background(), w.kernel, setting.Features{}, w.rows, block); err != nil {
		t.Fatal(err)
	}
	if w.operator, err = operator.Build(context.Background(), block, w.rows, w.features, 1); err != nil {
		t.Fatal(err)
	}
	return w
}

// quadratic is the root of Σ w² t².
func quadratic(n int, weight float64) *gauge.Node {
	return gauge.Scaled(gauge.Repeat(n, gauge.Hypot(gauge.Leaf(gauge.Abs))), weight)
}

func (w *world) representer(method setting.Method, g *gauge.Node, gap float64) *Representer {
	return &Representer{Method: method, Features: w.features, Operator: w.operator, Gauge: g, Labels: 1, Scale: 1, Gap: gap}
}

func collect(t *testing.T, r *Representer, x *mat.Dense) (*mat.Dense, []float64) {
	t.Helper()
	n, _ := x.Dims()
	out := mat.NewDense(n*r.PerRow(), r.Dim(), nil)
	var gaps []float64
	err := r.Each(context.Background(), x, nil, func(p Batch) error {
		for i := range p.Gap {
			out.SetRow(p.First+i, p.Iota.RawRowView(i))
		}
		gaps = append(gaps, p.Gap...)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return out, gaps
}

// warped is the paper's equation (1), from kernel values alone: k(x, x′) − z(x)ᵀ(I + K_z)⁻¹z(x′) with z_i = w (k(x̃_i, ·) − k(x_i, ·)).
func (w *world) warped(t *testing.T, weight float64) *mat.Dense {
	t.Helper()
	gram := func(a, b *mat.Dense) *mat.Dense {
		n, _ := a.Dims()
		m, _ := b.Dims()
		k := mat.NewDense(n, m, nil)
		w.kernel.Matrix(k, a, b)
		return k
	}
	var z, kz, plus mat.Dense
	z.Sub(gram(w.moved, w.rows), gram(w.rows, w.rows))
	z.Scale(weight, &z)
	kz.Sub(gram(w.moved, w.moved), gram(w.moved, w.rows))
	plus.Sub(gram(w.rows, w.rows), gram(w.rows, w.moved))
	kz.Add(&kz, &plus)
	kz.Scale(weight*weight, &kz)
	n, _ := kz.Dims()
	for i := range n {
		kz.Set(i, i, kz.At(i, i)+1)
	}
	var solved, out mat.Dense
	if err := solved.Solve(&kz, &z); err != nil {
		t.Fatal(err)
	}
	out.Mul(z.T(), &solved)
	out.Sub(gram(w.rows, w.rows), &out)
	return &out
}

func TestWarpIsEquationOne(t *testing.T) {
	w := newWorld(t)
	n, _ := w.rows.Dims()
	for _, weight := range []float64{.3, 2, 20} {
		embedded, gaps := collect(t, w.representer(setting.Warp, quadratic(n, weight), 0), w.rows)
		phi := mat.NewDense(n, w.features.Dim(), nil)
		w.features.Features(phi, w.rows)
		var k mat.Dense
		k.Mul(embedded, phi.T())
		want := w.warped(t, weight)
		for i := range n {
			if gaps[i] > 1e-10 {
				t.Errorf("weight %g: the closed form of row %d has gap %g", weight, i, gaps[i])
			}
			for j := range n {
				if d := math.Abs(k.At(i, j) - want.At(i, j)); d > 1e-10 {
					t.Fatalf("weight %g: warped kernel of rows %d and %d is %.15g, equation (1) gives %.15g", weight, i, j, k.At(i, j), want.At(i, j))
				}
			}
		}
	}
}

func TestEmbedOfAQuadraticGaugeIsTheClosedForm(t *testing.T) {
	w := newWorld(t)
	n, _ := w.rows.Dims()
	closed, _ := collect(t, w.representer(setting.Warp, quadratic(n, 2), 0), w.rows)
	r := w.representer(setting.Embed, quadratic(n, 2), 1e-12)
	same, _ := collect(t, r, w.rows)
	if !mat.Equal(closed, same) {
		t.Error("methods warp and embed differ")
	}
	// Iterations come to the same.
	solved := mat.NewDense(n, r.Dim(), nil)
	err := r.SolveTo(context.Background(), n, r.RightHandSides(w.rows), func(lo int, part *polar.Result) error {
		for i := range part.Gap {
			solved.SetRow(lo+i, part.Iota.RawRowView(i))
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	solved.Sub(closed, solved)
	if e := mat.Norm(solved, 2) / mat.Norm(closed, 2); e > 1e-6 {
		t.Errorf("relative difference %g", e)
	}
}

// Where rounding keeps the closed form from its gap, iterations go on, and what they do not better stays.
func TestIterationsWhereTheClosedFormFallsShort(t *testing.T) {
	w := newWorld(t)
	n, _ := w.rows.Dims()
	_, before := collect(t, w.representer(setting.Warp, quadratic(n, 1e7), 0), w.rows)
	r := w.representer(setting.Embed, quadratic(n, 1e7), slices.Max(before)/2)
	_, after := collect(t, r, w.rows)
	if r.whole == nil {
		t.Error("no iterations were made")
	}
	for i := range after {
		if after[i] > before[i] {
			t.Errorf("row %d has the gap %g after iterations and had %g", i, after[i], before[i])
		}
	}
}

func TestWarpRefusesWhatIsNotQuadratic(t *testing.T) {
	w := newWorld(t)
	n, _ := w.rows.Dims()
	r := w.representer(setting.Warp, gauge.Repeat(n, gauge.MaxOf(gauge.Leaf(gauge.Abs))), 0)
	if err := r.Each(context.Background(), w.rows, nil, func(Batch) error { return nil }); err == nil {
		t.Error("a maximum was warped")
	}
}

func TestAnEmbeddingDoesNotDependOnItsCompany(t *testing.T) {
	w := newWorld(t)
	n, p := w.rows.Dims()
	r := w.representer(setting.Embed, gauge.Scaled(gauge.Repeat(n, gauge.MaxOf(gauge.Leaf(gauge.Abs))), 3), 1e-6)
	together, _ := collect(t, r, w.rows)
	for i := range n {
		alone, _ := collect(t, r, w.rows.Slice(i, i+1, 0, p).(*mat.Dense))
		var d mat.Dense
		d.Sub(alone, together.Slice(i, i+1, 0, r.Dim()))
		if e := mat.Norm(&d, 2); e > 1e-3*mat.Norm(alone, 2) {
			t.Errorf("row %d embedded alone differs by %g", i, e)
		}
	}
}

// A call that was stopped while the solver was set up leaves nothing behind: the next one sets it up anew.
func TestStoppedSetupIsMadeAnew(t *testing.T) {
	w := newWorld(t)
	for _, method := range []setting.Method{setting.Embed, setting.Warp} {
		r := w.representer(method, quadratic(12, 2), 1e-3)
		stopped, stop := context.WithCancel(context.Background())
		stop()
		a := make([]float64, r.Dim())
		a[0] = 1
		if _, err := r.Embed(stopped, a); err == nil {
			t.Fatalf("method %s: it went on after its end", method)
		}
		if _, err := r.Embed(context.Background(), a); err != nil {
			t.Errorf("method %s: %v", method, err)
		}
	}
}
