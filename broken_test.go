package sipc_test

import (
	"encoding/csv"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	sipc "github.com/sipc-ml/sipc"
	"github.com/sipc-ml/sipc/runtime/model"
	"github.com/sipc-ml/sipc/runtime/report"
	"github.com/sipc-ml/sipc/runtime/setting"
)

// A rowTable is rows of numbers under names of columns.
type rowTable struct {
	names []string
	rows  [][]float64
}

// write writes the table to a file in a folder of the test.
func (d *rowTable) write(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "data.csv")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	w := csv.NewWriter(f)
	lines := [][]string{d.names}
	for _, row := range d.rows {
		var line []string
		for _, v := range row {
			line = append(line, strconv.FormatFloat(v, 'g', -1, 64))
		}
		lines = append(lines, line)
	}
	if err := w.WriteAll(lines); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	return path
}

// moved is the table with a column moved by a distance.
func (d *rowTable) moved(column string, by float64) *rowTable {
	out := &rowTable{names: d.names}
	for _, row := range d.rows {
		row = append([]float64(nil), row...)
		row[d.at(column)] += by
		out.rows = append(out.rows, row)
	}
	return out
}

func (d *rowTable) at(column string) int {
	for j, n := range d.names {
		if n == column {
			return j
		}
	}
	return -1
}

func (d *rowTable) deviation(column string) float64 {
	var x []float64
	for _, row := range d.rows {
		x = append(x, row[d.at(column)])
	}
	return math.Sqrt(stat.PopVariance(x, nil))
}

// drawn are rows on which little tells that the target rises with u.
func drawn(n int, seed uint64) *rowTable {
	rng := rand.New(rand.NewPCG(seed, 1))
	d := &rowTable{names: []string{"u", "v", "price", "animal", "cat", "dog"}}
	bit := func(b bool) float64 {
		if b {
			return 1
		}
		return 0
	}
	for range n {
		u, v, noise := rng.NormFloat64(), 10*rng.NormFloat64(), rng.NormFloat64()
		cat, dog := u+noise > .8, u+noise < -.8
		d.rows = append(d.rows, []float64{u, v, .2*u + noise, bit(cat || dog || noise > 0), bit(cat), bit(dog)})
	}
	return d
}

// A brokenCase is a one-sided statement, and what it is at the scores of rows that predict is asked for: positive where it is broken.
type brokenCase struct {
	name, spec string
	// violation is by how much each row breaks the statement, in the units in which it is counted, at the scores by ask.
	violation func(d *rowTable, ask func(*rowTable) *mat.Dense, step float64) []float64
	words     string
	order     int // of the derivative that is looked at
}

func column(m *mat.Dense, j int) []float64 { return mat.Col(nil, j, m) }

// slopeOf is minus the slope of a score along u, per standard deviation.
func slopeOf(label int) func(d *rowTable, ask func(*rowTable) *mat.Dense, step float64) []float64 {
	return func(d *rowTable, ask func(*rowTable) *mat.Dense, step float64) []float64 {
		by := step * deviationOfU
		up, down := column(ask(d.moved("u", by)), label), column(ask(d.moved("u", -by)), label)
		out := make([]float64, len(up))
		for i := range out {
			out[i] = (down[i] - up[i]) / (2 * step)
		}
		return out
	}
}

// bendOf is minus the second derivative of a score along u, per squared standard deviation.
func bendOf(d *rowTable, ask func(*rowTable) *mat.Dense, step float64) []float64 {
	up, here, down := column(ask(d.moved("u", step*deviationOfU)), 0), column(ask(d), 0), column(ask(d.moved("u", -step*deviationOfU)), 0)
	out := make([]float64, len(up))
	for i := range out {
		out[i] = (2*here[i] - up[i] - down[i]) / (step * step)
	}
	return out
}

// deviationOfU and deviationOfV are the standard deviations of u and v over the training rows.
var deviationOfU, deviationOfV float64

