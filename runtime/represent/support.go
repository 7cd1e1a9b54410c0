package represent

import (
	"context"
	"math"
	"slices"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"

	"github.com/sipc-ml/sipc/runtime/embed"
	"github.com/sipc-ml/sipc/runtime/operator"
	"github.com/sipc-ml/sipc/runtime/polar"
	"github.com/sipc-ml/sipc/runtime/setting"
)

// supports reduces the problem of each label to the labels at which its embeddings are not zero, their support. These are few where R couples
// a label with few others, as a taxonomy does. What pulls f(x, y) up pulls up the labels that y implies, and leaves the rest alone. The
// smaller problem sets V to zero outside of the support:
//
//   - Apply: functionals of the support alone make up the problem. Its multipliers are multipliers of the whole, so its upper bound holds.
//   - Join: the lower bound is taken anew with every functional that has a label of the support. Of f(x, child) − f(x, parent) with the
//     parent alone in the support, −f(x, parent) counts too.
//
// Where R couples no labels, and is quadratic, every label is its own support. Nothing grows then, and embeddings have a closed form, which
// is made once for labels that R treats alike.
//
// A support grows by what is violated outside of it until the gap holds for the whole problem. Labels with the same problem share what is
// solved, as those of the same depth in a taxonomy do.
type supports struct {
	of     [][]int32 // of each label, ascending
	shape  []int     // of each label
	shapes []*shape
}

// norms returns the sum of the squared norms of all embeddings in partials, each times the weight of its row. It returns the sum of the
// weights, too; nil means ones.
func (r *supports) norms(partials []*partial, weight []float64) (sum, total float64) {
	norms := make([]float64, len(partials))
	for s, p := range partials {
		n, _ := p.iota.Dims()
		total = 0
		for i := range n {
			row, w := vector(p.iota.RawRowView(i)), 1.0
			if weight != nil {
				w = weight[i]
			}
			norms[s] += w * blas64.Dot(row, row)
			total += w
		}
	}
	// Every label counts, also where several share a shape.
	for _, s := range r.shape {
		sum += norms[s]
	}
	return sum, total
}

// Supported holds embeddings of rows that were found by their supports. Embeddings of label y lie at the labels Support[y].
type Supported struct {
	Support [][]int32
	Shape   []int        // which of Rows holds the embeddings of a label
	Rows    []*mat.Dense // scaled, a row each, with d numbers for each label of the support
	Gaps    []float64    // of right-hand sides row·m + y
	Norm2   []float64    // ⟨a, ι⟩, not scaled
}

// EmbedBySupport looks for the supports of all labels, embeds the rows of x by them, and sets Support and Scale. It returns nil where R
// couples too many labels to save anything. Progress is told of the rows of each problem that labels share; it may be nil. Every embedding has the gap asked for, else, unless the whole problem misses it, too.
func (r *Representer) EmbedBySupport(ctx context.Context, x *mat.Dense, weight []float64, progress func(done, total int)) (*Supported, error) {
	if !r.Reducible() {
		return nil, nil //nolint:nilnil // as the comment says
	}
	n, _ := x.Dims()
	phi := mat.NewDense(n, r.Features.Dim(), nil)
	r.Features.Features(phi, x)
	embed.Forget(r.Features) // what a draw knows of them, as little else asks for the rows' features
	found, partials, err := explore(ctx, r, phi, progress)
	if err != nil || found == nil {
		return nil, err
	}
	r.Support, r.supports = found.of, found
	// The mean of ‖ι‖² over all rows and labels becomes 1.
	sum, total := found.norms(partials, weight)
	if scale := math.Sqrt(total * float64(r.Labels) / sum); sum > 0 && !math.IsInf(scale, 1) { // else embeddings all but vanish
		r.Scale = scale
	}
	out := &Supported{Support: found.of, Shape: found.shape}
	for _, p := range partials {
		p.iota.Scale(r.Scale, p.iota)
		out.Rows = append(out.Rows, p.iota)
	}
	for i := range n {
		for _, s := range found.shape {
			out.Gaps, out.Norm2 = append(out.Gaps, partials[s].gap[i]), append(out.Norm2, partials[s].norm2[i])
		}
	}
	return out, nil
}

// Append appends embedding i, of dimension m·d, to dst. It is zero outside of the support of its label i mod m.
func (s *Supported) Append(dst []float64, i int) []float64 {
	m := len(s.Shape)
	rows := s.Rows[s.Shape[i%m]]
	_, width := rows.Dims()
	d := width / len(s.Support[i%m])
	at := len(dst)
	dst = append(dst, make([]float64, m*d)...)
	place(dst[at:], rows.RawRowView(i/m), s.Support[i%m], d)
	return dst
}

