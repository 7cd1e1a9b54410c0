package sipc_test

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	sipc "github.com/sipc-ml/sipc"
	"github.com/sipc-ml/sipc/runtime/model"
	"github.com/sipc-ml/sipc/runtime/report"
)

// homes returns rows with numbers, integers with gaps of two kinds, texts, and targets of several kinds.
func homes(seed uint64, n int) string {
	rng := rand.New(rand.NewPCG(seed, 1))
	var b strings.Builder
	b.WriteString("area,rooms,town,price,size,cat,animal\n")
	for i := range n {
		area, rooms, town := 5*rng.Float64(), rng.IntN(5), "abc"[rng.IntN(3)]
		price := area + 0.5*float64(rooms) + 0.3*rng.NormFloat64()
		shown := strconv.Itoa(rooms)
		switch i % 9 {
		case 2:
			shown = ""
		case 7:
			shown = "-9"
		}
		size := "small"
		switch {
		case price > 4:
			size = "large"
		case price > 2.5:
			size = "middle"
		}
		cat, animal := 0, 0
		if price > 4 {
			cat = 1
		}
		if price > 2 {
			animal = 1
		}
		fmt.Fprintf(&b, "%.4f,%s,%c,%.4f,%s,%d,%d\n", area, shown, town, price, size, cat, animal)
	}
	return b.String()
}

// A home is what statements are drawn about: a target, and relations with their regions. %[1]g is a number, and %[2]s the file of rows.
type home struct {
	target, learn string
	statements    []string
}

var ofHomes = []home{
	{"price : real", "ridge(lambda = 0.1)", []string{
		"d/d(area) f >= %[1]g over x in box",
		"f(x) >= %[1]g over x in box",
		"f(put(town, \"b\")(x)) >= f(put(town, \"a\")(x)) + %[1]g over x in box",
		"d/d(c) f >= %[1]g over x in box(area = [0, 3], others = rows), c in columns(area)",
		"|f(x)| <= 5 + %[1]g over x in rows where area >= 1",
		"f(x) >= %[1]g over x in rows(%[2]q)",
		"mean over x where town == \"a\" of f <= 3 + %[1]g",
		"d/d(area) d/d(c) f >= -1 + %[1]g over x in box(rooms = {1, 2}, town = {\"a\"}), c in columns(area)",
		"-2 + %[1]g <= f(x) <= 8 over x in box(area = [0, 9], others = rows)",
		"d/d(rooms) f >= %[1]g over x in box",
	}},
	{"size : class", "softmax(C = 10)", []string{
		"d/d(area) f(x, large) >= d/d(area) f(x, y) + %[1]g over x in box, y in labels where y != large",
		"f(x, small) <= 2 + %[1]g over x in box(town = {\"a\", \"c\"})",
	}},
	{"cat, animal : multilabel", "logistic(C = 10)", []string{
		"f(x, animal) >= f(x, cat) + %[1]g over x in box",
		"f(x) <= 3 + %[1]g over x in rows",
	}},
}

var kernelsOfHomes = []string{"pairwise(gaussian(width = 1))", "additive(matern52(width = 1))", "pairwise(gaussian(width = 1) + 0.1 * linear)"}

// homesSpec returns a spec of homes.
func homesSpec(h *home, kernel, items, require string) string {
	return fmt.Sprintf("data {\n target %s\n columns area, rooms, town\n missing mask\n gaps -9\n%s}\nkernel %s\nfeatures nystrom(landmarks = rows)\nlearn %s\nmethod risk\n%s", h.target, items, kernel, h.learn, require)
}

// A statement on the command line gives the verdict, the margin and the worst point that it has in the spec of the same model.
func TestStatementsAreThoseOfASpec(t *testing.T) {
	items := []string{"", " standardize\n", " types area : real [-0.5, 6], rooms : integer [0, 4]\n", " types rooms : {0, 1, 2, 3, 4}, town : {\"a\", \"b\", \"c\"}\n", " unlabelled more\n"}
	tried := 0
	for i := range ofHomes {
		for _, relation := range ofHomes[i].statements {
			for _, bound := range []float64{-0.5, 0.25} {
				dir := t.TempDir()
				data, more := filepath.Join(dir, "data.csv"), filepath.Join(dir, "more.csv")
				write(t, data, homes(uint64(tried), 30))
				write(t, more, "area,rooms,town\n9,8,c\n") // beyond the range of the training rows
				relation := fmt.Sprintf(relation, bound, data)
				item := strings.ReplaceAll(items[tried%len(items)], "more", strconv.Quote(more))
				if strings.Contains(relation, "rows") || strings.Contains(relation, "mean") {
					item = strings.TrimSuffix(item, fmt.Sprintf(" unlabelled %q\n", more)) // they would be among the rows
				}
				m := fitted(t, dir, homesSpec(&ofHomes[i], kernelsOfHomes[tried%len(kernelsOfHomes)], item, "require it = "+relation+"\n"), data)
				sameVerdicts(t, m, relation, data)
				tried++
			}
		}
	}
}

