package active_test

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"

	"github.com/sipc-ml/sipc/plugins"
	"github.com/sipc-ml/sipc/runtime/active"
	"github.com/sipc-ml/sipc/runtime/embed"
	"github.com/sipc-ml/sipc/runtime/gauge"
	"github.com/sipc-ml/sipc/runtime/kernel"
	"github.com/sipc-ml/sipc/runtime/operator"
	"github.com/sipc-ml/sipc/runtime/polar"
	"github.com/sipc-ml/sipc/runtime/regularizer"
	"github.com/sipc-ml/sipc/runtime/setting"
)

const (
	allRows, partRows, columns, moves, labels = 20, 7, 3, 4, 2
)

// An instance is an R of two invariances over rows: the largest |f(t(x), y) − f(x, y)| over moves t and labels y, and the two largest slopes.
type instance struct {
	x     *mat.Dense
	moved *mat.Dense // rows·moves points
	on    embed.Map
}

// newInstance draws rows and their moves.
func newInstance(t interface{ Fatal(args ...any) }, seed uint64) *instance {
	normal := rand.New(rand.NewPCG(seed, 3))
	draw := func(rows int) *mat.Dense {
		m := mat.NewDense(rows, columns, nil)
		for i := range rows {
			for j := range columns {
				m.Set(i, j, normal.NormFloat64())
			}
		}
		return m
	}
	k, err := kernel.New(setting.Kernel{Kind: setting.Gaussian, Width: 2})
	if err != nil {
		t.Fatal(err)
	}
	in := &instance{x: draw(allRows), moved: draw(allRows * moves)}
	features := setting.Features{Kind: setting.Fourier, Count: 9, Seed: seed, HasSeed: true}
	if in.on, err = embed.ForLabels(context.Background(), k, features, embed.Labels{Count: labels, Coupled: 1}, in.x, &plugins.Block{}); err != nil {
		t.Fatal(err)
	}
	return in
}

// regularizer returns R of some rows, as if they were so large a share of all.
func (in *instance) regularizer(from, to int) *regularizer.Regularizer {
	b := &plugins.Block{Start: []int32{0}, Labels: []plugins.Label{{Index: []int32{0}, Value: []float64{1}}, {Index: []int32{1}, Value: []float64{1}}}}
	n := to - from
	for i := range n {
		for t := range moves {
			point := ^int32(b.Points.Append(in.moved.RawRowView((from+i)*moves + t)))
			for y := range int32(labels) {
				b.Term(1, point, plugins.Evaluation, y)
				b.Term(-1, int32(i), plugins.Evaluation, y)
				b.End()
			}
		}
	}
	for j := range columns {
		unit := make([]float64, columns)
		unit[j] = 1
		b.Tangents.Append(unit)
	}
	for i := range n {
		for j := range int32(columns) {
			for y := range int32(labels) {
				b.Term(1, int32(i), j, y)
				b.End()
			}
		}
	}
	share := math.Sqrt(float64(n) / allRows)
	rms := func(of *gauge.Node) *gauge.Node {
		return gauge.Scaled(gauge.Repeat(n, gauge.Hypot(of)), 1/math.Sqrt(float64(n)))
	}
	largest := rms(gauge.Repeat(moves*labels, gauge.MaxOf(gauge.Leaf(gauge.Abs))))
	steepest := rms(gauge.Repeat(columns*labels, gauge.TopOf(2, gauge.Leaf(gauge.Pos))))
	return &regularizer.Regularizer{Functionals: b, Rows: allRows, Invariances: []regularizer.Invariance{
		{Name: "steady", Weight: 2 * share, Gauge: largest, Count: n * moves * labels},
		{Name: "flat", Weight: 0.5 * share, Gauge: steepest, First: n * moves * labels, Count: n * columns * labels},
	}}
}

// inParts returns R in parts.
func (in *instance) inParts() *regularizer.Regularizer {
	reg := in.regularizer(0, partRows)
	for i := range reg.Invariances {
		reg.Invariances[i].Weight = []float64{2, 0.5}[i]
	}
	reg.Parts = &regularizer.Parts{Count: (allRows + partRows - 1) / partRows, Make: func(_ context.Context, k int) (*regularizer.Regularizer, *mat.Dense, error) {
		from, to := k*partRows, min(allRows, (k+1)*partRows)
		return in.regularizer(from, to), in.x.Slice(from, to, 0, columns).(*mat.Dense), nil
	}}
	return reg
}

