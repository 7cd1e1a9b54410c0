package curve_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/blas/blas64"
	"pgregory.net/rapid"

	"github.com/sipc-ml/sipc/runtime/curve"
)

func TestNodesOfTwiceAsManyContainThem(t *testing.T) {
	for _, n := range []int{2, 3, 8, 11, 21, 41} {
		nodes, finer, between := curve.Nodes(n), curve.Nodes(2*n-1), curve.Halfway(n)
		if nodes[0] != 0 || nodes[n-1] != 1 {
			t.Errorf("the ends of %d nodes are %v and %v", n, nodes[0], nodes[n-1])
		}
		if n%2 == 1 && nodes[n/2] != 0.5 {
			t.Errorf("the middle of %d nodes is %v", n, nodes[n/2])
		}
		for k := range nodes {
			if nodes[k] != finer[2*k] || nodes[k] != 1-nodes[n-1-k] && nodes[k] > 0.5 {
				t.Errorf("node %d of %d is %v, of %d %v", k, n, nodes[k], 2*n-1, finer[2*k])
			}
			if k > 0 && (nodes[k-1] >= nodes[k] || between[k-1] != finer[2*k-1]) {
				t.Errorf("between nodes %d and %d lies %v", k-1, k, between[k-1])
			}
		}
	}
}

// A polynomial of degree n − 1 is integrated by n weights to rounding error.
func TestWeightsIntegratePolynomials(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(2, 60).Draw(t, "n")
		degree := rapid.IntRange(0, n-1).Draw(t, "degree")
		sum := 0.0
		for k, w := range curve.Weights(n) {
			if !(w > 0) {
				t.Fatalf("weight %d is %v", k, w)
			}
			sum += w * math.Pow(curve.Nodes(n)[k], float64(degree))
		}
		if want := 1 / float64(degree+1); math.Abs(sum-want) > 1e-14 {
			t.Errorf("∫ λ^%d by %d nodes is %v, want %v", degree, n, sum, want)
		}
	})
}

// sup is the bound for one polynomial that takes the values of f at the nodes.
func sup(nodes int, oneSided bool, f func(float64) float64) float64 {
	table, dst := curve.NewTable(nodes), make([]float64, 1)
	values := blas64.General{Rows: 1, Cols: nodes, Stride: nodes}
	for _, x := range curve.Nodes(nodes) {
		values.Data = append(values.Data, f(x))
	}
	table.Sup(dst, values, oneSided, make([]float64, table.Size(1)))
	return dst[0]
}

func TestSupOfKnownPolynomials(t *testing.T) {
	chebyshev := func(m float64) func(float64) float64 {
		return func(l float64) float64 { return math.Cos(m * math.Acos(1-2*l)) }
	}
	for _, tt := range []struct {
		name     string
		nodes    int
		oneSided bool
		f        func(float64) float64
		want     float64
	}{
		{"constant", 11, false, func(float64) float64 { return -3 }, 3},
		{"negative", 11, true, func(float64) float64 { return -3 }, 0},
		{"linear", 11, false, func(l float64) float64 { return 2*l - 0.5 }, 1.5},
		{"bump between nodes", 11, false, func(l float64) float64 { return 1 - (l-0.4)*(l-0.4) }, 1},
		{"bump below zero at every node", 3, true, func(l float64) float64 { return 0.01 - (l-0.25)*(l-0.25) }, 0.01},
		{"dip", 11, false, func(l float64) float64 { return (l-0.4)*(l-0.4) - 1 }, 1},
		{"dip, one side", 11, true, func(l float64) float64 { return (l-0.4)*(l-0.4) - 1 }, 0},
		{"x(1−x)(x−½)", 4, false, func(l float64) float64 { return l * (1 - l) * (l - 0.5) }, math.Sqrt(3) / 36},
		{"Chebyshev's 7th", 11, false, chebyshev(7), 1},
		{"Chebyshev's 10th", 11, true, chebyshev(10), 1},
		{"Chebyshev's 40th", 81, false, chebyshev(40), 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := sup(tt.nodes, tt.oneSided, tt.f); got < tt.want-1e-13 || got > tt.want+3e-4 {
				t.Errorf("at most %v, want %v", got, tt.want)
			}
		})
	}
}

