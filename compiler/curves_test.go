package compiler

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sipc-ml/sipc/compiler/internal/ground"
	"github.com/sipc-ml/sipc/plugins"
	"github.com/sipc-ml/sipc/runtime/curve"
	"github.com/sipc-ml/sipc/runtime/regularizer"
)

// groundCurves grounds one invariance on 4 rows with 3 labels.
func groundCurves(t *testing.T, expression string, nodes int, halfway bool) *regularizer.Regularizer {
	t.Helper()
	rng := rand.New(rand.NewPCG(1, 2))
	data := testData(4, []string{"animal", "cat", "dog"}, rng.NormFloat64)
	src := "data { target animal, cat, dog : multilabel }\nkernel gaussian(width = 1)\nfeatures exact\ninvariance i = " + expression
	plan := accepted(t, src, testOptions(nil))
	r, err := plan.At(nil).Ground(t.Context(), &ground.Data{Data: data, Seed: 3, Nodes: nodes, Halfway: halfway})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestCurvesOfForms(t *testing.T) {
	for _, tt := range []struct {
		expression string
		curves     string
		nodesOnly  bool
	}{
		{"rms over pairs(count = 3) of max over λ in [0, 1] of |d/dλ f|", "3 from 0 by 11, 11 apart 1, |·|", false},
		{"max over pairs(count = 3) of |d/dλ f|", "3 from 0 by 11, 11 apart 1, |·|", false},
		{"max over pairs(count = 3) of pos(d/dλ f)", "3 from 0 by 11, 11 apart 1, [·]₊", false},
		{"max over (x, λ) in pairs(count = 2), c in {cat, dog} of |f(x, c)|", "4 from 0 by 11, 11 apart 1, |·|", false},
		{
			"rms over pairs(count = 2) of max over λ in [0, 0.5], c in labels of |f(c)|",
			"3 from 0 by 1, 11 apart 3, |·|; 3 from 33 by 1, 11 apart 3, |·|", false,
		},
		{
			"rms over pairs(count = 2) of max over λ in [0, 1] of max {|f(cat)|, pos(f(dog))}",
			"1 from 0 by 0, 11 apart 2, |·|; 1 from 1 by 0, 11 apart 2, [·]₊; 1 from 22 by 0, 11 apart 2, |·|; 1 from 23 by 0, 11 apart 2, [·]₊", false,
		},
		{
			"hypot(rms over x of |f(cat)|, max over pairs(count = 2) of |d/dλ f|)",
			"2 from 4 by 11, 11 apart 1, |·|", false,
		},
		{"rms over pairs(count = 2) of max over λ in [0, 1] of hypot(f(cat), f(dog))", "", true},
		{"max over x of |f(cat)|", "", false},
		{"rms over pairs(count = 3) of |d/dλ f|", "3 from 0 by 11, 11 apart 1, |·|, norm 2", false},
		{"rms over pairs(count = 3) of sum over λ in [0, 1] of pos(f(cat))", "3 from 0 by 11, 11 apart 1, [·]₊, norm 1", false},
		{"max over pairs(count = 3) of mean over λ in [0, 1] of |f(cat)|", "3 from 0 by 11, 11 apart 1, |·|, norm 1", false},
		{"norm(3) over (x, λ) in pairs(count = 2), c in {cat, dog} of |f(x, c)|", "4 from 0 by 11, 11 apart 1, |·|, norm 3", false},
		{"rms over pairs(count = 2) of sum over λ in [0, 1] of max {|f(cat)|, |f(dog)|}", "", true},
		{"rms over pairs(count = 2) of |f(cat) - mean over λ in [0, 1] of f(cat)|", "2 from 0 by 11, 11 apart 1, |·|, norm 2", true},
		{"max over pairs(count = 2) of |f(cat) - λ * f(x(1), cat) - (1 - λ) * f(x(0), cat)|", "2 from 0 by 11, 11 apart 1, |·|, degree 1", false},
		{"max over pairs(count = 2) of λ * (1 - λ) * max {|f(cat)|, |λ * f(dog)|}", "2 from 0 by 1, 11 apart 2, |·|, degree 3; 2 from 22 by 1, 11 apart 2, |·|, degree 3", false},
		{"max over pairs(count = 2) of sqrt(λ) * |f(cat)|", "", true},
		{"rms over pairs(count = 2) of sum over λ in [0, 1] of |f(cat) / (1 + λ)|", "", true},
		{"max over pairs(count = 2) of |d/dλ (λ * f(cat))|", "2 from 0 by 11, 11 apart 1, |·|, degree 1", false},
		{"max over (x, λ) in pairs(count = 2) of |f(move(area, 1), cat)|", "2 from 0 by 11, 11 apart 1, |·|, bent", false},
		{
			"max over (x, λ) in pairs(count = 2), a in labels, b in labels where a != b of |f(x, a) - f(x, b)|",
			"12 from 0 by 11, 11 apart 1, |·|", false,
		},
	} {
		t.Run(tt.expression, func(t *testing.T) {
			r := groundCurves(t, strings.ReplaceAll(tt.expression, "hypot(f(cat), f(dog))", "hypot(|f(cat)|, |f(dog)|)"), 0, false)
			var got []string
			for _, c := range r.Curves() {
				side := "|·|"
				if c.OneSided {
					side = "[·]₊"
				}
				if c.Integral() {
					side += fmt.Sprintf(", norm %v", c.P)
				}
				if c.Degree > 0 {
					side += fmt.Sprintf(", degree %d", c.Degree)
				}
				if !c.Straight {
					side += ", bent"
				}
				got = append(got, fmt.Sprintf("%d from %d by %d, %d apart %d, %s", c.Count, c.First, c.Step, c.Nodes, c.Stride, side))
			}
			if d := cmp.Diff(tt.curves, strings.Join(got, "; ")); d != "" || r.Invariances[0].NodesOnly != tt.nodesOnly {
				t.Errorf("curves (-want +got), nodes only %v:\n%s", r.Invariances[0].NodesOnly, d)
			}
		})
	}
}

// firstTerm is the first term of functional i in words.
func firstTerm(b *plugins.Block, i int) string {
	k := b.Start[i]
	x := []float64(nil)
	if b.Point[k] < 0 {
		x = b.Points.Row(int(^b.Point[k]))
	}
	return fmt.Sprint(b.Coef[k], b.Labels[b.Label[k]], max(b.Point[k], -1), x)
}

// 2N − 1 nodes are the N nodes and what lies half way, for the same pairs.
func TestHalfwayLiesBetween(t *testing.T) {
	const expression = "rms over pairs(count = 3) of max over λ in [0.25, 1], c in {cat, dog} of |f(c) - mean over μ in [0, 1] of f(c)|"
	coarse, between, fine := groundCurves(t, expression, 5, false), groundCurves(t, expression, 5, true), groundCurves(t, expression, 9, false)
	lists := [][]curve.Run{coarse.Curves(), between.Curves(), fine.Curves()}
	at := func(list []curve.Run, i, k int) int {
		for _, r := range list {
			if i < r.Count {
				return r.Leaf(i, k)
			}
			i -= r.Count
		}
		return -1
	}
	// The first term is f at the node; the mean, whose nodes differ, comes after it.
	for i := range 6 {
		for k := range 5 {
			if got, want := firstTerm(coarse.Functionals, at(lists[0], i, k)), firstTerm(fine.Functionals, at(lists[2], i, 2*k)); got != want {
				t.Fatalf("curve %d, node %d: %s, among more nodes %s", i, k, got, want)
			}
		}
		for k := range 4 {
			if got, want := firstTerm(between.Functionals, at(lists[1], i, k)), firstTerm(fine.Functionals, at(lists[2], i, 2*k+1)); got != want {
				t.Fatalf("curve %d, after node %d: %s, among more nodes %s", i, k, got, want)
			}
		}
	}
	if n := curve.Count(lists[0]); n != 6 || n != curve.Count(lists[1]) {
		t.Errorf("%d curves and %d", n, curve.Count(lists[1]))
	}
}

// Means over a path integrate polynomials exactly.
func TestMeansAreIntegrals(t *testing.T) {
	r := groundCurves(t, "rms over pairs(count = 1) of |mean over λ in [0.25, 0.75] of f(cat)|", 0, false)
	b := r.Functionals
	var weights, moment float64
	near, far := b.Points.Row(0), b.Points.Row(b.Points.Rows-1)
	for k := range b.Coef {
		x := b.Points.Row(int(^b.Point[k]))
		s := (x[0] - near[0]) / (far[0] - near[0])
		weights += b.Coef[k]
		moment += b.Coef[k] * math.Pow(s, 10)
	}
	if math.Abs(weights-1) > 1e-14 || math.Abs(moment-1.0/11) > 1e-13 {
		t.Errorf("the weights sum to %v, the tenth moment is %v", weights, moment)
	}
}

func TestNodesMustBeOdd(t *testing.T) {
	data := testData(4, []string{"animal", "cat", "dog"}, func() float64 { return 1 })
	plan := accepted(t, "data { target animal, cat, dog : multilabel }\nkernel linear\nfeatures exact\ninvariance i = rms over x of |f(cat)|", testOptions(nil))
	for _, n := range []int{-1, 1, 2, 10, 1 << 20} {
		if _, err := plan.At(nil).Ground(t.Context(), &ground.Data{Data: data, Nodes: n}); err == nil || !strings.Contains(err.Error(), "odd") {
			t.Errorf("%d nodes: %v", n, err)
		}
	}
	if !slices.Contains(curve.Nodes(ground.NodeCount), 0.5) {
		t.Error("the middle of a path is not a node")
	}
}
