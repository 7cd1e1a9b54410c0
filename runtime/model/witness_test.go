package model

import (
	"bytes"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"gonum.org/v1/gonum/mat"

	"github.com/sipc-ml/sipc/plugins"
	"github.com/sipc-ml/sipc/runtime/dataset"
	"github.com/sipc-ml/sipc/runtime/embed"
	"github.com/sipc-ml/sipc/runtime/gauge"
	"github.com/sipc-ml/sipc/runtime/kernel"
	"github.com/sipc-ml/sipc/runtime/learn"
	"github.com/sipc-ml/sipc/runtime/operator"
	"github.com/sipc-ml/sipc/runtime/regularizer"
)

const witnessRows, witnessLabels = 10, 5

// witnessed are rows with labels, and two invariances: exclusions, which are solved for in other functionals, and values of two
// labels that should be equal at the rows and at points beside them.
func witnessed(root func(n int) *gauge.Node) (*dataset.Set, *regularizer.Regularizer) {
	rng := rand.New(rand.NewPCG(3, 4))
	train := &dataset.Set{
		X: mat.NewDense(witnessRows, 3, nil), Task: dataset.Multilabel, LabelNames: make([]string, witnessLabels), HasTarget: true,
		Multi: mat.NewDense(witnessRows, witnessLabels, nil),
	}
	reg := exclusions(witnessRows, witnessLabels)
	b := reg.Functionals
	for i := range witnessRows {
		for j := range 3 {
			train.X.Set(i, j, rng.NormFloat64())
		}
		train.Multi.Set(i, rng.IntN(witnessLabels), 1)
		train.Rows, train.ID = append(train.Rows, i), append(train.ID, "r"+string(rune('a'+i)))
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

func (rowMembers) At(i int) regularizer.Member {
	return regularizer.Member{
		Part:     []string{"even", "odd"}[i%2],
		Bindings: []regularizer.Binding{{Variable: "x", Rows: []int32{int32(i)}, Value: "row"}},
	}
}

func fitWitnessed(t *testing.T, method Method, root func(n int) *gauge.Node) (*Fitting, *dataset.Set, *regularizer.Regularizer) {
	t.Helper()
	train, reg := witnessed(root)
	strength := 1.0
	if method == Risk {
		strength = 1000 // with less the function breaks no exclusion
	}
	out, err := Fit(t.Context(), train, reg, Options{
		Method: method, Kernel: kernel.Spec{Kind: kernel.Gaussian, Width: 1}, Features: embed.Spec{},
		Learner: learn.Learner{Kind: learn.SVM, Strength: strength}, Gap: 1e-6, Witnesses: true,
	})
	if err != nil {
		t.Fatal(err)
	}
	out.Model.About.Preparation = &dataset.Preparation{}
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
		for _, method := range []Method{Embed, Plain, Risk} {
			t.Run(name+" "+string(method), func(t *testing.T) {
				out, train, reg := fitWitnessed(t, method, root)
				checkWitnesses(t, out, functionalsOf(t, out, train, reg), reg)
			})
		}
	}
}

// functionalsOf are the values of all functionals at the fitted function, by an operator of their own.
func functionalsOf(t *testing.T, out *Fitting, train *dataset.Set, reg *regularizer.Regularizer) []float64 {
	t.Helper()
	rep, features := out.Model.Represent, out.Model.Represent.Features
	v := out.Model.Fit.Weights.RawMatrix().Data
	switch rep.Method {
	case Risk: // the biases are of the function on which R acts
		features, v = withConstant{features, 1}, nil
		for y, bias := range out.Model.Fit.Bias {
			for _, w := range out.Model.Fit.Weights.RawRowView(y) {
				v = append(v, w*rep.Scale)
			}
			v = append(v, bias)
		}
	case Plain:
	default:
		var err error
		if v, err = rep.Embed(t.Context(), v); err != nil {
			t.Fatal(err)
		}
	}
	a, err := operator.Build(t.Context(), reg.Functionals, train.X, features, witnessLabels)
	if err != nil {
		t.Fatal(err)
	}
	values := mat.NewDense(1, reg.Functionals.Len(), nil)
	a.Apply(values, mat.NewDense(1, len(v), v))
	phi := mat.NewDense(witnessRows, features.Dim(), nil)
	features.Features(phi, train.X)
	var scores mat.Dense
	scores.Mul(phi, mat.NewDense(witnessLabels, features.Dim(), v).T())
	values.Scale(math.Sqrt(witnessRows*witnessLabels)/mat.Norm(&scores, 2), values)
	return values.RawRowView(0)
}

func checkWitnesses(t *testing.T, out *Fitting, values []float64, reg *regularizer.Regularizer) {
	t.Helper()
	parts := make([]float64, len(reg.Invariances))
	r := reg.Value(parts, values)
	squares := 0.0
	for k, w := range out.Model.Witnesses.Invariances {
		if !near(w.Value, parts[k]) || w.Value == 0 {
			t.Errorf("%s is %v, want %v", w.Name, w.Value, parts[k])
		}
		squares += w.Share * r * r
		sum, spoken, pull := 0.0, 0.0, 0.0
		for _, m := range w.Members {
			sum += m.Share * w.Value
			pull += m.Pull
			if w.Name == "alike" && !near(m.Value, values[reg.Invariances[k].First+int(m.Member.Rows()[0])]) {
				t.Errorf("a member has the value %v", m.Value)
			}
		}
		for _, s := range w.Statements {
			spoken += s.Share * w.Value
		}
		if !near(sum, w.Value) || !near(spoken, w.Value) || w.Active != len(w.Members) {
			t.Errorf("%s: members contribute %v, statements %v of %v", w.Name, sum, spoken, w.Value)
		}
		held := w.Name == "alike" && out.Model.Represent.Method == Embed
		if w.Held != held || held && math.Abs(pull-1) > 1e-3 {
			t.Errorf("%s: held is %t, the pulls sum to %v", w.Name, w.Held, pull)
		}
	}
	if !near(squares, r*r) {
		t.Errorf("the shares of R² come to %v of %v", squares, r*r)
	}
}

func near(a, b float64) bool { return math.Abs(a-b) <= 1e-6*math.Max(math.Abs(a), math.Abs(b)) }

// The multipliers are those of the closed form where there is one: c = w·ℓ(V).
func TestMultipliersOfTheClosedForm(t *testing.T) {
	train, reg := witnessed(witnessedRoots["rms"])
	reg.Invariances = reg.Invariances[1:]
	b := &plugins.Block{Points: reg.Functionals.Points, Tangents: reg.Functionals.Tangents, Labels: reg.Functionals.Labels}
	for i := reg.Invariances[0].First; i < reg.Functionals.Len(); i++ {
		for k := reg.Functionals.Start[i]; k < reg.Functionals.Start[i+1]; k++ {
			b.Term(reg.Functionals.Coef[k], reg.Functionals.Point[k], reg.Functionals.Tangent[k], reg.Functionals.Label[k])
		}
		b.End()
	}
	reg.Functionals, reg.Invariances[0].First = b, 0
	var got [2][]float64
	for i, method := range []Method{Embed, Warp} {
		out, err := Fit(t.Context(), train, reg, Options{
			Method: method, Kernel: kernel.Spec{Kind: kernel.Gaussian, Width: 1}, Learner: learn.Learner{Kind: learn.SVM, Strength: 1},
			Gap: 1e-9, Witnesses: true,
		})
		if err != nil {
			t.Fatal(err)
		}
		got[i] = make([]float64, witnessRows)
		for _, m := range out.Model.Witnesses.Invariances[0].Members {
			want := .25 * m.Value / witnessRows
			if method == Warp && math.Abs(m.Multiplier-want) > 1e-12 {
				t.Errorf("the multiplier is %v, want %v", m.Multiplier, want)
			}
			got[i][m.Member.Rows()[0]] = m.Multiplier
		}
	}
	for i := range got[0] {
		if math.Abs(got[0][i]-got[1][i]) > 1e-3 {
			t.Errorf("the multiplier of row %d is %v by iterations, %v in closed form", i, got[0][i], got[1][i])
		}
	}
}

// A model file keeps the witnesses; files of earlier versions are read and have none.
func TestWitnessesAreKept(t *testing.T) {
	out, _, _ := fitWitnessed(t, Embed, witnessedRoots["max"])
	path := filepath.Join(t.TempDir(), "model.sipc")
	if err := out.Model.Save(path); err != nil {
		t.Fatal(err)
	}
	loaded, err := Load(path)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(out.Model.Witnesses, loaded.Witnesses); d != "" {
		t.Error(d)
	}
	out.Model.Witnesses = nil
	var b bytes.Buffer
	if err := out.Model.Write(&b); err != nil {
		t.Fatal(err)
	}
	for _, old := range []string{magicOne, magicTwo} {
		if err := os.WriteFile(path, []byte(strings.Replace(b.String(), magic, old, 1)), 0o600); err != nil {
			t.Fatal(err)
		}
		if loaded, err = Load(path); err != nil || loaded.Witnesses != nil {
			t.Errorf("%s %v, witnesses %v", old, err, loaded.Witnesses)
		}
	}
}

// Witnesses that are no numbers are refused.
func TestWitnessesAreFinite(t *testing.T) {
	out, _, _ := fitWitnessed(t, Embed, witnessedRoots["max"])
	out.Model.Witnesses.Invariances[0].Members[0].Share = math.NaN()
	var b bytes.Buffer
	if err := out.Model.Write(&b); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "model.sipc")
	if err := os.WriteFile(path, b.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Load(path); err == nil || !strings.Contains(err.Error(), "not finite") {
		t.Errorf("the error is %v", err)
	}
}
