package sipc

import (
	"context"
	"fmt"
	"math"

	"github.com/sipc-ml/sipc/runtime/model"
	"github.com/sipc-ml/sipc/runtime/report"
)

// Witnesses returns the value of each invariance at the fit of a model that Run wrote to a file, and its active
// members.
func Witnesses(ctx context.Context, path string) (*report.Witnesses, error) {
	m, err := LoadModel(ctx, path)
	if err != nil {
		return nil, err
	}
	w := m.Witnesses
	if w == nil {
		return nil, fmt.Errorf("%s: the model keeps no witnesses of its fit (method %s); write it anew with `sipc run --out DIR`", path, m.Represent.Method)
	}
	out := *w
	out.Model, out.Program, out.SpecSHA256, out.DataSHA256 = path, writer(m), m.About.SpecSHA256, m.About.DataSHA256
	out.File = m.File()
	out.Invariances = []report.Witness{} // nothing is null in JSON, as it is in the file
	total := 0.0
	for _, inv := range w.Invariances {
		total += inv.Weight * inv.Weight * float64(inv.Value) * float64(inv.Value)
		inv.Statements, inv.Members = append([]report.WitnessStatement{}, inv.Statements...), append([]report.WitnessMember{}, inv.Members...)
		out.Invariances = append(out.Invariances, inv)
	}
	out.Value = report.Number(math.Sqrt(total))
	return &out, nil
}

// writer returns the program that wrote a model.
func writer(m *model.Model) string {
	if m.About.Program == "" {
		return "the program"
	}
	return m.About.Program
}
