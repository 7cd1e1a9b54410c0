// Package ground makes a regularizer of forms and data. It enumerates the index sets, asks the
// families for functionals, and unrolls each gauge. Afterwards an invariance is a tree of norms
// over a numbered list of functionals, and no variable is left:
//
//	e(f) = ρ(ℓ₁(f), …, ℓ_q(f)),   ℓ_i(f) = Σ c f(x, y) + Σ c Df(x, y)[ẋ] + Σ c D²f(x, y)[ẋ, ẋ].
//
// For n rows, rms over x of max {implies(cat, animal), implies(dog, animal)} has 2n functionals,
//
//	ρ = Norm₂ with n copies, each of weight n^(−½), of Max(Pos, Pos)
//	ℓ = f(x₁, cat) − f(x₁, animal), f(x₁, dog) − f(x₁, animal), f(x₂, cat) − f(x₂, animal), …
//
// The work has four steps. They are apart so that a family gets one call for each of its domains
// and transformations, however many elements they have.
//
//	needs        which index sets there are, and where on paths f is evaluated   expand.go
//	preparation  leaves get functionals, conditions and factors become functions
//	             of what is bound                        mapped.go, filter.go, given.go
//	emission     loops over the elements, in the order of the text               emit.go
//	layout       the points that are used are copied, once                      store.go
//
// Elements. An index set is a product D₁ × … × Dₘ, whose elements are numbered with the last axis
// fastest:
//
//	number(i₁, …, iₘ) = Σ_k i_k Π_{l>k} |D_l|.
//
// A condition leaves a sorted list of such numbers. If it compares what is bound around the
// quantifier, all elements stay. The functionals of those that it excludes are then zero, which
// counts for nothing in a norm. So the number of a functional determines what was bound when it was
// written. member.go goes back from the one to the other without a table.
//
// Orbits. A set of transformations whose amounts run through intervals has a sample in its place.
// Each element of the index set whose points it moves has M moves (package draws). The axis of the orbit
// has M elements, as if M transformations were listed. What is listed moves all elements alike, though:
//
//	source m of t in {t₁, …, t_M}    ℓ_e(f ∘ t_m)
//	source m of t in orbit {…}       ℓ_e(f ∘ t_em)
//
// So each place of the sample is one call of the family, with a row of amounts for each element.
// What is above stays as it is: gauges, weights and members know M elements, and no norm asks how
// their points came about. Only a member's name looks its amounts up.
//
// Integrals. A mean, rms, norm(p) or sum over the parameter of a path is an integral. It is
// computed by the rule of Clenshaw and Curtis, with weights μ_k at Lobatto nodes λ_k (package
// curve):
//
//	∫ g(λ) dλ ≈ Σ_k μ_k g(λ_k),   (∫ g(λ)ᵖ dλ)^(1/p) ≈ ‖(μ_k^(1/p) g(λ_k))_k‖ₚ.
//
// A maximum is taken over the nodes. Which functionals are the values of one function along a path,
// member.go says; the runtime then bounds what happens between the nodes.
//
// Statements. A requirement is grounded without any functional, as it is about every point of a
// region. What is enumerated are the elements of the other index sets around it, and the rows beside
// which a box is. Each element gives one statement for each affine part,
//
//	g(x) = c + Σ_k a_k · ∂^{α_k} f(T_k x, y_k) ≥ 0   for all x ∈ B.
//
// Leaves become terms and not functionals. The maps of a leaf and the row at which it stands become
// T_k. The columns along which it is differentiated become α_k, with their units in a_k, and its label y_k. So
// require.go shares with the rest how index sets, conditions and numbers are grounded, and no family
// is asked for rows. The regions B are those of package region.
//
// What the data break is reported at the place in the spec that asks for it, as a diag.List. Such a
// fault is a column without numbers, a negative factor, an empty index set, or a family that fails.
package ground

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/sipc-ml/sipc/compiler/codes"
	"github.com/sipc-ml/sipc/compiler/internal/draws"
	"github.com/sipc-ml/sipc/compiler/internal/tree"
	"github.com/sipc-ml/sipc/dsl/diag"
	"github.com/sipc-ml/sipc/internal/limits"
	"github.com/sipc-ml/sipc/plugins"
	"github.com/sipc-ml/sipc/runtime/curve"
	"github.com/sipc-ml/sipc/runtime/regularizer"
	"github.com/sipc-ml/sipc/runtime/setting"
)

