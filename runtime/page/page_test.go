package page_test

import (
	"bytes"
	"flag"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/sipc-ml/sipc/internal/pagetest"
	"github.com/sipc-ml/sipc/runtime/metric"
	"github.com/sipc-ml/sipc/runtime/page"
	"github.com/sipc-ml/sipc/runtime/picture"
	"github.com/sipc-ml/sipc/runtime/report"
)

var update = flag.Bool("update", false, "write the golden files anew")

// hostile is a name that would be markup, a style and a link if it were not escaped.
const hostile = `<img src=x onerror=alert(1)> & "q" 'p' | [a](b) javascript:x`

// small returns a run of two classes with all that a page has.
func small() *page.Run {
	undefined := report.Number(math.NaN())
	margin := report.Number(0.25)
	rep := &report.Report{
		Spec: "dir/" + hostile + ".inv", Data: "rows.csv", Method: "risk", MethodReason: "rising is one-sided", Task: "binary", NTrain: 8, NTest: 4, Dim: 3,
		Certificate: &report.Certificate{MaxGap: 2e-3, MedianGap: 1e-5, Target: 1e-3, Reached: 3, Count: 4, Scores: &report.ScoreErrors{Median: 0.01, Largest: 0.02}},
		Regularizer: []report.Summand{{
			Name: hostile, Kind: "sublinear", Weight: 2, Functionals: 8, Value: 0.125, Test: &report.Tested{Value: 0.25},
			Broken: &report.Broken{Statement: "the score falls with " + hostile, Train: report.Count{Broken: 1, Rows: 8}, Test: &report.Count{Broken: 2, Rows: 4}},
		}},
		Measures: []report.Summand{{Name: "parity", Kind: "seminorm", Functionals: 1, Value: undefined, Unknown: "no row is of the group"}},
		Lint:     []report.Lint{{Name: hostile, Doubtful: true, Share: 0.5, Rows: 8, RowsBroken: 4, Members: 8, Broken: 4}},
		Required: []report.Requirement{
			{Name: "rising", Text: "d/d(area) f >= 0", Answer: "proved", Margin: &margin, Aim: 0.5, Cells: 40, Over: []string{"area in [20, 400]", hostile + " in {a, b}"}},
			{Name: "low", Text: "f <= 1", Answer: "refuted", Cells: 3, At: []report.Coordinate{{Column: hostile, Value: "2"}}, Low: -1, High: -1},
		},
		Expected: []report.Expected{{Text: "accuracy > 90%", Found: "accuracy = 75%"}},
		Learner:  &report.Solution{Text: "svm(C = 1)", Gap: 1e-9, Iterations: 5, Converged: true},
		Baseline: &report.Contender{Method: "plain", Regularizer: []report.Summand{{Value: 0.5, Broken: &report.Broken{Train: report.Count{Broken: 4, Rows: 8}}}}},
		Metrics: report.Metrics{
			Figures: metric.Figures{{Name: metric.Accuracy, Value: 0.75}, {Name: metric.MajorityBaseline, Value: 0.5}, {Name: metric.ECE, Value: 0.1}},
			Classes: []metric.Class{
				{Name: hostile, Rows: 2, TruePositive: 2, FalsePositive: 1, TrueNegative: 1, Decided: map[string]int{hostile: 2}, Figures: metric.Figures{{Name: metric.Precision, Value: 2. / 3}, {Name: metric.Recall, Value: 1}}},
				{Name: "b", Rows: 2, TruePositive: 1, FalseNegative: 1, TrueNegative: 2, Decided: map[string]int{hostile: 1, "b": 1}, Figures: metric.Figures{{Name: metric.Precision, Value: 1}, {Name: metric.Recall, Value: 0.5}}},
			},
			Calibration: []metric.Bin{{From: 0.5, To: 0.6, Count: 1, Confidence: 0.55, Share: 0}, {From: 0.9, To: 1, Count: 3, Confidence: 0.95, Share: 1}},
		},
		Weight: 8, WeightBy: "balanced", ClassWeights: []report.ClassWeight{{Class: hostile, Rows: 6, Weight: 2. / 3}, {Class: "b", Rows: 2, Weight: 2}},
		Under: []report.Under{{Transformation: "move(area, 1)", Inexact: 1, Of: 4}},
		Seed:  7, SpecSHA256: "aa", DataSHA256: "bb", Warnings: []string{hostile}, Hints: []string{"try more rows"},
	}
	rep.Timing.Figures = metric.Figures{{Name: "total", Value: 0.5}}
	figures := func(values ...float64) (out []page.Figure) {
		for k, name := range []string{metric.Accuracy, metric.MajorityBaseline, metric.ECE}[:len(values)] {
			out = append(out, page.Figure{Name: name, Value: values[k], Interval: metric.Interval{Low: values[k] - 0.1, High: values[k] + 0.1}, Exact: k == 0, More: 0.75 - values[k], Between: metric.Interval{Low: 0.1, High: 0.4}})
		}
		return out
	}
	return &page.Run{
		Report: rep, Program: "sipc 0.0.0", Command: []string{"sipc", "run", "a file.inv", "it's.csv"}, Target: hostile, Columns: []string{"area", hostile}, Classes: []string{hostile, "b"},
		Sets:    []page.Set{{Name: "width", Value: hostile, Before: "2 * median"}},
		Sources: []page.Source{{Name: "a.inv", Lines: [][]page.Token{{{Kind: "k", Text: "let"}, {Text: " width = "}, {Kind: "del", Text: "2 * median"}, {Kind: "ins", Text: hostile}}, {{Kind: "k", Text: "data"}, {Text: " {"}}, {{Kind: "c", Text: "# " + hostile}}, nil}}},
		Declared: []page.Declared{
			{Name: hostile, Text: "max over x of pos(-d/d(area) f)", Words: "the score falls with no area", Comment: hostile, Line: 3, Theory: "sublinear", Conditions: []string{"area(x) ≥ 0"}},
			{Name: "parity", Text: "|f|", Theory: "a seminorm", Measure: true},
		},
		Machines: []page.Machine{
			{Name: "risk", Figures: figures(0.75, 0.5, 0.1), Violations: []page.Figure{{Name: "logic", Value: 0.25, Interval: metric.Interval{Low: 0.1, High: 0.4}}}, Moved: figures(0.5)},
			{Name: "plain", About: "without R", Figures: figures(0.5, 0.5, 0.2), Violations: []page.Figure{{Name: "logic", Value: 0.5, More: -0.25, Between: metric.Interval{Low: -0.3, High: -0.1}}}, Moved: figures(0.25)},
		},
		Draws: 37, Asked: 1000, Normal: true, Gaps: []float64{0, 1e-5, 1e-4, 2e-3}, Memory: 300 << 20,
		Numbers: &page.Numbers{Truth: []float64{1, 2, 3}, Predicted: []float64{1.5, 2, 2}, Of: 4},
		Effects: &page.Effects{Note: "Curves.", Pictures: []page.Picture{{Title: "area", SVG: (&picture.Curve{Heading: picture.Heading{Title: hostile, Of: "price"}, Functions: []picture.Function{{Name: "f"}}, X: []float64{0, 1}, Y: [][]float64{{0, 1}}, Rows: []float64{2}}).Draw()}}, Left: 2},
		Pulls:   []page.Pull{{Witness: report.Witness{Name: hostile, Functionals: 8, Active: 1, Value: 0.125, Members: []report.WitnessMember{{Part: hostile, Rows: []string{hostile}, Value: 1, Share: 1}}}}},
	}
}

