package ground

import (
	"fmt"
	"slices"
	"strings"

	"github.com/sipc-ml/sipc/compiler/codes"
	"github.com/sipc-ml/sipc/compiler/internal/tree"
	"github.com/sipc-ml/sipc/dsl/diag"
	"github.com/sipc-ml/sipc/plugins"
	"github.com/sipc-ml/sipc/runtime/gauge"
	"github.com/sipc-ml/sipc/runtime/setting"
)

// Asked returns the domains and maps that a family is asked for, and what it needs for them.
// `explain` shows both, so that a user sees what a program from elsewhere will read before it runs.
func (in *Problem) Asked(fam *tree.Family) (calls []string, needs plugins.Needs) {
	calls, needs, _ = in.watch(fam, nil)
	return calls, needs
}

// sees returns what a family needs for what the spec asks it for. Columns that an argument names
// and the data lack are left out: the call that names them says so.
func (in *Problem) sees(fam *tree.Family, columns []string) plugins.Needs {
	_, needs, named := in.watch(fam, columns)
	needs.Names = slices.DeleteFunc(needs.Names, func(name string) bool {
		return slices.Contains(named, name) && !slices.Contains(columns, name)
	})
	return needs
}

// watch goes through all that R and the transformations of the spec ask a family for. Which columns
// it needs may depend on those that arguments name. An argument that is a whole column of the file
// names all features that were made of it, where their names are given.
func (in *Problem) watch(fam *tree.Family, features []string) (calls []string, needs plugins.Needs, named []string) {
	roots := tree.Each(in.Terms, func(t *tree.Term) *tree.Node { return t.Inv.Root })
	for _, c := range tree.Calls(roots, in.Transforms) {
		if c.Fam != fam {
			continue
		}
		var columns []plugins.Value
		for _, v := range c.Args {
			if v != nil && v.Arg.Kind == plugins.KindColumn {
				for _, name := range seenOf(v, features) {
					columns = append(columns, plugins.Value{Kind: plugins.KindColumn, Text: name})
					named = append(named, name)
				}
			}
		}
		needs = needs.Union(c.Needs.Of(columns))
		if !slices.Contains(calls, c.Name) {
			calls = append(calls, c.Name)
		}
	}
	return calls, needs, named
}

// The features that preparation makes of a column of the file. A column of numbers has one, and a
// second where gaps are marked. A column of texts has one for each text.
type features struct {
	number bool
	gaps   []string // what each mark of a gap has behind the name of the column: nothing, or " = CODE"
	texts  []string
}

// featuresOf finds the features of a column by their names.
func featuresOf(column string, all []string) features {
	var f features
	for _, name := range all {
		text, isText := strings.CutPrefix(name, column+"=")
		switch {
		case name == column:
			f.number = true
		case name == gapsOf(column, "") || strings.HasPrefix(name, "missing("+column+" = "):
			f.gaps = append(f.gaps, name[len("missing("+column):len(name)-len(")")])
		case isText:
			f.texts = append(f.texts, text)
		}
	}
	if f.number {
		f.texts = nil // they are those of another column
	}
	return f
}

// gapsOf returns the feature that marks the gaps of a column: all, or those of the code that a mark has.
func gapsOf(column, mark string) string { return "missing(" + column + mark + ")" }

// names returns the names of a column's features.
func (f *features) names(column string) []string {
	var out []string
	if f.number {
		out = append(out, column)
	}
	for _, mark := range f.gaps {
		out = append(out, gapsOf(column, mark))
	}
	return append(out, tree.Each(f.texts, func(text string) string { return column + "=" + text })...)
}

// seenOf returns the features that an argument names. Without a list of all features it is the
// name that is written.
func seenOf(v *tree.Value, all []string) []string {
	if v.Arg.Unit == plugins.Cells {
		if f := featuresOf(v.Text, all); f.number || len(f.texts) > 0 {
			return f.names(v.Text)
		}
	}
	return []string{v.Text}
}

