package operator

import (
	"cmp"
	"context"
	"errors"
	"io"
	"iter"
	"math"
	"slices"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/lapack/lapack64"
	"gonum.org/v1/gonum/mat"

	"github.com/sipc-ml/sipc/plugins"
	"github.com/sipc-ml/sipc/runtime/embed"
	"github.com/sipc-ml/sipc/runtime/parallel"
)

// Squared losses see rows by their moments alone. With e = (φ(x), c) and targets t,
//
//	Σ_i w_i(⟨e_i, v⟩ − t_i)² = vᵀGv − 2bᵀv + Σ_i w_it_i²,   G = Σ_i w_i e_ie_iᵀ,   b = Σ_i w_it_ie_i.
//
// So d + 2 rows that have the same moments have the same loss, gradient and conjugate, and serve as rows do.

// Sums are all that squared losses ask of rows: S = Σ_i w_i z_iz_iᵀ with z = (φ(x), 1, t), the features of a row, a constant and its targets.
// Rows pass by some at a time, and no features of theirs are held.
type Sums struct {
	features, labels int
	s                blas64.General   // the lower triangle
	operations       int              // behind an element
	parts            []blas64.General // the sums over each part of the rows; nil where there are no parts
	functionals      *gathered        // nil where there are none of values at the rows
}

// Rows are what sums are taken over: points (n×p), weights, and the targets of each row at so many labels. Nil weights are ones.
type Rows struct {
	X      *mat.Dense
	Weight []float64
	Target func(row, label int) float64
	Labels int
	// Functionals are added up on the way, where they are few and look at values at the rows alone; nil stands for none.
	Functionals *plugins.Block
	// Part has the part of each row among so many Parts, of which each has sums of its own; nil makes no parts.
	Part  []uint8
	Parts int
	// Keeping says where sums are kept while rows pass; nil keeps none.
	Keeping *Keeping
}

// SumUp adds up rows. Progress, if not nil, is told how many are done, as passes tell it. It fails where features are not finite, and with ctx's error when ctx
// ends.
func SumUp(ctx context.Context, rows Rows, features embed.Map, progress func(done, total int)) (*Sums, error) {
	n, p := rows.X.Dims()
	m, d := rows.Labels, features.Dim()
	out := &Sums{features: d, labels: m, operations: n/evaluateRows + min(n, evaluateRows) + fewOperations + rows.Parts}
	for range max(1, rows.Parts) {
		out.parts = append(out.parts, newGeneral(d+1+m, d+1+m))
	}
	var err error
	if out.functionals, err = newGathered(ctx, &rows, d, m); err != nil {
		return nil, err
	}
	kept := keepSums(&rows, out)
	first, err := kept.restore()
	if err != nil {
		return nil, err
	}
	out.functionals.skip(first)
	if progress != nil {
		progress(first, n)
	}
	z, phi := newGeneral(min(n, evaluateRows), d+1+m), mat.NewDense(min(n, evaluateRows), d, nil)
	for lo := first; lo < n; lo += evaluateRows {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		hi := min(lo+evaluateRows, n)
		part := phi.Slice(0, hi-lo, 0, d).(*mat.Dense)                   //nolint:forcetypeassert // a slice of a Dense is one
		features.Features(part, rows.X.Slice(lo, hi, 0, p).(*mat.Dense)) //nolint:forcetypeassert // as above
		out.add(&rows, part, z, lo)
		out.functionals.add(lo, part)
		if err := kept.keep(hi, n); err != nil {
			return nil, err
		}
		if progress != nil {
			progress(hi, n)
		}
	}
	if out.s = out.without(-1); rows.Parts == 0 {
		out.parts = nil
	}
	return out, finiteRows(out.s)
}

// keepSums returns the pass that makes sums, as it is kept. The functionals that are gathered have sums in the same pass, and the places of their next terms follow
// from the row.
func keepSums(rows *Rows, of *Sums) *underWay {
	var numbers [][]float64
	for _, p := range of.parts {
		numbers = append(numbers, lower(p)...)
	}
	var block *plugins.Block
	if g := of.functionals; g != nil {
		numbers, block = append(numbers, g.rows.RawMatrix().Data), g.block
	}
	return rows.Keeping.begin(func(w io.Writer) { rows.digest(w, block) }, numbers...)
}