// failed returns a family's error at a place of the spec. Its first line says what is wrong, and
// what follows stands below the place. An error in the family's own words is one that the user can
// mend. Where the process failed or the answer breaks the contract, its author must mend it. The
// error of an ended context passes as it is, since no family is to blame for that.
func (q *asker) failed(o tree.Origin, fam *tree.Family, err error) error {
	var list diag.List
	if ctxErr := q.ctx.Err(); ctxErr != nil {
		return ctxErr
	}
	if errors.As(err, &list) {
		return err
	}
	mend, fault := "", false
	var process interface{ Mend() string } // see package host
	var answer *plugins.AnswerError
	if errors.As(err, &process) || errors.As(err, &answer) {
		mend, fault = fam.FaultMend(), true
	}
	var late interface{ Advice() string } // likewise
	if errors.As(err, &late) && late.Advice() != "" {
		mend += " " + late.Advice()
	}
	what, more, _ := strings.Cut(err.Error(), "\n")
	summary := fmt.Sprintf("the family %s failed: %s", fam.Name, what)
	if strings.HasPrefix(what, "family "+fam.Name+" ") {
		summary = "the " + what // of a process, whose error names it, its path and what it was doing
	}
	d := tree.AtOrigin(o, &diag.Diagnostic{Code: codes.FamilyFailed, Summary: summary, Mend: mend})
	d.FamilyFault = fault
	for line := range strings.Lines(more) {
		d.Values = append(d.Values, strings.TrimSpace(line))
	}
	return diag.List{d}
}

// SchemaMend says what to do about a schema that is wrong.
const SchemaMend = "This is a fault of the family, and not of the spec: tell its author. sipc plugin verify, on its program, says what is wrong."

// joint reports whether f is a function of points and labels. Then every term has a label.
func (q *asker) joint() bool { return len(q.data.Labels) > 0 }

// bare reports whether a functional of a block has no label, though f is a function of points and
// labels. A family may answer so: whether it matters depends on the leaf, which may name a label.
func (q *asker) bare(b *plugins.Block) bool {
	return q.joint() && slices.Contains(b.Label, plugins.NoLabel)
}

// labelled refuses f at points that have no label, where f is a function of points and labels and
// the leaf names none. It looks after all transformations were applied, since the last of them
// decides.
func (q *asker) labelled(gl *groundLeaf, n *tree.Node) error {
	if gl.label != ownLabelMode || !q.joint() {
		return nil
	}
	for _, s := range gl.sources {
		if s.bareOf == nil {
			continue
		}
		err := q.failed(n.From, s.bareOf, &plugins.AnswerError{Err: errors.New(s.bareWhy)})
		var list diag.List
		if errors.As(err, &list) {
			list[0].Mend += " Until it is mended, name a label: f(a, label)."
		}
		return err
	}
	return nil
}

// KeepsLabels says what is wrong with a map that answers without labels where f takes one.
const KeepsLabels = "it answers without labels, though f is a function of points and labels; a map keeps the label of each term"

// NodeCount says how many values a path's parameter takes under a quantifier, unless more are asked
// for. They are Lobatto nodes, with the ends and the middle among them (see package curve). Maxima
// are taken over them, and the regularizer says which functionals are the values of one curve.
// mean, rms, norm(p) and sum are integrals by the rule of Clenshaw and Curtis.
const NodeCount = 11