// worstOfPairs is by how much the score of a row with less u lies above that of one with more: of each row the most that it has part in.
func worstOfPairs(d *rowTable, ask func(*rowTable) *mat.Dense, _ float64) []float64 {
	scores, u := column(ask(d), 0), d.at("u")
	out := make([]float64, len(scores))
	for i, row := range d.rows {
		for j, other := range d.rows {
			if other[u] > row[u] {
				out[i], out[j] = max(out[i], scores[i]-scores[j]), max(out[j], scores[i]-scores[j])
			}
		}
	}
	return out
}

var brokenCases = []brokenCase{
	{
		name: "slope", words: "the score falls with u", order: 1,
		spec:      "data { target price : real; columns u, v; standardize }\ninvariance s = rms over x of pos(-d/d(u) f)\nlearn ridge(lambda = 0.01)\n",
		violation: slopeOf(0),
	},
	{
		name: "slope times a small number", words: "the score falls with u", order: 1,
		spec:      "data { target price : real; columns u, v; standardize }\ninvariance s = rms over x of 1e-4 * pos(-d/d(u) f)\nlearn ridge(lambda = 0.01)\n",
		violation: slopeOf(0),
	},
	{
		name: "comparisons under a mean", words: "s is broken",
		spec:      "data { target price : real; columns u, v; standardize }\ninvariance s = rms over x of mean over b in rows where u(b) > u(x) of pos(0.001 * (f(x) - f(b)))\nlearn ridge(lambda = 0.01)\n",
		violation: worstOfPairs,
	},
	{
		name: "slope of a label", words: "the score of cat falls with u", order: 1,
		spec:      "data { target animal, cat, dog : multilabel; columns u, v; standardize }\ninvariance s = max over x of pos(-d/d(u) f(cat))\nlearn svm(C = 100)\n",
		violation: slopeOf(1),
	},
	{
		name: "slope of the own class", words: "s is broken", order: 1,
		spec: "data { target cat : class; columns u, v; standardize }\ninvariance s = rms over x of pos(-d/d(u) f)\nlearn softmax(C = 100)\n",
		violation: func(d *rowTable, ask func(*rowTable) *mat.Dense, step float64) []float64 {
			of := [][]float64{slopeOf(0)(d, ask, step), slopeOf(1)(d, ask, step)}
			out := make([]float64, len(d.rows))
			for i, row := range d.rows {
				out[i] = of[int(row[d.at("cat")])][i]
			}
			return out
		},
	},
	{
		name: "slope of two classes", words: "the score falls with u", order: 1,
		spec:      "data { target cat : binary(0, 1); columns u, v; standardize }\ninvariance s = top(5) over x of pos(-d/d(u) f)\nlearn svm(C = 100)\n",
		violation: slopeOf(0),
	},
	{
		name: "slope beside rows", words: "the score falls with u", order: 1,
		spec: "data { target price : real; columns u, v; standardize }\ninvariance s = sum over x, t in {move(u, 0.5)} of pos(-d/d(u) f(t(x)))\nlearn ridge(lambda = 0.01)\n",
		violation: func(d *rowTable, ask func(*rowTable) *mat.Dense, step float64) []float64 {
			return slopeOf(0)(d.moved("u", 0.5), ask, step)
		},
	},
	{
		name: "bend", words: "the score is not convex in u", order: 2,
		spec:      "data { target price : real; columns u, v; standardize }\ninvariance s = convex(u)\nlearn ridge(lambda = 0.01)\n",
		violation: bendOf,
	},
	{
		name: "bend in the unit of the file", words: "the score is not convex in u", order: 2,
		spec:      "data { target price : real; columns u, v }\ninvariance s = rms over x of pos(-2 * d/d(u, unit = raw) d/d(u) f)\nlearn ridge(lambda = 0.01)\n",
		violation: bendOf,
	},
	{
		name: "interaction", words: "s is broken", order: 2,
		spec: "data { target price : real; columns u, v }\ninvariance s = rms over x of pos(-d/d(u) d/d(v) f)\nlearn ridge(lambda = 0.01)\n",
		violation: func(d *rowTable, ask func(*rowTable) *mat.Dense, step float64) []float64 {
			at := func(u, v float64) []float64 {
				return column(ask(d.moved("u", u*step*deviationOfU).moved("v", v*step*deviationOfV)), 0)
			}
			out, up, down, ahead, behind := at(0, 0), at(1, 1), at(-1, -1), at(1, -1), at(-1, 1)
			for i := range out {
				out[i] = (ahead[i] + behind[i] - up[i] - down[i]) / (4 * step * step)
			}
			return out
		},
	},
	{
		name: "implications", words: "s is broken",
		spec: "data { target animal, cat, dog : multilabel; columns u, v; standardize }\ninvariance s = rms over x of max {implies(cat, animal), implies(dog, animal)}\nlearn svm(C = 100)\n",
		violation: func(d *rowTable, ask func(*rowTable) *mat.Dense, _ float64) []float64 {
			var out []float64
			for _, row := range rowsOf(ask(d)) {
				out = append(out, max(row[1], row[2])-row[0])
			}
			return out
		},
	},
	{
		name: "exclusion after closure", words: "s is broken",
		spec: "data { target animal, cat, dog : multilabel; columns u, v; standardize }\ninvariance s = rms over x of hypot(implies(cat, animal), excludes(animal, dog))\nlearn svm(C = 100)\ndecode closure\n",
		violation: func(d *rowTable, ask func(*rowTable) *mat.Dense, _ float64) []float64 {
			var out []float64
			for _, row := range rowsOf(ask(d)) {
				out = append(out, max(row[1]-row[0], row[0]+row[2]))
			}
			return out
		},
	},
	{
		name: "moved rows", words: "s is broken",
		spec: "data { target price : real; columns u, v; standardize }\ninvariance s = rms over x of max over t in {move(u, 0.5)} of pos(f(x) - f(t(x)))\nlearn ridge(lambda = 0.01)\n",
		violation: func(d *rowTable, ask func(*rowTable) *mat.Dense, _ float64) []float64 {
			here, there := column(ask(d), 0), column(ask(d.moved("u", 0.5)), 0)
			for i := range here {
				here[i] -= there[i]
			}
			return here
		},
	},
}

