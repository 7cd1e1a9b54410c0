package docs_test

import (
	"fmt"
	"math"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"gonum.org/v1/gonum/stat"

	"github.com/sipc-ml/sipc/internal/pagetest"
	"github.com/sipc-ml/sipc/lab/reproduce"
)

// The page on the paper's experiments, and the folder of what they came to.
const (
	reproduction = "reproduction.md"
	outcomes     = "reproduction"
)

// A claim is a figure of a page, and what the files say in its place.
type claim struct {
	line       int
	what       string
	text, want string
}

func (c *claim) String() string {
	return fmt.Sprintf("line %d, %s: the page says %q, the files %q", c.line, c.what, c.text, c.want)
}

// outcome holds the figures of runs, run by run: by cell, contender and figure.
type outcome map[string]map[string]map[string][]float64

// readOutcome reads the runs of a table, and the settings that were chosen by cell and contender.
func readOutcome(t *testing.T, table string) (o outcome, chosen map[[2]string]string) {
	t.Helper()
	o, chosen = outcome{}, map[[2]string]string{}
	for _, r := range pagetest.Records(t, filepath.Join(outcomes, table+"-runs.csv")) {
		cell, contender, figure := r["cell"], r["contender"], r["figure"]
		if o[cell] == nil {
			o[cell] = map[string]map[string][]float64{}
		}
		if o[cell][contender] == nil {
			o[cell][contender] = map[string][]float64{}
		}
		values := o[cell][contender][figure]
		if r["run"] != strconv.Itoa(len(values)) {
			t.Fatalf("%s, %s, %s of %s: run %s follows %d others", table, figure, contender, cell, r["run"], len(values))
		}
		o[cell][contender][figure] = append(values, pagetest.Number(t, r["value"]))
	}
	for _, r := range pagetest.Records(t, filepath.Join(outcomes, table+"-choices.csv")) {
		if r["chosen"] == "true" {
			chosen[[2]string{r["cell"], r["contender"]}] = r["setting"]
		}
	}
	return o, chosen
}

// spreadText is a figure over runs, in per cent.
func spreadText(x []float64) string {
	mean, deviation := stat.MeanStdDev(x, nil)
	if len(x) < 2 {
		deviation = 0
	}
	return fmt.Sprintf("%.2f ± %.2f", 100*mean, 100*deviation)
}

// measured is the figure that contenders of a cell are compared by.
func (o outcome) measured(cell string) string {
	for _, figures := range o[cell] {
		if figures["hamming_accuracy"] != nil {
			return "hamming_accuracy"
		}
	}
	return "accuracy"
}

// A reader of a page makes the claims of the tables that are about cells.
type reader struct {
	t         *testing.T
	o         outcome
	chosen    map[[2]string]string
	claims    []claim
	cell      string
	columns   []string
	contender map[[2]string]bool // cells and contenders that had a line
	judged    map[[2]string]int  // by cell and method: the parts of its verdict
	paper     map[string]string  // the paper's figures in the cell
}

// add adds a claim about what the line at hand is about.
func (r *reader) add(line int, what, text, want string) {
	r.claims = append(r.claims, claim{line + 1, r.cell + ", " + what, text, want})
}

var (
	verdictLine = regexp.MustCompile(`^([\w-]+) is (?:above|below|level with) `)
	verdictPart = regexp.MustCompile(`(above|below|level with) (?:the control|the paper's rival|the rival) ([\w-]+) by (\d+\.\d+) points(, which these runs do not distinguish from 0)?`)
	verdictOurs = regexp.MustCompile(`(above|below|level with) the paper's s\.i\.p\. figure by (\d+\.\d+) points`)
)

// read makes the claims of a line.
func (r *reader) read(n int, line string) {
	if title, ok := strings.CutPrefix(line, "### "); ok {
		r.cell = strings.NewReplacer(" against ", "-", ", ", "-", " = ", "").Replace(title)
		r.columns, r.paper = nil, map[string]string{}
		if r.o[r.cell] == nil {
			r.add(n, "the cell", title, "")
		}
		return
	}
	if r.o[r.cell] == nil {
		return
	}
	c := pagetest.Cells(line)
	switch {
	case c == nil:
		r.columns = nil
		r.verdict(n, line)
	case r.columns == nil:
		r.columns = c
	case !strings.HasPrefix(c[0], "---"):
		r.line(n, c)
	}
}

