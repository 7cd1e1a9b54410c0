package compiler

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/sipc-ml/sipc/dsl/diag"
	"github.com/sipc-ml/sipc/plugins"
	"github.com/sipc-ml/sipc/runtime/curve"
	"github.com/sipc-ml/sipc/runtime/regularizer"
)

// NodeCount is how many values a path's parameter takes where a quantifier ranges over an interval, unless more are asked
// for: Lobatto nodes, the ends and the middle among them (see package curve). Maxima are taken over them, and the regularizer
// tells which functionals are the values of one curve; mean, rms, norm(p) and sum are integrals by the rule of Clenshaw and Curtis.
const NodeCount = 11

// A Ground is what a regularizer is grounded on: the training rows.
type Ground struct {
	*plugins.Data
	Seed uint64
	// Nodes is how many values a path's parameter takes, odd so that they hold the middle; 0 is NodeCount. 2N − 1 nodes hold
	// those of N.
	Nodes int
	// Halfway makes maxima over intervals take the Nodes − 1 values of the parameter that lie between the nodes, half way in
	// angle. All else stays as it is, so that what a curve does between its nodes can be seen.
	Halfway bool
	// Most is how many functionals there may be; 0 asks for no bound but that of memory.
	Most int
	// Column gives the raw values of a column of the training rows, numbers or texts, for where; ok is false where there
	// is none of that name. A gap is NaN or the empty text.
	Column func(name string) (numbers []float64, texts []string, ok bool)
	// Unit holds the unit of a derivative along each feature, in that of the file: the standard deviation of the column, 1 for a feature
	// of 0 and 1 that stands for a text or a gap. Nil stands for ones.
	Unit []float64
	// Constant reports whether a feature column is the same in every row that was trained on; nil: none is.
	Constant func(column int) bool
	// RowID names the training rows, for the edges of a graph: the value of the column id, else the row's number in the
	// data file, from 1. Nil stands for 1, 2, ….
	RowID []string
	// Taxonomy is the hierarchy that the data carry, for taxonomy(data).
	Taxonomy []plugins.Edge
	// Warn hears of what is worth saying; nil: nobody does.
	Warn func(*diag.Diagnostic)
}

// Nameless is the id of a row that no file of edges names.
const Nameless = "\x00"

// A grounder makes the regularizer of an instance.
type grounder struct {
	ctx      context.Context //nolint:containedctx // lives for one call of Ground
	in       *Instance
	data     *Ground
	sessions map[*family]plugins.Session
	store    *store
	domains  map[string]*expansion
	sources  map[string]*source
	axes     []*groundAxis
	quants   map[*quantifier]*groundQuant
	dynamic  []*groundQuant // those whose condition depends on what is bound around them
	leaves   map[*leaf]*groundLeaf
	linears  map[*node]*linearParts
	givens   map[*datum]func(*emitter) float64
	columns  map[string]*rawColumn
	rowIndex map[string]int32
	warned   map[string]bool
	nodes    int
	halfway  map[*axis]bool // the paths' parameters that lie between nodes
}

// Ground asks the families for functionals and unrolls the gauges. Its errors are diagnostics at the place in the spec
// (diag.List), or the context's. With method plain, or without invariances, the regularizer is zero.
func (in *Instance) Ground(ctx context.Context, data *Ground) (_ *regularizer.Regularizer, err error) {
	if err := in.judged(); err != nil {
		return nil, err
	}
	n, labels := data.N(), len(data.LabelNames)
	switch {
	case len(data.Labels) != 0 && len(data.Labels) != n:
		return nil, fmt.Errorf("%d rows have %d labels", n, len(data.Labels))
	case in.Data.Target.Task.Joint() != (labels > 0):
		return nil, fmt.Errorf("a %s target has %d labels", in.Data.Target.Task, labels)
	case data.Nodes != 0 && (data.Nodes < 3 || data.Nodes%2 == 0 || data.Nodes > curve.MostNodes):
		return nil, fmt.Errorf("%d nodes of a path; there must be an odd number from 3 to %d", data.Nodes, curve.MostNodes)
	}
	g := &grounder{
		ctx: ctx, in: in, data: data,
		sessions: map[*family]plugins.Session{},
		store:    newStore(data.Data),
		domains:  map[string]*expansion{},
		sources:  map[string]*source{},
		axes:     make([]*groundAxis, in.axes),
		quants:   map[*quantifier]*groundQuant{},
		leaves:   map[*leaf]*groundLeaf{},
		linears:  map[*node]*linearParts{},
		givens:   map[*datum]func(*emitter) float64{},
		columns:  map[string]*rawColumn{},
		warned:   map[string]bool{},
		nodes:    NodeCount,
		halfway:  map[*axis]bool{},
	}
	if data.Nodes != 0 {
		g.nodes = data.Nodes
	}
	defer func() { err = errors.Join(err, g.close()) }()
	return g.ground()
}

