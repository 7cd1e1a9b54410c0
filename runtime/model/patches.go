package model

import (
	"context"
	"errors"
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"

	"github.com/sipc-ml/sipc/runtime/learn"
	"github.com/sipc-ml/sipc/runtime/polar"
)

// embedByReach embeds the training rows by reaches, where these save something. Every embedding has the gap that was asked for then.
func (f *fitter) embedByReach() (done bool, err error) {
	if !f.rep.reachable() {
		return false, nil
	}
	n, m, d := f.train.Len(), f.rep.Labels, f.rep.Features.Dim()
	phi := mat.NewDense(n, d, nil)
	f.rep.Features.Features(phi, f.train.X)
	found, patches, err := f.rep.explore(f.ctx, phi, f.stage("embed training rows"))
	if err != nil || found == nil {
		return false, err
	}
	f.rep.Reach, f.rep.reaches = found.of, found
	if sum := found.norms(patches); sum > 0 {
		f.rep.Scale = math.Sqrt(float64(n*m) / sum)
	}
	blocks := &learn.Blocks{Support: found.of, Shape: found.shape, Dim: d}
	for _, p := range patches {
		p.iota.Scale(f.rep.Scale, p.iota)
		blocks.Rows = append(blocks.Rows, p.iota)
	}
	for i := range n {
		for _, s := range found.shape {
			f.out.Gaps, f.norm2 = append(f.out.Gaps, patches[s].gap[i]), append(f.norm2, patches[s].norm2[i])
		}
	}
	f.out.Iota = func(dst []float64, i int) []float64 {
		at := len(dst)
		dst = append(dst, make([]float64, m*d)...)
		found.spread(dst[at:], patches, i/m, i%m, d)
		return dst
	}
	f.design, err = blocks.Joint()
	return true, err
}

// norms is the sum of the squared norms of all embeddings in patches.
func (r *reaches) norms(patches []*patch) float64 {
	norms := make([]float64, len(patches))
	for s, p := range patches {
		n, _ := p.iota.Dims()
		for i := range n {
			row := vector(p.iota.RawRowView(i))
			norms[s] += blas64.Dot(row, row)
		}
	}
	sum := 0.0
	for _, s := range r.shape {
		sum += norms[s]
	}
	return sum
}

// spread sets dst, which is zero, to the embedding of a row of patches for a label.
func (r *reaches) spread(dst []float64, patches []*patch, row, label, d int) {
	x := patches[r.shape[label]].iota.RawRowView(row)
	for k, c := range r.of[label] {
		copy(dst[int(c)*d:], x[k*d:(k+1)*d])
	}
}

// local is the reaches, where embeddings are found by them.
func (r *Representer) local() *reaches {
	if r.Reach == nil {
		return nil
	}
	if r.reaches == nil {
		r.reaches = r.reachesOf(r.Reach)
	}
	return r.reaches
}

// A stripe is some rows, embedded for all labels.
type stripe struct {
	first   int // row
	patches []*patch
	whole   map[int]*wholeEmbedding // by right-hand side: those that need all labels
}

// A wholeEmbedding is one that is not zero at any label.
type wholeEmbedding struct {
	iota       []float64
	gap, norm2 float64
}

