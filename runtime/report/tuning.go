package report

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/stat"
)

// A Tuning is how the numbers that a spec leaves open were chosen, without a look at the test rows.
type Tuning struct {
	Spec   string `json:"spec"`
	Data   string `json:"data"`
	Seed   uint64 `json:"seed"`
	Task   string `json:"task"`
	Method string `json:"method"`
	NTrain int    `json:"n_train"`
	NValid int    `json:"n_valid,omitempty"`
	NTest  int    `json:"n_test"` // rows that were held out, and not looked at

	Grid     *Grid        `json:"grid"`
	Numbers  []Tuned      `json:"numbers"`
	Rivals   []TunedRival `json:"rivals,omitempty"`
	Nested   *Summary     `json:"nested,omitempty"` // where it was asked for
	Warnings []string     `json:"warnings,omitempty"`

	SpecSHA256 string `json:"spec_sha256"`
	DataSHA256 string `json:"data_sha256"`
}

// Tuned is a number that was chosen.
type Tuned struct {
	Name  string   `json:"name"` // where it stands: "svm.C", or the name of a let or an invariance
	Value string   `json:"value"`
	Of    []string `json:"of"` // the values of its grid, ascending
	Place string   `json:"place"`
	// End says that it is the "smallest" or the "largest" of its grid, so that a better one may lie beyond; empty says neither.
	End  string `json:"end,omitempty"`
	Auto bool   `json:"auto,omitempty"` // it stands for `auto`
}

// A TunedRival is the best setting of a rival on the folds, or valid rows, on which the spec's numbers were chosen.
type TunedRival struct {
	Name    string `json:"name"`
	Setting string `json:"setting"`
	Score   Number `json:"score"`
	Error   Number `json:"error"` // standard error of the mean over folds
	// Difference says how far the spec's own score lies above the rival's in the mean of folds. Interval is half of the 95 % interval by Student's t,
	// with the variance of Nadeau and Bengio where folds are drawn. Both are scores of the best of several, and so too good.
	Difference Number  `json:"difference"`
	Interval   Number  `json:"difference_interval"`
	Search     []Tried `json:"search"` // all settings
}

// Compare sets the differences of scores, own and the rival's by fold. Without own ones there are none. One fold, as valid rows are, has no interval.
// Later says that each fold is predicted from the rows before it alone.
func (r *TunedRival) Compare(own, others []float64, later bool) {
	nan := Number(math.NaN())
	r.Difference, r.Interval, r.Error = nan, nan, nan
	n := float64(len(others))
	if n > 1 {
		_, deviation := stat.MeanStdDev(others, nil)
		r.Error = Number(deviation / math.Sqrt(n))
	}
	if len(own) != len(others) {
		return
	}
	differences := make([]float64, len(own))
	for k := range own {
		differences[k] = own[k] - others[k]
	}
	overlap := 1 / (n - 1)
	if later {
		overlap = 0
	}
	r.Difference, r.Interval = interval(differences, overlap)
}

// WriteJSON writes the choice as one JSON object and a line end.
func (t *Tuning) WriteJSON(w io.Writer) error { return writeJSON(w, t) }

// WriteTable writes the choice for a reader at a terminal.
func (t *Tuning) WriteTable(w io.Writer) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%s on %s\nmethod %s, %s target, %s", t.Spec, t.Data, t.Method, t.Task, Counted(t.NTrain, "training row"))
	if t.NValid > 0 {
		fmt.Fprintf(&b, ", %s", Counted(t.NValid, "valid row"))
	}
	fmt.Fprintf(&b, "; %s not looked at\n\n", wereOr(t.NTest, "test row"))
	t.Grid.table(&b)
	b.WriteByte('\n')
	for _, n := range t.Numbers {
		fmt.Fprintf(&b, "chosen        %s = %s (%s)\n", n.Name, n.Value, n.Place)
	}
	t.rivals(&b)
	for _, n := range t.Numbers {
		b.WriteString(n.hint())
	}
	for _, text := range t.Grid.Bearing() {
		fmt.Fprintf(&b, "hint: %s\n", text)
	}
	for _, text := range t.Warnings {
		fmt.Fprintf(&b, "warning: %s\n", firstLine(text))
	}
	if _, err := io.WriteString(w, b.String()); err != nil || t.Nested == nil {
		return err
	}
	if _, err := io.WriteString(w, "\n"); err != nil {
		return err
	}
	return t.Nested.WriteTable(w)
}

// hint says where a better value may lie; empty where the value lies between others.
func (n *Tuned) hint() string {
	switch {
	case n.End == "":
		return ""
	case n.Auto:
		return fmt.Sprintf("hint: %s is the %s that auto stands for; 10 * auto or 0.1 * auto looks further\n", n.Name, n.End)
	}
	return fmt.Sprintf("hint: %s is the %s of its grid; a better value may lie beyond it\n", n.Name, n.End)
}

// rivals writes a line for each rival.
func (t *Tuning) rivals(b *strings.Builder) {
	if len(t.Rivals) == 0 {
		return
	}
	on := "the same folds"
	if t.Grid.Valid > 0 {
		on = "the same valid rows"
	}
	alike := ""
	if t.Grid.Later {
		alike = " as if the folds were alike, which allows for no change over time"
	}
	fmt.Fprintf(b, "\nrivals        tuned on %s; each score is that of the best of several, and too good; scores ± their standard errors,\n"+
		"              differences ± half of their 95 %% interval%s\n", on, alike)
	rows := &grid{right: []bool{false, true, true, false}}
	rows.add("", t.Grid.Metric, t.Method+" − it", "")
	at := slices.IndexFunc(t.Grid.Scores, func(c Candidate) bool { return c.Chosen })
	rows.add("  "+t.Method, withError(t.Grid.Scores[at].Score, t.Grid.Scores[at].Error), "", t.Grid.Chosen)
	for _, r := range t.Rivals {
		rows.add("  "+r.Name, withError(r.Score, r.Error), withInterval(r.Difference, r.Interval, "+"), r.Setting)
	}
	rows.write(b)
}

// withError returns a mean with its standard error, where there is one.
func withError(mean, deviation Number) string { return withInterval(mean, deviation, "") }

// wereOr says of how many things nothing was done: "3 test rows were".
func wereOr(n int, what string) string {
	if n == 1 {
		return "1 " + what + " was"
	}
	return fmt.Sprintf("%d %ss were", n, what)
}