// judged reports what is wrong with the instance. Nothing is left out of R that the spec states.
func (in *Instance) judged() error {
	if len(in.faults) > 0 {
		return in.faults
	}
	for _, t := range in.regularized {
		if t.inv.form == nil {
			return fmt.Errorf("the invariance %s was not proved convex", t.inv.name)
		}
	}
	return nil
}

// close ends the sessions. One that does not end is a fault at its family's place in the spec.
func (g *grounder) close() error {
	var errs []error
	for _, fam := range g.in.checker.families {
		if s := g.sessions[fam]; s != nil {
			if err := s.Close(); err != nil {
				errs = append(errs, g.failed(origin{span: fam.place}, fam, err))
			}
		}
	}
	return errors.Join(errs...)
}

func (g *grounder) ground() (*regularizer.Regularizer, error) {
	terms := g.taken()
	if g.data.Halfway {
		for _, t := range terms {
			t.inv.form.intervals(func(a *axis) { g.halfway[a] = true })
		}
	}
	need := newNeeds(g)
	for _, t := range terms {
		need.form(t.inv.form)
	}
	if err := need.expand(); err != nil {
		return nil, err
	}
	for _, t := range terms {
		if err := g.prepare(t.inv.form); err != nil {
			return nil, err
		}
	}
	e := &emitter{g: g, elem: make([]int, len(g.axes)), out: &plugins.Block{Start: []int32{0}}}
	if err := e.reserve(terms); err != nil {
		return nil, err
	}
	r := &regularizer.Regularizer{Functionals: e.out, Rows: g.data.N(), Nodes: g.nodes}
	for _, t := range terms {
		first := e.out.Len()
		e.scale = t.weight
		e.form(t.inv.form, 1)
		if e.err != nil {
			return nil, e.err
		}
		inv := regularizer.Invariance{
			Name: t.inv.name, Weight: t.weight, Kind: t.inv.root.kind, Smooth: t.inv.form.smooth(), Text: t.inv.text(),
			Gauge: g.gauge(t.inv.form), First: first, Count: e.out.Len() - first,
		}
		inv.Curves, inv.NodesOnly = g.curves(t.inv.form)
		inv.Members = g.members(t.inv.form)
		r.Invariances = append(r.Invariances, inv)
	}
	g.store.finish(e.out)
	if err := g.empty(); err != nil {
		return nil, err
	}
	return r, nil
}

// taken are the invariances that count.
func (g *grounder) taken() []*term {
	if g.in.Method == Plain {
		return nil
	}
	var out []*term
	for _, t := range g.in.regularized {
		if t.weight > 0 {
			out = append(out, t)
		}
	}
	return out
}

// fail returns a diagnostic as an error at a place in the spec.
func (g *grounder) fail(o origin, d *diag.Diagnostic) error { return diag.List{atOrigin(o, d)} }

// warn warns once of what a diagnostic says.
func (g *grounder) warn(o origin, d *diag.Diagnostic) {
	if g.data.Warn == nil || g.warned[d.Summary] {
		return
	}
	g.warned[d.Summary] = true
	d.Severity = diag.Warning
	g.data.Warn(atOrigin(o, d))
}

// session opens a family on the data, once.
func (g *grounder) session(o origin, fam *family) (plugins.Session, error) {
	if s := g.sessions[fam]; s != nil {
		return s, nil
	}
	s, err := plugins.Open(g.ctx, fam.impl, g.data.Data, g.in.sees(fam, g.data.Columns))
	if err != nil {
		return nil, g.failed(o, fam, err)
	}
	g.sessions[fam] = s
	return s, nil
}

// values are checked arguments as the contract hands them over.
func (g *grounder) values(o origin, args []*value) ([]plugins.Value, error) {
	var out []plugins.Value
	for _, v := range args {
		if v == nil {
			continue
		}
		pv := plugins.Value{Name: v.arg.Name, Kind: v.arg.Kind, Text: v.text, Bytes: v.bytes, Number: v.quantity.value}
		if v.quantity.unit == perRow {
			pv.Number = float64(int(v.quantity.value * float64(g.data.N())))
		}
		var err error
		switch v.arg.Kind {
		case plugins.KindColumn:
			pv.Index, err = g.column(v, o)
		case plugins.KindLabel:
			var label int32
			label, err = g.label(v, o)
			pv.Index = int(label)
		case plugins.KindTaxonomy:
			pv.Edges, err = g.taxonomy(o, v.taxonomy)
		}
		if err != nil {
			return nil, err
		}
		out = append(out, pv)
	}
	return out, nil
}

