package docs_test

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"gonum.org/v1/gonum/stat"

	"github.com/sipc-ml/sipc/internal/pagetest"
	"github.com/sipc-ml/sipc/runtime/report"
)

// runs is the folder of what the commands of the pages on experiments wrote.
var runs = filepath.Join("experiments", "runs")

// A series holds the figures of a file by cell, test rows, contender and figure, each seed by seed.
type series map[[4]string][]float64

// readSeries reads what `sipc-lab bench --csv` wrote.
func readSeries(t *testing.T, name string) series {
	t.Helper()
	out := series{}
	for _, r := range pagetest.Records(t, filepath.Join(runs, name)) {
		key := [4]string{r["cell"], r["rows"], r["contender"], r["figure"]}
		if r["seed"] != strconv.Itoa(len(out[key])) {
			t.Fatalf("%s, %v: seed %s follows %d others", name, key, r["seed"], len(out[key]))
		}
		out[key] = append(out[key], pagetest.Number(t, r["value"]))
	}
	return out
}

// readSummary reads what `sipc run --seeds --json` printed.
func readSummary(t *testing.T, name string) *report.Summary {
	t.Helper()
	var s report.Summary
	if err := json.Unmarshal([]byte(pagetest.Read(t, filepath.Join(runs, name))), &s); err != nil {
		t.Fatal(err)
	}
	return &s
}

// of returns a figure of a summary by seed, that of the method itself where no contender is named.
func of(t *testing.T, s *report.Summary, contender, figure string) []float64 {
	t.Helper()
	list := s.Metrics
	if contender != "" {
		k := slices.IndexFunc(s.Contenders, func(c report.Comparisons) bool { return c.Name == contender })
		list = nil
		for _, c := range s.Contenders[k].Metrics {
			list = append(list, c.Spread)
		}
	}
	k := slices.IndexFunc(list, func(m report.Spread) bool { return m.Metric == figure })
	if k < 0 {
		t.Fatalf("%s has no %s", contender, figure)
	}
	var out []float64
	for _, v := range list[k].Values {
		out = append(out, float64(v))
	}
	return out
}

// difference returns the mean of a paired difference with its sign and half of its interval, times a factor.
func difference(a, b []float64, factor float64, digits int) string {
	g := pagetest.Paired(a, b)
	return minus(fmt.Sprintf("%+.*f ± %.*f", digits, g.Mean/100*factor, digits, g.Half/100*factor))
}

// minus writes signs as pages do.
func minus(text string) string {
	return strings.ReplaceAll(strings.ReplaceAll(text, "-0.00 ", "+0.00 "), "-", "−")
}

// TestMeasurementsAreThoseOfTheFiles holds the tables of the examples' specs on real data to what the commands wrote.
func TestMeasurementsAreThoseOfTheFiles(t *testing.T) {
	page := pagetest.Read(t, "measurements.md")
	test := map[string]string{
		"as they are": "as they are", "turned by 15°": "rotate(15deg)", "shifted by 2 pixels": "shift(dx = 2)",
		"turned, then shifted": "rotate(15deg), then shift(dx = 2)",
	}
	var claims []claim
	s, pair := readSeries(t, "transform.csv"), ""
	for _, row := range pagetest.Rows(t, page, "| 100 training rows | test rows | embed | plain | difference |") {
		if row[0] != "" {
			pair = strings.Replace(row[0], " against", ",", 1)
		}
		claims = append(claims, measured(pair+", "+row[1], s[[4]string{pair, test[row[1]], "embed", "accuracy"}], s[[4]string{pair, test[row[1]], "plain", "accuracy"}], row[2:])...)
	}
	s = readSeries(t, "mixup.csv")
	for _, row := range pagetest.Rows(t, page, "| 500 training rows | embed | plain | difference |") {
		figure := strings.ReplaceAll(row[0], " ", "_")
		claims = append(claims, measured(row[0], s[[4]string{"ten classes", "as they are", "embed", figure}], s[[4]string{"ten classes", "as they are", "plain", figure}], row[1:])...)
	}
	s = readSeries(t, "topics.csv")
	names := map[string]string{"label-wise accuracy": "hamming_accuracy", "exact match": "exact_match", "micro-F1": "micro_f1", "AU(PRC)": "auprc"}
	for _, row := range pagetest.Rows(t, page, "| one draw | risk | plain |") {
		for k, contender := range []string{"risk", "plain"} {
			x := s[[4]string{"wipo", "as they are", contender, names[row[0]]}]
			if len(x) != 1 {
				t.Fatalf("%s of %s: %d seeds", row[0], contender, len(x))
			}
			claims = append(claims, claim{0, row[0], row[1+k], fmt.Sprintf("%.4f", x[0])})
		}
	}
	hold(t, claims, 8*3+2*3+4*2)
}