// add adds rows from lo on with these features, in a room of as many rows.
func (s *Sums) add(rows *Rows, phi *mat.Dense, z blas64.General, lo int) {
	// Rows of a part stand side by side, so that parts cost no more than one product of them all.
	n, d := phi.Dims()
	order, ends := rows.byPart(lo, lo+n)
	parallel.For(n, 16, func(from, to int) {
		for k := from; k < to; k++ {
			i := order[k]
			to := rowOf(z, k)
			copy(to, phi.RawRowView(i))
			to[d] = 1
			for y := range s.labels {
				to[d+1+y] = rows.Target(lo+i, y)
			}
			// Products of roots make weights of squares.
			if rows.Weight != nil {
				floats.Scale(math.Sqrt(rows.Weight[lo+i]), to)
			}
		}
	})
	// Blocks are added in order, so that bits do not depend on the number of processors.
	from := 0
	for k, end := range ends {
		addRows(s.parts[k], z, from, end)
		from = end
	}
}

// byPart returns rows lo … hi−1, less lo, part by part, and where each part ends among them.
func (r *Rows) byPart(lo, hi int) (order, ends []int) {
	for k := range max(1, r.Parts) {
		for i := range hi - lo {
			if r.Parts == 0 || int(r.Part[lo+i]) == k {
				order = append(order, i)
			}
		}
		ends = append(ends, len(order))
	}
	return order, ends
}

// addRows adds the squares of rows from … end−1 of z to the lower triangle of dst.
func addRows(dst, z blas64.General, from, end int) {
	if from < end {
		own := blas64.General{Rows: end - from, Cols: z.Cols, Stride: z.Stride, Data: z.Data[from*z.Stride:]}
		addProduct(dst, own, own, true)
	}
}

// without adds up the sums of all parts but one, in order; −1 stands for none.
func (s *Sums) without(part int) blas64.General {
	if len(s.parts) == 1 && part < 0 {
		return s.parts[0]
	}
	// Sums are of squares, so that adding the others loses no digits, as taking one away would.
	out := newGeneral(s.parts[0].Rows, s.parts[0].Cols)
	for k, p := range s.parts {
		if k != part {
			floats.Add(out.Data, p.Data)
		}
	}
	return out
}

// Without returns the sums over the rows outside of a part. They have no functionals.
func (s *Sums) Without(part int) *Sums {
	return &Sums{features: s.features, labels: s.labels, s: s.without(part), operations: s.operations}
}

// at returns S_ij.
func (s *Sums) at(i, j int) float64 { return s.s.Data[max(i, j)*s.s.Stride+min(i, j)] }

// Total returns the sum of the weights.
func (s *Sums) Total() float64 { return s.at(s.features, s.features) }

// Trace returns Σ_i w_i‖φ(x_i)‖².
func (s *Sums) Trace() (sum float64) {
	for j := range s.features {
		sum += s.at(j, j)
	}
	return sum
}

// Mean returns the mean of φ over the rows.
func (s *Sums) Mean() []float64 {
	out := make([]float64, s.features)
	for j := range out {
		out[j] = s.at(s.features, j) / s.Total()
	}
	return out
}

// Variance returns the variance of ⟨φ(x), v⟩ over the rows.
func (s *Sums) Variance(v []float64) float64 {
	g := blas64.Symmetric{N: s.features, Stride: s.s.Stride, Data: s.s.Data, Uplo: blas.Lower}
	out, mean := make([]float64, s.features), floats.Dot(s.Mean(), v)
	blas64.Symv(1, g, blas64.Vector{N: len(v), Inc: 1, Data: v}, 0, blas64.Vector{N: len(out), Inc: 1, Data: out})
	return math.Max(0, floats.Dot(out, v)/s.Total()-mean*mean)
}

// A Square is what few rows say in place of many: rows with Targets (k×m), behind the functionals of an operator. For V at the features and the constant,
//
//	|Σ_i w_i(s_iy − t_iy)² summed over y − ‖EV − Targets‖²|  ≤  Off·‖V‖² + Base.
type Square struct {
	Targets   *mat.Dense
	Off, Base float64
}

