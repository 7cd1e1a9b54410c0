package main

import (
	"compress/gzip"
	"encoding/csv"
	"encoding/json"
	"io"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	sipc "github.com/sipc-ml/sipc"
	"github.com/sipc-ml/sipc/runtime/model"
)

var regularizes = regexp.MustCompile(`(?m)^regularize .*$`)

// A held model is asked about rows of an example's file, as they are or changed.
type held struct {
	t      *testing.T
	model  *model.Model
	dir    string
	header []string
}

// at is the place of a column.
func (h *held) at(column string) int { return slices.Index(h.header, column) }

// scores are those of rows, by predict.
func (h *held) scores(rows [][]string) *mat.Dense {
	h.t.Helper()
	path := filepath.Join(h.dir, "asked.csv")
	f, err := os.Create(path)
	if err != nil {
		h.t.Fatal(err)
	}
	if err := csv.NewWriter(f).WriteAll(append([][]string{h.header}, rows...)); err != nil {
		h.t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		h.t.Fatal(err)
	}
	p, err := sipc.Predict(h.t.Context(), h.model, path, sipc.ApplyOptions{})
	if err != nil {
		h.t.Fatal(err)
	}
	return p.Predictions.Scores
}

func (h *held) number(row []string, column int) float64 {
	h.t.Helper()
	v, err := strconv.ParseFloat(row[column], 64)
	if err != nil {
		h.t.Fatal(err)
	}
	return v
}

// numbers are a column of rows.
func (h *held) numbers(rows [][]string, column string) []float64 {
	out := make([]float64, len(rows))
	for i, row := range rows {
		out[i] = h.number(row, h.at(column))
	}
	return out
}

// mixed is a row between two, at λ of the first, in the columns that are features; the rest is that of the first.
func (h *held) mixed(a, b []string, lambda float64, features []int) []string {
	out := slices.Clone(a)
	for _, j := range features {
		out[j] = strconv.FormatFloat(lambda*h.number(a, j)+(1-lambda)*h.number(b, j), 'g', -1, 64)
	}
	return out
}

// A brokenExample is a one-sided statement about an example's data, and by how much rows break it, by scores that predict returns.
type brokenExample struct {
	name, example string
	statement     string // in place of the example's R; empty for what the example declares
	counted       string // which of its invariances
	methods       []string
	args          []string // that make every row of the file a training or a test row
	// violations are of each row the least and the most: they differ where nodes on a path may be more than eleven. They are −∞ of rows of
	// which the statement says nothing.
	violations func(h *held, train, rows [][]string) (least, most []float64)
	exact      float64 // of a violation
}

// same takes what has no nodes for the least and the most.
func same(v []float64) (least, most []float64) { return v, v }

