package model

import (
	"fmt"
	"math"
	"slices"

	"github.com/sipc-ml/sipc/internal/limits"
	"github.com/sipc-ml/sipc/runtime/embed"
	"github.com/sipc-ml/sipc/runtime/interval"
	"github.com/sipc-ml/sipc/runtime/learn"
	"github.com/sipc-ml/sipc/runtime/operator"
	"github.com/sipc-ml/sipc/runtime/risk"
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

// checkFeatures refuses a feature map that would take more memory than there may be. Each landmark counts with each other.
func checkFeatures(f *fitter, s setting.Features) error {
	n, p := f.learnt.X.Dims()
	// Landmarks are drawn among the rows and the points and directions at which functionals look.
	points, cols := float64(n), float64(p)
	if b := f.reg.Functionals; b != nil {
		points += float64(b.Points.Rows + b.Tangents.Rows)
	}
	need, kept := limits.Need{Mend: "use fewer features"}, 0.0
	switch s.Kind {
	case setting.Fourier:
		kept = 8 * float64(s.Count) * cols
		need.Bytes, need.What = kept+8*float64(s.Count)*float64(n), fmt.Sprintf("%d random features of %d rows", s.Count, n)
	case setting.Hashing:
		need.Bytes, need.What = 8*float64(n)*math.Exp2(float64(s.Bits)), fmt.Sprintf("2^%d features of %d rows", s.Bits, n)
	case setting.Nystrom, setting.Exact, "":
		d := embed.MostLandmarks(s, f.train.Len(), int(points))
		need = limits.Need{What: fmt.Sprintf("%.0f landmarks", d), Mend: "use fewer landmarks"}
		// A Gram matrix and its inverse, the landmarks and what kernels prepare of them, and the table of a draw.
		kept = 8*d*d + 16*d*cols
		if need.Bytes = 16*d*d + 24*d*cols; points > d {
			most := embed.TableSize
			if s.Landmarks == setting.AllLandmarks || s.Landmarks == "" {
				most = embed.MostTable
			}
			table := 8 * min(points*d, max(most, 2*d*d))    // as embed thins candidates
			need.Bytes, kept = need.Bytes+table, kept+table // it has the features of points
		} else if d*d <= embed.TableSize {
			need.Bytes, kept = need.Bytes+8*d*d, kept+8*d*d // the features of the landmarks
		}
	}
	if err := limits.Check(f.ctx, []limits.Need{takenBefore(f), need}); err != nil {
		return err
	}
	// What only making it takes is free again when functionals are evaluated.
	need.Bytes = kept
	f.before = []limits.Need{takenBefore(f), need}
	return nil
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
	features := 2 * embed.BlockBytes(f.rep.Features.Dim(), int(count))
	return limits.Need{Bytes: 8*count*p*rows + features, What: fmt.Sprintf("%.0f points of %d functionals, and those of test rows", count, b.Len()), Mend: "use fewer test rows or functionals"}
}

// checkEmbeddings refuses embeddings that would take more memory than there may be: to find them, to keep them, and to learn from
// them. It runs when no reduction to few labels is known, and before anything is factored.
func checkEmbeddings(f *fitter) error {
	n, count, dim := f.learnt.Len(), float64(f.learnt.Len())*float64(f.rep.PerRow()), float64(f.rep.Dim())
	what := fmt.Sprintf("%d representations of %.0f numbers", n, dim)
	if f.rep.Joint() {
		what = fmt.Sprintf("%.0f embeddings (%d rows × %d labels) of %.0f numbers (%d features × %d labels)", count, n, f.rep.Labels, dim, f.rep.Features.Dim(), f.rep.Labels)
	}
	// Large joint designs are kept in single precision.
	// The scale is found last, so that all of them are there at once.
	each := 8.0
	if f.rep.Joint() && count*dim > mostDouble {
		each = 4
	}
	next := learnerNeed
	if minimizes(f) {
		next = riskNeed
	}
	return limits.Check(f.ctx, append(append(beforeFit(f), f.rep.Needs(n)...), placesNeed(f),
		limits.Need{Bytes: each * count * dim, What: what, Mend: "use fewer rows, labels or landmarks, or method risk"}, next(f, int(count), int(dim))))
}

// apartMatrices is how many matrices of the order of the features the closed form of a label has: AᵀWA, and a factor in the making.
const apartMatrices = 3

// apartRows is how many rows there are for each embedding: its features, a solution and what bounds it.
const apartRows = 4

// checkApart refuses embeddings that are found label by label where they would take more memory than there may be, for so many labels that
// differ.
func checkApart(f *fitter, problems int) error {
	n, d := f.learnt.Len(), f.rep.Features.Dim()
	own := float64(problems) * float64(n) * float64(d)
	what := fmt.Sprintf("embeddings of %d rows of %d numbers at %d labels", n, d, f.rep.Labels)
	if problems == 1 {
		what = fmt.Sprintf("embeddings of %d rows of %d numbers, the same at %d labels", n, d, f.rep.Labels)
	}
	return limits.Check(f.ctx, append(beforeFit(f), placesNeed(f),
		limits.Need{Bytes: f.op.Bytes(), What: fmt.Sprintf("the functionals in %d features", d), Mend: "use fewer functionals, by a sample, or fewer landmarks"},
		limits.Need{Bytes: 8 * apartMatrices * float64(problems) * float64(d) * float64(d), What: fmt.Sprintf("the coupling of %d features", d), Mend: "use fewer landmarks"},
		limits.Need{Bytes: 8 * (own + apartRows*float64(n)*float64(d)), What: what, Mend: "use fewer rows or landmarks, or method risk"},
		learnerNeed(f, n, d)))
}

// sumsMatrices is how many matrices of the order of the features there are at once. They are sums, a root, its rows, and those of an operator.
const sumsMatrices = 8

// passNumbers is how many numbers of each score, and of each row, there are at once where rows pass by. They are those of passes, bounds and steps. passMatrices is how
// many more matrices of the order of the features.
const passNumbers, passMatrices = 9, 5

// drawnFeatures is how often there are the features of a row that is drawn for a step of softmax.
const drawnFeatures = 2

// checkSums refuses sums over rows where they would take more memory than there may be.
func checkSums(f *fitter) error {
	d := float64(f.rep.Features.Dim() + f.rep.Labels)
	gathered := 0.0
	if b := f.reg.Functionals; b != nil {
		gathered = min(float64(b.Len()), d)
	}
	n, m, told, what := float64(f.learnt.Len()), float64(f.rep.Labels), 0.0, "scores, slopes and curvatures"
	// Folds have lists of their rows and targets, and the scores that each
	// candidate gives to the rows held out.
	if folded(f) {
		told = n * (4 + m*(1+float64(len(f.candidates()))/learn.UsualFolds))
	}
	if f.o.Learner.Kind != setting.Ridge {
		told += passNumbers * n * (1 + m)
		if f.o.Cache != nil { // a pass is kept with its scores and sizes
			told += n * (1 + m)
		}
		if k := float64(risk.Drawn(f.o.Learner, f.learnt.Task, f.learnt.Len(), int(d))); k > 0 {
			told += k*d*drawnFeatures + riskVectors*(k+m)*m
		} else {
			told += passMatrices * d * d * min(m, risk.MostCurves)
		}
	} else if folded(f) { // each fold has sums of its own, and a problem
		told, what = told+d*d*(learn.UsualFolds+sumsMatrices), "sums of the folds"
	}
	return limits.Check(f.ctx, append(beforeFit(f), placesNeed(f), limits.Need{
		Bytes: 8 * told, What: fmt.Sprintf("%s of %.0f rows", what, n), Mend: "use fewer rows",
	}, limits.Need{
		Bytes: 8 * d * (sumsMatrices*d + gathered + 2*operator.AtOnce), What: fmt.Sprintf("sums of squares of %.0f features and targets", d), Mend: "use fewer landmarks",
	}))
}

// beforeFit returns what is taken before functionals are evaluated. A feature map that was given is among it.
func beforeFit(f *fitter) []limits.Need {
	if len(f.before) == 0 {
		f.before = []limits.Need{takenBefore(f)}
	}
	return slices.Clone(f.before)
}

// checkTrial refuses what lies between nodes to be looked at, by some rows, where that would take more memory than there may be.
func checkTrial(f *fitter) error {
	return limits.Check(f.ctx, append(append(beforeFit(f), f.rep.Needs(interval.TrialRows)...), placesNeed(f)))
}

// learnerNeed returns the memory of learning from so many representations. Those that all labels share are copied for each fold.
func learnerNeed(f *fitter, count, dim int) limits.Need {
	// Labels that no functional couples are learned one by one.
	if f.rep.Joint() && len(f.op.Parts()) == f.rep.Labels {
		count, dim = f.learnt.Len(), f.rep.Features.Dim()
	}
	need := limits.Need{
		Bytes: learn.Bytes(f.o.Learner, count, dim, f.rep.Labels), What: fmt.Sprintf("learning from %d representations of %d numbers", count, dim), Mend: "use fewer rows, labels or landmarks",
	}
	if len(f.o.Strengths) > 1 && !f.rep.Joint() {
		need.Bytes += 8 * float64(count) * float64(dim)
	}
	return need
}

// riskNeed returns the least that methods risk and dual take for their operator, before it is made. Labels may share rows of it,
// so that of several only the scores are counted.
func riskNeed(f *fitter, rows, dim int) limits.Need {
	n, d := float64(rows), float64(dim)
	// A condition that does not hold leaves an empty functional, for which no row is kept. There may be many of
	// these, as of all pairs of rows few stand for anything.
	if b := f.reg.Functionals; b != nil && f.rep.Labels == 1 && f.o.Method != setting.Plain {
		for i := range b.Len() {
			if b.Start[i] < b.Start[i+1] {
				n++
			}
		}
	}
	return limits.Need{
		Bytes: operator.RowBytes*n*d + 20*min(n, d)*min(n, d), What: fmt.Sprintf("%.0f functionals and scores in %d features", n, dim), Mend: "use fewer functionals, by a sample, or fewer landmarks",
	}
}

const (
	// riskVectors is how many numbers method risk holds for each functional, score and dimension. They are values, multipliers and steps, also
	// of the best function so far, and those of a solve and of bounds. A history has more.
	riskVectors = 20
	// About as many were let go and not collected yet, up to mostLetGo: garbage is collected where memory is short.
	mostLetGo = 64 << 20
)

// checkRisk refuses the one problem of methods risk and dual where its factors would take more memory than there may be.
func checkRisk(f *fitter) error {
	rows, dim := f.op.Dims()
	own, coupled := f.op.Bytes(), f.op.Bytes()+f.op.FactorBytes()
	// R's functionals stand above the squares of each pass and fold once more.
	if f.summed != nil && (f.o.Learner.Kind != setting.Ridge || folded(f)) {
		own += coupled
	}
	// The scores of all rows stand among the functionals, so that these are more than R has.
	needs := append(beforeFit(f), placesNeed(f),
		limits.Need{Bytes: own, What: fmt.Sprintf("%d functionals and scores in %d features", rows, f.rep.Features.Dim()), Mend: "use fewer functionals, by a sample, or fewer landmarks"},
		limits.Need{Bytes: coupled - f.op.Bytes(), What: fmt.Sprintf("the coupling of %d functionals and scores in %d numbers", rows, dim), Mend: "use fewer labels or landmarks"})
	vectors := 8 * riskVectors * float64(rows+dim)
	// Scores are left out of the history where losses are squares.
	history := max(risk.HistoryNumbers(rows), risk.HistoryNumbers(rows-f.learnt.Len()*f.rep.Labels))
	needs = append(needs, limits.Need{
		Bytes: vectors + min(vectors, mostLetGo) + 8*float64(history), What: fmt.Sprintf("iterations on %d functionals and scores and %d numbers", rows, dim), Mend: "use fewer rows, labels or landmarks",
	})
	if f.o.Method == setting.Dual {
		needs = append(needs, dualNeed(f, coupled))
	}
	return limits.Check(f.ctx, needs)
}

// dualNeed returns what method dual takes beside method risk. R's operator is there once more with its factors, features of rows are
// there twice, and matrices have a row for each coefficient.
func dualNeed(f *fitter, coupled float64) limits.Need {
	n, m := float64(f.learnt.Len()), float64(f.rep.Labels)
	return limits.Need{
		Bytes: coupled + 16*n*float64(f.rep.Features.Dim()) + 40*n*m*n*m, What: fmt.Sprintf("%.0f coefficients of %.0f rows", n*m, n), Mend: "use fewer rows, or method risk",
	}
}
