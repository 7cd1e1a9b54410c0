package learn

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"github.com/sipc-ml/sipc/runtime/setting"
)

// At returns the probability of a score.
func (g Sigmoid) At(s float64) float64 { return sigmoid(g.LogOdds(s)) }

// FitSigmoid fits a sigmoid to scores of examples that a learner has not seen, by maximum likelihood (Platt 1999).
// Targets are (n₊ + 1)/(n₊ + 2) and 1/(n₋ + 2) instead of 1 and 0, so that few examples make nothing certain.
// Newton's method with a line search finds the minimum (Lin, Lin and Weng 2007). If scores rise while labels fall,
// the slope is slopeLeast, so that probabilities never contradict scores.
//
// An example with the weight w counts as w of them; nil means ones.
func FitSigmoid(scores []float64, positive []bool, weight []float64) Sigmoid {
	// Standardized, so that the ridge and the step sizes suit scores of any size.
	mean, spread := stat.PopMeanStdDev(scores, weight)
	if !(spread > 0) {
		spread = 1
	}
	p := &plattLoss{scores: make([]float64, len(scores)), targets: plattTargets(positive, weight), weight: weight}
	for i, s := range scores {
		p.scores[i] = (s - mean) / spread
	}
	g := p.minimize()
	// With almost no slope the best probability is the mean of the targets.
	if g.Slope < slopeLeast {
		share := stat.Mean(p.targets, weight)
		g = Sigmoid{Slope: slopeLeast, Offset: math.Log(share / (1 - share))}
	}
	// Back to the scores' own units.
	g.Slope /= spread
	g.Offset -= g.Slope * mean
	return g
}

// weightAt returns the weight of an example; nil means ones.
func weightAt(weight []float64, i int) float64 {
	if weight == nil {
		return 1
	}
	return weight[i]
}

// plattTargets returns the probabilities that stand for the labels.
func plattTargets(positive []bool, weight []float64) []float64 {
	count, rest := 0.0, 0.0
	for i, is := range positive {
		if is {
			count += weightAt(weight, i)
		} else {
			rest += weightAt(weight, i)
		}
	}
	yes, no := (count+1)/(count+2), 1/(rest+2)
	out := make([]float64, len(positive))
	for i, is := range positive {
		if out[i] = no; is {
			out[i] = yes
		}
	}
	return out
}

// plattLoss is −Σ w (t log p + (1 − t) log(1 − p)), where p is the sigmoid of scores. With the targets of w equal rows it is that of a
// table that has each row w times.
type plattLoss struct{ scores, targets, weight []float64 }

// value returns the loss: log(1 + exp(−z)) + (1 − t)z for z ≥ 0, and the same without overflow for z < 0.
func (p *plattLoss) value(g Sigmoid) (sum float64) {
	for i, s := range p.scores {
		z, t := g.Slope*s+g.Offset, p.targets[i]
		w := weightAt(p.weight, i)
		if z >= 0 {
			sum += w * (math.Log1p(math.Exp(-z)) + (1-t)*z)
		} else {
			sum += w * (math.Log1p(math.Exp(z)) - t*z)
		}
	}
	return sum
}

// total returns the sum of the weights.
func (p *plattLoss) total() (sum float64) {
	for i := range p.scores {
		sum += weightAt(p.weight, i)
	}
	return sum
}

// derivatives returns the gradient along slope and offset, and the three entries of the Hessian.
func (p *plattLoss) derivatives(g Sigmoid) (slope, offset, ss, so, oo float64) {
	for i, s := range p.scores {
		v := g.At(s)
		// d and w are the first and second derivative of the loss along z.
		of := weightAt(p.weight, i)
		d, w := of*(v-p.targets[i]), of*v*(1-v)
		slope, offset = slope+s*d, offset+d
		ss, so, oo = ss+s*s*w, so+s*w, oo+w
	}
	return slope, offset, ss, so, oo
}

const (
	// plattSteps bounds the Newton steps.
	plattSteps = 100
	// plattRidge is added to the Hessian, so that scores of one size have a solution.
	plattRidge = 1e-12
	// plattEnough is the size of the gradient for each example at which the search ends, and plattLeast that of the
	// step.
	plattEnough = 1e-10
	plattLeast  = 1e-10
)

// minimize returns the minimum, by Newton's method in two variables. Steps are halved until the loss falls enough
// (Armijo).
func (p *plattLoss) minimize() Sigmoid {
	share := stat.Mean(p.targets, p.weight)
	g := Sigmoid{Offset: math.Log(share / (1 - share))}
	value := p.value(g)
	for range plattSteps {
		slope, offset, ss, so, oo := p.derivatives(g)
		if max(math.Abs(slope), math.Abs(offset)) <= plattEnough*p.total() {
			break
		}
		ss, oo = ss+plattRidge, oo+plattRidge
		// Newton's step for two variables in closed form.
		det := ss*oo - so*so
		d := Sigmoid{-(oo*slope - so*offset) / det, -(ss*offset - so*slope) / det}
		along := slope*d.Slope + offset*d.Offset
		step := 1.0
		for ; step >= plattLeast; step /= 2 {
			next := Sigmoid{g.Slope + step*d.Slope, g.Offset + step*d.Offset}
			if v := p.value(next); v < value+1e-4*step*along {
				g, value = next, v
				break
			}
		}
		if step < plattLeast {
			break
		}
	}
	return g
}

// slopeLeast bounds slopes from below, of scores whose standard deviation or mean square is 1.
const slopeLeast = 1e-3

