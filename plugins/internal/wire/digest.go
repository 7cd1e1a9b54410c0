package wire

import (
	"encoding/binary"
	"hash/maphash"

	"github.com/sipc-ml/sipc/plugins"
)

// digestSeed is one for the life of this process.
var digestSeed = maphash.MakeSeed()

// Digest returns a hash of a chunk. Equal chunks have equal hashes within this process.
func Digest(c *plugins.Chunk) uint64 {
	var h maphash.Hash
	h.SetSeed(digestSeed)
	digestLength(&h, c.Count)
	digestLength(&h, len(c.Labels))
	for _, labels := range c.Labels {
		digestNumbers(&h, labels)
	}
	for _, blocks := range [][]*plugins.Block{c.Points, c.Derivatives} {
		digestLength(&h, len(blocks))
		for _, b := range blocks {
			digestBlock(&h, b)
		}
	}
	return h.Sum64()
}

func digestBlock(h *maphash.Hash, b *plugins.Block) {
	sizes, indices, values := flatten(b.Labels)
	for _, xs := range [][]int32{b.Start, b.Point, b.Tangent, b.Label, sizes, indices} {
		digestNumbers(h, xs)
	}
	for _, xs := range [][]float64{b.Coef, b.Points.Data, b.Tangents.Data, values} {
		digestNumbers(h, xs)
	}
}

func digestNumbers[T number](h *maphash.Hash, xs []T) {
	digestLength(h, len(xs))
	_, _ = h.Write(bytesOf(xs)) // never fails
}

func digestLength(h *maphash.Hash, n int) {
	var raw [8]byte
	binary.LittleEndian.PutUint64(raw[:], uint64(n))
	_, _ = h.Write(raw[:]) // never fails
}
