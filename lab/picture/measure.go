package main

import (
	"cmp"
	"context"
	"encoding/csv"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"

	"gonum.org/v1/gonum/mat"

	sipc "github.com/sipc-ml/sipc"
	"github.com/sipc-ml/sipc/runtime/model"
	"github.com/sipc-ml/sipc/runtime/rival"
	"github.com/sipc-ml/sipc/runtime/setting"
)

// The digits turn by −turn … turn degrees, and are shown every step degrees. The spec declares ±declared degrees.
const (
	turn     = 40
	step     = 10
	declared = 10
)

// Positions in arrays by contender: the spec as it is, its kernel machine on rows and copies, and the same machine on the rows alone. The
// copies are those under the spec's transformations.
const (
	embed = iota
	augment
	plain
	contenders
)

// A fitted contender is a model, or a rival that has none, and says what f is at rows.
type fitted struct {
	model  *model.Model
	scores func(ctx context.Context, x *mat.Dense) (*mat.Dense, error)
}

// A measurement is what the picture shows.
type measurement struct {
	subjects []subject // one of each class
	heldOut  int
	// flips are, by contender, the held-out digits of which not the same is said as they are and turned by what is declared.
	flips [contenders]int
}

// A subject is a held-out digit and what the models say of it.
type subject struct {
	class string
	// Images are those at the angles shown, pixels of 0 … 1, row-major.
	images [][]float64
	side   int                   // of an image, in pixels
	curves [contenders][]float64 // f at every degree from −turn to turn
}

// measure fits the contenders on an example in a folder and asks them about its held-out digits.
//
// The digits are not picked by eye. A digit's swing is the largest minus the smallest f of method plain at the angles shown.
// Of each class it takes the held-out digit of median swing. f is divided by its root mean square over all held-out digits as
// they are, so that no model looks steadier by being smaller.
func measure(ctx context.Context, example string) (*measurement, error) {
	all, ids, err := fit(ctx, example)
	if err != nil {
		return nil, err
	}
	held, err := openHeldOut(ctx, all[embed].model, dataOf(example), ids)
	if err != nil {
		return nil, err
	}
	out := &measurement{heldOut: held.set.Len()}
	var (
		unit   [contenders]float64
		swings [contenders][]float64
	)
	for k := range all {
		f, err := held.scores(ctx, &all[k], held.all(), shown())
		if err != nil {
			return nil, err
		}
		unit[k] = rootMeanSquare(mat.Col(nil, turn/step, f)) // of the column of angle 0
		swings[k] = swingsOf(f)
		out.flips[k] = flips(f.Slice(0, held.set.Len(), (turn-declared)/step, (turn+declared)/step+1))
	}
	for class := range held.set.LabelNames {
		s, err := held.subject(ctx, &all, unit, held.median(class, swings[plain]))
		if err != nil {
			return nil, err
		}
		out.subjects = append(out.subjects, *s)
	}
	return out, nil
}

// swingsOf returns the largest minus the smallest number of each row.
func swingsOf(f *mat.Dense) []float64 {
	var swings []float64
	for i := range f.RawMatrix().Rows {
		swings = append(swings, slices.Max(f.RawRowView(i))-slices.Min(f.RawRowView(i)))
	}
	return swings
}

// flips returns the rows some of whose numbers decide for one class and some for the other.
func flips(f mat.Matrix) int {
	n, _ := f.Dims()
	count := 0
	for i := range n {
		row := mat.Row(nil, i, f)
		if slices.Min(row) <= 0 && slices.Max(row) > 0 {
			count++
		}
	}
	return count
}

