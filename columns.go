package sipc

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/sipc-ml/sipc/dsl"
	"github.com/sipc-ml/sipc/runtime/dataset"
	"github.com/sipc-ml/sipc/runtime/setting"
)

// A columnSummary says of a column what a draft needs to know: what it holds, and how often.
type columnSummary struct {
	name     string
	texts    bool // it holds texts, not numbers
	gaps     bool
	whole    bool // its numbers are integers
	negative bool // one of its numbers is below 0
	distinct int  // how many values there are, gaps left out
	// nearly says that nearly all of its texts would be numbers or dates if they were written otherwise.
	nearly bool
	// sentences says that its texts have several words each.
	sentences bool
	why       string   // what stops its first text from being a number, if that is known
	values    []string // as a spec writes them, in order, where they are at most mostClasses
	counts    []int    // in how many rows each of them is
}

// mostClasses is how many classes a target that is guessed may have.
const mostClasses = 50

// mostLabels is how many labels a target may have of which a draft declares statements. With all of twelve a first look takes a minute or two.
const mostLabels = 12

// mostWhole is how many values whole numbers may have that are taken for classes.
const mostWhole = 10

// lookAt summarizes a column over all rows.
func lookAt(t *dataset.Table, name string) *columnSummary {
	raw := wholeColumn(t, name)
	s := &columnSummary{name: name, texts: raw.Texts != nil, whole: true}
	if s.texts {
		counts := map[string]int{}
		for _, v := range raw.Texts {
			if gap := dataset.IsGap(v); gap {
				s.gaps = true
			} else {
				counts[v]++
			}
		}
		s.doubt(t, counts)
		s.sentences = wordy(counts)
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

// wholeColumn returns all cells of a column.
func wholeColumn(t *dataset.Table, name string) dataset.Raw {
	rows := make([]int, t.Len())
	for i := range rows {
		rows[i] = i
	}
	raw, _ := t.Column(name, rows)
	return raw
}

// doubt notes what stops texts from being numbers, if that is known, and whether it is so of nearly all.
func (s *columnSummary) doubt(t *dataset.Table, counts map[string]int) {
	const nearlyAll = 0.9
	almost := 0
	for _, text := range slices.Sorted(maps.Keys(counts)) {
		why := dataset.WhyText(text, t.Writing)
		if s.why = cmp.Or(s.why, why); why != "" {
			almost++
		} else if _, err := strconv.ParseFloat(text, 64); err == nil {
			almost++
		}
	}
	s.nearly = s.why != "" && float64(almost) >= nearlyAll*float64(len(counts))
}

// wordy reports whether texts have several words each, in the mean.
func wordy(counts map[string]int) bool {
	const several = 3
	words := 0
	for text := range counts {
		words += len(strings.Fields(text))
	}
	return words >= several*len(counts)
}

// keep counts the values of a column, and notes them where they are few.
func keep[V cmp.Ordered](s *columnSummary, counts map[V]int, text func(V) string) {
	if s.distinct = len(counts); s.distinct > mostClasses {
		return
	}
	for _, v := range slices.Sorted(maps.Keys(counts)) {
		s.values, s.counts = append(s.values, text(v)), append(s.counts, counts[v])
	}
}

// mostlyDiffers reports whether a text column of so many rows names rows rather than groups of them.
func (s *columnSummary) mostlyDiffers(rows int) bool {
	return s.distinct > max(20, rows/10) || 2*s.distinct > rows
}

// parts are words by which people say what rows are for, those of `split by` first.
var parts = []string{
	setting.TrainRows, setting.ValidRows, setting.TestRows, setting.UnlabelledRows, "training", "validation", "val", "dev", "testing", "holdout",
}

// splits reports whether a column says of each row whether it trains or tests. Exact says that `split by` takes it as it is.
func (s *columnSummary) splits() (splits, exact bool) {
	holds := func(word string) bool {
		return slices.ContainsFunc(s.values, func(v string) bool { return strings.Trim(v, `"`) == word })
	}
	exact = holds(setting.TrainRows) && holds(setting.TestRows)
	for _, v := range s.values {
		word := strings.Trim(v, `"`)
		exact = exact && slices.Contains(parts[:3], word)
		if !slices.Contains(parts, strings.ToLower(word)) {
			return false, false
		}
		splits = splits || strings.HasPrefix(strings.ToLower(word), setting.TrainRows)
	}
	return splits && len(s.values) > 1, exact
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

// chooseTarget takes the column of that name, or several of 0 and 1 as labels, or guesses one.
func (d *drafting) chooseTarget(name string) error {
	if d.table.HasLabels() && (name == "" || name == dataset.LabelName) {
		return d.takeLabels()
	}
	if name == "" {
		return d.guessTarget()
	}
	at := slices.IndexFunc(d.columns, func(c *columnSummary) bool { return c.name == name })
	if at < 0 && strings.ContainsAny(name, ",*") {
		return d.takeSeveral(name)
	}
	if at < 0 {
		return d.noColumn(name)
	}
	return d.takeColumn(d.columns[at])
}

// noColumn returns the error of a column that is not there.
func (d *drafting) noColumn(name string) error {
	e := &DraftError{fmt.Sprintf("%s has no column %q", d.data, name), cmp.Or(d.table.Unseparated(), "its columns are "+d.columnNames())}
	if d.table.HasLabels() {
		e.Mend = "leave --target out to learn the labels that its rows carry beside the columns; " + e.Mend
	}
	return e
}

// takeSeveral takes columns of 0 and 1 as labels. They are listed with commas between, a * standing for any part of a name.
func (d *drafting) takeSeveral(list string) error {
	var texts []string
	for part := range strings.SplitSeq(list, ",") {
		part = strings.TrimSpace(part)
		before := len(d.aims)
		for _, c := range d.columns {
			if ok, err := path.Match(part, c.name); c.name != part && (err != nil || !ok) || slices.Contains(d.aims, c.name) {
				continue
			}
			if !c.decides() {
				return &DraftError{fmt.Sprintf("%s is not a label: it has values other than 0 and 1", c.name), "take one target by --target NAME, or columns of 0 and 1"}
			}
			d.aims = append(d.aims, c.name)
			texts = append(texts, quoted(c.name))
		}
		if len(d.aims) == before {
			return d.noColumn(part)
		}
	}
	if strings.Contains(list, "*") && !strings.Contains(list, ",") {
		d.takeLabelled(fmt.Sprintf("columns(%q)", list), d.aims)
	} else {
		d.takeLabelled(strings.Join(texts, ", "), d.aims)
	}
	return nil
}

// decides reports whether a column holds 0 and 1 alone, or false and true, as that of a label does.
func (s *columnSummary) decides() bool {
	return s.distinct <= 2 && !slices.ContainsFunc(s.values, func(v string) bool {
		return !slices.Contains([]string{"0", "1", "false", "true"}, strings.ToLower(strings.Trim(v, `"`)))
	})
}

// takeLabelled takes labels as the target, which the spec writes so.
func (d *drafting) takeLabelled(target string, labels []string) {
	d.task, d.target, d.labels = setting.Multilabel, target+" : multilabel", labels
	d.joint, d.many = true, len(labels) > mostLabels
	d.label, d.learner = quoted(labels[0]), "svm(C = grid(0.1, 1, 10))"
	if d.many {
		d.learner = "svm(C = grid(1, 10, 100))" // a label that few rows have needs more
	}
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
		if splits, _ := c.splits(); splits {
			d.why = "the last column but " + c.name + ", which splits the rows"
			continue
		}
		if !dataset.IsIdentifier(c.name) && c.distinct > 1 && (!c.texts || !c.mostlyDiffers(d.table.Len())) {
			d.why = cmp.Or(d.why, "the last column")
			if several := slices.DeleteFunc(slices.Clone(d.columns), func(c *columnSummary) bool { return !c.decides() }); len(several) > 1 {
				d.why += fmt.Sprintf("; --target %q takes several columns of 0 and 1 as labels", several[0].name+","+several[1].name)
			}
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
	d.aims = []string{c.name}
	name := quoted(c.name)
	often := d.table.Len() >= 5*c.distinct // rows of each value, on average
	switch {
	case c.distinct < 2:
		return &DraftError{fmt.Sprintf("every row has the same %s", c.name), "take another target by --target NAME"}
	case c.distinct == 2:
		classes := slices.Clone(c.values)
		if bare := bareTexts(classes); dataset.PositiveFirst(bare[0], bare[1]) {
			slices.Reverse(classes)
		}
		d.task, d.target, d.learner = setting.Binary, fmt.Sprintf("%s : binary(%s)", name, strings.Join(classes, ", ")), "svm(C = grid(0.1, 1, 10))"
		d.positive = classes[1]
	case c.texts && (c.distinct > mostClasses || 2*c.distinct > d.table.Len()):
		return &DraftError{
			fmt.Sprintf("the column %s holds %d different texts in %d rows, too many for classes", c.name, c.distinct, d.table.Len()),
			cmp.Or(c.why, "take another target by --target NAME"),
		}
	case c.texts, c.whole && often && c.distinct <= mostWhole:
		d.task, d.target, d.learner = setting.Class, name+" : class", "softmax(C = grid(1, 10, 100))"
		d.joint, d.label = true, c.values[len(c.values)-1]
		if !c.texts {
			d.why = strings.TrimPrefix(d.why+"; few whole numbers: `: real` if they are amounts", "; ")
		}
	default:
		d.task, d.target, d.learner = setting.Real, name+" : real", "ridge(lambda = grid(0.1, 1, 10))"
	}
	return nil
}

// bareTexts returns texts without the quotes in which a spec writes them.
func bareTexts(written []string) []string {
	out := make([]string, len(written))
	for k, text := range written {
		out[k] = strings.Trim(text, `"`)
	}
	return out
}

// takeLabels settles the task by the labels that a file holds beside its columns.
func (d *drafting) takeLabels() error {
	c := lookAt(d.table, dataset.LabelName)
	several := d.table.Format == dataset.ARFF || c.texts && c.distinct > mostClasses ||
		slices.ContainsFunc(c.values, func(v string) bool { return strings.Contains(v, ",") })
	if !several {
		return d.takeColumn(c)
	}
	d.takeLabelled("labels(data)", rowLabels(d.table))
	d.hierarchy = d.table.HasHierarchy()
	return nil
}

// rowLabels returns the labels that the rows of a table carry, in the order in which they occur.
func rowLabels(t *dataset.Table) (labels []string) {
	seen := map[string]bool{}
	for _, set := range wholeColumn(t, dataset.LabelName).Texts {
		for label := range strings.FieldsFuncSeq(set, func(r rune) bool { return r == ',' || r == '@' }) {
			if !seen[label] {
				seen[label] = true
				labels = append(labels, label)
			}
		}
	}
	return labels
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

// sideOf returns the side of square images whose pixels all columns but the targets' and the rows' names are; 0 where they are none. Their values
// are not negative, as those of pixels are, or the columns are called so.
func sideOf(columns []*columnSummary, aims []string) int {
	const least = 8
	pixels, others := pixelsOf(columns)
	for _, c := range others {
		if !slices.Contains(aims, c.name) && !dataset.IsIdentifier(c.name) {
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
