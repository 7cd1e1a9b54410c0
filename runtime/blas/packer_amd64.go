package blas

import "unsafe"

// vectorPacker returns the packer whose assembly needs AVX2.
func vectorPacker[F float]() packer[F] {
	return packer[F]{rows: packRowsVector[F], columns: packColumnsVector[F]}
}

// bytesAt returns where x begins.
func bytesAt[F float](x []F) *byte { return (*byte)(unsafe.Pointer(&x[0])) }

// packRowsVector does what packRows does, with kernels for the widths of full panels.
func packRowsVector[F float](dst []F, width int, src []F, srcStride, k, n int) {
	size := int(unsafe.Sizeof(src[0]))
	var kernel func(k int, src *byte, srcStride int, dst *byte, dstStride int)
	switch n * size {
	case 192:
		kernel = copy192
	case 96:
		kernel = copy96
	case 64:
		kernel = copy64
	case 32:
		kernel = copy32
	case 16:
		kernel = copy16
	default:
		packRows(dst, width, src, srcStride, k, n)
		return
	}
	// The assembly checks no bounds.
	_, _ = src[(k-1)*srcStride+n-1], dst[(k-1)*width+n-1]
	kernel(k, bytesAt(src), srcStride*size, bytesAt(dst), width*size)
}

// packColumnsVector does what packColumns does, by transposing little squares in registers.
func packColumnsVector[F float](dst []F, width int, src []F, srcStride, k, n int) {
	size := int(unsafe.Sizeof(src[0]))
	_, _ = src[(n-1)*srcStride+k-1], dst[(k-1)*width+n-1]
	whole := k &^ 7
	j := 0
	for whole > 0 && j+4 <= n {
		s, d := bytesAt(src[j*srcStride:]), bytesAt(dst[j:])
		switch {
		case size == 8:
			transpose4x64(whole, s, srcStride*size, d, width*size)
			j += 4
		case j+8 <= n:
			transpose8x32(whole, s, srcStride*size, d, width*size)
			j += 8
		default:
			transpose4x32(whole, s, srcStride*size, d, width*size)
			j += 4
		}
	}
	if j > 0 && whole < k {
		packColumns(dst[whole*width:], width, src[whole:], srcStride, k-whole, j)
	}
	if j < n {
		packColumns(dst[j:], width, src[j*srcStride:], srcStride, k, n-j)
	}
}
