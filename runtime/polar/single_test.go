package polar

import (
	"context"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync/atomic"
	"testing"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas32"
	"gonum.org/v1/gonum/mat"

	"github.com/sipc-ml/sipc/runtime/gauge"
)

// A dense32 is a Dense that works in single precision too, and counts how often it does in either.
type dense32 struct {
	*Dense
	a        blas32.General
	one, two atomic.Int64
}

func newDense32(d *Dense) *dense32 {
	r, dim := d.Dims()
	s := &dense32{Dense: d, a: blas32.General{Rows: r, Cols: dim, Stride: dim, Data: make([]float32, r*dim)}}
	for i := range r {
		convert(s.a.Data[i*dim:(i+1)*dim], d.a.RawRowView(i))
	}
	return s
}

func (d *dense32) Apply(dst, v *mat.Dense) {
	d.two.Add(1)
	d.Dense.Apply(dst, v)
}

func (d *dense32) Apply32(dst, v blas32.General) {
	d.one.Add(1)
	blas32.Gemm(blas.NoTrans, blas.Trans, 1, v, d.a, 0, dst)
}

func (d *dense32) ApplyT32(dst, c blas32.General) {
	blas32.Gemm(blas.NoTrans, blas.NoTrans, 1, c, d.a, 0, dst)
}

func (d *dense32) Factor32(ctx context.Context, alpha float64, w []float64) (Factor32, error) {
	f, err := d.Factor(ctx, alpha, w)
	if err != nil {
		return nil, err
	}
	_, dim := d.Dims()
	unit := mat.NewDense(dim, dim, nil)
	for i := range dim {
		unit.Set(i, i, 1)
	}
	if err := f.Solve(ctx, unit, unit); err != nil {
		return nil, err
	}
	inv := inverse32{blas32.General{Rows: dim, Cols: dim, Stride: dim, Data: make([]float32, dim*dim)}}
	convert(inv.m.Data, unit.RawMatrix().Data)
	return inv, nil
}

type inverse32 struct{ m blas32.General }

func (f inverse32) Solve32(_ context.Context, dst, b blas32.General) error {
	out := blas32.General{Rows: b.Rows, Cols: b.Cols, Stride: b.Cols, Data: make([]float32, b.Rows*b.Cols)}
	blas32.Gemm(blas.NoTrans, blas.NoTrans, 1, b, f.m, 0, out)
	for i := range out.Rows {
		copy(dst.Data[i*dst.Stride:i*dst.Stride+dst.Cols], out.Data[i*out.Stride:(i+1)*out.Stride])
	}
	return nil
}

// Iterations in float32 reach what float64 reaches, with the same certificates: loose gaps in float32 alone, tight ones
// after a change of precision.
func TestSinglePrecision(t *testing.T) {
	for name, g := range nested() {
		t.Run(name, func(t *testing.T) {
			rng := rand.New(rand.NewPCG(11, uint64(len(name))))
			d := newDense32(operator(t, gaussian(rng, 24, 17)))
			rhs := gaussian(rng, 21, 17)
			for _, gap := range []float64{1e-2, 1e-4, 1e-9} {
				p := Problem{Alpha: 0.05, A: d, Gauge: g}
				d.one.Store(0)
				d.two.Store(0)
				res := solve(t, p, Settings{Gap: gap, Multipliers: true, Block: 5}, rhs)
				if one, two := d.one.Load(), d.two.Load(); one == 0 || (gap == 1e-9 && two <= 2*21/5) {
					t.Errorf("gap %g: %d products in float32, %d in float64", gap, one, two)
				}
				lower, upper := Certify(p, rhs, res.Iota, res.Multipliers)
				for i := range lower {
					if got := upper[i]/lower[i] - 1; !(got <= 1.01*gap+1e-13) || !(res.Gap[i] <= gap) {
						t.Errorf("gap %g: right-hand side %d has %.2e, said to be %.2e after %d iterations", gap, i, got, res.Gap[i], res.Iterations[i])
					}
				}
			}
		})
	}
}

