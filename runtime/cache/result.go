package cache

import (
	"crypto/sha256"

	"gonum.org/v1/gonum/mat"

	"github.com/sipc-ml/sipc/runtime/polar"
)

// rows returns rows lo … hi−1 of a matrix, in the same memory.
func rows(m *mat.Dense, lo, hi int) *mat.Dense {
	_, c := m.Dims()
	return m.Slice(lo, hi, 0, c).(*mat.Dense) //nolint:forcetypeassert // a slice of a Dense is one
}

// span returns results lo … hi−1, in the same memory.
func span(r *polar.Result, lo, hi int) *polar.Result {
	out := &polar.Result{
		Iota: rows(r.Iota, lo, hi), Gap: r.Gap[lo:hi], Norm2: r.Norm2[lo:hi], Value: r.Value[lo:hi],
		Iterations: r.Iterations[lo:hi], Newton: r.Newton[lo:hi], Work: r.Work[lo:hi], Status: r.Status[lo:hi],
	}
	if r.Multipliers != nil {
		out.Multipliers = rows(r.Multipliers, lo, hi)
	}
	return out
}

// numbers returns the numbers of a result, in its memory, and behind them those that are no float64 there.
func numbers(r *polar.Result) (all [][]float64, counts []float64) {
	all = [][]float64{r.Gap, r.Norm2, r.Value, r.Work}
	for _, m := range []*mat.Dense{r.Iota, r.Multipliers} {
		for i := range r.Gap {
			if m != nil {
				all = append(all, m.RawRowView(i))
			}
		}
	}
	for i, s := range r.Status {
		counts = append(counts, float64(r.Iterations[i]), float64(r.Newton[i]), float64(s))
	}
	return append(all, counts), counts
}

// load fills a result with what is kept under a key, and reports whether there is anything.
func (f *Folder) load(key [sha256.Size]byte, to *polar.Result) (bool, error) {
	all, counts := numbers(to)
	ok, err := f.Restore(key, all...)
	for i := range to.Status {
		if ok {
			to.Iterations[i], to.Newton[i], to.Status[i] = int(counts[3*i]), int(counts[3*i+1]), polar.Status(counts[3*i+2])
		}
	}
	return ok, err
}