// errSums reports sums without a root.
var errSums = errors.New("operator: the sums over rows have no root in floating point; standardize the features, or take fewer landmarks")

// Beneath returns an operator with the functionals of a, and behind them the scores of d+2 rows that stand for all, labels fastest. With a
// bias the features end in this constant, and those of a do so too. It is 0 where there is none.
//
// With S = Σ w zzᵀ of the features, the constant among them, and targets t_y over σ_y, the factor
//
//	S = L̃L̃ᵀ,   L̃ = (L 0; τᵀ κ),   Σ_i w_i(⟨e_i, v⟩ − σt_i/σ)² = ‖Lᵀv − στ‖² + σ²κ²
//
// gives the rows of Lᵀ the targets στ, and a row of zeros the target σκ. The σ_y make targets as large as features, so that
// rounding is a share e of both: of (v, σ) it is at most e(‖v‖² + σ²), with e as rootOf has it.
func (s *Sums) Beneath(ctx context.Context, a *Operator, bias float64) (*Operator, *Square, error) {
	g, cross := s.bordered(bias)
	d, m := g.Rows, s.labels
	trace, most := 0.0, 0.0
	for j := range d {
		trace, most = trace+g.Data[j*g.Stride+j], max(most, g.Data[j*g.Stride+j])
	}
	sigma, norm := make([]float64, m), 0.0
	for y := range m {
		switch c := s.at(s.features+1+y, s.features+1+y); {
		case c > 0 && trace > 0:
			sigma[y] = math.Sqrt(c / trace)
		case c > 0:
			sigma[y] = 1
		} // else products with targets are 0, and exact
		norm += sigma[y] * sigma[y]
	}
	n := float64(s.operations + d + fewOperations)
	// Rounding may leave S indefinite where features nearly depend on each other.
	for share := 0.0; share <= mostRaised; share = max(raisedUnits*unit*n, share*raisedMore) {
		rows, targets, ok, err := s.root(ctx, g, cross, sigma, trace, share)
		if err != nil {
			return nil, nil, err
		}
		if ok {
			e := ((n*unit/(1-n*unit))*2*trace + share*max(most, trace)) * (1 + n*unit)
			return beneath(a, rows), &Square{Targets: targets, Off: e, Base: e * norm}, nil
		}
	}
	return nil, nil, errSums
}

// bordered returns the Gram matrix of the features with the constant behind them, and their products with the targets (m×d).
func (s *Sums) bordered(bias float64) (g, cross blas64.General) {
	d, k := s.features, s.features
	if bias > 0 {
		d++
	}
	g, cross = newGeneral(d, d), newGeneral(s.labels, d)
	for i := range k {
		copy(rowOf(g, i)[:i+1], rowOf(s.s, i)[:i+1])
	}
	for y := range s.labels {
		copy(rowOf(cross, y), rowOf(s.s, k+1+y)[:k])
	}
	if bias > 0 {
		floats.ScaleTo(rowOf(g, k)[:k], bias, rowOf(s.s, k)[:k])
		g.Data[k*g.Stride+k] = bias * bias * s.at(k, k)
		for y := range s.labels {
			cross.Data[y*cross.Stride+k] = bias * s.at(k+1+y, k)
		}
	}
	return g, cross
}

// root returns the rows of Lᵀ and one of zeros, with their targets. Diagonals are raised by a share. It reports false where there is no root.
func (s *Sums) root(ctx context.Context, g, cross blas64.General, sigma []float64, trace, share float64) (rows blas64.General, targets *mat.Dense, found bool, err error) {
	d, m := g.Rows, s.labels
	l, tau := copyOf(g), copyOf(cross)
	for j := range d {
		if v := &l.Data[j*l.Stride+j]; *v > 0 {
			*v *= 1 + share
		} else {
			*v = 1 // of a feature that no row has
		}
	}
	if err := parallel.Await(ctx, func() {
		var t blas64.Triangular
		if t, found = lapack64.Potrf(blas64.Symmetric{N: d, Stride: l.Stride, Data: l.Data, Uplo: blas.Lower}); found {
			blas64.Trsm(blas.Right, blas.Trans, 1, t, tau)
		}
	}); err != nil || !found {
		return rows, nil, false, err
	}
	rows, targets = newGeneral(d+1, d), mat.NewDense(d+1, m, nil)
	for j := range d {
		if g.Data[j*g.Stride+j] > 0 {
			for i := j; i < d; i++ {
				rows.Data[j*rows.Stride+i] = l.Data[i*l.Stride+j]
			}
		}
	}
	for y := range m {
		own := rowOf(tau, y)
		// The square of what no function of the features explains.
		left := s.at(s.features+1+y, s.features+1+y) + share*trace*sigma[y]*sigma[y] - floats.Dot(own, own)
		if left < 0 {
			return rows, nil, false, nil
		}
		for j, v := range own {
			targets.Set(j, y, v)
		}
		targets.Set(d, y, math.Sqrt(left))
	}
	return rows, targets, true, nil
}

