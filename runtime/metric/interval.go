package metric

import (
	"cmp"
	"context"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"

	"github.com/sipc-ml/sipc/internal/limits"
	"github.com/sipc-ml/sipc/runtime/parallel"
)

// An Interval is one of 95 %. Both ends are NaN where there is none.
type Interval struct{ Low, High float64 }

// NoInterval stands where nothing is known.
func NoInterval() Interval { return Interval{math.NaN(), math.NaN()} }

// Known reports whether there is an interval.
func (i Interval) Known() bool { return !math.IsNaN(i.Low) && !math.IsNaN(i.High) }

// Holds reports whether a number lies in the interval.
func (i Interval) Holds(v float64) bool { return i.Low <= v && v <= i.High }

// Wilson's interval holds the shares p of which k of n is no surprise: those with |k/n − p| ≤ z √(p(1 − p)/n). It is the set of solutions of a
// quadratic inequality, with the center and half width below.

// normal975 is the quantile of the normal distribution at 0.975.
const normal975 = 1.959963984540054

// Wilson returns the interval of a share, k of n independent cases (Wilson 1927). It keeps within 0 and 1 and serves small n too.
func Wilson(k, n int) Interval {
	if n == 0 {
		return NoInterval()
	}
	p, z2, of := float64(k)/float64(n), normal975*normal975, float64(n)
	center := (p + z2/(2*of)) / (1 + z2/of)
	half := normal975 / (1 + z2/of) * math.Sqrt(p*(1-p)/of+z2/(4*of*of))
	return Interval{max(0, center-half), min(1, center+half)}
}

// ClopperPearson returns the interval of a share, k of n cases, that holds it with 95 % at least (Clopper and Pearson 1934). Its ends are the shares under
// which so few cases, or so many, have a probability of 0.025. Cases drawn without replacement only make it wider than it need be.
func ClopperPearson(k, n int) Interval {
	if n == 0 {
		return NoInterval()
	}
	i := Interval{0, 1}
	if k > 0 {
		i.Low = distuv.Beta{Alpha: float64(k), Beta: float64(n - k + 1)}.Quantile(0.025)
	}
	if k < n {
		i.High = distuv.Beta{Alpha: float64(k + 1), Beta: float64(n - k)}.Quantile(0.975)
	}
	return i
}

// Share reports whether a figure is a share of rows, each of which is so or not.
func Share(name string) bool {
	return slices.Contains([]string{Accuracy, MajorityBaseline, ExactMatch, Crossing}, name) || Coverage(name)
}

const (
	mostDraws  = 1000
	leastDraws = 50
	// enoughDraws are those from which on the ends of intervals are quantiles of draws.
	enoughDraws = 200
	// drawnWork is how many rows times scores all draws may come to, before there are fewer draws.
	drawnWork = 400_000_000
	// blockNumbers bounds the weights of draws that are summed up together, and blockDraws those draws.
	blockNumbers = 4_000_000
	blockDraws   = 32
)

// Draws returns how often rows are drawn anew: a thousand times, and less often where there are very many scores.
func Draws(rows, scores int) int {
	return min(max(drawnWork/max(1, rows*scores), leastDraws), mostDraws)
}

// Quantiles reports whether intervals of so many draws lie between their quantiles. Of fewer they are 1.96 standard deviations about the estimate,
// as the ends of few draws say little. That many rows give nearly normal figures.
func (r *Resampled) Quantiles() bool { return r.Count >= enoughDraws }

// The bootstrap takes the rows at hand for all that there are. What a figure does over draws of n of them with replacement stands for what it does
// over further rows. A draw gives each row a whole weight, so that figures under weights are all that it needs. Machines are measured on the same
// draws: what makes a draw easy or hard for all of them drops out of their differences.

// A Resampled holds figures of several measures on the same draws of rows.
type Resampled struct {
	Count int // of draws
	Asked int // draws that were asked for; there are fewer where the time was over
	draws [][]Figures
}

