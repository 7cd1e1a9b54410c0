package metric

import (
	"math"
	"strconv"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// Figures are functions of a few sums over rows, and of areas under curves of scores. The sums are those of a sparse matrix C: a line for each row, and
// a column for each sum. Weights of the rows, one column for each draw, are a matrix W. The sums of all draws are
//
//	S = Cᵀ W                     (sums × draws)
//
// Many figures are a ratio of two of them, as accuracy = S_right / S_all is. The rest follows from a few:
//
//	rmse = √(S_squares / S_all)
//	r2   = 1 − S_squares / (S_yy − S_y² / S_all), y about the mean of all rows
//	f1   = 2 S_tp / (2 S_tp + S_fp + S_fn), of each class or label
//	ece  = Σ_b |S_so(b) − S_p(b)| / S_all, over bins b of probabilities
//
// So a draw costs a product for each entry of C, which is found once. Decisions that are neither made nor true have no entry.

// A Measure measures predictions under many weights of their rows. What each row contributes is found once. Its figures have the names and the order of
// the function that measures the same once, as [Classes] does, and its values up to rounding.
type Measure struct {
	rows    int
	parts   contributions
	areas   []ranking
	figures func(sums, areas []float64) Figures
}

// contributions say what each row adds to each sum: the entries of C, line by line. The first of a line is at start, and the last before the start of
// the next. Zeros have no entry.
type contributions struct {
	columns int
	start   []int // of rows among the entries; one more than rows
	column  []int32
	value   []float64
}

// newContributions returns those of no row yet.
func newContributions(columns int) contributions {
	return contributions{columns: columns, start: []int{0}}
}

// add lets the current row add a value to a sum.
func (c *contributions) add(column int, value float64) {
	if value != 0 {
		c.column, c.value = append(c.column, int32(column)), append(c.value, value) //nolint:gosec // columns are fewer
	}
}

// next ends the current row.
func (c *contributions) next() { c.start = append(c.start, len(c.column)) }

// under returns the sums (columns × draws) under the weights (rows × draws).
func (c *contributions) under(weight []float64, draws int) []float64 {
	out := make([]float64, c.columns*draws)
	for i := range len(c.start) - 1 {
		// An entry meets the weights of all draws at once, which lie side by side.
		w := weight[i*draws : (i+1)*draws]
		for e := c.start[i]; e < c.start[i+1]; e++ {
			v, to := c.value[e], out[int(c.column[e])*draws:][:len(w)]
			for k, x := range w {
				to[k] += v * x
			}
		}
	}
	return out
}

// all returns the figures of each draw under the weights (rows × draws).
func (m *Measure) all(weight []float64, draws int) []Figures {
	sums, areas := m.parts.under(weight, draws), make([]float64, 0, len(m.areas)*draws)
	for k := range m.areas {
		areas = append(areas, m.areas[k].under(weight, draws)...)
	}
	out := make([]Figures, draws)
	// Figures take the sums of one draw, which lie apart.
	s, a := make([]float64, m.parts.columns), make([]float64, len(m.areas))
	for d := range out {
		for k := range s {
			s[k] = sums[k*draws+d]
		}
		for k := range a {
			a[k] = areas[k*draws+d]
		}
		out[d] = m.figures(s, a)
	}
	return out
}

// Under returns the figures of rows with these weights; nil means ones.
func (m *Measure) Under(weight []float64) Figures {
	if weight == nil {
		weight = make([]float64, m.rows)
		floats.AddConst(1, weight)
	}
	return m.all(weight, 1)[0]
}

// Mean returns the mean of a number of each row. A row counts by its weight; nil means ones.
func Mean(of, weight []float64) float64 {
	sum := 0.0
	for i, v := range of {
		sum += weightOf(weight, i) * v
	}
	return sum / totalOf(weight, len(of))
}

// MeasureMean measures the mean of a number of each row, by a name.
func MeasureMean(name string, of []float64) *Measure {
	m := &Measure{rows: len(of), parts: newContributions(2)}
	for _, v := range of {
		m.parts.add(0, 1)
		m.parts.add(1, v)
		m.parts.next()
	}
	m.figures = func(s, _ []float64) Figures { return Figures{{name, s[1] / s[0]}} }
	return m
}

// MeasureMeans measures the means of the figures of several measures of the same rows, none of which has areas under curves.
func MeasureMeans(of []*Measure) *Measure {
	if len(of) == 1 {
		return of[0]
	}
	// The sums of all measures stand side by side.
	m := &Measure{rows: of[0].rows}
	for _, part := range of {
		m.parts.columns += part.parts.columns
	}
	m.parts.start = []int{0}
	for i := range m.rows {
		first := 0
		for _, part := range of {
			for e := part.parts.start[i]; e < part.parts.start[i+1]; e++ {
				m.parts.add(first+int(part.parts.column[e]), part.parts.value[e])
			}
			first += part.parts.columns
		}
		m.parts.next()
	}
	m.figures = func(s, _ []float64) (out Figures) {
		first := 0
		for k, part := range of {
			for at, f := range part.figures(s[first:first+part.parts.columns], nil) {
				if k == 0 {
					out = append(out, Figure{Name: f.Name})
				}
				out[at].Value += f.Value / float64(len(of))
			}
			first += part.parts.columns
		}
		return out
	}
	return m
}

// The sums of numbers.
const (
	sumOfAll = iota
	sumOfSquares
	sumOfErrors
	sumOfTruth
	sumOfTruthSquared
	sumOfDeviance
	sumsOfNumbers
)

// MeasureNumbers measures what [Numbers] does.
func MeasureNumbers(truth, predicted []float64) *Measure {
	return measureNumbers(truth, predicted, false)
}

// MeasureCounts measures what [Counts] does.
func MeasureCounts(truth, rates []float64) *Measure { return measureNumbers(truth, rates, true) }

// measureNumbers measures what [Numbers] does, and with counts what [Counts] does.
func measureNumbers(truth, predicted []float64, counts bool) *Measure {
	m := &Measure{rows: len(truth), parts: newContributions(sumsOfNumbers)}
	// R² is the same about any number. Squares about the mean lose no digits.
	center, varies := floats.Sum(truth)/float64(len(truth)), false
	for i, y := range truth {
		off := y - predicted[i]
		m.parts.add(sumOfAll, 1)
		m.parts.add(sumOfSquares, off*off)
		m.parts.add(sumOfErrors, math.Abs(off))
		m.parts.add(sumOfTruth, y-center)
		m.parts.add(sumOfTruthSquared, (y-center)*(y-center))
		// Counts have the deviance of each row, and what numbers have.
		if counts {
			m.parts.add(sumOfDeviance, DevianceOf(y, predicted[i]))
		}
		m.parts.next()
		varies = varies || y != truth[0]
	}
	m.figures = func(s, _ []float64) Figures {
		// R² is undefined of numbers that are all the same, and infinite of a draw that has one of them alone.
		n, r2 := s[sumOfAll], math.NaN()
		if varies {
			total := s[sumOfTruthSquared] - s[sumOfTruth]*s[sumOfTruth]/n
			if total <= rounding*s[sumOfTruthSquared] { // all that were drawn are equal
				total = 0
			}
			r2 = 1 - s[sumOfSquares]/total
		}
		out := Figures{{RMSE, math.Sqrt(s[sumOfSquares] / n)}, {MAE, s[sumOfErrors] / n}, {R2, r2}}
		if counts {
			out = append(Figures{{Deviance, s[sumOfDeviance] / n}}, out...)
		}
		return out
	}
	return m
}

// rounding is a share of a sum of squares that counts as none. Squares about the mean of all rows lose no more digits than that where a draw has one
// number alone.
const rounding = 1e-13

// MeasureQuantiles measures what [Quantiles] does.
func MeasureQuantiles(truth, levels []float64, predicted *mat.Dense) *Measure {
	const loss, crossing, covered = 1, 2, 3
	m := &Measure{rows: len(truth), parts: newContributions(covered + len(levels))}
	for i, t := range truth {
		row := predicted.RawRowView(i)
		m.parts.add(sumOfAll, 1)
		m.parts.add(loss, PinballOf(t, levels, row))
		for k, v := range row {
			if t <= v {
				m.parts.add(covered+k, 1)
			}
		}
		if crosses(row) {
			m.parts.add(crossing, 1)
		}
		m.parts.next()
	}
	names := make([]string, len(levels))
	for k, q := range levels {
		names[k] = CoverageOf + strconv.FormatFloat(q, 'g', -1, 64)
	}
	m.figures = func(s, _ []float64) Figures {
		// Coverages come behind the figures of all levels, as in Quantiles.
		n, off := s[sumOfAll], 0.0
		for k, q := range levels {
			off += math.Abs(s[covered+k]/n-q) / float64(len(levels))
		}
		out := Figures{{Pinball, s[loss] / n}, {CoverageError, off}, {Crossing, s[crossing] / n}}
		for k := range levels {
			out = append(out, Figure{names[k], s[covered+k] / n})
		}
		return out
	}
	return m
}
