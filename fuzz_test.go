package sipc

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"

	"github.com/sipc-ml/sipc/runtime/model"
	"github.com/sipc-ml/sipc/runtime/represent"
	"github.com/sipc-ml/sipc/runtime/rival"
	"github.com/sipc-ml/sipc/runtime/setting"
)

// specsACheck is how many specs a check of rapid draws: 200 in a usual run, and more by -rapid.checks.
const specsACheck = 2

// fuzzLimits bound the iterations of each fit and of each setting of a rival, and so the time of the test, which has no clock. One in ten
// goes far enough for what solvers do near the end.
var fuzzLimits = []int{10, 10, 10, 10, 10, 10, 10, 10, 10, 300}

// Whole specs on random tables, from the text to the report: no panic, no error but that a method or rival does not suit, finite numbers, and
// what is certified is so.
func TestAcceptedSpecsFit(t *testing.T) {
	sameSpecs(t)
	dir, drawn, tried, rivals := t.TempDir(), 0, 0, 0
	rapid.Check(t, func(r *rapid.T) {
		for range specsACheck {
			drawn++
			found := fuzzSpec(t, r, dir)
			tried += len(found)
			for _, f := range found {
				rivals += len(f.rivals)
			}
		}
	})
	if 2*tried < drawn || 20*rivals < drawn {
		t.Errorf("of %d specs there were %d fits with %d rivals: too little is tried", drawn, tried, rivals)
	}
}

// sameSpecs lets rapid draw the same specs in every run, unless -rapid.seed asks for others.
func sameSpecs(t *testing.T) {
	t.Helper()
	const name = "rapid.seed"
	if drawn := flag.Lookup(name); drawn == nil || drawn.Value.String() != "0" {
		return
	}
	if err := flag.Set(name, "20261"); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := flag.Set(name, "0"); err != nil {
			t.Error(err)
		}
	})
}

// fuzzSpec returns the fits that were not refused.
func fuzzSpec(t *testing.T, r *rapid.T, dir string) (found []*findings) {
	t.Helper()
	target := rapid.SampledFrom(fuzzTargets).Draw(r, "target")
	text := fuzzText(r, target)
	spec := filepath.Join(dir, "spec.inv")
	data := filepath.Join(dir, "data.csv")
	for path, content := range map[string]string{spec: text, data: fuzzTable(r, target)} {
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			r.Fatal(err)
		}
	}
	loaded, err := LoadSpec(t.Context(), spec, SpecOptions{})
	if err != nil {
		r.Fatal(err)
	}
	defer loaded.Close()
	if err := loaded.Err(); err != nil {
		r.Logf("refused: %v", err)
		return nil
	}
	other := rapid.SampledFrom([]setting.Method{setting.Risk, setting.Risk, setting.Risk, setting.Warp, setting.Dual, setting.Plain}).Draw(r, "method")
	limit := rapid.SampledFrom(fuzzLimits).Draw(r, "iterations")
	for _, method := range []setting.Method{setting.Embed, other} {
		o := RunOptions{Data: data, Method: method, MaxIterations: limit, Rivals: fuzzRivals(r, loaded, limit)}
		if f := fuzzFit(t, r, loaded, o); f != nil {
			found = append(found, f)
		}
	}
	return found
}

// fuzzRivals returns one of the rivals that suit a spec, or more often none.
func fuzzRivals(r *rapid.T, spec *Spec, limit int) []RivalOptions {
	if rapid.IntRange(0, 7).Draw(r, "rivals") > 0 {
		return nil
	}
	implied := strings.Contains(string(spec.Source), "implies")
	suited := slices.DeleteFunc(rival.For(spec.Plan.Data.Target.Task), func(n rival.Name) bool {
		return spec.suits(n) != nil || !implied && (n == rival.HRSVM || n == rival.Masking)
	})
	return []RivalOptions{{Name: rapid.SampledFrom(suited).Draw(r, "rival"), MaxIterations: limit}}
}

