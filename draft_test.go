package sipc_test

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	sipc "github.com/sipc-ml/sipc"
)

// A draft is a spec that has no error on its data, and neither have the invariances that it suggests in comments.
func TestDraftsSuitTheirData(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "data.csv")
	rapid.Check(t, func(t *rapid.T) {
		if err := os.WriteFile(path, drawTable(t), 0o600); err != nil {
			t.Fatal(err)
		}
		draft, err := sipc.NewDraft(t.Context(), path, "")
		few := new(sipc.DataError)
		if errors.As(err, new(*sipc.DraftError)) || errors.As(err, &few) && (strings.Contains(few.Error(), "training rows") || strings.Contains(few.Error(), "delete the rows that have no target")) {
			return // nothing to learn, or too few rows without a gap
		}
		if err != nil {
			t.Fatal(err)
		}
		whole := strings.ReplaceAll(draft.Text, "\n# invariance", "\ninvariance")
		if !strings.Contains(whole, "\nregularize auto\n") && strings.Contains(whole, "\ninvariance") {
			t.Fatalf("no weight in\n%s", whole)
		}
		for _, text := range []string{draft.Text, whole} {
			spec := sipc.NewSpec(t.Context(), filepath.Join(dir, "spec.inv"), []byte(text), sipc.SpecOptions{})
			if _, err := spec.Explain(t.Context(), sipc.ExplainOptions{Data: path}); err != nil {
				t.Fatalf("%v in\n%s", err, text)
			}
		}
	})
}