// mapArguments returns the arguments of a transformation as its family is asked. Where they are whole
// columns of the file, they are repeated for each feature: see plugins.Cells.
func (q *asker) mapArguments(m *tree.Mapping) ([]plugins.Value, error) {
	if err := ofFile(q, m); err != nil {
		return nil, err
	}
	columns, value := tree.Cells(m.Args)
	if len(columns) == 0 {
		return q.values(m.From, m.Args)
	}
	all := make([]features, len(columns))
	for i, v := range columns {
		all[i] = featuresOf(v.Text, q.data.Columns)
		if !all[i].number && len(all[i].texts) == 0 {
			_, err := q.column(v, m.From)
			return nil, err
		}
	}
	switch {
	case value != nil:
		return q.given(m, columns[0], all[0], value)
	case len(columns) == 2:
		return q.paired(m, columns, all)
	}
	var out []plugins.Value
	for i, v := range columns {
		for _, name := range all[i].names(v.Text) {
			out = append(out, q.feature(v, name))
		}
	}
	return out, nil
}

// ofFile refuses transformations along a feature that is no column of the file, or along a column of texts:
//
//	move("region=north", 1)   the column is region, unless the file has one that is called so
//	move(region, 1)           a text does not grow
func ofFile(q *asker, maps ...*tree.Mapping) error {
	for _, m := range maps {
		for _, end := range m.Ends() {
			if err := columnsOfFile(q, end); err != nil {
				return err
			}
		}
	}
	return nil
}

// columnsOfFile looks at the columns of one transformation, as ofFile does at those of several.
func columnsOfFile(q *asker, m *tree.Mapping) error {
	for _, v := range m.Args {
		if v == nil || v.Arg.Kind != plugins.KindColumn {
			continue
		}
		d := &diag.Diagnostic{Code: codes.ColumnNotInData}
		if column := madeFrom(q, v.Text); column != "" {
			return q.fail(tree.Placed(v, m.From), tree.Derived(v.Text, column, d, ""))
		}
		f := featuresOf(v.Text, q.data.Columns)
		if v.Arg.Unit != plugins.Cells && !f.number && len(q.madeOfTexts(v.Text)) > 0 {
			return q.fail(tree.Placed(v, m.From), tree.MovesText(v.Text, f.texts, d))
		}
	}
	return nil
}

// madeFrom returns the column of the file that a feature is made from, or would be if a row had its text. It is empty if the file has a
// column of the feature's own name, or if the file is not known.
func madeFrom(q *asker, feature string) string {
	isColumn := func(name string) bool { _, _, ok := q.data.Column(name); return ok }
	if q.data.Column == nil || isColumn(feature) {
		return ""
	}
	made := slices.Contains(q.data.Columns, feature)
	if marked, isMark := strings.CutPrefix(feature, "missing("); isMark && made {
		column, _, _ := strings.Cut(strings.TrimSuffix(marked, ")"), " = ")
		return column
	}
	// The name of a column may hold these signs itself, so that all places count.
	for i, r := range feature {
		if (r == '=' || r == ':') && isColumn(feature[:i]) && (made || len(q.madeOfTexts(feature[:i])) > 0) {
			return feature[:i]
		}
	}
	return ""
}

// feature returns an argument that is one feature of a column.
func (q *asker) feature(v *tree.Value, name string) plugins.Value {
	return plugins.Value{Name: v.Arg.Name, Kind: plugins.KindColumn, Text: name, Index: slices.Index(q.data.Columns, name)}
}

// given returns the arguments that give a column a value. In a column of texts the feature of the
// text gets 1, and the others 0. A number is not a gap.
func (q *asker) given(m *tree.Mapping, column *tree.Value, f features, value *tree.Value) ([]plugins.Value, error) {
	var out []plugins.Value
	set := func(feature string, v float64) {
		out = append(out, q.feature(column, feature), plugins.Value{Name: value.Arg.Name, Kind: value.Arg.Kind, Number: v})
	}
	wrong := &diag.Diagnostic{Code: codes.Incomparable}
	if !f.number {
		if !slices.Contains(f.texts, value.Cell()) {
			wrong.Summary = fmt.Sprintf("No training row has %q as its %s", value.Cell(), column.Text)
			wrong.Detail = fmt.Sprintf("%s is one of: %s.", column.Text, tree.Listed(f.texts, someOf))
			wrong.Mend = tree.DidYouMean(value.Cell(), f.texts)
			return nil, q.fail(tree.Placed(value, m.From), wrong)
		}
		for _, text := range f.texts {
			set(column.Text+"="+text, map[bool]float64{true: 1}[text == value.Cell()])
		}
		return out, nil
	}
	number, isNumber := value.Quantity.Value, true
	if value.Textual {
		number, isNumber = setting.Numeral(value.Text)
	}
	if !isNumber {
		wrong.Summary, wrong.Mend = fmt.Sprintf("%s holds numbers, and %q is a text", column.Text, value.Text), "Write a number."
		return nil, q.fail(tree.Placed(value, m.From), wrong)
	}
	set(column.Text, number)
	for _, mark := range f.gaps {
		set(gapsOf(column.Text, mark), 0)
	}
	return out, nil
}

