package compiler

import (
	"math"
	"strings"
	"testing"

	"github.com/sipc-ml/sipc/compiler/internal/ground"
	"github.com/sipc-ml/sipc/compiler/internal/tree"
	"github.com/sipc-ml/sipc/dsl/diag"
)

// Over nothing every aggregation is 0, wherever it stands, and a warning counts the rows at which a set is empty.
func TestEmptySets(t *testing.T) {
	const larger = " over z in rows where area(z) > area(x) of "
	data := testData(3, nil, func() float64 { return 0 })
	for i, area := range []float64{3, 1, 2} { // the rows above row 0 are none, above row 1 the others, above row 2 row 0
		data.Rows.Row(i)[0] = area
	}
	f := newProbe(0, 3, func() float64 { return 0 })
	f.k[0], f.b[0][0] = -5, 3
	values := []float64{4, -2, 1} // −5 + 3 area
	above := [][]float64{nil, {4, 1}, {4}}
	most := func(v []float64, at float64) float64 {
		best := math.Inf(-1)
		for _, x := range v {
			best = max(best, x+at)
		}
		if len(v) == 0 {
			return 0
		}
		return best
	}
	for body, of := range map[string]func(v float64, above []float64) float64{
		"|f(x) - mean" + larger + "f(z)|": func(v float64, above []float64) float64 {
			return math.Abs(v - tree.Sum(above)/max(1, float64(len(above))))
		},
		"|f(x) - sum" + larger + "(f(z) - f(x))|": func(v float64, above []float64) float64 {
			return math.Abs(v - (tree.Sum(above) - float64(len(above))*v))
		},
		"pos(f(x) + max" + larger + "f(z))":  func(v float64, above []float64) float64 { return max(0, v+most(above, 0)) },
		"pos(max" + larger + "f(z) - f(x))":  func(v float64, above []float64) float64 { return max(0, most(above, 0)-v) },
		"pos(-f(x) + max" + larger + "f(z))": func(v float64, above []float64) float64 { return max(0, most(above, 0)-v) },
		"max {-f(x), 2 * (max" + larger + "f(z)) - 3 * f(x), 0}": func(v float64, above []float64) float64 {
			return max(0, -v, 2*most(above, 0)-3*v)
		},
		"pos(f(x) + (max" + larger + "(f(z) - f(x))) + max" + larger + "f(z))": func(v float64, above []float64) float64 {
			return max(0, v+most(above, -v)+most(above, 0))
		},
		"(|f(x)| + max" + larger + "|f(z)|)": func(v float64, above []float64) float64 { return math.Abs(v) + most(above, 0) },
		"hypot(|f(x)|, rms" + larger + "|f(z)|)": func(v float64, above []float64) float64 {
			return math.Hypot(v, tree.PNorm(append(above, 0)[:max(1, len(above))], 2, true))
		},
		"max {|f(x)|, norm(3)" + larger + "|f(z)|}": func(v float64, above []float64) float64 { return max(math.Abs(v), tree.PNorm(above, 3, false)) },
		"(|f(x)| + top(1)" + larger + "|f(z)|)":     func(v float64, above []float64) float64 { return math.Abs(v) + most(above, 0) },
		"pos(|f(x)| - 2 * (mean" + larger + "(f(z) - f(x))))": func(v float64, above []float64) float64 {
			mean := 0.0
			if len(above) > 0 {
				mean = tree.Sum(above)/float64(len(above)) - v
			}
			return max(0, math.Abs(v)-2*mean)
		},
	} {
		want := 0.0
		for i, v := range values {
			want += of(v, above[i])
		}
		var warned []string
		g := &ground.Data{Data: data, Column: testColumn(data), Warn: func(d *diag.Diagnostic) { warned = append(warned, string(d.Code)+" "+d.Summary) }}
		plan := accepted(t, "data { target price : real }\nkernel linear\nfeatures exact\ninvariance i = sum over x of "+body+"\n", testOptions(nil))
		if got := grounded(t, plan, g, f)["i"]; math.Abs(got-want) > 1e-9 {
			t.Errorf("%s is %v, want %v", body, got, want)
		}
		if len(warned) != 1 || warned[0] != "W558 no element satisfies area(z) > area(x) for 1 of 3 rows" {
			t.Errorf("%s: %q", body, strings.Join(warned, "; "))
		}
	}
}

// A maximum over what may be nothing is one kink, though it has two forms.
func TestEmptyMaximaAreExplained(t *testing.T) {
	plan := accepted(t, "data { target price : real }\nkernel linear\nfeatures exact\ninvariance i = rms over x of pos(f(x) + max over z in rows where area(z) > area(x) of f(z))\n", testOptions(nil))
	ex := plan.Explain()
	if kinks := ex.Invariances[0].Kinks; len(kinks) != 1 {
		t.Errorf("%v", kinks)
	}
	v := 0.0
	data := testData(3, nil, func() float64 { v += 0.71; return math.Mod(v, 2) })
	r, err := plan.At(nil).Ground(t.Context(), &ground.Data{Data: data, Column: testColumn(data)})
	if err != nil {
		t.Fatal(err)
	}
	if m := r.Invariances[0].Members; m.At(0).Part != "pos(f(x) + f(z))" || m.At(3).Part != "pos(f(x))" {
		t.Errorf("%q and %q", m.At(0).Part, m.At(3).Part)
	}
}