// A Data holds what a regularizer is grounded on: the training rows, prepared.
type Data struct {
	*plugins.Data
	Seed uint64
	// Nodes is how many values a path's parameter takes; 0 stands for NodeCount. It is odd so that
	// they hold the middle. 2N − 1 nodes hold those of N, so that a finer grid evaluates few new
	// points.
	Nodes int
	// Sample says which moves of orbits are drawn.
	Sample draws.Sample
	// Share is the part of the weight of all rows that these have, where they are a part of all. A mean over all rows is the sum of what its parts
	// add to it. 0 stands for 1.
	Share float64
	// Only says of which rows there are functionals, for R that is [Apart]. Those of others have no terms, and no family moves them. None stands for all.
	Only []bool
	// Rest, if above 0, has samples of rows take so many rows that are not Held, in the order of their own. Below 0 they take all rows.
	Rest int
	Held []bool
	// Halfway makes maxima over intervals take the Nodes − 1 values of the parameter that lie
	// between the nodes, half way in angle. All else stays as it is. A caller compares both to see
	// what a curve does between its nodes.
	Halfway bool
	// Most is how many functionals there may be; 0 asks for no bound except that of memory.
	Most int
	// Column returns the raw values of a column of the training rows, numbers or texts, for
	// conditions and factors. Ok is false where no column has the name. A gap among numbers is NaN,
	// and among texts the text that the file has there.
	Column func(name string) (numbers []float64, texts []string, ok bool)
	// Elsewhere returns the texts that rows which R does not see have in a column. Nil means that R sees all rows.
	Elsewhere func(name string) []string
	// Groups says which features each column of the file became. Nil means that their names tell.
	Groups []setting.Group
	// Unit holds the unit of a derivative along each feature, in that of the file: the standard
	// deviation of the column. It is 1 for a feature of 0 and 1 that stands for a text or a gap.
	// Nil stands for ones.
	Unit []float64
	// Constant reports whether a feature is the same in every row that was trained on. Nil means
	// that no feature is.
	Constant func(column int) bool
	// RowID names a training row for the edges of a graph: by the column id, else by the number
	// in the data file, from 1. Nil stands for 1, 2, ….
	RowID func(row int) string
	// Rowless says that no rows are given, and that statements about them are refused. A statement about a box needs none.
	Rowless bool
	// Numbered says that RowID gives such numbers.
	Numbered bool
	// Taxonomy is the hierarchy that the data carry, for taxonomy(data).
	Taxonomy []plugins.Edge
	// Weight has the weight of each row: in quantifiers over rows it counts as so many equal ones. Nil stands for ones.
	Weight []float64
	// File returns the prepared rows of a data file that a region names, and their names. Nil refuses every file.
	File func(ctx context.Context, name string) (rows plugins.Matrix, names []string, err error)
	// Warn, if not nil, is called with each warning.
	Warn func(*diag.Diagnostic)
	// Waiting, if not nil, is called with the name of a family that is asked, and with "" when it has answered.
	Waiting func(family string)
}

// Nameless is the id of a row that no file of edges names.
const Nameless = "\x00"

// A grounder makes the regularizer of a problem. Its maps hold what preparation found, by the part
// of the tree that it belongs to. Forms may share parts, and each part is grounded once.
type grounder struct {
	ask     *asker
	columns *columns
	sources *sources
	index   *enumerator
	axes    []*groundAxis
	quants  map[*tree.Quantifier]*groundQuant
	dynamic []*groundQuant // those whose condition depends on what is bound around them
	leaves  map[*tree.Leaf]*groundLeaf
	linears map[*tree.Node]*linearParts
	givens  map[*tree.Datum]func(*emitter) float64
}

// An asker hands data to families and says what is wrong at a place of the spec. A session opens at
// the first question and serves all later ones, as opening may start a process and send it the
// rows.
type asker struct {
	ctx      context.Context //nolint:containedctx // lives for one call of Ground
	in       *Problem
	data     *Data
	sessions map[*tree.Family]plugins.Session
	rowIndex map[string]int32
	warned   map[string]bool
	unheld   []*missingTexts
}

// The columns of the data file that conditions and factors have named. They are the raw ones:
// `where age > 30` means years, whatever preparation makes of the feature age.
type columns struct {
	ask  *asker
	read map[string]*rawColumn
}

// The sources are functionals of families and what transformations make of them, by what was asked
// for. Two leaves f(t(x)) in different invariances share one call of t on all rows.
type sources struct {
	ask   *asker
	store *store
	made  map[string]*source
	taken float64 // bytes of memory before anything is asked
}

// An enumerator finds the elements of index sets. Domains are kept by their call, so that the axes
// of two quantifiers over one domain share its elements.
type enumerator struct {
	ask     *asker
	sources *sources
	domains map[string]*expansion
	nodes   int
	halfway map[*tree.Axis]bool // the paths' parameters that lie between nodes
}

