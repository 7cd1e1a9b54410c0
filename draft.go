package sipc

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/sipc-ml/sipc/dsl"
	"github.com/sipc-ml/sipc/runtime/dataset"
	"github.com/sipc-ml/sipc/runtime/setting"
)

// A Draft is a first spec for data: what their columns show, and what may be declared of them.
type Draft struct {
	Text    string
	Target  string // as the spec writes it: price : real
	Why     string // why that is the target, where nobody said so; else empty
	LeftOut []string
}

// A DraftError is data for which no spec can be drafted as asked.
type DraftError struct{ Problem, Mend string }

// Error returns the problem and how to mend it.
func (e *DraftError) Error() string { return e.Problem + "; " + e.Mend }

// Sizes of a first try.
const (
	firstRows  = 800  // training rows
	lookRows   = 200  // of a first look
	manyRows   = 1200 // above which not all are taken
	testedRows = 2000
	mostSlow   = 6 // columns in one invariance
)

// NewDraft drafts a spec for a data file. An empty target is guessed. The spec has no errors on these data.
func NewDraft(ctx context.Context, data, target string) (*Draft, error) {
	table, err := openData(ctx, data)
	if err != nil {
		return nil, err
	}
	d := &drafting{table: table, data: data}
	for _, name := range table.ColumnNames() {
		d.columns = append(d.columns, lookAt(table, name))
	}
	if err := d.chooseTarget(target); err != nil {
		return nil, err
	}
	if err := d.chooseFeatures(); err != nil {
		return nil, err
	}
	d.suggest()
	text, err := d.text(ctx)
	if err != nil {
		return nil, err
	}
	return &Draft{Text: text, Target: d.target, Why: d.why, LeftOut: d.leftOut}, nil
}

// A drafting is a draft on its way.
type drafting struct {
	table   *dataset.Table
	data    string
	columns []*columnSummary

	target  string   // as the spec writes it
	aims    []string // the columns of the target; none where the file holds labels beside its columns
	why     string
	joint   bool     // f is a function of the label too
	many    bool     // there are too many labels for a statement of each in a first try
	label   string   // one of its labels, as the spec writes it
	labels  []string // of a target of labels
	learner string
	image   int // the side of the images; 0: a table
	numbers []*columnSummary
	groups  []*columnSummary
	leftOut []string
	split   *columnSummary   // says what each row is for; nil leaves that to a draw
	ignored []*columnSummary // likewise, in words that `split by` does not take
	gaps    bool             // among the numbers of features
	// hierarchy says that labels lie below others, as the file declares it.
	hierarchy bool
	closed    bool // the embedding has a closed form, which method warp takes

	undecided bool // some rows have no target

	active    []suggestion // is declared
	suggested []suggestion // stands in comments
}

// A suggestion is an invariance and when it is true.
type suggestion struct {
	when, name, body string
}

func (s suggestion) declaration() string { return "invariance " + s.name + " = " + s.body }

// chooseFeatures tells apart what each column may be to an invariance, and leaves out texts that are mostly different.
func (d *drafting) chooseFeatures() error {
	for _, c := range d.columns {
		switch {
		case slices.Contains(d.aims, c.name), strings.EqualFold(c.name, "id"), c.distinct < 2, d.dividedBy(c):
		case c.texts && c.mostlyDiffers(d.table.Len()):
			left := c.name
			if c.why != "" {
				left += " (" + c.why + ")"
			}
			d.leftOut = append(d.leftOut, left)
		case c.texts, c.distinct == 2:
			d.groups = append(d.groups, c)
		default:
			d.numbers = append(d.numbers, c)
		}
		aim := slices.Contains(d.aims, c.name)
		d.gaps = d.gaps || !aim && !c.texts && c.gaps
		d.undecided = d.undecided || aim && c.gaps
	}
	if len(d.numbers)+len(d.groups) == 0 {
		return &DraftError{d.data + " has no column to predict the target by", "columns of one value, of rows' names and of texts that are mostly different tell nothing"}
	}
	d.image = cmp.Or(d.table.Height, sideOf(d.columns, d.aims))
	return nil
}

// dividedBy reports whether a column says what rows are for, and takes it for that.
func (d *drafting) dividedBy(c *columnSummary) bool {
	splits, exact := c.splits()
	switch {
	case splits && exact && d.split == nil:
		d.split = c
	case splits:
		d.ignored = append(d.ignored, c)
	}
	return splits
}

