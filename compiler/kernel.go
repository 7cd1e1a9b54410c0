package compiler

import (
	"fmt"
	"slices"
	"strings"

	"github.com/sipc-ml/sipc/compiler/codes"
	"github.com/sipc-ml/sipc/compiler/internal/names"
	"github.com/sipc-ml/sipc/compiler/internal/tree"
	"github.com/sipc-ml/sipc/compiler/internal/values"
	"github.com/sipc-ml/sipc/dsl"
	"github.com/sipc-ml/sipc/dsl/diag"
	"github.com/sipc-ml/sipc/internal/limits"
	"github.com/sipc-ml/sipc/plugins"
	"github.com/sipc-ml/sipc/runtime/setting"
)

// kernelWord begins the kernel's line, and names its argument.
const kernelWord = "kernel"

// additive and pairwise kernels are compiled here, and kernels of whole rows in settings.go: their arguments follow a schema, and those of
// kernels of columns are named after the columns.

// onlyWord names the argument that lists the pairs of a pairwise kernel. In quotes it is a column.
const onlyWord = "only"

// lineWidth returns the argument that is the width of a kernel in one number.
func lineWidth(doc string) plugins.Arg {
	return plugins.Arg{Name: "width", Kind: values.KindWidth, Doc: doc, Default: tree.OfMedian, Min: leastWidth, Max: mostWidth}
}

// lineSchemas has the kernels of a single column with their arguments. Widths are in prepared units and left out the median distance
// between the column's numbers. A period is in units of the file, since that is how a user knows it. An hour of the day has the
// period 24 whether or not the column is standardized.
var lineSchemas = map[string][]plugins.Arg{
	string(setting.Gaussian): {lineWidth("s in exp(−r²/2s²), r = x − x′")},
	string(setting.Matern32): {lineWidth("s in (1 + u)e^(−u), u = √3‖x−x′‖/s")},
	string(setting.Matern52): {lineWidth("s in (1 + u + u²/3)e^(−u), u = √5‖x−x′‖/s")},
	string(setting.Linear):   {},
	string(setting.Periodic): {
		{Name: "period", Kind: plugins.KindNumber, Doc: "after how much of the column values are alike, in units of the file", Min: anyPositive, Max: limits.LargestNumber},
		lineWidth("s in exp(−c²/2s²), c the chord of a circle whose circumference is the period"),
	},
}

// The arguments of kernels of columns, as an editor shows them. All further ones are columns with kernels or widths of their own, which no
// schema can list: the names are those of the data.
var (
	ofEach    = plugins.Arg{Name: kernelWord, Kind: values.KindKernel, Doc: "of every numeric column, then COLUMN = its own kernel or width"}
	onlyPairs = plugins.Arg{Name: onlyWord, Kind: values.KindPairs, Doc: "the pairs of columns that count, {(a, b), …}; all where it is left out", Optional: true}
)

// kernelOfColumns compiles additive(…) and pairwise(…):
//
//	pairwise(BASE, COLUMN = BASE, COLUMN = WIDTH, only = {(COLUMN, COLUMN), …})
//
// The first argument is the kernel of every numeric column. A column may have one of its own, or its own width. Columns stand in quotes
// where their names are no words, or are `only`. Which columns there are, and which of them hold texts, only the data can tell: the
// runtime makes a component for each.
func kernelOfColumns(p *names.Pass, id *dsl.Ident, args []*dsl.Arg) setting.Kernel {
	p.Section, p.Place = kernelWord, kernelWord
	k := setting.Kernel{Kind: setting.KernelKind(id.Name), Parts: &setting.Parts{}}
	if len(args) == 0 || args[0].Name != nil {
		p.Report(&diag.Diagnostic{
			Code: codes.MissingArgument, Subject: id.Span(), Summary: id.Name + " needs the kernel of the columns",
			Mend: fmt.Sprintf("Write %s(gaussian(width = median)), and columns with kernels of their own behind it.", id.Name),
		})
		return setting.Kernel{}
	}
	base := lineKernel(p, args[0].Value)
	if base == nil {
		return setting.Kernel{}
	}
	k.Parts.Base = *base
	seen := map[string]bool{}
	for _, a := range args[1:] {
		if !columnArgument(p, &k, a, seen) {
			return setting.Kernel{}
		}
	}
	if !hasColumns(p, id) {
		return setting.Kernel{}
	}
	return k
}