// A Problem is grounded: it holds the terms of R, and what else families are asked for.
type Problem struct {
	Terms      []*tree.Term // of R, those that count
	Transforms []*tree.Mapping
	Families   []*tree.Family
	Axes       int // how many index sets there are
	File       string
	Declared   func(name string) bool // reports whether the spec declares a name
}

// Ground asks the families for functionals and unrolls the gauges. Its errors are diagnostics at
// the place in the spec (diag.List), or the context's. Without terms, the regularizer is zero.
// Sessions are closed before it returns, and a fault in closing one is an error too.
func (in *Problem) Ground(ctx context.Context, data *Data) (_ *regularizer.Regularizer, err error) {
	if data.Nodes != 0 && (data.Nodes < 3 || data.Nodes%2 == 0 || data.Nodes > curve.MostNodes) {
		return nil, fmt.Errorf("%d nodes of a path; there must be an odd number from 3 to %d", data.Nodes, curve.MostNodes)
	}
	g := newGrounder(ctx, in, data)
	defer func() { err = errors.Join(err, g.ask.close()) }()
	return g.ground()
}

// newGrounder returns a grounder that has asked no family yet. Opening is left to the first
// question.
func newGrounder(ctx context.Context, in *Problem, data *Data) *grounder {
	ask := &asker{ctx: ctx, in: in, data: data, sessions: map[*tree.Family]plugins.Session{}, warned: map[string]bool{}}
	made := &sources{ask: ask, store: newStore(data.Rows.Cols), made: map[string]*source{}, taken: limits.Taken(ctx)}
	g := &grounder{
		ask: ask, sources: made,
		columns: &columns{ask: ask, read: map[string]*rawColumn{}},
		index:   &enumerator{ask: ask, sources: made, domains: map[string]*expansion{}, nodes: NodeCount, halfway: map[*tree.Axis]bool{}},
		axes:    make([]*groundAxis, in.Axes),
		quants:  map[*tree.Quantifier]*groundQuant{},
		leaves:  map[*tree.Leaf]*groundLeaf{},
		linears: map[*tree.Node]*linearParts{},
		givens:  map[*tree.Datum]func(*emitter) float64{},
	}
	if data.Nodes != 0 {
		g.index.nodes = data.Nodes
	}
	return g
}

// close ends the sessions. One that does not end is a fault at its family's place in the spec. All
// are closed, also after a fault, as each may hold a process.
func (q *asker) close() error {
	var errs []error
	for _, fam := range q.in.Families {
		if s := q.sessions[fam]; s != nil {
			if err := s.Close(); err != nil {
				errs = append(errs, q.failed(tree.Origin{Span: fam.Place}, fam, err))
			}
		}
	}
	return errors.Join(errs...)
}

// ground runs the four steps. The needs of all terms come before any question to a family, and all
// terms are prepared before the first is written. So the order of the terms decides the order of
// the functionals, and nothing else.
func (g *grounder) ground() (*regularizer.Regularizer, error) {
	terms := g.ask.in.Terms
	if g.ask.data.Halfway {
		for _, t := range terms {
			for _, a := range t.Inv.Form.Intervals() {
				g.index.halfway[a] = true
			}
		}
	}
	// All needs come first, so that a family is asked once for each domain, with the nodes of all
	// terms.
	need := newNeeds(g)
	for _, t := range terms {
		need.form(t.Inv.Form)
	}
	if err := need.expand(); err != nil {
		return nil, err
	}
	for _, t := range terms {
		if err := g.prepare(t.Inv.Form); err != nil {
			return nil, err
		}
	}
	// What moves rows alone is asked for later, when there is no file to look into.
	if err := ofFile(g.ask, g.ask.in.Transforms...); err != nil {
		return nil, err
	}
	e := &emitter{g: g, elem: make([]int, len(g.axes)), out: &plugins.Block{Start: []int32{0}}}
	if err := e.reserve(terms); err != nil {
		return nil, err
	}
	r := &regularizer.Regularizer{Functionals: e.out, Rows: g.ask.data.N(), Nodes: g.index.nodes}
	for _, w := range g.ask.data.Weight {
		r.Total += w
	}
	for _, t := range terms {
		first := e.out.Len()
		e.scale = t.Weight
		e.form(t.Inv.Form, 1)
		if e.err != nil {
			return nil, e.err
		}
		inv := regularizer.Invariance{
			Name: t.Inv.Name, Weight: t.Weight * shared(t.Inv.Form, g.ask.data.Share), Kind: t.Inv.Root.Kind, Smooth: t.Inv.Form.Smooth(), Text: t.Inv.Text(),
			Gauge: g.gauge(t.Inv.Form), First: first, Count: e.out.Len() - first,
		}
		inv.Curves, inv.NodesOnly = g.curves(t.Inv.Form)
		inv.Members = g.members(t.Inv.Form)
		r.Invariances = append(r.Invariances, inv)
	}
	g.sources.store.finish(e.out)
	if err := g.empty(); err != nil {
		return nil, err
	}
	warnUnheld(g.ask)
	for _, gq := range g.quants {
		gq.dynamic, gq.held, gq.mu = nil, nil, nil // members outlive the stores that these hold
	}
	return r, nil
}

