// Package digits reads, draws, moves and writes images of digits in the form of MNIST, for benchmarks that fit some of its rows.
package digits

import (
	"compress/gzip"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"slices"
)

// The beginnings of names of MNIST's files.
const (
	Train = "train"
	Test  = "t10k"
)

// The ends of names of IDX files, and what they begin with.
const (
	Images      = "-images-idx3-ubyte.gz"
	labels      = "-labels-idx1-ubyte.gz"
	side        = 28
	imagesMagic = 2051
	labelsMagic = 2049
)

// A Set has images of 28×28 bytes and their digits.
type Set struct {
	Images, Digits []byte
}

// Drawn returns so many rows of some digits from a file of images, and that of their labels; no digits stand for all.
func Drawn(rng *rand.Rand, prefix string, digits []byte, rows int) (*Set, error) {
	all, err := unzipped(prefix+Images, 16)
	if err != nil {
		return nil, err
	}
	truth, err := unzipped(prefix+labels, 8)
	if err != nil {
		return nil, err
	}
	var of []int
	for i, d := range truth {
		if len(digits) == 0 || slices.Contains(digits, d) {
			of = append(of, i)
		}
	}
	if len(of) < rows || len(all) != len(truth)*side*side {
		return nil, fmt.Errorf("%s: %d rows were asked for, of %d with these digits and %d bytes of images", prefix, rows, len(of), len(all))
	}
	rng.Shuffle(len(of), func(i, j int) { of[i], of[j] = of[j], of[i] })
	out := &Set{}
	for _, i := range of[:rows] {
		out.Images = append(out.Images, all[i*side*side:(i+1)*side*side]...)
		out.Digits = append(out.Digits, truth[i])
	}
	return out, nil
}

// unzipped returns the bytes of an IDX file behind its head.
func unzipped(path string, head int) ([]byte, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close() //nolint:errcheck // was read only
	z, err := gzip.NewReader(file)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	all, err := io.ReadAll(z)
	if err != nil || len(all) < head {
		return nil, fmt.Errorf("%s: %d bytes of an IDX file: %w", path, len(all), err)
	}
	return all[head:], nil
}

// Write writes both files of a set.
func (s *Set) Write(prefix string) error {
	n := uint32(len(s.Digits)) //nolint:gosec // as many as files have
	if err := zipped(prefix+Images, []uint32{imagesMagic, n, side, side}, s.Images); err != nil {
		return err
	}
	return zipped(prefix+labels, []uint32{labelsMagic, n}, s.Digits)
}

// zipped writes a head and bytes to a file.
func zipped(path string, head []uint32, data []byte) error {
	file, err := os.Create(path)
	if err != nil {
		return err
	}
	z := gzip.NewWriter(file)
	for _, v := range head {
		if err := binary.Write(z, binary.BigEndian, v); err != nil {
			return err
		}
	}
	if _, err := z.Write(data); err != nil {
		return err
	}
	if err := z.Close(); err != nil {
		return err
	}
	return file.Close()
}

// The move of test rows: a corner of the orbit.
const (
	turn  = 15 * math.Pi / 180
	right = 2
)

// Turned returns the images turned by 15°, then shifted two pixels to the right, and interpolated once.
func (s *Set) Turned() *Set {
	out := &Set{Digits: s.Digits, Images: make([]byte, len(s.Images))}
	cos, sin, middle := math.Cos(turn), math.Sin(turn), float64(side-1)/2
	for i := range s.Digits {
		from, to := s.Images[i*side*side:(i+1)*side*side], out.Images[i*side*side:(i+1)*side*side]
		for r := range side {
			for c := range side {
				y, x := float64(r)-middle, float64(c)-middle-right
				to[r*side+c] = between(from, cos*y+sin*x+middle, cos*x-sin*y+middle)
			}
		}
	}
	return out
}

// between interpolates an image at a place; what is outside is black.
func between(image []byte, r, c float64) byte {
	top, left := int(math.Floor(r)), int(math.Floor(c))
	sum := 0.0
	for _, at := range [][2]int{{top, left}, {top, left + 1}, {top + 1, left}, {top + 1, left + 1}} {
		if at[0] >= 0 && at[0] < side && at[1] >= 0 && at[1] < side {
			sum += (1 - math.Abs(r-float64(at[0]))) * (1 - math.Abs(c-float64(at[1]))) * float64(image[at[0]*side+at[1]])
		}
	}
	return byte(math.Round(sum))
}
