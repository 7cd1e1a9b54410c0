package sipc

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/sipc-ml/sipc/runtime/gauge"
	"github.com/sipc-ml/sipc/runtime/regularizer"
	"github.com/sipc-ml/sipc/runtime/report"
)

// aboutRow has a functional for each row.
type aboutRow struct{ regularizer.Members }

func (aboutRow) Rows() func(int) [][]int32 {
	return func(i int) [][]int32 { return [][]int32{{int32(i)}} }
}

// Of 1000 rows with violations between 0 and some large ones, the sample's f fits those of 100. Intervals by 200 of the others must hold what all 900 come to, nearly as often as
// they say: the share beyond the sample's maximum, and root mean squares with weights and a condition.
func TestOthersCovered(t *testing.T) {
	const rows, draws = 1000, 600
	random := rand.New(rand.NewPCG(7, 7))
	violations, weights := make([]float64, rows), make([]float64, rows)
	for i := range violations {
		violations[i], weights[i] = math.Abs(random.NormFloat64()), 0.5+random.Float64()
	}
	partsBy := func(op gauge.Op, of []int) []rowPart {
		node := &gauge.Node{Op: op, Repeat: len(of), Children: []*gauge.Node{{Op: gauge.Abs}}}
		values := make([]float64, len(of))
		for k, i := range of {
			values[k] = violations[i]
		}
		if op == gauge.Norm {
			node.P = 2
			for _, i := range of {
				node.Weights = append(node.Weights, math.Sqrt(weights[i]))
			}
		}
		return partsOf(&regularizer.Invariance{Gauge: node, Members: aboutRow{}}, values)
	}
	name := func(int) string { return "" }
	holds := func(e *report.Estimate, v float64) int {
		if float64(e.Low) <= v && v <= float64(e.High) {
			return 1
		}
		return 0
	}
	shares, values := 0, 0
	for range draws {
		order := random.Perm(rows)
		sample, others, looked := order[:100], order[100:], order[100:300]
		most := 0.0
		for _, i := range sample {
			most = max(most, violations[i])
		}
		var whole, part report.Drawn
		beyond(&whole, partsBy(gauge.Max, others), most, name, true)
		beyond(&part, partsBy(gauge.Max, looked), most, name, false)
		shares += holds(part.Beyond, float64(whole.Beyond.Value))
		// Rows under a condition are some of those drawn.
		some := func(of []int) []int {
			return slices.DeleteFunc(slices.Clone(of), func(i int) bool { return i%3 == 0 })
		}
		all := estimateOf(partsBy(gauge.Norm, some(others)), 2, 1, 0)
		if all.Low != all.High {
			t.Fatalf("of all rows there is an interval: %+v", all)
		}
		values += holds(estimateOf(partsBy(gauge.Norm, some(looked)), 2, 1, 1-200.0/900), float64(all.Value))
	}
	if share := float64(shares) / draws; share < 0.95 {
		t.Errorf("%v of the exact intervals hold the share", share)
	}
	if share := float64(values) / draws; share < 0.92 || share > 0.98 {
		t.Errorf("%v of the intervals hold the value", share)
	}
}

// Decisions are judged at every test row, however few of them a sample would have.
func TestOthersDecided(t *testing.T) {
	share := func(set string) float64 {
		spec := NewSpec(t.Context(), "spec.inv", []byte(`data { target animal, cat, dog : multilabel }
kernel     gaussian(width = median)
features   nystrom(landmarks = rows)
invariance logic = rms over `+set+` of excludes(animal, cat)
regularize logic
learn      svm
method     plain
`), SpecOptions{})
		r, err := Run(t.Context(), spec, RunOptions{Data: "examples/logic/animals.csv"})
		if err != nil {
			t.Fatal(err)
		}
		return r.Metrics.Violations[0].Value
	}
	if all, some := share("x"), share("x in sample(3)"); all != some || !(all > 0) {
		t.Errorf("a share of %v violates it over all rows, and of %v over a sample", all, some)
	}
}

// sampledSpec has invariances over samples, and measures of all rows beside them.
const sampledSpec = `data { target price : real }
kernel   gaussian(width = median)
features nystrom(landmarks = rows)
let few = sample(30)
invariance steady = max over x in few, t in {move(area, 1), move(area, -1)} of |f(t(x)) - f(x)|
invariance level  = rms over x in few of |d/d(age) f|
invariance total  = 2 * sum over x in few where area > 4 of |f|
invariance within = rms over x of |f(x) - mean over z in few of f(z)|
invariance both   = hypot(level, steady)
measure all_steady = max over x, t in {move(area, 1), move(area, -1)} of |f(t(x)) - f(x)|
measure all_level  = rms over x of |d/d(age) f|
measure all_total  = 2 * sum over x where area > 4 of |f|
regularize 0.3 * steady, 0.3 * level, 0.01 * total, 0.1 * within, 0.1 * both
learn    ridge
method   risk
`

