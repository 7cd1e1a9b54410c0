package sipc

import (
	"context"
	"fmt"
	"math"
	"strings"

	"gonum.org/v1/gonum/mat"

	"github.com/sipc-ml/sipc/runtime/dataset"
	"github.com/sipc-ml/sipc/runtime/learn"
	"github.com/sipc-ml/sipc/runtime/metric"
	"github.com/sipc-ml/sipc/runtime/model"
	"github.com/sipc-ml/sipc/runtime/page"
	"github.com/sipc-ml/sipc/runtime/setting"
)

// A scored is a machine with its scores of the test rows.
type scored struct {
	name, about           string
	figures               metric.Figures
	scores, probabilities *mat.Dense
}

// machines returns the run's own machine and those beside it, with intervals of their figures over draws of the test rows. It returns the
// draws, too.
func (p *pager) machines(ctx context.Context) ([]page.Machine, *metric.Resampled, error) {
	all := []scored{{string(p.of.method), "", p.of.metrics.Figures, p.of.scores, model.Probabilities(p.of.fitting.Model, p.of.scores)}}
	if b := p.of.baseline; b != nil {
		all = append(all, scored{string(setting.Plain), "without R", b.metrics.Figures, b.scores, model.Probabilities(b.fitting.Model, b.scores)})
	}
	for _, r := range p.of.rivals {
		all = append(all, scored{r.Name, r.Setting, r.Metrics.Figures, r.scores, r.probabilities})
	}
	drawn, err := p.draw(ctx, all)
	if err != nil {
		return nil, nil, err
	}
	out := make([]page.Machine, len(all))
	for k := range all {
		out[k] = page.Machine{Name: all[k].name, About: all[k].about}
		for _, f := range all[k].figures {
			out[k].Figures = append(out[k].Figures, p.estimate(drawn, all, k, f))
		}
	}
	return out, drawn, nil
}

// draw measures all machines on draws of the test rows.
func (p *pager) draw(ctx context.Context, all []scored) (*metric.Resampled, error) {
	train, test := p.of.rows.Train, p.of.rows.Test
	_, m := p.of.scores.Dims()
	var measures []func([]float64) metric.Figures
	for _, s := range all {
		ranks, decided := &metric.Ranks{}, learn.Decide(test.Task, s.scores)
		measure := func(weight []float64) metric.Figures {
			return metricsUnder(train, test, decided, s.scores, s.probabilities, metric.Weights{Rows: weight, Train: train.Weight, Ranks: ranks}).Figures
		}
		measure(test.Weight) // which keeps the orders of scores
		measures = append(measures, measure)
	}
	p.of.rows.step("intervals of the figures")
	return metric.Resample(ctx, p.of.rows.Seed, test.Len(), metric.Draws(test.Len(), m), test.Weight, measures)
}

// estimate returns a figure of the k-th machine with its intervals. Behind the majority's stands what the run's own first figure is above it.
func (p *pager) estimate(drawn *metric.Resampled, all []scored, k int, f metric.Figure) page.Figure {
	out := page.Figure{Name: f.Name, Value: f.Value, Interval: drawn.Of(k, f), More: math.NaN(), Between: metric.NoInterval()}
	if test := p.of.rows.Test; test.Weight == nil && metric.Share(f.Name) && (f.Name != metric.MajorityBaseline || test.Task != setting.Multilabel) {
		out.Interval, out.Exact = wilsonOf(f.Value, test.Len()), true
	}
	switch {
	case k > 0:
		if own, ok := all[0].figures.Get(f.Name); ok {
			out.More, out.Between = own-f.Value, drawn.Less(0, k, f.Name, own-f.Value)
		}
	case f.Name == metric.MajorityBaseline:
		own := all[0].figures[0]
		out.More, out.Between = own.Value-f.Value, drawn.Beside(0, own.Name, f.Name, own.Value-f.Value)
	}
	return out
}

// wilsonOf returns Wilson's interval of a share of n rows.
func wilsonOf(share float64, n int) metric.Interval {
	if math.IsNaN(share) {
		return metric.NoInterval()
	}
	return metric.Wilson(int(math.Round(share*float64(n))), n)
}

// predictedNumbers returns what is predicted for a target of numbers: of quantiles the one in the middle.
func predictedNumbers(s *dataset.Set, scores *mat.Dense) []float64 {
	if s.Task == setting.Quantiles {
		return mat.Col(nil, middle(s.Levels), scores)
	}
	return learn.Decide(s.Task, scores).Real
}

// middle returns the position of the level nearest to a half.
func middle(levels []float64) int {
	best := 0
	for k, q := range levels {
		if math.Abs(q-0.5) < math.Abs(levels[best]-0.5) {
			best = k
		}
	}
	return best
}

// peakMemory returns the most bytes that the process has taken; 0 where the system does not say.
func peakMemory() uint64 {
	var kib uint64
	for line := range strings.Lines(processStatus()) {
		if _, err := fmt.Sscanf(line, "VmHWM: %d kB", &kib); err == nil {
			return kib << 10
		}
	}
	return 0
}
