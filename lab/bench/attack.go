package bench

import (
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"gonum.org/v1/gonum/mat"

	sipc "github.com/sipc-ml/sipc"
	"github.com/sipc-ml/sipc/runtime/dataset"
	"github.com/sipc-ml/sipc/runtime/model"
	"github.com/sipc-ml/sipc/runtime/proof"
	"github.com/sipc-ml/sipc/runtime/report"
)

// An Attacked counts what was found of statements of one kind, which random specs required of random tables.
type Attacked struct {
	Kind                  string
	Specs                 int // that were fitted
	Proved, Refuted, Open int // statements
	Ended                 int // specs whose run gave an error or took too long
	Broken                int // proved statements that predictions break
	Examples              []string
	Points                int // at which proved statements were looked at
	Seconds               float64
	Least                 float64 // the least slack at a point of a proved statement, in units of the scores
}

// The table of an attack has two numbers, whole numbers and texts.
const (
	attackRows      = 45
	attackScatter   = 600 // random points that a proved statement is looked at first
	attackKept      = 12  // of them, the worst, from which a descent goes on
	attackChildren  = 20
	attackRounds    = 7
	attackTolerance = 1e-10
)

// A claim is what a proved statement says of predictions. At points that it derives from one, a sum of them is at least 0.
type claim struct {
	kind, text string
	// points returns where predictions are asked for at x with a step of 0 < h ≤ 1, and whether all are in the region.
	points func(x place, h float64) []place
	// slack returns what is to be at least 0 of their scores; unit is that of numbers beside them.
	slack func(f [][]float64, x place, h float64) float64
}

// A place is a row of the table without its target.
type place struct {
	a, b float64
	n    int
	t    string
}

// An arena is a random table and the settings of a spec.
type arena struct {
	rng       *rand.Rand
	target    string
	also      string // in the data block
	kernel    string
	learner   string
	low, high [2]float64 // of the box in a and b
	whole     [2]int     // of n
	rough     bool       // slopes have kinks
	labels    []string
	rows      [][]string
	scale     float64 // of the target
}

// texts are those of the table.
var texts = []string{"A", "B", "C"}

// Attack fits a random spec that requires a statement, and looks for points at which predictions break what is proved. It adds what it
// finds to the counts of the kind. A run that takes longer than the limit is ended.
func Attack(ctx context.Context, seed uint64, limit time.Duration, dir string, counts map[string]*Attacked) error {
	a := newArena(rand.New(rand.NewPCG(seed, 71)))
	c := a.claim()
	of := counts[c.kind]
	if of == nil {
		of = &Attacked{Kind: c.kind, Least: math.Inf(1)}
		counts[c.kind] = of
	}
	start := time.Now()
	defer func() { of.Seconds += time.Since(start).Seconds() }()
	own, end := context.WithTimeout(ctx, limit)
	defer end()
	out, err := a.fit(own, c, dir)
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.Is(err, context.DeadlineExceeded):
		of.Ended++
		return nil
	case err != nil:
		return fmt.Errorf("seed %d: %w\n%s", seed, err, a.spec(c))
	}
	if !of.count(out.Report.Required) {
		return nil
	}
	d := &descent{arena: a, claim: c, model: out.Model, path: filepath.Join(dir, "points.csv")}
	broken, err := d.breaks(ctx)
	if err != nil {
		return fmt.Errorf("seed %d: %w", seed, err)
	}
	of.Points, of.Least = of.Points+d.looked, min(of.Least, d.least)
	if broken {
		of.Broken++
		of.Examples = append(of.Examples, fmt.Sprintf("seed %d: %s: %g at %+v with the step %g\n%s", seed, margins(out.Report.Required), d.least, d.at, d.step, a.spec(c)))
	}
	return nil
}

// fit fits the spec that requires a claim to the table.
func (a *arena) fit(ctx context.Context, c *claim, dir string) (*sipc.Outcome, error) {
	data := filepath.Join(dir, "data.csv")
	if err := writeTable(data, append([][]string{{"a", "b", "n", "t", "y"}}, a.rows...)); err != nil {
		return nil, err
	}
	spec := sipc.NewSpec(ctx, filepath.Join(dir, "spec.inv"), []byte(a.spec(c)), sipc.SpecOptions{})
	defer spec.Close() //nolint:errcheck // it has no families of its own
	if err := spec.Err(); err != nil {
		return nil, err
	}
	return sipc.Perform(ctx, spec, sipc.RunOptions{Data: data, Unmeasured: true})
}

// count adds the verdicts of a spec, and reports whether all is proved.
func (a *Attacked) count(all []report.Requirement) bool {
	a.Specs++
	proved := true
	for _, r := range all {
		switch r.Answer {
		case proof.Proved.String():
			a.Proved++
			continue
		case proof.Refuted.String():
			a.Refuted++
		default:
			a.Open++
		}
		proved = false
	}
	return proved
}

