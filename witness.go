package sipc

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/sipc-ml/sipc/runtime/model"
	"github.com/sipc-ml/sipc/runtime/report"
)

// Witnesses returns the value of each invariance at the fit of a model that Run wrote to a file, and its active
// members.
// They have the components of f over the training rows, or the rows of a data file if data is not empty.
func Witnesses(ctx context.Context, path, data string) (*report.Witnesses, error) {
	m, err := LoadModel(ctx, path)
	if err != nil {
		return nil, err
	}
	return WitnessesOf(ctx, m, path, data)
}

// WitnessesOf does what Witnesses does for a model in memory, which messages call by the given name.
func WitnessesOf(ctx context.Context, m *model.Model, path, data string) (*report.Witnesses, error) {
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
	var err error
	out.Components, err = components(ctx, m, data)
	return &out, err
}

// components returns those of a model's function. It returns nil where f is no sum over columns and pairs, and where the model keeps no rows and no data are
// given.
func components(ctx context.Context, m *model.Model, data string) (*report.Components, error) {
	if data == "" && m.Rows == nil {
		return nil, nil //nolint:nilnil // nil stands for no components
	}
	rows, err := drawnRows(ctx, m, data)
	if err != nil {
		return nil, err
	}
	s, err := takeApart(ctx, m, rows, data, nil)
	if errors.Is(err, errNoSum) {
		return nil, nil //nolint:nilnil // nil stands for no components
	}
	if err != nil {
		return nil, err
	}
	return s.table(), nil
}

// writer returns the program that wrote a model.
func writer(m *model.Model) string {
	if m.About.Program == "" {
		return "the program"
	}
	return m.About.Program
}
