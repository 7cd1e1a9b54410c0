package blas

//go:generate go run github.com/sipc-ml/sipc/lab/assembly/blas -kernels gemm512 -out gemm_avx512_amd64.s -stubs gemm_avx512_amd64.go -pkg blas
//go:generate go run github.com/sipc-ml/sipc/lab/assembly/blas -kernels gemm256 -out gemm_avx2_amd64.s -stubs gemm_avx2_amd64.go -pkg blas
//go:generate go run github.com/sipc-ml/sipc/lab/assembly/blas -kernels pack -out pack_amd64.s -stubs pack_amd64.go -pkg blas
//go:generate go run github.com/sipc-ml/sipc/lab/assembly/blas -kernels exp -out exp_amd64.s -stubs exp_amd64.go -pkg blas
//go:generate go run github.com/sipc-ml/sipc/lab/assembly/blas -kernels vector -out vector_amd64.s -stubs vector_amd64.go -pkg blas
