package report

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

// Without is the best candidate in which every `auto` is 0, beside the choice on the same folds.
type Without struct {
	Choice string `json:"choice"`
	Score  Number `json:"score"`
	// Difference is the score of the choice less this one, in the mean of the folds. Interval is half of its 95 % interval, as that of nested
	// folds. It is null on valid rows.
	Difference Number `json:"difference"`
	Interval   Number `json:"difference_interval"`
	Best       bool   `json:"best"`                     // no candidate scores better
	Chosen     bool   `json:"chosen,omitempty"`         // it is the choice
	Least      bool   `json:"least_positive,omitempty"` // the choice has the least value of some auto above 0
}

// Compare sets the difference of scores by fold. Later says that each fold is predicted from the rows before it alone.
func (w *Without) Compare(own, bare []float64, later bool) {
	differences := make([]float64, len(own))
	for k := range own {
		differences[k] = own[k] - bare[k]
	}
	overlap := 0.0
	if n := float64(len(own)); n > 1 && !later {
		overlap = 1 / (n - 1)
	}
	w.Difference, w.Interval = interval(differences, overlap)
}

// levelShare is a share of a score by which another differs no more than by rounding.
const levelShare = 1e-12

// Bearing says where the rows that chose do not speak for R: no weight predicts better than 0, or the least above 0 was chosen. It returns nothing else.
func (g *Grid) Bearing() []string {
	if g == nil || g.Without == nil {
		return nil
	}
	w, on := g.Without, "in the folds"
	if g.Valid > 0 {
		on = "on the valid rows"
	}
	switch {
	case w.Chosen:
		return []string{fmt.Sprintf("auto takes weight 0: every larger one is worse %s by more than one standard error. The training rows bear nothing of what is declared", on)}
	case w.Best && math.Abs(float64(w.Difference)) <= levelShare*math.Abs(float64(w.Score)):
		return []string{fmt.Sprintf("weight 0 predicts as well %s as the choice: the training rows do not speak for what is declared, nor against it", on)}
	case w.Best:
		which := "less"
		if w.Difference < 0 {
			which = "more"
		}
		text := fmt.Sprintf("no weight predicts better %s than 0, whose %s is %s %s than that of the choice. The training rows bear nothing of what is declared, "+
			"and auto takes the largest weight within one standard error of the best", on, g.Metric, magnitude(w.Difference, w.Interval), which)
		if i := float64(w.Interval); i >= 0 && math.Abs(float64(w.Difference)) > i {
			text += fmt.Sprintf(". Fold by fold the difference is beyond chance, ± %s", within(w.Interval, w.Interval, ""))
		}
		return []string{text}
	case w.Least:
		return []string{fmt.Sprintf("an auto takes its least weight above 0: the training rows bear next to nothing of what it weighs %s", on)}
	}
	return nil
}

// magnitude returns a number without its sign, to the digits of its error.
func magnitude(v, err Number) string { return within(Number(math.Abs(float64(v))), err, "") }

// obeyedValue is the value of a two-sided invariance up to which f counts as obeying it.
const obeyedValue = 1e-3

// obeyed reports whether f obeys all invariances at the rows that R sees.
func obeyed(r *Report) bool {
	for i := range r.Regularizer {
		s := &r.Regularizer[i]
		switch {
		case s.Broken != nil && (s.Broken.Train.Broken > 0 || s.Broken.Unlabelled != nil && s.Broken.Unlabelled.Broken > 0):
			return false
		case s.Broken == nil && !(s.Value <= obeyedValue):
			return false
		}
	}
	return len(r.Regularizer) > 0
}

// Idle reports whether the certificate reaches its target without multipliers of R, so that R changes nothing that it can tell.
func (c *Certificate) Idle() bool { return c != nil && c.Without != nil && *c.Without <= c.Target }

// IdleText says that R is idle, by which figure, and what would change it; empty where it is not idle, or nothing is known of it.
func (r *Report) IdleText() string {
	if !r.Certificate.Idle() {
		return ""
	}
	weight, also := "this weight", "f minimizes the risk without R as well"
	if len(r.Regularizer) > 1 {
		weight = "these weights"
	}
	if r.Certificate.Count > 1 {
		also = "features are their own embeddings"
	}
	mend := "; larger weights act"
	switch unknown := slices.ContainsFunc(r.Regularizer, func(s Summand) bool { return s.Broken == nil && math.IsNaN(float64(s.Value)) }); {
	case unknown:
		mend = ""
	case obeyed(r):
		mend = "; f obeys what is declared without it"
	}
	return fmt.Sprintf("R is idle at %s: without its multipliers the gap is %s, where %s was asked for, so that %s%s",
		weight, short(*r.Certificate.Without), short(r.Certificate.Target), also, mend)
}

// Unmatched returns the report without a baseline that is the run's own function, and why it is: empty where there is none.
func Unmatched(r *Report) (*Report, string) {
	if r.Baseline == nil || !r.Baseline.Same {
		return r, ""
	}
	out := *r
	out.Baseline = nil
	return &out, "nothing that is declared counts: R = 0 and nothing is required, so that method plain finds the same f and is not compared"
}

// idleLines says that R is idle, and why no baseline stands beside the run; an empty reason stands for nothing.
func idleLines(b *strings.Builder, r *Report, alone string) {
	if text := r.IdleText(); text != "" {
		fmt.Fprintf(b, "idle          %s\n", text)
	}
	if alone != "" {
		fmt.Fprintf(b, "baseline      %s\n", alone)
	}
}
