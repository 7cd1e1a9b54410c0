package wire

import (
	"bufio"
	"crypto/sha256"
	"encoding/binary"
	"hash"
	"math"

	"github.com/sipc-ml/sipc/plugins"
)

// A Sum is a digest that is the same in every process.
type Sum = [sha256.Size]byte

// An Answer takes the digest of what a family answers, and of nothing else. How an answer is cut into chunks does not
// count, nor in which order a block lists its points.
type Answer struct {
	count  int
	places []*place
}

// Chunk adds the next chunk.
func (a *Answer) Chunk(c *plugins.Chunk) {
	a.count += c.Count
	for k, labels := range c.Labels {
		a.place(k).write(bytesOf(labels))
	}
	for k, b := range c.Points {
		a.place(len(c.Labels) + k).block(b)
	}
	for k, b := range c.Derivatives {
		a.place(len(c.Labels) + len(c.Points) + k).block(b)
	}
}

// Block adds a block that is of no chunk.
func (a *Answer) Block(b *plugins.Block) { a.place(0).block(b) }

// Sum returns the digest of what was added.
func (a *Answer) Sum() Sum {
	all := newPlace()
	all.number(int64(a.count))
	for _, p := range a.places {
		sum := p.sum()
		all.write(sum[:])
	}
	return all.sum()
}

// place returns one of what an element binds.
func (a *Answer) place(at int) *place {
	for at >= len(a.places) {
		a.places = append(a.places, newPlace())
	}
	return a.places[at]
}

// A place takes the digest of one of what an element binds, over all chunks.
type place struct {
	hash hash.Hash
	buf  *bufio.Writer
}

func newPlace() *place {
	h := sha256.New()
	return &place{h, bufio.NewWriter(h)}
}

// block adds functionals: rows of the data by their indices, and all else by value.
func (p *place) block(b *plugins.Block) {
	points, tangents := rowSums(&b.Points), rowSums(&b.Tangents)
	labels := make([]Sum, len(b.Labels))
	for i, y := range b.Labels {
		of := newPlace()
		of.number(int64(len(y.Index)))
		of.write(bytesOf(y.Index))
		of.write(bytesOf(y.Value))
		labels[i] = of.sum()
	}
	for i := range b.Len() {
		p.number(int64(b.Start[i+1] - b.Start[i]))
		for k := b.Start[i]; k < b.Start[i+1]; k++ {
			p.number(int64(math.Float64bits(b.Coef[k]))) //nolint:gosec // its bits
			p.either(b.Point[k] >= 0, b.Point[k], points, ^b.Point[k])
			order, row := plugins.OrderOf(b.Tangent[k])
			p.either(order == 0, int32(order), tangents, row)
			p.either(b.Label[k] == plugins.NoLabel, 0, labels, b.Label[k])
		}
	}
}

// either adds a number that is not negative, or −1 and a digest.
func (p *place) either(number bool, v int32, sums []Sum, at int32) {
	if number {
		p.number(int64(v))
		return
	}
	p.number(-1)
	p.write(sums[at][:])
}

// rowSums returns the digests of rows.
func rowSums(m *plugins.Matrix) []Sum {
	out := make([]Sum, m.Rows)
	for i := range out {
		out[i] = sha256.Sum256(bytesOf(m.Row(i)))
	}
	return out
}

func (p *place) number(v int64) {
	p.write(binary.LittleEndian.AppendUint64(p.buf.AvailableBuffer(), uint64(v))) //nolint:gosec // its bits
}

func (p *place) write(raw []byte) { _, _ = p.buf.Write(raw) } // a hash never fails

// sum returns the digest of what was added.
func (p *place) sum() Sum {
	_ = p.buf.Flush() // a hash never fails
	return Sum(p.hash.Sum(nil))
}
