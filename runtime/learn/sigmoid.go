package learn

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
)

// At returns the probability of a score.
func (g Sigmoid) At(s float64) float64 { return sigmoid(g.Slope*s + g.Offset) }

// FitSigmoid fits a sigmoid to scores of examples that a learner has not seen, by maximum likelihood (Platt 1999).
// Targets are (n₊ + 1)/(n₊ + 2) and 1/(n₋ + 2) instead of 1 and 0, so that few examples make nothing certain.
// Newton's method with a line search finds the minimum (Lin, Lin and Weng 2007). If scores rise while labels fall,
// the slope is 0, so that probabilities never contradict scores.
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
	// The best constant probability is the mean of the targets.
	if g.Slope < 0 {
		share := stat.Mean(p.targets, weight)
		g = Sigmoid{Offset: math.Log(share / (1 - share))}
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

// Calibrate fits a sigmoid for each label to scores (n×m) of examples that the fit has not seen.
func (f *Fit) Calibrate(t *Targets, scores *mat.Dense) {
	n, m := scores.Dims()
	f.Sigmoids = make([]Sigmoid, m)
	column, positive := make([]float64, n), make([]bool, n)
	for y := range m {
		mat.Col(column, y, scores)
		for i := range positive {
			positive[i] = t.sign(i, y) > 0
		}
		f.Sigmoids[y] = FitSigmoid(column, positive, t.Weight)
	}
}

// CheckSigmoids returns an error if there are sigmoids but they do not suit m labels.
func (f *Fit) CheckSigmoids(m int) error {
	bad := len(f.Sigmoids) != 0 && len(f.Sigmoids) != m
	for _, g := range f.Sigmoids {
		bad = bad || !(g.Slope >= 0) || math.IsInf(g.Slope, 0) || math.IsNaN(g.Offset) || math.IsInf(g.Offset, 0)
	}
	if bad {
		return fmt.Errorf("the model has probabilities that are not of its %d labels", m)
	}
	return nil
}
