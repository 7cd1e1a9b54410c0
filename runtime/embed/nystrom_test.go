package embed_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/sipc-ml/sipc/plugins"
	"github.com/sipc-ml/sipc/runtime/embed"
	"github.com/sipc-ml/sipc/runtime/kernel"
	"github.com/sipc-ml/sipc/runtime/setting"
)

var kernels = []setting.Kernel{
	{Kind: setting.Gaussian, Width: 1.7},
	{Kind: setting.Laplacian, Width: 2.3},
	{Kind: setting.Linear},
	{Kind: setting.Polynomial, Degree: 2, Offset: 1},
}

func random(rng *rand.Rand, n, p int) *mat.Dense {
	m := mat.NewDense(n, p, nil)
	for i := range n {
		for j := range p {
			m.Set(i, j, rng.NormFloat64())
		}
	}
	return m
}

func newMap(tb testing.TB, ks setting.Kernel, s setting.Features, rows *mat.Dense, block *plugins.Block) embed.Map {
	tb.Helper()
	k, err := kernel.New(ks)
	if err != nil {
		tb.Fatal(err)
	}
	m, err := embed.New(context.Background(), k, s, rows, block)
	if err != nil {
		tb.Fatal(err)
	}
	return m
}

func featuresOf(m embed.Map, x *mat.Dense) *mat.Dense {
	n, _ := x.Dims()
	out := mat.NewDense(n, m.Dim(), nil)
	m.Features(out, x)
	return out
}

func derivativesOf(m embed.Map, x, xdot *mat.Dense, order int) *mat.Dense {
	n, _ := x.Dims()
	out := mat.NewDense(n, m.Dim(), nil)
	m.Derivatives(out, kernel.Argument{Points: x, Along: xdot, Order: order})
	return out
}

func closeTo(tb testing.TB, what string, got, want mat.Matrix, tol float64) {
	tb.Helper()
	var diff mat.Dense
	diff.Sub(got, want)
	if e, scale := mat.Norm(&diff, 2), mat.Norm(want, 2); !(e <= tol*(1+scale)) {
		tb.Errorf("%s: off by %g of %g", what, e, scale)
	}
}

// checkReproduces compares inner products of features with the kernel.
func checkReproduces(tb testing.TB, what string, m embed.Map, x *mat.Dense, tol float64) {
	tb.Helper()
	n, _ := x.Dims()
	want, got := mat.NewDense(n, n, nil), mat.NewDense(n, n, nil)
	m.Kernel().Matrix(want, x, x)
	phi := featuresOf(m, x)
	got.Mul(phi, phi.T())
	closeTo(tb, what, got, want, tol)
}

// checkDerivatives compares derivatives with differences of features, and second ones with differences of first ones.
func checkDerivatives(tb testing.TB, what string, m embed.Map, rng *rand.Rand, p int) {
	tb.Helper()
	const h = 1e-5
	x, v := random(rng, 7, p), random(rng, 7, p)
	var up, down, diff mat.Dense
	up.Scale(h, v)
	down.Sub(x, &up)
	up.Add(x, &up)
	diff.Sub(featuresOf(m, &up), featuresOf(m, &down))
	diff.Scale(1/(2*h), &diff)
	closeTo(tb, what, derivativesOf(m, x, v, 1), &diff, 1e-5)
	if m.Kernel().Differentiable() {
		diff.Sub(derivativesOf(m, &up, v, 1), derivativesOf(m, &down, v, 1))
		diff.Scale(1/(2*h), &diff)
		closeTo(tb, what+" twice", derivativesOf(m, x, v, 2), &diff, 1e-5)
	}
}

// derived are features, or derivatives of them.
func derived(m embed.Map, x kernel.Argument) *mat.Dense {
	if x.Order == 0 {
		return featuresOf(m, x.Points)
	}
	return derivativesOf(m, x.Points, x.Along, x.Order)
}

// bentBlock has the functionals of pathBlock, and D²f(x_i + v)[v, v] for every row.
func bentBlock(rng *rand.Rand, rows *mat.Dense) *plugins.Block {
	b := pathBlock(rng, rows)
	n, _ := rows.Dims()
	for i := range int32(n) { //nolint:gosec // a few rows
		b.Term(1, ^i, plugins.Twice(i), plugins.NoLabel)
		b.End()
	}
	return b
}

// pathBlock has f(x_i + v) − f(x_i) and Df(x_i + v)[v] for every row.
func pathBlock(rng *rand.Rand, rows *mat.Dense) *plugins.Block {
	n, p := rows.Dims()
	b := &plugins.Block{}
	for i := range n {
		v := random(rng, 1, p).RawRowView(0)
		x := slices.Clone(rows.RawRowView(i))
		for j := range x {
			x[j] += v[j]
		}
		b.Points.Append(x)
		b.Tangents.Append(v)
		b.Term(1, ^int32(i), plugins.Evaluation, plugins.NoLabel)
		b.Term(-1, int32(i), plugins.Evaluation, plugins.NoLabel)
		b.End()
		b.Term(1, ^int32(i), int32(i), plugins.NoLabel)
		b.End()
	}
	return b
}

