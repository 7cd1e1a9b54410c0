package bench

import (
	"sync/atomic"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas32"
	"gonum.org/v1/gonum/blas/blas64"
)

// Products are the floating-point operations of matrix products, multiplications and additions.
type Products struct {
	Double float64 `json:"double"` // in float64
	Single float64 `json:"single"` // in float32
}

// A counter counts what is asked of the BLAS's level 3. Products that a routine is made of in its turn are not counted again.
type counter struct{ double, single atomic.Int64 }

func (c *counter) now() Products {
	return Products{float64(c.double.Load()), float64(c.single.Load())}
}

// during registers the counter with gonum while f runs. Nothing else may compute beside it.
func (c *counter) during(f func() error) error {
	double, single := blas64.Implementation(), blas32.Implementation()
	blas64.Use(counted64{double, &c.double})
	blas32.Use(counted32{single, &c.single})
	defer func() {
		blas64.Use(double)
		blas32.Use(single)
	}()
	return f()
}

type counted64 struct {
	blas.Float64
	operations *atomic.Int64
}

func (c counted64) Dgemm(tA, tB blas.Transpose, m, n, k int, alpha float64, a []float64, lda int, b []float64, ldb int, beta float64, r []float64, ldc int) {
	c.operations.Add(2 * int64(m) * int64(n) * int64(k))
	c.Float64.Dgemm(tA, tB, m, n, k, alpha, a, lda, b, ldb, beta, r, ldc)
}

func (c counted64) Dsyrk(ul blas.Uplo, t blas.Transpose, n, k int, alpha float64, a []float64, lda int, beta float64, r []float64, ldc int) {
	c.operations.Add(int64(n) * int64(n+1) * int64(k))
	c.Float64.Dsyrk(ul, t, n, k, alpha, a, lda, beta, r, ldc)
}

func (c counted64) Dtrmm(s blas.Side, ul blas.Uplo, t blas.Transpose, d blas.Diag, m, n int, alpha float64, a []float64, lda int, b []float64, ldb int) {
	c.operations.Add(int64(m) * int64(n) * order(s, m, n))
	c.Float64.Dtrmm(s, ul, t, d, m, n, alpha, a, lda, b, ldb)
}

func (c counted64) Dtrsm(s blas.Side, ul blas.Uplo, t blas.Transpose, d blas.Diag, m, n int, alpha float64, a []float64, lda int, b []float64, ldb int) {
	c.operations.Add(int64(m) * int64(n) * order(s, m, n))
	c.Float64.Dtrsm(s, ul, t, d, m, n, alpha, a, lda, b, ldb)
}

type counted32 struct {
	blas.Float32
	operations *atomic.Int64
}

func (c counted32) Sgemm(tA, tB blas.Transpose, m, n, k int, alpha float32, a []float32, lda int, b []float32, ldb int, beta float32, r []float32, ldc int) {
	c.operations.Add(2 * int64(m) * int64(n) * int64(k))
	c.Float32.Sgemm(tA, tB, m, n, k, alpha, a, lda, b, ldb, beta, r, ldc)
}

// order returns the order of the symmetric or triangular matrix beside an m×n one.
func order(s blas.Side, m, n int) int64 {
	if s == blas.Left {
		return int64(m)
	}
	return int64(n)
}
