package metric

import (
	"cmp"
	"math"

	"gonum.org/v1/gonum/mat"
)

// calibrationBins is how many intervals of equal width the probabilities from 0 to 1 fall into.
const calibrationBins = 10

// A Bin holds the decisions whose probability lies in an interval. Lists of bins leave out empty ones.
type Bin struct {
	From  float64 `json:"from"`
	To    float64 `json:"to"`
	Count int     `json:"count"`
	// Confidence is the mean probability of the decisions, Share the part of them that is true.
	Confidence float64 `json:"confidence"`
	Share      float64 `json:"share"`
	// Weight is that of the rows that are counted, those of weight 0 left out; 0 means that each counts once.
	Weight float64 `json:"weight,omitempty"`
}

// classCalibration sorts rows into bins by the probability of their most probable class, and counts how often that
// class is right. truth has n classes, probabilities are n×m.
func classCalibration(truth []int, probabilities *mat.Dense, weight []float64) []Bin {
	c := &calibration{weighted: weight != nil}
	for i, t := range truth {
		best, top := mostProbable(probabilities.RawRowView(i))
		c.add(top, best == t, weightOf(weight, i))
	}
	return c.bins()
}

// mostProbable returns the first of the most probable classes, and its probability.
func mostProbable(probabilities []float64) (best int, top float64) {
	top = math.Inf(-1)
	for k, p := range probabilities {
		if p > top {
			best, top = k, p
		}
	}
	return best, top
}

// labelCalibration sorts all n·m decisions into bins by the probability of the label, and counts how often the label
// is there.
func labelCalibration(truth, probabilities *mat.Dense, weight []float64) []Bin {
	c := &calibration{weighted: weight != nil}
	n, m := truth.Dims()
	for i := range n {
		for y := range m {
			c.add(probabilities.At(i, y), truth.At(i, y) > 0, weightOf(weight, i))
		}
	}
	return c.bins()
}

// A calibration counts decisions, and those that are true, per bin.
type calibration struct {
	count        [calibrationBins]int
	so, sum, all [calibrationBins]float64
	weighted     bool
}

// add counts a decision of probability p and a weight. One of weight 0 is left out.
func (c *calibration) add(p float64, so bool, weight float64) {
	if weight == 0 {
		return
	}
	k := binOf(p)
	c.count[k]++
	c.sum[k] += weight * p
	c.all[k] += weight
	if so {
		c.so[k] += weight
	}
}

// binOf returns the bin of a probability; 1 belongs to the last.
func binOf(p float64) int { return min(calibrationBins-1, max(0, int(p*calibrationBins))) }

// bins returns the bins that are not empty, in order.
func (c *calibration) bins() []Bin {
	var out []Bin
	for k, n := range c.count {
		if c.all[k] > 0 {
			out = append(out, Bin{
				From: float64(k) / calibrationBins, To: float64(k+1) / calibrationBins, Count: n,
				Confidence: c.sum[k] / c.all[k], Share: c.so[k] / c.all[k],
			})
			if c.weighted {
				out[len(out)-1].Weight = c.all[k]
			}
		}
	}
	return out
}

// calibrationError returns Σ_b (n_b/n) |share − mean probability|, the expected calibration error.
func calibrationError(bins []Bin) float64 {
	var sum, n float64
	for _, b := range bins {
		of := cmp.Or(b.Weight, float64(b.Count))
		sum += of * math.Abs(b.Share-b.Confidence)
		n += of
	}
	return sum / n
}
