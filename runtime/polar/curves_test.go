package polar

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"

	"github.com/sipc-ml/sipc/runtime/curve"
	"github.com/sipc-ml/sipc/runtime/gauge"
)

// Rows that are polynomials of λ: at each of the nodes, for each curve, one row Σ_m cos(mθ) c_m with random c_m.
type bent struct {
	curves, dim, degree int
	coefficients        []*mat.Dense // of each curve, (degree+1)×dim
}

func newBent(rng *rand.Rand, curves, dim, degree int) *bent {
	b := &bent{curves: curves, dim: dim, degree: degree}
	for range curves {
		c := gaussian(rng, degree+1, dim)
		for m := range degree + 1 {
			for j := range dim {
				c.Set(m, j, c.At(m, j)/math.Pow(1.5, float64(m)))
			}
		}
		b.coefficients = append(b.coefficients, c)
	}
	return b
}

// rows are those at the nodes, nodes fastest.
func (b *bent) rows(nodes []float64) *mat.Dense {
	out := mat.NewDense(b.curves*len(nodes), b.dim, nil)
	for i, c := range b.coefficients {
		for k, l := range nodes {
			angle := math.Acos(1 - 2*l)
			row := out.RawRowView(i*len(nodes) + k)
			for m := range b.degree + 1 {
				for j := range row {
					row[j] += math.Cos(float64(m)*angle) * c.At(m, j)
				}
			}
		}
	}
	return out
}

// problem is the rms over curves of the maximum over the nodes.
func (b *bent) problem(t *testing.T, nodes int, leaf gauge.Op, curves bool) Problem {
	t.Helper()
	root := gauge.Repeat(b.curves, gauge.Hypot(gauge.Repeat(nodes, gauge.MaxOf(gauge.Leaf(leaf)))))
	p := Problem{Alpha: 0.5, A: operator(t, b.rows(curve.Nodes(nodes))), Gauge: root}
	if curves {
		var err error
		p.Curves, err = NewCurves(b.curves*nodes, []curve.Run{{Step: nodes, Stride: 1, Nodes: nodes, Count: b.curves, OneSided: leaf == gauge.Pos}}, 0, 0)
		if err != nil {
			t.Fatal(err)
		}
	}
	return p
}

// Lower bounds with curves hold for 2001 nodes, where those without need not; and a solver with curves reaches its gap.
func TestCertificateOfTheInterval(t *testing.T) {
	for _, leaf := range []gauge.Op{gauge.Abs, gauge.Pos} {
		rng := rand.New(rand.NewPCG(7, uint64(leaf)))
		b := newBent(rng, 6, 12, 5)
		a := gaussian(rng, 8, 12)
		fine := b.problem(t, 1001, leaf, false)
		p := b.problem(t, 41, leaf, true)
		out := solve(t, p, Settings{Gap: 1e-2, Multipliers: true}, a)
		for i, g := range out.Gap {
			if out.Status[i] != Converged || g > 1e-2 {
				t.Errorf("gap %v: %v", g, out.Status[i])
			}
		}
		atNodes, _ := Certify(b.problem(t, 41, leaf, false), a, out.Iota, out.Multipliers)
		interval, _ := Certify(p, a, out.Iota, out.Multipliers)
		exact, _ := Certify(fine, a, out.Iota, mat.NewDense(8, 6*1001, nil))
		beyond := 0
		for i := range exact {
			if interval[i] > exact[i]*(1+1e-12) || interval[i] < exact[i]*(1-1e-4) {
				t.Errorf("the bound for the interval is %v, for 1001 nodes %v", interval[i], exact[i])
			}
			if atNodes[i] > exact[i]*(1+1e-12) {
				beyond++
			}
		}
		if beyond == 0 {
			t.Error("the nodes bound the interval; the test shows nothing")
		}
	}
}

// amounts is the rms over curves of the p-norm over the interval, by nodes.
func (b *bent) amounts(t *testing.T, nodes int, leaf gauge.Op, p float64, curves bool) Problem {
	t.Helper()
	weights := curve.Weights(nodes)
	for k := range weights {
		weights[k] = math.Pow(weights[k], 1/p)
	}
	node := gauge.NormOf(p, gauge.Leaf(leaf))
	if p == 1 {
		node = gauge.SumOf(gauge.Leaf(leaf))
	}
	root := gauge.Repeat(b.curves, gauge.Hypot(gauge.Weighted(gauge.Repeat(nodes, node), weights...)))
	out := Problem{Alpha: 0.5, A: operator(t, b.rows(curve.Nodes(nodes))), Gauge: root}
	if curves {
		var err error
		runs := []curve.Run{{Step: nodes, Stride: 1, Nodes: nodes, Count: b.curves, OneSided: leaf == gauge.Pos, P: p}}
		if out.Curves, err = NewCurves(b.curves*nodes, runs, 0, 0); err != nil {
			t.Fatal(err)
		}
	}
	return out
}