// columnArgument compiles an argument behind the first one: a column with its own kernel, or the pairs. A column given twice is
// refused. Columns of texts have the one kernel that texts have; where the compiler knows that a column holds texts, it says so here.
func columnArgument(p *names.Pass, k *setting.Kernel, a *dsl.Arg, seen map[string]bool) bool {
	if a.Name == nil {
		p.Report(&diag.Diagnostic{
			Code: codes.TooManyArguments, Subject: a.Span(), Summary: fmt.Sprintf("%s takes one kernel for all columns", k.Kind),
			Mend: "Name the column that this is for: COLUMN = " + tree.Text(a.Value) + ".",
		})
		return false
	}
	quoted := strings.HasPrefix(a.Name.Raw, `"`)
	name := values.RawName(a.Name)
	if quoted {
		name = a.Name.Name
	}
	only := name == onlyWord && !quoted
	if seen[a.Name.Raw] {
		p.Report(&diag.Diagnostic{Code: codes.DuplicateName, Subject: a.Span(), Summary: name + " is given twice", Mend: "Keep one of them."})
		return false
	}
	seen[a.Name.Raw] = true
	switch {
	case only && k.Kind != setting.Pairwise:
		p.Report(&diag.Diagnostic{Code: codes.UnknownArgument, Subject: a.Span(), Summary: "additive has no pairs of columns", Mend: `Take pairwise. A column called only stands in quotes: "only" = linear.`})
		return false
	case only:
		var ok bool
		k.Parts.Only, ok = pairsOf(p, a.Value)
		return ok
	case !values.KnownNumbers(p, name, a.Name.Span()):
		return false
	}
	base := ownKernel(p, k.Parts.Base, a.Value)
	if base == nil {
		return false
	}
	k.Parts.Own = append(k.Parts.Own, setting.Own{Column: name, Base: *base})
	return true
}

// ownKernel compiles what a column has of its own: a kernel, or the width of that of all columns. Nil means that it is faulty. A word of a
// kernel in the expression tells the first from the second, unless a let has its name.
func ownKernel(p *names.Pass, all setting.Base, e dsl.Expr) *setting.Base {
	if dsl.Holds(e, func(n dsl.Node) bool { id, ok := n.(*dsl.Ident); return ok && isLine(p, id) }) {
		return lineKernel(p, e)
	}
	if all.Kind == setting.Linear {
		p.Report(&diag.Diagnostic{Code: codes.WrongType, Subject: e.Span(), Summary: "the linear kernel has no width", Mend: "Write a kernel with one: gaussian(width = " + tree.Text(e) + ")."})
		return nil
	}
	width := lineWidth("the width of " + string(all.Kind))
	v := values.Argument(p, &width, e, nil)
	if v == nil {
		return nil
	}
	all.Width, all.OfMedian = v.Quantity.Value, v.Quantity.Unit == tree.OfMedian
	return &all
}

// isLine reports whether a name is the word of a kernel in one number. A let of that name comes first, as everywhere: it may hold the
// width.
func isLine(p *names.Pass, id *dsl.Ident) bool {
	return lineSchemas[id.Name] != nil && p.Decls.Lets[id.Name] == nil
}

// lineKernel compiles a kernel in one number, with multiples of the linear one added. Nil means that it is faulty. The kernel itself
// has no weight, since that of all components is fixed, and the linear part's is relative to it:
//
//	gaussian(width = 2) + 0.5 * linear      exp(−r²/8) + 0.5·v·v′
func lineKernel(p *names.Pass, e dsl.Expr) *setting.Base {
	if sum, ok := dsl.Bare(e).(*dsl.Binary); ok && sum.Op == "+" {
		one, other := lineKernel(p, sum.X), linearPart(p, sum.Y)
		if one == nil || other == 0 {
			return nil
		}
		one.Linear += other
		return one
	}
	id, args := dsl.Called(dsl.Bare(e))
	if id == nil {
		p.Report(&diag.Diagnostic{
			Code: codes.WrongType, Subject: e.Span(), Summary: tree.Text(e) + " is not a kernel of a column",
			Detail: "Only the linear part has a weight.", Mend: "Available: " + strings.Join(tree.SortedKeys(lineSchemas), ", ") + ", and sums as gaussian + 0.5 * linear.",
		})
		return nil
	}
	schema, known := lineSchemas[id.Name]
	if !known {
		if !p.Poison[id.Name] {
			p.Misnamed(id.Name, tree.SortedKeys(lineSchemas), &diag.Diagnostic{
				Code: codes.UnknownChoice, Subject: id.Span(), Summary: "there is no kernel of a column called " + names.Shown(id), Detail: "Available: " + strings.Join(tree.SortedKeys(lineSchemas), ", ") + ".",
			})
		}
		return nil
	}
	v, ok := values.Arguments(p, schema, id.Name, args, e.Span(), nil)
	if !ok {
		return nil
	}
	b := &setting.Base{Kind: setting.KernelKind(id.Name)}
	if b.Kind == setting.Periodic {
		b.Period = v[0].Quantity.Value
	}
	if len(v) > 0 {
		width := v[len(v)-1].Quantity
		b.Width, b.OfMedian = width.Value, width.Unit == tree.OfMedian
	}
	return b
}

