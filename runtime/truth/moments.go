package truth

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"
)

// moments are the means of the labels' scores over the rows, and their covariances, computed when first needed.
type moments struct {
	scores     *mat.Dense
	rows       float64
	mean       []float64
	covariance map[[2]int32]float64
}

// newMoments computes the means.
func newMoments(scores *mat.Dense) *moments {
	n, m := scores.Dims()
	out := &moments{scores: scores, rows: float64(n), mean: make([]float64, m), covariance: map[[2]int32]float64{}}
	for i := range n {
		for l, v := range scores.RawRowView(i) {
			out.mean[l] += v / float64(n)
		}
	}
	return out
}

// cov returns the sample covariance of two labels.
func (s *moments) cov(a, b int32) float64 {
	key := [2]int32{min(a, b), max(a, b)}
	if v, ok := s.covariance[key]; ok {
		return v
	}
	n, _ := s.scores.Dims()
	sum := 0.0
	for i := range n {
		sum += (s.scores.At(i, int(a)) - s.mean[a]) * (s.scores.At(i, int(b)) - s.mean[b])
	}
	v := sum / math.Max(1, s.rows-1)
	s.covariance[key] = v
	return v
}

// chance returns the root mean square of a functional over all shuffles of the labels among the rows. With c_il the
// coefficients and C the sample covariance, its square is
//
//	(Σ c_il ȳ_l)² + Σ_lk C_lk (Σ_i c_il c_ik − Σ_i c_il Σ_i c_ik / n),
//
// the moments of sampling without replacement.
func (j *judge) chance(i int) float64 {
	type at struct{ row, label int32 }
	coef := map[at]float64{}
	var order []at
	sums := map[int32]float64{}
	var labels []int32
	j.terms(i, func(row, label int32, c float64) {
		k := at{row, label}
		if _, known := coef[k]; !known {
			order = append(order, k)
		}
		coef[k] += c
		if _, known := sums[label]; !known {
			labels = append(labels, label)
		}
		sums[label] += c
	})
	second, mean := 0.0, 0.0
	for _, l := range labels {
		mean += sums[l] * j.stats.mean[l]
		for _, k := range labels {
			inner := 0.0
			for _, a := range order {
				if a.label == l {
					inner += coef[a] * coef[at{a.row, k}]
				}
			}
			second += j.stats.cov(l, k) * (inner - sums[l]*sums[k]/j.stats.rows)
		}
	}
	return math.Sqrt(math.Max(0, second+mean*mean))
}

// spread returns the root of the number of rows that a functional is spread over, (Σ_i r_i)² / Σ_i r_i² with r_i the root of Σ_l c_il². That
// is n for n equal rows, and below 4 for one row beside the mean of any others.
func (j *judge) spread(i int) float64 {
	type at struct{ row, label int32 }
	coef := map[at]float64{}
	j.terms(i, func(row, label int32, c float64) { coef[at{row, label}] += c })
	rows := map[int32]float64{}
	squares := 0.0
	for k, c := range coef {
		rows[k.row] += c * c
	}
	var sizes []float64
	for _, square := range rows {
		sizes = append(sizes, math.Sqrt(square))
		squares += square
	}
	if squares == 0 {
		return 0
	}
	slices.Sort(sizes) // so that the sum has the same bits every time
	sum := 0.0
	for _, size := range sizes {
		sum += size
	}
	return sum / math.Sqrt(squares)
}