// Both bounds with integrals hold for 1001 nodes, where those of 11 nodes alone need not, and 81 nodes bring them together.
func TestCertificateOfIntegrals(t *testing.T) {
	beyond := 0
	for _, tt := range []struct {
		leaf gauge.Op
		p    float64
		gap  float64 // at 81 nodes
	}{{gauge.Abs, 1, 4e-3}, {gauge.Pos, 1, 4e-3}, {gauge.Abs, 2, 1e-6}, {gauge.Pos, 2, 4e-3}, {gauge.Abs, 3, 4e-3}} {
		rng := rand.New(rand.NewPCG(7, uint64(tt.leaf)))
		b := newBent(rng, 4, 8, 5)
		a := gaussian(rng, 6, 8)
		exact := solve(t, b.amounts(t, 1001, tt.leaf, tt.p, false), Settings{Gap: 1e-7}, a)
		for _, nodes := range []int{11, 81} {
			plain := b.amounts(t, nodes, tt.leaf, tt.p, false)
			out := solve(t, plain, Settings{Gap: 1e-8, Multipliers: true}, a)
			atNodes, above := Certify(plain, a, out.Iota, out.Multipliers)
			lower, upper := Certify(b.amounts(t, nodes, tt.leaf, tt.p, true), a, out.Iota, out.Multipliers)
			for i, want := range exact.Norm2 {
				if lower[i] > want*(1+1e-5) || upper[i] < want*(1-1e-5) {
					t.Errorf("p = %v, %d nodes: from %v to %v, over 1001 nodes %v", tt.p, nodes, lower[i], upper[i], want)
				}
				if atNodes[i] > want*(1+1e-5) || above[i] < want*(1-1e-5) {
					beyond++
				}
				if gap := upper[i]/lower[i] - 1; nodes == 81 && gap > tt.gap {
					t.Errorf("p = %v, %d nodes: gap %v", tt.p, nodes, gap)
				}
			}
		}
	}
	if beyond == 0 {
		t.Error("the nodes bound the interval; the test shows nothing")
	}
	if _, err := New(t.Context(), newBent(rand.New(rand.NewPCG(1, 2)), 2, 4, 2).amounts(t, 5, gauge.Abs, 1, true), Settings{}); err == nil {
		t.Error("a solver takes integrals, which it does not certify")
	}
}

// What is taken for ρ grows with the slack, is homogeneous, no less than at the nodes, and the same however curves are laid out.
func TestRhoOfCurvesLaw(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(rt, "seed"), 1))
		nodes, count := rapid.IntRange(2, 13).Draw(rt, "nodes"), rapid.IntRange(1, 300).Draw(rt, "curves")
		leaf := rapid.SampledFrom([]gauge.Op{gauge.Abs, gauge.Pos}).Draw(rt, "leaf")
		root := gauge.Repeat(nodes*count, gauge.MaxOf(gauge.Leaf(leaf)))
		along := Problem{Alpha: 1, Gauge: root, Curves: curvesOf(t, nodes, count, 1, nodes, leaf)}
		across := Problem{Alpha: 1, Gauge: root, Curves: curvesOf(t, nodes, count, count, 1, leaf)}
		x, turned, twice := make([]float64, nodes*count), make([]float64, nodes*count), make([]float64, nodes*count)
		for i := range count {
			for k := range nodes {
				v := rng.NormFloat64()
				x[i*nodes+k], turned[k*count+i], twice[i*nodes+k] = v, v, 2*v
			}
		}
		rho := along.rho(x)
		if other := across.rho(turned); math.Abs(other-rho) > 1e-12*(1+rho) {
			rt.Errorf("ρ is %v, laid out otherwise %v", rho, other)
		}
		if double := along.rho(twice); math.Abs(double-2*rho) > 1e-12*(1+rho) {
			rt.Errorf("ρ of twice the values is %v, not twice %v", double, rho)
		}
		if low := root.Value(x); rho < low || math.IsNaN(rho) {
			rt.Errorf("ρ is %v, at the nodes alone %v", rho, low)
		}
	})
}

