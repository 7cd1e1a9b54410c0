package model

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"github.com/sipc-ml/sipc/plugins"
	"github.com/sipc-ml/sipc/runtime/dataset"
	"github.com/sipc-ml/sipc/runtime/embed"
	"github.com/sipc-ml/sipc/runtime/gauge"
	"github.com/sipc-ml/sipc/runtime/regularizer"
	"github.com/sipc-ml/sipc/runtime/report"
	"github.com/sipc-ml/sipc/runtime/setting"
)

const witnessRows, witnessLabels = 10, 5

// witnessed are rows with labels, and two invariances: exclusions, which are solved for in other functionals, and values of two
// labels that should be equal at the rows and at points beside them.
func witnessed(root func(n int) *gauge.Node) (*dataset.Set, *regularizer.Regularizer) {
	rng := rand.New(rand.NewPCG(3, 4))
	train := &dataset.Set{
		X: mat.NewDense(witnessRows, 3, nil), Task: setting.Multilabel, LabelNames: make([]string, witnessLabels), HasTarget: true,
		Multi: mat.NewDense(witnessRows, witnessLabels, nil),
	}
	reg := exclusions(witnessRows, witnessLabels)
	b := reg.Functionals
	for i := range witnessRows {
		for j := range 3 {
			train.X.Set(i, j, rng.NormFloat64())
		}
		train.Multi.Set(i, rng.IntN(witnessLabels), 1)
		train.Rows, train.IDs = append(train.Rows, i), append(train.IDs, "r"+string(rune('a'+i)))
		beside := append([]float64(nil), train.X.RawRowView(i)...)
		beside[0] += .3
		at := int32(b.Points.Append(beside))
		tangent := int32(b.Tangents.Append([]float64{0, 1, 0}))
		b.Term(1, ^at, plugins.Evaluation, 0)
		b.Term(-1, int32(i), plugins.Evaluation, 1)
		b.Term(.2, int32(i), tangent, 2)
		b.End()
	}
	first := reg.Invariances[0].Count
	reg.Invariances = append(reg.Invariances, regularizer.Invariance{
		Name: "alike", Weight: .5, Kind: regularizer.Seminorm, Text: "alike", Gauge: root(witnessRows), First: first, Count: witnessRows,
		Members: rowMembers{},
	})
	return train, reg
}

// rowMembers say of functional i that it is about row i.
type rowMembers struct{}

func (rowMembers) Group(i int) int { return i % 2 }

func (rowMembers) Rows() func(i int) [][]int32 {
	return func(i int) [][]int32 { return [][]int32{{int32(i)}} }
}

func (rowMembers) At(i int) regularizer.Member {
	return regularizer.Member{
		Part:     []string{"even", "odd"}[i%2],
		Bindings: []regularizer.Binding{{Variable: "x", Rows: []int32{int32(i)}, Value: "row"}},
	}
}

func fitWitnessed(t *testing.T, method setting.Method, root func(n int) *gauge.Node) (*Fitting, *dataset.Set, *regularizer.Regularizer) {
	t.Helper()
	train, reg := witnessed(root)
	const strength = 1000 // with less the function breaks no exclusion
	out, err := Fit(t.Context(), train, reg, Options{
		Method: method, Kernel: setting.Kernel{Kind: setting.Gaussian, Width: 1}, Features: setting.Features{},
		Learner: setting.Learner{Kind: setting.SVM, Strength: strength}, Gap: 1e-10, Witnesses: true,
	})
	if err != nil {
		t.Fatal(err)
	}
	out.Model.About.Preparation = preparationOf(train)
	return out, train, reg
}

var witnessedRoots = map[string]func(n int) *gauge.Node{
	"rms": func(n int) *gauge.Node {
		return gauge.Scaled(gauge.Repeat(n, gauge.Hypot(gauge.Leaf(gauge.Abs))), 1/math.Sqrt(float64(n)))
	},
	"max": func(n int) *gauge.Node { return gauge.Repeat(n, gauge.MaxOf(gauge.Leaf(gauge.Abs))) },
	"sum": func(n int) *gauge.Node { return gauge.Repeat(n, gauge.SumOf(gauge.Leaf(gauge.Pos))) },
}

// What the members contribute sums to the value of the invariance on the fit, and the values of the members are those of the
// functionals at the fitted function.
func TestWitnessesSumToTheValue(t *testing.T) {
	for name, root := range witnessedRoots {
		for _, method := range []setting.Method{setting.Embed, setting.Plain, setting.Risk} {
			t.Run(name+" "+string(method), func(t *testing.T) {
				out, train, reg := fitWitnessed(t, method, root)
				checkWitnesses(t, out, functionalsOf(t, out, train, reg), reg)
			})
		}
	}
}

// Points beside the rows are embedded to measure R, which may take longer than the fit: progress says so.
func TestMeasuringTellsItsProgress(t *testing.T) {
	train, reg := witnessed(witnessedRoots["max"])
	o, told := wholeOptions(setting.Embed, 1e-3), []int{}
	o.Progress = func(stage string, done, total int) {
		if stage == "measure R where it predicts" {
			told = append(told, done, total)
		}
	}
	if _, err := Fit(t.Context(), train, reg, o); err != nil {
		t.Fatal(err)
	}
	if len(told) < 4 || told[0] != 0 || told[len(told)-2] != told[len(told)-1] {
		t.Errorf("progress is %v", told)
	}
}