// drawTable draws a CSV file of columns of several kinds, under names that a spec may have to quote.
func drawTable(t *rapid.T) []byte {
	names := rapid.SliceOfNDistinct(rapid.SampledFrom([]string{
		"area", "living area", "split", "f", "x", "over", "lambda", "λ", "label", "auto", `say "so"`, `back\slash`, "größe", "n", "1st", "d", "a#b", "id", "p1", "p2",
	}), 2, 7, rapid.ID[string]).Draw(t, "names")
	rows := rapid.IntRange(12, 60).Draw(t, "rows")
	table := make([][]string, rows+1)
	table[0] = names
	for range names {
		cell := drawKind(t)
		for i := range rows {
			table[i+1] = append(table[i+1], cell(i))
		}
	}
	var b bytes.Buffer
	if err := csv.NewWriter(&b).WriteAll(table); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// drawKind draws what the cells of a column hold.
func drawKind(t *rapid.T) func(i int) string {
	at := rapid.IntRange(1, 9).Draw(t, "at")
	return rapid.SampledFrom([]func(i int) string{
		func(i int) string { return fmt.Sprint(float64((i*37+at)%101) / 7) },
		func(i int) string { return strconv.Itoa((i * at) % 2) },
		func(i int) string { return strconv.Itoa((i*7 + at) % 4) },
		func(i int) string { return []string{"north", `the "south"`, "not", "7"}[(i+at)%3] },
		func(i int) string { return fmt.Sprint("name ", i, " of ", at) },
		func(i int) string { return []string{"1.5", "NA", "2.5", "4"}[(i+at)%4] },
		func(int) string { return "same" },
	}).Draw(t, "kind")
}

// The hierarchy of an ARFF file is declared.
func TestDraftsOfHierarchies(t *testing.T) {
	var b strings.Builder
	b.WriteString("@RELATION mail\n")
	for j := range 24 {
		fmt.Fprintf(&b, "@ATTRIBUTE word%c numeric\n", 'a'+j)
	}
	b.WriteString("@ATTRIBUTE class hierarchical a,a/b,a/c,d\n@DATA\n")
	for i := range 60 {
		for j := range 24 {
			fmt.Fprintf(&b, "%d,", (i*(j+3)+i/7)%2)
		}
		fmt.Fprintln(&b, []string{"a/b", "a/c", "d", "a/b@d"}[i%4])
	}
	path := filepath.Join(t.TempDir(), "mail.arff")
	if err := os.WriteFile(path, []byte(b.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	draft, err := sipc.NewDraft(t.Context(), path, "")
	if err != nil {
		t.Fatal(err)
	}
	for _, part := range []string{"in edges(taxonomy(data)) of implies(child, parent)\n", "regularize auto\n", "decode     closure"} {
		if !strings.Contains(draft.Text, part) {
			t.Errorf("%q is not in\n%s", part, draft.Text)
		}
	}
	_, err = sipc.NewDraft(t.Context(), path, "class")
	if err == nil || !strings.Contains(err.Error(), "leave --target out") {
		t.Error(err)
	}
}

// Of many labels nothing is declared, as statements of all of them would not come to an end; what may be true stands in comments, and has no error.
func TestDraftsOfManyLabels(t *testing.T) {
	var b strings.Builder
	for i := range 60 {
		fmt.Fprintf(&b, "%d,%d 1:%d 2:%d\n", i%20, (i+7)%20, i%9+1, i*i%11+1)
	}
	path := filepath.Join(t.TempDir(), "many.svm")
	if err := os.WriteFile(path, []byte(b.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	draft, err := sipc.NewDraft(t.Context(), path, "")
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(draft.Text, "\ninvariance") || strings.Contains(draft.Text, "c in labels") || !strings.Contains(draft.Text, `|d/d(x1) f("0")|`) {
		t.Errorf("all of many labels in\n%s", draft.Text)
	}
}

// The first columns stand for many, and the spec says so.
func TestDraftsTellOfColumnsLeftOut(t *testing.T) {
	var b strings.Builder
	b.WriteString("a,b,c,d,e,g,h,price\n")
	for i := range 60 {
		for j := range 7 {
			fmt.Fprintf(&b, "%v,", float64((i*(j+37))%101)/7)
		}
		fmt.Fprintln(&b, float64(i)/7)
	}
	path := filepath.Join(t.TempDir(), "data.csv")
	if err := os.WriteFile(path, []byte(b.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	draft, err := sipc.NewDraft(t.Context(), path, "")
	if err != nil || !strings.Contains(draft.Text, "(the first 6 of 7; take those that you mean)") {
		t.Errorf("%v\n%s", err, draft.Text)
	}
}

// What a column is called and holds decides what it is to a draft.
func TestDraftsGuess(t *testing.T) {
	pixels := make([]string, 65)
	for i := range pixels {
		pixels[i] = fmt.Sprint("p", i)
	}
	pixels[20] = "digit"
	named := strings.Fields(strings.ReplaceAll(" "+strings.Join(pixels, " "), " p", " pixel"))
	for _, c := range []struct {
		name, target  string
		names         []string
		cell          func(i, j int) any
		want, because string
		holds         []string
	}{
		{"images", "", pixels, func(i, j int) any { return (i + j*(i%3)) % 4 }, "digit : class", "the one column beside p0 to p64", []string{"columns image(8, 8)", "rotate(10deg)", ", c in labels"}},
		{"numbers below 0 are not pixels", "", pixels, func(i, j int) any { return (i+j*(i%3))%4 - j%2 }, "digit : class", "the one column beside", []string{"standardize"}},
		{"called pixels", "", named, func(i, j int) any { return (i+j*(i%3))%4 - j%2 }, "digit : class", "the one column beside", []string{"    columns image(8, 8)"}},
		{"a usual name", "", []string{"Outcome", "u", "v"}, func(i, j int) any { return (i*(j+3) + i/7) % 2 }, "Outcome : binary(0, 1)", "it is called so", []string{"svm("}},
		{"the last", "", []string{"u", "v", "id"}, func(i, j int) any { return float64(i*(j+1)) / 9 }, "v : real", "the last column", []string{"|d/d(u) f|", "# invariance rising = increasing(u)", "ridge("}},
		{"asked for", "u", []string{"u", "v"}, func(i, j int) any { return fmt.Sprint("c", i%(3+j)) }, "u : class", "", []string{"softmax("}},
		{"gaps", "v", []string{"u", "v", "w"}, func(i, j int) any {
			if j == 0 && i%5 == 0 {
				return "NA"
			}
			return float64(i*(j+1)) / 9
		}, "v : real", "", []string{"missing mask"}},
		{"many rows", "v", []string{"u", "v", "w"}, func(i, j int) any { return float64(i*(j+1)) / 9 }, "v : real", "", []string{"let training = 800 ", "--set training=200", "split  train = training, test = 700  #"}},
		{"names", "v", []string{"u", "who", "v"}, func(i, j int) any {
			if j == 1 {
				return fmt.Sprint("person ", i)
			}
			return float64(i*(j+1)) / 9
		}, "v : real", "", []string{"# ignored: who (most rows differ)", "ignore who\n"}},
	} {
		rows := 100
		if c.name == "many rows" {
			rows = 1500
		}
		var b strings.Builder
		fmt.Fprintln(&b, strings.Join(c.names, ","))
		for i := range rows {
			cells := make([]string, len(c.names))
			for j := range cells {
				cells[j] = fmt.Sprint(c.cell(i, j))
			}
			fmt.Fprintln(&b, strings.Join(cells, ","))
		}
		path := filepath.Join(t.TempDir(), "data.csv")
		if err := os.WriteFile(path, []byte(b.String()), 0o600); err != nil {
			t.Fatal(err)
		}
		draft, err := sipc.NewDraft(t.Context(), path, c.target)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if draft.Target != c.want || !strings.HasPrefix(draft.Why, c.because) || c.target != "" && draft.Why != "" {
			t.Errorf("%s: %s, as %q", c.name, draft.Target, draft.Why)
		}
		if slices.ContainsFunc(c.holds, func(part string) bool { return !strings.Contains(draft.Text, part) }) {
			t.Errorf("%s: not all of %q are in\n%s", c.name, c.holds, draft.Text)
		}
	}
}