// fitTemperature returns the slope A > 0 of the least −Σ w Σ_y t_y log p_y, p the softmax of A s_y (Guo, Pleiss, Sun and Weinberger 2017), for scores of
// classes (n×m). An example's class has the target t = (n + 1)/(n + m), and each other class 1/(n + m). Newton's method finds where the
// derivative, which rises with A, is 0.
func fitTemperature(scores *mat.Dense, class []int, weight []float64) float64 {
	n, m := scores.Dims()
	unit, total := mat.Norm(scores, 2)/math.Sqrt(float64(n*m)), 0.0
	if !(unit > 0) || math.IsInf(unit, 1) {
		return 1
	}
	for i := range n {
		total += weightAt(weight, i)
	}
	// The loss is convex in A, with the derivative
	//
	//	Σ w (E_p[s] − E_t[s]),
	//
	// and its second derivative is the variance of s under p, summed up likewise.
	low, high, a := slopeLeast, mostSlope, 1.0
	for range plattSteps {
		slope, bend := temperatureSlope(scores, class, weight, unit, total, a)
		if math.Abs(slope) <= plattEnough*total {
			break
		}
		// The minimum stays between low and high, so that steps beyond are cut in half.
		if slope > 0 {
			high = a
		} else {
			low = a
		}
		next := a - slope/bend
		if !(next > low && next < high) {
			next = low + (high-low)/2
		}
		if math.Abs(next-a) <= plattLeast*a {
			break
		}
		a = next
	}
	return a / unit
}

// mostSlope bounds slopes from above. No sample is so large that more would be told.
const mostSlope = 1e6

// temperatureSlope returns the first and the second derivative along A of the loss of fitTemperature, for scores in a unit.
func temperatureSlope(scores *mat.Dense, class []int, weight []float64, unit, total, a float64) (slope, bend float64) {
	n, m := scores.Dims()
	p, other := make([]float64, m), 1/(total+float64(m))
	for i := range n {
		w, s := weightAt(weight, i), scores.RawRowView(i)
		for y, v := range s {
			p[y] = a * (v / unit)
		}
		softmax(p, p)
		var mean, square, told float64
		for y, v := range s {
			u, t := v/unit, other
			if class[i] == y {
				t = 1 - float64(m-1)*other
			}
			mean, square, told = mean+p[y]*u, square+p[y]*u*u, told+t*u
		}
		slope += w * (mean - told)
		bend += w * (square - mean*mean)
	}
	return slope, bend
}

// Calibrate fits sigmoids to values (n×m) of f at examples that the fit has not seen. Labels get one each, which makes log odds of f (Odds). Classes
// share one without an offset, and so does a label whose scores have to stay f, as statements speak of them. Their decisions stay what they are.
func (f *Fit) Calibrate(t *Targets, scores *mat.Dense, stay bool) {
	n, m := scores.Dims()
	// Log odds may decide otherwise than f does: of rare labels few rows have a margin above 0.
	f.Sigmoids, f.Odds = make([]Sigmoid, m), t.Task == setting.Multilabel && !stay
	if t.Task == setting.Class {
		slope := fitTemperature(scores, t.Class, t.Weight)
		for y := range f.Sigmoids {
			f.Sigmoids[y].Slope = slope
		}
		return
	}
	column, positive := make([]float64, n), make([]bool, n)
	for y := range m {
		mat.Col(column, y, scores)
		for i := range positive {
			positive[i] = t.sign(i, y) > 0
		}
		if f.Odds {
			f.Sigmoids[y] = FitSigmoid(column, positive, t.Weight)
		} else {
			f.Sigmoids[y].Slope = fitAlone(column, positive, t.Weight)
		}
	}
}

// Recalibrate fits one more sigmoid to log odds (n×m) of all labels together, such as have met, and makes it a part of Sigmoids. It is the same for
// all labels, and so it changes neither which log odds are larger nor how they meet.
func (f *Fit) Recalibrate(t *Targets, odds *mat.Dense) {
	n, m := odds.Dims()
	positive, weight := make([]bool, 0, n*m), []float64(nil)
	for i := range n {
		for y := range m {
			positive = append(positive, t.sign(i, y) > 0)
			if t.Weight != nil {
				weight = append(weight, t.Weight[i])
			}
		}
	}
	g := FitSigmoid(mat.DenseCopyOf(odds).RawMatrix().Data, positive, weight)
	for y := range f.Sigmoids {
		f.Sigmoids[y].Slope = max(f.Sigmoids[y].Slope*g.Slope, math.SmallestNonzeroFloat64)
		f.Sigmoids[y].Offset = g.LogOdds(f.Sigmoids[y].Offset)
	}
}

// fitAlone returns the slope of a label alone, one of two classes, of which the other has the score 0.
func fitAlone(scores []float64, positive []bool, weight []float64) float64 {
	two, class := mat.NewDense(len(scores), 2, nil), make([]int, len(scores))
	for i, s := range scores {
		two.Set(i, 1, s)
		if positive[i] {
			class[i] = 1
		}
	}
	return fitTemperature(two, class, weight)
}

// CheckSigmoids returns an error if there are sigmoids but they do not suit m labels.
func (f *Fit) CheckSigmoids(m int) error {
	bad := len(f.Sigmoids) != 0 && len(f.Sigmoids) != m || f.Odds && (len(f.Sigmoids) == 0 || f.Task != setting.Multilabel || f.Sets != nil)
	for _, g := range f.Sigmoids {
		bad = bad || !(g.Slope > 0) || math.IsInf(g.Slope, 0) || math.IsNaN(g.Offset) || math.IsInf(g.Offset, 0)
		bad = bad || !f.Odds && g.Offset != 0 || f.Task == setting.Class && g != f.Sigmoids[0]
	}
	if bad {
		return fmt.Errorf("the model has probabilities that are not of its %d labels", m)
	}
	return nil
}
