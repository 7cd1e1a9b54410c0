package frame_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	sipc "github.com/sipc-ml/sipc"
	"github.com/sipc-ml/sipc/runtime/model"
)

// A made table has numbers, whole numbers, flags and words, and two targets.
type made struct {
	a, n, flag []float64
	word       []string
	class      []string
	real       []float64
}

// makeRows makes rows that differ from seed to seed.
func makeRows(count, seed int) *made {
	m := &made{}
	for i := range count {
		k := i*7 + seed
		a := math.Sin(float64(k)) * 3
		m.a, m.n, m.flag = append(m.a, a), append(m.n, float64(k%9)), append(m.flag, float64(k%2))
		m.word = append(m.word, []string{"north", "süd", "far, east"}[k%3])
		m.class = append(m.class, map[bool]string{true: "yes", false: "no"}[a+float64(k%9)/9 > 0.3])
		m.real = append(m.real, a*a+float64(k%9))
	}
	return m
}

// csv writes the rows to a file.
func (m *made) csv(t *testing.T) string {
	t.Helper()
	var b strings.Builder
	b.WriteString("a,n,flag,word,class\n")
	for i := range m.a {
		fmt.Fprintf(&b, "%v,%v,%v,%q,%s\n", m.a[i], m.n[i], m.flag[i], m.word[i], m.class[i])
	}
	path := filepath.Join(t.TempDir(), "rows.csv")
	if err := os.WriteFile(path, []byte(b.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// frame returns the rows as arguments of a message whose buffers begin at a place.
func (m *made) frame(name string, at int) (rows object, buffers [][]byte) {
	var whole []int64
	var flags []byte
	for i := range m.n {
		whole, flags = append(whole, int64(m.n[i])), append(flags, byte(m.flag[i]))
	}
	words, wordsData := texts(m.word...)
	classes, classesData := texts(m.class...)
	one := func(kind, name string, buffer int) object {
		return object{"names": []string{name}, "kind": kind, "buffer": at + buffer, "offsets": at + buffer + 1}
	}
	n := len(m.a)
	return object{
		"table":  object{"name": name, "rows": n, "blocks": []object{one("number", "a", 0), one("integer", "n", 1), one("boolean", "flag", 2), one("text", "word", 3)}},
		"target": object{"name": "y", "rows": n, "blocks": []object{one("text", "any name", 5)}},
	}, [][]byte{doubles(m.a...), integers(whole...), flags, wordsData, words, classesData, classes}
}

const classSpec = `data { target class : binary(no, yes); standardize }
kernel additive(gaussian)
features nystrom(landmarks = all)
invariance up = increasing(a)
regularize up
learn logistic(C = 10)
`

// modelOf returns the bytes of a model but for the digest of the data, which a file and a frame of the same values do not share.
func modelOf(t *testing.T, m *model.Model) []byte {
	t.Helper()
	m.About.DataSHA256 = strings.Repeat("0", 64)
	var b bytes.Buffer
	if err := m.Write(&b); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// A frame and a file of the same values make the same model and the same figures, with test rows and without.
func TestFramesFitAsFilesDo(t *testing.T) {
	rows, tests := makeRows(60, 1), makeRows(40, 1000)
	data, test := rows.csv(t), tests.csv(t)
	for name, tested := range map[string]bool{"with test rows": true, "without": false} {
		spec := sipc.NewSpec(t.Context(), "spec.inv", []byte(classSpec), sipc.SpecOptions{})
		o := sipc.RunOptions{Data: data, Whole: true, Keep: true, Gap: 1e-8}
		args, buffers := rows.frame("X", 0)
		if args = with(args, "spec", classSpec, "gap", 1e-8); tested {
			further, more := tests.frame("T", len(buffers))
			o.Test, args, buffers = test, with(args, "test", further), append(buffers, more...)
		}
		want, err := sipc.Perform(t.Context(), spec, o)
		if err != nil {
			t.Fatal(err)
		}
		a := newClient(t).must("fit", args, buffers...)
		got, err := model.Read("model", a.buffers[0])
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(modelOf(t, got), modelOf(t, want.Model)) {
			t.Errorf("%s: the models differ", name)
		}
		var result struct {
			Report struct{ Metrics map[string]any }
		}
		if err := json.Unmarshal(a.Result, &result); err != nil {
			t.Fatal(err)
		}
		accuracy, told := result.Report.Metrics["accuracy"]
		if reported, _ := want.Report.Metrics.Figures.Get("accuracy"); told != tested || tested && accuracy != reported {
			t.Errorf("%s: the accuracy is %v", name, accuracy)
		}
	}
}

// A model answers alike where it was fitted, from its bytes in another process, and from a file.
func TestModelsTravel(t *testing.T) {
	rows := makeRows(60, 1)
	args, buffers := rows.frame("X", 0)
	c := newClient(t)
	fitted := c.must("fit", with(args, "spec", classSpec), buffers...)
	var about struct {
		Model, Spec, Task string
		Labels, Features  []string
	}
	if err := json.Unmarshal(fitted.Result, &about); err != nil {
		t.Fatal(err)
	}
	if about.Task != "binary" || strings.Join(about.Labels, " ") != "no yes" || strings.Join(about.Features, " ") != "a n flag word" || about.Spec != classSpec {
		t.Errorf("%+v", about)
	}
	path := filepath.Join(t.TempDir(), "model.sipc")
	if err := os.WriteFile(path, fitted.buffers[0], 0o600); err != nil {
		t.Fatal(err)
	}
	m, err := sipc.LoadModel(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	want, err := sipc.Predict(t.Context(), m, rows.csv(t), sipc.ApplyOptions{})
	if err != nil {
		t.Fatal(err)
	}
	other := newClient(t)
	other.must("load", object{}, fitted.buffers[0])
	for name, c := range map[string]*client{"where it was fitted": c, "elsewhere": other} {
		a := c.must("predict", object{"model": about.Model, "table": args["table"]}, buffers...)
		scores, decided, probabilities := a.numbers(t, "scores"), a.numbers(t, "decided"), a.numbers(t, "probabilities")
		for i := range rows.a {
			if scores[i] != want.Predictions.Scores.At(i, 0) || int(decided[i]) != want.Predictions.Decided.Class[i] || probabilities[2*i+1] != want.Predictions.Probabilities.At(i, 1) {
				t.Errorf("%s: row %d: %g, %g", name, i, scores[i], decided[i])
			}
		}
		c.must("release", object{"model": about.Model})
		if a, _ := c.ask("predict", object{"model": about.Model, "table": args["table"]}, buffers...); a.Error == nil || a.Error.Kind != "model" {
			t.Errorf("%s: a released model predicts", name)
		}
	}
}

// Curves are the parts of an additive f: with the constant, which curves of a sum leave out, they differ from scores by the same number everywhere.
func TestCurvesAreTheFunction(t *testing.T) {
	rows := makeRows(40, 3)
	for i := range rows.n {
		rows.n[i], rows.flag[i], rows.word[i] = 1, 1, "north"
	}
	args, buffers := rows.frame("X", 0)
	c := newClient(t)
	fitted := c.must("fit", with(args, "spec", classSpec), buffers...)
	var about struct{ Model string }
	var told struct{ Curves []sipc.Curve }
	if err := json.Unmarshal(fitted.Result, &about); err != nil {
		t.Fatal(err)
	}
	a := c.must("curves", object{"model": about.Model, "points": 30})
	if err := json.Unmarshal(a.Result, &told); err != nil {
		t.Fatal(err)
	}
	if len(told.Curves) != 4 || told.Curves[0].Column != "a" || told.Curves[0].Partial || told.Curves[3].Levels[0] != "north" {
		t.Fatalf("%+v", told.Curves)
	}
	at, values := a.numbers(t, "at"), a.numbers(t, "values")
	if len(at) != 31 || len(values) < 31 {
		t.Fatalf("%d points, %d values", len(at), len(values))
	}
	n := len(at)
	further := &made{a: at, n: make([]float64, n), flag: make([]float64, n), word: make([]string, n), class: make([]string, n)}
	for i := range at {
		further.n[i], further.flag[i], further.word[i] = 1, 1, "north"
	}
	more, moreBuffers := further.frame("X", 0)
	scores := c.must("predict", object{"model": about.Model, "table": more["table"]}, moreBuffers...).numbers(t, "scores")
	for i := range at {
		if off := scores[i] - values[i] - (scores[0] - values[0]); math.Abs(off) > 1e-9 {
			t.Errorf("at %g the curve is off by %g", at[i], off)
		}
	}
}

// What is required is proved in the answer and again on request; a further statement is refuted at a point.
func TestStatementsAreDecided(t *testing.T) {
	rows := makeRows(40, 5)
	args, buffers := rows.frame("X", 0)
	c := newClient(t)
	spec := strings.Replace(classSpec, "invariance up = increasing(a)\nregularize up", "require up = d/d(a) f >= 0 over x in box", 1)
	fitted := c.must("fit", with(args, "spec", spec, "baseline", false), buffers...)
	var about struct {
		Model    string
		Unproved string
		Required int
	}
	if err := json.Unmarshal(fitted.Result, &about); err != nil {
		t.Fatal(err)
	}
	if about.Unproved != "" || about.Required != 1 {
		t.Errorf("%+v", about)
	}
	var verdicts struct {
		Statements []struct{ Name, Answer string }
		Text       string
	}
	for _, statements := range [][]string{nil, {"up = d/d(a) f >= 0 over x in box", "down = d/d(a) f <= 0 over x in box"}} {
		a := c.must("prove", object{"model": about.Model, "statements": statements})
		if err := json.Unmarshal(a.Result, &verdicts); err != nil {
			t.Fatal(err)
		}
		for i, want := range []string{"proved", "refuted"}[:len(verdicts.Statements)] {
			if verdicts.Statements[i].Answer != want {
				t.Errorf("%+v", verdicts)
			}
		}
	}
	on := object{"model": about.Model, "table": args["table"]}
	if proved := c.must("predict", with(on, "proved", true), buffers...).numbers(t, "proved"); len(proved) != 40 || proved[0] != 1 {
		t.Errorf("%v", proved)
	}
	if a, before := c.ask("predict", on, buffers...); len(a.Arrays) != 3 || len(before) > 0 {
		t.Errorf("%d arrays and %d messages of what nobody asked for", len(a.Arrays), len(before))
	}
}

// A spec without a target or weights is completed by what is sent, and one that has them is left as it is.
func TestSpecsAreCompleted(t *testing.T) {
	rows := makeRows(30, 5)
	c := newClient(t)
	args, buffers := rows.frame("X", 0)
	weights := object{"name": "w", "rows": 30, "blocks": []object{{"names": []string{"w t"}, "kind": "number", "buffer": len(buffers)}}}
	buffers = append(buffers, doubles(bytesTo(30)...))
	const rest = "kernel gaussian\nfeatures nystrom\nlearn logistic\n"
	for spec, want := range map[string]string{
		rest:                            "data { target \"any name\" : binary(no, yes); weight \"w t\" }\n" + rest,
		"data { standardize }\n" + rest: "data { target \"any name\" : binary(no, yes); weight \"w t\"; standardize }\n" + rest,
		"data {\n    standardize # so\n}\n" + rest:     "data {\n    target \"any name\" : binary(no, yes)\n    weight \"w t\"\n    standardize # so\n}\n" + rest,
		"data { # so\n    standardize\n}\n" + rest:     "data {\n    target \"any name\" : binary(no, yes)\n    weight \"w t\"\n     # so\n    standardize\n}\n" + rest,
		"data { }\n" + rest:                            "data { target \"any name\" : binary(no, yes); weight \"w t\" }\n" + rest,
		"data { target z : class; weight v }\n" + rest: "data { target z : class; weight v }\n" + rest,
	} {
		var about struct{ Spec string }
		a := c.must("fit", with(args, "spec", spec, "aim", "classes", "classes", []string{"no", "yes"}, "weight", weights), buffers...)
		if err := json.Unmarshal(a.Result, &about); err != nil {
			t.Fatal(err)
		}
		if about.Spec != want {
			t.Errorf("%q is completed to %q, want %q", spec, about.Spec, want)
		}
	}
}

// bytesTo returns 1 … n.
func bytesTo(n int) (out []float64) {
	for i := range n {
		out = append(out, float64(i+1))
	}
	return out
}

// Labels, embeddings and features have the shapes that they should have.
func TestLabelsAndEmbeddings(t *testing.T) {
	rows := makeRows(30, 5)
	args, buffers := rows.frame("X", 0)
	two := append(append([]byte{}, buffers[2]...), bytes.Repeat([]byte{0, 1, 1}, 10)...)
	args = with(args,
		"spec", "kernel gaussian\nfeatures nystrom(landmarks = all)\ninvariance i = rms over x of implies(cat, animal)\nregularize i\nlearn logistic\nmethod embed\n",
		"aim", "labels", "target", object{"name": "y", "rows": 30, "blocks": []object{{"names": []string{"cat", "animal"}, "kind": "boolean", "buffer": len(buffers)}}})
	buffers = append(buffers, two)
	c := newClient(t)
	var about struct {
		Model  string
		Labels []string
		Dim    int
		PerRow int `json:"per_row"`
	}
	if err := json.Unmarshal(c.must("fit", args, buffers...).Result, &about); err != nil {
		t.Fatal(err)
	}
	if strings.Join(about.Labels, " ") != "cat animal" {
		t.Errorf("%+v", about)
	}
	on := object{"model": about.Model, "table": args["table"]}
	if decided := c.must("predict", on, buffers...).numbers(t, "decided"); len(decided) != 60 {
		t.Errorf("%d decisions", len(decided))
	}
	embeddings := c.must("embed", on, buffers...).numbers(t, "embeddings")
	features := c.must("embed", with(on, "features", true), buffers...).numbers(t, "embeddings")
	if len(embeddings) != 30*about.PerRow*about.Dim || len(embeddings) <= len(features) || len(features) == 0 {
		t.Errorf("%d numbers of embeddings, %d of features, %+v", len(embeddings), len(features), about)
	}
}

// slowSpec makes a fit that takes a while.
const slowSpec = "data { target class : binary(no, yes); standardize }\nkernel gaussian\nfeatures nystrom(landmarks = all)\n" +
	"invariance i = max over x of |d/d(a) f|\nregularize i\nlearn svm(C = grid(0.1, 1, 10, 100))\n"

// A cancellation ends a fit that is at work and one that waits, and the server lives on.
func TestCancellation(t *testing.T) {
	args, buffers := makeRows(1500, 3).frame("X", 0)
	args = with(args, "spec", slowSpec, "gap", 1e-10, "progress", true)
	c := newClient(t)
	c.send(message(1, "fit", args, buffers...))
	c.send(message(2, "fit", args, buffers...))
	stages := map[string]bool{}
	for len(stages) < 2 { // it is at work
		a := c.receive()
		if a.Kind != "progress" || a.ID != 1 {
			t.Fatalf("%s of %d: %+v", a.Kind, a.ID, a.Error)
		}
		stages[a.Progress.Stage] = true
	}
	c.send(message(3, "cancel", object{"id": 2}))
	c.send(message(4, "cancel", object{"id": 1}))
	for ended := 0; ended < 2; {
		a := c.receive()
		if a.Kind == "progress" {
			continue
		}
		if ended++; a.Kind != "error" || a.Error.Kind != "cancelled" || a.ID != int64(ended) {
			t.Fatalf("%s of %d: %+v", a.Kind, a.ID, a.Error)
		}
	}
	c.id = 10
	c.lives("cancellation")
}

// A second request of the same id is refused while the first is not answered, and so are too many that wait.
func TestTheQueueIsBounded(t *testing.T) {
	args, buffers := makeRows(1500, 3).frame("X", 0)
	c := newClient(t)
	c.send(message(1, "fit", with(args, "spec", slowSpec, "gap", 1e-10), buffers...))
	c.send(message(1, "version", object{}))
	if a := c.receive(); a.ID != 1 || a.Error == nil || !strings.Contains(a.Error.Message, "id of its own") {
		t.Errorf("%+v", a)
	}
	refused := 0
	go func() { // the refusals are read meanwhile
		for id := range int64(70) {
			c.send(message(100+id, "version", object{}))
		}
		c.send(message(2, "cancel", object{"id": 1}))
	}()
	for a := c.receive(); a.ID != 1; a = c.receive() {
		if a.Error == nil {
			t.Errorf("request %d is answered before the first", a.ID)
		} else if strings.Contains(a.Error.Message, "64 requests wait") {
			refused++
		}
	}
	if refused < 6 {
		t.Errorf("%d of 70 requests are refused, and 64 may wait", refused)
	}
}

// Warnings of the spec come with their place, others as text, both before the result.
func TestWarningsComeFirst(t *testing.T) {
	rows := makeRows(30, 5)
	args, buffers := rows.frame("X", 0)
	c := newClient(t)
	spec := "data { target class : binary(no, yes) }\nkernel laplacian\nfeatures nystrom\ninvariance i = rms over x of |d/d(a) f|\nregularize i\nlearn logistic\nexpect accuracy > 0.5\n"
	a, before := c.ask("fit", with(args, "spec", spec), buffers...)
	if a.Error != nil {
		t.Fatal(a.Error.Message)
	}
	var placed, plain bool
	for _, w := range before {
		if w.Warning != nil {
			placed = placed || w.Warning.Code == "W301" && strings.Contains(w.Warning.Rendered, "spec.inv:4:")
			plain = plain || strings.Contains(w.Warning.Text, "expects is not judged")
		}
	}
	if !placed || !plain {
		t.Errorf("%d messages, placed %v, plain %v", len(before), placed, plain)
	}
}

// A time limit ends a fit with what there is, or with a fault of its kind.
func TestTimeIsBounded(t *testing.T) {
	args, buffers := makeRows(1500, 3).frame("X", 0)
	a, _ := newClient(t).ask("fit", with(args, "spec", slowSpec, "gap", 1e-12, "seconds", 0.05), buffers...)
	var result struct{ Missed string }
	if a.Error == nil {
		if err := json.Unmarshal(a.Result, &result); err != nil {
			t.Fatal(err)
		}
	}
	if a.Error != nil && a.Error.Kind != "time" || a.Error == nil && !strings.Contains(result.Missed, "time limit") {
		t.Errorf("%+v, %s", a.Error, result.Missed)
	}
}

// check proves a spec without data.
func TestCheck(t *testing.T) {
	c := newClient(t)
	a := c.must("check", object{"spec": "kernel gaussian\nfeatures nystrom\ninvariance i = increasing(a)\nregularize i\nlearn ridge\n", "aim": "numbers", "target": []string{"price"}})
	var checked struct{ Spec, Task, Method, Explanation string }
	if err := json.Unmarshal(a.Result, &checked); err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(checked.Spec, "data { target price : real }\n") || checked.Method != "risk" || checked.Task != "real" || !strings.Contains(checked.Explanation, "sublinear") {
		t.Errorf("%+v", checked)
	}
	if a, _ := c.ask("check", object{"spec": "kernel gausian\nfeatures nystrom\nlearn ridge\n", "aim": "numbers"}); a.Error == nil || a.Error.Code != "E306" ||
		!strings.Contains(a.Error.Rendered, "^^^^^^^") || a.Error.Diagnostics[0].At.Line != 2 {
		t.Errorf("%+v", a.Error)
	}
}
