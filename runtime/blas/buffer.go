package blas

import (
	"math/bits"
	"sync"
	"unsafe"
)

// buffer is scratch memory that starts on a cache line. Vectors of a panel then never straddle two lines.
type buffer[F float] struct {
	data []F
	all  []F
}

// The pools hold buffers by the logarithm of their size, so that a buffer fits any request of its class.
var (
	doubles [40]sync.Pool
	singles [40]sync.Pool
)

// poolFor returns the pool of a size, for the precision of F.
func poolFor[F float](level int) *sync.Pool {
	var x F
	if unsafe.Sizeof(x) == 8 {
		return &doubles[level]
	}
	return &singles[level]
}

// getBuffer returns a buffer of n elements, whose values are not defined.
func getBuffer[F float](n int) *buffer[F] {
	level := bits.Len(uint(max(n, 256) - 1))
	if b, ok := poolFor[F](level).Get().(*buffer[F]); ok {
		b.data = b.data[:n]
		return b
	}
	const line = 64
	var x F
	size := int(unsafe.Sizeof(x))
	all := make([]F, 1<<level+line/size)
	// Go aligns slices to their elements only; up to a line is skipped.
	skip := 0
	if rest := int(uintptr(unsafe.Pointer(&all[0])) % line); rest != 0 {
		skip = (line - rest) / size
	}
	return &buffer[F]{data: all[skip : skip+n : skip+1<<level], all: all}
}

// free puts the buffer back into its pool.
func (b *buffer[F]) free() {
	poolFor[F](bits.Len(uint(cap(b.data) - 1))).Put(b)
}
