package dataset

import (
	"encoding/binary"
	"fmt"
	"hash/maphash"
	"math"
	"slices"

	"github.com/sipc-ml/sipc/runtime/setting"
)

// warnOfSame tells that the test rows were trained on: their file is the training file, or each of them is also a training row.
func (out *Prepared) warnOfSame(data, test *Table) {
	const told = "the figures tell how well the training rows are remembered, not what to expect of others"
	switch {
	case data.SHA256 == test.SHA256 && data.LabelsSHA256 == test.LabelsSHA256:
		out.Warnings = append(out.Warnings, fmt.Sprintf("%s holds the same bytes as %s: %s", test.Path, data.Path, told))
	case out.Train.holds(out.Test):
		out.Warnings = append(out.Warnings, fmt.Sprintf("every row of %s is a training row too: %s", test.Path, told))
	}
}

// holds reports whether every row of another set is in this one, with equal features and an equal target.
func (s *Set) holds(other *Set) bool {
	seed, known := maphash.MakeSeed(), map[uint64][]int{}
	for i := range s.Rows {
		key := s.rowHash(seed, i)
		known[key] = append(known[key], i)
	}
	for i := range other.Rows {
		same := func(k int) bool { return s.sameRow(k, other, i) }
		if !slices.ContainsFunc(known[other.rowHash(seed, i)], same) {
			return false
		}
	}
	return true
}

// rowHash returns a hash of a row's features.
func (s *Set) rowHash(seed maphash.Seed, i int) uint64 {
	var h maphash.Hash
	h.SetSeed(seed)
	var bits [8]byte
	for _, v := range s.X.RawRowView(i) {
		binary.LittleEndian.PutUint64(bits[:], math.Float64bits(v+0)) // −0 is 0
		_, _ = h.Write(bits[:])
	}
	return h.Sum64()
}

// sameRow reports whether row k is the other set's row i, with its target.
func (s *Set) sameRow(k int, other *Set, i int) bool {
	switch {
	case len(s.Class) > 0 && s.Class[k] != other.Class[i],
		len(s.Real) > 0 && s.Real[k] != other.Real[i],
		s.Multi != nil && !slices.Equal(s.Multi.RawRowView(k), other.Multi.RawRowView(i)):
		return false
	}
	return slices.Equal(s.X.RawRowView(k), other.X.RawRowView(i))
}

// A column of texts is taken for one of names if it has at least fewTexts. Besides, more than one in ownTextShare of them
// must be in a single row, or they must have fewer than rowsPerText rows on average.
const (
	fewTexts     = 10
	rowsPerText  = 3
	ownTextShare = 2 // one in two
)

// warnOfTexts names text columns that became nearly a feature for each row.
func (out *Prepared) warnOfTexts(path string) {
	rows := out.Train.Len()
	for i, at := range out.Preparation.positions() {
		f := &out.Preparation.Features[i]
		k := len(f.Categories)
		if !f.Text || k < fewTexts {
			continue
		}
		single := 0
		for c := range k {
			in := 0
			for r := range rows {
				if out.Train.X.At(r, at+c) != 0 {
					in++
				}
			}
			if in == 1 {
				single++
			}
		}
		if k*rowsPerText > rows || single*ownTextShare > k {
			out.Warnings = append(out.Warnings, fmt.Sprintf(
				"%s: column %q became %d features, one for each text of %d training rows, %d of them 1 in a single row; leave it out by `ignore`, or write `id %s` if it names the rows",
				path, f.Name, k, rows, single, f.Name))
		}
	}
}

// muchScale is the ratio of scales from which a hint tells of it.
const muchScale = 1e4

// hintAtScale tells of features of which one is larger than another by far: the kernel sees hardly anything of the latter.
func (out *Prepared) hintAtScale(spec *setting.Data) {
	p := out.Preparation
	if spec.Standardize || p.Height > 0 {
		return
	}
	var small, large string
	least, most := math.Inf(1), 0.0
	x := out.Train.X.RawMatrix()
	for i, at := range p.positions() {
		f := &p.Features[i]
		scale := 1.0
		if !f.Text {
			_, scale, _ = moments(x.Data[at:], x.Stride, x.Rows)
		}
		if !f.Text && f.Low == f.High || scale == 0 {
			continue
		}
		if scale < least {
			small, least = f.Name, scale
		}
		if scale > most {
			large, most = f.Name, scale
		}
	}
	if most > muchScale*least {
		out.Hints = append(out.Hints, fmt.Sprintf(
			"the features differ %s-fold in scale: that of %q is %s, that of %q %s (the standard deviation; 1 for texts), so that the kernel hardly sees the latter; "+
				"`standardize` in the data block makes them equal", short(most/least), large, short(most), small, short(least)))
	}
}