// The bound is never below what a fine grid finds, little above it for smooth functions, and homogeneous.
func TestSupLaw(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(2, 24).Draw(t, "nodes")
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
		decay := rapid.Float64Range(0.1, 1).Draw(t, "decay")
		c := make([]float64, n)
		for m := range c {
			c[m] = rng.NormFloat64() * math.Pow(decay, float64(m))
		}
		p := func(l float64) float64 {
			sum, angle := 0.0, math.Acos(max(-1, min(1, 1-2*l)))
			for m, x := range c {
				sum += x * math.Cos(float64(m)*angle)
			}
			return sum
		}
		oneSided := rapid.Bool().Draw(t, "one-sided")
		want := 0.0
		for i := range 4001 {
			v := p((1 - math.Cos(math.Pi*float64(i)/4000)) / 2)
			if !oneSided {
				v = math.Abs(v)
			}
			want = max(want, v)
		}
		got, k4 := sup(n, oneSided, p), 0.0
		for m, x := range c {
			k4 += math.Pow(float64(m), 4) * math.Abs(x)
		}
		if got < want*(1-1e-12)-1e-13 || got > want+1e-4*k4+1e-12 {
			t.Errorf("bound %v, maximum %v", got, want)
		}
		if twice := sup(n, oneSided, func(l float64) float64 { return 2 * p(l) }); math.Abs(twice-2*got) > 1e-12*(1+twice) {
			t.Errorf("twice the polynomial has the bound %v, not twice %v", twice, got)
		}
	})
}

func TestRunsAreMerged(t *testing.T) {
	var list []curve.Run
	for i := range 5 {
		list = curve.Append(list, curve.Run{First: 3 + 11*i, Step: 11, Stride: 1, Nodes: 11, Count: 1})
	}
	list = curve.Append(list, curve.Run{First: 100, Stride: 2, Nodes: 11, Count: 1})
	if len(list) != 2 || list[0].Count != 5 || list[0].Leaf(4, 10) != 3+44+10 || curve.Count(list) != 6 {
		t.Errorf("runs %+v", list)
	}
	if err := list[1].Validate(121); err != nil {
		t.Error(err)
	}
	if err := list[1].Validate(120); err == nil {
		t.Error("a run beyond the leaves is not refused")
	}
}

func BenchmarkSup(b *testing.B) {
	const curves, nodes = 4096, 11
	table := curve.NewTable(nodes)
	rng := rand.New(rand.NewPCG(1, 2))
	values := blas64.General{Rows: curves, Cols: nodes, Stride: nodes, Data: make([]float64, curves*nodes)}
	for i := range curves {
		x, y, z := rng.NormFloat64(), rng.NormFloat64(), rng.NormFloat64()
		for k, l := range curve.Nodes(nodes) {
			values.Data[i*nodes+k] = x + y*math.Sin(3*l) + z*math.Exp(l)
		}
	}
	dst, scratch := make([]float64, curves), make([]float64, table.Size(curves))
	for b.Loop() {
		table.Sup(dst, values, false, scratch)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*curves), "ns/curve")
}

// The series of a polynomial's values has its coefficients, and none beyond its degree.
func TestSeriesOfPolynomials(t *testing.T) {
	for _, n := range []int{2, 5, 11, 21} {
		var values []float64
		for _, l := range curve.Nodes(n) {
			values = append(values, 3-2*l) // 2 + cos θ, as λ = (1 − cos θ)/2
		}
		for m, c := range curve.Series(values) {
			want := 0.0
			if m < 2 {
				want = float64(2 - m)
			}
			if math.Abs(c-want) > 1e-14*float64(n) {
				t.Errorf("%d nodes: coefficient %d is %v, want %v", n, m, c, want)
			}
		}
	}
}
