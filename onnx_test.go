package sipc_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"gonum.org/v1/gonum/mat"

	sipc "github.com/sipc-ml/sipc"
	"github.com/sipc-ml/sipc/runtime/model"
	"github.com/sipc-ml/sipc/runtime/onnx/onnxtest"
	"github.com/sipc-ml/sipc/runtime/portable"
	"github.com/sipc-ml/sipc/runtime/setting"
)

// runtimeFolder returns the folder in which npm installed onnxruntime-node. It skips the test where there is none.
func runtimeFolder(t *testing.T) string {
	t.Helper()
	if _, err := exec.LookPath("node"); err != nil {
		t.Skip("node is missing: ONNX files are run in a real runtime where it is installed")
	}
	folder := os.Getenv("SIPC_ONNXRUNTIME")
	if cache, err := os.UserCacheDir(); folder == "" && err == nil {
		folder = filepath.Join(cache, "sipc", "onnxruntime")
	}
	if _, err := os.Stat(filepath.Join(folder, "node_modules", "onnxruntime-node")); err != nil {
		t.Skip("onnxruntime-node is missing: .ci/run installs it, or name its folder in SIPC_ONNXRUNTIME")
	}
	return folder
}

// A tensor is one of the runtime's, as the script writes it.
type tensor struct {
	Type string `json:"type"`
	Dims []int  `json:"dims"`
	Data []any  `json:"data"`
}

// numbers returns the elements of a tensor, NaN among them.
func (x *tensor) numbers(t *testing.T) []float64 {
	t.Helper()
	out := make([]float64, len(x.Data))
	for i, v := range x.Data {
		switch v := v.(type) {
		case float64:
			out[i] = v
		case string, json.Number:
			f, err := strconv.ParseFloat(fmt.Sprint(v), 64)
			if err != nil {
				t.Fatal(err)
			}
			out[i] = f
		}
	}
	return out
}

// exported returns the ONNX file of a model, which is well formed.
func exported(t *testing.T, m *model.Model, o portable.Options) ([]byte, *onnxtest.Model) {
	t.Helper()
	file, err := sipc.ExportONNX(t.Context(), m, o)
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := file.Write(&b); err != nil {
		t.Fatal(err)
	}
	read, err := onnxtest.Read(b.Bytes())
	if err == nil {
		err = read.Graph.Check()
	}
	if err != nil {
		t.Fatal(err)
	}
	return b.Bytes(), read
}

// feedsOf returns the inputs of a graph for rows of a table. The columns of the table are those of the model's features, some of them. Dates are
// numbers: the year, and the share of it that has passed.
func feedsOf(t *testing.T, m *model.Model, o portable.Options, header []string, cells [][]string) map[string]tensor {
	t.Helper()
	p := m.About.Preparation
	feeds := map[string]tensor{}
	matrix := tensor{Type: "float64", Dims: []int{len(cells), len(p.Features)}}
	all := true
	for i := range p.Features {
		f := &p.Features[i]
		at := slices.Index(header, f.Name)
		date := slices.ContainsFunc(p.Types, func(c setting.ColumnType) bool { return c.Column == f.Name && c.Date })
		x := tensor{Type: "float64", Dims: []int{len(cells), 1}}
		if f.Text {
			x.Type, all = "string", false
		}
		for _, row := range cells {
			switch {
			case f.Text:
				x.Data = append(x.Data, row[at])
			case row[at] == "":
				x.Data = append(x.Data, "NaN")
			case date:
				x.Data = append(x.Data, json.Number(shownWhole(yearOf(t, row[at]))))
			default:
				x.Data = append(x.Data, json.Number(row[at]))
			}
		}
		feeds[f.Name] = x
	}
	if !all || o.Inputs == portable.Columns {
		return feeds
	}
	for r := range cells {
		for i := range p.Features {
			matrix.Data = append(matrix.Data, feeds[p.Features[i].Name].Data[r])
		}
	}
	return map[string]tensor{"x": matrix}
}

// yearOf returns a day as a year with the share of it that has passed.
func yearOf(t *testing.T, day string) float64 {
	t.Helper()
	at, err := time.Parse(time.DateOnly, day)
	if err != nil {
		t.Fatal(err)
	}
	days := time.Date(at.Year(), time.December, 31, 0, 0, 0, 0, time.UTC).YearDay()
	return float64(at.Year()) + float64(at.YearDay()-1)/float64(days)
}

// An engine runs the ONNX file of a model on rows of a table.
type engine func(t *testing.T, m *model.Model, o portable.Options, header []string, cells [][]string) map[string]tensor