// line makes the claims of a contender's line.
func (r *reader) line(n int, c []string) {
	name := c[0]
	figures := r.o[r.cell][name]
	if r.columns[0] != "contender" || figures == nil || len(c) != len(r.columns) {
		r.add(n, "the table", strings.Join(c, " | "), "")
		return
	}
	r.contender[[2]string{r.cell, name}] = true
	for k, column := range r.columns[1:] {
		text := c[k+1]
		what := name + ", " + column
		minuend, differs := strings.CutSuffix(column, " − it")
		figure, isFigure := strings.CutSuffix(column, ", %")
		switch {
		case column == "paper":
			r.paper[name] = text
			r.add(n, what, text, reproduce.PaperText(r.cell, name))
		case column == "s": // seconds, never the same
		case column == "setting":
			r.add(n, what, text, r.chosen[[2]string{r.cell, name}])
		case column == "gaps reached":
			r.add(n, what, text, certificates(figures))
		case differs && minuend == name:
			r.add(n, what, text, "")
		case differs:
			m := r.o.measured(r.cell)
			r.add(n, what, text, pagetest.Paired(r.o[r.cell][minuend][m], figures[m]).String())
		case isFigure:
			if x := figures[strings.ReplaceAll(figure, " ", "_")]; x != nil {
				r.add(n, what, text, spreadText(x))
			} else {
				r.add(n, what, text, "")
			}
		default:
			r.add(n, "a column that no file has", column, "")
		}
	}
}

// certificates says how many were reached.
func certificates(figures map[string][]float64) string {
	if figures["certificates"] == nil {
		return ""
	}
	sum := func(x []float64) (out float64) {
		for _, v := range x {
			out += v
		}
		return out
	}
	return fmt.Sprintf("%.0f of %.0f", sum(figures["certificates_reached"]), sum(figures["certificates"]))
}

// verdict makes the claims of a sentence such as "embed is above the control svm by 0.30 points".
func (r *reader) verdict(n int, line string) {
	who := verdictLine.FindStringSubmatch(line)
	if who == nil {
		return
	}
	m := r.o.measured(r.cell)
	own := r.o[r.cell][who[1]][m]
	if own == nil {
		r.add(n, "the verdict on", who[1], "")
		return
	}
	for _, p := range verdictPart.FindAllStringSubmatch(line, -1) {
		g := pagetest.Paired(own, r.o[r.cell][p[2]][m])
		unsure := ""
		if side(g.Mean) != "level with" && !(math.Abs(g.Mean) > g.Half) {
			unsure = ", which these runs do not distinguish from 0"
		}
		r.judged[[2]string{r.cell, who[1]}]++
		r.add(n, who[1]+" and "+p[2], p[1]+" "+p[3]+p[4], fmt.Sprintf("%s %.2f%s", side(g.Mean), math.Abs(g.Mean), unsure))
	}
	if p := verdictOurs.FindStringSubmatch(line); p != nil {
		r.judged[[2]string{r.cell, who[1]}]++
		published, _, _ := strings.Cut(r.paper["embed"], " ±")
		beside := 100*stat.Mean(own, nil) - pagetest.Number(r.t, published)
		r.add(n, who[1]+" and the paper", p[1]+" "+p[2], fmt.Sprintf("%s %.2f", side(beside), math.Abs(beside)))
	}
}

// side says where a difference in points lies.
func side(points float64) string {
	switch {
	case math.Abs(points) < 0.005:
		return "level with"
	case points < 0:
		return "below"
	}
	return "above"
}