// placed is an origin at an argument's own place.
func placed(v *value, o origin) origin {
	if v.place.File == o.span.File && !v.place.IsZero() {
		o.span = v.place
	}
	return o
}

// column is the index of a feature column.
func (g *grounder) column(v *value, o origin) (int, error) {
	if i := slices.Index(g.data.Columns, v.text); i >= 0 {
		return i, nil
	}
	detail, mend := "", didYouMean(v.text, g.data.Columns)
	if made := g.madeOfTexts(v.text); len(made) > 0 {
		detail = v.text + " is a column of texts, which become features of 0 and 1, one for each text of the training rows."
		mend = "Name one of them, in quotes: " + some(made) + "."
	}
	return 0, g.fail(placed(v, o), &diag.Diagnostic{Code: ColumnNotInData, Summary: "no feature of the data is called " + v.text, Detail: detail, Mend: mend})
}

// madeOfTexts returns the features of 0 and 1 that a column of texts became, in quotes.
func (g *grounder) madeOfTexts(column string) []string {
	var made []string
	for _, c := range g.data.Columns {
		if strings.HasPrefix(c, column+"=") {
			made = append(made, strconv.Quote(c))
		}
	}
	return made
}

// label is the index of a label.
func (g *grounder) label(v *value, o origin) (int32, error) {
	if i := slices.Index(g.data.LabelNames, v.text); i >= 0 {
		return int32(i), nil
	}
	return 0, g.fail(placed(v, o), &diag.Diagnostic{Code: LabelNotInData, Summary: "the data have no label " + v.text, Mend: didYouMean(v.text, g.data.LabelNames)})
}

// taxonomy resolves a taxonomy's names.
func (g *grounder) taxonomy(o origin, t *taxonomy) ([]plugins.Edge, error) {
	if !t.place.IsZero() {
		o = origin{span: t.place}
	}
	if t.ofData {
		if len(g.data.Taxonomy) == 0 {
			return nil, g.fail(o, &diag.Diagnostic{Code: WrongTaxonomy, Summary: "the data carry no hierarchy", Detail: "taxonomy(data) is the hierarchy of an ARFF class attribute.", Mend: `Name a file: taxonomy("topics.csv").`})
		}
		if around := circleOf(g.data.Taxonomy, g.data.LabelNames); around != "" {
			return nil, g.fail(o, &diag.Diagnostic{Code: WrongTaxonomy, Summary: inCircle("the hierarchy of the data", around), Detail: circleDetail, Mend: circleMend})
		}
		return g.data.Taxonomy, nil
	}
	edges, missing := t.resolve(g.data.LabelNames)
	switch {
	case len(edges) == 0:
		return nil, g.fail(o, &diag.Diagnostic{
			Code: WrongTaxonomy, Summary: fmt.Sprintf("no relation of %s is between labels of the data", t.file),
			Detail: fmt.Sprintf("It speaks of %s; the data have %s.", few(missing), few(g.data.LabelNames)),
		})
	case len(missing) > 0:
		g.warn(o, &diag.Diagnostic{
			Code: NamesLeftOut, Summary: fmt.Sprintf("%s of %s %s", plural(len(missing), "name"), t.file, map[bool]string{true: "is no label of the data", false: "are no labels of the data"}[len(missing) == 1]),
			Detail: fmt.Sprintf("Passed over: %s. What lies below such a name counts as below its parents.", few(missing)),
		})
	}
	if around := circleOf(edges, g.data.LabelNames); around != "" { // of labels that the file names in several ways
		return nil, g.fail(o, &diag.Diagnostic{Code: WrongTaxonomy, Summary: inCircle(t.file, around), Detail: circleDetail, Mend: circleMend})
	}
	return edges, nil
}

// few lists the first of some names.
func few(names []string) string {
	const show = 4
	s := ""
	for i, n := range names {
		if i == show {
			return s + fmt.Sprintf(" and %d more", len(names)-show)
		}
		if i > 0 {
			s += ", "
		}
		s += n
	}
	if s == "" {
		return "none"
	}
	return s
}

// rows maps row ids to rows.
func (g *grounder) rows() map[string]int32 {
	if g.rowIndex != nil {
		return g.rowIndex
	}
	g.rowIndex = make(map[string]int32, g.data.N())
	for i := range g.data.N() {
		id := strconv.Itoa(i + 1)
		if i < len(g.data.RowID) {
			id = g.data.RowID[i]
		}
		if _, taken := g.rowIndex[id]; !taken {
			g.rowIndex[id] = int32(i)
		}
	}
	return g.rowIndex
}