// runONNX is the engine that npm installs.
func runONNX(t *testing.T, m *model.Model, o portable.Options, header []string, cells [][]string) map[string]tensor {
	t.Helper()
	folder, dir := runtimeFolder(t), t.TempDir()
	file, _ := exported(t, m, o)
	write(t, filepath.Join(dir, "model.onnx"), string(file))
	text, err := json.Marshal(feedsOf(t, m, o, header, cells))
	if err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(dir, "in.json"), string(text))
	cmd := exec.CommandContext(t.Context(), "node", "runtime/portable/testdata/run.js", folder, filepath.Join(dir, "model.onnx"), filepath.Join(dir, "in.json"), filepath.Join(dir, "out.json"))
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	if len(out) > 0 {
		t.Errorf("the runtime says: %s", out)
	}
	text, err = os.ReadFile(filepath.Join(dir, "out.json"))
	if err != nil {
		t.Fatal(err)
	}
	var told struct{ Outputs map[string]tensor }
	if err := json.Unmarshal(text, &told); err != nil {
		t.Fatal(err)
	}
	return told.Outputs
}

// runHere is the engine of package onnxtest, which is always there.
func runHere(t *testing.T, m *model.Model, o portable.Options, header []string, cells [][]string) map[string]tensor {
	t.Helper()
	_, file := exported(t, m, o)
	feeds := map[string]*onnxtest.Tensor{}
	for name, x := range feedsOf(t, m, o, header, cells) {
		own := &onnxtest.Tensor{Dims: x.Dims}
		if x.Type == "string" {
			words := make([]string, len(x.Data))
			for i, v := range x.Data {
				words[i] = fmt.Sprint(v)
			}
			own.Data = words
		} else {
			own.Data = x.numbers(t)
		}
		feeds[name] = own
	}
	made, err := file.Graph.Run(feeds)
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]tensor{}
	for name, x := range made {
		own := tensor{Dims: x.Dims}
		switch data := x.Data.(type) {
		case []float64:
			for _, v := range data {
				own.Data = append(own.Data, v)
			}
		case []int64:
			for _, v := range data {
				own.Data = append(own.Data, float64(v))
			}
		case []string:
			for _, v := range data {
				own.Data = append(own.Data, v)
			}
		}
		out[name] = own
	}
	return out
}

// An onnxCase is a spec of farms, and how its columns are taken.
type onnxCase struct {
	name, data, spec string
	inputs           portable.Inputs
}

// farms returns rows of numbers, one of them an hour, of texts, and of targets of every kind. With gaps, some cells are empty, −9 or NA. Strange rows
// have texts and numbers that others lack.
func farms(seed uint64, n int, gaps, strange bool) (header []string, cells [][]string) {
	rng := rand.New(rand.NewPCG(seed, 4))
	header = strings.Split("area,rain,hour,age,soil,yield,grade,good,wheat,grain,count,sown", ",")
	for i := range n {
		area, rain, hour, age, soil := 5*rng.Float64(), rng.NormFloat64(), 24*rng.Float64(), rng.IntN(6), "abcd"[rng.IntN(4)]
		if strange && i%7 == 0 {
			area, rain, soil = 4*area-7, 3*rain, "xyz"[rng.IntN(3)]
		}
		value := area + 0.6*rain*rain + math.Sin(hour*math.Pi/12) + 0.3*float64(age) + float64(soil-'a')/2 + 0.3*rng.NormFloat64()
		row := []string{shown(area), shown(rain), shown(hour), strconv.Itoa(age), string(soil), shown(value)}
		if gaps {
			switch i % 11 {
			case 2:
				row[0] = ""
			case 5:
				row[3] = "-9"
			case 7:
				row[3] = ""
			}
		}
		grade := []string{"low", "middle", "high"}[min(2, max(0, int(value/2.2)))]
		good := map[bool]string{true: "yes", false: "no"}[value > 4]
		sown := time.Date(1995+i%20, time.Month(1+i%12), 1+i%28, 0, 0, 0, 0, time.UTC).Format(time.DateOnly)
		cells = append(cells, append(row, grade, good, bit(value > 4.5), bit(value > 3), strconv.Itoa(max(0, int(value))), sown))
	}
	return header, cells
}

func shown(v float64) string { return strconv.FormatFloat(v, 'g', 8, 64) }

// shownWhole returns a number with all its digits.
func shownWhole(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }

func bit(v bool) string { return map[bool]string{true: "1", false: "0"}[v] }

// csvOf returns a table as a file holds it.
func csvOf(header []string, cells [][]string) string {
	var b strings.Builder
	fmt.Fprintln(&b, strings.Join(header, ","))
	for _, row := range cells {
		fmt.Fprintln(&b, strings.Join(row, ","))
	}
	return b.String()
}

// agrees compares what a runtime says of rows with what Predict says. Rows that Predict leaves out have neither scores nor labels. It returns the
// largest difference of scores and probabilities, in units of their largest.
func agrees(t *testing.T, p *sipc.Predictions, got map[string]tensor) float64 {
	t.Helper()
	scored := "scores"
	switch p.Task { //nolint:exhaustive // the others have scores
	case setting.Real:
		scored = "prediction"
	case setting.Quantiles:
		scored = "quantiles"
	}
	off := apartBy(t, p.ID, got[scored], p.Scores)
	if p.Task == setting.Counts {
		off = max(off, apartBy(t, p.ID, got["prediction"], mat.NewDense(len(p.ID), 1, p.Decided.Real)))
	}
	if _, has := got["probabilities"]; has != (p.Probabilities != nil) {
		t.Errorf("the graph gives probabilities: %v, and Predict: %v", has, p.Probabilities != nil)
	} else if has {
		off = max(off, apartBy(t, p.ID, got["probabilities"], p.Probabilities))
	}
	if label, has := got["label"]; has != (p.Task.Joint() && p.Task != setting.Quantiles || p.Task == setting.Binary) {
		t.Errorf("a %s target has labels: %v", p.Task, has)
	} else if has {
		sameLabels(t, p, label)
	}
	return off
}

// sameLabels compares decisions.
func sameLabels(t *testing.T, p *sipc.Predictions, got tensor) {
	t.Helper()
	wrong, kept := 0, map[int]bool{}
	_, m := p.Scores.Dims()
	for k, id := range p.ID {
		i := position(t, id)
		kept[i] = true
		if p.Task != setting.Multilabel {
			if got.Data[i] != p.Labels[p.Decided.Class[k]] {
				wrong++
			}
			continue
		}
		for y := range m {
			if got.Data[i*m+y] != p.Decided.Multi.At(k, y) {
				wrong++
			}
		}
	}
	for i := range got.Dims[0] {
		if label := got.Data[i*len(got.Data)/got.Dims[0]]; !kept[i] && label != "" && label != -1.0 {
			wrong++
		}
	}
	if wrong > 0 {
		t.Errorf("%d decisions differ", wrong)
	}
}

// position returns the position of a row by its number in a file, from 1.
func position(t *testing.T, id string) int {
	t.Helper()
	i, err := strconv.Atoi(id)
	if err != nil {
		t.Fatal(err)
	}
	return i - 1
}

// apartBy returns the largest difference of numbers of rows, in units of the largest, and infinity if other rows have numbers too.
func apartBy(t *testing.T, ids []string, of tensor, want *mat.Dense) float64 {
	t.Helper()
	got := of.numbers(t)
	n, m := want.Dims()
	if len(of.Dims) != 2 || of.Dims[1] != m || n == 0 {
		t.Fatalf("numbers are %v, want %d of each row", of.Dims, m)
	}
	most, off, told := 0.0, 0.0, 0
	for k, id := range ids {
		for y := range m {
			v := got[position(t, id)*m+y]
			most, off = max(most, math.Abs(want.At(k, y))), max(off, math.Abs(want.At(k, y)-v))
		}
	}
	for _, v := range got {
		if !math.IsNaN(v) {
			told++
		}
	}
	if told != n*m {
		return math.Inf(1)
	}
	return off / most
}

const (
	onnxNumbers = "columns area, rain, hour, age"
	onnxAll     = "columns area, rain, hour, age, soil"
	onnxSlopes  = "invariance rising = rms over x of |d/d(area) f|\nregularize 0.1 * rising\n"
	onnxNear    = "invariance near = rms over x of |f(wheat) - f(grain)|\nregularize 0.1 * near\n"
	onnxTree    = "invariance logic = rms over x of implies(wheat, grain)\nregularize 0.1 * logic\n"
)

