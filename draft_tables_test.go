package sipc_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	sipc "github.com/sipc-ml/sipc"
)

// A drawnTable is a CSV file for a draft: its columns, and what a cell of a row holds.
type drawnTable struct {
	name, target string
	rows         int
	columns      []string
	cell         func(r *rand.Rand, row, column int) string
	holds        []string // of the draft
}

func number(r *rand.Rand) string { return fmt.Sprintf("%.3f", r.NormFloat64()) }

func oneOf(r *rand.Rand, texts ...string) string { return texts[r.IntN(len(texts))] }

// drawnTables are very different tables, for each of which a draft runs at once.
var drawnTables = []drawnTable{
	{name: "texts", target: "kind", rows: 60, columns: []string{"colour", "shape", "kind"}, cell: func(r *rand.Rand, _, _ int) string {
		return oneOf(r, "red one", "green", "blue")
	}},
	{name: "one column", target: "y", rows: 40, columns: []string{"x", "y"}, cell: func(r *rand.Rand, _, _ int) string { return number(r) }},
	{name: "300 columns", target: "y", rows: 50, columns: many(300, "y"), cell: func(r *rand.Rand, _, _ int) string { return number(r) }},
	{name: "constant columns", target: "y", rows: 50, columns: []string{"c", "u", "d", "y"}, holds: []string{"ignore c, d"}, cell: func(r *rand.Rand, _, j int) string {
		return []string{"7", number(r), "same", number(r)}[j]
	}},
	{name: "booleans", target: "left", rows: 60, columns: []string{"member", "active", "paid", "left"}, cell: func(r *rand.Rand, _, j int) string {
		return [][]string{{"true", "false"}, {"yes", "no"}, {"0", "1"}, {"True", "False"}}[j][r.IntN(2)]
	}},
	{name: "dates", target: "price", rows: 60, columns: []string{"built", "sold", "price"}, holds: []string{"types  built : date, sold : date"}, cell: func(r *rand.Rand, i, j int) string {
		return []string{fmt.Sprintf("19%02d-0%d-1%d", 10+i%80, 1+i%9, i%10), fmt.Sprintf("2020-01-02T%02d:00:00", i%24), number(r)}[j]
	}},
	{name: "gaps everywhere", target: "y", rows: 120, columns: []string{"a", "b", "c", "y"}, cell: func(r *rand.Rand, i, j int) string {
		if (i+j)%7 == 0 {
			return oneOf(r, "", "NA", "null")
		}
		if j == 2 {
			return oneOf(r, "north", "south")
		}
		return number(r)
	}},
	{name: "two rows a class", target: "kind", rows: 12, columns: []string{"u", "v", "kind"}, cell: func(r *rand.Rand, i, j int) string {
		return []string{number(r), number(r), fmt.Sprint("class ", i%6)}[j]
	}},
	{name: "texts with blanks as the target", target: "what is it", rows: 60, columns: []string{"u", "v", "what is it"}, cell: func(r *rand.Rand, i, j int) string {
		return []string{number(r), number(r), []string{"a cat", `the "dog"`, "no, a cow"}[i%3]}[j]
	}},
	{name: "words of the language", target: "target", rows: 60, columns: []string{"data", "max", "of", "f", "x", "kernel", "regularize", "target"}, cell: func(r *rand.Rand, _, _ int) string {
		return number(r)
	}},
	{name: "other letters", target: "größe", rows: 60, columns: []string{"λ", "价格", "год постройки", "größe"}, cell: func(r *rand.Rand, _, _ int) string { return number(r) }},
	{name: "one name twice", target: "y", rows: 60, columns: []string{"a", "a", "a", "y"}, holds: []string{"a_2", "a_3"}, cell: func(r *rand.Rand, _, _ int) string { return number(r) }},
	{name: "row names", target: "y", rows: 60, columns: []string{"", "u", "y"}, cell: func(r *rand.Rand, i, j int) string {
		return []string{strconv.Itoa(i), number(r), number(r)}[j]
	}},
	{name: "identifiers", target: "spam", rows: 60, columns: []string{"patient_id", "visit_id", "u", "spam"}, holds: []string{"id     patient_id", "ignore visit_id"}, cell: func(r *rand.Rand, i, j int) string {
		return []string{strconv.Itoa(7000 + 13*i), fmt.Sprintf("V%05d", i*i), number(r), oneOf(r, "no", "yes")}[j]
	}},
	{name: "sentences", target: "spam", rows: 60, columns: []string{"subject", "spam"}, holds: []string{"columns text(subject)"}, cell: func(r *rand.Rand, i, j int) string {
		if j == 1 {
			return oneOf(r, "0", "1")
		}
		return fmt.Sprintf("%s %s %s %d", oneOf(r, "free", "new", "our"), oneOf(r, "money", "offer", "meeting"), oneOf(r, "today", "tomorrow"), i)
	}},
	{name: "codes of gaps", target: "y", rows: 60, columns: []string{"debt", "age", "y"}, holds: []string{"# gaps -999"}, cell: func(r *rand.Rand, i, j int) string {
		if j == 1 && i%9 == 0 {
			return "-999"
		}
		return strconv.Itoa(r.IntN(1000))
	}},
	{name: "huge and tiny numbers", target: "y", rows: 60, columns: []string{"huge", "tiny", "y"}, cell: func(r *rand.Rand, _, j int) string {
		return []string{fmt.Sprintf("%.3g", r.Float64()*1e40), fmt.Sprintf("%.3g", r.Float64()*1e-40), number(r)}[j]
	}},
	{name: "many rows of several times", target: "y", rows: 1300, columns: []string{"sent", "size", "y"}, holds: []string{"split  train = training,"}, cell: func(r *rand.Rand, i, j int) string {
		return []string{fmt.Sprintf("2020-%02d-%02d", 1+i%12, 1+i%28), number(r), oneOf(r, "no", "yes")}[j]
	}},
	{name: "images", target: "digit", rows: 60, columns: many(64, "digit"), holds: []string{"columns image(8, 8)"}, cell: func(r *rand.Rand, i, _ int) string { return strconv.Itoa(i % 3 * r.IntN(9)) }},
	{name: "counts with a rare class", target: "y", rows: 80, columns: []string{"n", "m", "y"}, cell: func(r *rand.Rand, i, j int) string {
		if j < 2 {
			return strconv.Itoa(r.IntN(5))
		}
		return map[bool]string{true: "2", false: strconv.Itoa(i % 2)}[i == 7 || i == 8]
	}},
}

