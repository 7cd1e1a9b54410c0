package digits

import (
	"math"
	"math/rand/v2"
	"path/filepath"
	"testing"
)

// A set is written and drawn again.
func TestImagesAreReadAsWritten(t *testing.T) {
	s := &Set{}
	for d := range 10 {
		image := make([]byte, side*side)
		image[d] = byte(10 + d)
		s.Images, s.Digits = append(s.Images, image...), append(s.Digits, byte(d))
	}
	prefix := filepath.Join(t.TempDir(), "x")
	if err := s.Write(prefix); err != nil {
		t.Fatal(err)
	}
	got, err := Drawn(rand.New(rand.NewPCG(1, 2)), prefix, []byte{3, 7}, 2)
	if err != nil {
		t.Fatal(err)
	}
	for i, d := range got.Digits {
		if d != 3 && d != 7 || got.Images[i*side*side+int(d)] != 10+d {
			t.Errorf("row %d is of %d", i, d)
		}
	}
	if _, err := Drawn(rand.New(rand.NewPCG(1, 2)), prefix, []byte{3, 7}, 3); err == nil {
		t.Error("three rows of two were drawn")
	}
}

// A dot in the middle moves to the right, and a line upright turns its upper end to the right.
func TestTurnedImagesMoveAsTold(t *testing.T) {
	s := &Set{Images: make([]byte, side*side), Digits: []byte{1}}
	for r := 4; r < 24; r++ {
		s.Images[r*side+13], s.Images[r*side+14] = 200, 200
	}
	got := s.Turned().Images
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