func curvesOf(t *testing.T, nodes, count, stride, step int, leaf gauge.Op) *Curves {
	t.Helper()
	c, err := NewCurves(nodes*count, []curve.Run{{Stride: stride, Step: step, Nodes: nodes, Count: count, OneSided: leaf == gauge.Pos}}, 0, 0)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestSlackWidensTheGap(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	b := newBent(rng, 3, 6, 3)
	p, a := b.problem(t, 11, gauge.Abs, true), gaussian(rng, 2, 6)
	v, c := gaussian(rng, 2, 6), mat.NewDense(2, 33, nil)
	v.Copy(a)
	exact, _ := Certify(p, a, v, c)
	runs := p.Curves.Runs()
	p.Curves, _ = NewCurves(33, runs, 0.25, 0)
	slack, _ := Certify(p, a, v, c)
	for i := range exact {
		// a = V: the bound is ‖V‖⁴/(α‖V‖² + (ρ + s‖V‖)²).
		n2 := mat.Dot(v.RowView(i), v.RowView(i))
		rho := math.Sqrt(n2*n2/exact[i] - 0.5*n2)
		if want := n2 * n2 / (0.5*n2 + math.Pow(rho+0.25*math.Sqrt(n2), 2)); math.Abs(slack[i]-want) > 1e-9*want {
			t.Errorf("with slack the bound is %v, want %v", slack[i], want)
		}
	}
}

// An inexact is an operator that says how far its rows may be off.
type inexact struct {
	*Dense
	errors []float64
}

func (o inexact) Errors() []float64 { return o.errors }

// Rows that are off by what the operator says keep the bound for the interval of the true ones.
func TestErrorsOfRowsBetweenNodes(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 8))
	b := newBent(rng, 4, 10, 6)
	p, v := b.problem(t, 11, gauge.Abs, true), gaussian(rng, 20, 10)
	fine, _ := Certify(b.problem(t, 1001, gauge.Abs, false), v, v, mat.NewDense(20, 4*1001, nil))
	rows := b.rows(curve.Nodes(11))
	errs := make([]float64, 44)
	for i := range errs {
		errs[i] = 0.05 * rng.Float64()
		row := rows.RawRowView(i)
		for j := range row { // the worst for some V: alternating along the direction of one
			sign := float64(1 - 2*(i%2))
			row[j] += sign * errs[i] * v.At(0, j) / mat.Norm(v.RowView(0), 2)
		}
	}
	p.A = inexact{operator(t, rows), errs}
	lower, _ := Certify(p, v, v, mat.NewDense(20, 44, nil))
	for i := range lower {
		if lower[i] > fine[i]*(1+1e-12) || lower[i] < 0.5*fine[i] {
			t.Errorf("the bound is %v, for the true rows %v", lower[i], fine[i])
		}
	}
}

func TestCurvesAreChecked(t *testing.T) {
	if _, err := NewCurves(10, []curve.Run{{Step: 11, Stride: 1, Nodes: 11, Count: 1}}, 0, 0); err == nil {
		t.Error("a curve of more nodes than leaves is not refused")
	}
	if _, err := NewCurves(11, nil, math.NaN(), 0); err == nil {
		t.Error("a slack that is not a number is not refused")
	}
	p := newBent(rand.New(rand.NewPCG(1, 2)), 2, 4, 2).problem(t, 5, gauge.Abs, false)
	p.Curves = curvesOf(t, 5, 3, 1, 5, gauge.Abs)
	if _, err := New(t.Context(), p, Settings{}); err == nil {
		t.Error("curves among more leaves than there are functionals are not refused")
	}
}

func BenchmarkRhoOfCurves(b *testing.B) {
	const curves, nodes = 4000, 11
	rng := rand.New(rand.NewPCG(1, 2))
	root := gauge.Repeat(curves, gauge.Hypot(gauge.Repeat(nodes, gauge.MaxOf(gauge.Leaf(gauge.Abs)))))
	c, err := NewCurves(curves*nodes, []curve.Run{{Step: nodes, Stride: 1, Nodes: nodes, Count: curves}}, 0, 0)
	if err != nil {
		b.Fatal(err)
	}
	p := Problem{Alpha: 1, Gauge: root, Curves: c}
	t := make([]float64, curves*nodes)
	for i := range curves {
		x, y := rng.NormFloat64(), rng.NormFloat64()
		for k, l := range curve.Nodes(nodes) {
			t[i*nodes+k] = x + math.Sin(5*l*y)
		}
	}
	for b.Loop() {
		p.rho(t)
	}
}