func many(n int, last string) []string {
	var names []string
	for j := range n {
		names = append(names, fmt.Sprint("c", j))
	}
	return append(names, last)
}

// text returns the table as CSV.
func (d *drawnTable) text() string {
	r := rand.New(rand.NewPCG(1, 2))
	var b strings.Builder
	field := func(text string) string {
		if strings.ContainsAny(text, `,"`) {
			return `"` + strings.ReplaceAll(text, `"`, `""`) + `"`
		}
		return text
	}
	for i := -1; i < d.rows; i++ {
		for j, name := range d.columns {
			if j > 0 {
				b.WriteByte(',')
			}
			if i >= 0 {
				name = d.cell(r, i, j)
			}
			b.WriteString(field(name))
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// suggestedLine matches what a user enables by taking its # away. Other comments are sentences, or say what is ignored.
var suggestedLine = regexp.MustCompile(`(?m)^( *)# ([a-z]+ .*)$`)

// A draft runs at once, whatever the table.
func TestDraftsRunAtOnce(t *testing.T) {
	for i := range drawnTables {
		d := &drawnTables[i]
		t.Run(d.name, func(t *testing.T) {
			dir := t.TempDir()
			path := filepath.Join(dir, "data.csv")
			if err := os.WriteFile(path, []byte(d.text()), 0o600); err != nil {
				t.Fatal(err)
			}
			draft, err := sipc.NewDraft(t.Context(), path, d.target)
			if err != nil {
				t.Fatal(err)
			}
			for _, part := range d.holds {
				if !strings.Contains(draft.Text, part) {
					t.Errorf("%q is not in\n%s", part, draft.Text)
				}
			}
			spec := sipc.NewSpec(t.Context(), filepath.Join(dir, "spec.inv"), []byte(draft.Text), sipc.SpecOptions{})
			if len(spec.Diagnostics) > 0 {
				t.Errorf("%v in\n%s", spec.Diagnostics, draft.Text)
			}
			if r, err := sipc.Run(t.Context(), spec, sipc.RunOptions{Data: path, Unmeasured: true}); err != nil {
				t.Fatalf("%v in\n%s", err, draft.Text)
			} else if c := r.Certificate; c != nil && c.Reached != c.Count {
				t.Errorf("the gap is missed in\n%s", draft.Text)
			}
		})
	}
}

// ranTables are those whose suggestions are run, and not only checked.
var ranTables = []string{
	"one column", "booleans", "dates", "gaps everywhere", "two rows a class", "identifiers", "codes of gaps", "many rows of several times", "images", "counts with a rare class",
}

// Each line in the comments of a draft that is no sentence runs once its # is taken away. What it requires is proved.
func TestSuggestionsRun(t *testing.T) {
	const fewRows = 200 // on which a weight is chosen soon
	words := map[string]int{}
	for i := range drawnTables {
		d := &drawnTables[i]
		t.Run(d.name, func(t *testing.T) {
			dir := t.TempDir()
			path := filepath.Join(dir, "data.csv")
			if err := os.WriteFile(path, []byte(d.text()), 0o600); err != nil {
				t.Fatal(err)
			}
			draft, err := sipc.NewDraft(t.Context(), path, d.target)
			if err != nil {
				t.Fatal(err)
			}
			for _, m := range suggestedLine.FindAllStringSubmatch(draft.Text, -1) {
				word, _, _ := strings.Cut(m[2], " ")
				text := strings.Replace(draft.Text, m[0], m[1]+m[2], 1)
				tried := sipc.NewSpec(t.Context(), filepath.Join(dir, "tried.inv"), []byte(text), sipc.SpecOptions{})
				if len(tried.Diagnostics) > 0 {
					t.Errorf("%s: %v", m[0], tried.Diagnostics)
				}
				if !slices.Contains(ranTables, d.name) || word == "invariance" && d.rows > fewRows {
					continue
				}
				words[word]++
				r, err := sipc.Run(t.Context(), tried, sipc.RunOptions{Data: path, Unmeasured: true})
				if err != nil {
					t.Errorf("%s: %v", m[0], err)
					continue
				}
				for _, q := range r.Required {
					if q.Answer != "proved" {
						t.Errorf("%s: %s", m[0], q.Answer)
					}
				}
			}
		})
	}
	for _, word := range []string{"invariance", "require", "method", "split", "time", "gaps", "weight"} {
		if words[word] == 0 {
			t.Errorf("no table has a suggestion %s: %v", word, words)
		}
	}
}
