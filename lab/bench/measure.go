package bench

import (
	"context"
	"fmt"
	"time"

	"github.com/sipc-ml/sipc/runtime/polar"
	"github.com/sipc-ml/sipc/runtime/report"
)

// A Measurement is what came of solving a problem.
type Measurement struct {
	About
	Target     report.Number `json:"target"`
	Seconds    float64       `json:"seconds"` // of preparing and solving
	PerRHS     float64       `json:"seconds_per_rhs"`
	PerSecond  float64       `json:"embeddings_per_second"`
	Iterations Spread        `json:"iterations"`
	Newton     Spread        `json:"newton"`
	MedianGap  report.Number `json:"median_gap"`
	WorstGap   report.Number `json:"worst_gap"`
	Reached    int           `json:"reached"` // right-hand sides whose gap is at most the target

	Products Products `json:"products"` // floating-point operations
	Square   int      `json:"square"`   // order of the matrices that the machine's rate was measured with
	Rates    Rates    `json:"matrix_product_rate"`
	Rate     float64  `json:"rate"`     // of the solver's products, per second of the solve
	Fraction float64  `json:"fraction"` // of the machine's rate

	// PeakSolve and PeakProcess are high-water marks of the process's memory in bytes: since the solve began, and in
	// all. 0 where the system does not say.
	PeakSolve   int64 `json:"peak_solve_bytes"`
	PeakProcess int64 `json:"peak_process_bytes"`
}

// A Spread sums up whole numbers.
type Spread struct {
	Median int `json:"median"`
	Max    int `json:"max"`
}

func spreadOf(x []int) Spread {
	s := Spread{Median: median(x)}
	for _, v := range x {
		s.Max = max(s.Max, v)
	}
	return s
}

// Settings say how a problem is measured.
type Settings struct {
	Gap      float64               // to be certified
	Square   int                   // order of the matrices that the machine's rate is measured with
	Progress func(done, total int) // may be nil
}

// DefaultSquare is the order at which matrix products run at the machine's full rate.
const DefaultSquare = 2000

// shortRun is the time in seconds below which a solve is done twice, and the second one counts. The first waits for the
// system to hand out its memory, page by page.
const shortRun = 1

// Measure solves a problem.
func Measure(ctx context.Context, p *Problem, o Settings) (*Measurement, error) {
	rates := samples{order: o.Square}
	rates.take()
	before := PeakMemory()
	fresh := restMemory()
	run, err := solve(ctx, p, o.Gap, o.Progress)
	if err != nil {
		return nil, err
	}
	peak := PeakMemory()
	if run.seconds < shortRun {
		if run, err = solve(ctx, p, o.Gap, nil); err != nil {
			return nil, err
		}
	}
	m := run.measurement(p, o.Gap)
	if fresh {
		m.PeakSolve = peak
	}
	m.PeakProcess = max(before, PeakMemory())
	rates.take()
	m.Square = o.Square
	m.rate(rates.rates())
	return m, nil
}

// A solved is the outcome of a solve.
type solved struct {
	gaps, values       []float64
	iterations, newton []int
	products           Products
	seconds            float64
}

// solve solves a problem, streaming right-hand sides and keeping no embedding.
func solve(ctx context.Context, p *Problem, gap float64, progress func(done, total int)) (*solved, error) {
	out := &solved{}
	var count counter
	err := count.during(func() error {
		started := time.Now()
		solver, err := p.solver(ctx, gap)
		if err != nil {
			return err
		}
		err = solver.SolveTo(ctx, p.About.RHS, p.rhs, func(_ int, part *polar.Result) error {
			out.take(part, p.About.Alpha/p.norm().Alpha)
			if progress != nil {
				progress(len(out.gaps), p.About.RHS)
			}
			return nil
		})
		out.seconds, out.products = time.Since(started).Seconds(), count.now()
		return err
	})
	return out, err
}

// take files the results of a block; values are those of a multiple of the norm.
func (s *solved) take(part *polar.Result, multiple float64) {
	s.gaps = append(s.gaps, part.Gap...)
	for _, v := range part.Value {
		s.values = append(s.values, multiple*v)
	}
	s.iterations = append(s.iterations, part.Iterations...)
	s.newton = append(s.newton, part.Newton...)
}

func (s *solved) measurement(p *Problem, gap float64) *Measurement {
	certificate := report.SummarizeGaps(s.gaps, gap)
	count := float64(len(s.gaps))
	m := &Measurement{
		About: p.About, Target: report.Number(gap),
		Seconds: s.seconds, PerRHS: s.seconds / count, PerSecond: count / s.seconds,
		Iterations: spreadOf(s.iterations), Newton: spreadOf(s.newton),
		MedianGap: certificate.MedianGap, WorstGap: certificate.MaxGap, Reached: certificate.Reached,
		Products: s.products, Rate: (s.products.Double + s.products.Single) / s.seconds,
	}
	return m
}

// rate sets the fraction of the machine's rates.
func (m *Measurement) rate(r Rates) {
	m.Rates = r
	m.Fraction = (m.Products.Double/r.Double + m.Products.Single/r.Single) / m.Seconds
}

// String returns the measurement's name, for errors.
func (a *About) String() string { return fmt.Sprintf("%s, %d right-hand sides", a.Name, a.RHS) }