// suggest says what may be true of the columns. Of many labels a first try declares nothing, as statements of all of them take long.
func (d *drafting) suggest() {
	if d.image > 0 {
		d.declare(suggestion{
			when: "What is seen stays the same when it is turned a little or moved by a pixel.", name: "steady",
			body: d.over() + "max over t in {\nrotate(10deg), rotate(-10deg), shift(dx = 1), shift(dx = -1), shift(dy = 1), shift(dy = -1)\n} of |" +
				d.f("t(x)", d.each()) + " - " + d.f("x", d.each()) + "|",
		})
		return
	}
	switch {
	case d.hierarchy:
		d.declare(suggestion{
			when: "A label implies the labels above it, as the file has them.", name: "up",
			body: "rms over x of max over (child, parent) in edges(taxonomy(data)) of implies(child, parent)",
		})
	case len(d.labels) > 1:
		d.suggested = append(d.suggested, suggestion{
			when: `If a row with one label always has another (for all of a file "child,parent": max over (a, b) in edges(taxonomy("FILE.csv")) of implies(a, b))`,
			name: "implied", body: "rms over x of implies(" + quoted(d.labels[0]) + ", " + quoted(d.labels[1]) + ")",
		})
	}
	if slow := d.numbers[:min(len(d.numbers), mostSlow)]; len(slow) > 0 {
		steady := suggestion{
			when: "Small errors of measurement hardly matter: f changes slowly along each of these columns" + firstOf(len(slow), len(d.numbers)) + ".",
			name: "steady", body: d.over() + d.slow(slow),
		}
		d.declare(steady)
		d.suggested = append(d.suggested, suggestion{
			when: "If the score cannot fall with " + slow[0].name + " (with d/d in place of -d/d: cannot rise)", name: "rising",
			body: "rms over x of pos(-d/d(" + quoted(slow[0].name) + ") " + d.f("", d.label) + ")",
		})
	}
	if at := slices.IndexFunc(d.groups, func(c *columnSummary) bool { return c.texts && len(c.values) > 1 }); at >= 0 && !d.joint {
		c := d.groups[at]
		text := func(value string) string { return strconv.Quote(strings.Trim(value, `"`)) }
		d.suggested = append(d.suggested, suggestion{
			when: "If the mean score is to be the same in two groups of " + c.name + ", which may cost error", name: "alike",
			body: fmt.Sprintf("parity_between(%s, %s, %s)", quoted(c.name), text(c.values[0]), text(c.values[1])),
		})
	}
}

// declare declares a statement, or suggests it where there are many labels or a hierarchy is declared already.
func (d *drafting) declare(s suggestion) {
	if !d.many && len(d.active) == 0 {
		d.active = append(d.active, s)
		return
	}
	s.when = "If " + strings.ToLower(s.when[:1]) + strings.TrimSuffix(s.when[1:], ".")
	d.suggested = append(d.suggested, s)
}

// each returns the label of a statement: a bound one, or the first of many.
func (d *drafting) each() string {
	if d.many {
		return d.label
	}
	return "c"
}

// firstOf says that some columns stand for all; empty where they are all.
func firstOf(some, all int) string {
	if some == all {
		return ""
	}
	return fmt.Sprintf(" (the first %d of %d; take those that you mean)", some, all)
}

// over quantifies over rows, and over labels where f is a function of few.
func (d *drafting) over() string {
	if d.joint && !d.many {
		return "rms over x, c in labels of "
	}
	return "rms over x of "
}

// f returns f at a point and a label, as far as it is a function of them.
func (d *drafting) f(point, label string) string {
	var at []string
	if point != "" {
		at = append(at, point)
	}
	if d.joint && label != "" {
		at = append(at, label)
	}
	if len(at) == 0 {
		return "f"
	}
	return "f(" + strings.Join(at, ", ") + ")"
}

// slow writes the size of the slopes of f along some columns: their 2-norm if there are several.
func (d *drafting) slow(columns []*columnSummary) string {
	parts := make([]string, len(columns))
	for i, c := range columns {
		parts[i] = "|d/d(" + quoted(c.name) + ") " + d.f("", d.each()) + "|"
	}
	switch {
	case len(parts) == 1:
		return parts[0]
	case len(parts) > 3: // too long for a line
		return "hypot(\n" + strings.Join(parts, ",\n") + "\n)"
	}
	return "hypot(" + strings.Join(parts, ", ") + ")"
}