func TestNystromReproducesTheKernelOnItsLandmarks(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	rows := random(rng, 40, 3)
	rows.SetRow(7, rows.RawRowView(3)) // a duplicate
	block := pathBlock(rng, rows)
	both := mat.NewDense(80, 3, nil)
	for i := range 40 {
		both.SetRow(i, rows.RawRowView(i))
		both.SetRow(40+i, block.Points.Row(i))
	}
	for _, ks := range kernels {
		m := newMap(t, ks, setting.Features{}, rows, block)
		checkReproduces(t, ks.String(), m, both, 1e-11)
		checkDerivatives(t, ks.String(), m, rng, 3)
		alone := newMap(t, ks, setting.Features{Landmarks: setting.RowLandmarks}, rows, block)
		checkReproduces(t, ks.String()+" rows", alone, rows, 1e-11)
		if ks.Kind == setting.Gaussian && (m.Dim() != 119 || alone.Dim() != 39) {
			t.Errorf("%d and %d dimensions for 79 different points with 40 derivatives and 39 different rows", m.Dim(), alone.Dim())
		}
		if ks.Kind == setting.Linear && m.Dim() != 3 {
			t.Errorf("the linear kernel of three columns has %d dimensions", m.Dim())
		}
	}
}

func TestExactLosesNothing(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	rows := random(rng, 30, 4)
	block := bentBlock(rng, rows)
	points := mat.NewDense(30, 4, block.Points.Data)
	tangents := mat.NewDense(30, 4, block.Tangents.Data)
	for _, ks := range kernels {
		if ks.Kind == setting.Laplacian {
			k, _ := kernel.New(ks)
			if _, err := embed.New(context.Background(), k, setting.Features{Kind: setting.Exact}, rows, block); err == nil {
				t.Error("exact features of unbounded derivatives were accepted")
			}
			continue
		}
		m := newMap(t, ks, setting.Features{Kind: setting.Exact}, rows, block)
		want, got := mat.NewDense(30, 30, nil), mat.NewDense(30, 30, nil)
		once, twice := kernel.Argument{Points: points, Along: tangents, Order: 1}, kernel.Argument{Points: points, Along: tangents, Order: 2}
		for _, pair := range [][2]kernel.Argument{{once, once}, {once, kernel.At(rows)}, {twice, twice}, {twice, once}, {twice, kernel.At(rows)}} {
			m.Kernel().Derived(want, pair[0], pair[1])
			got.Mul(derived(m, pair[0]), derived(m, pair[1]).T())
			closeTo(t, fmt.Sprintf("%s, derived %d and %d times", ks, pair[0].Order, pair[1].Order), got, want, 1e-9)
		}
		checkDerivatives(t, ks.String(), m, rng, 4)
	}
}

func TestDrawsSpanTheCandidates(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 3))
	rows := random(rng, 700, 2) // smooth functions of two columns: few landmarks span them
	for _, draw := range []setting.Draw{setting.Leverage, setting.KMeans} {
		s := setting.Features{Landmarks: setting.CountLandmarks, Count: 100, Draw: draw, Seed: 3}
		ks := setting.Kernel{Kind: setting.Gaussian, Width: 1.5}
		m := newMap(t, ks, s, rows, nil)
		if m.Dim() > 100 || m.Dim() < 30 {
			t.Errorf("%s: %d dimensions", draw, m.Dim())
		}
		checkReproduces(t, string(draw), m, rows, 1e-3)
		again := newMap(t, ks, s, rows, nil)
		if !mat.Equal(featuresOf(m, rows), featuresOf(again, rows)) {
			t.Errorf("%s: the same seed draws other landmarks", draw)
		}
		s.Seed = 4
		if other := newMap(t, ks, s, rows, nil); other.Dim() == m.Dim() && mat.Equal(featuresOf(m, rows), featuresOf(other, rows)) {
			t.Errorf("%s: another seed draws the same landmarks", draw)
		}
	}
}

