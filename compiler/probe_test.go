package compiler

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/sipc-ml/sipc/compiler/internal/ground"
	"github.com/sipc-ml/sipc/plugins"
	"github.com/sipc-ml/sipc/runtime/curve"
)

// A probe is a concrete f whose values and derivatives are exact: for every label c, q_c(x) = k + ⟨b, x⟩ + xᵀAx, and
// f(x, y) = Σ_c y_c q_c(x). Where f is a function of x alone, it is q_0.
type probe struct {
	k []float64
	b [][]float64
	a [][][]float64
}

func newProbe(labels, features int, next func() float64) *probe {
	p := &probe{}
	for range max(1, labels) {
		p.k = append(p.k, next())
		b, a := make([]float64, features), make([][]float64, features)
		for i := range features {
			b[i], a[i] = next(), make([]float64, features)
			for j := range features {
				a[i][j] = next()
			}
		}
		p.b, p.a = append(p.b, b), append(p.a, a)
	}
	return p
}

// q is q_c(x).
func (p *probe) q(c int, x []float64) float64 {
	s := p.k[c]
	for i, xi := range x {
		s += p.b[c][i] * xi
		for j, xj := range x {
			s += xi * p.a[c][i][j] * xj
		}
	}
	return s
}

// dq is Dq_c(x)[v].
func (p *probe) dq(c int, x, v []float64) float64 {
	var s float64
	for i := range x {
		s += p.b[c][i] * v[i]
		for j := range x {
			s += v[i]*p.a[c][i][j]*x[j] + x[i]*p.a[c][i][j]*v[j]
		}
	}
	return s
}

// ddq is D²q_c[v, v], the same at every point.
func (p *probe) ddq(c int, v []float64) float64 {
	var s float64
	for i := range v {
		for j := range v {
			s += 2 * v[i] * p.a[c][i][j] * v[j]
		}
	}
	return s
}

// values are those of all functionals of a block.
func (p *probe) values(data *plugins.Data, b *plugins.Block) []float64 {
	t := make([]float64, b.Len())
	for i := range t {
		for k := b.Start[i]; k < b.Start[i+1]; k++ {
			t[i] += b.Coef[k] * p.term(data, b, int(k))
		}
	}
	return t
}

func (p *probe) term(data *plugins.Data, b *plugins.Block, k int) float64 {
	var x []float64
	if pt := int(b.Point[k]); pt >= 0 {
		x = data.Rows.Row(pt)
	} else {
		x = b.Points.Row(^pt)
	}
	at := func(c int) float64 {
		switch order, tg := plugins.OrderOf(b.Tangent[k]); order {
		case 0:
			return p.q(c, x)
		case 1:
			return p.dq(c, x, b.Tangents.Row(int(tg)))
		default:
			return p.ddq(c, b.Tangents.Row(int(tg)))
		}
	}
	if b.Label[k] == plugins.NoLabel {
		return at(0)
	}
	y := b.Labels[b.Label[k]]
	var s float64
	for i, c := range y.Index {
		s += y.Value[i] * at(int(c))
	}
	return s
}

// at is f at a row with a label vector.
func (p *probe) at(x []float64, y plugins.Label) float64 {
	var s float64
	for i, c := range y.Index {
		s += y.Value[i] * p.q(int(c), x)
	}
	return s
}

// testData are n rows of three features with values from next.
func testData(n int, labels []string, next func() float64) *plugins.Data {
	d := &plugins.Data{
		Columns: []string{"area", "age", "rooms"}, Offset: []float64{1, 2, 3}, Scale: []float64{2, 0.5, 4},
		LabelNames: labels,
	}
	for range n {
		d.Rows.Append([]float64{next(), next(), next()})
	}
	for i := range n {
		if len(labels) == 0 {
			break
		}
		y := plugins.Label{}
		for c := range labels {
			if (i+c)%2 == 0 {
				y.Index, y.Value = append(y.Index, int32(c)), append(y.Value, 1)
			}
		}
		d.Labels = append(d.Labels, y)
	}
	return d
}

