package report

import (
	"fmt"
	"math"
	"strings"
)

// ScoreErrors bound how far scores may be from those of exact embeddings, or of the exact minimizer of the risk. They
// are shares of the standard deviation of the training rows' scores.
type ScoreErrors struct {
	Median  Number `json:"median"`
	Largest Number `json:"largest"`
	// Train are those of the training rows, while the others are of the rows that were scored; absent if a model is
	// applied.
	Train *ScoreErrors `json:"train,omitempty"`
	// MeanSquare bounds the root mean square over the training rows, with their weights; absent where nothing bounds it that does not bound each.
	MeanSquare Number `json:"root_mean_square,omitempty"`
	// Sampled is how many rows, evenly taken, these are of; absent where they are of all.
	Sampled int `json:"sampled,omitempty"`
	// Gap is the one to ask for if scores are not as near as they should be; absent if they are.
	Gap Number `json:"gap_to_ask,omitempty"`
	// Aim is the share to stay within.
	Aim Number `json:"-"`
	// Missed says that the gap which was asked for is not reached, so that a smaller one would not be either.
	Missed bool `json:"-"`
}

// Ask sets which gap would be small enough for scores within a share of their standard deviation. Bounds on errors
// fall at least as the root of the gap. If they are within it, or no gap is known, it sets nothing. If the gap is
// out of reach and bounds are above 1, it sets the least gap within reach. That must bring them below 1. It does not after a run that
// went on beyond its target: that ended where more was not to be had cheaply.
func (e *ScoreErrors) Ask(gap, aim, rounding float64, wentOn bool) {
	largest := float64(e.Largest)
	if e.Train != nil {
		largest = max(largest, float64(e.Train.Largest))
	}
	asked := gap * aim * aim / (largest * largest)
	least := max(leastAsked, aboveRounding*rounding)
	if share := largest * math.Sqrt(least/gap); largest > 1 && asked <= least && share <= 1 && !wentOn {
		asked, aim = least, share // says something of the scores, if less than was aimed at
	} else if !(largest > aim) || !(asked > least) {
		return
	}
	decade := math.Pow(10, math.Floor(math.Log10(asked)))
	digit := math.Floor(asked / decade)
	if rounding > 0 && decade*digit < least {
		digit++
	}
	e.Gap, e.Aim = Number(decade*digit), Number(aim)
}

const (
	// leastAsked is the least gap to name. Runs come below it where problems are small, but whoever is sent there may wait in vain.
	leastAsked = 1e-7
	// aboveRounding is how many times the gap to ask for exceeds what rounding leaves of it, so that it is reached.
	aboveRounding = 3
)

// place names the training rows that bounds are of.
func (e *ScoreErrors) place() string {
	return strings.TrimPrefix(fmt.Sprintf("%d of the training rows", e.Sampled), "0 of ")
}

// SummarizeErrors orders bounds on the errors of scores. It is nil without any, and where scores do not vary.
func SummarizeErrors(errs []float64, spread float64) *ScoreErrors {
	if len(errs) == 0 || !(spread > 0) {
		return nil
	}
	top, median := extremes(errs)
	return &ScoreErrors{Median: Number(median / spread), Largest: Number(top / spread)}
}

// line says how near scores are to those of an exact solution; nothing where that is not known.
func (e *ScoreErrors) line(b *strings.Builder) {
	if e == nil {
		return
	}
	switch {
	case (e.useless() || e.Train.useless()) && e.Together():
		fmt.Fprintf(b, "scores        within %s of their standard deviation in the root mean square over the training rows; a single one may be off by more than a standard deviation", percent(e.Train.MeanSquare))
	case e.useless() || e.Train.useless():
		b.WriteString("scores        uncertain: the gap is too wide to bound them, and they may differ from the exact ones by more than their standard deviation")
		if e.Missed {
			b.WriteString("; the one asked for is not reached, so that a smaller --gap would change nothing")
		} else if e.Gap == 0 {
			b.WriteString("; no --gap within reach of a run is small enough")
		}
	case e.Train == nil:
		fmt.Fprintf(b, "scores        within %s of their standard deviation", percent(e.Largest))
	default:
		fmt.Fprintf(b, "scores        within %s of their standard deviation at the test rows, %s at %s; median %s, %s",
			percent(e.Largest), percent(e.Train.Largest), e.Train.place(), percent(e.Median), percent(e.Train.Median))
	}
	if e.Gap > 0 {
		fmt.Fprintf(b, "; --gap %s asks for %s", short(e.Gap), percent(e.Aim))
	}
	b.WriteByte('\n')
}

// Together reports whether something bounds the errors of all training rows together.
func (e *ScoreErrors) Together() bool {
	return e.Train != nil && e.Train.MeanSquare > 0 && e.Train.MeanSquare <= 1
}

// useless reports whether the bound exceeds what scores differ by among themselves, or is not a number.
func (e *ScoreErrors) useless() bool { return e != nil && !(e.Largest <= 1) }