// place sets dst, which is zero, to an embedding given at the labels of a support, d numbers for each.
func place(dst, embedding []float64, support []int32, d int) {
	for k, c := range support {
		copy(dst[int(c)*d:], embedding[k*d:(k+1)*d])
	}
}

// fewestLabels is the number of labels below which supports save nothing, unless embeddings have a closed form.
const fewestLabels = 4

// Reducible reports whether embeddings may be found by supports. R must couple labels by exact functionals, and mean
// no maximum over an interval. Operators with errors are not restricted to labels, and neither are curves. Fewer than
// four labels save nothing.
func (r *Representer) Reducible() bool {
	if !r.Joint() || r.Curves != nil || r.Operator.Errors() != nil {
		return false
	}
	return apart(r) || r.Method == setting.Embed && r.Labels >= fewestLabels
}

// apart reports whether embeddings have a closed form, and R couples no labels. Each label is its own support then.
func apart(r *Representer) bool { return closed(r) && len(r.Operator.Parts()) == r.Labels }

// Apart returns how many problems the closed forms of all labels are, where R couples none: 1 if it treats them alike. It returns 0 where
// embeddings have no closed form, and where R couples labels.
func Apart(r *Representer) int {
	if !r.Reducible() || !apart(r) {
		return 0
	}
	if w, _ := r.Gauge.Quadratic(); operator.RootsOf(r.Operator).Alike(w) {
		return 1
	}
	return r.Labels
}

// bySupport returns the supports by which embeddings are found; nil means that they are found at all labels. It makes
// the shapes of supports that were read with a model when they are first needed.
func (r *Representer) bySupport() *supports {
	if r.Support == nil {
		return nil
	}
	if r.supports == nil {
		r.supports = supportsOf(r, r.Support)
	}
	return r.supports
}

// A block holds some rows, embedded for all labels.
type block struct {
	first    int // row
	partials []*partial
	whole    map[int]*wholeEmbedding // by right-hand side: embeddings that need all labels
}

// A wholeEmbedding is an embedding that is not zero at any label.
type wholeEmbedding struct {
	iota       []float64
	gap, norm2 float64
}

// blocks embeds the rows of x, some at a time, unscaled. A row takes a problem for each shape, not for each label.
func (r *Representer) blocks(ctx context.Context, x *mat.Dense, atOnce int, progress func(done, total int), emit func(*block) error) error {
	n, p := x.Dims()
	shapes := r.bySupport().shapes
	for lo := 0; lo < n; lo += atOnce {
		hi := min(lo+atOnce, n)
		phi := mat.NewDense(hi-lo, r.Features.Dim(), nil)
		r.Features.Features(phi, x.Slice(lo, hi, 0, p).(*mat.Dense)) //nolint:forcetypeassert // a slice of a Dense is one
		out := &block{first: lo, whole: map[int]*wholeEmbedding{}}
		for _, s := range shapes {
			partial, err := s.solve(ctx, phi, r.Settings())
			if err != nil {
				return err
			}
			out.partials = append(out.partials, partial)
		}
		if err := r.complete(ctx, phi, out); err != nil {
			return err
		}
		if progress != nil {
			progress(hi*r.Labels, n*r.Labels)
		}
		if err := emit(out); err != nil {
			return err
		}
	}
	return nil
}

// complete solves the whole problem for what misses the gap in its support. Supports were found for the training
// rows, and other rows may need more.
func (r *Representer) complete(ctx context.Context, phi *mat.Dense, out *block) error {
	if !iterates(r) {
		return nil // a closed form has the gap that rounding leaves
	}
	n, d := phi.Dims()
	var list []int
	for i := range n {
		for y, s := range r.supports.shape {
			if out.partials[s].gap[i] > r.Gap && r.supports.shapes[s].whole != nil { // else the whole problem misses it, too
				list = append(list, i*r.Labels+y)
			}
		}
	}
	if len(list) == 0 {
		return nil
	}
	next := func(lo, hi int) (*mat.Dense, error) {
		a := mat.NewDense(hi-lo, r.Dim(), nil)
		for k, at := range list[lo:hi] {
			copy(a.RawRowView(k)[at%r.Labels*d:], phi.RawRowView(at/r.Labels))
		}
		return a, nil
	}
	return r.SolveTo(ctx, len(list), next, func(lo int, part *polar.Result) error {
		for k, gap := range part.Gap {
			out.whole[list[lo+k]] = &wholeEmbedding{part.Iota.RawRowView(k), gap, part.Norm2[k]}
		}
		return nil
	})
}