// onnxCases have every kernel, feature map, learner and task, and every way to prepare rows.
var onnxCases = []onnxCase{
	{"gaussian, risk, real", "target yield : real; NUMBERS; standardize", "kernel gaussian(width = median)\nfeatures nystrom(landmarks = rows)\nmethod risk\nlearn ridge(lambda = 0.1)", ""},
	{"gaussian, texts and derivatives, warp, class", "target grade : class; ALL; missing mask; gaps -9; standardize", "kernel gaussian(width = 1.5)\nfeatures exact\n" +
		"invariance flat = rms over x, y in labels of |d/d(area) f(y)|\nregularize 0.3 * flat\nmethod warp\nlearn softmax", ""},
	{"laplacian, plain, binary", "target good : binary(no, yes); NUMBERS; missing mean; outside clip; normalize", "kernel laplacian(width = median)\nfeatures nystrom(landmarks = 80)\nmethod plain\nlearn logistic", ""},
	{"matern32, dual, binary", "target good : binary(no, yes); NUMBERS; standardize", "kernel matern32(width = 2)\nfeatures exact\n" + onnxSlopes + "method dual\nlearn logistic", portable.Columns},
	{"matern52, risk, second derivatives", "target yield : real; NUMBERS; standardize", "kernel matern52(width = 3)\nfeatures exact\ninvariance straight = rms over x where age > 2 of |d/d(rain) d/d(rain) f|\nregularize 0.2 * straight\nmethod risk\nlearn ridge", ""},
	{"linear, hashing, plain, counts", "target count : real; NUMBERS", "kernel linear\nfeatures hashing(bits = 3)\nmethod plain\nlearn poisson", ""},
	{"linear, warp, multilabel", "target wheat, grain : multilabel; ALL; standardize", "kernel linear\nfeatures nystrom(landmarks = all)\n" + onnxNear + "method warp\nlearn svm(probabilities = on)", ""},
	{"polynomial, risk, real", "target yield : real; NUMBERS; standardize", "kernel polynomial(degree = 3, offset = 1)\nfeatures exact\n" + onnxSlopes + "method risk\nlearn ridge", ""},
	{"fourier, plain, class by svm", "target grade : class; NUMBERS; standardize", "kernel gaussian(width = 2)\nfeatures fourier(count = 101)\nmethod plain\nlearn svm(probabilities = on, loss = squared)", ""},
	{
		"additive, texts and gaps, risk, quantiles", "target yield : real; ALL; missing mask; gaps -9; standardize",
		"kernel additive(gaussian(width = 1), hour = periodic(period = 24, width = 3), age = matern52(width = 2) + 0.5 * linear)\nfeatures nystrom(landmarks = rows)\nmethod risk\nlearn quantile(0.1, 0.5, 0.9)", "",
	},
	{
		"pairwise, derivatives, risk, multilabel softmax", "target wheat, grain : multilabel; ALL; missing mask; gaps -9; standardize",
		"kernel pairwise(gaussian(width = 1), hour = periodic(period = 24, width = 3), rain = matern52(width = 2))\nfeatures exact\ninvariance flat = rms over x, y in labels of |d/d(area) f(y)|\nregularize 0.3 * flat\nmethod risk\nlearn softmax", "",
	},
	{
		"pairwise, some pairs, second derivatives, real", "target yield : real; ALL; missing mean; outside clip",
		"kernel pairwise(gaussian(width = 1), hour = periodic(period = 24, width = 3), age = linear, only = {(area, rain), (hour, soil), (area, age)})\nfeatures exact\n" +
			"invariance straight = rms over x where age > 3 of |d/d(hour) d/d(area) f|\ninvariance even = rms over x where age < 1 of |d/d(age) f|\nregularize 0.2 * straight, even\nmethod risk\nlearn ridge", "",
	},
	{"embed of a quadratic R, multilabel", "target wheat, grain : multilabel; NUMBERS; standardize", "kernel gaussian(width = 2)\nfeatures nystrom(landmarks = 60)\n" + onnxNear + "method embed\nlearn logistic", ""},
	{"dates, risk, real", "target yield : real; columns area, sown, soil; types sown : date [1990, 2030]; standardize", "kernel gaussian(width = 2)\nfeatures nystrom(landmarks = 60)\nmethod risk\nlearn ridge", ""},
	{"dates, matrix, plain, binary", "target good : binary(no, yes); columns area, sown; types sown : date; standardize", "kernel additive(gaussian)\nfeatures nystrom(landmarks = 60)\nmethod plain\nlearn logistic", portable.Matrix},
	{"implications, risk, multilabel by svm", "target wheat, grain : multilabel; NUMBERS", "kernel gaussian(width = 2)\nfeatures nystrom(landmarks = 60)\n" + onnxTree + "method risk\nlearn svm(loss = squared, probabilities = on)", ""},
	{"implications, risk, multilabel by logistic", "target wheat, grain : multilabel; NUMBERS", "kernel gaussian(width = 2)\nfeatures nystrom(landmarks = 60)\n" + onnxTree + "method risk\nlearn logistic(C = 1)", ""},
	{"implications, plain, multilabel by logistic", "target wheat, grain : multilabel; NUMBERS", "kernel gaussian(width = 2)\nfeatures nystrom(landmarks = 60)\n" + onnxTree + "method plain\nlearn logistic(C = 1)", ""},
	{
		"implications beside statements, multilabel by svm", "target wheat, grain : multilabel; NUMBERS; standardize",
		"kernel additive(gaussian)\nfeatures nystrom(landmarks = 60)\n" + onnxTree + "require more = d/d(area) f(x, grain) >= 0 over x in box\nlearn svm(probabilities = on)", "",
	},
	{"closure, risk, multilabel by logistic", "target wheat, grain : multilabel; NUMBERS", "kernel gaussian(width = 2)\nfeatures nystrom(landmarks = 60)\n" + onnxTree + "method risk\nlearn logistic\ndecode closure", ""},
	{"closure, risk, multilabel by svm", "target wheat, grain : multilabel; NUMBERS; missing drop", "kernel gaussian(width = 2)\nfeatures nystrom(landmarks = 60)\n" + onnxTree + "method risk\nlearn svm(probabilities = on)\ndecode closure", ""},
}

