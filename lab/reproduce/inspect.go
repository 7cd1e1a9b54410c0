package reproduce

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"

	"gonum.org/v1/gonum/mat"

	"github.com/sipc-ml/sipc/internal/cli"
	"github.com/sipc-ml/sipc/plugins"
	"github.com/sipc-ml/sipc/plugins/hierarchy"
	"github.com/sipc-ml/sipc/runtime/dataset"
	"github.com/sipc-ml/sipc/runtime/metric"
)

// Counts are how many test rows violate each constraint of a taxonomy.
type Counts struct {
	Implications []int `json:"implications"`
	Exclusions   []int `json:"exclusions"`
	// Any is how many rows violate some implication, and some exclusion.
	Any [2]int `json:"any"`
	// Names are those of the constraints, in the same order; of the first run alone, as they are the same in all.
	Names *Names `json:"names,omitempty"`
}

// Names are the labels of constraints: of an implication the child and then the parent that it implies, of an exclusion the two siblings.
type Names struct {
	Implications [][2]string `json:"implications"`
	Exclusions   [][2]string `json:"exclusions"`
}

// A RowPair is two test rows, the loss between which is shown.
type RowPair struct {
	Rows    [2]string `json:"rows"`    // their numbers in the file of test rows, from 1
	Classes [2]string `json:"classes"` // their classes
}

// shares returns the shares of test rows that violate some constraint.
func (c *Counts) shares(rows int) metric.Figures {
	return metric.Figures{
		{Name: "implications", Value: float64(c.Any[0]) / float64(rows)},
		{Name: "exclusions", Value: float64(c.Any[1]) / float64(rows)},
	}
}

// inspect measures what the report does not say.
func (u *Unit) inspect(ctx context.Context, o *trained, from *source, out *Result) error {
	decisions := decisions(o.Outcome, o.Scores)
	switch {
	case decisions != nil:
		implications, exclusions, err := constraints(filepath.Join(from.dir, edgesFile), o.Train.LabelNames)
		if err != nil {
			return err
		}
		out.Counts = count(decisions, implications, exclusions)
		if u.Number == 0 {
			out.Counts.Names = &Names{labels(implications, o.Train.LabelNames), labels(exclusions, o.Train.LabelNames)}
		}
	case u.Cell.Table == Table2 && u.Number == 0:
		var err error
		out.Losses, out.Between, err = losses(ctx, o)
		return err
	}
	return nil
}

// constraints returns the implications (child, parent) of a taxonomy, whose file names labels by number, and the pairs of siblings.
func constraints(path string, names []string) (implications, exclusions [][2]int, err error) {
	text, err := os.ReadFile(path) //nolint:gosec // in the folder that the user names
	if err != nil {
		return nil, nil, dataset.CannotOpen(path, err)
	}
	var edges []plugins.Edge
	for n, line := range strings.Split(strings.TrimSpace(string(text)), "\n") {
		var e plugins.Edge
		if _, err := fmt.Sscan(line, &e.Parent, &e.Child); err != nil {
			return nil, nil, cli.WrongInput(fmt.Errorf("%s:%d: %q is not an edge; a line is `parent child`: %w", path, n+1, line, err))
		}
		edges = append(edges, e)
	}
	taxonomy, err := hierarchy.NewTaxonomy(edges, names)
	if err != nil {
		return nil, nil, cli.WrongInput(fmt.Errorf("%s: %w", path, err))
	}
	list := func(out *[][2]int) func(a, b int32) error {
		return func(a, b int32) error {
			*out = append(*out, [2]int{int(a), int(b)})
			return nil
		}
	}
	err = errors.Join(taxonomy.Edges(list(&implications)), taxonomy.Siblings(list(&exclusions)))
	return implications, exclusions, err
}

// labels returns the names of constraints' labels.
func labels(constraints [][2]int, names []string) [][2]string {
	out := make([][2]string, len(constraints))
	for k, c := range constraints {
		out[k] = [2]string{names[c[0]], names[c[1]]}
	}
	return out
}

// count counts the rows of decisions that violate each constraint.
func count(decisions *mat.Dense, implications, exclusions [][2]int) *Counts {
	c := &Counts{Implications: make([]int, len(implications)), Exclusions: make([]int, len(exclusions))}
	n, _ := decisions.Dims()
	for i := range n {
		row := decisions.RawRowView(i)
		var some [2]int
		for k, e := range implications {
			if row[e[0]] > row[e[1]] {
				c.Implications[k]++
				some[0] = 1
			}
		}
		for k, e := range exclusions {
			if row[e[0]] > 0 && row[e[1]] > 0 {
				c.Exclusions[k]++
				some[1] = 1
			}
		}
		c.Any[0] += some[0]
		c.Any[1] += some[1]
	}
	return c
}

// The pairs of test rows of which losses are shown, the steps of λ, and the seed of the pairs.
const (
	lossPairs  = 3
	lossSteps  = 11
	lossSeed   = 0
	lossStream = 0x6c6f73736573
)

// losses returns −Σ_y ỹ_λ(y) log p(y | x̃_λ) in nats for three pairs of test rows of different classes, λ = 0, 0.1, …, 1 the weight of a
// pair's first row. All contenders have the same pairs. Nil means that the learner gives no probabilities.
func losses(ctx context.Context, o *trained) ([][]float64, []RowPair, error) {
	pairs := drawPairs(o.Test.Class)
	_, p := o.Test.X.Dims()
	x := mat.NewDense(lossPairs*lossSteps, p, nil)
	for k, pair := range pairs {
		for s := range lossSteps {
			row := x.RawRowView(k*lossSteps + s)
			for j := range row {
				row[j] = mix(s, o.Test.X.At(pair[0], j), o.Test.X.At(pair[1], j))
			}
		}
	}
	scores, err := o.score(ctx, x)
	if err != nil {
		return nil, nil, err
	}
	probabilities := o.probabilities(scores)
	if probabilities == nil || len(pairs) < lossPairs {
		return nil, nil, nil
	}
	out, between := make([][]float64, lossPairs), make([]RowPair, lossPairs)
	for k, pair := range pairs {
		var classes [2]int
		for e, r := range pair {
			classes[e] = o.Test.Class[r]
			between[k].Rows[e], between[k].Classes[e] = o.Test.ID(r), o.Train.LabelNames[classes[e]]
		}
		for s := range lossSteps {
			row := probabilities.RawRowView(k*lossSteps + s)
			out[k] = append(out[k], -mix(s, logOf(row[classes[0]]), logOf(row[classes[1]])))
		}
	}
	return out, between, nil
}

// drawPairs draws pairs of rows of different classes that training saw, as many as losses are shown of; fewer where hardly any are.
func drawPairs(class []int) [][2]int {
	rng := rand.New(rand.NewPCG(lossSeed, lossStream))
	var out [][2]int
	for range 1000 * lossPairs {
		a, b := rng.IntN(len(class)), rng.IntN(len(class))
		if class[a] == class[b] || min(class[a], class[b]) < 0 {
			continue
		}
		if out = append(out, [2]int{a, b}); len(out) == lossPairs {
			break
		}
	}
	return out
}

// logOf returns the logarithm of a probability, which may have become zero.
func logOf(p float64) float64 { return math.Log(max(p, math.SmallestNonzeroFloat64)) }

// lambda returns the weight of a step.
func lambda(step int) float64 { return float64(step) / (lossSteps - 1) }

// mix returns λa + (1−λ)b.
func mix(step int, a, b float64) float64 { return lambda(step)*a + (1-lambda(step))*b }