// measured returns the claims of a line: mean ± deviation of a method and of plain, and the difference, ± half of its interval where the line
// has it.
func measured(what string, own, plain []float64, texts []string) []claim {
	spread := func(x []float64) string {
		mean, deviation := stat.MeanStdDev(x, nil)
		return fmt.Sprintf("%.4f ± %.4f", mean, deviation)
	}
	return []claim{
		{0, what, texts[0], spread(own)},
		{0, what + ", plain", texts[1], spread(plain)},
		{0, what + ", difference", texts[2], difference(own, plain, 1, 4)},
	}
}

// TestLogicIsThatOfTheFiles holds the page on taxonomies to the runs of table 3 and to the figures of the examples.
func TestLogicIsThatOfTheFiles(t *testing.T) {
	page := pagetest.Read(t, filepath.Join("experiments", "logic.md"))
	o, _ := readOutcome(t, "table3")
	var claims []claim
	for _, row := range pagetest.Rows(t, page, "| cell | ml-svm | embed − it | risk-implications − it |") {
		name, n, _ := strings.Cut(row[0], " ")
		cell := strings.Replace(strings.ToLower(name), "reuters", "reuters-k500", 1) + "-n" + n
		without := o[cell]["ml-svm"]["implications"]
		claims = append(claims, claim{0, row[0], row[1], fmt.Sprintf("%.2f", 100*stat.Mean(without, nil))})
		for k, contender := range []string{"embed", "risk-implications"} {
			claims = append(claims, claim{0, row[0] + ", " + contender, row[2+k], difference(o[cell][contender]["implications"], without, 100, 2)})
		}
	}
	kept := map[string]map[string]float64{}
	if err := json.Unmarshal([]byte(pagetest.Read(t, filepath.Join("..", "..", "cmd", "sipc", "testdata", "examples.json"))), &kept); err != nil {
		t.Fatal(err)
	}
	for _, row := range pagetest.Rows(t, page, "| example | learner | exact match | micro-F1 |") {
		name := row[0]
		if row[1] == "softmax" {
			name += " by softmax"
		}
		for k, figure := range []string{"exact_match", "micro_f1"} {
			claims = append(claims, claim{0, name + ", " + figure, row[2+k], fmt.Sprintf("%.3f", kept[name]["metrics."+figure]+1e-9)})
		}
	}
	hold(t, claims, 6*3+4*2)
}

// TestVariationIsThatOfTheFiles holds the page on the total variation to the runs of its commands.
func TestVariationIsThatOfTheFiles(t *testing.T) {
	page := pagetest.Read(t, filepath.Join("experiments", "variation.md"))
	spread := func(x []float64) string {
		g := pagetest.Paired(x, make([]float64, len(x)))
		return fmt.Sprintf("%.4f ± %.4f", g.Mean/100, g.Half/100)
	}
	statement, claims := "", []claim{}
	for _, row := range pagetest.Rows(t, page, "| | weight | RMSE | difference to plain | seeds at which it is better |") {
		if row[0] != "" {
			statement = row[0]
		}
		if statement == "plain" {
			claims = append(claims, claim{0, statement, row[2], spread(of(t, readSummary(t, "variation-2.json"), "plain", "rmse"))})
			continue
		}
		s := readSummary(t, statement+"-"+row[1]+".json")
		own, plain := of(t, s, "", "rmse"), of(t, s, "plain", "rmse")
		wins := pagetest.Paired(plain, own).Wins
		for k, want := range []string{spread(own), difference(own, plain, 1, 4), fmt.Sprintf("%d of %d", wins, len(own))} {
			claims = append(claims, claim{0, statement + " at " + row[1], row[2+k], want})
		}
	}
	hold(t, claims, 1+7*3)
}

