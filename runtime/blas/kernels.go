package blas

// float is an element type of the matrices.
type float interface{ float32 | float64 }

// kernels is what a tier offers for one element type.
type kernels[F float] struct {
	mr, nr int // height and width of the full register tile
	kc     int // length of the blocks of k; part of what fixes a result's bits
	mc     int // rows of A that one worker packs at a time
	nc     int // columns of B that are packed at a time

	packer[F]

	// tile computes c = alpha·a·b (+ c if add) for rows ≤ mr and cols ≤ nr,
	// with a[i,p] at i·ars+p·acs, b[p,j] at p·brs+j and c[i,j] at i·ldc+j.
	tile func(rows, cols, k int, a []F, ars, acs int, b []F, brs int, c []F, ldc int, alpha F, add bool)
}
