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
	q.Apply(func(int, int, float64) float64 { return rng.NormFloat64() }, q)
	orthonormalize(q)
	var image, small, out mat.Dense
	for range powerSteps {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		image.Mul(s, q)
		q.Copy(&image)
		orthonormalize(q)
	}
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
		return nil, errors.New("the eigendecomposition did not converge")
	}
	var vectors mat.Dense
	eig.VectorsTo(&vectors)
	out := mat.NewDense(d, rank, nil)
	for j := range rank { // eigenvalues ascend
		out.SetCol(j, mat.Col(nil, d-1-j, &vectors))
	}
	return out, nil
}

// orthonormalize replaces the columns of q by an orthonormal basis of their span, the Q of a QR factorization.
func orthonormalize(q *mat.Dense) {
	_, c := q.Dims()
	tau, work := make([]float64, c), make([]float64, 64*c) // more than the panels of LAPACK take
	lapack64.Geqrf(q.RawMatrix(), tau, work, len(work))
	lapack64.Orgqr(q.RawMatrix(), tau, work, len(work))
}