// TestLandmarksAreThoseOfTheFiles holds the table on landmarks to the runs of its commands.
func TestLandmarksAreThoseOfTheFiles(t *testing.T) {
	page := pagetest.Read(t, filepath.Join("experiments", "transform.md"))
	names := []string{"two-digits.json", "one.json", "rows.json"}
	var claims []claim
	for k, row := range pagetest.Rows(t, page, "| landmarks | ways | plain | embed | embed − plain |") {
		s := readSummary(t, names[k])
		own, plain := of(t, s, "", "accuracy"), of(t, s, "plain", "accuracy")
		for column, want := range []string{
			fmt.Sprintf("%.2f", 100*stat.Mean(plain, nil)), fmt.Sprintf("%.2f", 100*stat.Mean(own, nil)), difference(own, plain, 100, 2),
		} {
			claims = append(claims, claim{0, names[k], row[2+column], want})
		}
	}
	hold(t, claims, 3*3)
}

// TestMixupIsThatOfTheFile holds the table of mixup on few rows to what the command wrote.
func TestMixupIsThatOfTheFile(t *testing.T) {
	page := pagetest.Read(t, filepath.Join("experiments", "mixup.md"))
	s := readSeries(t, "mixup-100.csv")
	var claims []claim
	for _, row := range pagetest.Rows(t, page, "| 100 rows of ten classes | embed | plain | difference | seeds at which it is better |") {
		figure := strings.ReplaceAll(row[0], " ", "_")
		own, plain := s[[4]string{"ten classes", "as they are", "embed", figure}], s[[4]string{"ten classes", "as they are", "plain", figure}]
		wins := pagetest.Paired(own, plain).Wins
		if figure == "log_loss" {
			wins = pagetest.Paired(plain, own).Wins
		}
		claims = append(claims, measured(row[0], own, plain, row[1:])...)
		claims = append(claims, claim{0, row[0], row[4], fmt.Sprintf("%d of %d", wins, len(own))})
	}
	hold(t, claims, 2*4)
}

// TestGraphIsThatOfTheFile holds the table of citations to what the command printed.
func TestGraphIsThatOfTheFile(t *testing.T) {
	page, printed := pagetest.Read(t, filepath.Join("experiments", "graph.md")), pagetest.Read(t, filepath.Join(runs, "graph.txt"))
	var claims []claim
	for _, row := range pagetest.Rows(t, page, "| what is known | learner | accuracy on the test rows |") {
		line := regexp.MustCompile("(?m)^" + row[0] + `(?: alone)? +(\d\.\d{3}) `).FindStringSubmatch(printed)
		if line == nil {
			t.Fatalf("the command printed nothing of %s", row[0])
		}
		claims = append(claims, claim{0, row[0], row[2], line[1]})
	}
	hold(t, claims, 3)
}

var figured = regexp.MustCompile(`\d+\.\d{2,}|± \d+\.\d`)

// TestEveryTableOfExperimentsIsHeld fails where a page has a table of figures that no test above reads.
func TestEveryTableOfExperimentsIsHeld(t *testing.T) {
	held := []string{
		"| digits, n |", "| 100 training rows | test rows |", "| 500 training rows |", "| one draw |", "| cell | ml-svm |", "| example | learner |",
		"| | weight | RMSE |", "| data | statement | R | plain |", "| 100 rows of ten classes |", "| landmarks |", "| what is known |", "| cases | runs |", "| what was found |", "| construct | expressions |", "| problem | work |", "| table | fit |", "| known signs |", "| function | fit |", "| least value of g |", "| digits | machine |", "| rows | run |", "| method | rows | labels |", "| learner | R over |",
	}
	pages, err := filepath.Glob(filepath.Join("experiments", "*.md"))
	if err != nil || len(pages) < 5 {
		t.Fatalf("%v: %v", pages, err)
	}
	for _, path := range append(pages, "measurements.md", provedPage) {
		header := ""
		for n, line := range strings.Split(pagetest.Read(t, path), "\n") {
			switch {
			case !strings.HasPrefix(line, "|"):
				header = ""
			case header == "":
				header = line
			case figured.MatchString(line) && !slices.ContainsFunc(held, func(h string) bool { return strings.HasPrefix(header, h) }):
				t.Errorf("%s, line %d: no test holds the table %q to a file", path, n+1, header)
			}
		}
	}
}
