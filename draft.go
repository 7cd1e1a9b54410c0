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
	Target  string   // as the spec writes it: price : real
	Why     string   // why that is the target, where nobody said so; else empty
	LeftOut []string // the columns that are ignored, each with the reason
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
	mostProved = 3 // columns of a function of whole rows of which a slope is proved soon
)

// NewDraft drafts a spec for a data file. An empty target is guessed. The spec has no errors on these data.
func NewDraft(ctx context.Context, data, target string) (*Draft, error) {
	table, err := openData(ctx, data)
	if err != nil {
		return nil, err
	}
	profile, err := dataset.ProfileOf(ctx, table)
	if err != nil {
		return nil, err
	}
	d := newDrafting(table, profile)
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

// newDrafting begins a draft for a table, of which the profile tells.
func newDrafting(t *dataset.Table, p *dataset.Profile) *drafting {
	d := &drafting{table: t, profile: p, data: t.Path}
	for _, name := range t.ColumnNames() {
		d.columns = append(d.columns, lookAt(t, name))
	}
	return d
}

// A drafting is a draft on its way.
type drafting struct {
	table   *dataset.Table
	profile *dataset.Profile
	data    string
	columns []*columnSummary

	target string // as the spec writes it
	task   setting.Task
	aims   []string // the columns of the target; none where the file holds labels beside its columns
	why    string
	joint  bool // f is a function of the label too
	// positive is the class of which scores above 0 are, as the spec writes it; empty where there are not two.
	positive string
	many     bool     // there are too many labels for a statement of each in a first try
	label    string   // one of its labels, as the spec writes it
	labels   []string // of a target of labels
	learner  string
	image    int // the side of the images; 0: a table
	numbers  []*columnSummary
	groups   []*columnSummary
	dates    []*columnSummary // among numbers, as `types` makes them such
	words    []*columnSummary // texts whose words are features
	id       *columnSummary   // names the rows; nil where none but one called id does
	split    *columnSummary   // says what each row is for; nil leaves that to a draw
	ignored  []*columnSummary
	leftOut  []string // the ignored columns with the reasons
	gaps     bool     // among the numbers of features
	// hierarchy says that labels lie below others, as the file declares it.
	hierarchy bool
	closed    bool // the first suggestion has a closed form, which method warp takes

	undecided bool // some rows have no target

	active    []suggestion // is declared
	suggested []suggestion // stands in comments
}

// A suggestion is a statement and when it is true.
type suggestion struct {
	when, name, body string
	required         bool // it is a requirement, not an invariance
}

// declaration returns the statement as the spec writes it.
func (s suggestion) declaration() string {
	if s.required {
		return "require " + s.name + " = " + s.body
	}
	return "invariance " + s.name + " = " + s.body
}

// chooseFeatures tells apart what each column may be to an invariance. It leaves out columns that tell nothing, and takes the words of texts.
func (d *drafting) chooseFeatures() error {
	d.image = cmp.Or(d.table.Height, sideOf(d.columns, d.aims))
	for _, c := range d.columns {
		aim := slices.Contains(d.aims, c.name)
		d.undecided = d.undecided || aim && c.gaps
		switch {
		case aim, dataset.IsIdentifier(c.name), dividedBy(d, c), d.image == 0 && (takeDates(d, c) || d.setAside(c)), c.distinct < 2:
		case c.texts && c.mostlyDiffers(d.table.Len()):
			d.words = append(d.words, c)
		case c.texts, c.distinct == 2:
			d.groups = append(d.groups, c)
			d.gaps = d.gaps || !c.texts && c.gaps
		default:
			d.numbers = append(d.numbers, c)
			d.gaps = d.gaps || c.gaps
		}
	}
	if len(d.numbers)+len(d.groups)+len(d.words) == 0 {
		return &DraftError{d.data + " has no column to predict the target by", "columns of one value, of rows' names and of texts that are mostly different tell nothing"}
	}
	return nil
}

// takeDates reports whether a column holds dates, and takes it for a number.
func takeDates(d *drafting, c *columnSummary) bool {
	if d.profile.Column(c.name).Kind != dataset.KindDate || c.distinct < 2 {
		return false
	}
	d.dates, d.numbers = append(d.dates, c), append(d.numbers, c)
	d.gaps = d.gaps || c.gaps
	return true
}

// setAside reports whether a column tells nothing of a row, and notes why. It has one value, names the rows, or its texts are mostly different
// and no sentences.
func (d *drafting) setAside(c *columnSummary) bool {
	of := d.profile.Column(c.name)
	switch {
	case c.distinct == 0:
		d.leave(c, "no value")
	case c.distinct == 1 && !c.gaps:
		d.leave(c, "one value in every row")
	case of.NamesRows() && d.id == nil:
		d.id = c
	case of.NamesRows():
		d.leave(c, "another value in each row")
	case c.nearly, c.texts && c.mostlyDiffers(d.table.Len()) && !c.sentences:
		d.leave(c, cmp.Or(c.why, "most rows differ"))
	default:
		return false
	}
	return true
}

// leave notes that a column is left out, and why.
func (d *drafting) leave(c *columnSummary, why string) {
	d.ignored = append(d.ignored, c)
	d.leftOut = append(d.leftOut, fmt.Sprintf("%s (%s)", c.name, why))
}

// dividedBy reports whether a column says what rows are for, and takes it for that.
func dividedBy(d *drafting, c *columnSummary) bool {
	splits, exact := c.splits()
	switch {
	case splits && exact && d.split == nil:
		d.split = c
	case splits:
		d.leave(c, "says "+strings.Join(c.values, ", ")+": `split by` takes train, valid and test, and one such column")
	}
	return splits
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
	d.closed = d.warps(ctx, spec)
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

// warps reports whether method warp fits the first suggestion.
func (d *drafting) warps(ctx context.Context, spec string) bool {
	if len(d.suggested) == 0 {
		return false
	}
	tried := *d
	tried.active, tried.suggested = d.suggested[:1], nil
	checked := NewSpec(ctx, spec, []byte(tried.write()+"method warp\n"), SpecOptions{})
	defer checked.Close() //nolint:errcheck // a draft uses no plugin
	return checked.Err() == nil
}

// write returns the spec as text: what is active as declarations, and suggestions behind #.
func (d *drafting) write() string {
	var b strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	line("# A first spec for %s, %d rows. It runs as it is.", oneLine(filepath.Base(d.data)), d.table.Len())
	line("# Of what stands behind # below, take away the # of lines that are true of these rows, and of no others.")
	d.writeData(line)
	line("kernel   gaussian(width = median)")
	line("features nystrom(landmarks = all)\n")
	for _, s := range d.active {
		line("# %s\n%s\n", oneLine(s.when), s.declaration())
	}
	for _, s := range d.suggested {
		line("# %s:\n# %s\n", oneLine(s.when), s.declaration())
	}
	switch {
	case len(d.active)+len(d.suggested) == 0:
	case d.many:
		line("# There are %d labels, and statements of all of them take long. So each that is declared has the weight 1, and auto would choose one.", len(d.labels))
	default:
		line("# Each invariance that is declared has the largest weight within one standard error of the best %s, which may be 0.", d.judges())
		line("regularize auto")
	}
	line("learn %s  # chosen %s, too", d.learner, d.judges())
	if d.closed {
		line("\n# With %s declared, and nothing that is one-sided, this is faster:\n# method warp", d.suggested[0].name)
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
	line("target %s%s", d.target, aboutTarget(d))
	d.writeColumns(line)
	if len(d.dates) > 0 {
		line("types %s  # dates are years with the share of them that has passed", dateList(d))
	}
	if share := rarest(d); share > 0 && share < rare {
		line("# weight balanced  # each class counts alike: the rarest has %.1f %% of the rows", 100*share)
	}
	writeSplit(d, line, many)
	if d.undecided {
		line("missing drop  # rows with a gap, for some have no target")
	} else if d.gaps {
		line("missing mask(median)  # gaps get the column's median, and a column that says so")
	}
	if codes := d.codes(); len(codes) > 0 {
		missing := ""
		if !d.undecided && !d.gaps {
			missing = "; missing mask(median)"
		}
		line("# gaps %s%s  # if they stand for gaps: they lie apart from the other numbers (sipc inspect says in which columns)", codeList(codes), missing)
	}
	if d.image == 0 {
		line("standardize")
	}
	line("}")
}

// aboutTarget returns the comment behind the target: why it is that, and which class is the positive one.
func aboutTarget(d *drafting) string {
	var notes []string
	if d.why != "" {
		notes = append(notes, "a guess: "+d.why)
	}
	if d.positive != "" {
		notes = append(notes, oneLine(d.positive)+" is the positive class, as the second; exchange the two to turn that")
	}
	if len(notes) == 0 {
		return ""
	}
	return "  # " + strings.Join(notes, "; ")
}

// writeSplit writes which rows train and which test. Of many not all are taken.
func writeSplit(d *drafting, line func(string, ...any), many bool) {
	const later = "# if later rows are to be predicted: trains on earlier rows, and tests on the latest"
	switch test := min(testedRows, d.table.Len()-firstRows); {
	case d.split != nil:
		line("split by %s  # its train rows train, its test rows are looked at last", quoted(d.split.name))
	case many && len(d.dates) > 0:
		line("split train = training,\n# time = %s,  %s\ntest = %d", quoted(d.dates[0].name), later, test)
	case many:
		line("split train = training, test = %d  # without this line a quarter is held out, and the rest trains", test)
	case len(d.dates) > 0:
		line("# split time = %s, test = 25%%  %s", quoted(d.dates[0].name), later)
	}
}

// writeColumns writes which columns are features, are ignored, and name the rows.
func (d *drafting) writeColumns(line func(string, ...any)) {
	switch {
	case d.image > 0 && d.table.Height == 0:
		line("columns image(%d, %d)", d.image, d.image)
	case len(d.words) > 0:
		line("%s  # the words of texts, and all other columns", wordColumns(d))
	}
	if len(d.ignored) > 0 {
		line("# ignored: %s", oneLine(strings.Join(d.leftOut, ", ")))
		line("ignore %s", nameList(d.ignored))
	}
	if d.id != nil {
		line("id %s  # names the rows in predictions and messages", quoted(d.id.name))
	}
}

// rare is the share of rows from which on down a class is offered to weigh as much as others.
const rare = 0.2

// rarest returns the share of rows that the rarest class has, 0 where there are no classes.
func rarest(d *drafting) float64 {
	if d.task != setting.Binary && d.task != setting.Class || len(d.aims) == 0 {
		return 0
	}
	classes := dataset.CountsOf(d.table, d.aims[0])
	return float64(classes[len(classes)-1].Rows) / float64(d.table.Len())
}

// dateList returns the columns of dates with their type.
func dateList(d *drafting) string {
	const inLine = 6
	var parts []string
	for k, c := range d.dates {
		before := ""
		if k > 0 && k%inLine == 0 {
			before = "\n"
		}
		parts = append(parts, before+quoted(c.name)+" : date")
	}
	return strings.Join(parts, ", ")
}

// codes returns numbers of features that seem to stand for gaps, ascending.
func (d *drafting) codes() (codes []float64) {
	for i := range d.profile.Findings {
		if f := &d.profile.Findings[i]; !slices.Contains(d.aims, f.Column) {
			codes = append(codes, f.Codes...)
		}
	}
	slices.Sort(codes)
	return slices.Compact(codes)
}

// wordColumns returns the item that takes the words of texts, and all other columns.
func wordColumns(d *drafting) string {
	var texts []string
	for _, c := range d.words {
		texts = append(texts, "text("+quoted(c.name)+")")
	}
	if len(d.numbers)+len(d.groups) == 0 {
		return "columns " + strings.Join(texts, ", ")
	}
	return `columns columns("*"), ` + strings.Join(texts, ", ")
}

// nameList returns names of columns as an item lists them, several in a line.
func nameList(columns []*columnSummary) string {
	const inLine = 8
	var b strings.Builder
	for k, c := range columns {
		switch {
		case k > 0 && k%inLine == 0:
			b.WriteString(",\n")
		case k > 0:
			b.WriteString(", ")
		}
		b.WriteString(quoted(c.name))
	}
	return b.String()
}

// codeList returns codes of gaps as a spec lists them.
func codeList(codes []float64) string {
	written := make([]string, len(codes))
	for k, v := range codes {
		written[k] = strconv.FormatFloat(v, 'f', -1, 64)
	}
	return strings.Join(written, ", ")
}
