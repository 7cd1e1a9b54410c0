package wire

import (
	"encoding/hex"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/sipc-ml/sipc/plugins"
)

// An element is what one binds: a label, and a functional of two terms at new points.
type element struct {
	label         int32
	coef          float64
	row           int32
	point, toward []float64
	of            plugins.Label
}

// chunkOf puts elements into one chunk. Tables have their rows in reverse where it says so.
func chunkOf(elements []element, reverse bool) *plugins.Chunk {
	b := &plugins.Block{}
	order := make([]int, len(elements))
	for i := range order {
		order[i] = i
	}
	if reverse {
		slices.Reverse(order)
	}
	at := make([]int32, len(elements))
	for _, i := range order {
		at[i] = int32(b.Points.Append(elements[i].point))
		b.Tangents.Append(elements[i].toward)
		b.Labels = append(b.Labels, elements[i].of)
	}
	labels := []int32{}
	for i, e := range elements {
		b.Term(e.coef, ^at[i], plugins.Evaluation, at[i])
		b.Term(-e.coef, e.row, at[i], plugins.NoLabel)
		b.End()
		labels = append(labels, e.label)
	}
	return &plugins.Chunk{Count: len(elements), Labels: [][]int32{labels}, Points: []*plugins.Block{b}}
}

func digest(chunks ...*plugins.Chunk) string {
	var a Answer
	for _, c := range chunks {
		a.Chunk(c)
	}
	sum := a.Sum()
	return hex.EncodeToString(sum[:])
}

func drawElement(t *rapid.T) element {
	number := rapid.Float64Range(-9, 9)
	return element{
		rapid.Int32Range(0, 5).Draw(t, "label"), number.Draw(t, "coef"), rapid.Int32Range(0, 5).Draw(t, "row"),
		rapid.SliceOfN(number, 3, 3).Draw(t, "point"), rapid.SliceOfN(number, 3, 3).Draw(t, "toward"),
		plugins.Label{Index: []int32{1, 4}, Value: rapid.SliceOfN(number, 2, 2).Draw(t, "of")},
	}
}

// The digest of an answer does not hang on its cut into chunks, nor on the order of points in a block.
func TestAnswersHoweverCut(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		elements := rapid.SliceOfN(rapid.Custom(drawElement), 1, 8).Draw(t, "elements")
		want := digest(chunkOf(elements, false))
		cut := rapid.IntRange(0, len(elements)).Draw(t, "cut")
		if got := digest(chunkOf(elements[:cut], true), chunkOf(elements[cut:], false)); got != want {
			t.Errorf("in two chunks it is %s, and in one %s", got, want)
		}
	})
}

// Whatever is answered otherwise has another digest.
func TestAnswersThatDiffer(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		elements := rapid.SliceOfN(rapid.Custom(drawElement), 1, 8).Draw(t, "elements")
		want := digest(chunkOf(elements, false))
		other := slices.Clone(elements)
		e := &other[rapid.IntRange(0, len(elements)-1).Draw(t, "which")]
		switch rapid.IntRange(0, 6).Draw(t, "what") {
		case 0:
			e.label++
		case 1:
			e.coef++
		case 2:
			e.row++
		case 3:
			e.point = []float64{10, 10, 10}
		case 4:
			e.toward = []float64{10, 10, 10}
		case 5:
			e.of.Value = []float64{10, 10}
		case 6:
			other = append(other, elements[0])
		}
		if digest(chunkOf(other, false)) == want {
			t.Error("another answer has the same digest")
		}
	})
}

// Digests are the same in every process, on every machine.
func TestAnswersOfEveryProcess(t *testing.T) {
	e := element{2, 0.5, 7, []float64{1, 2}, []float64{3, 4}, plugins.Label{Index: []int32{0}, Value: []float64{1}}}
	const want = "bf1282ecd80efba617e485116ae604cd64545a9ce9e8d20dc6d8369ab21f5846"
	if got := digest(chunkOf([]element{e}, false)); got != want {
		t.Errorf("the digest is %s, and was %s", got, want)
	}
}
