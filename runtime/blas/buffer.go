package blas

import (
	"math/bits"
	"sync"
	"unsafe"
)

// buffer is scratch memory that starts on a cache line.
type buffer[F float] struct {
	data []F
	all  []F
}

// The pools hold buffers by the logarithm of their size.
var (
	doubles [40]sync.Pool
	singles [40]sync.Pool
)

func poolFor[F float](level int) *sync.Pool {
	var x F
	if unsafe.Sizeof(x) == 8 {
		return &doubles[level]
	}
	return &singles[level]
}

// getBuffer returns a buffer of n elements of any value.
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
	skip := 0
	if rest := int(uintptr(unsafe.Pointer(&all[0])) % line); rest != 0 {
		skip = (line - rest) / size
	}
	return &buffer[F]{data: all[skip : skip+n : skip+1<<level], all: all}
}

func (b *buffer[F]) free() {
	poolFor[F](bits.Len(uint(cap(b.data) - 1))).Put(b)
}
