package docs_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/sipc-ml/sipc/internal/pagetest"
)

// kept are the figures of the examples that the tests of cmd/sipc make anew, by example and figure.
func kept(t *testing.T) map[string]map[string]float64 {
	t.Helper()
	out := map[string]map[string]float64{}
	if err := json.Unmarshal([]byte(pagetest.Read(t, filepath.Join("..", "cmd", "sipc", "testdata", "examples.json"))), &out); err != nil {
		t.Fatal(err)
	}
	return out
}

// columnsOf are the metrics by what the pages call them.
var columnsOf = map[string]string{
	"accuracy": "accuracy", "exact match": "exact_match", "RMSE": "rmse", "log loss": "log_loss", "micro-F1": "micro_f1",
	"share": "violations.logic", "violations": "violations.logic",
	"share of training rows": "share of training rows that break larger_is_dearer",
	"share of test rows":     "share of test rows that break larger_is_dearer",
}

const underBoth = ", rotate(15deg), then shift(dx = 2)"

var exampleName = regexp.MustCompile(`two-digits|mixup|logic|topics|houses|shifts`)

// The tables of examples in both pages hold the figures that are kept, of each method, of plain and of each rival, and no others.
func TestTablesOfExamples(t *testing.T) {
	figures := kept(t)
	for page, header := range map[string]string{
		"../README.md":          "| example | what it declares | metric | its method | plain | a rival |",
		"../examples/README.md": "| example | target | metric | plain | its method | a rival |",
	} {
		columns := pagetest.Cells(header)
		example, count := "", 0
		for _, row := range pagetest.Rows(t, pagetest.Read(t, page), header) {
			if name := exampleName.FindString(row[0]); name != "" {
				example = name
			}
			metric := columnsOf[row[2]]
			if strings.Contains(row[0]+row[1], "turned by") {
				metric += underBoth
			}
			for k := 3; k < len(columns); k++ {
				if row[k] == "" {
					continue
				}
				count++
				who, number := "plain", strings.Trim(row[k], "*")
				if columns[k] != "plain" {
					who, number, _ = strings.Cut(strings.ReplaceAll(row[k], "*", ""), " ")
				}
				if columns[k] == "its method" {
					who = "metrics"
				}
				if v, ok := figures[example][who+"."+metric]; !ok || !rounds(v, number) {
					t.Errorf("%s: %s, %s: the page says %s, and kept is %s.%s = %g", page, example, columns[k], row[k], who, metric, v)
				}
			}
		}
		if count < 25 {
			t.Errorf("%s: %d figures", page, count)
		}
	}
}

// rounds reports whether a text is a number in fewer digits; halves may go either way.
func rounds(v float64, text string) bool {
	return slices.Contains(shorter(v, pagetest.Decimals(text)), text)
}

// shorter are the texts of a number in so many digits, two for a half.
func shorter(v float64, digits int) []string {
	const slip = 1e-9
	a, b := fmt.Sprintf("%.*f", digits, math.Abs(v)+slip), fmt.Sprintf("%.*f", digits, max(0, math.Abs(v)-slip))
	return slices.Compact([]string{a, b})
}

var (
	decimal = regexp.MustCompile(`\b0\.\d{3}\b`)
	// Paragraphs on how data are drawn hold figures of another kind.
	ofTheData = regexp.MustCompile(`(?s)\*Why it is true:.*?\n\n`)
	spread    = regexp.MustCompile(`\b(0\.\d{3})\s±\s(0\.\d{3})\b`)
)

// Every figure of three digits in the words about an example is one that is kept of it, and what stands with an interval is a mean over
// its seeds.
func TestWordsOfExamples(t *testing.T) {
	figures := kept(t)
	head, _ := pagetest.Section(t, pagetest.Read(t, "../README.md"), "Six examples")
	sections := map[string]string{"": head}
	for name := range figures {
		if !strings.Contains(name, " ") {
			sections[name], _ = pagetest.Section(t, pagetest.Read(t, "../examples/README.md"), name+"\n")
		}
	}
	count := map[bool]int{} // by whether they have an interval
	for about, text := range sections {
		text = ofTheData.ReplaceAllString(text, "")
		single, over := known(figures, about)
		for _, f := range spread.FindAllStringSubmatch(text, -1) {
			count[true]++
			if !slices.Contains(over, f[1]+" ± "+f[2]) {
				t.Errorf("%q: %s is not a mean of a difference over the seeds that are kept", about, f[0])
			}
		}
		for _, f := range decimal.FindAllString(spread.ReplaceAllString(text, ""), -1) {
			count[false]++
			if !slices.Contains(single, f) {
				t.Errorf("%q: %s is not a figure that is kept", about, f)
			}
		}
	}
	if count[true] < 7 || count[false] < 32 {
		t.Errorf("%d figures with intervals were found, and %d without", count[true], count[false])
	}
}

// known are the figures of an example, or of all, in three digits, and the means over seeds with their intervals, of all seeds and of
// the last four.
func known(figures map[string]map[string]float64, about string) (single, over []string) {
	for name, of := range figures {
		example, variant, _ := strings.Cut(name, " ")
		if about != "" && example != about {
			continue
		}
		if variant == "over seeds" {
			over = append(over, overSeeds(of)...)
			continue
		}
		for figure, v := range of {
			who, metric, _ := strings.Cut(figure, ".")
			metric = strings.TrimSuffix(metric, underBoth)
			if who != "value" && slices.Contains(slices.Collect(maps.Values(columnsOf)), metric) {
				single = append(single, shorter(v, 3)...)
			}
		}
	}
	return single, over
}

// overSeeds are the means of the differences to plain and to a rival.
func overSeeds(of map[string]float64) []string {
	var out []string
	for _, pair := range [][2]string{{"plain", "accuracy"}, {"plain", "log_loss"}, {"plain", "rmse"}, {"ridge", "rmse"}} {
		other, metric := pair[0], pair[1]
		var own, others []float64
		for seed := 0; ; seed++ {
			v, ok := of[fmt.Sprintf("metrics.%s, seed %02d", metric, seed)]
			beside, both := of[fmt.Sprintf("%s.%s, seed %02d", other, metric, seed)]
			if !ok || !both {
				break
			}
			own, others = append(own, v), append(others, beside)
		}
		for _, from := range []int{0, len(own) - 4} {
			if from >= 0 && len(own) > 0 {
				g := pagetest.Paired(own[from:], others[from:])
				out = append(out, fmt.Sprintf("%.3f ± %.3f", math.Abs(g.Mean)/100, g.Half/100))
			}
		}
	}
	return out
}

// The words that stand for the picture have its figures.
func TestWordsForThePicture(t *testing.T) {
	heading := regexp.MustCompile(`of (\d+) held-out digits change class: plain (\d+), embed (\d+), augment (\d+)<`)
	words := regexp.MustCompile(`(\d+) of (\d+) held-out digits change class under the plain kernel classifier, (\d+) under the one .* by R .*, (\d+) under .* copies]`)
	drawn, said := heading.FindStringSubmatch(pagetest.Read(t, "turning.svg")), words.FindStringSubmatch(pagetest.Read(t, "../README.md"))
	if drawn == nil || said == nil || !slices.Equal([]string{drawn[2], drawn[1], drawn[3], drawn[4]}, said[1:]) {
		t.Errorf("the picture says %q, README %q", drawn, said)
	}
}