// A gathered has functionals of values at rows, each a sum of features. It has them with the constant 1 behind the features.
type gathered struct {
	*builder
	rows   *mat.Dense
	place  []map[int32]int // of each functional, the row of its part at a label
	sorted []int32         // of terms, so that those of a functional ascend by their rows; nil where they do so as they stand
	next   []int32         // of each functional, the place in sorted of its next term
}

// newGathered finds what each functional adds up; nil where others than values at rows are asked, or functionals are many. Points and tangents that
// are no rows do not pass by. Many functionals, as one for each row, would take the memory of features.
func newGathered(ctx context.Context, rows *Rows, d, m int) (*gathered, error) {
	b := rows.Functionals
	if b == nil || b.Len() == 0 || b.Len() > d || b.Points.Rows > 0 || b.Tangents.Rows > 0 {
		return nil, nil //nolint:nilnil // nil says that there are none
	}
	n, p := rows.X.Dims()
	// A pass over as many terms as there are rows takes a while, and nobody who gives up is to wait for it.
	var g *gathered
	var err error
	if ended := parallel.Await(ctx, func() {
		if err = b.ValidateTwice(n, p, m); err == nil {
			g, err = gather(b, m)
		}
	}); ended != nil {
		return nil, ended // nobody waits for the functionals, nor for err
	}
	if err != nil {
		return nil, err
	}
	// The last column is that of a constant, which is known only later.
	g.rows = mat.NewDense(len(g.start)-1, d+1, nil)
	return g, nil
}

// gather lays out a row for each functional and label. It keeps no list of the rows that a functional adds up: the block has that, in as many
// numbers as there are rows.
func gather(b *plugins.Block, m int) (*gathered, error) {
	g := &gathered{
		builder: &builder{block: b, labels: m, known: make(map[uint64][]int32), start: []int32{0}},
		place:   make([]map[int32]int, b.Len()), next: slices.Clone(b.Start[:b.Len()]),
	}
	for i := range b.Len() {
		g.place[i] = map[int32]int{}
		for k := b.Start[i]; k < b.Start[i+1]; k++ {
			if b.Label[k] == plugins.NoLabel && m > 1 {
				return nil, labelless(i, m)
			}
			for c := range labelsOf(b, k) {
				if _, ok := g.place[i][c]; !ok {
					// A part of its own makes each row another one.
					q := len(g.start) - 1
					g.place[i][c] = q
					g.use(int32(i), c, []part{{int32(q), 1}})
				}
			}
		}
		if own := b.Point[b.Start[i]:b.Start[i+1]]; !slices.IsSorted(own) {
			g.sort(b.Start[i], b.Start[i+1])
		}
	}
	return g, nil
}

// sort orders terms lo … hi−1 by their rows, as rows pass by once. Most families write them so, and then nothing is kept.
func (g *gathered) sort(lo, hi int32) {
	if g.sorted == nil {
		g.sorted = make([]int32, len(g.block.Point))
		for k := range g.sorted {
			g.sorted[k] = int32(k)
		}
	}
	slices.SortStableFunc(g.sorted[lo:hi], func(j, k int32) int { return cmp.Compare(g.block.Point[j], g.block.Point[k]) })
}

