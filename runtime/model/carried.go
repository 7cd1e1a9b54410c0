package model

import (
	"encoding/binary"
	"hash"
	"hash/fnv"
	"math"

	"github.com/sipc-ml/sipc/plugins"
)

// carriedFrom returns for each functional of a block which one of another block is the same, −1 where none is. Functionals are the same if
// their terms are, points and labels included.
func carriedFrom(b, before *plugins.Block) []int {
	known := map[uint64]int{}
	for i, key := range functionalKeys(before) {
		if _, twice := known[key]; !twice {
			known[key] = i
		}
	}
	out := make([]int, b.Len())
	for i, key := range functionalKeys(b) {
		out[i] = -1
		if k, ok := known[key]; ok && b.Start[i] < b.Start[i+1] {
			out[i] = k
			delete(known, key)
		}
	}
	return out
}

// functionalKeys returns a number for each functional that tells it from others by its terms.
func functionalKeys(b *plugins.Block) []uint64 {
	h := fnv.New64a()
	rows := func(m *plugins.Matrix) []uint64 {
		out := make([]uint64, m.Rows)
		for i := range out {
			out[i] = keyOf(h, m.Row(i)...)
		}
		return out
	}
	points, tangents := rows(&b.Points), rows(&b.Tangents)
	out := make([]uint64, b.Len())
	var terms []float64
	for i := range out {
		terms = terms[:0]
		for t := b.Start[i]; t < b.Start[i+1]; t++ {
			terms = append(terms, b.Coef[t])
			if p := b.Point[t]; p >= 0 {
				terms = append(terms, float64(p))
			} else {
				terms = append(terms, math.Float64frombits(points[^p]))
			}
			if order, along := plugins.OrderOf(b.Tangent[t]); order > 0 {
				terms = append(terms, float64(order), math.Float64frombits(tangents[along]))
			}
			if y := b.Label[t]; y != plugins.NoLabel {
				for j, c := range b.Labels[y].Index {
					terms = append(terms, float64(c), b.Labels[y].Value[j])
				}
			}
		}
		out[i] = keyOf(h, terms...)
	}
	return out
}

// keyOf returns a hash of the bits of some numbers.
func keyOf(h hash.Hash64, numbers ...float64) uint64 {
	h.Reset()
	var bits [8]byte
	for _, v := range numbers {
		binary.LittleEndian.PutUint64(bits[:], math.Float64bits(v))
		_, _ = h.Write(bits[:]) // never fails
	}
	return h.Sum64()
}
