package sipc

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/sipc-ml/sipc/dsl"
	"github.com/sipc-ml/sipc/runtime/dataset"
)

// A columnSummary says of a column what a draft needs to know: what it holds, and how often.
type columnSummary struct {
	name     string
	texts    bool // it holds texts, not numbers
	gaps     bool
	whole    bool     // its numbers are integers
	negative bool     // one of its numbers is below 0
	distinct int      // how many values there are, gaps left out
	why      string   // what stops its first text from being a number, if that is known
	values   []string // as a spec writes them, in order, where they are at most mostClasses
}

// mostClasses is how many classes a target that is guessed may have.
const mostClasses = 50

// mostWhole is how many values whole numbers may have that are taken for classes.
const mostWhole = 10

// lookAt summarizes a column over all rows.
func lookAt(t *dataset.Table, name string) *columnSummary {
	rows := make([]int, t.Len())
	for i := range rows {
		rows[i] = i
	}
	raw, _ := t.Column(name, rows)
	s := &columnSummary{name: name, texts: raw.Texts != nil, whole: true}
	if s.texts {
		counts := map[string]int{}
		for _, v := range raw.Texts {
			if s.gaps = s.gaps || v == ""; v != "" {
				if len(counts) == 0 {
					s.why = dataset.WhyText(v)
				}
				counts[v]++
			}
		}
		keep(s, counts, quoted)
		return s
	}
	counts := map[float64]int{}
	for _, v := range raw.Numbers {
		if math.IsNaN(v) {
			s.gaps = true
			continue
		}
		s.whole = s.whole && v == math.Trunc(v)
		s.negative = s.negative || v < 0
		counts[v]++
	}
	keep(s, counts, func(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) })
	return s
}

// keep counts the values of a column, and notes them where they are few.
func keep[V cmp.Ordered](s *columnSummary, counts map[V]int, text func(V) string) {
	if s.distinct = len(counts); s.distinct > mostClasses {
		return
	}
	for _, v := range slices.Sorted(maps.Keys(counts)) {
		s.values = append(s.values, text(v))
	}
}

// mostlyDiffers reports whether a text column of so many rows names rows rather than groups of them.
func (s *columnSummary) mostlyDiffers(rows int) bool {
	return s.distinct > max(20, rows/10) || 2*s.distinct > rows
}

// quoted returns a name or text as a spec writes it.
func quoted(name string) string {
	words := dsl.Keywords()
	known := slices.Concat(words.Statements, words.Items, words.Reserved, words.Linking, words.Aggregations, words.Units)
	if dsl.IsName(name) && dsl.Spell(name) == name && !slices.Contains(known, name) {
		return name
	}
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`, "\t", `\t`).Replace(name) + `"`
}

// usualTargets are names by which people call what is to be predicted.
var usualTargets = []string{"target", "label", "class", "y", "outcome", "response"}

// chooseTarget takes the column of that name, or guesses one.
func (d *drafting) chooseTarget(name string) error {
	if d.table.HasLabels() && (name == "" || name == dataset.LabelName) {
		return d.takeLabels()
	}
	if name == "" {
		return d.guessTarget()
	}
	at := slices.IndexFunc(d.columns, func(c *columnSummary) bool { return c.name == name })
	if at < 0 {
		e := &DraftError{fmt.Sprintf("%s has no column %q", d.data, name), cmp.Or(d.table.Unseparated(), "its columns are "+d.columnNames())}
		if d.table.HasLabels() {
			e.Mend = "leave --target out to learn the labels that its rows carry beside the columns; " + e.Mend
		}
		return e
	}
	return d.takeColumn(d.columns[at])
}

// guessTarget takes the column of a usual name, or that which stands beside pixels, or the last that can be learned.
func (d *drafting) guessTarget() error {
	at := slices.IndexFunc(d.columns, func(c *columnSummary) bool {
		return c.distinct > 1 && slices.Contains(usualTargets, strings.ToLower(c.name))
	})
	if at >= 0 {
		d.why = "it is called so"
		return d.takeColumn(d.columns[at])
	}
	if pixels, others := pixelsOf(d.columns); len(pixels) > 0 && len(others) == 1 && others[0].distinct > 1 {
		d.why = "the one column beside " + pixels[0].name + " to " + pixels[len(pixels)-1].name
		return d.takeColumn(others[0])
	}
	for _, c := range slices.Backward(d.columns) {
		if !strings.EqualFold(c.name, "id") && c.distinct > 1 && (!c.texts || !c.mostlyDiffers(d.table.Len())) {
			d.why = "the last column"
			return d.takeColumn(c)
		}
	}
	return &DraftError{d.data + " has no column that could be learned", "give one whose values differ, by --target NAME"}
}

