package ground

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/sipc-ml/sipc/compiler/codes"
	"github.com/sipc-ml/sipc/compiler/internal/region"
	"github.com/sipc-ml/sipc/compiler/internal/tree"
	"github.com/sipc-ml/sipc/dsl/diag"
	"github.com/sipc-ml/sipc/plugins"
	"github.com/sipc-ml/sipc/runtime/statement"
)

// Bounds on what requirements come to: statements, and the numbers that their terms and regions
// hold.
const (
	mostStatements = 1 << 20
	mostNumbers    = 1 << 24
)

// Require returns the statements of requirements in prepared coordinates: one for each affine
// member and each element of the index sets around it. Equal statements come once. Its errors are
// diagnostics at the place in the spec (diag.List), or the context's.
func (in *Problem) Require(ctx context.Context, data *Data, required []*tree.Requirement) (_ []statement.Statement, err error) {
	g := newGrounder(ctx, in, data)
	defer func() { err = errors.Join(err, g.ask.close()) }()
	need := newNeeds(g)
	for _, r := range required {
		need.quantifier(r.Region)
		for _, c := range r.Parts {
			for n := range c.Pieces.All() {
				need.quantifier(n.Quant)
			}
		}
	}
	if err := need.expand(); err != nil {
		return nil, err
	}
	s := &stating{
		g: g, e: &emitter{g: g, elem: make([]int, len(g.axes)), scale: 1}, regions: region.Of(&region.Rows{Data: data.Data, Groups: data.Groups, Column: data.Column}),
		seen: map[string]bool{}, families: map[string]int{}, steps: map[string]columnStep{},
	}
	for _, r := range required {
		if err := s.requirement(r); err != nil {
			return nil, err
		}
	}
	return s.out, nil
}

// A stating writes statements. A requirement c is a set of comparisons e(f) ≤ 0 in which e is a
// maximum of affine parts, and holds for each element of its region's index sets:
//
//	for each element i, each comparison, each part g of its maximum:   −g_i(f)(x) ≥ 0 for all x ∈ B_i
//
// An affine part is Σ_k a_k ∂^{α_k} f(T_k x, y_k) + c. T_k holds what `put`, `move` and `swap` do
// to the point of the region. It is constant for a leaf at another row, so that a mean over rows
// has one term for each row. Equal terms are joined, and those that cancel are left out.
type stating struct {
	g        *grounder
	e        *emitter // knows what is bound, and the numbers
	regions  *region.Regions
	of       *tree.Requirement
	part     *tree.Comparison
	bound    []*tree.Axis // around the member that is written
	base     int          // the row that is the point of the region, −1 where that is one of a box
	terms    []statement.Term
	index    map[string]int // of terms, by all but their coefficient
	constant float64
	steps    map[string]columnStep
	seen     map[string]bool // statements by all that they say
	families map[string]int  // numbers of families, by what their statements have in common
	numbers  int
	out      []statement.Statement
}

// requirement writes the statements of one requirement: for each element of its region each
// comparison. The region's box counts as one element, or as one for each row that it is beside.
func (s *stating) requirement(r *tree.Requirement) error {
	s.of = r
	if err := s.g.quantifier(r.Region); err != nil {
		return err
	}
	if lacks := s.regions.Lacks(r.Region.Box()); lacks != nil {
		_, err := s.g.ask.column(lacks, r.Region.Box().From)
		return err
	}
	for _, c := range r.Parts {
		for n := range c.Pieces.All() {
			if err := s.prepared(n); err != nil {
				return err
			}
		}
	}
	gq := s.g.quants[r.Region]
	for i := range gq.count {
		if !s.e.tick() {
			return s.e.err
		}
		gq.set(s.e, gq.number(i))
		s.bound, s.base = r.Region.Axes, s.baseRow(r.Region)
		for _, s.part = range r.Parts {
			if err := s.pieces(s.part.Pieces); err != nil {
				return err
			}
		}
	}
	return nil
}

// prepared grounds what one part of a member is about, but for its points: those are found where it
// is written.
func (s *stating) prepared(n *tree.Node) error {
	if err := s.g.quantifier(n.Quant); err != nil {
		return err
	}
	switch {
	case n.By != nil:
		return s.g.prepareNumber(n.By)
	case n.Number():
		return s.g.prepareNumber(n)
	}
	return nil
}

