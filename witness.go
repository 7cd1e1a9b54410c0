package sipc

import (
	"fmt"
	"math"

	"github.com/sipc-ml/sipc/runtime/model"
	"github.com/sipc-ml/sipc/runtime/report"
)

// Witnesses returns the value of each invariance at the fit of a model that Run wrote to a file, and its active
// members.
func Witnesses(path string) (*report.Witnesses, error) {
	m, err := LoadModel(path)
	if err != nil {
		return nil, err
	}
	w := m.Witnesses
	if w == nil {
		return nil, fmt.Errorf("%s: the model keeps no witnesses of its fit: an earlier version wrote it, or a method that works none out "+
			"(this is method %s); write it anew with `sipc run --out DIR`", path, m.Represent.Method)
	}
	out := &report.Witnesses{
		Model: path, Program: writer(m), SpecSHA256: m.About.SpecSHA256, DataSHA256: m.About.DataSHA256,
		Method: string(w.Method), Rows: w.Rows, Nodes: w.Nodes, Invariances: []report.Witness{},
	}
	total := 0.0
	for i := range w.Invariances {
		inv := &w.Invariances[i]
		total += inv.Weight * inv.Weight * inv.Value * inv.Value
		out.Invariances = append(out.Invariances, witnessOf(inv))
	}
	out.Value = report.Number(math.Sqrt(total))
	return out, nil
}

// writer returns the program that wrote a model.
func writer(m *model.Model) string {
	if m.About.Program == "" {
		return "the program"
	}
	return m.About.Program
}

// witnessOf returns a witness as a report writes it.
func witnessOf(w *model.Witness) report.Witness {
	out := report.Witness{
		Name: w.Name, Kind: w.Kind, Text: w.Text, Weight: w.Weight, Value: report.Number(w.Value), Share: report.Number(w.Share),
		Functionals: w.Functionals, Active: w.Active, Spoken: w.Spoken,
		Statements: []report.WitnessStatement{}, Members: []report.WitnessMember{},
	}
	out.Sampled, out.Broken, out.Test = sampledOf(w.Sampled), brokenOf(w.Broken, w.Test), testedOf(w.Tested)
	if b := w.Baseline; b != nil {
		out.Baseline = &report.WitnessBaseline{Value: report.Number(b.Value), Broken: brokenOf(b.Broken, b.Test), Test: testedOf(b.Tested)}
	}
	for _, s := range w.Statements {
		out.Statements = append(out.Statements, report.WitnessStatement{
			Part: s.Part, Members: s.Members, Active: s.Active, Share: report.Number(s.Share),
		})
	}
	for i := range w.Members {
		out.Members = append(out.Members, witnessMember(w.Value, &w.Members[i]))
	}
	return out
}

// witnessMember returns an active member of an index set, with its part in the value of the invariance.
func witnessMember(value float64, m *model.ActiveMember) report.WitnessMember {
	out := report.WitnessMember{
		Part: m.Member.Part, Rows: m.Rows, Value: report.Number(m.Value), Share: report.Number(m.Share),
		Contribution: report.Number(m.Share * value),
	}
	for _, b := range m.Member.Bindings {
		out.At = append(out.At, report.WitnessBinding{Variable: b.Variable, Value: b.Value})
	}
	return out
}