// stripes embeds the rows of x, some at a time, unscaled.
func (r *Representer) stripes(ctx context.Context, x *mat.Dense, atOnce int, progress func(done, total int), emit func(*stripe) error) error {
	n, p := x.Dims()
	local := r.local()
	for lo := 0; lo < n; lo += atOnce {
		hi := min(lo+atOnce, n)
		phi := mat.NewDense(hi-lo, r.Features.Dim(), nil)
		r.Features.Features(phi, x.Slice(lo, hi, 0, p).(*mat.Dense)) //nolint:forcetypeassert // a slice of a Dense is one
		out := &stripe{first: lo, whole: map[int]*wholeEmbedding{}}
		for _, s := range local.shapes {
			patch, err := s.solve(ctx, phi, r.Gap)
			if err != nil {
				return err
			}
			out.patches = append(out.patches, patch)
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

// complete solves the whole problem for what misses the gap in its reach.
func (r *Representer) complete(ctx context.Context, phi *mat.Dense, out *stripe) error {
	n, d := phi.Dims()
	var list []int
	for i := range n {
		for y, s := range r.reaches.shape {
			if out.patches[s].gap[i] > r.Gap {
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

// gaps appends those of a stripe, and ⟨a, ι⟩, labels fastest.
func (r *reaches) gaps(gaps, norm2 []float64, s *stripe) (allGaps, allNorm2 []float64) {
	m := len(r.shape)
	for i := range s.patches[0].gap {
		for y, k := range r.shape {
			if w := s.whole[i*m+y]; w != nil {
				gaps, norm2 = append(gaps, w.gap), append(norm2, w.norm2)
			} else {
				gaps, norm2 = append(gaps, s.patches[k].gap[i]), append(norm2, s.patches[k].norm2[i])
			}
		}
	}
	return gaps, norm2
}

// mostSpread is how many numbers of embeddings are written out at once.
const mostSpread = 1 << 22

// eachByReach is Each.
func (r *Representer) eachByReach(ctx context.Context, x *mat.Dense, progress func(done, total int), emit func(Part) error) error {
	m, d := r.Labels, r.Features.Dim()
	atOnce := min(blockRows, max(1, mostSpread/(m*r.Dim())))
	return r.stripes(ctx, x, atOnce, progress, func(s *stripe) error {
		gaps, norm2 := r.reaches.gaps(nil, nil, s)
		rows := mat.NewDense(len(gaps), r.Dim(), nil)
		for k := range gaps {
			if w := s.whole[k]; w != nil {
				rows.SetRow(k, w.iota)
			} else {
				r.reaches.spread(rows.RawRowView(k), s.patches, k/m, k%m, d)
			}
		}
		rows.Scale(r.Scale, rows)
		return emit(Part{First: s.first * m, Iota: rows, Gap: gaps, Norm2: norm2})
	})
}

// scoresByReach sets scores to the inner products of w with the embeddings of the rows of x, and returns the gaps of these and ⟨a, ι⟩.
func (r *Representer) scoresByReach(ctx context.Context, x *mat.Dense, w []float64, scores *mat.Dense, progress func(done, total int)) (gaps, norm2 []float64, err error) {
	m, d := r.Labels, r.Features.Dim()
	out := scores.RawMatrix()
	err = r.stripes(ctx, x, blockRows, progress, func(s *stripe) error {
		gaps, norm2 = r.reaches.gaps(gaps, norm2, s)
		n := len(s.patches[0].gap)
		for y, k := range r.reaches.shape {
			rows := s.patches[k].iota.RawMatrix()
			to := blas64.Vector{N: n, Inc: out.Stride, Data: out.Data[s.first*out.Stride+y:]}
			for at, c := range r.reaches.of[y] {
				part := blas64.General{Rows: n, Cols: d, Stride: rows.Stride, Data: rows.Data[at*d:]}
				blas64.Gemv(blas.NoTrans, r.Scale, part, vector(w[int(c)*d:(int(c)+1)*d]), 1, to)
			}
		}
		for k, e := range s.whole {
			scores.Set(s.first+k/m, k%m, r.Scale*blas64.Dot(vector(e.iota), vector(w)))
		}
		return nil
	})
	return gaps, norm2, err
}

// checkReach refuses reaches that are none.
func (c *content) checkReach() error {
	if c.Reach == nil {
		return nil
	}
	bad := errors.New("the model has embeddings at labels that it does not have")
	if len(c.Reach) != c.Labels || c.Operator == nil || c.Gauge == nil {
		return bad
	}
	for y, reach := range c.Reach {
		own := false
		for k, label := range reach {
			if label < 0 || int(label) >= c.Labels || (k > 0 && reach[k-1] >= label) {
				return bad
			}
			own = own || int(label) == y
		}
		if !own {
			return bad
		}
	}
	return nil
}