// grounded evaluates R's invariances at the probe.
func grounded(t *testing.T, plan *Plan, g *ground.Data, p *probe) map[string]float64 {
	t.Helper()
	r, err := plan.At(nil).Ground(t.Context(), g)
	if err != nil {
		t.Fatal(err)
	}
	if err := r.Functionals.ValidateTwice(g.N(), g.Rows.Cols, len(g.LabelNames)); err != nil {
		t.Fatal(err)
	}
	values := p.values(g.Data, r.Functionals)
	out := map[string]float64{}
	for _, inv := range r.Invariances {
		if err := inv.Gauge.Validate(); err != nil {
			t.Fatalf("%s: %v", inv.Name, err)
		}
		if inv.Gauge.Size() != inv.Count {
			t.Fatalf("%s: the gauge has %d leaves for %d functionals", inv.Name, inv.Gauge.Size(), inv.Count)
		}
		out[inv.Name] = inv.Gauge.Value(values[inv.First : inv.First+inv.Count])
	}
	return out
}

// TestGroundedIsTheSpec draws a random f and compares the regularizer with a naive evaluation of what the spec says.
func TestGroundedIsTheSpec(t *testing.T) {
	files := map[string]string{
		"edges.csv":  "from,to\nr1,r2\nr3,r1\nr2,elsewhere\nr4,r2\n",
		"topics.csv": "child,parent\ncat,animal\ndog,animal\n",
	}
	rapid.Check(t, func(rt *rapid.T) {
		next := func() float64 { return float64(rapid.IntRange(-8, 8).Draw(rt, "v")) / 4 }
		for _, joint := range []bool{false, true} {
			var labels []string
			src, want := scalarSpec, scalarWant
			if joint {
				labels = []string{"animal", "cat", "dog"}
				src, want = jointSpec, jointWant
			}
			data := testData(5, labels, next)
			data.Rows.Row(0)[0] = 3 // above all other areas, as area(z) > area(x) is refused where all are equal
			g := &ground.Data{Data: data, Seed: 3, RowID: func(i int) string { return []string{"r1", "r2", "r3", "r4", "r5"}[i] }, Column: testColumn(data)}
			p := newProbe(len(labels), 3, next)
			got := grounded(t, accepted(t, src, testOptions(files)), g, p)
			for name, w := range want(data, p) {
				if v, ok := got[name]; !ok || math.Abs(v-w) > 1e-9*(1+math.Abs(w)) {
					rt.Errorf("%s is %v, want %v", name, v, w)
				}
			}
			if len(got) != len(want(data, p)) {
				rt.Errorf("%d invariances", len(got))
			}
		}
	})
}

// testColumn has the raw features, a column of texts and one of numbers written as texts.
func testColumn(data *plugins.Data) func(string) ([]float64, []string, bool) {
	return func(name string) ([]float64, []string, bool) {
		switch name {
		case "region":
			return nil, []string{"north", "south", "north", "south", "south"}[:data.N()], true
		case "floor":
			return nil, []string{"1", "2", "3", "4", ""}[:data.N()], true
		}
		for j, c := range data.Columns {
			if c == name {
				v := make([]float64, data.N())
				for i := range v {
					v[i] = data.Offset[j] + data.Scale[j]*data.Rows.Row(i)[j]
				}
				return v, nil, true
			}
		}
		return nil, nil, false
	}
}