func rowsOf(m *mat.Dense) [][]float64 {
	n, _ := m.Dims()
	out := make([][]float64, n)
	for i := range out {
		out[i] = m.RawRowView(i)
	}
	return out
}

// The report's counts of broken rows, training and test, are those of what predict returns: of its scores, and of differences of them.
// Violations nearer to the bound than a difference is exact may be counted either way. Method plain knows no R, and counts what a measure asks for.
func TestBrokenRowsAreThoseOfPredictions(t *testing.T) {
	train, test := drawn(40, 1), drawn(60, 2)
	deviationOfU, deviationOfV = train.deviation("u"), train.deviation("v")
	for _, c := range brokenCases {
		for _, method := range []setting.Method{setting.Risk, setting.Embed, setting.Plain} {
			t.Run(c.name+" "+string(method), func(t *testing.T) {
				spec := specOf(t, "kernel gaussian\nfeatures nystrom(landmarks = all)\nregularize 3 * s\n"+c.spec+"measure m = s\n")
				out := t.TempDir()
				rep, err := sipc.Run(t.Context(), spec, sipc.RunOptions{
					Data: train.write(t), Test: test.write(t), Method: method, Out: out, Embeddings: "none", Baseline: true,
				})
				if err != nil {
					t.Fatal(err)
				}
				told, words := rep.Regularizer, c.words
				if method == setting.Plain {
					told, words = rep.Measures, strings.Replace(c.words, "s is", "m is", 1)
				}
				b := told[0].Broken
				if b == nil || b.Statement != words || b.Test == nil {
					t.Fatalf("broken is %+v", b)
				}
				m, err := sipc.LoadModel(t.Context(), filepath.Join(out, "model.sipc"))
				if err != nil {
					t.Fatal(err)
				}
				ask := func(d *rowTable) *mat.Dense {
					p, err := sipc.Predict(t.Context(), m, d.write(t), sipc.ApplyOptions{})
					if err != nil {
						t.Fatal(err)
					}
					return p.Predictions.Scores
				}
				size := deviationOfScores(ask(train))
				c.compare(t, method, "training", b.Train, train, ask, size)
				c.compare(t, method, "test", *b.Test, test, ask, size)
			})
		}
	}
}

