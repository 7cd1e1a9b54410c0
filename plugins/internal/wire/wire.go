// Package wire translates between the contract of package plugins and its messages: what host and sdk both need to say
// and to read, large arrays in parts.
package wire

import (
	"encoding/binary"
	"fmt"
	"math"
)

// CookieKey and CookieValue are the environment variable by which a family knows that it was started by sipc, and not
// by hand. They are no secret.
const (
	CookieKey   = "SIPC_FAMILY"
	CookieValue = "1f6d8c2e"
)

// PluginName is the name under which the handshake's library files a family.
const PluginName = "family"

// PartSize bounds the arrays' bytes in one message.
const PartSize = 1 << 20

// MaxMessage is the largest message that either side takes.
const MaxMessage = 64 << 20

// Window and Buffer are how many bytes may be under way, and how many are read or written at once.
const (
	Window = 16 << 20
	Buffer = 1 << 18
)

func appendFloats(to []byte, xs []float64) []byte {
	n := len(to)
	to = grow(to, 8*len(xs))
	for i, x := range xs {
		binary.LittleEndian.PutUint64(to[n+8*i:], math.Float64bits(x))
	}
	return to
}

func appendInts(to []byte, xs []int32) []byte {
	n := len(to)
	to = grow(to, 4*len(xs))
	for i, x := range xs {
		binary.LittleEndian.PutUint32(to[n+4*i:], uint32(x))
	}
	return to
}

func readFloats(to []float64, from []byte) ([]float64, error) {
	if len(from)%8 != 0 {
		return nil, fmt.Errorf("%d bytes are no whole number of float64", len(from))
	}
	n := len(to)
	to = grow(to, len(from)/8)
	for i := range to[n:] {
		to[n+i] = math.Float64frombits(binary.LittleEndian.Uint64(from[8*i:]))
	}
	return to, nil
}

func readInts(to []int32, from []byte) ([]int32, error) {
	if len(from)%4 != 0 {
		return nil, fmt.Errorf("%d bytes are no whole number of int32", len(from))
	}
	n := len(to)
	to = grow(to, len(from)/4)
	for i := range to[n:] {
		to[n+i] = int32(binary.LittleEndian.Uint32(from[4*i:]))
	}
	return to, nil
}

// grow lengthens s by n elements of any value.
func grow[T any](s []T, n int) []T {
	need := len(s) + n
	if need <= cap(s) {
		return s[:need]
	}
	out := make([]T, need, max(need, 2*cap(s)))
	copy(out, s)
	return out
}

// pieces hands xs to add in pieces that fill the room, in bytes, that is left in a part: at least one element's.
func pieces[T any](xs []T, size int, room func() (int, error), add func([]T)) error {
	for len(xs) > 0 {
		left, err := room()
		if err != nil {
			return err
		}
		n := min(len(xs), left/size)
		add(xs[:n])
		xs = xs[n:]
	}
	return nil
}