// A right-hand side's bits depend neither on those in batch with it, nor on the number of threads.
func TestBitsOfSinglePrecision(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 3))
	p := Problem{Alpha: 0.01, A: newDense32(operator(t, gaussian(rng, 24, 30))), Gauge: nested()["hypot of max"]}
	rhs := gaussian(rng, 40, 30)
	want := solve(t, p, Settings{Gap: 1e-6}, rhs)
	for _, block := range []int{1, 7, 64} {
		for _, procs := range []int{1, 3} {
			before := runtime.GOMAXPROCS(procs)
			got := solve(t, p, Settings{Gap: 1e-6, Block: block}, rhs)
			runtime.GOMAXPROCS(before)
			if !mat.Equal(got.Iota, want.Iota) || !slices.Equal(got.Gap, want.Gap) || !slices.Equal(got.Iterations, want.Iterations) {
				t.Errorf("blocks of %d on %d threads give other bits", block, procs)
			}
		}
	}
}

// The watch looks neither at every iteration nor long after the gap is reached.
func TestWatch(t *testing.T) {
	for _, decay := range []float64{0.5, 0.1, 0.02} {
		w, looks := newWatch(), 0
		target := 1e-6
		reached := int(math.Ceil(-math.Log(target) / decay))
		it := 0
		for gap := 1.0; gap > target; it++ {
			gap = math.Exp(-decay * float64(it))
			if it == w.next {
				looks++
				w.saw(it, gap, target)
				if w.last() <= target {
					break
				}
			}
		}
		if looks > 8+reached/latest || it > reached+latest {
			t.Errorf("decay %g: %d looks over %d iterations, %d were needed", decay, looks, it, reached)
		}
	}
}

// A broken operator whose single precision is far off costs time, not certificates.
func TestSinglePrecisionThatLies(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 8))
	d := newDense32(operator(t, gaussian(rng, 24, 12)))
	for i := range d.a.Data {
		d.a.Data[i] *= float32(1 + 0.05*rng.NormFloat64())
	}
	rhs := gaussian(rng, 9, 12)
	for _, descends := range []bool{false, true} {
		for _, want := range []float64{1e-3, 1e-7} {
			res := descending(t, Problem{Alpha: 0.05, A: d, Gauge: nested()["rms of max"]}, Settings{Gap: want}, rhs, descends)
			if gap := res.MaxGap(); !(gap <= want) {
				t.Errorf("descents %v: gap %.1e", descends, gap)
			}
		}
	}
}

// What leaves the range of single precision is solved in double.
func TestBeyondSinglePrecision(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 9))
	rows, rhs := gaussian(rng, 24, 12), gaussian(rng, 9, 12)
	for _, weight := range []float64{1e-25, 1e-40, 1e-100} {
		p := Problem{Alpha: 0.05, A: newDense32(operator(t, rows)), Gauge: gauge.Scaled(nested()["rms of max"], weight)}
		for _, descends := range []bool{false, true} {
			res := descending(t, p, Settings{Gap: 1e-7}, rhs, descends)
			if gap := res.MaxGap(); !(gap <= 1e-7) || slices.Max(res.Iterations) > 200 {
				t.Errorf("weight %g, descents %v: gap %.1e after %d iterations", weight, descends, gap, slices.Max(res.Iterations))
			}
		}
	}
}

// An approximation's errors widen certificates by what they must, and they hold for the operator that is meant.
func TestApproximation(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 9))
	exact := gaussian(rng, 24, 12)
	near, errs := mat.DenseCopyOf(exact), make([]float64, 24)
	for i := range errs {
		sum := 0.0
		for j := range 12 {
			e := 1e-5 * rng.NormFloat64()
			near.Set(i, j, near.At(i, j)+e)
			sum += e * e
		}
		errs[i] = math.Sqrt(sum) * (1 + 1e-12)
	}
	rhs := gaussian(rng, 30, 12)
	for name, g := range nested() {
		p := Problem{Alpha: 0.05, A: &approximate{operator(t, near), errs}, Gauge: g}
		res := solve(t, p, Settings{Gap: 1e-2, Multipliers: true}, rhs)
		lower, upper := Certify(p, rhs, res.Iota, res.Multipliers)
		best := solve(t, Problem{Alpha: 0.05, A: operator(t, exact), Gauge: g}, Settings{Gap: 1e-9}, rhs)
		for i, truth := range best.Norm2 {
			if !(lower[i] <= truth*(1+2e-9) && truth <= upper[i]*(1+1e-12)) {
				t.Errorf("%s: %v is not within [%v, %v]", name, truth, lower[i], upper[i])
			}
			if res.Gap[i] > 1e-2 {
				t.Errorf("%s: gap %.1e", name, res.Gap[i])
			}
		}
	}
}