// linearPart compiles `linear` or a multiple of it, and returns its weight; 0 means that it is faulty.
func linearPart(p *names.Pass, e dsl.Expr) float64 {
	factor := dsl.Expr(&dsl.Number{At: dsl.At{Place: e.Span()}, Value: 1, Raw: "1"})
	rest := dsl.Bare(e)
	if product, ok := rest.(*dsl.Binary); ok && product.Op == "*" {
		if factor, rest = product.X, dsl.Bare(product.Y); isLinear(dsl.Bare(product.X)) {
			factor, rest = product.Y, dsl.Bare(product.X)
		}
	}
	if !isLinear(rest) {
		p.Report(&diag.Diagnostic{
			Code: codes.WrongType, Subject: e.Span(), Summary: tree.Text(e) + " is not a linear part",
			Detail: "To a kernel of a column, multiples of linear are added and nothing else.", Mend: "Write gaussian(width = 2) + 0.5 * linear.",
		})
		return 0
	}
	weight := plugins.Arg{Name: "the weight of linear", Kind: plugins.KindNumber, Doc: "how much of v·v′ is added", Min: leastStrength, Max: limits.LargestNumber}
	v := values.Argument(p, &weight, factor, nil)
	if v == nil {
		return 0
	}
	return v.Quantity.Value
}

// isLinear reports whether an expression is the word linear. A let of that name hides nothing here: a weight stands before the word, and
// a number alone is no kernel.
func isLinear(e dsl.Expr) bool {
	id, ok := e.(*dsl.Ident)
	return ok && id.Name == string(setting.Linear)
}

// pairsOf compiles {(a, b), …}. The order within a pair and among pairs is free. All columns keep their own component, whether or not
// a pair names them.
func pairsOf(p *names.Pass, e dsl.Expr) (pairs [][2]string, ok bool) {
	wrong := func(at dsl.Expr) ([][2]string, bool) {
		p.Report(&diag.Diagnostic{Code: codes.WrongType, Subject: at.Span(), Summary: tree.Text(at) + " is not a pair of columns", Mend: "Write the pairs in braces: only = {(age, income)}."})
		return nil, false
	}
	set, isSet := e.(*dsl.Set)
	if !isSet {
		return wrong(e)
	}
	for _, element := range set.Elems {
		two, isPair := element.(*dsl.Tuple)
		if !isPair || len(two.Elems) != 2 {
			return wrong(element)
		}
		var pair [2]string
		for side, column := range two.Elems {
			if pair[side], ok = columnOf(p, column); !ok {
				return nil, false
			}
		}
		if pair[0] == pair[1] {
			p.Report(&diag.Diagnostic{Code: codes.DuplicateName, Subject: element.Span(), Summary: pair[0] + " is paired with itself", Mend: "Name two columns; each column has a component of its own besides the pairs."})
			return nil, false
		}
		pairs = append(pairs, pair)
	}
	return pairs, true
}

// columnOf compiles the name of a column of a pair, of numbers or of texts. A let does not stand for a column here: the name is that in
// the file.
func columnOf(p *names.Pass, e dsl.Expr) (string, bool) {
	var name string
	switch e := e.(type) {
	case *dsl.String:
		name = e.Value
	case *dsl.Ident:
		name = values.RawName(e)
	default:
		p.Report(&diag.Diagnostic{Code: codes.WrongType, Subject: e.Span(), Summary: tree.Text(e) + " is not a column"})
		return "", false
	}
	return name, values.KnownFeatures(p, name, e.Span())
}