// What the rows violate that a sample leaves out makes up, with the value on the sample, that over all rows.
func TestOthersComplete(t *testing.T) {
	spec := NewSpec(t.Context(), "spec.inv", []byte(sampledSpec), SpecOptions{})
	r, err := Run(t.Context(), spec, RunOptions{Data: "examples/houses/houses.csv"})
	if err != nil {
		t.Fatal(err)
	}
	n := float64(r.NTrain)
	steady, level, total := &r.Regularizer[0], &r.Regularizer[1], &r.Regularizer[2]
	near := func(what string, got float64, want report.Number) {
		if math.Abs(got-float64(want)) > 1e-9*got {
			t.Errorf("%s is %v, and over all rows %v", what, got, want)
		}
	}
	d := steady.Drawn
	near("the maximum", max(float64(steady.Value), float64(d.Worst)), r.Measures[0].Value)
	if d.Rows != 30 || d.Of != r.NTrain || d.Looked != r.NTrain-30 || d.Concerned != d.Looked || d.Others != d.Looked || d.AtLeast || d.Beyond.Low != d.Beyond.High || (d.Beyond.Value > 0) != (d.Worst > steady.Value) || d.Row == "" {
		t.Errorf("%+v", d)
	}
	own, other := float64(level.Value), float64(level.Drawn.Value.Value)
	near("the root mean square", math.Sqrt((30*own*own+(n-30)*other*other)/n), r.Measures[1].Value)
	// A sum is told for as many elements as the sample has.
	d = total.Drawn
	near("the sum", float64(total.Value)+float64(d.Value.Value)*float64(d.Concerned)/float64(total.Functionals), r.Measures[2].Value)
	if d.Looked != r.NTrain-30 || d.Concerned >= d.Looked || d.Value.Low != d.Value.High {
		t.Errorf("under a condition: %+v", d)
	}
	for _, s := range append(slices.Clone(r.Regularizer), r.Measures...) { // a sum of a condition's rows alone grows with their number
		if grows := strings.HasSuffix(s.Name, "total"); grows != (s.Test.AsMany > 0) || grows && s.Test.AsMany == s.Test.Value {
			t.Errorf("%s by test rows: %+v", s.Name, s.Test)
		}
	}
	for k, s := range r.Regularizer[3:] {
		if s.Drawn.Rows != 30 || s.Drawn.Looked != 0 || s.Drawn.Variable != []string{"z", ""}[k] {
			t.Errorf("%s: %+v", s.Name, s.Drawn)
		}
	}
}

// Others are rows of no sample, no more of them than have about as many functionals as R. What a search finds of them is no upper bound.
func TestOthersApart(t *testing.T) {
	spec := NewSpec(t.Context(), "spec.inv", []byte(`data { target price : real }
kernel   gaussian(width = median)
features nystrom(landmarks = rows)
invariance small = max over x in sample(20) of |d/d(age) f|
invariance large = rms over x in sample(60) of |d/d(age) f|
invariance pairs = max over x in sample(20), z in rows of |f(x) - f(z)|
invariance moved = max over x in sample(20), t in orbit {move(area, [-1, 1])} of |f(t(x)) - f(x)|
invariance each  = rms over x in sample(20) of max over t in orbit {move(area, [-1, 1])} of |f(t(x)) - f(x)|
regularize 0.3 * small, 0.3 * large, 0.01 * pairs, 0.1 * moved, 0.1 * each
learn    ridge
method   risk
`), SpecOptions{})
	r, err := Run(t.Context(), spec, RunOptions{Data: "examples/houses/houses.csv"})
	if err != nil {
		t.Fatal(err)
	}
	others := r.NTrain - 60
	for k, looked := range []int{others, others, max(20, mostOthers/r.NTrain), others, others} {
		s := &r.Regularizer[k]
		if d := s.Drawn; d.Others != others || d.Looked != looked || d.AtLeast != (k > 2) {
			t.Errorf("%s: %+v", s.Name, d)
		}
		t.Log(s.Drawn.Sentence(s.Name))
	}
}
