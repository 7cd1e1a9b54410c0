package report

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// A Lint says how far an invariance is from being true of the labels.
type Lint struct {
	Name       string `json:"name"`
	Doubtful   bool   `json:"doubtful"`    // it is broken so often that a run warns of it
	Share      Number `json:"share"`       // of the rows that break it, or of the comparisons of rows; null where labels cannot tell
	Rows       int    `json:"rows"`        // that it looks at
	RowsBroken int    `json:"rows_broken"` // that break it somewhere
	Members    int    `json:"members"`     // functionals that labels can judge
	Broken     int    `json:"members_broken"`
	// Chance is the share of comparisons that labels break which are shuffled among the rows; absent where no rows are compared.
	Chance    *Number    `json:"chance,omitempty"`
	Untold    int        `json:"untold"`                   // functionals of which labels cannot tell
	Why       string     `json:"why,omitempty"`            // they cannot
	Offenders []Offender `json:"offenders"`                // the worst first
	More      int        `json:"more_offenders,omitempty"` // that are left out of Offenders
}

// An Offender is a statement that the truth breaks: one implication, one exclusion, one comparison.
type Offender struct {
	Part    string    `json:"part"` // implies(cat, animal)
	Members int       `json:"members"`
	Broken  int       `json:"broken"`
	Worst   []Offence `json:"worst"`
}

// An Offence is where a statement is broken.
type Offence struct {
	Rows  []string `json:"rows"` // by the column id, else by their numbers in the data file, from 1
	Value Number   `json:"value"`
}

// Summary returns one line: which share of what breaks it.
func (l *Lint) Summary() string {
	switch {
	case l.Members == 0:
		return "labels cannot tell whether it is true: " + l.Why
	case l.Single():
		return l.difference() + " between the groups that it compares"
	case l.Chance != nil:
		told := ""
		if l.Untold > 0 {
			told = " that labels can judge"
		}
		return fmt.Sprintf("%s of its %s%s break it; of shuffled labels, %s do",
			share(float64(l.Share)), Counted(l.Members, "comparison"), told, share(float64(*l.Chance)))
	}
	return fmt.Sprintf("%s of the rows break it (%d of %d)", share(float64(l.Share)), l.RowsBroken, l.Rows)
}

// Single reports whether the invariance is one comparison of many rows, as parity is: a share of its comparisons would say nothing.
func (l *Lint) Single() bool { return l.Members == 1 && l.Chance != nil }

// difference says how much the labels differ in the one comparison of an invariance.
func (l *Lint) difference() string {
	if l.Broken == 0 || len(l.Offenders) == 0 || len(l.Offenders[0].Worst) == 0 {
		return "labels differ no more than by chance"
	}
	return "labels differ by " + figureText(math.Abs(float64(l.Offenders[0].Worst[0].Value)))
}

// share returns a share in percent. A few that are not none make at least something, and almost all never all.
func share(v float64) string {
	switch p := 100 * v; {
	case math.IsNaN(v):
		return "an unknown share"
	case p > 0 && p < 0.1:
		return "less than 0.1 %"
	case p == math.Trunc(p), p >= 10 && p < 99.5:
		return strconv.FormatFloat(p, 'f', 0, 64) + " %"
	default:
		return strconv.FormatFloat(p, 'f', 1, 64) + " %"
	}
}

// Counted returns "1 row", "2 rows".
func Counted(n int, word string) string {
	if n == 1 {
		return "1 " + word
	}
	return strconv.Itoa(n) + " " + word + "s"
}

// Keep keeps the first offenders, and counts the others.
func (l *Lint) Keep(most int) {
	if left := len(l.Offenders) - most; left > 0 {
		l.More += left
		l.Offenders = l.Offenders[:most]
	}
}

// Worst says which statements are broken most often, such as `Most often: excludes(cat, dog) 12 times.` Where one statement compares rows it names
// such rows. It is empty where there is one comparison alone.
func (l *Lint) Worst(most int) string {
	switch {
	case l.Members == 1:
		return ""
	case l.Chance != nil && len(l.Offenders) == 1:
		where := strings.TrimSuffix(l.Offenders[0].where(), ", …")
		if where == "" {
			return ""
		}
		if strings.Contains(where, "–") {
			where = "between " + where
		}
		return "Such as " + where + "."
	}
	var parts []string
	for _, o := range l.Offenders[:min(most, len(l.Offenders))] {
		parts = append(parts, fmt.Sprintf("%s %s", o.Part, Counted(o.Broken, "time")))
	}
	return "Most often: " + strings.Join(parts, ", ") + "."
}

// LintText returns what is said of all invariances, with so many offenders of each.
func LintText(lints []Lint, most int) string {
	var b strings.Builder
	for i := range lints {
		l := &lints[i]
		mark := ""
		if l.Doubtful {
			mark = "  !"
		}
		fmt.Fprintf(&b, "%s  %s%s\n", l.Name, l.Summary(), mark)
		if l.Members > 0 && l.Untold > 0 {
			fmt.Fprintf(&b, "  of %s labels cannot tell: %s\n", Counted(l.Untold, "functional"), l.Why)
		}
		t := &grid{right: []bool{false, true, false}}
		for _, o := range l.Offenders[:min(most, len(l.Offenders))] {
			t.add("  "+o.Part, fmt.Sprintf("%d of %d", o.Broken, o.Members), o.where())
		}
		t.write(&b)
		if more := len(l.Offenders) - most; more > 0 {
			fmt.Fprintf(&b, "  and %d more (--top %d)\n", more, len(l.Offenders))
		}
	}
	return b.String()
}

// where names the rows of the worst offences. It is empty where they compare means of groups, of which no row is at fault.
func (o *Offender) where() string {
	var names []string
	pairs := false
	for _, w := range o.Worst {
		pairs = pairs || len(w.Rows) > 1
		if len(w.Rows) > 0 {
			names = append(names, strings.Join(w.Rows, "–"))
		}
	}
	if len(names) == 0 {
		return ""
	}
	s := strings.Join(names, ", ")
	if o.Broken > len(o.Worst) {
		s += ", …"
	}
	word := "row "
	if pairs || len(names) > 1 {
		word = "rows "
	}
	return word + s
}
