package copies

import (
	"math"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// A set is written and drawn again.
func TestImagesAreReadAsWritten(t *testing.T) {
	s := &set{}
	for d := range 10 {
		image := make([]byte, side*side)
		image[d] = byte(10 + d)
		s.images, s.digits = append(s.images, image...), append(s.digits, byte(d))
	}
	prefix := filepath.Join(t.TempDir(), "x")
	if err := s.write(prefix); err != nil {
		t.Fatal(err)
	}
	got, err := drawn(rand.New(rand.NewPCG(1, 2)), prefix, []byte{3, 7}, 2)
	if err != nil {
		t.Fatal(err)
	}
	for i, d := range got.digits {
		if d != 3 && d != 7 || got.images[i*side*side+int(d)] != 10+d {
			t.Errorf("row %d is of %d", i, d)
		}
	}
	if _, err := drawn(rand.New(rand.NewPCG(1, 2)), prefix, []byte{3, 7}, 3); err == nil {
		t.Error("three rows of two were drawn")
	}
}

// A dot in the middle moves to the right, and a line upright turns its upper end to the right.
func TestTurnedImagesMoveAsTold(t *testing.T) {
	s := &set{images: make([]byte, side*side), digits: []byte{1}}
	for r := 4; r < 24; r++ {
		s.images[r*side+13], s.images[r*side+14] = 200, 200
	}
	got := s.turned().images
	centre := func(r int) float64 {
		sum, of := 0.0, 0.0
		for c := range side {
			sum, of = sum+float64(got[r*side+c]), of+float64(c)*float64(got[r*side+c])
		}
		return of / sum
	}
	middle, top := (centre(13)+centre(14))/2, centre(6)
	if math.Abs(middle-15.5) > 0.1 || math.Abs(math.Abs(top-middle)-7.5*math.Tan(turn)) > 0.1 {
		t.Errorf("the middle is at %v, and the top at %v", middle, top)
	}
}

func TestCellsAreRead(t *testing.T) {
	for text, want := range map[string]string{"4-9:60": "4 against 9", "all:500": "all"} {
		c, err := ParseCell(text)
		if err != nil || c.String() != want {
			t.Errorf("%s: %v, %v", text, c, err)
		}
	}
	for _, text := range []string{"4-9", "4:60", "4-9-3:60", "4-x:60", "4-10:60", "all:5", ""} {
		if _, err := ParseCell(text); err == nil {
			t.Errorf("%q is a cell", text)
		}
	}
}

// Adjusted p-values are those of Holm's example: the smallest counts as often as there are hypotheses, and they rise with the p-values.
func TestHolm(t *testing.T) {
	got := holm([]float64{0.01, 0.04, 0.03, 0.005})
	for k, want := range []float64{0.03, 0.06, 0.06, 0.02} {
		if math.Abs(got[k]-want) > 1e-12 {
			t.Errorf("%v, want %v at %d", got, want, k)
		}
	}
}

// The table pairs machines draw by draw, in whatever order lines come, and says what is certain.
func TestTablePairsDraws(t *testing.T) {
	var lines []Line
	for draw := range uint64(4) {
		base := 0.9 + 0.01*float64(draw)
		lines = append(lines, Line{Digits: "4 against 9", Rows: 60, Draw: draw, Fit: "orbit", Clean: base + 0.02, Moved: base, Seconds: 3},
			Line{Digits: "4 against 9", Rows: 60, Draw: draw, Fit: "24 random copies", Clean: base, Moved: base - 0.0102 - 0.0001*float64(draw), Seconds: 6})
	}
	slices.Reverse(lines[2:])
	var b strings.Builder
	if err := Write(&b, lines, "orbit", "24 random copies"); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"| +2.00 ± 0.00 | +1.03 ± 0.02 | 6.0 | 0.50 |", "2 comparisons, p < 0.05 by Holm: below in 0, above in 2", "+1.03 ± 0.02 points"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("%q is missing in\n%s", want, b.String())
		}
	}
	if err := Write(&b, lines[1:], "orbit", "24 random copies"); err == nil {
		t.Error("machines of other draws were paired")
	}
}