// functionalsOf are the values of all functionals at the scores that the model gives, scaled to a standard deviation of 1: slopes by
// differences over the step of the measurement where ι is not linear, and over a small one else.
func functionalsOf(t *testing.T, out *Fitting, train *dataset.Set, reg *regularizer.Regularizer) []float64 {
	t.Helper()
	score := func(x []float64) []float64 {
		scores, _, err := out.Model.Scores(t.Context(), mat.NewDense(1, len(x), x), nil, nil)
		if err != nil {
			t.Fatal(err)
		}
		return scores.RawRowView(0)
	}
	step := 1e-4
	if out.Model.Represent.Method == setting.Embed {
		step = SlopeStep * columnDeviation(train.X, 1) // the tangents are along the second column
	}
	points := embed.NewPoints(train.X, reg.Functionals)
	b := reg.Functionals
	values := make([]float64, b.Len())
	for i := range values {
		for k := b.Start[i]; k < b.Start[i+1]; k++ {
			x := slices.Clone(points.At(b.Point[k]))
			label := b.Labels[b.Label[k]].Index[0]
			if b.Tangent[k] == plugins.Evaluation {
				values[i] += b.Coef[k] * score(x)[label]
				continue
			}
			x[1] += step
			slope := score(x)[label]
			x[1] -= 2 * step
			values[i] += b.Coef[k] * (slope - score(x)[label]) / (2 * step)
		}
	}
	scores, _, err := out.Model.Scores(t.Context(), train.X, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	variance := 0.0
	for y := range witnessLabels {
		variance += math.Pow(columnDeviation(scores, y), 2) / witnessLabels
	}
	for i := range values {
		values[i] /= math.Sqrt(variance)
	}
	return values
}

func columnDeviation(x *mat.Dense, column int) float64 {
	return math.Sqrt(stat.PopVariance(mat.Col(nil, column, x), nil))
}

func checkWitnesses(t *testing.T, out *Fitting, values []float64, reg *regularizer.Regularizer) {
	t.Helper()
	parts := make([]float64, len(reg.Invariances))
	r := reg.Value(parts, values)
	squares := 0.0
	for k, w := range out.Model.Witnesses.Invariances {
		if !near(float64(w.Value), parts[k]) || w.Value == 0 {
			t.Errorf("%s is %v, want %v", w.Name, w.Value, parts[k])
		}
		squares += float64(w.Share) * r * r
		sum, spoken := 0.0, 0.0
		for _, m := range w.Members {
			sum += float64(m.Contribution)
			if w.Name == "alike" && !near(float64(m.Value), math.Abs(values[reg.Invariances[k].First+int(m.At[0].Rows[0])])) {
				t.Errorf("a member has the value %v", m.Value)
			}
		}
		for _, s := range w.Statements {
			spoken += float64(s.Share * w.Value)
		}
		if !near(sum, float64(w.Value)) || !near(spoken, float64(w.Value)) || w.Active != len(w.Members) {
			t.Errorf("%s: members contribute %v, statements %v of %v", w.Name, sum, spoken, w.Value)
		}
	}
	if !near(squares, r*r) {
		t.Errorf("the shares of R² come to %v of %v", squares, r*r)
	}
}

func near(a, b float64) bool {
	return math.Abs(a-b) <= 1e-6*math.Max(1, math.Max(math.Abs(a), math.Abs(b)))
}

// A model file keeps the witnesses; files of earlier versions, whose witnesses had another form, are refused.
func TestWitnessesAreKept(t *testing.T) {
	out, _, _ := fitWitnessed(t, setting.Embed, witnessedRoots["max"])
	path := filepath.Join(t.TempDir(), "model.sipc")
	if err := out.Model.Save(path); err != nil {
		t.Fatal(err)
	}
	loaded, err := Load(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(out.Model.Witnesses, loaded.Witnesses, cmpopts.IgnoreFields(regularizer.Binding{}, "Rows")); d != "" {
		t.Error(d)
	}
	out.Model.Witnesses = nil
	var b bytes.Buffer
	if err := out.Model.Write(&b); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(strings.Replace(b.String(), fmt.Sprintf("model %d", version), "model 4", 1)), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err = Load(t.Context(), path); err == nil || !strings.Contains(err.Error(), "another version") {
		t.Errorf("a file of version 4: %v", err)
	}
}

// TestGaugesOfOtherVersionsAreRefused loads a gauge of an operation that versions before had.
func TestGaugesOfOtherVersionsAreRefused(t *testing.T) {
	out, _, _ := fitWitnessed(t, setting.Embed, witnessedRoots["max"])
	out.Model.Represent.Gauge = &gauge.Node{Op: gauge.Top + 2, K: 2, Repeat: 3, Children: []*gauge.Node{gauge.Leaf(gauge.Abs)}}
	path := filepath.Join(t.TempDir(), "model.sipc")
	if err := out.Model.Save(path); err != nil {
		t.Fatal(err)
	}
	if _, err := Load(t.Context(), path); err == nil || !strings.Contains(err.Error(), "unknown to this version") {
		t.Errorf("error %v", err)
	}
}

// Witnesses that are not numbers are refused.
func TestWitnessesAreFinite(t *testing.T) {
	out, _, _ := fitWitnessed(t, setting.Embed, witnessedRoots["max"])
	out.Model.Witnesses.Invariances[0].Members[0].Share = report.Number(math.NaN())
	var b bytes.Buffer
	if err := out.Model.Write(&b); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "model.sipc")
	if err := os.WriteFile(path, b.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Load(t.Context(), path); err == nil || !strings.Contains(err.Error(), "not finite") {
		t.Errorf("the error is %v", err)
	}
}
