// Package hashes writes numbers to hashes.
package hashes

import (
	"encoding/binary"
	"io"
	"slices"
)

// atOnce is how many numbers are written at once.
const atOnce = 1 << 13

// Write writes numbers to a hash, their count first, so that no list can take the place of another one. A few are written at a time, as binary.Write makes a
// copy of what it is given.
func Write[T uint8 | int32 | int64 | float64](w io.Writer, x []T) {
	_ = binary.Write(w, binary.LittleEndian, int64(len(x))) // a hash takes all
	for part := range slices.Chunk(x, atOnce) {
		_ = binary.Write(w, binary.LittleEndian, part)
	}
}