// Resample draws n rows with replacement, so many times, and takes each measure of every draw (the bootstrap of Efron 1979). A row counts
// by its weight; nil means ones. Draws depend on the seed alone. Where the time of ctx is over, it returns those that are done.
func Resample(ctx context.Context, seed uint64, n, count int, weight []float64, measures []*Measure) (*Resampled, error) {
	if n == 0 {
		return &Resampled{}, nil
	}
	// Draws are measured block by block: their weights lie side by side, so that each row and each place in an order is looked at once a block. A
	// block is done wholly or not at all, whatever ends it.
	all := make([][]Figures, count)
	parallel.For(count, min(max(blockNumbers/n, 1), blockDraws), func(lo, hi int) {
		if ctx.Err() != nil || limits.Over(ctx) {
			return
		}
		drawn := drawRows(seed, n, lo, hi, weight)
		for _, m := range measures {
			for d, figures := range m.all(drawn, hi-lo) {
				all[lo+d] = append(all[lo+d], figures)
			}
		}
	})
	all = slices.DeleteFunc(all, func(of []Figures) bool { return of == nil })
	return &Resampled{Count: len(all), Asked: count, draws: all}, ctx.Err()
}

// drawRows returns the weights (n × draws) that the draws from one number to another give to n rows.
func drawRows(seed uint64, n, from, to int, weight []float64) []float64 {
	draws := to - from
	out := make([]float64, n*draws)
	for d := range draws {
		// Each draw has a generator of its own, so that draws are the same on any number of threads.
		random := rand.New(rand.NewPCG(seed, uint64(from+d))) //nolint:gosec // draws are to be repeated
		for range n {
			i := random.IntN(n)
			out[i*draws+d] += weightOf(weight, i)
		}
	}
	return out
}

// Of returns the interval of a figure of a measure, whose value on the rows themselves is given. It lies between the quantiles of its draws at 0.025 and
// 0.975, see [Resampled.Quantiles]. It keeps to the values that the figure may have.
func (r *Resampled) Of(measure int, f Figure) Interval {
	i := r.between(f.Value, func(of []Figures) float64 {
		v, _ := of[measure].Get(f.Name)
		return v
	})
	share := AtMostOne(f.Name) || Coverage(f.Name)
	if share && i.Known() {
		i.High = min(1, i.High)
	}
	if (share && f.Name != R2 || Smaller(f.Name)) && i.Known() {
		i.Low = max(0, i.Low)
	}
	return i
}

// Less returns the interval of the difference of a figure of two measures on the same rows. More is the difference on the rows themselves.
func (r *Resampled) Less(measure, other int, name string, more float64) Interval {
	return r.between(more, func(f []Figures) float64 {
		a, _ := f[measure].Get(name)
		b, _ := f[other].Get(name)
		return a - b
	})
}

// Beside returns the interval of the difference of two figures of one measure. More is the difference on the rows themselves.
func (r *Resampled) Beside(measure int, name, other string, more float64) Interval {
	return r.between(more, func(f []Figures) float64 {
		a, _ := f[measure].Get(name)
		b, _ := f[measure].Get(other)
		return a - b
	})
}

// between returns the interval of a number of each draw, which is the estimate on the rows themselves. There is none where it is undefined in
// more than a twentieth of the draws.
func (r *Resampled) between(estimate float64, of func([]Figures) float64) Interval {
	var all []float64
	for _, f := range r.draws {
		if v := of(f); !math.IsNaN(v) && !math.IsInf(v, 0) {
			all = append(all, v)
		}
	}
	if len(all) == 0 || len(all) < r.Count-r.Count/20 {
		return NoInterval()
	}
	if !r.Quantiles() {
		half := normal975 * stat.StdDev(all, nil)
		return Interval{estimate - half, estimate + half}
	}
	slices.SortFunc(all, cmp.Compare[float64])
	// The percentile interval: no shape of the distribution is assumed, and a share stays between 0 and 1.
	return Interval{quantile(all, 0.025), quantile(all, 0.975)}
}

// quantile returns that of ascending numbers, between neighbours where none is exact.
func quantile(ascending []float64, q float64) float64 {
	at := q * float64(len(ascending)-1)
	k := int(at)
	if k+1 >= len(ascending) {
		return ascending[len(ascending)-1]
	}
	return ascending[k] + (at-float64(k))*(ascending[k+1]-ascending[k])
}
