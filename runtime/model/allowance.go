package model

import (
	"errors"
	"fmt"
	"math"

	"github.com/sipc-ml/sipc/internal/limits"
)

// workPerFit bounds the multiplications of measuring all invariances by embeddings, as a multiple of those of the training rows'
// embeddings. Each has an equal share, or leastWork if that is more.
const (
	workPerFit = 4
	leastWork  = limits.FitWork
)

// mostEmbedded is how many embeddings may be made to measure an invariance. Of a two-sided one fewEmbedded are
// enough, as a sample of its elements bounds its size. Where their spread tells by how much the sample may be off,
// leastTold elements are.
const (
	mostEmbedded = 20000
	fewEmbedded  = 4000
	leastTold    = 16
)

// fewEvaluated bounds the points at which a linear function is evaluated to estimate its value on rows that no fit has seen.
const fewEvaluated = 1 << 11

// firstEmbedded is how many embeddings are made before their mean tells what the others will take. All are made
// at once where they may be harder than rows by the factor ample: many together take less than few at a time.
const (
	firstEmbedded = 48
	ample         = 8
)

var (
	errManyEmbeddings = fmt.Errorf("it needs more than %d embeddings", mostEmbedded)
	errMuchWork       = fmt.Errorf("its embeddings would take more than its share of %d times the work of the fit", workPerFit)
)

// Unmeasured returns why an invariance cannot be measured; empty if err says something else.
func Unmeasured(err error) string {
	for _, why := range []error{errManyEmbeddings, errMuchWork} {
		if errors.Is(err, why) {
			return why.Error()
		}
	}
	return ""
}

// An allowance bounds the work of measuring an invariance. The zero value bounds the number of embeddings alone.
type allowance struct {
	made  int     // embeddings of the training rows; 0: it is not known
	mean  float64 // multiplications that one of them took
	most  float64 // multiplications that may be made
	spent float64 // and that were
}

// newAllowance returns that of each invariance after a fit whose embeddings took so many multiplications.
func newAllowance(work float64, embeddings, invariances int) allowance {
	if !(work > 0) {
		return allowance{}
	}
	return allowance{made: embeddings, mean: work / float64(embeddings), most: math.Max(workPerFit*work/float64(invariances), leastWork)}
}

// permits returns an error if so many embeddings are too many, or are likely to take too much work.
func (a *allowance) permits(embeddings int) error {
	switch {
	case embeddings > mostEmbedded:
		return errManyEmbeddings
	case float64(embeddings)*a.mean > a.most:
		return errMuchWork
	}
	return nil
}

// few returns how many embeddings a sample may take: half of what is allowed, as points may be harder to embed
// than rows. Where its error is told, as many as half of the fit's are enough. Training and test rows together
// then take no more embeddings than the fit.
func (a *allowance) few() (most, enough int) {
	if a.mean == 0 {
		return fewEmbedded, fewEmbedded
	}
	most = int(math.Min(fewEmbedded, a.most/(2*a.mean)))
	if a.made == 0 {
		return most, most
	}
	return most, min(most, a.made/2)
}

// first returns how many of some embeddings are made before their mean is looked at.
func (a *allowance) first(embeddings int) int {
	if float64(embeddings)*a.mean*ample <= a.most-a.spent {
		return embeddings
	}
	return min(firstEmbedded, embeddings)
}

// lasts returns an error if so many more embeddings would take too much work. It expects of each the mean of the
// made ones, which took all that was spent since before. The check is repeated as work goes on, because points
// differ from the training rows by which permits judges.
func (a *allowance) lasts(before float64, made, more int) error {
	if a.most > 0 && a.spent+float64(more)*(a.spent-before)/float64(made) > a.most {
		return errMuchWork
	}
	return nil
}