// margins returns the proved margins of statements.
func margins(all []report.Requirement) string {
	var parts []string
	for _, r := range all {
		if r.Margin != nil {
			parts = append(parts, fmt.Sprintf("%g", float64(*r.Margin)))
		}
	}
	return strings.Join(parts, ", ")
}

// writeTable writes rows to a CSV file.
func writeTable(path string, rows [][]string) error {
	file, err := os.Create(path)
	if err != nil {
		return err
	}
	defer file.Close() //nolint:errcheck // WriteAll tells of faults
	return csv.NewWriter(file).WriteAll(rows)
}

// newArena draws a table, a kernel and a learner.
func newArena(rng *rand.Rand) *arena {
	a := &arena{rng: rng, target: "y : real", learner: fmt.Sprintf("ridge(lambda = %.3g)", math.Exp(2*rng.NormFloat64()-3))}
	pick := func(of ...string) string { return of[rng.IntN(len(of))] }
	width := func() string { return fmt.Sprintf("width = %.3g", math.Exp(rng.NormFloat64()/2)) }
	one := func() string {
		kind := pick("gaussian", "gaussian", "matern52", "matern32")
		a.rough = a.rough || kind == "matern32"
		return kind + "(" + width() + ")"
	}
	switch base := one(); rng.IntN(6) {
	case 0:
		a.kernel, a.rough = "gaussian("+width()+")", false
	case 1:
		a.kernel = "additive(" + base + ")"
	case 2:
		a.kernel = "pairwise(" + base + ", a = periodic(period = 7, width = 0.7))"
	case 3:
		a.kernel = "pairwise(" + base + " + 0.5 * linear)"
	default:
		a.kernel = "pairwise(" + base + ")"
	}
	offset, size := [2]float64{100 * rng.NormFloat64(), rng.NormFloat64()}, [2]float64{math.Exp(2 * rng.NormFloat64()), 5}
	for k := range 2 {
		a.low[k] = math.Round(offset[k]*100) / 100
		a.high[k] = math.Round((offset[k]+size[k])*100+1) / 100
	}
	a.whole = [2]int{rng.IntN(3), 3 + rng.IntN(4)}
	a.scale = math.Exp(2 * rng.NormFloat64())
	if rng.IntN(3) > 0 {
		a.also = "\n    standardize"
	}
	switch rng.IntN(5) {
	case 0:
		a.target, a.learner, a.scale = "y : binary(no, yes)", pick("logistic(C = 1)", "svm(C = 1)"), 1
	case 1:
		a.target, a.learner, a.scale, a.labels = "y : class", pick("softmax(C = 1)", "ridge(lambda = 0.1)"), 1, []string{"u", "v", "w"}
	}
	a.draw()
	return a
}

// draw makes the rows: their target is a random smooth function with noise.
func (a *arena) draw() {
	r := a.rng
	slope, bend, tilt := r.NormFloat64(), 2*r.NormFloat64(), r.NormFloat64()
	for range attackRows {
		p := a.somewhere()
		u, v := (p.a-a.low[0])/(a.high[0]-a.low[0]), (p.b-a.low[1])/(a.high[1]-a.low[1])
		y := a.scale * (slope*u + math.Sin(3*bend*u)*v + tilt*v*v + 0.2*float64(p.n)*tilt + float64(slices.Index(texts, p.t))*bend/3 + 0.3*r.NormFloat64())
		cell := strconv.FormatFloat(y, 'g', 8, 64)
		switch {
		case strings.Contains(a.target, "binary"):
			cell = map[bool]string{true: "yes", false: "no"}[y > 0]
		case a.labels != nil:
			cell = a.labels[min(max(int(math.Floor(y))+1, 0), 2)]
		}
		a.rows = append(a.rows, append(p.cells(), cell))
	}
	for k, label := range a.labels { // each class has rows
		a.rows[k][4], a.rows[k+3][4] = label, label
	}
	if strings.Contains(a.target, "binary") {
		a.rows[0][4], a.rows[1][4], a.rows[2][4], a.rows[3][4] = "yes", "no", "yes", "no"
	}
}

// cells returns a place as a row of a file.
func (p *place) cells() []string {
	return []string{strconv.FormatFloat(p.a, 'g', -1, 64), strconv.FormatFloat(p.b, 'g', -1, 64), strconv.Itoa(p.n), p.t}
}

// somewhere returns a random place of the box; ends are as likely as all between.
func (a *arena) somewhere() place {
	number := func(k int) float64 {
		switch a.rng.IntN(8) {
		case 0:
			return a.low[k]
		case 1:
			return a.high[k]
		}
		return math.Min(a.low[k]+(a.high[k]-a.low[k])*a.rng.Float64(), a.high[k])
	}
	return place{number(0), number(1), a.whole[0] + a.rng.IntN(a.whole[1]-a.whole[0]+1), texts[a.rng.IntN(len(texts))]}
}

