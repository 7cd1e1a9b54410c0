package sipc

import (
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/sipc-ml/sipc/runtime/metric"
	"github.com/sipc-ml/sipc/runtime/report"
	"github.com/sipc-ml/sipc/runtime/setting"
)

// costOf says how much worse R makes the first figure on the test rows than method plain has it. The interval of the difference is over draws of the
// rows, each of which has the same rows for both. It returns nil where that holds 0, and where R makes a figure of moved rows better.
func costOf(ctx context.Context, f *findings) (*report.Cost, error) {
	if f.baseline == nil || f.rows.Test.Len() == 0 || len(f.fitting.Regularizer.Invariances) == 0 {
		return nil, nil //nolint:nilnil // as the comment says
	}
	test := f.rows.Test
	name := metric.Headline(string(test.Task))[0]
	more := func(own, plain metric.Figures) float64 {
		a, _ := own.Get(name)
		b, _ := plain.Get(name)
		return a - b
	}
	worse := func(d float64) bool { return !math.IsNaN(d) && d != 0 && d > 0 == metric.Smaller(name) }
	c := &report.Cost{Metric: name, More: report.Number(more(f.metrics.Figures, f.baseline.metrics.Figures))}
	if !worse(float64(c.More)) {
		return nil, nil //nolint:nilnil // as above
	}
	for k := range f.under {
		if d := more(f.under[k].Metrics.Figures, f.baseline.under[k].Metrics.Figures); d != 0 && !worse(d) {
			return nil, nil //nolint:nilnil // as above
		}
	}
	var measures []*metric.Measure
	for _, scores := range []*mat.Dense{f.scores, f.baseline.scores} {
		measures = append(measures, measureMain(test, scores))
	}
	_, m := f.scores.Dims()
	drawn, err := metric.Resample(ctx, f.rows.Seed, test.Len(), metric.Draws(test.Len(), m), test.Weight, measures)
	if err != nil {
		return nil, err
	}
	i := drawn.Less(0, 1, name, float64(c.More))
	if !i.Known() || !worse(i.Low) || !worse(i.High) {
		return nil, nil //nolint:nilnil // as above
	}
	c.Low, c.High = report.Number(i.Low), report.Number(i.High)
	c.Strained, c.Share = strained(f.summands)
	return c, nil
}

// strained returns the invariance with the largest part of R² at the function that predicts, and that part. A weight that is larger by a share
// raises the least objective by this part of what R counts in it, times twice the share. It is empty of a single invariance, and where
// values are not known.
func strained(all []report.Summand) (name string, share report.Number) {
	var sum, most float64
	for i := range all {
		own := all[i].Weight * float64(all[i].Value)
		if sum += own * own; own*own > most {
			name, most = all[i].Name, own*own
		}
	}
	if len(all) < 2 || !(sum > 0) || math.IsInf(sum, 1) {
		return "", 0
	}
	return name, report.Number(most / sum)
}

// hintsCost says how much worse R makes the first figure, and what to do.
func (f *findings) hintsCost() []string {
	c := f.cost
	if c == nil {
		return nil
	}
	own, _ := f.metrics.Figures.Get(c.Metric)
	plain, _ := f.baseline.metrics.Figures.Get(c.Metric)
	text := fmt.Sprintf("R costs %.3g of %s on the test rows: %.4g against %.4g of method plain", math.Abs(float64(c.More)), c.Metric, own, plain)
	if more := 100 * (own/plain - 1); metric.Smaller(c.Metric) && plain > 0 && more > 0.5 {
		text += fmt.Sprintf(", %.0f %% more", more)
	}
	text += fmt.Sprintf(". The difference is from %.3g to %.3g in 95 %% of draws of these rows, the same for both. Lower its weight or leave it out, unless obeying it is worth that", float64(c.Low), float64(c.High))
	if c.Strained != "" {
		text += fmt.Sprintf(". The data strain %s most: it has %.0f %% of R² at f", c.Strained, 100*float64(c.Share))
	}
	return []string{text}
}

const (
	// From so many standard errors, and so many times that of the fit's sample, on a value over an orbit is far above it.
	farErrors = 3
	farShare  = 1.2
	// moreMoves is how many times more moves a hint names.
	moreMoves = 4
)

// hintsOrbit names invariances whose value over the orbit is far above that of the fit's own moves. Then f fits these moves, and not the orbit.
// More moves are more points, of which landmarks = all would take fewer. So it names their number where these are not all points.
func hintsOrbit(all []report.Summand, of *setting.Features, landmarks *report.Landmarks) (hints []string) {
	with := ""
	if of.Landmarks == setting.AllLandmarks && landmarks != nil && landmarks.Count < landmarks.Points {
		with = fmt.Sprintf(" and landmarks = %d", landmarks.Count)
	}
	for i := range all {
		s := &all[i]
		if o := s.Orbit; o != nil && o.Value-s.Value > farErrors*o.Error && o.Value > farShare*s.Value {
			hints = append(hints, fmt.Sprintf("%s is %.3g ± %.2g (standard error) by moves that the fit did not see, and %.3g by the %d that it saw of each element: "+
				"the sample is too small. Write orbit(moves = %d)%s, or learn from more rows", s.Name, float64(o.Value), float64(o.Error), float64(s.Value), o.Moves, moreMoves*o.Moves, with))
		}
	}
	return hints
}