// A model that is exported and run by another program decides every row as Predict does, and scores it the same to nine digits.
func TestONNXAgrees(t *testing.T) {
	runtimeFolder(t)
	onnxAgrees(t, runONNX, 10000)
}

// A graph does what Predict does, by the reference of its operators.
func TestONNXAgreesHere(t *testing.T) { onnxAgrees(t, runHere, 500) }

// onnxAgrees compares an engine with Predict, on some rows of each case.
func onnxAgrees(t *testing.T, run engine, rows int) {
	t.Helper()
	for _, c := range onnxCases {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			gaps := strings.Contains(c.data, "missing")
			write(t, filepath.Join(dir, "train.csv"), csvOf(farms(1, 130, gaps, false)))
			m := fitted(t, dir, "data { "+strings.NewReplacer("NUMBERS", onnxNumbers, "ALL", onnxAll).Replace(c.data)+" }\n"+c.spec+"\n", filepath.Join(dir, "train.csv"))
			header, cells := farms(2, rows, gaps, true)
			write(t, filepath.Join(dir, "rows.csv"), csvOf(header, cells))
			want, err := sipc.Predict(t.Context(), m, filepath.Join(dir, "rows.csv"), sipc.ApplyOptions{})
			if err != nil {
				t.Fatal(err)
			}
			off := agrees(t, want.Predictions, run(t, m, portable.Options{Inputs: c.inputs}, header, cells))
			t.Logf("%s: scores differ by %.2g of their largest", c.name, off)
			if !(off <= 1e-9) {
				t.Errorf("scores differ by %.2g of their largest", off)
			}
			keepsTree(t, want.Predictions, strings.Contains(c.spec, onnxTree))
		})
	}
}

// keepsTree checks that wheat, which implies grain where a spec says so, is never the more probable one.
func keepsTree(t *testing.T, p *sipc.Predictions, implied bool) {
	t.Helper()
	if !implied || p.Probabilities == nil {
		return
	}
	for i := range p.ID {
		if row := p.Probabilities.RawRowView(i); row[0] > row[1] {
			t.Fatalf("row %s: wheat has the probability %v and grain %v", p.ID[i], row[0], row[1])
		}
	}
}

// A graph cannot refuse a row. Where Predict ends with an error, the row has no score.
func TestONNXRefusesRows(t *testing.T) {
	for _, run := range []engine{runHere, runONNX} {
		t.Run("", func(t *testing.T) { refusesRows(t, run) })
	}
}

