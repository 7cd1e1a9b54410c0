package blas

// assembled makes the routines from assembly.
func assembled[F float](dot func(n int, x, y *F) F, axpy func(n int, alpha F, x, y *F)) vectors[F] {
	return vectors[F]{
		dot:  func(x, y []F) F { return dot(len(x), &x[0], &y[0]) },
		axpy: func(alpha F, x, y []F) { axpy(len(x), alpha, &x[0], &y[0]) },
	}
}
