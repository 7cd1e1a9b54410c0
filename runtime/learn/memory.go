package learn

import "github.com/sipc-ml/sipc/runtime/setting"

// Bytes estimates the memory that a fit takes beside its representations: count of dim numbers each, for so many labels.
func Bytes(l setting.Learner, count, dim, labels int) float64 {
	n, d := float64(count), float64(dim)
	switch l.Kind {
	case setting.SVM, setting.SquaredSVM, setting.Quantile:
		if count <= maxGram {
			return 8 * n * n
		}
		return 24 * (n + d)
	case setting.Ridge:
		if min(count, dim) > maxSolve || n*d > maxCentred {
			return 24 * (n + d)
		}
		if dim <= count { // a centred copy, the system and its factor
			return 8 * (n*d + 2*d*d)
		}
		return 32 * n * n // the Gram matrix, its copies centred from either side, and the factor
	default: // steps of L-BFGS keep two vectors each
		return 8 * (2*storedSteps*d + 2*n) * float64(labels)
	}
}