const scalarSpec = `
data { target price : real }
kernel gaussian(width = 1)
features exact
def gap(a, b) = |f(a) - f(b)|
def worst(e) = max over z in rows of e
invariance dearer  = max over x of pos(-d/d(area) f)
invariance smooth  = norm(3) over x of |d/d(age) f|
invariance near    = rms over (a, b) in graph("edges.csv") of gap(a, b)
invariance largest = top(2) over (a, b) in graph("edges.csv") of gap(a, b)
invariance fair    = |mean over x where region == "north" of f - mean over x where region == "south" of f|
invariance moves = rms over x of max over t in {move(area, 0.5), move(age, -1)} of |f(t(x)) - f(x)|
invariance twice   = sum over x of 2 * |f(move(area, 0.5)) - f(x)| / 4
invariance chain   = mean over x of |f(double(move(area, 0.5)))|
invariance slope   = sum over x of |d/ddouble f|
invariance pairs2  = sum over x, z in rows where area(x) <= area(z) and floor(x) >= 2 of |f(x) - f(z)|
invariance nested  = mean over x of mean over z in rows where area(z) > area(x) of |f(z)|
invariance centred = rms over x of |f(x) - mean over z in rows of f(z)|
invariance convexp = rms over x of pos(|f(x)| - d/d(age) f + max {f(x), 2 * d/d(area) f})
invariance outer   = max over x of pos(f(x) + max over z in rows of (f(z) - 3 * f(x)))
invariance mixed   = max over x of max {f(x), |d/d(age) f|, 0}
invariance weighed = sum over x where age >= 0 of age * |f - area / 2 * f|
invariance bent    = rms over x of pos(-d/d(area) d/d(area) f)
invariance crossed = sum over x of |d/d(area) (d/d(age) f - 3 * d/d(area) f + f)|
`

func scalarWant(data *plugins.Data, p *probe) map[string]float64 {
	n := data.N()
	row := func(i int) []float64 { return data.Rows.Row(i) }
	f := func(i int) float64 { return p.q(0, row(i)) }
	d := func(i, j int) float64 { // in raw units
		v := make([]float64, 3)
		v[j] = 1 / data.Scale[j]
		return p.dq(0, row(i), v)
	}
	dd := func(j, k int) float64 { return (p.a[0][j][k] + p.a[0][k][j]) / (data.Scale[j] * data.Scale[k]) }
	move := func(x []float64, j int, raw float64) []float64 {
		out := append([]float64(nil), x...)
		out[j] += raw / data.Scale[j]
		return out
	}
	twice := func(x []float64) []float64 {
		out := make([]float64, len(x))
		for j := range x {
			out[j] = 2 * x[j]
		}
		return out
	}
	area := func(i int) float64 { return data.Offset[0] + data.Scale[0]*row(i)[0] }
	edges := []float64{math.Abs(f(0) - f(1)), math.Abs(f(2) - f(0)), math.Abs(f(3) - f(1))}
	want := map[string]float64{
		"near":    math.Sqrt((edges[0]*edges[0] + edges[1]*edges[1] + edges[2]*edges[2]) / 3),
		"largest": edges[0] + edges[1] + edges[2] - min(edges[0], edges[1], edges[2]),
		"bent":    max(0, -dd(0, 0)),
		"fair":    math.Abs((f(0)+f(2))/2 - (f(1)+f(3)+f(4))/3),
	}
	var centre float64
	for i := range n {
		centre += f(i) / float64(n)
	}
	for _, name := range []string{"dearer", "smooth", "moves", "twice", "chain", "slope", "pairs2", "nested", "centred", "convexp", "outer", "mixed", "weighed", "crossed"} {
		want[name] = 0
	}
	for i := range n {
		age := data.Offset[1] + data.Scale[1]*row(i)[1] // of the file
		want["weighed"] += max(age, 0) * math.Abs((1-area(i)/2)*f(i))
		want["dearer"] = max(want["dearer"], -d(i, 0))
		want["smooth"] += math.Pow(math.Abs(d(i, 1)), 3)
		j1 := math.Abs(p.q(0, move(row(i), 0, 0.5)) - f(i))
		j2 := math.Abs(p.q(0, move(row(i), 1, -1)) - f(i))
		want["moves"] += math.Pow(max(j1, j2), 2) / float64(n)
		want["twice"] += j1 / 2
		want["chain"] += math.Abs(p.q(0, twice(move(row(i), 0, 0.5)))) / float64(n)
		want["slope"] += math.Abs(p.dq(0, row(i), row(i)))
		var above, count float64
		for k := range n {
			if area(i) <= area(k) && i >= 1 && i < 4 {
				want["pairs2"] += math.Abs(f(i) - f(k))
			}
			if area(k) > area(i) {
				above, count = above+math.Abs(f(k)), count+1
			}
			want["outer"] = max(want["outer"], f(k)-2*f(i))
		}
		if count > 0 {
			want["nested"] += above / count / float64(n)
		}
		want["centred"] += math.Pow(f(i)-centre, 2) / float64(n)
		want["convexp"] += math.Pow(max(0, math.Abs(f(i))-d(i, 1)+max(f(i), 2*d(i, 0))), 2) / float64(n)
		want["crossed"] += math.Abs(dd(0, 1) - 3*dd(0, 0) + d(i, 0))
		want["mixed"] = max(want["mixed"], f(i), math.Abs(d(i, 1)))
	}
	want["smooth"] = math.Cbrt(want["smooth"])
	for _, name := range []string{"moves", "centred", "convexp"} {
		want[name] = math.Sqrt(want[name])
	}
	return want
}

