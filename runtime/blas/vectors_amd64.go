package blas

// assembled makes the routines from assembly.
func assembled[F float](dot func(n int, x, y *F) F, axpy func(n int, alpha F, x, y *F)) vectors[F] {
	return vectors[F]{
		dot:  func(x, y []F) F { return dot(len(x), &x[0], &y[0]) },
		axpy: func(alpha F, x, y []F) { axpy(len(x), alpha, &x[0], &y[0]) },
	}
}

// assembledConversions makes conversions from assembly.
func assembledConversions(narrow func(int, float64, *float64, *float32), widen func(int, float64, *float32, *float64)) conversions {
	return conversions{
		narrow: func(alpha float64, dst []float32, src []float64) { narrow(len(src), alpha, &src[0], &dst[0]) },
		widen:  func(alpha float64, dst []float64, src []float32) { widen(len(src), alpha, &src[0], &dst[0]) },
	}
}
