// Package levels compares fits of quantiles at five levels. A free one may cross levels, and a soft one makes crossings at training rows costly.
// A proved one has none in the whole box of the training rows. Where more is known of a table, such as that all levels rise, a fit is proved to keep this,
// too. R's quantreg fits each level by itself to the same rows. Settings of all fits are chosen by five folds of the training rows. The
// package counts where levels cross, at test rows and on a grid over the box.
package levels

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"

	"gonum.org/v1/gonum/mat"

	"github.com/sipc-ml/sipc/lab/bench/boxes"
	"github.com/sipc-ml/sipc/runtime/metric"
)

const (
	testShare = 0.3
	folds     = 5
	stream    = 30 // of the generator that splits
	// steps1 and steps2 are the places of a grid along each side of a box, with one input and with two.
	steps1, steps2 = 401, 41
)

// A Line is what one fit of one split came to. Shares are between 0 and 1.
type Line struct {
	Set     string  `json:"set"`
	Split   uint64  `json:"split"`
	Kind    string  `json:"fit"`
	Loss    float64 `json:"loss"`    // the mean pinball loss over levels, on test rows
	Crossed float64 `json:"crossed"` // share of test rows at which levels cross
	Inside  float64 `json:"inside"`  // that of the test rows in the box
	Outside int     `json:"outside"` // test rows that lie outside of the box
	Places  float64 `json:"places"`  // share of the places of a grid over the box at which levels cross
	Bent    float64 `json:"bent"`    // share of these places at which some level breaks the shape that is known
	boxes.Fit
}

// A Job is one split of a table, on files in a folder.
type Job struct {
	set         *Set
	split       uint64
	dir         string
	test        boxes.Table
	box         boxes.Box
	places      boxes.Table
	train, hold string
	grid        string
}

// NewJob splits a table into files of training rows and test rows, and writes the places of a grid over the box of the former.
func NewJob(s *Set, data, dir string, split uint64) (*Job, error) {
	rows, err := s.read(data)
	if err != nil {
		return nil, err
	}
	rng := rand.New(rand.NewPCG(split, stream))
	rng.Shuffle(len(rows), func(i, j int) { rows[i], rows[j] = rows[j], rows[i] })
	many := int(math.Round(testShare * float64(len(rows))))
	j := &Job{
		set: s, split: split, dir: dir, test: rows[:many], box: boxes.Of(rows[many:], len(s.Inputs)),
		train: filepath.Join(dir, "train.csv"), hold: filepath.Join(dir, "test.csv"), grid: filepath.Join(dir, "places.csv"),
	}
	j.places = j.box.Places(j.steps())
	return j, errors.Join(rows[many:].Write(j.train, s.names()), j.test.Write(j.hold, s.names()), j.places.Write(j.grid, s.names()))
}

// steps returns how many places a side of the box has.
func (j *Job) steps() int {
	if len(j.set.Inputs) > 1 {
		return steps2
	}
	return steps1
}

// Fit fits the set's spec, and measures it.
func (j *Job) Fit(ctx context.Context, fit string) (*Line, error) {
	f, test, places, err := boxes.Perform(ctx, j.set.text(fit), j.train, j.hold, j.grid)
	if err != nil {
		return nil, fmt.Errorf("%s, split %d, %s: %w", j.set.Name, j.split, fit, err)
	}
	line := j.line(fit, test, places)
	if line.Fit = f; f.All() {
		line.Case = j.broken(test, places)
	}
	return line, nil
}

// broken returns a test row in the box, or a place of it, at which levels of a proved fit cross by any amount. Empty means that there is no such place.
func (j *Job) broken(test, places *mat.Dense) string {
	for _, of := range []struct {
		rows   boxes.Table
		scores *mat.Dense
	}{{j.test, test}, {j.places, places}} {
		for i, row := range of.rows {
			at := of.scores.RawRowView(i)
			if k := crossing(at, 0); k > 0 && j.box.Holds(row) {
				return fmt.Sprintf("at %v the quantile %v is %v, and the quantile %v is %v", row[:len(j.box)], Levels[k-1], at[k-1], Levels[k], at[k])
			}
		}
	}
	return ""
}

// line measures quantiles of the test rows and of the places.
func (j *Job) line(fit string, test, places *mat.Dense) *Line {
	line := &Line{Set: j.set.Name, Split: j.split, Kind: fit}
	truth := make([]float64, len(j.test))
	inside, crossed, within, between := 0, 0, 0, 0
	slack := rounding * (mat.Max(test) - mat.Min(test))
	for i, row := range j.test {
		truth[i] = row[len(row)-1]
		crosses := crossing(test.RawRowView(i), slack) > 0
		if crosses {
			crossed++
		}
		if j.box.Holds(row) {
			inside++
			if crosses {
				within++
			}
		}
	}
	n := float64(len(j.test))
	line.Loss = metric.PinballLoss(truth, Levels, test, nil)
	line.Outside, line.Crossed, line.Inside = len(j.test)-inside, float64(crossed)/n, float64(within)/float64(max(1, inside))
	for i := range j.places {
		if crossing(places.RawRowView(i), slack) > 0 {
			between++
		}
	}
	line.Places = float64(between) / float64(len(j.places))
	line.Bent = j.set.bent(places, slack)
	return line
}

// rounding is what counts as no crossing, as a share of the extent of all quantiles.
const rounding = 1e-9

// crossing returns the number of the first level that lies below the one before it by more than the slack. 0 means that there is none.
func crossing(levels []float64, slack float64) int {
	for k := 1; k < len(levels); k++ {
		if levels[k] < levels[k-1]-slack {
			return k
		}
	}
	return 0
}

// bent returns the share of places along the one input at which some level breaks the set's shape. There it falls though it is to rise, or its
// second difference is positive though it is to be concave.
func (s *Set) bent(places *mat.Dense, slack float64) float64 {
	n, m := places.Dims()
	bent := 0
	for i := 1; i+1 < n && s.Knots != ""; i++ {
		before, at, after := places.RawRowView(i-1), places.RawRowView(i), places.RawRowView(i+1)
		for k := range m {
			if after[k] < at[k]-slack || s.Knots == "CI" && before[k]+after[k] > 2*at[k]+slack {
				bent++
				break
			}
		}
	}
	return float64(bent) / float64(n)
}