// labelsOf goes through the labels at which a term evaluates f, and the weights there. A function of x alone has one, and its terms name
// none.
func labelsOf(b *plugins.Block, k int32) iter.Seq2[int32, float64] {
	return func(yield func(int32, float64) bool) {
		if b.Label[k] == plugins.NoLabel {
			yield(0, 1)
			return
		}
		y := &b.Labels[b.Label[k]]
		for j, c := range y.Index {
			if !yield(c, y.Value[j]) {
				return
			}
		}
	}
}

// skip leaves out rows below a number, which were added up before a pass was stopped. Places of terms are found anew, as those of a functional ascend by their
// rows.
func (g *gathered) skip(first int) {
	if g == nil || first == 0 {
		return
	}
	for i, at := range g.next {
		for at < g.block.Start[i+1] && g.row(at) < first {
			at++
		}
		g.next[i] = at
	}
}

// row returns the row of the term in a place.
func (g *gathered) row(at int32) int { return int(g.block.Point[g.term(at)]) }

// term returns the term in a place.
func (g *gathered) term(at int32) int32 {
	if g.sorted != nil {
		return g.sorted[at]
	}
	return at
}

// add adds the features of rows from lo on. Parts come in the order of rows.
func (g *gathered) add(lo int, part *mat.Dense) {
	if g == nil {
		return
	}
	n, d := part.Dims()
	for i, at := range g.next {
		for ; at < g.block.Start[i+1]; at++ {
			k, row := g.term(at), g.row(at)-lo
			if row >= n { // of a later part
				break
			}
			// Terms of one row may meet: each adds its own.
			for c, value := range labelsOf(g.block, k) {
				to, w := g.rows.RawRowView(g.place[i][c]), g.block.Coef[k]*value
				floats.AddScaled(to[:d], w, part.RawRowView(row))
				to[d] += w
			}
		}
		g.next[i] = at
	}
}

// Functionals returns the operator of functionals that were added up, with a constant behind the features where there is a bias. It returns nil where these are
// others.
func (s *Sums) Functionals(of *plugins.Block, bias float64) *Operator {
	g := s.functionals
	if g == nil || g.block != of {
		return nil
	}
	d := s.features
	if bias > 0 {
		d++
	}
	a := g.operator(d)
	a.psi = newGeneral(a.psi.Rows, d)
	for i, q := range g.order {
		to := rowOf(a.psi, i)
		if copy(to, g.rows.RawRowView(int(q))); bias > 0 {
			to[d-1] *= bias
		}
	}
	return a
}

// beneath returns an operator with the functionals of a first. Behind them stands each of the rows at each label, labels fastest.
func beneath(a *Operator, rows ...blas64.General) *Operator {
	d, q, m, n := a.dim, a.psi.Rows, a.labels, rows[0].Rows
	out := &Operator{
		layout: layout{functionals: a.functionals + n*m, labels: m, dim: d}, off: a.off,
		psi: blas64.General{Rows: q + n*len(rows), Cols: d, Stride: d, Data: a.psi.Data[: q*d : q*d]},
	}
	for _, own := range rows {
		out.psi.Data = append(out.psi.Data, own.Data[:n*d]...)
	}
	// One matrix of rows serves all labels, or each has its own.
	at := func(c, k int) column { return column{int32(c), int32(q + c%len(rows)*n + k)} }
	pairs := slices.Clone(a.columns)
	for c := range m {
		for k := range n {
			pairs = append(pairs, at(c, k))
		}
	}
	out.layColumns(pairs)
	place := make(map[column]int32, len(out.columns))
	for j, c := range out.columns {
		place[c] = int32(j)
	}
	out.start = append(out.start, a.start...)
	for _, e := range a.entries {
		out.entries = append(out.entries, entry{at: place[a.columns[e.at]], value: e.value})
	}
	for i := range a.functionals { // columns of short runs may stand elsewhere now
		slices.SortFunc(out.of(i), func(s, t entry) int { return cmp.Compare(s.at, t.at) })
	}
	// Each stands for itself, at every label.
	for k := range n {
		for c := range m {
			out.entries = append(out.entries, entry{at: place[at(c, k)], value: 1})
			out.start = append(out.start, int32(len(out.entries)))
		}
	}
	if a.errors != nil {
		out.errors = slices.Concat(a.errors, make([]float64, n*m))
	}
	out.finish()
	return out
}