// paired returns the arguments that exchange two columns, in the order of plugins.Cells. Features that
// both have are pairs, and those that one of them has stand behind. A text that the other column does
// not know becomes an unseen one there, and a mark of gaps none.
func (q *asker) paired(m *tree.Mapping, columns []*tree.Value, all []features) ([]plugins.Value, error) {
	if all[0].number != all[1].number {
		return nil, q.fail(tree.Placed(columns[1], m.From), &diag.Diagnostic{
			Code: codes.Incomparable, Summary: fmt.Sprintf("%s and %s cannot change places: one holds texts, the other numbers", columns[0].Text, columns[1].Text),
			Mend: "Name two columns of one kind.",
		})
	}
	if tree.Apart(all[0].texts, all[1].texts) {
		return nil, q.fail(tree.Placed(columns[1], m.From), tree.NoneInCommon(m.Schema.Name, columns[0].Text, columns[1].Text))
	}
	var pairs []plugins.Value
	var alone [2][]plugins.Value
	names := [2][]string{all[0].names(columns[0].Text), all[1].names(columns[1].Text)}
	kinds := [2][]string{all[0].names(""), all[1].names("")} // what stands for the same value has the same name here
	for k, kind := range kinds[0] {
		a := q.feature(columns[0], names[0][k])
		if j := slices.Index(kinds[1], kind); j >= 0 {
			pairs = append(pairs, a, q.feature(columns[1], names[1][j]))
		} else {
			alone[0] = append(alone[0], a)
		}
	}
	for k, kind := range kinds[1] {
		if !slices.Contains(kinds[0], kind) {
			alone[1] = append(alone[1], q.feature(columns[1], names[1][k]))
		}
	}
	return slices.Concat(pairs, alone[1], alone[0]), nil
}

// Apart reports whether the R² of some terms is a sum over the rows, whose parts may be grounded one after another. So it is where each term is an rms or norm(2) over
// all rows of what is about one of them. Conditions and factors may compare rows, and maxima over orbits are taken over members: neither is apart.
func Apart(terms []*tree.Term) bool {
	for _, t := range terms {
		f := t.Inv.Form
		if f.Op != gauge.Norm || f.P != 2 || f.Quant == nil || f.Quant.Axes[0].Kind != tree.RowAxis || f.Quant.Axes[0].Drawn() || !alone(f.Quant, f.Quant.Axes[1:]) {
			return false
		}
		if tree.Find(f.All(), func(k *tree.Form) bool { return k != f && !about(k) }) != nil {
			return false
		}
	}
	return len(terms) > 0
}

// about reports whether a part of a form is about the row that is bound around it, and about no other.
func about(f *tree.Form) bool {
	if f.Quant != nil && !alone(f.Quant, f.Quant.Axes) {
		return false
	}
	return f.Linear == nil || tree.Find(f.Linear.All(), func(n *tree.Node) bool {
		return n.By != nil || n.Quant != nil && !alone(n.Quant, n.Quant.Axes)
	}) == nil
}

// alone reports whether a quantifier has no condition, and some axes of it are of labels, columns and moves alone.
func alone(q *tree.Quantifier, axes []*tree.Axis) bool {
	return q.Where == nil && q.Unless == nil && !slices.ContainsFunc(axes, func(a *tree.Axis) bool {
		switch a.Kind {
		case tree.MapAxis, tree.LabelAxis, tree.NamedAxis, tree.StepAxis, tree.ColumnAxis:
			return a.Orbit != nil && a.Orbit.Worst
		default:
			return true
		}
	})
}