// columnNames lists the columns of a table, the first of them where they are many.
func (d *drafting) columnNames() string {
	const most = 20
	names := d.table.ColumnNames()
	if len(names) > most {
		return strings.Join(names[:most], ", ") + fmt.Sprintf(" and %d more", len(names)-most)
	}
	return strings.Join(names, ", ")
}

// takeColumn settles the task by the values of a column.
func (d *drafting) takeColumn(c *columnSummary) error {
	d.aim = c.name
	name := quoted(c.name)
	often := d.table.Len() >= 5*c.distinct // rows of each value, on average
	switch {
	case c.distinct < 2:
		return &DraftError{fmt.Sprintf("every row has the same %s", c.name), "take another target by --target NAME"}
	case c.distinct == 2:
		d.target, d.learner = fmt.Sprintf("%s : binary(%s)", name, strings.Join(c.values, ", ")), "svm(C = grid(0.1, 1, 10))"
	case c.texts && (c.distinct > mostClasses || 2*c.distinct > d.table.Len()):
		return &DraftError{
			fmt.Sprintf("the column %s holds %d different texts in %d rows, too many for classes", c.name, c.distinct, d.table.Len()),
			cmp.Or(c.why, "take another target by --target NAME"),
		}
	case c.texts, c.whole && often && c.distinct <= mostWhole:
		d.target, d.learner = name+" : class", "softmax(C = grid(1, 10, 100))"
		d.joint, d.label = true, c.values[len(c.values)-1]
		if !c.texts {
			d.why = strings.TrimPrefix(d.why+"; few whole numbers: `: real` if they are amounts", "; ")
		}
	default:
		d.target, d.learner = name+" : real", "ridge(lambda = grid(0.1, 1, 10))"
	}
	return nil
}

// takeLabels settles the task by the labels that a file holds beside its columns.
func (d *drafting) takeLabels() error {
	c := lookAt(d.table, dataset.LabelName)
	several := d.table.Format == dataset.ARFF || c.distinct > mostClasses ||
		slices.ContainsFunc(c.values, func(v string) bool { return strings.Contains(v, ",") })
	if !several {
		return d.takeColumn(c)
	}
	d.target, d.learner, d.joint = "labels(data) : multilabel", "svm(C = grid(0.1, 1, 10))", true
	d.hierarchy = d.table.HasHierarchy()
	return nil
}

// pixelsOf returns the columns that are called by a prefix that most share and a number, and the others.
func pixelsOf(columns []*columnSummary) (pixels, others []*columnSummary) {
	counts := map[string]int{}
	for _, c := range columns {
		counts[stem(c.name)]++
	}
	for _, c := range columns {
		if at := stem(c.name); at != c.name && !c.texts && 2*counts[at] > len(columns) {
			pixels = append(pixels, c)
		} else {
			others = append(others, c)
		}
	}
	return pixels, others
}

func stem(name string) string { return strings.TrimRight(name, "0123456789") }

// sideOf returns the side of square images whose pixels all columns but the target's and the rows' names are; 0 where they are none. Their values
// are not negative, as those of pixels are, or the columns are called so.
func sideOf(columns []*columnSummary, aim string) int {
	const least = 8
	pixels, others := pixelsOf(columns)
	for _, c := range others {
		if c.name != aim && !strings.EqualFold(c.name, "id") {
			return 0
		}
	}
	side := int(math.Round(math.Sqrt(float64(len(pixels)))))
	if side < least || side*side != len(pixels) {
		return 0
	}
	named := strings.HasPrefix(strings.ToLower(pixels[0].name), "pix")
	if !named && slices.ContainsFunc(pixels, func(c *columnSummary) bool { return c.negative }) {
		return 0
	}
	return side
}
