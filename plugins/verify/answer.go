package verify

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/sipc-ml/sipc/plugins"
	"github.com/sipc-ml/sipc/plugins/probe"
)

// An answer is what a call gave: of a domain the elements of all chunks, of a map one block.
type answer struct {
	elements int
	chunks   int
	labels   [][]int32        // by place
	blocks   []*plugins.Block // points of each chunk, place after place; or the map's
	slopes   []*plugins.Block // derivatives, likewise
	bytes    int64            // all arrays
	largest  int64            // those of the largest chunk
}

// add appends a chunk.
func (a *answer) add(c *plugins.Chunk) {
	a.count(c)
	if a.labels == nil {
		a.labels = make([][]int32, len(c.Labels))
	}
	for k, ls := range c.Labels {
		a.labels[k] = append(a.labels[k], ls...)
	}
	a.blocks = append(a.blocks, c.Points...)
	a.slopes = append(a.slopes, c.Derivatives...)
}

// count counts a chunk, and does not keep it.
func (a *answer) count(c *plugins.Chunk) {
	size := int64(0)
	for _, ls := range c.Labels {
		size += 4 * int64(len(ls))
	}
	for _, bs := range [][]*plugins.Block{c.Points, c.Derivatives} {
		for _, b := range bs {
			size += blockBytes(b)
		}
	}
	a.elements += c.Count
	a.chunks++
	a.bytes += size
	a.largest = max(a.largest, size)
}

func blockBytes(b *plugins.Block) int64 {
	n := 4*(len(b.Start)+len(b.Point)+len(b.Tangent)+len(b.Label)) + 8*(len(b.Coef)+len(b.Points.Data)+len(b.Tangents.Data))
	for i := range b.Labels {
		n += 12 * len(b.Labels[i].Index)
	}
	return int64(n)
}

// prints returns the answer's functionals and labels as texts, whatever the chunks' bounds, by place for a domain of
// several.
func (a *answer) prints(places int) [][]string {
	places = max(1, places)
	out := make([][]string, 2*places+len(a.labels))
	for k, bs := range [][]*plugins.Block{a.blocks, a.slopes} {
		for i, b := range bs {
			at := k*places + i%places
			for f := range b.Len() {
				out[at] = append(out[at], printed(b, f))
			}
		}
	}
	for k, ls := range a.labels {
		for _, l := range ls {
			out[2*places+k] = append(out[2*places+k], strconv.Itoa(int(l)))
		}
	}
	return out
}

// printed returns a functional as a text that no other one has: its terms' coefficients, points, tangents and labels.
func printed(b *plugins.Block, i int) string {
	var s strings.Builder
	for k := b.Start[i]; k < b.Start[i+1]; k++ {
		fmt.Fprint(&s, b.Coef[k])
		if p := b.Point[k]; p >= 0 {
			fmt.Fprint(&s, " row ", p)
		} else {
			fmt.Fprint(&s, b.Points.Row(int(^p)))
		}
		if t := b.Tangent[k]; t != plugins.Evaluation {
			fmt.Fprint(&s, " along ", b.Tangents.Row(int(t)))
		}
		if l := b.Label[k]; l != plugins.NoLabel {
			fmt.Fprint(&s, " of ", b.Labels[l])
		}
		s.WriteByte(';')
	}
	return s.String()
}

// difference says where two answers to the same call differ; empty where they do not.
func (a *answer) difference(b *answer, places int) string {
	if a.elements != b.elements {
		return fmt.Sprintf("%d elements, then %d", a.elements, b.elements)
	}
	x, y := a.prints(places), b.prints(places)
	for k := range x {
		if k >= len(y) || len(x[k]) != len(y[k]) {
			return "another number of functionals"
		}
		for i := range x[k] {
			if x[k][i] != y[k][i] {
				return fmt.Sprintf("the functional or label %d differs", i)
			}
		}
	}
	return ""
}

// values returns the values of the answer's functionals at f, of all blocks in turn.
func values(f *probe.Function, blocks []*plugins.Block, data *plugins.Data) []float64 {
	var out []float64
	for _, b := range blocks {
		out = append(out, f.Values(b, data)...)
	}
	return out
}

// places returns how many points an element binds.
func (s *subject) places() int {
	if s.domain == nil {
		return 1
	}
	n := 0
	for _, b := range s.domain.Binds {
		if b.Kind == plugins.BindPoint {
			n++
		}
	}
	return n
}