var brokenExamples = []brokenExample{
	{name: "houses", example: "houses", counted: dearer, methods: []string{"risk", "plain"}, violations: fallsWith("area"), exact: 1e-5},
	{
		name: "houses, edges", example: "houses", counted: "s", methods: []string{"risk", "plain", "embed"}, violations: cheaperNeighbours, exact: 1e-9,
		statement: `max over (a, b) in graph("edges.csv") where area(a) < area(b) of pos(f(a) - f(b))`,
	},
	{
		name: "logic", example: "logic", counted: "logic", methods: []string{"embed", "risk", "plain"}, exact: 1e-9,
		violations: func(h *held, _, rows [][]string) (least, most []float64) {
			for _, s := range rowsOf(h.scores(rows)) { // animal, cat, dog
				least = append(least, max(s[1]-s[0], s[2]-s[0], s[1]+s[2]))
			}
			return same(least)
		},
	},
	{
		name: "logic, paths", example: "logic", counted: "s", methods: []string{"risk", "plain"}, violations: impliedBetween, exact: 1e-9,
		statement: "max over pairs(count = 4n, choose = nearest, neighbours = 1) of max over λ in [0, 1] of implies(cat, animal)",
	},
	{
		name: "shifts", example: "shifts", counted: "s", methods: []string{"risk", "plain"}, violations: fallsWith("hour"), exact: 1e-5,
		statement: "rms over x of pos(-d/d(hour) f)",
	},
	{
		name: "shifts, paths", example: "shifts", counted: "s", methods: []string{"risk", "plain"}, exact: 1e-5,
		violations: between([]string{"load"}, fallsWith("hour")),
		statement:  "rms over pairs(count = 4n, choose = nearest, neighbours = 1) of max over λ in [0, 1] of pos(-d/d(hour) f)",
	},
	{
		name: "two-digits, moved", example: "two-digits", counted: "s", methods: []string{"risk", "plain"}, violations: higherMoved, exact: 1e-9,
		statement: "rms over x of max over t in {shift(dx = 2)} of pos(f(t(x)) - f(x))",
	},
	{
		name: "mixup, labels", example: "mixup", counted: "s", methods: []string{"plain"}, exact: 1e-9,
		statement: `rms over x of pos(f("3") - f("8"))`, args: []string{"--set", "training=300"},
		violations: func(h *held, _, rows [][]string) (least, most []float64) {
			for _, s := range rowsOf(h.scores(rows)) {
				least = append(least, s[3]-s[8])
			}
			return same(least)
		},
	},
	{name: "topics", example: "topics", counted: "logic", methods: []string{"risk", "plain"}, violations: againstTaxonomy, exact: 1e-9},
}

func rowsOf(m *mat.Dense) [][]float64 {
	n, _ := m.Dims()
	out := make([][]float64, n)
	for i := range out {
		out[i] = m.RawRowView(i)
	}
	return out
}

// fallsWith returns minus the slopes along a column, per standard deviation of it over the training rows.
func fallsWith(column string) func(h *held, train, rows [][]string) (least, most []float64) {
	return func(h *held, train, rows [][]string) (least, most []float64) {
		const step = 1e-3
		deviation := math.Sqrt(stat.PopVariance(h.numbers(train, column), nil))
		moved := func(by float64) []float64 {
			var out [][]string
			for _, row := range rows {
				row = slices.Clone(row)
				row[h.at(column)] = strconv.FormatFloat(h.number(row, h.at(column))+by*deviation, 'g', -1, 64)
				out = append(out, row)
			}
			return mat.Col(nil, 0, h.scores(out))
		}
		up, down := moved(step), moved(-step)
		for i := range up {
			least = append(least, (down[i]-up[i])/(2*step))
		}
		return same(least)
	}
}

// higherMoved are by how much the score of an image rises where it moves by two pixels to the right.
func higherMoved(h *held, _, rows [][]string) (least, most []float64) {
	const side, by = 28, 2
	var moved [][]string
	for _, row := range rows {
		out := slices.Clone(row)
		first := h.at("p0")
		for k := range side * side {
			out[first+k] = "0"
			if k%side >= by {
				out[first+k] = row[first+k-by]
			}
		}
		moved = append(moved, out)
	}
	here := h.scores(rows)
	for i, s := range rowsOf(h.scores(moved)) {
		least = append(least, s[0]-here.At(i, 0))
	}
	return same(least)
}

// cheaperNeighbours are by how much the smaller of two neighbours is dearer, of each row the most that it has part in.
func cheaperNeighbours(h *held, _, rows [][]string) (least, most []float64) {
	scores, areas := h.scores(rows), h.numbers(rows, "area")
	place := map[string]int{}
	for i, row := range rows {
		place[row[h.at("id")]] = i
	}
	least = slices.Repeat([]float64{math.Inf(-1)}, len(rows))
	for _, edge := range readRows(h.t, filepath.Join(h.dir, "edges.csv"))[1:] {
		a, here := place[edge[0]]
		b, there := place[edge[1]]
		if !here || !there || areas[a] >= areas[b] {
			continue
		}
		v := scores.At(a, 0) - scores.At(b, 0)
		least[a], least[b] = max(least[a], v), max(least[b], v)
	}
	return same(least)
}

