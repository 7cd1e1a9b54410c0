package bench

import (
	"cmp"
	"context"
	"path/filepath"
	"runtime/debug"
	"slices"
	"time"

	sipc "github.com/sipc-ml/sipc"
	"github.com/sipc-ml/sipc/internal/limits"
	"github.com/sipc-ml/sipc/runtime/polar"
)

// restMemory gives back what is not in use and begins a new peak, where the system can; it reports whether it did.
func restMemory() bool {
	debug.FreeOSMemory()
	return resetPeak()
}

// A Foreseen is the memory that was foreseen for some work beside that which its process took.
type Foreseen struct {
	Name    string  `json:"name"` // of the problem
	Work    string  `json:"work"`
	Bytes   float64 `json:"forecast"`
	Largest string  `json:"largest"` // what the most of it is for
	Peak    int64   `json:"peak"`
	Seconds float64 `json:"seconds"`
	Error   string  `json:"error,omitempty"` // what ended the work early
}

// Ratio returns the forecast over the peak.
func (f *Foreseen) Ratio() float64 { return f.Bytes / float64(f.Peak) }

// programs is what a process takes whose data are small.
const programs = 64 << 20

// Foresee runs a spec on data, or applies a model to them as `sipc predict` or `sipc embed` does, and returns what was foreseen. A run
// leaves its model in out. The peak is that of the whole process.
func Foresee(ctx context.Context, work, spec, data, out string) *Foreseen {
	f, start := &Foreseen{}, time.Now()
	ctx = limits.WithForecasts(ctx, func(needs []limits.Need) {
		// What was taken already when it was told was not foreseen, but for the program itself.
		sum, already := limits.Sum(needs), float64(PeakMemory())
		if sum > f.Bytes && (sum > already || already < programs) {
			f.Bytes, f.Largest = sum, slices.MaxFunc(needs, func(a, b limits.Need) int { return cmp.Compare(a.Bytes, b.Bytes) }).What
		}
	})
	if err := perform(ctx, work, spec, data, out); err != nil {
		f.Error = err.Error()
	}
	f.Peak, f.Seconds = PeakMemory(), time.Since(start).Seconds()
	return f
}

// The work that memory is foreseen for.
const (
	WorkRun     = "run"
	WorkPredict = "predict"
	WorkEmbed   = "embed"
	WorkPolar   = "polar" // of a problem file, which stands for the data
)

// ModelOf returns where a run leaves its model.
func ModelOf(out string) string { return filepath.Join(out, "model.sipc") }

// perform does the work.
func perform(ctx context.Context, work, spec, data, out string) error {
	switch work {
	case WorkPolar:
		return solveFile(ctx, data)
	case WorkPredict, WorkEmbed:
		m, err := sipc.LoadModel(ctx, spec)
		if err != nil {
			return err
		}
		if work == WorkEmbed {
			_, err = sipc.EmbedRows(ctx, m, data, filepath.Join(out, "rows.npy"), sipc.ApplyOptions{})
		} else {
			_, err = sipc.Predict(ctx, m, data, sipc.ApplyOptions{})
		}
		return err
	}
	s, err := sipc.LoadSpec(ctx, spec, sipc.SpecOptions{})
	if err != nil {
		return err
	}
	defer s.Close() //nolint:errcheck // a family's fault is told by the run
	_, err = sipc.Perform(ctx, s, sipc.RunOptions{Data: data, Out: out})
	return err
}

// solveFile solves the problem of a file.
func solveFile(ctx context.Context, path string) error {
	file, err := polar.OpenProblem(ctx, path)
	if err != nil {
		return err
	}
	if err := file.Fits(ctx); err != nil {
		return err
	}
	solver, err := polar.New(ctx, file.Problem, polar.Settings{Gap: 1e-3})
	if err != nil {
		return err
	}
	_, err = solver.Solve(ctx, file.RHS)
	return err
}
