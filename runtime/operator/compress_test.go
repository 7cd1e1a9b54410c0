package operator_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"

	"github.com/sipc-ml/sipc/plugins"
	"github.com/sipc-ml/sipc/runtime/embed"
	"github.com/sipc-ml/sipc/runtime/operator"
	"github.com/sipc-ml/sipc/runtime/setting"
)

// mixupBlock follows f(x_λ, y_λ) along segments between rows: its derivatives at nodes of λ, pair by pair.
func mixupBlock(rng *rand.Rand, rows *mat.Dense, pairs, nodes, m int) *plugins.Block {
	n, p := rows.Dims()
	b := &plugins.Block{}
	for c := range m {
		b.Labels = append(b.Labels, plugins.Label{Index: []int32{int32(c)}, Value: []float64{1}})
	}
	for range pairs {
		i, j, s, t := rng.IntN(n), rng.IntN(n), int32(rng.IntN(m)), int32(rng.IntN(m))
		along := make([]float64, p)
		floats.SubTo(along, rows.RawRowView(i), rows.RawRowView(j))
		tangent := int32(b.Tangents.Append(along))
		for k := range nodes {
			lambda := float64(k) / float64(nodes-1)
			x := make([]float64, p)
			floats.AddScaledTo(x, rows.RawRowView(j), lambda, along)
			point := ^int32(b.Points.Append(x))
			b.Term(lambda, point, tangent, s)
			b.Term(1, point, plugins.Evaluation, s)
			b.Term(1-lambda, point, tangent, t)
			b.Term(-1, point, plugins.Evaluation, t)
			b.End()
		}
	}
	return b
}

func buildWith(tb testing.TB, block *plugins.Block, rows *mat.Dense, f embed.Map, m int, o operator.Options) *operator.Operator {
	tb.Helper()
	a, err := operator.BuildWith(context.Background(), block, rows, f, m, o)
	if err != nil {
		tb.Fatal(err)
	}
	return a
}

// waves are features that come out the same in any company, so that operators can be compared to the last bits.
func waves(tb testing.TB, rows *mat.Dense) embed.Map {
	tb.Helper()
	return newMap(tb, setting.Kernel{Kind: setting.Gaussian, Width: 2}, setting.Features{Kind: setting.Fourier, Count: 60}, rows)
}

func everyRow(a *operator.Operator) *mat.Dense {
	r, dim := a.Dims()
	out, index := mat.NewDense(r, dim, nil), make([]int, r)
	for i := range index {
		index[i] = i
	}
	a.Rows(out, index)
	return out
}

// checkErrors compares rows with the exact ones within the errors that the operator owns up to, and these with what was
// allowed.
func checkErrors(tb testing.TB, a *operator.Operator, exact *mat.Dense, tolerance float64) {
	tb.Helper()
	got, largest := everyRow(a), 0.0
	r, dim := a.Dims()
	for i := range r {
		largest = max(largest, floats.Norm(exact.RawRowView(i), 2))
	}
	known := a.Errors()
	if known == nil {
		known = make([]float64, r)
	}
	for i := range r {
		row := exact.RawRowView(i)
		off := floats.Distance(got.RawRowView(i), row, 2)
		if rounding := 1e-15 * float64(dim) * floats.Norm(row, 2); off > known[i]+rounding { // of Rows and this comparison
			tb.Fatalf("functional %d is off by %g, and %g is owned up to", i, off, known[i])
		}
		if known[i] > tolerance*largest {
			tb.Fatalf("functional %d may be off by %g, and %g is allowed", i, known[i], tolerance*largest)
		}
	}
}

func TestCompressedWithinItsErrors(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(rt, "seed"), 21))
		m := rapid.IntRange(1, 4).Draw(rt, "labels")
		rows := random(rng, rapid.IntRange(2, 12).Draw(rt, "rows"), 3)
		nodes := rapid.IntRange(2, 14).Draw(rt, "nodes")
		block := mixupBlock(rng, rows, rapid.IntRange(1, 8).Draw(rt, "pairs"), nodes, m)
		tolerance := []float64{1e-12, 1e-8, 1e-5, 1e-2}[rapid.IntRange(0, 3).Draw(rt, "tolerance")]
		o := operator.Options{Tolerance: tolerance}
		if rapid.Bool().Draw(rt, "groups") {
			for i := 0; i < block.Len(); i += nodes {
				o.Groups = append(o.Groups, operator.Group{First: i, Count: nodes})
			}
		}
		f := waves(t, rows)
		exact, a := build(t, block, rows, f, m), buildWith(t, block, rows, f, m, o)
		checkErrors(t, a, everyRow(exact), tolerance)
		if a.StoredRows() > exact.StoredRows() {
			rt.Fatalf("%d rows became %d", exact.StoredRows(), a.StoredRows())
		}
		checkLike(t, a, everyRow(a), rng)
		back, err := operator.FromState(a.State())
		if err != nil {
			rt.Fatal(err)
		}
		if !slices.Equal(back.Errors(), a.Errors()) || !mat.Equal(everyRow(back), everyRow(a)) {
			rt.Fatal("the operator of the state differs")
		}
	})
}

