package boxes

import (
	"context"
	"strings"
	"time"

	"gonum.org/v1/gonum/mat"

	sipc "github.com/sipc-ml/sipc"
	"github.com/sipc-ml/sipc/lab/bench"
	"github.com/sipc-ml/sipc/runtime/proof"
)

// A Fit is what every line of a result file says of a fit.
type Fit struct {
	// So many statements were required, and so many of them are proved.
	Statements int     `json:"statements,omitempty"`
	Proved     int     `json:"proved,omitempty"`
	Gap        float64 `json:"gap,omitempty"`
	// The choice by folds, and the fit at what was chosen with its proof, took these seconds, and those of all processors.
	Choose          float64 `json:"choose_seconds"`
	Seconds         float64 `json:"fit_seconds"`
	ChooseProcessor float64 `json:"choose_cpu,omitempty"`
	Processor       float64 `json:"fit_cpu,omitempty"`
	Setting         string  `json:"setting,omitempty"` // that was chosen
	// Case is a place at which a statement does not hold though all are proved. Empty means that no such place was found.
	Case string `json:"broken_proof,omitempty"`
}

// All reports whether statements were required and all of them are proved.
func (f *Fit) All() bool { return f.Statements > 0 && f.Proved == f.Statements }

// Perform fits a spec with grids to the rows of a file. It returns the scores of the test rows and of the places, which are files, too.
func Perform(ctx context.Context, text, train, test, places string) (f Fit, ofTest, ofPlaces *mat.Dense, err error) {
	spec := sipc.NewSpec(ctx, train+".inv", []byte(text), sipc.SpecOptions{})
	defer spec.Close() //nolint:errcheck // it has no families of its own
	began, start := time.Now(), bench.Spent()
	chose := start
	o, err := sipc.Perform(ctx, spec, sipc.RunOptions{
		Data: train, Test: test, Unmeasured: true,
		Progress: func(stage string, _, _ int) {
			if strings.HasPrefix(stage, "choose") {
				chose = bench.Spent()
			}
		},
	})
	if err != nil {
		return f, nil, nil, err
	}
	f.Choose, _ = o.Report.Timing.Get("choose")
	f.Seconds = time.Since(began).Seconds() - f.Choose
	f.ChooseProcessor, f.Processor = (chose - start).Seconds(), (bench.Spent() - chose).Seconds()
	if o.Report.Grid != nil {
		f.Setting = o.Report.Grid.Chosen
	}
	f.Gap = float64(o.Report.Learner.Gap)
	for _, r := range o.Report.Required {
		f.Statements++
		if r.Answer == proof.Proved.String() {
			f.Proved++
		}
	}
	grid, err := sipc.Predict(ctx, o.Model, places, sipc.ApplyOptions{})
	if err != nil {
		return f, nil, nil, err
	}
	return f, o.Scores, grid.Predictions.Scores, nil
}