// baseRow returns the row that is the region where no box is: that of the first point that is
// bound, else the first row.
func (s *stating) baseRow(region *tree.Quantifier) int {
	if region.Box() != nil {
		return -1
	}
	for _, a := range region.Axes {
		if a.Kind == tree.RowAxis || a.Kind == tree.GraphAxis {
			return s.rowAt(a.Vars[0])
		}
	}
	return 0
}

// rowAt returns the row that a point is bound to. A point of an edge is one of its two rows, which
// the variable's slot tells.
func (s *stating) rowAt(v *tree.Variable) int {
	i := s.e.elem[v.Axis.ID]
	if v.Axis.Kind == tree.GraphAxis {
		i = int(s.g.axes[v.Axis.ID].rows[v.Slot][i])
	}
	return i
}

// pieces writes each affine member of a maximum. A maximum over an index set has one for each
// element that its condition leaves. That max {…} ≤ 0 says of each that it is at most 0.
func (s *stating) pieces(n *tree.Node) error {
	if n.Op != tree.OpMax {
		return s.member(n)
	}
	each := func() error {
		for _, k := range n.Kids {
			if err := s.pieces(k); err != nil {
				return err
			}
		}
		return nil
	}
	if n.Quant == nil {
		return each()
	}
	gq, outer := s.g.quants[n.Quant], s.bound
	defer func() { s.bound = outer }()
	s.bound = slices.Concat(outer, n.Quant.Axes)
	for i := range gq.count {
		gq.set(s.e, gq.number(i))
		if gq.dynamic != nil && !gq.dynamic(s.e) {
			continue
		}
		if err := each(); err != nil {
			return err
		}
	}
	return nil
}

// member writes g = −e ≥ 0 for an affine e, which is to be at most 0, and e ≥ 0 too for an
// equation.
func (s *stating) member(e *tree.Node) error {
	s.terms, s.index, s.constant = nil, map[string]int{}, 0
	s.affine(e, -1)
	if s.e.err != nil {
		return s.e.err
	}
	s.terms = slices.DeleteFunc(s.terms, func(t statement.Term) bool { return t.Coef == 0 })
	if len(s.terms) == 0 {
		return s.empty()
	}
	sides, err := s.regions.Sides(s.asked())
	if err != nil {
		return err
	}
	for i := range sides {
		if s.part.Equal && sides[i].Moves() {
			return s.continuum(sides[i])
		}
	}
	if err := s.state(e, sides, 1); err != nil || !s.part.Equal {
		return err
	}
	return s.state(e, sides, -1)
}

// asked returns what the region of the member is found by.
func (s *stating) asked() *region.Asked {
	a := &region.Asked{Base: s.base, Terms: s.terms, From: s.part.From}
	if a.Axis = s.of.Region.Box(); a.Axis != nil {
		a.Points, a.Element = s.g.axes[a.Axis.ID].points, s.e.elem[a.Axis.ID]
	}
	return a
}

// empty looks at a member that holds no f for what is bound, as its parts cancel: 0 ≥ 0 says
// nothing, and 0 ≥ 1 never holds.
func (s *stating) empty() error {
	if s.constant >= 0 && (!s.part.Equal || s.constant == 0) {
		return nil
	}
	return s.g.ask.fail(s.part.From, &diag.Diagnostic{
		Code: codes.AlwaysZero, Summary: s.part.Text + " never holds" + s.bindings(), Detail: "Its parts that hold f cancel there.", Mend: "Leave such elements out, by where.",
	})
}

// continuum refuses an equation over more than finitely many points.
func (s *stating) continuum(side statement.Side) error {
	return s.g.ask.fail(s.part.From, Continuum(s.g.ask.data.Columns[side.Columns[0]]))
}

// Continuum returns the error that a column runs through an interval where an equation is required.
func Continuum(column string) *diag.Diagnostic {
	return &diag.Diagnostic{
		Code: codes.EqualEverywhere, Summary: fmt.Sprintf("== is required at more than finitely many points: %s runs through an interval", column),
		Detail: "What is equal everywhere leaves f no freedom that a fit could use.", Mend: fmt.Sprintf("Give %s values, %[1]s = {…}, or bound the difference: |…| <= 0.1.", tree.ColumnText(column)),
	}
}