// refusesRows checks what an engine makes of rows that Predict refuses.
func refusesRows(t *testing.T, run engine) {
	t.Helper()
	header := []string{"area", "rain", "age", "soil", "sown", "good"}
	_, cells := farms(1, 60, false, false)
	for i, row := range cells {
		cells[i] = []string{row[0], row[1], row[3], row[4], row[11], row[7]}
	}
	const data = `data { target good : binary(no, yes); %s; types rain : real [-10, 10], age : integer [0, 9], soil : {"a", "b", "c", "d"}, sown : date [1990, 2030] }
kernel gaussian(width = 2)
features nystrom(landmarks = rows)
method risk
learn logistic
`
	for _, c := range []struct {
		items string
		row   []string // each of them is refused, and so is no other row
	}{
		{"missing mean; outside refuse", []string{"99", "0.5", "3", "a", "2001-03-04", "yes"}},
		{"missing mean", []string{"1.5", "11", "3", "a", "2001-03-04", "yes"}},
		{"missing mean", []string{"1.5", "0.5", "2.5", "a", "2001-03-04", "yes"}},
		{"missing mean", []string{"1.5", "0.5", "2", "e", "2001-03-04", "yes"}},
		{"missing mean", []string{"1e200", "0.5", "2", "d", "2001-03-04", "yes"}},
		{"outside warn", []string{"", "0.5", "2", "d", "2001-03-04", "yes"}},
		{"missing mean", []string{"1.5", "0.5", "2", "d", "1989-12-31", "yes"}},
	} {
		dir := t.TempDir()
		write(t, filepath.Join(dir, "train.csv"), csvOf(header, cells))
		m := fitted(t, dir, fmt.Sprintf(data, c.items), filepath.Join(dir, "train.csv"))
		write(t, filepath.Join(dir, "rows.csv"), csvOf(header, [][]string{c.row}))
		if _, err := sipc.Predict(t.Context(), m, filepath.Join(dir, "rows.csv"), sipc.ApplyOptions{}); err == nil {
			t.Errorf("Predict does not refuse %v under %s", c.row, c.items)
		}
		got := run(t, m, portable.Options{}, header, append(slices.Clone(cells), c.row))
		scores := got["scores"]
		for i, v := range scores.numbers(t) {
			if refused := i == len(cells); math.IsNaN(v) != refused || (got["label"].Data[i] == "") != refused {
				t.Errorf("%s: row %d, %v, has the score %v and the label %q", c.items, i+1, c.row, v, got["label"].Data[i])
			}
		}
	}
}

// A model that has no graph is refused with the reason, and equal models are equal files.
func TestONNXOfModels(t *testing.T) {
	dir := t.TempDir()
	header, cells := farms(3, 60, false, false)
	for i, row := range cells {
		cells[i] = append(row, "good soil "+row[4]+" of wheat")
	}
	write(t, filepath.Join(dir, "train.csv"), csvOf(append(header, "note"), cells))
	const plain = "kernel gaussian(width = 2)\nfeatures nystrom(landmarks = rows)\nmethod plain\nlearn logistic\n"
	for _, c := range []struct {
		spec, why string
		inputs    portable.Inputs
	}{
		{"data { target good : binary(no, yes); NUMBERS }\nkernel gaussian(width = 2)\nfeatures nystrom(landmarks = rows)\ninvariance even = rms over x of max {|f(move(area, 1)) - f|, |f(move(area, -1)) - f|}\n" +
			"regularize even\nmethod embed\nlearn svm\n", "by iterations", ""},
		{"data { target good : binary(no, yes); columns text(note) }\n" + plain, `column "note" is read as words`, ""},
		{"data { target good : binary(no, yes); ALL }\n" + plain, `column "soil" holds texts`, portable.Matrix},
	} {
		m := fitted(t, dir, strings.NewReplacer("NUMBERS", onnxNumbers, "ALL", onnxAll).Replace(c.spec), filepath.Join(dir, "train.csv"))
		_, err := sipc.ExportONNX(t.Context(), m, portable.Options{Inputs: c.inputs})
		if refused := (*portable.RefusedError)(nil); !errors.As(err, &refused) || !strings.Contains(err.Error(), c.why) {
			t.Errorf("%s is refused with %v, want %q", c.spec, err, c.why)
		}
	}
	var files []string
	for range 2 {
		m := fitted(t, dir, "data { target good : binary(no, yes); "+onnxAll+" }\n"+plain, filepath.Join(dir, "train.csv"))
		file, err := sipc.ExportONNX(t.Context(), m, portable.Options{})
		if err != nil {
			t.Fatal(err)
		}
		var b strings.Builder
		if err := file.Write(&b); err != nil {
			t.Fatal(err)
		}
		for _, want := range []string{m.SHA256, m.About.SpecSHA256, string(m.About.Spec)} {
			if !strings.Contains(b.String(), want) || want == "" {
				t.Errorf("the file does not hold %q", want)
			}
		}
		files = append(files, b.String())
	}
	if files[0] != files[1] {
		t.Error("equal models are different files")
	}
}