// With the rows as landmarks, the leading directions are those of the kernel matrix.
func TestRankKeepsTheLeadingDirections(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 4))
	rows := random(rng, 60, 3)
	ks := kernels[0]
	m := newMap(t, ks, setting.Features{Landmarks: setting.RowLandmarks, Rank: 12}, rows, nil)
	if m.Dim() != 12 {
		t.Fatalf("%d dimensions", m.Dim())
	}
	gram := mat.NewDense(60, 60, nil)
	m.Kernel().Matrix(gram, rows, rows)
	var eig mat.EigenSym
	if !eig.Factorize(mat.NewSymDense(60, gram.RawMatrix().Data), true) {
		t.Fatal("no eigendecomposition")
	}
	values := eig.Values(nil)
	var vectors, want, scaled mat.Dense
	eig.VectorsTo(&vectors)
	lead := vectors.Slice(0, 60, 48, 60)
	scaled.Mul(lead, mat.NewDiagDense(12, values[48:]))
	want.Mul(&scaled, lead.T())
	phi := featuresOf(m, rows)
	var got mat.Dense
	got.Mul(phi, phi.T())
	closeTo(t, "leading directions", &got, &want, 1e-9)
}

func TestStateRoundTrip(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 5))
	rows := random(rng, 25, 3)
	block := bentBlock(rng, rows)
	for _, s := range []setting.Features{{}, {Rank: 5}, {Kind: setting.Exact}} {
		m := newMap(t, kernels[0], s, rows, block)
		back, err := embed.FromState(m.State())
		if err != nil {
			t.Fatal(err)
		}
		if !mat.Equal(featuresOf(m, rows), featuresOf(back, rows)) || !mat.Equal(derivativesOf(m, rows, rows, 2), derivativesOf(back, rows, rows, 2)) {
			t.Errorf("%+v: the features of the state differ", s)
		}
		bad := *m.State()
		bad.Whiten.Rows++
		if _, err := embed.FromState(&bad); err == nil {
			t.Errorf("%+v: a damaged state was accepted", s)
		}
	}
}

func TestSameBitsForAnyNumberOfProcessors(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 6))
	rows := random(rng, 600, 5)
	for _, s := range []setting.Features{
		{Landmarks: setting.CountLandmarks, Count: 150},
		{Landmarks: setting.CountLandmarks, Count: 60, Draw: setting.KMeans},
		{Landmarks: setting.CountLandmarks, Count: 60, Rank: 40},
	} {
		compute := func(procs int) []float64 {
			defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(procs))
			m := newMap(t, kernels[0], s, rows, nil)
			return slices.Concat(featuresOf(m, rows).RawMatrix().Data, derivativesOf(m, rows, rows, 2).RawMatrix().Data)
		}
		if !slices.Equal(compute(1), compute(2)) {
			t.Errorf("%+v: one and two processors differ", s)
		}
	}
}

func TestNewRefuses(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 7))
	rows := random(rng, 5, 2)
	huge := mat.NewDense(2, 1, []float64{1e200, -1e200})
	k, _ := kernel.New(kernels[3])
	for name, c := range map[string]struct {
		s    setting.Features
		rows *mat.Dense
	}{
		"no count":     {setting.Features{Landmarks: setting.CountLandmarks}, rows},
		"unknown kind": {setting.Features{Kind: "wavelet"}, rows},
		"unknown set":  {setting.Features{Landmarks: "some"}, rows},
		"unknown draw": {setting.Features{Landmarks: setting.CountLandmarks, Count: 2, Draw: "lots"}, rows},
		"no rows":      {setting.Features{}, &mat.Dense{}},
		"too many":     {setting.Features{Landmarks: setting.RowLandmarks}, random(rng, 12001, 1)},
		"overflow":     {setting.Features{}, huge},
		"rank":         {setting.Features{Rank: -1}, rows},
	} {
		if m, err := embed.New(context.Background(), k, c.s, c.rows, nil); err == nil {
			t.Errorf("%s: became %v", name, m)
		}
	}
	zero, _ := kernel.New(setting.Kernel{Kind: setting.Linear})
	if _, err := embed.New(context.Background(), zero, setting.Features{}, mat.NewDense(3, 2, nil), nil); err == nil {
		t.Error("a kernel that is zero everywhere was accepted")
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := embed.New(ctx, k, setting.Features{}, rows, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

// Rows so near 0 that a kernel underflows have no landmark, however these are chosen.
func TestVanishingKernelsAreRefused(t *testing.T) {
	rows := mat.NewDense(6, 1, []float64{1e-249, 2e-249, 3e-249, -1e-249, 5e-249, 7e-249})
	k, err := kernel.New(setting.Kernel{Kind: setting.Linear})
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range []setting.Features{
		{Kind: setting.Nystrom, Landmarks: setting.AllLandmarks},
		{Kind: setting.Nystrom, Landmarks: setting.CountLandmarks, Count: 3},
		{Kind: setting.Nystrom, Landmarks: setting.CountLandmarks, Count: 3, Draw: setting.KMeans},
	} {
		const want = "features: k(x, x) = 0 at every landmark under the linear kernel; standardize the features or take another kernel"
		if _, err := embed.New(t.Context(), k, s, rows, nil); err == nil || err.Error() != want {
			t.Errorf("%+v: %v", s, err)
		}
	}
}
