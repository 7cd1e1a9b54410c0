package learn

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"
)

// Sets are the label sets that a softmax on a multilabel target tells apart, those that training rows have:
//
//	P(Y | x) = exp f(x, Y) / Σ_{Y′} exp f(x, Y′),   f(x, Y) = Σ_{y ∈ Y} s_y.
//
// A label is as likely as all sets with it together. If one label implies or excludes another in every set, so it
// does in decisions by P(y) > ½. Of y ⇒ z, P(y) ≤ P(z), and labels that exclude each other have P(y) + P(z) ≤ 1. Rows
// on paths of a taxonomy have paths as their sets; labels share what they have above them.
type Sets struct {
	Labels int
	// Each has for every set its labels in ascending order.
	Each [][]int32
}

// NewSets returns the different label sets of an n×m matrix of zeros and ones, in the order in which they come. rows
// says which rows count; nil means all. It also returns the set of each row, −1 for rows that do not count.
func NewSets(multi *mat.Dense, rows []bool) (sets *Sets, of []int) {
	n, m := multi.Dims()
	sets, of = &Sets{Labels: m}, make([]int, n)
	known := map[string]int{}
	key := make([]byte, m)
	for i := range n {
		if of[i] = -1; len(rows) > 0 && !rows[i] {
			continue
		}
		var labels []int32
		for y, v := range multi.RawRowView(i) {
			key[y] = 0
			if v > 0 {
				key[y] = 1
				labels = append(labels, int32(y))
			}
		}
		k, ok := known[string(key)]
		if !ok {
			k = len(sets.Each)
			known[string(key)] = k
			sets.Each = append(sets.Each, labels)
		}
		of[i] = k
	}
	return sets, of
}

// Sum sets dst to f(x, Y) for every set, from the scores of labels.
func (s *Sets) Sum(dst, scores []float64) {
	for k, labels := range s.Each {
		var sum float64
		for _, y := range labels {
			sum += scores[y]
		}
		dst[k] = sum
	}
}

// Spread sets dst to the sum over the sets that each label is in. Probabilities of sets become those of labels.
func (s *Sets) Spread(dst, sets []float64) {
	clear(dst)
	for k, labels := range s.Each {
		for _, y := range labels {
			dst[y] += sets[k]
		}
	}
}

// Surest is the largest log odds, for labels that all sets or no sets have: exp(−745) is about the smallest positive
// number.
const Surest = 745

// LogOdds replaces n×m scores by log P(y)/(1 − P(y)), which is positive if a label is more likely than not.
func (s *Sets) LogOdds(scores *mat.Dense) {
	n, m := scores.Dims()
	p, with, without := make([]float64, len(s.Each)), make([]float64, m), make([]float64, m)
	for i := range n {
		row := scores.RawRowView(i)
		s.Sum(p, row)
		softmax(p, p)
		s.Spread(with, p)
		s.others(without, p, with)
		for y := range row {
			// Between −Surest and Surest, where the logarithm of 0 would be infinite.
			row[y] = min(max(math.Log(with[y])-math.Log(without[y]), -Surest), Surest)
		}
	}
}

// others sets dst to the probabilities of not having a label. For likely labels it sums over the sets without them,
// since 1 less a number near 1 would lose digits.
func (s *Sets) others(dst, p, with []float64) {
	var likely []int32
	for y, v := range with {
		dst[y] = 1 - v
		if v > 0.5 {
			dst[y] = 0
			likely = append(likely, int32(y))
		}
	}
	for k, labels := range s.Each {
		for _, y := range likely {
			if _, has := slices.BinarySearch(labels, y); !has {
				dst[y] += p[k]
			}
		}
	}
}

// loss returns log Σ exp f(x, Y) less f(x, Y_k), from the scores of labels. It sets slopes to the derivatives along
// the scores, and p to the sets' probabilities.
func (s *Sets) loss(k int, scores, slopes, p []float64) float64 {
	s.Sum(p, scores)
	own := p[k]
	total := softmax(p, p)
	s.Spread(slopes, p)
	for _, y := range s.Each[k] {
		// The gradient is E[1_Y] − 1_{Y_k}: probabilities of labels less the labels that are there.
		slopes[y]--
	}
	return total - own
}

// Check returns an error if the sets are not of m labels. A nil receiver is fine.
func (s *Sets) Check(m int) error {
	if s == nil {
		return nil
	}
	bad := s.Labels != m || len(s.Each) == 0
	for _, labels := range s.Each {
		for k, y := range labels {
			bad = bad || y < 0 || int(y) >= m || k > 0 && y <= labels[k-1]
		}
	}
	if bad {
		return fmt.Errorf("the model has label sets that are not of its %d labels", m)
	}
	return nil
}