const jointSpec = `
data { target animal, cat, dog : multilabel }
let t = taxonomy("topics.csv")
kernel gaussian(width = 1)
features exact
invariance own    = rms over x of |f|
invariance logic  = rms over x of hypot(max {implies(cat, animal), implies(dog, animal)}, excludes(cat, dog))
invariance tree   = rms over x of hypot(max over (c, p) in edges(t) of implies(c, p), max over (a, b) in siblings(t) of excludes(a, b))
invariance all    = sum over x, c in labels where c != animal of |f(c)|
invariance some   = mean over x of sum over c in {cat, dog} of pos(f(x, c))
invariance path   = rms over pairs(count = 3) of max over λ in [0, 1] of |d/dλ f|
invariance paths  = max over pairs(count = 3) of |d/dλ f|
invariance meanp  = mean over pairs(count = 3) of |d/dλ f|
invariance sump   = mean over pairs(count = 3) of sum over s in [0.5, 1] of |f(cat)|
invariance fixedp = max over pairs(count = 3) of |d/dλ f(dog)|
invariance slope  = mean over pairs(count = 3) of max over λ in [0, 1] of |d/dλ (λ * f(x(1), cat) + (1 - λ) * f(x(0), cat))|
invariance ends   = mean over pairs(count = 3) of max over λ in [0, 1] of |d/dλ (λ * f(cat) - λ * f(x(1), dog))|
invariance mixes  = mean over pairs(count = 3) of max over λ in [0, 1] of |f(cat) - λ * f(x(1), cat) - (1 - λ) * f(x(0), cat)|
invariance moved  = max over pairs(count = 3) of |f(double(x), cat) - f(x, dog)|
`

func jointWant(data *plugins.Data, p *probe) map[string]float64 {
	n := float64(data.N())
	want := map[string]float64{"all": 0, "some": 0}
	var own, logic float64
	for i := range data.N() {
		x := data.Rows.Row(i)
		animal, cat, dog := p.q(0, x), p.q(1, x), p.q(2, x)
		own += math.Pow(p.at(x, data.Labels[i]), 2) / n
		m := max(0, cat-animal, dog-animal)
		ex := max(0, cat+dog)
		logic += (m*m + ex*ex) / n
		want["all"] += math.Abs(cat) + math.Abs(dog)
		want["some"] += (max(0, cat) + max(0, dog)) / n
	}
	want["own"], want["logic"], want["tree"] = math.Sqrt(own), math.Sqrt(logic), math.Sqrt(logic)
	pathWant(data, p, want)
	return want
}