// fuzzFit fits and examines as Run does. It returns nil where the method or the rival does not suit.
func fuzzFit(t *testing.T, r *rapid.T, spec *Spec, o RunOptions) *findings {
	t.Helper()
	found, err := fuzzRun(t.Context(), spec, o)
	if err != nil {
		if !fuzzRefused(err) {
			r.Fatalf("%s: %v\n%s", o.Method, spec.explain(err), spec.Source)
		}
		return nil
	}
	for i, score := range found.scores.RawMatrix().Data {
		if math.IsNaN(score) || math.IsInf(score, 0) {
			r.Fatalf("%s: score %d is %v\n%s", o.Method, i, score, spec.Source)
		}
	}
	for _, rival := range found.rivals {
		if v := rival.Metrics.Figures[0].Value; math.IsNaN(v) || math.IsInf(v, 0) { // as of scores that are not numbers
			r.Fatalf("rival %s: %s is %v\n%s", rival.Name, rival.Metrics.Figures[0].Name, v, spec.Source)
		}
	}
	f := found.fitting
	for i, gap := range f.Gaps {
		if !(gap >= 0) {
			r.Fatalf("%s: gap %d is %v\n%s", o.Method, i, gap, spec.Source)
		}
	}
	if o.Method == setting.Embed && f.Model.Represent.Gauge != nil {
		fuzzCertificates(r, f, found.rows.Train.X, string(spec.Source))
	}
	return found
}

// fuzzRefused reports whether an error says that a method does not suit a spec.
func fuzzRefused(err error) bool {
	return errors.Is(err, represent.ErrNotQuadratic) || errors.Is(err, model.ErrDualSets)
}

// fuzzRun settles the problem of a spec, fits it, examines the fit and reports, as Run does.
func fuzzRun(ctx context.Context, spec *Spec, o RunOptions) (*findings, error) {
	j := newJournal(nil)
	s, err := settle(ctx, spec, o, j)
	if err != nil {
		return nil, err
	}
	f, err := s.fit(ctx, fitRequest{tighten: true})
	if err != nil {
		return nil, err
	}
	found, err := examine(ctx, s, f, o, nil, j)
	if err != nil {
		return nil, err
	}
	_, err = json.Marshal(found.report(j))
	return found, err
}

// fuzzCertificates evaluates the bound ⟨a, V⟩²/J(V) of every embedding anew, row by row of A, and at the embeddings of other rows: none
// may exceed what the gap leaves room for.
func fuzzCertificates(r *rapid.T, f *model.Fitting, x *mat.Dense, text string) {
	rep := f.Model.Represent
	n, _ := x.Dims()
	functionals, dim := rep.Operator.Dims()
	rows, index := mat.NewDense(functionals, dim, nil), make([]int, functionals)
	for j := range index {
		index[j] = j
	}
	rep.Operator.Rows(rows, index)
	phi := mat.NewDense(n, rep.Features.Dim(), nil)
	rep.Features.Features(phi, x)
	example := func(i int) []float64 { // of a row and a label
		a := make([]float64, dim)
		copy(a[i%rep.Labels*rep.Features.Dim():], phi.RawRowView(i/rep.Labels))
		return a
	}
	bound := func(a, v []float64) float64 {
		t := make([]float64, functionals)
		for j := range t {
			t[j] = floats.Dot(rows.RawRowView(j), v)
		}
		rho, along := rep.Gauge.Value(t), floats.Dot(a, v)
		if j := floats.Dot(v, v) + rho*rho; along > 0 && j > 0 {
			return along / j * along
		}
		return 0
	}
	var embeddings [][]float64
	for i := range n * rep.Labels {
		embeddings = append(embeddings, f.Iota(nil, i))
	}
	for i, gap := range f.Gaps {
		a := example(i)
		own := bound(a, embeddings[i])
		if !(own > 0) && !math.IsInf(gap, 1) {
			r.Fatalf("embedding %d of gap %v is worth nothing\n%s", i, gap, text)
		}
		for k, v := range append(embeddings, a) {
			if other := bound(a, v); other > own*(1+gap)*(1+1e-9) {
				r.Fatalf("embedding %d has the bound %v and the gap %v, but that of %d gives %v\n%s", i, own, gap, k, other, text)
			}
		}
	}
}

// A fuzzTarget is what a spec learns: its declaration, the learners that suit it, its columns and what the rows have there, and labels at which
// leaves look, none where f is a function of x alone.
type fuzzTarget struct {
	text     string
	learners []string
	columns  string
	cells    []string // nil stands for drawn numbers
	labels   []string
}

var fuzzTargets = []fuzzTarget{
	{"y : real", []string{"ridge", "ridge(lambda = 0.01)", "ridge(lambda = grid(0.1, 1))"}, "y", nil, nil},
	{"y : binary(no, yes)", []string{"ridge", "svm", "svm(C = 100)", "svm(loss = squared)", "svm(C = grid(1, 100))", "logistic"}, "y", []string{"no", "yes"}, nil},
	{"y : class(no, yes, both)", []string{"ridge", "svm", "softmax", "softmax(C = grid(1, 10))"}, "y", []string{"no", "yes", "both"}, []string{"no", "both"}},
	{"no, yes : multilabel", []string{"ridge", "svm", "logistic", "softmax"}, "no,yes", []string{"0,1", "1,0", "1,1"}, []string{"no", "yes"}},
}

