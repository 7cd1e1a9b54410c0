package fuzz

import (
	"bytes"
	"math"
	"math/big"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/sipc-ml/sipc/runtime/polar"
)

// near reports whether a number is within a share of another.
func near(x *big.Float, want, share float64) bool {
	got, _ := x.Float64()
	return math.Abs(got-want) <= share*math.Abs(want)
}

func TestPowersAreExact(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		x, p := rapid.Float64Range(1e-6, 1e6).Draw(r, "x"), rapid.Float64Range(0.5, 40).Draw(r, "p")
		if got := power(exact(x), exact(p)); !near(got, math.Pow(x, p), 1e-13) {
			r.Errorf("%v^%v = %v, and math has %v", x, p, got, math.Pow(x, p))
		}
		// Far beyond what package math tells: the logarithm of x^p is p times that of x.
		back := logarithm(exponential(wide().Quo(exact(x), exact(1e6))))
		off := back.Sub(back, wide().Quo(exact(x), exact(1e6)))
		if size, _ := off.Float64(); math.Abs(size) > 1e-120 {
			r.Errorf("the logarithm of e^%v is off by %v", x/1e6, size)
		}
	})
}

func TestGaugesAgree(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		d := newDraw(rapid.Uint64().Draw(r, "seed"))
		node := randomGauge(d, 3)
		if err := node.Validate(); err != nil {
			r.Skip(err)
		}
		x := make([]float64, node.Size())
		for i := range x {
			x[i] = math.Abs(d.NormFloat64())
		}
		value, used := gaugeOf(node, exacts(x), false)
		dual, _ := gaugeOf(node, exacts(x), true)
		if used != len(x) || !near(value, node.Value(x), 1e-9) || !near(dual, node.Polar(x), 1e-9) {
			r.Errorf("%v: %v and %v, want %v and %v", x, value, dual, node.Value(x), node.Polar(x))
		}
	})
}

// A certificate that promises too much is found, and a true one is left alone.
func TestWrongCertificatesAreFound(t *testing.T) {
	file, err := polar.ReadProblem(strings.NewReader(`{"alpha": 1, "a": [1, 2], "terms": [{"kind": "lp", "p": 3, "group_size": 2, "weights": [2], "Z": [[1, 0], [1, 1]]}]}`))
	if err != nil {
		t.Fatal(err)
	}
	solver, err := polar.New(t.Context(), file.Problem, polar.Settings{Gap: 1e-9, Multipliers: true})
	if err != nil {
		t.Fatal(err)
	}
	result, err := solver.Solve(t.Context(), file.RHS)
	if err != nil {
		t.Fatal(err)
	}
	n, ok := normOf(file.Problem)
	if !ok {
		t.Fatal("the problem is not understood")
	}
	a, v, c := file.RHS.RawRowView(0), result.Iota.RawRowView(0), result.Multipliers.RawRowView(0)
	if text := exceeds("", n.lower(a, v), n.upper(a, c), result.Gap[0]); text != "" {
		t.Error(text)
	}
	v[0] *= 1.01
	if exceeds("", n.lower(a, v), n.upper(a, c), result.Gap[0]) == "" {
		t.Errorf("an embedding that is off passes with the gap %v", result.Gap[0])
	}
	if exceeds("", n.lower(a, v), n.upper(a, c), math.Inf(1)) != "" || exceeds("", n.lower(a, make([]float64, 2)), n.upper(a, c), 1) == "" {
		t.Error("no gap is a fault, or a gap of nothing is none")
	}
}

// The same seed is the same case.
func TestCasesRepeat(t *testing.T) {
	for seed := range uint64(60) {
		one, other := newScene(newDraw(seed)), newScene(newDraw(seed))
		if a, b := one.spec(), other.spec(); a != b {
			t.Fatalf("seed %d gives\n%s\nand\n%s", seed, a, b)
		}
		name, files := one.tables()
		if _, again := other.tables(); !bytes.Equal(files[name], again[name]) {
			t.Fatalf("seed %d gives two tables", seed)
		}
	}
}

// Cases of each kind end, and nothing is found.
func TestCasesAreSound(t *testing.T) {
	done := 0
	for _, kind := range Kinds() {
		for seed := range uint64(6) {
			c := Run(t.Context(), seed, Options{Kind: kind, Limit: patience * grace})
			if !c.Sound() {
				t.Errorf("%s %d: %s %s %v %v %s", kind, seed, c.End, c.Message, c.Wrong, c.Faults, c.Silent)
			}
			if c.End == Done {
				done++
			}
		}
	}
	if done < 20 {
		t.Errorf("only %d of 36 cases were done", done)
	}
}