// shared returns the factor of a norm over rows that are a share of all. That of rms is the root of the share, as its square is a mean.
func shared(f *tree.Form, share float64) float64 {
	if share == 0 || !f.Mean {
		return 1
	}
	return math.Sqrt(share)
}

// fail returns a diagnostic as an error at a place in the spec.
func (q *asker) fail(o tree.Origin, d *diag.Diagnostic) error {
	return diag.List{tree.AtOrigin(o, d)}
}

// warn calls Warn once for each summary. Two quantifiers over one graph would warn alike of its
// edges.
func (q *asker) warn(o tree.Origin, d *diag.Diagnostic) {
	if q.data.Warn == nil || q.warned[d.Summary] {
		return
	}
	q.warned[d.Summary] = true
	d.Severity = diag.Warning
	q.data.Warn(tree.AtOrigin(o, d))
}

// session returns a family opened on the data. It sees only what its schema needs for the calls of
// the spec: columns that arguments name, and labels where a call asks for them.
func (q *asker) session(o tree.Origin, fam *tree.Family) (plugins.Session, error) {
	if s := q.sessions[fam]; s != nil {
		return s, nil
	}
	defer q.waits(fam)()
	s, err := plugins.Open(q.ctx, fam.Impl, q.data.Data, q.in.sees(fam, q.data.Columns))
	if err != nil {
		return nil, q.failed(o, fam, err)
	}
	q.sessions[fam] = s
	return s, nil
}

// waits says that a program's family is asked, and returns what says that it has answered.
func (q *asker) waits(fam *tree.Family) (answered func()) {
	if q.data.Waiting == nil || fam.Place.IsZero() {
		return func() {}
	}
	q.data.Waiting(fam.Name)
	return func() { q.data.Waiting("") }
}

// values returns checked arguments in the form of the contract. Names of columns and labels become
// indices, a multiple of n a whole number of rows, and a taxonomy edges between labels. What the
// data lack is an error at the argument.
func (q *asker) values(o tree.Origin, args []*tree.Value) ([]plugins.Value, error) {
	var out []plugins.Value
	for _, v := range args {
		if v == nil {
			continue
		}
		pv := plugins.Value{Name: v.Arg.Name, Kind: v.Arg.Kind, Text: v.Text, Bytes: v.Bytes, Number: v.Quantity.Value}
		if v.Quantity.Unit == tree.PerRow {
			pv.Number = float64(int(v.Quantity.Value * float64(q.data.N())))
		}
		var err error
		switch v.Arg.Kind {
		case plugins.KindColumn:
			pv.Index, err = q.column(v, o)
		case plugins.KindLabel:
			var label int32
			label, err = q.label(v, o)
			pv.Index = int(label)
		case plugins.KindTaxonomy:
			pv.Edges, err = q.taxonomy(o, v.Taxonomy)
		}
		if err != nil {
			return nil, err
		}
		out = append(out, pv)
	}
	return out, nil
}