func fuzzText(r *rapid.T, target fuzzTarget) string {
	var b strings.Builder
	fmt.Fprintf(&b, "data {\n  target %s\n  columns u, v\n}\n", target.text)
	fmt.Fprintf(&b, "kernel gaussian(width = %s)\n", rapid.SampledFrom([]string{"1", "0.1", "10", "median", "grid(1, 3)"}).Draw(r, "width"))
	fmt.Fprintf(&b, "features nystrom(landmarks = %s)\n", rapid.SampledFrom([]string{"rows", "all"}).Draw(r, "landmarks"))
	count := rapid.IntRange(1, 2).Draw(r, "invariances")
	for k := range count {
		fmt.Fprintf(&b, "invariance i%d = %s over x of %s\n", k, fuzzQuantifier(r), fuzzExpression(r, target.labels, rapid.SampledFrom([]int{0, 1, 1, 1, 2}).Draw(r, "depth")))
	}
	weights := []string{"1", "100", "0.001", "1", "100", "0.001", "1", "100", "0.001", "1", "grid(1, 100)", "auto"}
	for k := range count {
		fmt.Fprintf(&b, "%s%s * i%d", []string{"regularize ", ", "}[min(k, 1)], rapid.SampledFrom(weights).Draw(r, "weight"), k)
	}
	fmt.Fprintf(&b, "\nlearn %s\n", rapid.SampledFrom(target.learners).Draw(r, "learner"))
	return b.String()
}

func fuzzExponent(r *rapid.T) string {
	return "norm(" + rapid.SampledFrom([]string{"1.001", "1.1", "1.5", "2", "2", "3", "40", "1000", "1000000"}).Draw(r, "p") + ")"
}

func fuzzQuantifier(r *rapid.T) string {
	q := rapid.SampledFrom([]string{"rms", "max", "sum", "mean", "norm", "top(3)"}).Draw(r, "quantifier")
	if q == "norm" {
		return fuzzExponent(r)
	}
	return q
}

// fuzzExpression is a part that is nonnegative and convex in f.
func fuzzExpression(r *rapid.T, labels []string, depth int) string {
	if depth == 0 {
		leaves := []string{"|F|", "pos(F)", "pos(-F)", "|d/d(u) F|", "pos(d/d(u) F)", "pos(-d/d(v) F)", "|F + 2 * d/d(v) F|"}
		f := "f"
		if labels == nil {
			leaves = append(leaves, "max over t in {move(u, 0.5)} of |f(t(x)) - f(x)|")
		} else {
			f = "f(" + rapid.SampledFrom(labels).Draw(r, "label") + ")"
			leaves = append(leaves, "implies("+strings.Join(labels, ", ")+")")
		}
		return strings.ReplaceAll(rapid.SampledFrom(leaves).Draw(r, "leaf"), "F", f)
	}
	op := rapid.SampledFrom([]string{"max", "sum", "hypot", "norm", "top(2)", "mean"}).Draw(r, "node")
	if op == "norm" {
		op = fuzzExponent(r)
	}
	var parts []string
	for range rapid.IntRange(2, 3).Draw(r, "parts") {
		part := fuzzExpression(r, labels, depth-1)
		if w := rapid.SampledFrom([]string{"", "", "3 * ", "0.01 * "}).Draw(r, "factor"); w != "" {
			part = w + part
		}
		parts = append(parts, part)
	}
	return op + " {" + strings.Join(parts, ", ") + "}"
}

// fuzzTable is some rows, among them equal ones, and columns of any scale.
func fuzzTable(r *rapid.T, target fuzzTarget) string {
	scale := math.Pow(10, float64(rapid.IntRange(-2, 2).Draw(r, "scale")))
	var b strings.Builder
	b.WriteString("u,v," + target.columns + "\n")
	for i := range rapid.IntRange(8, 10).Draw(r, "rows") {
		y := fmt.Sprint(rapid.Float64Range(-3, 3).Draw(r, "y"))
		if target.cells != nil {
			y = target.cells[i%len(target.cells)]
		}
		fmt.Fprintf(&b, "%v,%v,%s\n", scale*rapid.Float64Range(-2, 2).Draw(r, "u"), rapid.IntRange(-2, 2).Draw(r, "v"), y)
	}
	return b.String()
}