// The page and the card of a small run are those that were looked at.
func TestGoldenPageAndCard(t *testing.T) {
	var html, card bytes.Buffer
	if err := small().WriteHTML(&html); err != nil {
		t.Fatal(err)
	}
	small().WriteCard(&card, "it is <b>.html")
	pagetest.Accessible(t, html.Bytes())
	for name, got := range map[string][]byte{"small.html": html.Bytes(), "small.md": card.Bytes()} {
		path := filepath.Join("testdata", name)
		if *update {
			if err := os.WriteFile(path, got, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got, want) {
			t.Errorf("%s is another; -update writes it anew, and the difference is to be read", name)
		}
	}
}

// What comes from a user is text on both, and never markup.
func TestNamesAreNeverMarkup(t *testing.T) {
	var html, card bytes.Buffer
	if err := small().WriteHTML(&html); err != nil {
		t.Fatal(err)
	}
	small().WriteCard(&card, "")
	for name, text := range map[string]string{"page": html.String(), "card": card.String()} {
		if n := strings.Count(text, "onerror"); n < 5 {
			t.Errorf("the %s has the name %d times", name, n)
		}
	}
	if strings.Contains(html.String(), "<img src=x") {
		t.Error("the page has a name as markup")
	}
	for line := range strings.Lines(card.String()) {
		for k, part := range strings.Split(line, "`") {
			if k%2 == 0 && strings.Contains(part, "<img") { // outside spans of code
				t.Errorf("the card has a name as markup: %s", line)
			}
		}
	}
}

// Texts have a contrast of at least 4.5 on each ground that they stand on, light and dark (WCAG 2.2, 1.4.3).
func TestContrastOfTexts(t *testing.T) {
	style, err := os.ReadFile("style.css")
	if err != nil {
		t.Fatal(err)
	}
	roots := regexp.MustCompile(`:root\{([^}]*)\}`).FindAllSubmatch(style, 2)
	for k, theme := range []string{"light", "dark"} {
		colours := map[string]string{}
		for _, v := range regexp.MustCompile(`--([a-z-]+):(#[0-9a-f]{6})`).FindAllSubmatch(roots[k][1], -1) {
			colours[string(v[1])] = string(v[2])
		}
		for _, c := range picture.Themed {
			colours[c.Name] = []string{c.Light, c.Dark}[k]
		}
		for _, pair := range [][2]string{
			{"ink", "ground"},
			{"ink", "panel"},
			{"muted", "ground"},
			{"muted", "panel"},
			{"accent", "ground"},
			{"good", "ground"},
			{"bad", "ground"},
			{"doubt", "ground"},
			{"good", "good-bg"},
			{"bad", "bad-bg"},
			{"doubt", "doubt-bg"},
			{"ink", "doubt-bg"},
			{"ink", "bad-bg"},
			{"k", "panel"},
			{"s", "panel"},
			{"n", "panel"},
			{"cm", "panel"},
		} {
			if got := contrast(t, colours[pair[0]], colours[pair[1]]); got < 4.5 {
				t.Errorf("%s: %s on %s has a contrast of %.2f", theme, pair[0], pair[1], got)
			}
		}
		for _, c := range []string{"c0", "c1", "c2"} { // lines and points
			if got := contrast(t, colours[c], colours["ground"]); got < 3 {
				t.Errorf("%s: %s has a contrast of %.2f on the ground", theme, c, got)
			}
		}
	}
}

// contrast returns that of two colours.
func contrast(t *testing.T, a, b string) float64 {
	t.Helper()
	light, dark := luminance(t, a), luminance(t, b)
	if light < dark {
		light, dark = dark, light
	}
	return (light + 0.05) / (dark + 0.05)
}

// luminance returns the relative luminance of a colour.
func luminance(t *testing.T, colour string) float64 {
	t.Helper()
	if len(colour) != 7 {
		t.Fatalf("%q is no colour", colour)
	}
	var sum float64
	for k, weight := range []float64{0.2126, 0.7152, 0.0722} {
		n, err := strconv.ParseUint(colour[1+2*k:3+2*k], 16, 8)
		if err != nil {
			t.Fatal(err)
		}
		v := float64(n) / 255
		if v <= 0.04045 {
			v /= 12.92
		} else {
			v = math.Pow((v+0.055)/1.055, 2.4)
		}
		sum += weight * v
	}
	return sum
}

// Gaps at their target are no good news where scores may be far off.
func TestBadgeOfTheCertificate(t *testing.T) {
	for _, c := range []struct {
		largest report.Number
		want    string
	}{
		{0.02, `<li class="badge good"><span class="sign" aria-hidden="true">✓</span> certificate: every gap reached its target</li>`},
		{0.91, `<li class="badge doubt"><span class="sign" aria-hidden="true">!</span> certificate: every gap reached its target; scores are certified only within 91 % of their standard deviation</li>`},
		{report.Number(math.Inf(1)), `target; single scores are not certified within their standard deviation</li>`},
		{report.Number(math.NaN()), `target; single scores are not certified within their standard deviation</li>`},
	} {
		r := small()
		r.Report.Certificate.Reached, r.Report.Certificate.Scores.Largest = 4, c.largest
		var html bytes.Buffer
		if err := r.WriteHTML(&html); err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(html.String(), c.want) {
			t.Errorf("with scores within %v the page has no %s", c.largest, c.want)
		}
	}
}

// Rows with weights have no interval of a bin, and the page speaks of none.
func TestCalibrationUnderWeightsNamesNoInterval(t *testing.T) {
	for _, weight := range []float64{0, 2} {
		r := small()
		for k := range r.Report.Metrics.Calibration {
			r.Report.Metrics.Calibration[k].Weight = weight
		}
		var html bytes.Buffer
		if err := r.WriteHTML(&html); err != nil {
			t.Fatal(err)
		}
		if got := strings.Contains(html.String(), "by their probability. Intervals are Wilson"); got != (weight == 0) {
			t.Errorf("under a weight of %v the page speaks of intervals: %v", weight, got)
		}
	}
}

// A page of very much stays small, and says what it leaves out.
func TestPagesOfVeryMuchStaySmall(t *testing.T) {
	r := small()
	r.Report.Metrics.Classes = nil
	for k := range 300 {
		c := metric.Class{Name: fmt.Sprintf("class %d", k), Rows: 10, TruePositive: 3, Decided: map[string]int{}, Figures: metric.Figures{}}
		for j := range 300 {
			c.Decided[fmt.Sprintf("class %d", j)] = 1
		}
		r.Report.Metrics.Classes = append(r.Report.Metrics.Classes, c)
		r.Report.Required = append(r.Report.Required, report.Requirement{Name: "each", Text: "f >= 0", Answer: "open", Why: "work was over"})
		r.Pulls[0].Members = append(r.Pulls[0].Members, report.WitnessMember{Part: "f"})
	}
	r.Pulls[0].Active = len(r.Pulls[0].Members)
	for range 5000 {
		r.Sources[0].Lines = append(r.Sources[0].Lines, []page.Token{{Text: "let a = 1"}})
	}
	var html bytes.Buffer
	if err := r.WriteHTML(&html); err != nil {
		t.Fatal(err)
	}
	if n := html.Len(); n > 600_000 {
		t.Errorf("the page has %d bytes", n)
	}
	for _, want := range []string{"200 more classes are left out", "more statements are left out", "12 of 301 active members, those that pull most; sipc explain --model has them", "further lines are left out"} {
		if !strings.Contains(strings.ReplaceAll(html.String(), "\u202f", ""), want) {
			t.Errorf("the page does not say %q", want)
		}
	}
}