func deviationOfScores(scores *mat.Dense) float64 {
	_, m := scores.Dims()
	sum := 0.0
	for y := range m {
		sum += stat.PopVariance(column(scores, y), nil)
	}
	return math.Sqrt(sum / float64(m))
}

// compare holds a count to the violations that predictions show.
func (c *brokenCase) compare(t *testing.T, method setting.Method, which string, got report.Count, d *rowTable, ask func(*rowTable) *mat.Dense, size float64) {
	t.Helper()
	step, exact := 1e-3, 1e-9 // of plain and risk derivatives are not differences
	switch {
	case method == setting.Embed && c.order == 2:
		step = model.BendStep
	case method == setting.Embed:
		step = model.SlopeStep
	case c.order > 0:
		exact = 1e-5
	}
	least, most := 0, 0
	for _, v := range c.violation(d, ask, step) {
		if v/size > model.Tolerated+exact {
			least++
		}
		if v/size > model.Tolerated-exact {
			most++
		}
	}
	if got.Broken < least || got.Broken > most || got.Rows != len(d.rows) {
		t.Errorf("%d of %d %s rows are broken, predictions break %d to %d of %d", got.Broken, got.Rows, which, least, most, len(d.rows))
	}
}

// Where method plain breaks a statement, the default method breaks it less, and says how plain does.
func TestDefaultMethodObeys(t *testing.T) {
	for _, c := range []struct{ name, rest, words string }{
		{"slope", "regularize 1000 * s\n" + brokenCases[0].spec, "the score falls with u"},
		{"bend", "data { target price : real; columns u, v; standardize }\ninvariance s = convex(u)\nregularize 30 * s\n", "the score is not convex in u"},
	} {
		t.Run(c.name, func(t *testing.T) { obeys(t, "kernel gaussian\nfeatures nystrom(landmarks = all)\n"+c.rest, c.words) })
	}
}

func obeys(t *testing.T, text, words string) {
	t.Helper()
	rep, err := sipc.Run(t.Context(), specOf(t, text), sipc.RunOptions{Data: drawn(40, 1).write(t), Test: drawn(60, 2).write(t), Baseline: true})
	if err != nil {
		t.Fatal(err)
	}
	own, plain := rep.Regularizer[0].Broken, rep.Baseline.Regularizer[0].Broken
	if rep.Method != "risk" || plain.Train.Broken < 8 || own.Train.Broken > plain.Train.Broken/4 || own.Test.Broken > plain.Test.Broken*2/3 {
		t.Errorf("method %s breaks %+v %+v, plain %+v %+v", rep.Method, own.Train, own.Test, plain.Train, plain.Test)
	}
	var table strings.Builder
	if err := rep.WriteTable(&table); err != nil {
		t.Fatal(err)
	}
	line := fmt.Sprintf("%s at %d of 40 training rows, plain %d; %d of 60 test rows, plain %d",
		words, own.Train.Broken, plain.Train.Broken, own.Test.Broken, plain.Test.Broken)
	if !strings.Contains(table.String(), line) {
		t.Errorf("the table does not say %q:\n%s", line, table.String())
	}
}

// specOf is a spec without an error.
func specOf(t *testing.T, text string) *sipc.Spec {
	t.Helper()
	spec := sipc.NewSpec(t.Context(), "spec.inv", []byte(text), sipc.SpecOptions{})
	if err := spec.Err(); err != nil {
		t.Fatal(err)
	}
	return spec
}