// The tables of the paper's experiments are what the files of their runs come to, each figure to its last digit, and whatever ran
// stands there.
func TestTablesAreThoseOfTheFiles(t *testing.T) {
	page := pagetest.Read(t, reproduction)
	for k, heading := range []string{"Table 1: ", "Table 2: ", "Table 3: "} {
		o, chosen := readOutcome(t, fmt.Sprintf("table%d", k+1))
		r := &reader{t: t, o: o, chosen: chosen, contender: map[[2]string]bool{}, judged: map[[2]string]int{}}
		text, above := pagetest.Section(t, page, heading)
		for n, line := range strings.Split(text, "\n") {
			r.read(above+n, line)
		}
		for cell := range o {
			for _, method := range []string{"embed", "risk"} {
				if parts := r.judged[[2]string{cell, method}]; parts != 3 {
					t.Errorf("%s: the verdict on %s has %d parts, want those on the control, the rival and the paper", cell, method, parts)
				}
			}
			for contender := range o[cell] {
				if !r.contender[[2]string{cell, contender}] {
					t.Errorf("%s, %s ran and has no line", cell, contender)
				}
			}
		}
		hold(t, r.claims, 50)
	}
}

// hold reports claims that do not hold, and whether there are fewer than there should be.
func hold(t *testing.T, claims []claim, least int) {
	t.Helper()
	if len(claims) < least {
		t.Errorf("%d figures were found, fewer than %d", len(claims), least)
	}
	for _, c := range claims {
		if c.text != c.want {
			t.Error(c.String())
		}
	}
}

// The verdicts below the table of hierarchies.
var (
	hierarchyVerdict = regexp.MustCompile(`^\*\*([\w-]+)\*\*, compared on `)
	hierarchyPart    = regexp.MustCompile(`\b(plain|risk): (.+?); (above|below|level with) C-HMCNN by (0\.\d{4})\.`)
)

// So is the table of hierarchies, and what is said of each set below it.
func TestHierarchiesAreThoseOfTheFile(t *testing.T) {
	figures, settings, published := map[string]float64{}, map[string]string{}, map[string]float64{}
	for _, r := range pagetest.Records(t, filepath.Join(outcomes, "hmc.csv")) {
		settings[r["set"]+" "+r["method"]] = r["setting"]
		figures[strings.Join([]string{r["set"], r["method"], r["closure"], r["figure"]}, " ")] = pagetest.Number(t, r["value"])
	}
	text, above := pagetest.Section(t, pagetest.Read(t, reproduction), "Hierarchies at full size")
	var claims []claim
	for n, line := range strings.Split(text, "\n") {
		if set := hierarchyVerdict.FindStringSubmatch(line); set != nil {
			for _, v := range hierarchyPart.FindAllStringSubmatch(line, -1) {
				d := 100 * (figures[set[1]+" "+v[1]+" true auprc"] - published[set[1]])
				want := fmt.Sprintf("%s; %s %.4f", settings[set[1]+" "+v[1]], side(d), math.Abs(d)/100)
				claims = append(claims, claim{above + n + 1, set[1] + ", " + v[1], v[2] + "; " + v[3] + " " + v[4], want})
			}
		}
		c := pagetest.Cells(line)
		if len(c) < 10 || c[0] == "set" || strings.HasPrefix(c[0], "---") {
			continue
		}
		of := func(closure, figure string) float64 {
			v, ok := figures[c[0]+" "+c[1]+" "+closure+" "+figure]
			if !ok {
				t.Fatalf("%s, %s: the file has no %s", c[0], c[1], figure)
			}
			return v
		}
		_, test, _ := strings.Cut(c[2], " / ")
		after := of("true", "auprc")
		published[c[0]] = pagetest.Number(t, c[6])
		for k, want := range []string{
			fmt.Sprintf("%.4f", of("false", "auprc")), fmt.Sprintf("**%.4f**", after), c[6],
			fmt.Sprintf("%+.4f", after-published[c[0]]),
			fmt.Sprintf("%.0f of %s", of("false", "rows_violating"), test), fmt.Sprintf("%.0f of %s", of("true", "rows_violating"), test),
		} {
			claims = append(claims, claim{above + n + 1, c[0] + ", " + c[1], c[4+k], want})
		}
	}
	hold(t, claims, 98)
}