// text writes the spec. Suggestions that the compiler refuses are left out; the rest is grounded on the data.
func (d *drafting) text(ctx context.Context) (string, error) {
	spec := filepath.Join(filepath.Dir(d.data), "draft.inv")
	d.suggested = slices.DeleteFunc(d.suggested, func(s suggestion) bool {
		tried := *d
		tried.active, tried.suggested = []suggestion{s}, nil
		checked := NewSpec(ctx, spec, []byte(tried.write()), SpecOptions{})
		defer checked.Close() //nolint:errcheck // a draft uses no plugin
		return checked.Err() != nil
	})
	d.closed = len(d.active) > 0
	tried := NewSpec(ctx, spec, []byte(d.write()), SpecOptions{})
	defer tried.Close() //nolint:errcheck // a draft uses no plugin
	d.closed = d.closed && tried.Err() == nil
	text := d.write()
	file, list := dsl.Parse(spec, []byte(text))
	if list.HasErrors() {
		return "", fmt.Errorf("sipc: the draft cannot be read: %w\n%s", list, text)
	}
	text = string(dsl.Format(file))
	checked := NewSpec(ctx, spec, []byte(text), SpecOptions{})
	defer checked.Close() //nolint:errcheck // a draft uses no plugin
	_, err := checked.Explain(ctx, ExplainOptions{Data: d.data})
	return text, err
}

// write returns the spec as text: what is active as declarations, and suggestions behind #.
func (d *drafting) write() string {
	var b strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	line("# A first spec for %s, %d rows. Declare what is true of them, and nothing else.", oneLine(filepath.Base(d.data)), d.table.Len())
	line("# What stands after # counts for nothing until the # is taken away.")
	d.writeData(line)
	line("kernel   gaussian(width = median)")
	line("features nystrom(landmarks = all)\n")
	names := make([]string, len(d.active))
	for i, s := range d.active {
		line("# %s\n%s", oneLine(s.when), s.declaration())
		names[i] = s.name
	}
	for _, s := range d.suggested {
		line("\n# %s, declare this and add it to regularize: , auto * %s\n# %s", oneLine(s.when), s.name, oneLine(s.declaration()))
	}
	if len(names) > 0 {
		line("\n# auto: the largest weight within one standard error of the best %s, none at all being one of them.", d.judges())
		line("regularize auto * %s", strings.Join(names, ", auto * "))
	} else if len(d.suggested) > 0 {
		line("# regularize auto * %s", d.suggested[0].name)
	}
	if d.many {
		line("# There are %d labels: statements of all of them take long with auto, so try a weight of 1 and one C first.", len(d.labels))
	}
	line("learn %s  # chosen %s, too", d.learner, d.judges())
	if d.closed {
		line("\n# The embedding in closed form. Take this line away with a statement that is not a root of squares, such as increasing(c).\nmethod warp")
	}
	if d.hierarchy && !d.many {
		line("decode closure  # no decision has a label without those above it")
	}
	return b.String()
}

// judges says where weights are compared.
func (d *drafting) judges() string {
	if d.split != nil && slices.Contains(d.split.values, quoted(setting.ValidRows)) {
		return "on the valid rows"
	}
	return "in five folds"
}

// oneLine returns a text of the data as a comment may hold it.
func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }

// writeData writes the data block.
func (d *drafting) writeData(line func(string, ...any)) {
	many := d.table.Len() > manyRows && d.split == nil
	if many {
		line("let training = %d  # rows to train on; a first look with fewer is faster: sipc run with --set training=%d", firstRows, lookRows)
	}
	line("data {")
	note := ""
	if d.why != "" {
		note = "  # a guess: " + d.why
	}
	line("target %s%s", d.target, note)
	if len(d.leftOut) > 0 {
		line("# left out, as most rows differ: %s", oneLine(strings.Join(d.leftOut, ", ")))
		var kept []string
		for _, c := range append(slices.Clone(d.numbers), d.groups...) {
			kept = append(kept, quoted(c.name))
		}
		line("columns %s", strings.Join(kept, ", "))
	}
	if d.image > 0 && d.table.Height == 0 {
		line("columns image(%d, %d)", d.image, d.image)
	}
	for _, c := range d.ignored {
		line("ignore %s  # says %s: `split by` takes train, valid and test, and one such column", quoted(c.name), oneLine(strings.Join(c.values, ", ")))
	}
	if d.split != nil {
		line("split by %s  # its train rows train, its test rows are looked at last", quoted(d.split.name))
	}
	if n := d.table.Len(); many {
		line("split train = training, test = %d  # without this line a quarter is held out, and the rest trains", min(testedRows, n-firstRows))
	}
	if d.undecided {
		line("missing drop  # rows with a gap, for some have no target")
	} else if d.gaps {
		line("missing mask  # gaps get the column's mean, and a column that says so")
	}
	if d.image == 0 {
		line("standardize")
	}
	line("}")
}