// pathWant evaluates along the paths of the pairs, which the family itself draws, from their ends: the points of λ = 0, 1.
func pathWant(data *plugins.Data, p *probe, want map[string]float64) {
	ends := drawnPairs(data)
	names := []string{"path", "paths", "meanp", "sump", "fixedp", "moved", "slope", "ends", "mixes"}
	for _, name := range names {
		want[name] = 0
	}
	for _, e := range ends {
		i, j := e[0], e[1]
		var worst float64
		var d, fixed, moved, cat [ground.NodeCount]float64
		first, last := p.q(1, data.Rows.Row(j)), p.q(1, data.Rows.Row(i))
		want["slope"] += math.Abs(last-first) / 3
		mixes, ends := 0.0, 0.0
		for k := range ground.NodeCount {
			l := curve.Nodes(ground.NodeCount)[k]
			x, v := make([]float64, 3), make([]float64, 3)
			for c := range x {
				a, b := data.Rows.Row(i)[c], data.Rows.Row(j)[c]
				x[c], v[c] = l*a+(1-l)*b, a-b
			}
			for c := range data.LabelNames {
				yi, yj := float64((i+c+1)%2), float64((j+c+1)%2)
				d[k] += (l*yi+(1-l)*yj)*p.dq(c, x, v) + (yi-yj)*p.q(c, x)
			}
			fixed[k] = math.Abs(p.dq(2, x, v))
			mixes = max(mixes, math.Abs(p.q(1, x)-l*last-(1-l)*first))
			ends = max(ends, math.Abs(p.q(1, x)+l*p.dq(1, x, v)-p.q(2, data.Rows.Row(i))))
			double := []float64{2 * x[0], 2 * x[1], 2 * x[2]}
			moved[k] = math.Abs(p.q(1, double) - p.q(2, x))
			half := 0.5 + l/2
			for c := range x {
				x[c] = half*data.Rows.Row(i)[c] + (1-half)*data.Rows.Row(j)[c]
			}
			cat[k] = math.Abs(p.q(1, x))
			d[k] = math.Abs(d[k])
			worst = max(worst, d[k])
			want["paths"] = max(want["paths"], d[k])
			want["fixedp"] = max(want["fixedp"], fixed[k])
			want["moved"] = max(want["moved"], moved[k])
		}
		want["mixes"] += mixes / 3
		want["ends"] += ends / 3
		want["path"] += worst * worst / 3
		want["meanp"] += integral(d[:], 1) / 3
		want["sump"] += integral(cat[:], 0.5) / 3
	}
	want["path"] = math.Sqrt(want["path"])
}

func integral(v []float64, length float64) float64 {
	var s float64
	for k, w := range curve.Weights(len(v)) {
		s += w * v[k] * length
	}
	return s
}

// drawnPairs are the pairs that pairs(count = 3) draws, read off the family's answer.
func drawnPairs(data *plugins.Data) [][2]int {
	file := "data { target animal, cat, dog : multilabel }\nkernel linear\nfeatures exact\ninvariance i = sum over pairs(count = 3) of |d/dλ f(cat)|"
	plan, list := checkNoTest(file)
	if list != nil {
		panic(list)
	}
	r, err := plan.At(nil).Ground(plan.checker.Ctx, &ground.Data{Data: data, Seed: 3})
	if err != nil {
		panic(err)
	}
	b := r.Functionals
	var out [][2]int
	for k := 0; k < b.Len(); k += ground.NodeCount {
		out = append(out, [2]int{int(b.Point[k+ground.NodeCount-1]), int(b.Point[k])})
	}
	return out
}

func TestGroundIsDeterministic(t *testing.T) {
	v := 0.0
	next := func() float64 { v += 0.37; return math.Mod(v, 2) }
	data := testData(5, []string{"animal", "cat", "dog"}, next)
	files := map[string]string{"topics.csv": "child,parent\ncat,animal\ndog,animal\n"}
	var first *plugins.Block
	for i := range 3 {
		r, err := accepted(t, jointSpec, testOptions(files)).At(nil).Ground(t.Context(), &ground.Data{Data: data, Seed: 3})
		if err != nil {
			t.Fatal(err)
		}
		if i == 0 {
			first = r.Functionals
		} else if d := cmp.Diff(first, r.Functionals); d != "" {
			t.Fatal(d)
		}
	}
}