// fit fits the contenders on the same rows, and reads the identifiers of the held-out rows.
func fit(ctx context.Context, example string) (all [contenders]fitted, ids []string, err error) {
	dir, err := os.MkdirTemp("", "picture")
	if err != nil {
		return all, nil, err
	}
	defer os.RemoveAll(dir) //nolint:errcheck // a folder for temporary files
	spec, err := sipc.LoadSpec(ctx, filepath.Join(example, filepath.Base(example)+".inv"), sipc.SpecOptions{})
	if err != nil {
		return all, nil, err
	}
	defer spec.Close() //nolint:errcheck // the spec uses no plugin
	for k, method := range map[int]setting.Method{embed: setting.Embed, plain: setting.Plain} {
		out := filepath.Join(dir, string(method))
		_, err := sipc.Run(ctx, spec, sipc.RunOptions{Data: dataOf(example), Out: out, Embeddings: "none", Method: method})
		if err != nil {
			return all, nil, err
		}
		m, err := sipc.LoadModel(ctx, filepath.Join(out, "model.sipc"))
		if err != nil {
			return all, nil, err
		}
		all[k] = fitted{m, func(ctx context.Context, x *mat.Dense) (*mat.Dense, error) {
			f, _, err := m.Scores(ctx, x, nil, nil)
			return f, err
		}}
	}
	p, err := sipc.Prepare(ctx, spec, sipc.RunOptions{Data: dataOf(example)})
	if err != nil {
		return all, nil, err
	}
	reg, err := p.Ground(ctx)
	if err != nil {
		return all, nil, err
	}
	other, _, err := p.FitRival(ctx, spec.Plan.At(nil), reg, sipc.RivalOptions{Name: rival.Augment})
	if err != nil {
		return all, nil, err
	}
	all[augment].scores = other.Scores
	ids, err = readIDs(filepath.Join(dir, string(setting.Plain), "predictions.csv"))
	return all, ids, err
}

// readIDs reads the identifiers of predictions.
func readIDs(path string) ([]string, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close() //nolint:errcheck // only read
	lines, err := csv.NewReader(file).ReadAll()
	if err != nil {
		return nil, err
	}
	var ids []string
	for _, line := range lines[1:] {
		ids = append(ids, line[0])
	}
	return ids, nil
}

func dataOf(example string) string { return filepath.Join(example, "digits.csv.gz") }

// shown returns the angles at which digits are shown, in degrees.
func shown() []int { return angles(step) }

// angles returns the angles from −turn to turn, by degrees.
func angles(by int) []int {
	var out []int
	for a := -turn; a <= turn; a += by {
		out = append(out, a)
	}
	return out
}

func rootMeanSquare(x []float64) float64 {
	return mat.Norm(mat.NewVecDense(len(x), x), 2) / math.Sqrt(float64(len(x)))
}

// median returns the digit of a class whose swing is the (lower) median.
func (h *heldOut) median(class int, swings []float64) int {
	var rows []int
	for i, c := range h.set.Class {
		if c == class {
			rows = append(rows, i)
		}
	}
	slices.SortStableFunc(rows, func(a, b int) int { return cmp.Compare(swings[a], swings[b]) })
	return rows[(len(rows)-1)/2]
}

// subject asks the contenders about a digit.
func (h *heldOut) subject(ctx context.Context, all *[contenders]fitted, unit [contenders]float64, row int) (*subject, error) {
	s := &subject{class: h.set.LabelNames[h.set.Class[row]], side: h.set.Width}
	for k := range all {
		f, err := h.scores(ctx, &all[k], []int{row}, angles(1))
		if err != nil {
			return nil, err
		}
		f.Scale(1/unit[k], f)
		s.curves[k] = f.RawRowView(0)
	}
	for _, a := range shown() {
		x, err := h.turned(ctx, []int{row}, a)
		if err != nil {
			return nil, err
		}
		s.images = append(s.images, h.pixels(x.RawRowView(0)))
	}
	if h.set.Width != h.set.Height || len(s.images[0]) != s.side*s.side {
		return nil, fmt.Errorf("images of %d×%d pixels, want squares", h.set.Height, h.set.Width)
	}
	return s, nil
}
