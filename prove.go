package sipc

import (
	"context"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/sipc-ml/sipc/runtime/dataset"
	"github.com/sipc-ml/sipc/runtime/model"
	"github.com/sipc-ml/sipc/runtime/proof"
	"github.com/sipc-ml/sipc/runtime/report"
)

// ProveOptions say what is decided. The zero value decides the statements that the model was fitted to keep.
type ProveOptions struct {
	// Cells bounds the work for each statement; 0 means 20,000.
	Cells int
	// Progress is told how many statements are decided; it may be nil.
	Progress func(done, total int)
}

// A Proving is what is proved of a model's function.
type Proving struct {
	Requirements []report.Requirement `json:"statements"`
	// Apart bounds |prediction − f(x)| by rounding, for the rows that the prediction is of.
	Apart report.Number `json:"prediction_error"`
}

// Prove decides statements about the function of a model's stored numbers. Nothing of the fit is trusted: the verdicts follow from the
// coefficients alone. It returns an error if the model has no such function, and ctx's when ctx ends.
func Prove(ctx context.Context, m *model.Model, o ProveOptions) (*Proving, error) {
	if len(m.Requirements) == 0 {
		return nil, fmt.Errorf("the model was fitted to keep no statement; write `require NAME = …` in its spec, and run it again")
	}
	found, apart, err := model.Prove(ctx, m, o.Cells, o.Progress)
	if err != nil {
		return nil, err
	}
	return &Proving{Requirements: requirements(m.About.Preparation, found), Apart: report.Number(apart)}, nil
}

// requirements returns statements and their verdicts as reports show them.
func requirements(p *dataset.Preparation, all []model.Requirement) []report.Requirement {
	var out []report.Requirement
	for i := range all {
		r, v := &all[i], all[i].Verdict
		one := report.Requirement{Name: r.Statement.Name, Text: r.Statement.Text, Answer: v.Answer.String(), Aim: report.Number(r.Aim), Within: report.Number(r.Statement.Within), Cells: v.Cells, Why: v.Reason}
		if !math.IsInf(v.Margin, 0) {
			margin := report.Number(v.Margin)
			one.Margin = &margin
		}
		if v.At != nil {
			for _, c := range dataset.Cells(p, v.At) {
				one.At = append(one.At, report.Coordinate(c))
			}
			one.Low, one.High = report.Number(v.Low), report.Number(v.High)
		}
		out = append(out, one)
	}
	return out
}

// sameColumn is by how much prepared numbers may differ that come from one number of a file.
const sameColumn = 1e-9

// covered returns for each row whether it lies in a region of every name, and all statements whose regions hold it are proved. It returns nil
// where a model keeps none. The verdicts are those of the model file.
func covered(m *model.Model, s *dataset.Set) []bool {
	if len(m.Requirements) == 0 {
		return nil
	}
	out := make([]bool, s.Len())
	for i := range out {
		out[i] = coveredAt(m.Requirements, s.X.RawRowView(i))
	}
	return out
}

// coveredAt returns whether a prepared row lies in a region of every name, and all statements whose regions hold it are proved.
func coveredAt(all []model.Requirement, x []float64) bool {
	in := map[string]bool{}
	for k := range all {
		r := &all[k]
		name, holds := r.Statement.Name, r.Statement.Holds(x, sameColumn)
		if holds && r.Verdict.Answer != proof.Proved {
			return false
		}
		in[name] = in[name] || holds
	}
	return !slices.Contains(slices.Collect(maps.Values(in)), false)
}

// uncovered warns of rows of which nothing is proved; empty where there are none.
func uncovered(m *model.Model, covered []bool) string {
	outside := 0
	for _, in := range covered {
		if !in {
			outside++
		}
	}
	if outside == 0 {
		return ""
	}
	var names []string
	for i := range m.Requirements {
		if name := m.Requirements[i].Statement.Name; !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	lie := "lie"
	if outside == 1 {
		lie = "lies"
	}
	return fmt.Sprintf("%d of %d rows %s outside the regions of %s: nothing is proved there", outside, len(covered), lie, strings.Join(names, ", "))
}
