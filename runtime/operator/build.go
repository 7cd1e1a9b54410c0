package operator

import (
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"
	"sort"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"

	"github.com/sipc-ml/sipc/plugins"
	"github.com/sipc-ml/sipc/runtime/embed"
	"github.com/sipc-ml/sipc/runtime/parallel"
)

// Build sets up A for a block of functionals, as BuildWith does with the zero Options. rows is n×p, the training
// rows, and features maps them into d dimensions. There are m labels; m = 1 if f is a function of x alone. It fails
// if the block names a row, tangent or label that does not exist.
//
// A has one row per functional, in the order of the block, and m·d columns. The order of columns is that of the
// package's comment: all features of the first label, then those of the second.
func Build(ctx context.Context, block *plugins.Block, rows *mat.Dense, features embed.Map, m int) (*Operator, error) {
	return BuildWith(ctx, block, rows, features, m, Options{})
}

// Options set the accuracy and the memory of an operator. The zero value is the default: exact, with at most 12 GiB.
type Options struct {
	// Tolerance allows functionals to be replaced by combinations of others. They may differ by at most this share of
	// the largest norm in their group; see Operator.Errors. 0 keeps all functionals as they are.
	Tolerance float64
	// Groups are consecutive functionals that may lie on one curve, ascending and apart. nil means any that share
	// labels.
	Groups []Group
	// MostBytes bounds the memory of the rows of Ψ. A larger need is an error before anything is allocated. 0 means
	// 12 GiB.
	MostBytes int
	// Known has rows that need not be computed again. It is an operator on the same features, and Of says which of its functionals each of the block's is; −1 stands for
	// none. Nil knows none.
	Known *Operator
	Of    []int
}

// defaultMost is the memory that Ψ may take unless less or more is asked for.
const defaultMost = 12 << 30

// ErrTooLarge reports rows of Ψ that would take more memory than is allowed.
var ErrTooLarge = errors.New("operator: too many rows")

// checkMost returns an error if rows of Ψ would take more memory than is allowed.
func (o *Options) checkMost(rows, dim int) error {
	most := o.MostBytes
	if most == 0 {
		most = defaultMost
	}
	// By division, as the product might overflow.
	if rows <= most/(8*max(1, dim)) {
		return nil
	}
	const gib = 1 << 30
	return fmt.Errorf("%w: %d of %d features need %.1f GiB, and %.1f are allowed; use fewer functionals or landmarks, or allow more by --max-memory", ErrTooLarge,
		rows, dim, float64(rows)*float64(dim)*8/gib, float64(most)/gib)
}

// A Group consists of the functionals First … First+Count−1.
type Group struct{ First, Count int }

// BuildWith sets up A as Build does, with options. It finds the distinct rows first, by their terms alone, and
// computes them afterwards, so that equal rows are computed once. It stops with ctx's error when ctx ends.
func BuildWith(ctx context.Context, block *plugins.Block, rows *mat.Dense, features embed.Map, m int, o Options) (*Operator, error) {
	if m < 1 {
		return nil, fmt.Errorf("operator: %d labels; a function of x alone has 1", m)
	}
	var source *source
	var err error
	if ended := parallel.Await(ctx, func() { source, err = newSource(block, rows, m) }); ended != nil {
		return nil, ended // nobody waits for the source, nor for err
	}
	if err != nil {
		return nil, err
	}
	b := source.builder
	source.features = features
	// Compression comes before the check of memory, as it may leave a fraction of the rows.
	if o.Tolerance > 0 {
		if err := source.compress(ctx, o); err != nil {
			return nil, err
		}
	}
	if err := o.checkMost(len(b.start)-1, features.Dim()); err != nil {
		return nil, err
	}
	var a *Operator
	if err := parallel.Await(ctx, func() { a = b.operator(features.Dim()) }); err != nil {
		return nil, err
	}
	a.psi = newGeneral(a.psi.Rows, a.dim)
	source.know(o.Known, o.Of)
	// The order of storage is known only now, after the labels of all rows are.
	if err := source.matrix(ctx, a.psi, b.order); err != nil {
		return nil, err
	}
	return a, nil
}

// newSource finds the rows of Ψ that a block of functionals needs. With millions of functionals that takes long.
func newSource(block *plugins.Block, rows *mat.Dense, m int) (*source, error) {
	n, p := rows.Dims()
	if err := block.ValidateTwice(n, p, m); err != nil {
		return nil, fmt.Errorf("operator: %w", err)
	}
	points := embed.NewPoints(rows, block)
	b := newBuilder(block, points.Canon(), m)
	for i := range block.Len() {
		if err := b.functional(i); err != nil {
			return nil, err
		}
	}
	return &source{builder: b, points: points, local: make([]int32, len(b.atoms))}, nil
}