// impliedBetween are by how much cat stands above animal on the path between a row and the nearest other.
var impliedBetween = between([]string{"animal", "cat", "dog"}, func(h *held, _, rows [][]string) (least, most []float64) {
	for _, s := range rowsOf(h.scores(rows)) {
		least = append(least, s[1]-s[0])
	}
	return same(least)
})

// between returns violations on the paths between each row and the nearest other, by all columns but some, at eleven nodes at least and
// forty-one at most.
func between(but []string, violations func(h *held, train, rows [][]string) (least, most []float64)) func(h *held, train, rows [][]string) (least, most []float64) {
	return func(h *held, train, rows [][]string) (least, most []float64) {
		var features []int
		for j, name := range h.header {
			if !slices.Contains(but, name) {
				features = append(features, j)
			}
		}
		points := make([][]float64, len(rows))
		for i, row := range rows {
			for _, j := range features {
				points[i] = append(points[i], h.number(row, j))
			}
		}
		const finest = 40
		var paths [][]string
		other := make([]int, len(rows))
		for i, row := range rows {
			other[i] = nearestTo(points, i)
			for k := range finest + 1 {
				paths = append(paths, h.mixed(row, rows[other[i]], (1-math.Cos(math.Pi*float64(k)/finest))/2, features))
			}
		}
		least, most = make([]float64, len(rows)), make([]float64, len(rows))
		low, high := violations(h, train, paths)
		for at := range paths {
			i := at / (finest + 1)
			n := other[i]
			most[i], most[n] = max(most[i], high[at]), max(most[n], high[at])
			if at%(finest+1)%(finest/10) == 0 {
				least[i], least[n] = max(least[i], low[at]), max(least[n], low[at])
			}
		}
		return least, most
	}
}

// nearestTo is the nearest other point, the first of those equally near.
func nearestTo(points [][]float64, i int) int {
	nearest, least := -1, math.Inf(1)
	for j, p := range points {
		d := 0.0
		for c, v := range p {
			d += (v - points[i][c]) * (v - points[i][c])
		}
		if j != i && d < least {
			nearest, least = j, d
		}
	}
	return nearest
}

// againstTaxonomy are by how much a child stands above its parent, or two siblings are both positive.
func againstTaxonomy(h *held, _, rows [][]string) (least, most []float64) {
	relations := readRows(h.t, filepath.Join(h.dir, "topics.csv"))[1:]
	for _, s := range rowsOf(h.scores(rows)) {
		worst := 0.0
		for i, r := range relations {
			worst = max(worst, s[h.at(r[0])]-s[h.at(r[1])]) // labels are the first columns
			for _, other := range relations[:i] {
				if other[1] == r[1] {
					worst = max(worst, s[h.at(r[0])]+s[h.at(other[0])])
				}
			}
		}
		least = append(least, worst)
	}
	return same(least)
}

// readRows are those of a CSV file, with its header.
func readRows(t *testing.T, path string) [][]string {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var text io.Reader = f
	if filepath.Ext(path) == ".gz" {
		if text, err = gzip.NewReader(f); err != nil {
			t.Fatal(err)
		}
	}
	rows, err := csv.NewReader(text).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	return rows
}

// What the report counts of the examples' one-sided statements, and of others about their data, over edges and over paths, is what
// differences of the scores show that predict returns. Under method plain a measure asks for the count. Violations nearer to the bound than a difference is exact may be counted either way.
func TestExamplesBrokenRowsAreThoseOfPredictions(t *testing.T) {
	for _, c := range brokenExamples {
		for _, method := range c.methods {
			t.Run(c.name+" "+method, func(t *testing.T) {
				e := committed[slices.IndexFunc(committed, func(e example) bool { return e.name == c.example })]
				dir := e.folder(t)
				if c.statement != "" {
					restate(t, filepath.Join(dir, e.spec), c.statement)
				}
				counted := c.counted
				if method == "plain" {
					measure(t, filepath.Join(dir, e.spec), "told", counted)
					counted = "told"
				}
				out := succeed(t, dir, nil, append([]string{"run", e.spec, e.data, "--json", "--method", method, "--out", "out"}, c.args...)...)
				h := &held{t: t, dir: dir}
				rows := readRows(t, filepath.Join(dir, e.data))
				h.header = rows[0]
				var err error
				if h.model, err = sipc.LoadModel(t.Context(), filepath.Join(dir, "out", "model.sipc")); err != nil {
					t.Fatal(err)
				}
				train, test := parted(t, dir, h, rows[1:])
				size := deviationOf(h.scores(train))
				counts := countsOf(t, out.stdout, counted)
				c.compare(t, "training", counts[0], h, train, train, size)
				c.compare(t, "test", counts[1], h, train, test, size)
			})
		}
	}
}