// spec returns the text of a spec that requires a claim.
func (a *arena) spec(c *claim) string {
	return fmt.Sprintf(`data {
    target %s%s
    types  a : real [%g, %g], b : real [%g, %g], n : integer [%d, %d], t : {A, B, C}
}
kernel   %s
features nystrom(landmarks = rows)
require claim = %s
learn %s
`, a.target, a.also, a.low[0], a.high[0], a.low[1], a.high[1], a.whole[0], a.whole[1], a.kernel, c.text, a.learner)
}

// A descent looks for the least slack of a claim at a model's predictions.
type descent struct {
	arena  *arena
	claim  *claim
	model  *model.Model
	path   string // of the file of points
	looked int
	least  float64
	size   float64 // of the largest score there
	at     place
	step   float64
}

// A spot is a place and a step, with what is left of a claim there.
type spot struct {
	place
	step, slack float64
}

// run looks at random places, and goes on from the worst by smaller and smaller moves.
func (d *descent) run(ctx context.Context) error {
	rng := d.arena.rng
	spots := make([]spot, attackScatter)
	for i := range spots {
		spots[i] = spot{place: d.arena.somewhere(), step: math.Exp(-8 * rng.Float64())}
	}
	d.least = math.Inf(1)
	for round := range attackRounds {
		if err := d.look(ctx, spots); err != nil {
			return err
		}
		slices.SortFunc(spots, func(s, t spot) int {
			if s.slack < t.slack {
				return -1
			}
			return 1
		})
		var next []spot
		for _, s := range spots[:attackKept] {
			next = append(next, s)
			for range attackChildren {
				next = append(next, d.arena.near(s, math.Pow(0.3, float64(round))))
			}
		}
		spots = next
	}
	return nil
}

// near returns a spot whose numbers are moved by a share of the box.
func (a *arena) near(s spot, share float64) spot {
	move := func(v float64, k int) float64 {
		return math.Min(math.Max(v+0.3*share*a.rng.NormFloat64()*(a.high[k]-a.low[k]), a.low[k]), a.high[k])
	}
	s.a, s.b = move(s.a, 0), move(s.b, 1)
	s.step = math.Min(s.step*math.Exp(a.rng.NormFloat64()), 1)
	if a.rng.IntN(4) == 0 {
		p := a.somewhere()
		s.n, s.t = p.n, p.t
	}
	return s
}

// look sets the slack of spots by the predictions of a file, as anybody gets them.
func (d *descent) look(ctx context.Context, spots []spot) error {
	rows := [][]string{{"a", "b", "n", "t"}}
	many := 0
	for _, s := range spots {
		points := d.claim.points(s.place, s.step)
		many = len(points)
		for _, p := range points {
			rows = append(rows, p.cells())
		}
	}
	if err := writeTable(d.path, rows); err != nil {
		return err
	}
	out, err := sipc.Predict(ctx, d.model, d.path, sipc.ApplyOptions{})
	if err != nil {
		return err
	}
	scores := out.Predictions.Scores
	for i := range spots {
		s := &spots[i]
		own := make([][]float64, many)
		for k := range own {
			own[k] = scores.RawRowView(i*many + k)
		}
		s.slack = d.claim.slack(own, s.place, s.step)
		if s.slack < d.least {
			d.least, d.at, d.step = s.slack, s.place, s.step
		}
	}
	d.looked += len(spots)
	d.size = math.Max(d.size, math.Max(mat.Max(scores), -mat.Min(scores)))
	return nil
}

// breaks looks for what breaks the claim, and reports whether it found any.
func (d *descent) breaks(ctx context.Context) (bool, error) {
	if err := d.run(ctx); err != nil {
		return false, err
	}
	return d.broken(ctx)
}

// broken reports whether the least slack is below 0 by more than predictions are rounded. A claim adds up four of them at most.
func (d *descent) broken(ctx context.Context) (bool, error) {
	if d.least >= -attackTolerance*(1+d.size) {
		return false, nil
	}
	rows := [][]string{{"a", "b", "n", "t"}}
	for _, p := range d.claim.points(d.at, d.step) {
		rows = append(rows, p.cells())
	}
	if err := writeTable(d.path, rows); err != nil {
		return false, err
	}
	table, err := dataset.Open(ctx, d.path)
	if err != nil {
		return false, err
	}
	set, err := d.model.About.Preparation.Apply(ctx, table)
	if err != nil {
		return false, err
	}
	scores, _, err := d.model.Scores(ctx, set.X, nil, nil)
	if err != nil {
		return false, err
	}
	apart, err := model.Apart(ctx, d.model, set.X, scores, nil)
	if err != nil {
		return false, err
	}
	return d.least < -attackTolerance*(1+d.size)-4*mat.Max(apart), nil
}
