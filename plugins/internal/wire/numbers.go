package wire

import (
	"encoding/binary"
	"fmt"
	"unsafe"
)

// A number is one that messages hold packed, little-endian.
type number interface{ ~int32 | ~float64 }

// littleEndian tells whether this machine has numbers in memory as messages hold them.
var littleEndian = binary.NativeEndian.Uint16([]byte{1, 0}) == 1

// bytesOf returns numbers as a message holds them. If the machine's byte order is that of messages, these are the
// numbers themselves. They must then stay as they are until the message is sent.
func bytesOf[T number](xs []T) []byte {
	if len(xs) == 0 {
		return nil
	}
	size := int(unsafe.Sizeof(xs[0]))
	raw := unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(xs))), len(xs)*size)
	if littleEndian {
		return raw
	}
	out := append([]byte(nil), raw...)
	reverse(out, size)
	return out
}

// reverse turns the order of the bytes of each number.
func reverse(raw []byte, size int) {
	for at := 0; at < len(raw); at += size {
		for i, j := at, at+size-1; i < j; i, j = i+1, j-1 {
			raw[i], raw[j] = raw[j], raw[i]
		}
	}
}

// An array gathers the pieces of an array of numbers, and copies them once, when all have come. The pieces must stay as they
// are until then.
type array[T number] struct {
	pieces [][]byte
	bytes  int
}

// add takes the next piece.
func (a *array[T]) add(raw []byte) error {
	var x T
	if size := int(unsafe.Sizeof(x)); len(raw)%size != 0 {
		return fmt.Errorf("%d bytes are not a whole number of %T", len(raw), x)
	}
	if len(raw) > 0 {
		a.pieces = append(a.pieces, raw)
		a.bytes += len(raw)
	}
	return nil
}

// numbers returns the array; nil if it is empty.
func (a *array[T]) numbers() []T {
	if a.bytes == 0 {
		return nil
	}
	var x T
	size := int(unsafe.Sizeof(x))
	out := make([]T, a.bytes/size)
	raw := unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(out))), a.bytes)
	at := 0
	for i, piece := range a.pieces {
		at += copy(raw[at:], piece)
		a.pieces[i] = nil // what is copied may go
	}
	a.pieces, a.bytes = nil, 0
	if !littleEndian {
		reverse(raw, size)
	}
	return out
}

// numbersOf returns the numbers of one piece.
func numbersOf[T number](raw []byte) ([]T, error) {
	var a array[T]
	err := a.add(raw)
	return a.numbers(), err
}