// restate puts another statement in place of a spec's R.
func restate(t *testing.T, path, statement string) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	text = regularizes.ReplaceAllLiteral(text, []byte("invariance s = "+statement+"\nregularize 0.1 * s"))
	if err := os.WriteFile(path, text, 0o600); err != nil {
		t.Fatal(err)
	}
}

// measure adds a measure to a spec: what an invariance comes to.
func measure(t *testing.T, path, name, invariance string) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, append(text, "\nmeasure "+name+" = "+invariance+"\n"...), 0o600); err != nil {
		t.Fatal(err)
	}
}

// parted are the training and the test rows of a run, which together are all of its file.
func parted(t *testing.T, dir string, h *held, rows [][]string) (train, test [][]string) {
	t.Helper()
	predictions := readRows(t, filepath.Join(dir, "out", "predictions.csv"))
	tested := map[string]bool{}
	for _, p := range predictions[1:] {
		tested[p[0]] = true
	}
	for i, row := range rows {
		id := strconv.Itoa(i + 1)
		if k := h.at("id"); k >= 0 {
			id = row[k]
		}
		if tested[id] {
			test = append(test, row)
		} else {
			train = append(train, row)
		}
	}
	if len(test) != len(predictions)-1 {
		t.Fatalf("%d of %d test rows are found", len(test), len(predictions)-1)
	}
	return train, test
}

// deviationOf is the standard deviation of scores, the root mean square of those of labels.
func deviationOf(scores *mat.Dense) float64 {
	_, m := scores.Dims()
	sum := 0.0
	for y := range m {
		sum += stat.PopVariance(mat.Col(nil, y, scores), nil)
	}
	return math.Sqrt(sum / float64(m))
}

// A count is how many of some rows are broken.
type count struct{ Broken, Rows int }

// countsOf are those that a report has of an invariance or a measure, of training and test rows.
func countsOf(t *testing.T, report []byte, invariance string) [2]count {
	t.Helper()
	type summand struct {
		Name   string
		Broken *struct{ Train, Test *count }
	}
	var r struct{ Regularizer, Measures []summand }
	if err := json.Unmarshal(report, &r); err != nil {
		t.Fatal(err)
	}
	for _, inv := range slices.Concat(r.Regularizer, r.Measures) {
		if inv.Name == invariance && inv.Broken != nil && inv.Broken.Test != nil {
			return [2]count{*inv.Broken.Train, *inv.Broken.Test}
		}
	}
	t.Fatalf("the report counts no rows of %s:\n%s", invariance, strings.TrimSpace(string(report)))
	return [2]count{}
}

// compare holds a count to the violations that predictions show.
func (c *brokenExample) compare(t *testing.T, which string, got count, h *held, train, rows [][]string, size float64) {
	t.Helper()
	low, high := c.violations(h, train, rows)
	least, most, judged := 0, 0, 0
	for i := range rows {
		if !math.IsInf(high[i], -1) {
			judged++
		}
		if low[i]/size > model.Tolerated+c.exact {
			least++
		}
		if high[i]/size > model.Tolerated-c.exact {
			most++
		}
	}
	if which == "test" && most == 0 {
		t.Error("no test row breaks the statement: nothing is compared")
	}
	if got.Broken < least || got.Broken > most || got.Rows != judged {
		t.Errorf("%d of %d %s rows are broken, predictions break %d to %d of %d", got.Broken, got.Rows, which, least, most, judged)
	}
}
