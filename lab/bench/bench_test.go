package bench

import (
	"context"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas32"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"

	"github.com/sipc-ml/sipc/runtime/embed"
	"github.com/sipc-ml/sipc/runtime/gauge"
	"github.com/sipc-ml/sipc/runtime/kernel"
	"github.com/sipc-ml/sipc/runtime/polar"
	"github.com/sipc-ml/sipc/runtime/setting"
)

// tiny is a problem of the three kinds' shapes in one: a hypot of means of maxima, two-sided and one-sided.
func tiny(t *testing.T) *Problem {
	t.Helper()
	const rhs, dim = 5, 6
	root := gauge.Weighted(gauge.Hypot(
		gauge.Weighted(gauge.Repeat(3, gauge.Hypot(&gauge.Node{Op: gauge.Max, Repeat: 4, Children: []*gauge.Node{gauge.Leaf(gauge.Abs)}})), 0.5, 0.6, 0.7),
		gauge.Repeat(2, gauge.Hypot(gauge.Hypot(
			gauge.MaxOf(gauge.Leaf(gauge.Pos), gauge.Leaf(gauge.Pos)),
			gauge.Weighted(gauge.MaxOf(gauge.MaxOf(gauge.Leaf(gauge.Pos), gauge.Leaf(gauge.Pos)), gauge.Leaf(gauge.Pos)), 0.3, 0.7),
		))),
		gauge.Leaf(gauge.Abs),
		gauge.MaxOf(gauge.Leaf(gauge.Pos)),
	), 1, 2, 3, 4)
	a, err := polar.NewDense(mat.NewDense(root.Size(), dim, random[float64](root.Size()*dim, 3)))
	if err != nil {
		t.Fatal(err)
	}
	right := mat.NewDense(rhs, dim, random[float64](rhs*dim, 4))
	norm := polar.Problem{Alpha: 0.2, A: a, Gauge: gauge.Scaled(root, math.Sqrt2)} // twice J
	return &Problem{
		About: About{Kind: FromFile, Name: `ti"ny`, Dim: dim, Functionals: root.Size(), RHS: rhs, Alpha: 0.1},
		norm:  func() polar.Problem { return norm },
		solver: func(ctx context.Context, gap float64) (solver, error) {
			s, err := polar.New(ctx, norm, polar.Settings{Gap: gap})
			return fileSolver{s, dim}, err
		},
		rhs: func(lo, hi int) (*mat.Dense, error) { return mat.DenseCopyOf(right.Slice(lo, hi, 0, dim)), nil },
	}
}

// A problem that is written and read again has the same values, though its terms stand in another order.
func TestFilesHoldTheProblem(t *testing.T) {
	p := tiny(t)
	path := filepath.Join(t.TempDir(), "tiny.json")
	if err := p.Write(t.Context(), path); err != nil {
		t.Fatal(err)
	}
	q, err := Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(p.About, q.About); diff != "" {
		t.Errorf("another problem was read (-written +read):\n%s", diff)
	}
	const gap = 1e-10
	var values [2][]float64
	for k, problem := range []*Problem{p, q} {
		s, err := solve(t.Context(), problem, gap, nil)
		if err != nil {
			t.Fatal(err)
		}
		if slices.Max(s.gaps) > gap {
			t.Errorf("gaps %v", s.gaps)
		}
		values[k] = s.values
	}
	for i := range values[0] {
		if math.Abs(values[0][i]/values[1][i]-1) > 1e-9 {
			t.Errorf("values %v, read again %v", values[0], values[1])
		}
	}
}

func TestTermsRefuseOtherGauges(t *testing.T) {
	abs := gauge.Leaf(gauge.Abs)
	for _, g := range []*gauge.Node{
		gauge.SumOf(abs, abs),
		gauge.NormOf(3, abs, abs),
		gauge.MaxOf(gauge.Hypot(abs, abs), abs),
		gauge.MaxOf(abs, gauge.Leaf(gauge.Pos)),
		gauge.TopOf(1, abs, abs),
	} {
		if terms, err := termsOf(g, 1); err == nil {
			t.Errorf("%v has terms %v", g, terms)
		}
	}
}

func TestLargeFilesAreRefused(t *testing.T) {
	p := tiny(t)
	p.About.Functionals = mostWritten
	path := filepath.Join(t.TempDir(), "large.json")
	if err := p.Write(t.Context(), path); err == nil || !strings.Contains(err.Error(), "smaller --n") {
		t.Errorf("error %v", err)
	}
	if _, err := os.Stat(path); err == nil {
		t.Error("a file was left")
	}
}