// column returns the index of a feature column. A column of texts has become several features of 0
// and 1, and the error then names those.
func (q *asker) column(v *tree.Value, o tree.Origin) (int, error) {
	if i := slices.Index(q.data.Columns, v.Text); i >= 0 {
		return i, nil
	}
	d := &diag.Diagnostic{Code: codes.ColumnNotInData, Summary: "no feature of the data is called " + v.Text, Mend: tree.DidYouMean(v.Text, q.data.Columns)}
	if made := q.madeOfTexts(v.Text); len(made) > 0 {
		d.Summary = v.Text + " is a column of texts, along which f has no slope"
		d.Detail = "It becomes features, one for each text or word of the training rows."
		d.Mend = "Name one of them, in quotes: " + tree.Listed(made, someOf) + ". To compare groups of rows write parity_between(" + v.Text + ", a, b)."
	}
	return 0, q.fail(tree.Placed(v, o), d)
}

// madeOfTexts returns the features that a column of texts became, in quotes, as they are
// written in a spec.
func (q *asker) madeOfTexts(column string) []string {
	var made []string
	for _, c := range q.data.Columns {
		if strings.HasPrefix(c, column+"=") || strings.HasPrefix(c, column+":") {
			made = append(made, strconv.Quote(c))
		}
	}
	return made
}

// label returns the index of a label. Labels that the spec lists were checked before there were
// data; those of the data show here.
func (q *asker) label(v *tree.Value, o tree.Origin) (int32, error) {
	if i := slices.Index(q.data.LabelNames, v.Text); i >= 0 {
		return int32(i), nil
	}
	return 0, q.fail(tree.Placed(v, o), &diag.Diagnostic{Code: codes.LabelNotInData, Summary: "the data have no label " + v.Text, Mend: tree.DidYouMean(v.Text, q.data.LabelNames)})
}

// taxonomy returns the edges of a taxonomy between labels of the data. Names that are not labels are
// passed over with a warning: what lies below such a name counts as below its parents. A circle may
// show only here, where two names of the file turn out to be one label.
func (q *asker) taxonomy(o tree.Origin, t *tree.Taxonomy) ([]plugins.Edge, error) {
	if !t.Place.IsZero() {
		o = tree.Origin{Span: t.Place}
	}
	if t.OfData {
		if len(q.data.Taxonomy) == 0 {
			return nil, q.fail(o, &diag.Diagnostic{Code: codes.WrongTaxonomy, Summary: "the data carry no hierarchy", Detail: "taxonomy(data) is the hierarchy of an ARFF class attribute.", Mend: `Name a file: taxonomy("topics.csv").`})
		}
		if around := tree.CircleOf(q.data.Taxonomy, q.data.LabelNames); around != "" {
			return nil, q.fail(o, tree.Circular("the hierarchy of the data", around))
		}
		return q.data.Taxonomy, nil
	}
	edges, missing := t.Resolve(q.data.LabelNames)
	switch {
	case len(edges) == 0:
		return nil, q.fail(o, &diag.Diagnostic{
			Code: codes.WrongTaxonomy, Summary: fmt.Sprintf("no relation of %s is between labels of the data", t.File),
			Detail: fmt.Sprintf("It speaks of %s; the data have %s.", tree.Listed(missing, named), tree.Listed(q.data.LabelNames, named)),
		})
	case len(missing) > 0:
		q.warn(o, &diag.Diagnostic{
			Code: codes.NamesLeftOut, Summary: fmt.Sprintf("%s of %s %s", tree.Plural(len(missing), "name"), t.File, map[bool]string{true: "is not a label of the data", false: "are not labels of the data"}[len(missing) == 1]),
			Detail: fmt.Sprintf("Passed over: %s. What lies below such a name counts as below its parents.", tree.Listed(missing, named)),
		})
	}
	if around := tree.CircleOf(edges, q.data.LabelNames); around != "" { // of labels that the file names in several ways
		return nil, q.fail(o, tree.Circular(t.File, around))
	}
	return edges, nil
}

// named is how many names a message lists.
const named = 4

// rows maps row ids to rows. Of rows with one id the first counts, as edges cannot mean both.
func (q *asker) rows() map[string]int32 {
	if q.rowIndex != nil {
		return q.rowIndex
	}
	q.rowIndex = make(map[string]int32, q.data.N())
	for i := range q.data.N() {
		id := strconv.Itoa(i + 1)
		if q.data.RowID != nil {
			id = q.data.RowID(i)
		}
		if _, taken := q.rowIndex[id]; !taken {
			q.rowIndex[id] = int32(i)
		}
	}
	return q.rowIndex
}
