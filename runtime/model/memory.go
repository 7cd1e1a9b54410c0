package model

import (
	"fmt"
	"math"

	"github.com/sipc-ml/sipc/internal/limits"
	"github.com/sipc-ml/sipc/runtime/setting"
)

// takenBefore returns the memory that the program and its rows took before the fit.
func takenBefore(f *fitter) limits.Need {
	n, p := f.train.X.Dims()
	// What is taken is asked once, before the fit takes anything: later figures would hold what the other needs count.
	if f.taken == 0 {
		f.taken = limits.Taken(f.ctx)
	}
	return limits.Need{Bytes: f.taken, What: fmt.Sprintf("the program, its data and the functionals of %d rows of %d columns", n, p), Mend: "draw fewer rows by `split`"}
}

// mostLandmarks is how many landmarks a Nyström map has at most.
const mostLandmarks = 12000

// checkFeatures refuses a feature map that would take more memory than there may be. Each landmark counts with each other.
func checkFeatures(f *fitter, s setting.Features) error {
	n, p := f.train.X.Dims()
	need := limits.Need{Mend: "use fewer features"}
	switch s.Kind {
	case setting.Fourier:
		need.Bytes, need.What = 8*float64(s.Count)*float64(n+p), fmt.Sprintf("%d random features of %d rows", s.Count, n)
	case setting.Hashing:
		need.Bytes, need.What = 8*float64(n)*math.Exp2(float64(s.Bits)), fmt.Sprintf("2^%d features of %d rows", s.Bits, n)
	case setting.Nystrom, setting.Exact, "":
		// A share of the rows is not resolved yet, and counts as all of them.
		d := s.Count
		if s.Landmarks != setting.CountLandmarks || s.Kind == setting.Exact {
			d = n
		}
		d = min(d, mostLandmarks)
		need = limits.Need{Bytes: 16 * float64(d) * float64(d), What: fmt.Sprintf("%d landmarks", d), Mend: "use fewer landmarks"}
	}
	f.out.Needs = []limits.Need{takenBefore(f), need}
	return limits.Check(f.ctx, f.out.Needs)
}

// mostRows returns how many bytes the rows of an operator may take.
func mostRows(f *fitter) int {
	return int(max(1, float64(limits.Memory(f.ctx))-takenBefore(f).Bytes))
}

// placesNeed returns the memory of the points and directions at which functionals look: they are gathered, moved and mapped to features.
// Test rows have as many for each row, as what R is of them is told too.
func placesNeed(f *fitter) limits.Need {
	b, n := f.reg.Functionals, f.train.Len()
	if b == nil {
		return limits.Need{}
	}
	count, p := float64(b.Points.Rows+b.Tangents.Rows), float64(b.Points.Cols)
	// Test rows are moved, gathered and scored, and so are there about three times.
	rows := 1 + 3*float64(f.o.TestRows)/float64(max(1, n))
	features := 32 * min(count*float64(f.rep.Features.Dim()), blockNumbers)
	return limits.Need{Bytes: 8*count*p*rows + features, What: fmt.Sprintf("%.0f points of %d functionals, and those of test rows", count, b.Len()), Mend: "use fewer test rows or functionals"}
}

// blockNumbers is how many values at landmarks are held at once.
const blockNumbers = 2 << 20

// checkEmbeddings refuses embeddings that would take more memory than there may be: to find them, to keep them, and to learn from
// them. It runs when no reduction to few labels is known, and before anything is factored.
func checkEmbeddings(f *fitter) error {
	n, count, dim := f.train.Len(), float64(f.train.Len())*float64(f.rep.PerRow()), float64(f.rep.Dim())
	what := fmt.Sprintf("%d representations of %.0f numbers", n, dim)
	if f.rep.Joint() {
		what = fmt.Sprintf("%.0f embeddings (%d rows × %d labels) of %.0f numbers (%d features × %d labels)", count, n, f.rep.Labels, dim, f.rep.Features.Dim(), f.rep.Labels)
	}
	// Large joint designs are kept in single precision.
	each := 8.0
	if f.rep.Joint() && count*dim > mostDouble {
		each = 4
	}
	if len(f.out.Needs) == 0 { // the feature map was given
		f.out.Needs = []limits.Need{takenBefore(f)}
	}
	f.out.Needs = append(append(f.out.Needs, f.rep.Needs(n)...), placesNeed(f), limits.Need{Bytes: each * count * dim, What: what, Mend: "use fewer rows, labels or landmarks"})
	return limits.Check(f.ctx, f.out.Needs)
}

// checkRisk refuses the one problem of methods risk and dual where its factors would take more memory than there may be.
func checkRisk(f *fitter) error {
	rows, dim := f.op.Dims()
	// The scores of all rows stand among the functionals, so that these are more than R has.
	f.out.Needs = append(f.out.Needs,
		limits.Need{Bytes: f.op.Bytes(), What: fmt.Sprintf("%d functionals and scores in %d features", rows, f.rep.Features.Dim()), Mend: "use fewer functionals, by a sample, or fewer landmarks"},
		limits.Need{Bytes: f.op.FactorBytes(), What: fmt.Sprintf("the coupling of %d functionals and scores in %d numbers", rows, dim), Mend: "use fewer labels or landmarks"})
	return limits.Check(f.ctx, f.out.Needs)
}