// at returns the values of the functionals of an R of all rows, with their errors.
func (in *instance) at(t interface{ Fatal(args ...any) }, reg *regularizer.Regularizer, v []float64) active.At {
	a, err := operator.Build(context.Background(), reg.Functionals, in.x, in.on, labels)
	if err != nil {
		t.Fatal(err)
	}
	values := make([]float64, reg.Functionals.Len())
	a.Apply(mat.NewDense(1, len(values), values), mat.NewDense(1, len(v), v))
	of := polar.NewMeasure(polar.Problem{A: a})
	errs := append([]float64(nil), of.Values()...)
	floats.Scale(of.Size(v), errs)
	return active.At{V: v, Values: values, Errors: errs}
}

// Looks tell R of all functionals, whatever is at hand and however far functions are from each other. What is chosen has no larger R, and the same one where it was
// chosen.
func TestLooksTellAllOfR(t *testing.T) {
	screened := 0
	rapid.Check(t, func(t *rapid.T) {
		in := newInstance(t, rapid.Uint64().Draw(t, "seed"))
		whole, set := in.regularizer(0, allRows), active.New(in.inParts(), in.on, labels, 1<<30)
		v := make([]float64, labels*in.on.Dim())
		draw := func(size float64) {
			for j := range v {
				v[j] += size * rapid.Float64Range(-1, 1).Draw(t, "v")
			}
		}
		draw(1)
		at := active.At{V: v}
		var known *regularizer.Regularizer
		for round := range rapid.IntRange(1, 5).Draw(t, "rounds") {
			look, err := set.Look(context.Background(), at, nil)
			if err != nil {
				t.Fatal(err)
			}
			values := in.at(t, whole, v).Values
			if want := whole.Gauge().Value(values); look.Rho < want*(1-1e-14) || look.Rho > want*(1+1e-9) {
				t.Fatalf("round %d: ρ is at most %v, want %v", round, look.Rho, want)
			}
			parts := make([]float64, 2)
			whole.Value(parts, values)
			if !floats.EqualApprox(look.Sizes, parts, 1e-9) {
				t.Errorf("invariances are %v, want %v", look.Sizes, parts)
			}
			if look.Of != whole.Functionals.Len() || look.Evaluated > look.Of-look.Chosen+look.Added {
				t.Errorf("a look tells %+v of %d functionals", look, whole.Functionals.Len())
			}
			screened += look.Of - look.Chosen + look.Added - look.Evaluated
			reg, from := set.Regularizer()
			if reg.Functionals.Len() != look.Chosen || len(from) != look.Chosen {
				t.Fatalf("%d functionals, from %d, where %d are chosen", reg.Functionals.Len(), len(from), look.Chosen)
			}
			own := in.at(t, reg, v)
			if got, want := reg.Gauge().Value(own.Values), whole.Gauge().Value(values); math.Abs(got-want) > 1e-9*want {
				t.Errorf("ρ of what is chosen is %v, and %v of all", got, want)
			}
			if known != nil { // functionals that were there have the values that they had
				before := in.at(t, known, v).Values
				for j, k := range from {
					if k >= 0 && math.Abs(before[k]-own.Values[j]) > 1e-9 {
						t.Errorf("functional %d was not functional %d", j, k)
					}
				}
			}
			known = reg
			draw(rapid.SampledFrom([]float64{1e-3, 0.05, 1}).Draw(t, "step"))
			at = in.at(t, reg, v)
			if rapid.IntRange(0, 3).Draw(t, "forget") == 0 {
				set.Forget()
				at, known = active.At{V: v}, nil
			}
			if got, most := reg.Gauge().Value(in.at(t, reg, v).Values), whole.Gauge().Value(in.at(t, whole, v).Values); got > most*(1+1e-12) {
				t.Errorf("ρ of what is chosen is %v, above %v of all", got, most)
			}
		}
	})
	if screened == 0 {
		t.Error("nothing was screened")
	}
}

// Where nothing attains a maximum, as with one-sided members that are all kept, nothing is chosen. It may be so in some parts alone.
func TestNothingMayBeActive(t *testing.T) {
	in := newInstance(t, 5)
	set := active.New(in.inParts(), in.on, labels, 1<<30)
	at := active.At{V: make([]float64, labels*in.on.Dim())}
	for range 2 {
		look, err := set.Look(t.Context(), at, nil)
		if err != nil {
			t.Fatal(err)
		}
		reg, from := set.Regularizer()
		if look.Rho > 0 || look.Chosen > 0 || len(from) > 0 || reg.Gauge() != nil {
			t.Errorf("of zero, ρ is %v by %d functionals", look.Rho, look.Chosen)
		}
	}
}