// A builder finds the distinct rows of A before any is computed: a row is known by its atoms and weights.
type builder struct {
	block  *plugins.Block
	canon  *embed.Canon
	labels int

	// atomOf and atoms number the points and tangents at which features are needed.
	atomOf map[embed.Atom]int32
	atoms  []embed.Atom
	// known finds rows by the hash of their terms.
	known map[uint64][]int32
	// start and parts hold the terms of row q at start[q] … start[q+1]−1.
	start []int32
	parts []part
	uses  []use
	// terms and row are memory for those of one functional.
	terms []term
	row   []part
	// order has the rows of Ψ in the order in which they are stored.
	order []int32
	// errors are those of the functionals; nil means that all are exact.
	errors []float64
}

// A part of a row is an atom's features times a weight.
type part struct {
	atom   int32
	weight float64
}

// A term is a part of the row of a label.
type term struct {
	label int32
	part
}

// A use says that a functional has a row, times value, at a label.
type use struct {
	functional, label, row int32
	value                  float64
}

// newBuilder starts with no rows.
func newBuilder(block *plugins.Block, canon *embed.Canon, m int) *builder {
	return &builder{
		block: block, canon: canon, labels: m,
		atomOf: make(map[embed.Atom]int32), known: make(map[uint64][]int32), start: []int32{0}, uses: make([]use, 0, len(block.Coef)),
	}
}

// atom returns the number of the atom that term k of the block evaluates. Terms at equal points share it.
func (b *builder) atom(k int) int32 {
	a := embed.Atom{Point: b.canon.Point(b.block.Point[k]), Tangent: b.canon.Tangent(b.block.Tangent[k])}
	id, ok := b.atomOf[a]
	if !ok {
		id = int32(len(b.atoms))
		b.atomOf[a] = id
		b.atoms = append(b.atoms, a)
	}
	return id
}

// functional adds the rows of functional i, one per label. It sorts the terms by label and atom, so that equal sums
// become equal lists whatever the order in which a family wrote them.
func (b *builder) functional(i int) error {
	terms := b.terms[:0]
	for k := b.block.Start[i]; k < b.block.Start[i+1]; k++ {
		atom, coef := b.atom(int(k)), b.block.Coef[k]
		// f(x, y) with m labels has no value without y.
		if b.block.Label[k] == plugins.NoLabel {
			if b.labels != 1 {
				return labelless(i, b.labels)
			}
			terms = append(terms, term{0, part{atom, coef}})
			continue
		}
		y := &b.block.Labels[b.block.Label[k]]
		for j, c := range y.Index {
			terms = append(terms, term{c, part{atom, coef * y.Value[j]}})
		}
	}
	slices.SortStableFunc(terms, func(s, t term) int {
		return cmp.Or(cmp.Compare(s.label, t.label), cmp.Compare(s.atom, t.atom))
	})
	b.terms = terms
	row := b.row[:0]
	for k, t := range terms {
		if last := len(row) - 1; last >= 0 && row[last].atom == t.atom {
			row[last].weight += t.weight
		} else {
			row = append(row, t.part)
		}
		if k+1 == len(terms) || terms[k+1].label != t.label {
			// The terms of one label are complete, and equal atoms among them merged.
			b.use(int32(i), t.label, row)
			row = row[:0]
		}
	}
	b.row = row
	return nil
}

// labelless returns the error of a functional that names no label where f has some.
func labelless(i, labels int) error {
	return fmt.Errorf("operator: functional %d evaluates f(x), but f is a function of x and %d labels", i, labels)
}

// use adds a row for a functional and a label. It divides the row by its first weight, so that multiples of a row are
// stored once.
func (b *builder) use(functional, label int32, row []part) {
	row = slices.DeleteFunc(row, func(p part) bool { return p.weight == 0 })
	if len(row) == 0 {
		return
	}
	lead := row[0].weight
	// Buckets only narrow the search down: rows are compared in full below.
	hash := uint64(len(row))
	for k := range row {
		row[k].weight /= lead
		hash = (hash ^ uint64(row[k].atom)) * 0x9e3779b97f4a7c15
		hash = (hash ^ hash>>32 ^ math.Float64bits(row[k].weight)) * 0xbf58476d1ce4e5b9
	}
	u := use{functional: functional, label: label, value: lead, row: -1}
	for _, q := range b.known[hash] {
		if slices.Equal(b.parts[b.start[q]:b.start[q+1]], row) {
			u.row = q
			break
		}
	}
	if u.row < 0 {
		u.row = int32(len(b.start) - 1)
		b.known[hash] = append(b.known[hash], u.row)
		b.parts = append(b.parts, row...)
		b.start = append(b.start, int32(len(b.parts)))
	}
	b.uses = append(b.uses, u)
}

