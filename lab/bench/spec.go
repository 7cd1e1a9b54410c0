package bench

import (
	"fmt"
	"math"
	"strconv"
)

// The files that problems are built from, in the folders of the data.
const (
	digitsFile = "train-images-idx3-ubyte.gz"
	topicsFile = "train.svm.gz"
	labelsFile = "labels.txt"
	edgesFile  = "hierarchy.txt"
)

// digitClasses is how many classes the digits have.
const digitClasses = 10

// The specs. The widths are those at which the kernels classify well.
const (
	mixupSpec = `data {
    target digit : class
    split  train = %d, test = %d
}
kernel     gaussian(width = 0.5 * median)
features   nystrom(landmarks = %d)
invariance mixup = rms over pairs(count = %d) of max over λ in [0, 1] of |d/dλ f|
regularize %s * mixup
`
	transformSpec = `data {
    target  digit : binary(4, 9)
    columns image(28, 28)
    split   train = %d, test = %d
}
kernel     gaussian(width = 0.35 * median)
features   nystrom(landmarks = %d)
invariance steady = rms over x of
    max over t in {rotate(10deg), scale(0.1), shift(dx = 2), shift(dy = 2)} of |f(t(x)) - f(x)|
regularize %s * steady
`
	logicSpec = `data {
    target labels("labels.txt") : multilabel
    split  train = %d, test = %d
}
let        topics = taxonomy("hierarchy.txt")
kernel     gaussian(width = 0.7 * median)
features   nystrom(landmarks = %d)
invariance logic = rms over x of hypot(
    max over (child, parent) in edges(topics) of implies(child, parent),
    max over (a, b) in siblings(topics) of excludes(a, b))
regularize %s * logic
`
)

// spec returns the text of a kind's spec, with so many test rows.
func (o *Options) spec(kind Kind, test int) string {
	rank := o.Rank
	if rank == 0 {
		rank = o.N
	}
	// α‖V‖² + R² = α(‖V‖² + n·(R/√(nα))²)
	weight := strconv.FormatFloat(1/math.Sqrt(o.Alpha*float64(o.N)), 'f', -1, 64)
	switch kind {
	case Mixup:
		return fmt.Sprintf(mixupSpec, o.N, test, rank, o.pairs(), weight)
	case Transform:
		return fmt.Sprintf(transformSpec, o.N, test, rank, weight)
	default:
		return fmt.Sprintf(logicSpec, o.N, test, rank, weight)
	}
}

func (o *Options) pairs() int {
	if o.Pairs == 0 {
		return 4 * o.N
	}
	return o.Pairs
}