// hasColumns refuses kernels of columns where no column of the file is left among the prepared ones (codes.NoColumns), and returns false
// then. Rows that normalize divides by their length mix all columns. Pixels and words are columns, but a curve over a single one of
// them says nothing, and there would be thousands. That a file holds images may be known from the data alone: the run refuses these.
func hasColumns(p *names.Pass, id *dsl.Ident) bool {
	d := &p.Out.Data
	var why, mend, item string
	switch {
	case p.Broken.Data:
		return true
	case d.Normalize:
		why, mend, item = "normalize divides each row by its length, so that every number depends on all columns", "Take standardize or scale in place of normalize, or a kernel of whole rows.", "normalize"
	case d.Columns.Height > 0:
		why, mend, item = "the pixels of an image are no columns that mean something each", "Take a kernel of whole rows, as gaussian(width = median).", names.ColumnsWord
	case len(d.Columns.Texts) > 0:
		why, mend, item = "the words of a text are neither one number nor one category", "Leave out text(…), or take a kernel of whole rows.", names.ColumnsWord
	default:
		return true
	}
	diagnostic := p.Report(&diag.Diagnostic{Code: codes.NoColumns, Subject: id.Span(), Summary: id.Name + " is made of kernels in single columns, and " + why, Mend: mend})
	if p.Decls.Data != nil {
		diagnostic.Related = append(diagnostic.Related, diag.Related{Span: values.ItemAt(p.Decls.Data, item), Message: "here"})
	}
	return false
}

// rough returns the word of a kernel whose functions have one derivative, where a kernel has one: Matérn 3/2 itself, or that of a
// column. Along other columns such a function has two. But a second derivative along two columns is computed by those along their sum
// and difference,
//
//	∂_a∂_b f = (D²f[e_a + e_b] − D²f[e_a − e_b])/4
//
// so that one rough column is enough to refuse all.
func rough(k *setting.Kernel) string {
	if k.Kind == setting.Matern32 || slices.ContainsFunc(basesOf(k), func(b setting.Base) bool { return b.Kind == setting.Matern32 }) {
		return string(setting.Matern32)
	}
	return ""
}

// linearInColumns reports whether every function of a kernel of columns is linear in each of them. Under pairwise products of two
// columns remain, whose mixed derivative is not zero.
func linearInColumns(k *setting.Kernel) bool {
	bases := basesOf(k)
	return len(bases) > 0 && !slices.ContainsFunc(bases, func(b setting.Base) bool { return b.Kind != setting.Linear })
}

// basesOf returns the kernels of columns of numbers, as a spec names them or as a fit has fixed them. Other kernels have none.
func basesOf(k *setting.Kernel) (out []setting.Base) {
	if k.Parts != nil {
		out = append(tree.Each(k.Parts.Own, func(o setting.Own) setting.Base { return o.Base }), k.Parts.Base)
	}
	for i := range k.Components {
		if c := &k.Components[i]; c.Kind != setting.Category {
			out = append(out, c.Base)
		}
	}
	return out
}

// AtKernel returns an error about a column, at its place in the kernel where that names it. An empty problem says that the data have no
// such feature among the known ones. Where the data block picks no columns, the compiler lets every name pass, so that only a run
// meets it. Nil means that the spec has no kernel.
func (in *Instance) AtKernel(column, problem string, known []string) *diag.Diagnostic {
	set := in.checker.Decls.Settings[kernelWord]
	if set == nil {
		return nil
	}
	d := &diag.Diagnostic{Code: codes.NoColumns, Severity: diag.Error, Subject: set.Value.Span(), Summary: problem, Mend: "Leave the column out by `ignore`, or take a kernel of whole rows, as gaussian(width = median)."}
	dsl.Walk(set.Value, func(n dsl.Node) bool {
		switch n := n.(type) {
		case *dsl.Ident:
			if n.Name == column || values.RawName(n) == column {
				d.Subject = n.Span()
			}
		case *dsl.String:
			if n.Value == column {
				d.Subject = n.Span()
			}
		}
		return true
	})
	if problem == "" {
		d.Code, d.Summary, d.Mend = codes.ColumnNotInData, "no feature of the data is called "+column, tree.DidYouMean(column, known)
	}
	return d
}
