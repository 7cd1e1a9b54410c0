// Package surfaces compares fits of drawn functions of one, two and three columns whose shapes are known. Some fits are free, and others are proved to
// keep the shape on the whole box of the training rows. The kernel is the Gaussian of whole rows. As the truth is known, errors are measured against
// it, on a grid over the box, and against further rows with noise. The package counts the places of the grid at which the shape is broken.
package surfaces

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"slices"

	"gonum.org/v1/gonum/floats"

	"github.com/sipc-ml/sipc/lab/bench/boxes"
)

const (
	target   = "y"
	testRows = 1000
	stream   = 40 // of the generator of rows
	// rounding is what counts as no break, as a share of the extent of the function.
	rounding = 1e-9
)

// steps are the places of a grid along each side, by how many sides there are.
var steps = map[int]int{1: 401, 2: 41, 3: 17}

// A Line is what one fit of one draw came to.
type Line struct {
	Set  string  `json:"set"`
	Rows int     `json:"rows"` // of training
	Draw uint64  `json:"draw"`
	Kind string  `json:"fit"`
	True float64 `json:"rmse"`      // against the truth, on a grid over the box of the training rows
	Test float64 `json:"rmse_test"` // against further rows with noise
	Bent float64 `json:"bent"`      // share of the grid's places at which something that is known does not hold
	boxes.Fit
}

// A Job is one draw of a set, on files in a folder.
type Job struct {
	set               *Set
	rows              int
	draw              uint64
	test, places      boxes.Table
	train, hold, grid string
}

// NewJob draws rows of training and of test, and writes them and a grid over the box of the former.
func NewJob(s *Set, rows int, dir string, draw uint64) (*Job, error) {
	rng := rand.New(rand.NewPCG(draw, stream))
	train := s.drawn(rng, rows)
	j := &Job{
		set: s, rows: rows, draw: draw, test: s.drawn(rng, testRows), places: boxes.Of(train, len(s.Inputs)).Places(steps[len(s.Inputs)]),
		train: filepath.Join(dir, "train.csv"), hold: filepath.Join(dir, "test.csv"), grid: filepath.Join(dir, "places.csv"),
	}
	names := append(slices.Clone(s.Inputs), target)
	return j, errors.Join(train.Write(j.train, names), j.test.Write(j.hold, names), j.places.Write(j.grid, names))
}

// drawn returns rows, evenly spread over the ranges, with noise on the truth.
func (s *Set) drawn(rng *rand.Rand, rows int) (out boxes.Table) {
	for range rows {
		var x []float64
		for _, side := range s.ranges {
			x = append(x, side[0]+(side[1]-side[0])*rng.Float64())
		}
		out = append(out, append(x, s.truth(x)+s.noise*rng.NormFloat64()))
	}
	return out
}

// Fit fits the set's spec, and measures it.
func (j *Job) Fit(ctx context.Context, fit string) (*Line, error) {
	line := &Line{Set: j.set.Name, Rows: j.rows, Draw: j.draw, Kind: fit}
	f, test, places, err := boxes.Perform(ctx, j.set.text(fit), j.train, j.hold, j.grid)
	if err != nil {
		return nil, fmt.Errorf("%s, draw %d, %s: %w", j.set.Name, j.draw, fit, err)
	}
	line.Fit = f
	for i, row := range j.test {
		line.Test += square(row[len(row)-1] - test.At(i, 0))
	}
	scores := make([]float64, len(j.places))
	for i, row := range j.places {
		scores[i] = places.At(i, 0)
		line.True += square(j.set.truth(row) - scores[i])
	}
	line.Test, line.True = math.Sqrt(line.Test/testRows), math.Sqrt(line.True/float64(len(scores)))
	where := j.bent(scores)
	line.Bent = float64(len(where)) / float64(len(scores))
	if f.All() && len(where) > 0 {
		line.Case = fmt.Sprintf("at %v a difference of neighbours breaks what is known", where[0])
	}
	return line, nil
}

func square(v float64) float64 { return v * v }

// bent returns the places at which a difference of neighbours, as many as the order asks for, contradicts what is known. A derivative lies within
// bounds only if these differences do.
func (j *Job) bent(scores []float64) (out boxes.Table) {
	n := steps[len(j.set.Inputs)]
	slack := rounding * (floats.Max(scores) - floats.Min(scores))
	for i, row := range j.places {
		for _, k := range j.set.known {
			stride := 1
			for range len(j.set.Inputs) - 1 - k.column {
				stride *= n
			}
			if (i/stride)%n+k.order >= n {
				continue
			}
			h := j.places[i+stride][k.column] - row[k.column]
			d, scale := scores[i+stride]-scores[i], h
			if k.order == 2 {
				d, scale = scores[i+2*stride]-2*scores[i+stride]+scores[i], h*h
			}
			if d < k.low*scale-slack || d > k.high*scale+slack {
				out = append(out, row)
				break
			}
		}
	}
	return out
}
