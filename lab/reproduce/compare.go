package reproduce

import (
	"math"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"

	"github.com/sipc-ml/sipc/runtime/metric"
)

// confidence is that of the intervals.
const confidence = 0.95

// A Difference is what one contender gains over another on the same draws.
type Difference struct {
	Mean float64
	Half float64 // half the width of the interval; NaN with fewer than two runs
	Runs int
	Wins int // runs in which it is larger
}

// Paired returns the difference of a and b, run by run, with the interval of Student's distribution.
func Paired(a, b []float64) Difference {
	n := min(len(a), len(b))
	d := Difference{Runs: n, Mean: math.NaN(), Half: math.NaN()}
	gains := make([]float64, n)
	for r := range gains {
		if gains[r] = a[r] - b[r]; gains[r] > 0 {
			d.Wins++
		}
	}
	if n > 0 {
		d.Mean = stat.Mean(gains, nil)
	}
	if n > 1 {
		t := distuv.StudentsT{Mu: 0, Sigma: 1, Nu: float64(n - 1)}.Quantile((1 + confidence) / 2)
		d.Half = t * stat.StdDev(gains, nil) / math.Sqrt(float64(n))
	}
	return d
}

// values returns a figure of an entry's runs; nil means that they lack it.
func (e *Entry) values(name string) []float64 {
	var out []float64
	for _, r := range e.Runs {
		v, ok := r.Figures.Get(name)
		if !ok {
			v, ok = r.Violations.Get(name)
		}
		if !ok {
			return nil
		}
		out = append(out, v)
	}
	return out
}

// spreadOf returns the mean and the standard deviation, which is 0 of one value.
func spreadOf(x []float64) (mean, deviation float64) {
	if len(x) < 2 {
		return stat.Mean(x, nil), 0
	}
	return stat.MeanStdDev(x, nil)
}

// entry returns the entry of a contender in a cell; nil means that it did not run.
func (c *CellResult) entry(name string) *Entry {
	for _, e := range c.Entries {
		if e.Contender.Name == name && len(e.Runs) > 0 {
			return e
		}
	}
	return nil
}

// figureNames returns the figures that a table shows.
func figureNames(t Table) []string {
	if t == Table3 {
		return []string{
			metric.HammingAccuracy, metric.MajorityBaseline, metric.ExactMatch, metric.MicroF1, metric.AUPRC,
			"implications", "exclusions",
		}
	}
	return []string{metric.Accuracy}
}