// sameVerdicts compares what is found of the one statement of a model with what is found of its text.
func sameVerdicts(t *testing.T, m *model.Model, relation, data string) {
	t.Helper()
	own, err := sipc.Prove(t.Context(), m, sipc.ProveOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{"it = " + relation, "require it =\n" + relation} {
		said, err := sipc.Prove(t.Context(), m, sipc.ProveOptions{Statements: []string{text}, Data: data})
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		if got, want := verdicts(said), verdicts(own); got != want {
			t.Errorf("%s: %.900s, in the spec %.900s", text, got, want)
		}
	}
}

// verdicts writes all that is found of statements but for the time and the aims of a fit.
func verdicts(p *sipc.Proving) string {
	var b strings.Builder
	for i := range p.Requirements {
		r := p.Requirements[i]
		margin := math.Inf(-1)
		if r.Margin != nil {
			margin = float64(*r.Margin)
		}
		fmt.Fprintln(&b, r.Name, r.Text, r.Held, r.Answer, margin, r.Cells, r.At, r.Low, r.High, r.Why, r.Left, r.Open)
	}
	return b.String()
}

// fitted returns the model of a spec on all rows of a file, as its own file holds it.
func fitted(t *testing.T, dir, spec, data string) *model.Model {
	t.Helper()
	done, err := sipc.Perform(t.Context(), load(t, spec), sipc.RunOptions{Data: data, Test: data, Unmeasured: true})
	if err != nil {
		t.Fatalf("%s: %v", spec, err)
	}
	path := filepath.Join(dir, "model.sipc")
	if err := done.Model.Save(path); err != nil {
		t.Fatal(err)
	}
	m, err := sipc.LoadModel(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func write(t *testing.T, path, content string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
}

// Statements about a model that was fitted without any are decided about what it predicts: predictions are below the bound at the point that refutes
// one, and nowhere by more than rounding where it is proved.
func TestStatementsAreAboutPredictions(t *testing.T) {
	for _, method := range []string{"risk", "plain", "embed", "dual"} {
		for _, kernel := range append(kernelsOfHomes, "gaussian(width = 1.5)") {
			dir := t.TempDir()
			data, at := filepath.Join(dir, "data.csv"), filepath.Join(dir, "at.csv")
			write(t, data, homes(7, 40))
			r := "invariance i = rms over x of |d/d(area) f|\nregularize 0.01 * i\n"
			if method == "embed" {
				r = "" // without R its embeddings are the features
			}
			spec := strings.Replace(homesSpec(&ofHomes[0], kernel, "", r), "method risk", "method "+method, 1)
			m := fitted(t, dir, spec, data)
			for bound, want := range map[float64]string{-6: "proved", 2.5: "refuted"} {
				text := fmt.Sprintf("f(x) >= %g over x in box(area = [0, 5], rooms = {0, 1, 2, 3, 4}, town = {\"a\", \"b\"})", bound)
				found, err := sipc.Prove(t.Context(), m, sipc.ProveOptions{Statements: []string{text}})
				if err != nil {
					t.Fatalf("%s: %v", method, err)
				}
				one := &found.Requirements[0]
				if one.Answer != want {
					t.Errorf("%s, %s: f >= %g is %s", method, kernel, bound, one.Answer)
				}
				rows := strings.NewReplacer(",,", ",1,", ",-9,", ",2,").Replace(homes(8, 50))
				rows = strings.ReplaceAll(rows, ",c,", ",a,")
				if one.Answer == "refuted" {
					rows = fmt.Sprintf("area,rooms,town\n%s,%s,%s\n", valueOf(one, "area"), valueOf(one, "rooms"), valueOf(one, "town"))
				}
				write(t, at, rows)
				said, err := sipc.Predict(t.Context(), m, at, sipc.ApplyOptions{})
				if err != nil {
					t.Fatal(err)
				}
				for _, s := range said.Predictions.Scores.RawMatrix().Data {
					if one.Answer == "refuted" && math.Abs(s-bound-float64(one.Low)) > 1e-4 || one.Answer == "proved" && s < bound+float64(*one.Margin)-1e-9 {
						t.Errorf("%s, %s: f >= %g is %s with %v, and a row is predicted %v", method, kernel, bound, one.Answer, one.Low, s)
					}
				}
			}
		}
	}
}

// valueOf returns what a column holds at the worst point.
func valueOf(r *report.Requirement, column string) string {
	for _, c := range r.At {
		if c.Column == column {
			return c.Value
		}
	}
	return ""
}

// What is wrong with a statement is told with its code and place; so is what a model or the call lacks.
func TestFaultyStatements(t *testing.T) {
	dir := t.TempDir()
	data := filepath.Join(dir, "data.csv")
	write(t, data, homes(7, 40))
	m := fitted(t, dir, homesSpec(&ofHomes[0], "pairwise(matern32(width = 1))", " id size\n", ""), data)
	for text, want := range map[string]string{
		"f(x) > 0 over x in box":                             "statement 1:1:6: error[E137]",
		"f(x) >= 0 over x in box; f(x) <= 1 over x in box":   "statement 1:1:24: error[E124]",
		"f(x) >= 0 over x in box\nlet a = 3":                 "statement 1:2:1: error[E101]: this is more than one statement",
		"d/d(aera) f >= 0 over x in box":                     "statement 1:1:5: error[E551]",
		"f >= 0 over x in box(aera = [0, 1])":                "statement 1:1:22: error[E551]",
		"f >= 0 over x in box(town = {\"d\"})":               "statement 1:1:30: error[E554]",
		"f >= 0 over x in box(town = [0, 1])":                "statement 1:1:22: error[E554]",
		"f(put(town, \"d\")(x)) >= 0 over x in box":          "statement 1:1:13: error[E554]",
		"f(x, cat) >= 0 over x in box":                       "statement 1:1:6: error[E309]",
		"f * f <= 1 over x in box":                           "statement 1:1:1: error[E404]",
		"|f| >= 1 over x in box":                             "statement 1:1:1: error[E416]",
		"f >= grid(1, 2) over x in box":                      "statement 1:1:6: error[E311]",
		"f >= 0 over x in box(area = [0, grid(1, 2)])":       "error[E311]",
		"f >= 0 over x in box(area = {grid(1, 2)})":          "error[E311]",
		"f >= limit over x in box":                           "statement 1:1:6: error",
		"d/d(rooms) d/d(area) f >= 0 over x in box":          "statement 1:1:1: error[E320]",
		"f == 0 over x in box(area = [0, 1])":                "error[E418]",
		"f >= 0 over x in rows":                              "statement 1:1:18: error[E324]: the statement is about rows, and none are given",
		"f >= 0 over x in box(area = [0, 1], others = rows)": "statement 1:1:18: error[E324]",
		"f >= 0 over x in rows(\"none.csv\")":                "statement 1:1:18: error[E558]",
		"mean over x of f >= 0":                              "statement 1:1:11: error[E324]",
		"f >= 0 over x in rows of graph(\"none.csv\")":       "error",
		"": "statement 1 is empty",
	} {
		_, err := sipc.Prove(t.Context(), m, sipc.ProveOptions{Statements: []string{text}})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
	_, err := sipc.Prove(t.Context(), m, sipc.ProveOptions{Statements: []string{"a = f >= 0 over x in box", "f > 0", "a = f >= 0 over x in box"}})
	spec, ok := errors.AsType[*sipc.SpecError](err)
	if !ok || len(spec.Diagnostics) != 2 || spec.Diagnostics[1].Subject.File != "statement 3" || string(spec.Sources["statement 2"]) != "f > 0" {
		t.Errorf("%v", err)
	}
	if _, err := sipc.Prove(t.Context(), m, sipc.ProveOptions{}); !errors.Is(err, sipc.ErrUnprovable) {
		t.Errorf("without a statement: %v", err)
	}
}
