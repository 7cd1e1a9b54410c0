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
	"github.com/sipc-ml/sipc/runtime/report"
	"github.com/sipc-ml/sipc/runtime/setting"
)

// A scored is a machine with what it gives to the test rows.
type scored struct {
	name, about           string
	metrics               report.Metrics
	under                 []report.Under
	scores, probabilities *mat.Dense
	moved                 [][]*mat.Dense // scores of moved rows
	violated              [][]float64
}

// contenders returns the run's own machine and those beside it.
func (p *pager) contenders() []scored {
	of := func(name, about string, e *evaluation, m *model.Model) scored {
		return scored{name, about, e.metrics, e.under, e.scores, model.Probabilities(m, e.scores), e.moved, e.violated}
	}
	all := []scored{of(string(p.of.method), "", p.of.evaluation, p.of.fitting.Model)}
	if b := p.of.baseline; b != nil {
		all = append(all, of(string(setting.Plain), "without R", b.evaluation, b.fitting.Model))
	}
	for _, r := range p.of.rivals {
		all = append(all, scored{r.Name, r.Setting, r.Metrics, r.Under, r.scores, r.probabilities, r.moved, r.violated})
	}
	return all
}

// machines returns all machines, with intervals of their figures over draws of the test rows. It returns the draws, too.
func (p *pager) machines(ctx context.Context) ([]page.Machine, *metric.Resampled, error) {
	all := p.contenders()
	drawn, measured, err := p.draw(ctx, all)
	if err != nil {
		return nil, nil, err
	}
	out := make([]page.Machine, len(all))
	for k := range all {
		out[k] = p.machine(drawn, &all[k], &all[0], &measured[k], &measured[0])
		if k > 0 {
			continue
		}
		for i := range out[0].Figures { // behind the majority's stands what the first figure is above it
			if f := &out[0].Figures[i]; f.Name == metric.MajorityBaseline {
				main := all[0].metrics.Figures[0]
				f.More, f.Between = main.Value-f.Value, drawn.Beside(0, main.Name, f.Name, main.Value-f.Value)
			}
		}
	}
	return out, drawn, nil
}

// machine returns the figures of one machine beside the run's own.
func (p *pager) machine(drawn *metric.Resampled, s, own *scored, at, ownAt *measured) page.Machine {
	out, test := page.Machine{Name: s.name, About: s.about}, p.of.rows.Test
	for _, f := range s.metrics.Figures {
		share := metric.Share(f.Name) && (f.Name != metric.MajorityBaseline || test.Task != setting.Multilabel)
		out.Figures = append(out.Figures, p.exactly(estimate(drawn, f, at.figures, ownAt.figures, own.metrics.Figures), share))
	}
	for i, f := range s.metrics.Violations {
		out.Violations = append(out.Violations, p.exactly(estimate(drawn, f, at.violated[i], ownAt.violated[i], own.metrics.Violations), true))
	}
	name := metric.Headline(string(test.Task))[0]
	for i := range s.moved {
		v, _ := s.under[i].Metrics.Figures.Get(name)
		f := estimate(drawn, metric.Figure{Name: name, Value: v}, at.moved[i], ownAt.moved[i], own.under[i].Metrics.Figures)
		out.Moved = append(out.Moved, p.exactly(f, metric.Share(name) && len(s.moved[i]) == 1))
	}
	return out
}

// measured are the positions of a machine's measures among all.
type measured struct {
	figures         int
	violated, moved []int
}

// draw measures all machines on draws of the test rows.
func (p *pager) draw(ctx context.Context, all []scored) (*metric.Resampled, []measured, error) {
	train, test := p.of.rows.Train, p.of.rows.Test
	_, m := p.of.scores.Dims()
	var measures []*metric.Measure
	add := func(of *metric.Measure) int {
		measures = append(measures, of)
		return len(measures) - 1
	}
	p.of.rows.step("intervals of the figures")
	out := make([]measured, len(all))
	for k := range all {
		s := &all[k]
		out[k].figures = add(measureOf(train, test, s.scores, s.probabilities))
		for i, rows := range s.violated {
			out[k].violated = append(out[k].violated, add(metric.MeasureMean(s.metrics.Violations[i].Name, rows)))
		}
		for _, moves := range s.moved {
			var all []*metric.Measure
			for _, scores := range moves {
				all = append(all, measureMain(test, scores))
			}
			out[k].moved = append(out[k].moved, add(metric.MeasureMeans(all)))
		}
	}
	drawn, err := metric.Resample(ctx, p.of.rows.Seed, test.Len(), metric.Draws(test.Len(), m), test.Weight, measures)
	return drawn, out, err
}

// estimate returns a figure with its interval, and with what the run's own lies above it if that is another measure.
func estimate(drawn *metric.Resampled, f metric.Figure, measure, ownMeasure int, own metric.Figures) page.Figure {
	out := page.Figure{Name: f.Name, Value: f.Value, Interval: drawn.Of(measure, f), More: math.NaN(), Between: metric.NoInterval()}
	if v, ok := own.Get(f.Name); ok && measure != ownMeasure {
		out.More, out.Between = v-f.Value, drawn.Less(ownMeasure, measure, f.Name, v-f.Value)
	}
	return out
}

// exactly gives a figure Wilson's interval if it is a share of rows that count alike.
func (p *pager) exactly(f page.Figure, share bool) page.Figure {
	if test := p.of.rows.Test; test.Weight == nil && share {
		f.Interval, f.Exact = wilsonOf(f.Value, test.Len()), true
	}
	return f
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