// operator returns A with columns and S laid out, and no memory for Ψ yet. Rows that serve the same labels stand side by side. So the rows of a
// label form few long runs, and products read Ψ in place.
func (b *builder) operator(d int) *Operator {
	q, uses, functionals := len(b.start)-1, b.uses, b.block.Len()
	a := &Operator{layout: layout{functionals: functionals, labels: b.labels, dim: d}, psi: blas64.General{Rows: q, Cols: d, Stride: max(1, d)}, errors: b.errors}
	serves := servedBy(uses, q, b.labels)
	b.order = arrange(serves)
	pairs := make([]column, 0, len(serves.labels))
	for to, from := range b.order {
		for _, c := range serves.of(int(from)) {
			pairs = append(pairs, column{c, int32(to)})
		}
	}
	a.layColumns(pairs)
	index := make([]int32, len(a.columns)) // of the column of each label that a row serves
	for j, c := range a.columns {
		index[serves.find(b.order[c.row], c.label)] = int32(j)
	}
	a.start = make([]int32, functionals+1)
	a.entries = make([]entry, len(uses))
	for k, u := range uses {
		// Uses come functional by functional, so that entries already stand row by row.
		a.start[u.functional+1]++
		a.entries[k] = entry{at: index[serves.find(u.row, u.label)], value: u.value}
	}
	for i := range functionals {
		a.start[i+1] += a.start[i]
		slices.SortFunc(a.of(i), func(s, t entry) int { return cmp.Compare(s.at, t.at) })
	}
	a.finish()
	return a
}

// A serving lists the labels that each row serves, ascending.
type serving struct {
	all    int // labels that there are
	start  []int
	labels []int32
}

// servedBy finds the labels that q rows serve.
func servedBy(uses []use, q, labels int) *serving {
	s := &serving{all: labels, start: make([]int, q+1), labels: make([]int32, len(uses))}
	for _, u := range uses {
		s.start[u.row+1]++
	}
	for row := range q {
		s.start[row+1] += s.start[row]
	}
	next := slices.Clone(s.start)
	for _, u := range uses {
		s.labels[next[u.row]] = u.label
		next[u.row]++
	}
	parallel.For(q, 1, func(row, _ int) { slices.Sort(s.of(row)) })
	kept := 0
	for row := range q {
		own := slices.Compact(s.of(row))
		s.start[row] = kept
		kept += copy(s.labels[kept:], own)
	}
	s.start[q], s.labels = kept, slices.Clip(s.labels[:kept])
	return s
}

// of returns the labels of a row.
func (s *serving) of(row int) []int32 { return s.labels[s.start[row]:s.start[row+1]] }

// find returns where a label of a row is listed.
func (s *serving) find(row, label int32) int {
	own := s.of(int(row))
	if len(own) == s.all {
		return s.start[row] + int(label)
	}
	at, _ := slices.BinarySearch(own, label)
	return s.start[row] + at
}

// arrange orders the rows by the set of labels that they serve, sets in the order of their first row.
func arrange(s *serving) (order []int32) {
	q := len(s.start) - 1
	sets := make(map[string]int)
	set := make([]int, q)
	var key []byte
	for row := range q {
		key = key[:0]
		for _, c := range s.of(row) {
			// Labels ascend, so equal sets have equal keys.
			key = binary.AppendUvarint(key, uint64(c))
		}
		id, ok := sets[string(key)]
		if !ok {
			id = len(sets)
			sets[string(key)] = id
		}
		set[row] = id
	}
	order = make([]int32, q)
	for i := range order {
		order[i] = int32(i)
	}
	sort.SliceStable(order, func(i, j int) bool { return set[order[i]] < set[order[j]] })
	return order
}

// layColumns sets columns and runs. Every label has its long runs of rows first, then the others.
func (a *layout) layColumns(pairs []column) {
	slices.SortFunc(pairs, func(s, t column) int { return cmp.Or(cmp.Compare(s.label, t.label), cmp.Compare(s.row, t.row)) })
	a.first = make([]int32, a.labels+1)
	a.runs = make([][]run, a.labels)
	k := 0
	for c := range a.labels {
		var rows []int32
		for ; k < len(pairs) && int(pairs[k].label) == c; k++ {
			rows = append(rows, pairs[k].row)
		}
		a.layLabel(int32(c), rows)
		a.first[c+1] = int32(len(a.columns))
	}
}

// layLabel adds the columns of label c. Runs shorter than shortRun are gathered into blocks of gatherRows rows: one
// large product costs less than many small ones, even with the copy.
func (a *layout) layLabel(c int32, rows []int32) {
	var short []int32
	add := func(r run, list []int32) {
		r.column, r.count = int32(len(a.columns)), int32(len(list))
		for _, row := range list {
			a.columns = append(a.columns, column{c, row})
		}
		a.runs[c] = append(a.runs[c], r)
	}
	for lo := 0; lo < len(rows); {
		hi := lo + 1
		for hi < len(rows) && rows[hi] == rows[hi-1]+1 {
			hi++
		}
		// A label's only run needs no copy however short it is.
		if hi-lo >= shortRun || hi-lo == len(rows) {
			add(run{row: rows[lo]}, rows[lo:hi])
		} else {
			short = append(short, rows[lo:hi]...)
		}
		lo = hi
	}
	for lo := 0; lo < len(short); lo += gatherRows {
		list := short[lo:min(lo+gatherRows, len(short))]
		add(run{gather: list}, list)
	}
}
