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
		digestBytes(&h, bytesOf(labels))
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
	for _, raw := range arrays(b) {
		digestBytes(h, raw)
	}
}

func digestBytes(h *maphash.Hash, raw []byte) {
	digestLength(h, len(raw))
	_, _ = h.Write(raw) // never fails
}

func digestLength(h *maphash.Hash, n int) {
	var raw [8]byte
	binary.LittleEndian.PutUint64(raw[:], uint64(n))
	_, _ = h.Write(raw[:]) // never fails
}