// checkLike checks all methods against the rows of A.
func checkLike(tb testing.TB, a *operator.Operator, rows *mat.Dense, rng *rand.Rand) {
	tb.Helper()
	r, dim := a.Dims()
	v, c := random(rng, 4, dim), random(rng, 4, r)
	values, vectors := mat.NewDense(4, r, nil), mat.NewDense(4, dim, nil)
	a.Apply(values, v)
	a.ApplyT(vectors, c)
	var wantValues, wantVectors mat.Dense
	wantValues.Mul(v, rows.T())
	wantVectors.Mul(c, rows)
	closeTo(tb, "Apply", values, &wantValues, 1e-9)
	closeTo(tb, "ApplyT", vectors, &wantVectors, 1e-9)
	checkFactor(tb, a, rng)
}

func TestCurvesNeedFewRows(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 22))
	rows := random(rng, 30, 3)
	const pairs, nodes, m = 60, 11, 5
	block := mixupBlock(rng, rows, pairs, nodes, m)
	f := waves(t, rows)
	exact, a := build(t, block, rows, f, m), buildWith(t, block, rows, f, m, operator.Options{Tolerance: 1e-3})
	if a.Errors() == nil || 4*a.StoredRows() > 3*exact.StoredRows() {
		t.Errorf("curves of %d rows keep %d", exact.StoredRows(), a.StoredRows())
	}
	checkErrors(t, a, everyRow(exact), 1e-3)
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	again := buildWith(t, block, rows, f, m, operator.Options{Tolerance: 1e-3})
	if !mat.Equal(everyRow(a), everyRow(again)) || !slices.Equal(a.Errors(), again.Errors()) {
		t.Error("one processor compresses otherwise")
	}
}

func TestRowsWithoutACurveStay(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 23))
	rows := random(rng, 40, 3)
	block := logicBlock(40, 3)
	a := buildWith(t, block, rows, features(t, rows, block), 3, operator.Options{Tolerance: 1e-10})
	if a.Errors() != nil || a.StoredRows() != 40 {
		t.Errorf("40 rows became %d", a.StoredRows())
	}
}

func TestCompressRefusesBadGroups(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 24))
	rows := random(rng, 8, 3)
	block := mixupBlock(rng, rows, 2, 5, 2)
	f := features(t, rows, block)
	for name, groups := range map[string][]operator.Group{
		"beyond the end": {{First: 5, Count: 6}}, "negative": {{First: -1, Count: 5}}, "overlapping": {{First: 0, Count: 5}, {First: 4, Count: 5}},
		"of less than none": {{First: 5, Count: -1}},
	} {
		if _, err := operator.BuildWith(t.Context(), block, rows, f, 2, operator.Options{Tolerance: 1e-6, Groups: groups}); err == nil {
			t.Errorf("%s: accepted", name)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := operator.BuildWith(ctx, block, rows, f, 2, operator.Options{Tolerance: 1e-6}); !errors.Is(err, context.Canceled) {
		t.Errorf("a cancelled build gave %v", err)
	}
}

// A cancelling map ends its context where it is first asked for its dimension, and counts how often it is asked afterwards.
type cancelling struct {
	embed.Map
	cancel func()
	asked  int
}

func (c *cancelling) Dim() int {
	c.asked++
	c.cancel()
	return c.Map.Dim()
}

// Columns of millions of functionals are not laid out once the context has ended midway.
func TestBuildEndsWithItsContext(t *testing.T) {
	rows := random(rand.New(rand.NewPCG(1, 25)), 40, 3)
	block := logicBlock(40, 3)
	ctx, cancel := context.WithCancel(t.Context())
	f := &cancelling{Map: features(t, rows, block), cancel: cancel}
	if _, err := operator.Build(ctx, block, rows, f, 3); !errors.Is(err, context.Canceled) || f.asked != 1 {
		t.Errorf("a build that was cancelled midway gave %v, and went on %d times", err, f.asked-1)
	}
}

// A late context ends when it is asked for the second time.
type late struct {
	context.Context
	asked int
}

// Err implements context.Context.
func (l *late) Err() error {
	if l.asked++; l.asked > 1 {
		return context.Canceled
	}
	return nil
}

// Compression asks for the end before it lists the groups of functionals, which takes long where there are millions.
func TestCompressionHearsTheEnd(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	rows := mat.NewDense(3, 2, []float64{1, 2, 3, 4, 5, 6})
	wrong := operator.Options{Tolerance: 1e-9, Groups: []operator.Group{{First: -1, Count: 1}}}
	_, err := operator.BuildWith(&late{Context: context.Background()}, mixupBlock(rng, rows, 2, 3, 2), rows, waves(t, rows), 2, wrong)
	if !errors.Is(err, context.Canceled) {
		t.Errorf("the build ends with %v", err)
	}
}