// Every product counts once, by the operations that its shape needs, and computes what it computes without the counter.
func TestCounter(t *testing.T) {
	const m, n, k = 3, 5, 7
	a, b := mat.NewDense(m, k, random[float64](m*k, 1)), mat.NewDense(k, n, random[float64](k*n, 2))
	var want mat.Dense
	want.Mul(a, b)
	var c counter
	err := c.during(func() error {
		var got mat.Dense
		got.Mul(a, b)
		if !mat.Equal(&got, &want) {
			t.Error("counting changes the product")
		}
		if now := c.now(); now != (Products{Double: 2 * m * n * k}) {
			t.Errorf("a product counts %v", now)
		}
		x := blas32.General{Rows: m, Cols: m, Stride: m, Data: make([]float32, m*m)}
		blas32.Gemm(blas.NoTrans, blas.Trans, 1, x, x, 0, blas32.General{Rows: m, Cols: m, Stride: m, Data: make([]float32, m*m)})
		if now := c.now(); now.Single != 2*m*m*m {
			t.Errorf("a product in single precision counts %v", now)
		}
		before := c.now()
		blas64.Syrk(blas.NoTrans, 1, a.RawMatrix(), 0, blas64.Symmetric{Uplo: blas.Lower, N: m, Stride: m, Data: make([]float64, m*m)})
		if d := c.now().minus(before); d.Double != m*(m+1)*k {
			t.Errorf("a symmetric product counts %v", d)
		}
		before = c.now()
		unit := blas64.Triangular{Uplo: blas.Upper, Diag: blas.Unit, N: m, Stride: m, Data: make([]float64, m*m)}
		blas64.Trsm(blas.Left, blas.NoTrans, 1, unit, blas64.General{Rows: m, Cols: n, Stride: n, Data: make([]float64, m*n)})
		if d := c.now().minus(before); d.Double != m*n*m {
			t.Errorf("a triangular solve counts %v", d)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	before := c.now()
	want.Mul(a, b)
	if c.now() != before {
		t.Error("products count after the counter has gone")
	}
}

// What is measured agrees with itself.
func TestMeasure(t *testing.T) {
	p := tiny(t)
	calls := 0
	m, err := Measure(t.Context(), p, Settings{Gap: 1e-6, Square: 50, Progress: func(done, total int) {
		calls++
		if done > total {
			t.Errorf("%d of %d are done", done, total)
		}
	}})
	if err != nil {
		t.Fatal(err)
	}
	if calls == 0 || m.Reached != 5 || float64(m.WorstGap) > 1e-6 || m.MedianGap > m.WorstGap || m.Iterations.Max < m.Iterations.Median {
		t.Errorf("%d calls, %+v", calls, m)
	}
	if total := m.Products.Double + m.Products.Single; total <= 0 || total >= 2e6 {
		t.Errorf("%v operations", m.Products)
	}
	want := (m.Products.Double/m.Rates.Double + m.Products.Single/m.Rates.Single) / m.Seconds
	if math.Abs(m.Fraction-want) > 1e-12 || !(m.Fraction > 0) || math.Abs(m.PerRHS*m.PerSecond-1) > 1e-12 {
		t.Errorf("fraction %v, want %v; %+v", m.Fraction, want, m)
	}
	if m.PeakSolve > m.PeakProcess {
		t.Errorf("memory %d while solving, %d in all", m.PeakSolve, m.PeakProcess)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Measure(ctx, tiny(t), Settings{Gap: 1e-6, Square: 2}); err == nil {
		t.Error("a measurement that was cancelled ended well")
	}
}

func TestSplit(t *testing.T) {
	for text, want := range map[string][]string{
		`python3 a.py {problem}`:    {"python3", "a.py", "{problem}"},
		`  a  "b c"'d' '' `:         {"a", "b cd", ""},
		`"it's" {problem}{problem}`: {"it's", "{problem}{problem}"},
	} {
		got, err := split(text)
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("%q is %q (%v), want %q", text, got, err, want)
		}
	}
	for _, text := range []string{"", " ", `a "b`, "''"} {
		if got, err := split(text); err == nil {
			t.Errorf("%q is %q", text, got)
		}
	}
	if got := fill([]string{"x{rhs}", "--gap={gap}", "{problem}"}, "{rhs}.json", 1e-4, 7); !slices.Equal(got, []string{"x7", "--gap=0.0001", "{rhs}.json"}) {
		t.Errorf("filled in: %q", got)
	}
}

func TestFirstEdges(t *testing.T) {
	path := filepath.Join(t.TempDir(), "edges")
	if err := os.WriteFile(path, []byte("0 1\r\n\n1 2\n0 3\n3 4\n2 4\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	keep, edges, err := firstEdges(path, 4)
	if err != nil || !slices.Equal(keep, []string{"0", "1", "2", "3"}) || string(edges.text()) != "0 1\n1 2\n0 3\n" {
		t.Errorf("labels %v, edges %q, %v", keep, edges.text(), err)
	}
}

// Rows are handed back as they were, whether they are pixels or not, and every right-hand side differs from the others.
func TestRows(t *testing.T) {
	for name, x := range map[string]*mat.Dense{
		"pixels":  mat.NewDense(2, 3, []float64{0, 255, 3, 7, 128, 1}),
		"numbers": mat.NewDense(2, 3, []float64{0, 256, -3, 0.5, 1, 1}),
	} {
		kept := keepRows(x)
		if (kept.pixels != nil) != (name == "pixels") {
			t.Errorf("%s are kept as %v", name, kept)
		}
		got := make([]float64, 3)
		for i := range 2 {
			kept.row(got, i)
			if !slices.Equal(got, x.RawRowView(i)) {
				t.Errorf("%s: row %d is %v", name, i, got)
			}
		}
	}
	k, err := kernel.New(setting.Kernel{Kind: setting.Gaussian, Width: 1})
	if err != nil {
		t.Fatal(err)
	}
	x := mat.NewDense(5, 3, random[float64](15, 6))
	features, err := embed.New(t.Context(), k, setting.Features{}, x, nil)
	if err != nil {
		t.Fatal(err)
	}
	s := newRowSource(x, features, 4, 1)
	whole, _ := s.next(0, 20)
	for i := range 20 {
		part, _ := s.next(i, i+1)
		if !slices.Equal(part.RawRowView(0), whole.RawRowView(i)) {
			t.Errorf("right-hand side %d by itself is another", i)
		}
		for j := range i {
			if slices.Equal(whole.RawRowView(i), whole.RawRowView(j)) {
				t.Errorf("right-hand sides %d and %d are the same", i, j)
			}
		}
	}
}

func (p Products) minus(q Products) Products {
	return Products{p.Double - q.Double, p.Single - q.Single}
}