type approximate struct {
	*Dense
	errors []float64
}

func (a *approximate) Errors() []float64 { return a.errors }

// A listed32 tells how many rows it stores, so that iterations go by values.
type listed32 struct{ *dense32 }

func (d listed32) StoredRows() int { return d.a.Rows }

// Iterations by values give what those that hold V do, with the same certificates, also where functionals have
// different weights and some depend on others.
func TestIterationsByValues(t *testing.T) {
	const r, dim, count, gap = 30, 40, 50, 1e-3
	rng := rand.New(rand.NewPCG(21, 22))
	rows, a := mat.NewDense(r, dim, nil), mat.NewDense(count, dim, nil)
	for _, m := range []*mat.Dense{rows, a} {
		for i := range m.RawMatrix().Data {
			m.RawMatrix().Data[i] = rng.NormFloat64()
		}
	}
	rows.Scale(0.2, rows)
	for j := range dim {
		rows.Set(1, j, 2*rows.At(0, j))
	}
	d, err := NewDense(rows)
	if err != nil {
		t.Fatal(err)
	}
	var parts []*gauge.Node
	for k := range 6 {
		parts = append(parts, gauge.Scaled(gauge.Repeat(5, gauge.MaxOf(gauge.Leaf(gauge.Abs))), math.Pow(1.3, float64(k))))
	}
	whole := newDense32(d)
	p := Problem{Alpha: 0.3, A: whole, Gauge: gauge.Hypot(parts...)}
	want, err := solved(t, p, gap, a, false)
	if err != nil {
		t.Fatal(err)
	}
	values := newDense32(d)
	p.A = listed32{values}
	got, err := solved(t, p, gap, a, true)
	if err != nil {
		t.Fatal(err)
	}
	iterations, held := 0, 0
	for i := range count {
		if got.Gap[i] > gap || got.Status[i] != Converged {
			t.Errorf("right-hand side %d: gap %g, %v", i, got.Gap[i], got.Status[i])
		}
		// Both bounds hold for the same number.
		if got.Norm2[i] > want.Norm2[i]*(1+want.Gap[i]) || want.Norm2[i] > got.Norm2[i]*(1+got.Gap[i]) {
			t.Errorf("right-hand side %d: bounds %g and %g exclude each other", i, got.Norm2[i], want.Norm2[i])
		}
		iterations, held = iterations+got.Iterations[i], held+want.Iterations[i]
	}
	if 10*iterations > 11*held {
		t.Errorf("%d iterations by values, %d with V", iterations, held)
	}
	if 5*values.one.Load() > whole.one.Load() {
		t.Errorf("%d products by values, %d with V", values.one.Load(), whole.one.Load())
	}
}

func solved(t *testing.T, p Problem, gap float64, a *mat.Dense, byValues bool) (*Result, error) {
	t.Helper()
	s, err := New(t.Context(), p, Settings{Gap: gap, NoFinish: true})
	if err != nil {
		return nil, err
	}
	out, err := s.Solve(t.Context(), a)
	if err == nil && (s.byValues() != nil) != byValues {
		t.Errorf("iterations by values: %v", s.byValues() != nil)
	}
	return out, err
}

// Where there are more functionals than dimensions, or where they are so large that V would round too much, iterations
// hold V.
func TestNoIterationsByValues(t *testing.T) {
	for r, scale := range map[int]float64{5: 1, 4: 100} {
		rows := mat.NewDense(r, 4, nil)
		for i := range rows.RawMatrix().Data {
			rows.RawMatrix().Data[i] = scale * float64(i%7)
		}
		d, err := NewDense(rows)
		if err != nil {
			t.Fatal(err)
		}
		p := Problem{Alpha: 1, A: listed32{newDense32(d)}, Gauge: gauge.Repeat(r, gauge.MaxOf(gauge.Leaf(gauge.Abs)))}
		if _, err := solved(t, p, 1e-3, mat.NewDense(1, 4, []float64{1, 2, 3, 4}), false); err != nil {
			t.Error(err)
		}
	}
}