// state adds the statement of a member, its terms and constant times sign, if no equal one is there. Rows
// that agree in all columns but those that move give the same sweep, which need be proved once.
func (s *stating) state(e *tree.Node, sides []statement.Side, sign float64) error {
	text := s.text(e, map[bool]string{true: "<=", false: ">="}[sign > 0])
	out := statement.Statement{Name: s.of.Name, Text: text, Family: s.family(e, sign), Constant: sign*s.constant + 0, Equal: s.part.Equal, Region: sides, Terms: slices.Clone(s.terms)}
	for i := range out.Terms {
		out.Terms[i].Coef *= sign
	}
	key := out.Key()
	if s.seen[key] {
		return nil
	}
	s.seen[key] = true
	if s.numbers += len(key) / 8; len(s.out) == mostStatements || s.numbers > mostNumbers {
		return s.g.ask.fail(s.part.From, &diag.Diagnostic{
			Code: codes.TooLarge, Summary: s.of.Name + " comes to more statements than fit", Detail: "Each row of a region without a box, and each element of its other index sets, is a statement.", Mend: "Require it over fewer elements.",
		})
	}
	if err := out.Validate(s.g.ask.data.Rows.Cols, max(1, len(s.g.ask.data.LabelNames))); err != nil {
		return err
	}
	s.out = append(s.out, out)
	return nil
}

// affine writes the terms of an affine expression, times c, and adds its constants.
func (s *stating) affine(n *tree.Node, c float64) {
	if s.e.err != nil || c == 0 {
		return
	}
	switch {
	case n.Number():
		v := s.e.number(n)
		if math.IsNaN(v) || math.IsInf(v, 0) {
			s.e.noNumber(n)
			return
		}
		s.constant += c * v
		return
	case n.Leaf != nil:
		s.leafAt(n, c)
		return
	case n.Quant != nil:
		s.affineOver(n, c)
		return
	}
	switch n.Op {
	case tree.OpNeg:
		c = -c
	case tree.OpScale:
		c *= s.e.factor(n)
	case tree.OpMean:
		c /= float64(len(n.Kids))
	}
	for _, k := range n.Kids {
		s.affine(k, c)
	}
}

// affineOver writes a sum or mean over an index set. Over nothing both are zero. In
//
//	|mean over x where g == 1 of f - mean over x where g == 0 of f| <= 0.1
//
// each row of the two groups becomes a term at a point that stands still, with the coefficient 1/n₁
// or −1/n₀. A mean over a path does not occur, as no region and no part of a requirement has one.
func (s *stating) affineOver(n *tree.Node, c float64) {
	gq := s.g.quants[n.Quant]
	total := gq.total
	if gq.dynamic != nil {
		total = s.e.holding(gq)
	}
	if total == 0 {
		return
	}
	if n.Op == tree.OpMean {
		c /= total
	}
	for i := range gq.count {
		if !s.e.tick() {
			return
		}
		gq.set(s.e, gq.number(i))
		if gq.dynamic == nil || gq.dynamic(s.e) {
			s.affine(n.Kids[0], c*gq.weight(i))
		}
	}
}

// leafAt writes the terms of c·∂f(T x, y). At a point of the region T has the maps of the leaf
// alone; at any other row it is constant. A derivative along a column is per standard deviation or
// per unit of the file,
//
//	∂f/∂(raw_j / u) = (u / scale_j) · ∂f/∂z_j     for the prepared z_j = (raw_j − offset_j) / scale_j.
func (s *stating) leafAt(n *tree.Node, c float64) {
	l := n.Leaf
	t := statement.Term{Coef: c}
	for _, d := range []*tree.Derivative{&l.Deriv, &l.Again} {
		if d.Kind == tree.NoDeriv {
			continue
		}
		step, err := s.step(d, n.From)
		if err != nil {
			s.keep(err)
			return
		}
		t.Coef *= step.length
		t.Derive = append(t.Derive, step.column)
	}
	slices.Sort(t.Derive)
	row := -1
	if l.Point.Axis.Kind != tree.BoxAxis {
		row = s.rowAt(l.Point)
		if row != s.base {
			t.Move = standing(s.g.ask.data.Rows.Row(row))
		}
	}
	for _, m := range l.Maps {
		moved, err := s.moved(t.Move, m)
		if err != nil {
			s.keep(err)
			return
		}
		t.Move = moved
	}
	s.labelled(l, row, t)
}