// gaps appends the gaps of a block, and ⟨a, ι⟩, labels fastest.
func (r *supports) gaps(gaps, norm2 []float64, s *block) (allGaps, allNorm2 []float64) {
	m := len(r.shape)
	for i := range s.partials[0].gap {
		for y, k := range r.shape {
			// An embedding that took all labels stands in place of that by the support.
			if w := s.whole[i*m+y]; w != nil {
				gaps, norm2 = append(gaps, w.gap), append(norm2, w.norm2)
			} else {
				gaps, norm2 = append(gaps, s.partials[k].gap[i]), append(norm2, s.partials[k].norm2[i])
			}
		}
	}
	return gaps, norm2
}

// mostSpread bounds how many numbers of embeddings are written out at once.
const mostSpread = 1 << 22

// eachBySupport does what Each does, by supports. It solves shape by shape, and hands out row by row, labels fastest.
func (r *Representer) eachBySupport(ctx context.Context, x *mat.Dense, progress func(done, total int), emit func(Batch) error) error {
	m, d := r.Labels, r.Features.Dim()
	atOnce := min(BlockRows, max(1, mostSpread/(m*r.Dim())))
	return r.blocks(ctx, x, atOnce, progress, func(s *block) error {
		gaps, norm2 := r.supports.gaps(nil, nil, s)
		rows := mat.NewDense(len(gaps), r.Dim(), nil)
		for k := range gaps {
			if w := s.whole[k]; w != nil {
				rows.SetRow(k, w.iota)
			} else {
				y := k % m
				place(rows.RawRowView(k), s.partials[r.supports.shape[y]].iota.RawRowView(k/m), r.supports.of[y], d)
			}
		}
		rows.Scale(r.Scale, rows)
		return emit(Batch{First: s.first * m, Iota: rows, Gap: gaps, Norm2: norm2})
	})
}

// yielded reports whether iterations take the place of the closed form of some label's support.
func yielded(ctx context.Context, r *Representer) (bool, error) {
	of := r.bySupport()
	if of == nil {
		return false, nil
	}
	for _, s := range of.shapes {
		if err := s.prepare(ctx, r.Gap); err != nil {
			return false, err
		}
		if s.gauge != nil && s.form == nil {
			return true, nil
		}
	}
	return false, nil
}

// embed embeds one right-hand side label by label, where each is its own support. It returns nil where a label has no closed form. Since labels
// are apart,
//
//	ι = M⁻¹a = (M₁⁻¹a₁, …, M_m⁻¹a_m),
//
// so that no factor of all labels at once is needed, and those of the shapes serve.
func (r *supports) embed(ctx context.Context, a []float64, gap float64) ([]float64, error) {
	out, d := slices.Clone(a), len(a)/len(r.shape)
	for y, k := range r.shape {
		s := r.shapes[k]
		if err := s.prepare(ctx, gap); err != nil {
			return nil, err
		}
		if s.gauge == nil { // R does not see the label
			continue
		}
		if s.form == nil {
			return nil, nil
		}
		own := mat.NewDense(1, d, out[y*d:(y+1)*d])
		if err := s.form.solve(ctx, own, mat.DenseCopyOf(own)); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// Supports reports whether embeddings are found by supports.
func (r *Representer) Supports() bool { return r.Support != nil }

// ScoresBySupport sets scores (n×m) to the inner products of w with the embeddings of the rows of x. It returns the
// gaps of these and ⟨a, ι⟩. A score takes d multiplications for each label of the support, rather than for each of
// all m.
func (r *Representer) ScoresBySupport(ctx context.Context, x *mat.Dense, w []float64, scores *mat.Dense, progress func(done, total int)) (gaps, norm2 []float64, err error) {
	m, d := r.Labels, r.Features.Dim()
	out := scores.RawMatrix()
	err = r.blocks(ctx, x, BlockRows, progress, func(s *block) error {
		gaps, norm2 = r.supports.gaps(gaps, norm2, s)
		n := len(s.partials[0].gap)
		for y, k := range r.supports.shape {
			for i := range n {
				row, to := s.partials[k].iota.RawRowView(i), &out.Data[(s.first+i)*out.Stride+y]
				for at, c := range r.supports.of[y] {
					*to += r.Scale * blas64.Dot(vector(row[at*d:(at+1)*d]), vector(w[int(c)*d:(int(c)+1)*d]))
				}
			}
		}
		for k, e := range s.whole {
			scores.Set(s.first+k/m, k%m, r.Scale*blas64.Dot(vector(e.iota), vector(w)))
		}
		return nil
	})
	return gaps, norm2, err
}
