package embed

import (
	"context"
	"errors"
	"math/rand/v2"

	"gonum.org/v1/gonum/lapack/lapack64"
	"gonum.org/v1/gonum/mat"

	"github.com/sipc-ml/sipc/runtime/parallel"
)

const (
	// wholeEigen is the dimension up to which all eigenvectors are computed to find the leading ones.
	wholeEigen = 512
	// powerSteps is the number of rounds of subspace iteration on larger matrices. An eighth more vectors than wanted
	// are iterated. The sum of the eigenvalues is then accurate to 2e-6 if they decay like j⁻², and better if they
	// decay faster.
	powerSteps = 8
)

// errNoEigen reports that an eigendecomposition did not converge.
var errNoEigen = errors.New("the eigendecomposition did not converge")

// leadingVectors returns orthonormal eigenvectors (d×rank, a vector a column) for the largest eigenvalues of a
// positive semidefinite matrix, largest first. For a large matrix it uses subspace iteration (Halko, Martinsson and
// Tropp 2011), nearly all of whose work is matrix products.
func leadingVectors(ctx context.Context, s *mat.Dense, rank int) (*mat.Dense, error) {
	d, _ := s.Dims()
	width := rank + max(8, rank/8)
	if d <= wholeEigen || width >= d {
		return eigenvectors(ctx, s, rank)
	}
	// Any start will do; that of a fixed seed makes results repeatable.
	rng := rand.New(rand.NewPCG(uint64(d), uint64(rank)))
	q := mat.NewDense(d, width, nil)
	for i := range d {
		row := q.RawRowView(i)
		for j := range row {
			row[j] = rng.NormFloat64()
		}
	}
	for range powerSteps {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		orthonormalize(q)
		var next mat.Dense
		next.Mul(s, q)
		q = &next
	}
	orthonormalize(q)
	var image, small, out mat.Dense
	// Rayleigh and Ritz: the eigenvectors of QᵀSQ, turned by Q, are the best that the subspace holds.
	image.Mul(s, q)
	small.Mul(q.T(), &image)
	turn, err := eigenvectors(ctx, &small, rank)
	if err != nil {
		return nil, err
	}
	out.Mul(q, turn)
	return &out, nil
}

// eigenvectors returns the leading eigenvectors from a full decomposition.
func eigenvectors(ctx context.Context, s *mat.Dense, rank int) (*mat.Dense, error) {
	d, _ := s.Dims()
	symmetric := mat.NewSymDense(d, nil)
	for i := range d {
		for j := i; j < d; j++ {
			symmetric.SetSym(i, j, (s.At(i, j)+s.At(j, i))/2)
		}
	}
	var eig mat.EigenSym
	converged := false
	if err := parallel.Await(ctx, func() { converged = eig.Factorize(symmetric, true) }); err != nil {
		return nil, err
	}
	if !converged {
		return nil, errNoEigen
	}
	var vectors mat.Dense
	eig.VectorsTo(&vectors)
	out := mat.NewDense(d, rank, nil)
	for j := range rank { // eigenvalues ascend
		for i := range d {
			out.Set(i, j, vectors.At(i, d-1-j))
		}
	}
	return out, nil
}

// orthonormalize replaces the columns of q by an orthonormal basis of their span, the Q of a QR factorization.
func orthonormalize(q *mat.Dense) {
	_, c := q.Dims()
	tau := make([]float64, c)
	need := []float64{0}
	lapack64.Geqrf(q.RawMatrix(), tau, need, -1)
	work := make([]float64, int(need[0]))
	lapack64.Geqrf(q.RawMatrix(), tau, work, len(work))
	lapack64.Orgqr(q.RawMatrix(), tau, need, -1)
	work = make([]float64, int(need[0]))
	lapack64.Orgqr(q.RawMatrix(), tau, work, len(work))
}