// keep notes an error of an expression whose terms are being written, of which the first is reported. Terms are written deep in an expression, and
// none is used after an error.
func (s *stating) keep(err error) {
	if s.e.err == nil {
		s.e.err = err
	}
}

// step returns the step of a derivative along a column, which must be one of numbers. In
// d/d(c) f over c in columns(area, age) it is that of the element of c.
func (s *stating) step(d *tree.Derivative, from tree.Origin) (columnStep, error) {
	of := *d
	if d.Over != nil {
		of.Column, of.Over = s.g.axes[d.Over.Axis.ID].columns[s.e.elem[d.Over.Axis.ID]], nil
	}
	key := fmt.Sprint(of.Raw, of.Column.Text)
	if step, known := s.steps[key]; known {
		return step, nil
	}
	step, err := s.g.sources.columnStep(&of, from)
	if err != nil {
		return step, err
	}
	if !s.regions.Number(step.column) {
		return step, s.g.ask.fail(tree.Placed(of.Column, from), &diag.Diagnostic{
			Code: codes.NotEverywhere, Summary: "a statement is differentiated along " + of.Column.Text + ", which marks a text or a gap",
			Detail: "It is 0 or 1, and nothing between.", Mend: `Compare values: f(put(town, "b")(x)) >= f(put(town, "a")(x)).`,
		})
	}
	s.steps[key] = step
	return step, nil
}

// standing returns the moves to a point that stands still: T maps every x to the row, coordinate by
// coordinate, with the factor 0. So a term at another row is of the form of one at the point of the
// region. Maps of a leaf act on both alike.
func standing(row []float64) []statement.Move {
	out := make([]statement.Move, len(row))
	for c, v := range row {
		out[c] = statement.Move{Column: c, From: c, Add: v}
	}
	return out
}

// moved returns what moves a point, followed by a map. For T = (x ↦ m·x + b) and a map that makes
// coordinate j of its point u·x_i + v, coordinate j becomes u·m·x + (u·b + v), from where T takes i.
// A coordinate that comes to itself is not moved. So move(age, 1)(put(age, 30)(x)) has the age 31,
// and swapping twice moves nothing.
func (s *stating) moved(before []statement.Move, m *tree.Mapping) ([]statement.Move, error) {
	if m.Bound != nil {
		m = m.Bound.Axis.Maps[s.e.elem[m.Bound.Axis.ID]]
	}
	args, err := s.g.ask.mapArguments(m)
	if err != nil {
		return nil, err
	}
	family := m.Fam.Impl.(plugins.AffineFamily) //nolint:forcetypeassert // elaborate.Require refuses all others
	coordinates, err := family.Affine(s.g.ask.data.Data, &plugins.MapCall{Name: m.Schema.Name, Args: args})
	if err != nil {
		return nil, s.g.ask.failed(m.From, m.Fam, err)
	}
	old := map[int]statement.Move{}
	for _, b := range before {
		old[b.Column] = b
	}
	now := maps.Clone(old)
	for _, k := range coordinates {
		to := statement.Move{Column: k.To, From: k.To, Add: k.Offset}
		if k.From >= 0 {
			from, moves := old[k.From]
			if !moves {
				from = statement.Move{From: k.From, Mul: 1}
			}
			to.From, to.Mul, to.Add = from.From, k.Factor*from.Mul, float64(k.Factor*from.Add)+k.Offset
		}
		if now[k.To] = to; to.From == k.To && to.Mul == 1 && to.Add == 0 {
			delete(now, k.To)
		}
	}
	out := make([]statement.Move, 0, len(now))
	for _, c := range slices.Sorted(maps.Keys(now)) {
		out = append(out, now[c])
	}
	return out, nil
}

// labelled adds a term at its label. A label that a quantifier binds is the one of the element, by
// its number in the data. One that is named is looked up there. At a row's own labels it is one
// term for each; a row without a label has none.
func (s *stating) labelled(l *tree.Leaf, row int, t statement.Term) {
	switch {
	case l.Label != nil && l.Label.Bound != nil:
		a := l.Label.Bound.Axis
		t.Label = int(s.g.axes[a.ID].labels[l.Label.Bound.Slot][s.e.elem[a.ID]])
	case l.Label != nil:
		label, err := s.g.ask.label(l.Label.Name, tree.Origin{Span: s.part.From.Span})
		if err != nil {
			s.keep(err)
			return
		}
		t.Label = int(label)
	case l.Own:
		own := s.g.ask.data.Labels[row]
		for k, label := range own.Index {
			each := t
			each.Label, each.Coef = int(label), t.Coef*own.Value[k]
			s.add(each)
		}
		return
	}
	s.add(t)
}

