package blas

// float is an element type of the matrices.
type float interface{ float32 | float64 }

// kernels are those of a tier for one element type.
type kernels[F float] struct {
	// mr and nr are the height and width of the full register tile.
	mr, nr int
	// kc is the length of the blocks of k, which contributes to a result's bits.
	kc int
	// mc is how many rows of A one worker packs at a time, nc how many columns of B are packed at a time.
	mc int
	nc int

	packer[F]

	// fourRows adds to c the product of m rows of four elements of a and four rows of b, of n columns, of which columnsAtOnce are two vectors.
	fourRows      func(n, m int, a, b *F, brs int, c *F, ldc int)
	columnsAtOnce int

	// tile computes c = alpha·a·b (+ c if add) for rows ≤ mr and cols ≤ nr,
	// with a[i,p] at i·ars+p·acs, b[p,j] at p·brs+j and c[i,j] at i·ldc+j.
	tile func(rows, cols, k int, a []F, ars, acs int, b []F, brs int, c []F, ldc int, alpha F, add bool)
}