// add adds a term to the one that differs in its coefficient alone, if there is one. So f(x) − f(x)
// cancels, also where only the data show that two labels or two rows are the same.
func (s *stating) add(t statement.Term) {
	key := t.Key()
	if i, known := s.index[key]; known {
		s.terms[i].Coef += t.Coef
		return
	}
	s.index[key] = len(s.terms)
	s.terms = append(s.terms, t)
}

// points finds how many elements a box has: one, or one for each row that it runs beside. Rows of a
// file are prepared as the training rows are, and kept for the sides that stand still.
func (en *enumerator) points(a *tree.Axis, ga *groundAxis) error {
	data := en.ask.data
	switch ga.count = 1; a.Box.Others {
	case tree.OthersOfRows:
		ga.count = data.N()
	case tree.OthersOfFile:
		if data.File == nil {
			return en.ask.fail(a.From, &diag.Diagnostic{Code: codes.UnreadableFile, Summary: "cannot read " + a.Box.File + ": no files can be read here"})
		}
		rows, names, err := data.File(en.ask.ctx, a.Box.File)
		if err != nil {
			if en.ask.ctx.Err() != nil {
				return en.ask.ctx.Err()
			}
			return en.ask.fail(a.From, &diag.Diagnostic{Code: codes.UnreadableFile, Summary: "cannot read the rows of " + a.Box.File, Detail: err.Error()})
		}
		ga.count, ga.points, ga.names = rows.Rows, &rows, names
	case tree.OthersBox:
	}
	return nil
}

// family returns the number of the family of a statement: that of the member, and of all that is bound but rows.
// Statements of one family differ in the rows that they are about, so that a row is kept where one of them holds it.
// Points of edges and of a file are rows, too.
func (s *stating) family(e *tree.Node, sign float64) int {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %p %p %v", s.of.Name, s.part, e, sign)
	for _, a := range s.bound {
		if !slices.ContainsFunc(a.Vars, func(v *tree.Variable) bool { return v.Kind == tree.PointVar }) {
			fmt.Fprintf(&b, " %d %d", a.ID, s.e.elem[a.ID])
		}
	}
	key := b.String()
	if _, known := s.families[key]; !known {
		s.families[key] = len(s.families)
	}
	return s.families[key]
}

// text returns what a statement says, for readers: the comparison, what is bound, and the member
// where the comparison has several.
func (s *stating) text(e *tree.Node, sign string) string {
	text := s.of.Name + ": " + s.part.Text + s.bindings()
	if s.part.Equal || s.part.Pieces.Op == tree.OpMax {
		text += " (" + e.Formula() + " " + sign + " 0)"
	}
	return text
}

// bindings returns what is bound around a member: labels, columns, transformations and rows. A point of
// a box is not named, as the statement is about all of them. A row of a file has the name that it has there.
func (s *stating) bindings() string {
	var parts []string
	for _, a := range s.bound {
		ga, i := s.g.axes[a.ID], s.e.elem[a.ID]
		for _, v := range a.Vars {
			value := ""
			switch {
			case v.Kind == tree.LabelVar:
				value = s.g.ask.data.LabelNames[ga.labels[v.Slot][i]]
			case v.Kind == tree.ColumnVar:
				value = ga.columns[i].Text
			case v.Kind == tree.MapVar:
				value = a.Maps[i].Text
			case v.Kind != tree.PointVar:
			case ga.points != nil:
				value = "row " + ga.names[i]
			case a.Kind != tree.BoxAxis || a.Box.Others == tree.OthersOfRows:
				value = "row " + s.g.ask.rowName(s.rowAt(v))
			}
			if value != "" {
				parts = append(parts, tree.Greek(v.Name)+" = "+value)
			}
		}
	}
	if len(parts) == 0 {
		return ""
	}
	return ", " + strings.Join(parts, ", ")
}
