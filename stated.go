package sipc

import (
	"context"
	"errors"
	"fmt"
	"math"
	"runtime"
	"slices"
	"strings"

	"gonum.org/v1/gonum/mat"

	"github.com/sipc-ml/sipc/compiler"
	"github.com/sipc-ml/sipc/compiler/codes"
	"github.com/sipc-ml/sipc/dsl"
	"github.com/sipc-ml/sipc/dsl/diag"
	"github.com/sipc-ml/sipc/internal/limits"
	"github.com/sipc-ml/sipc/plugins"
	"github.com/sipc-ml/sipc/runtime/dataset"
	"github.com/sipc-ml/sipc/runtime/model"
	"github.com/sipc-ml/sipc/runtime/setting"
)

// stated compiles statements about the function of a model, with its columns, types, labels and ranges. Rows are those of the options, if they name
// some. Faults in any of the texts are one *SpecError, which calls the first of them statement 1.
func stated(ctx context.Context, m *model.Model, o ProveOptions) (out []model.Requirement, warnings []string, err error) {
	if _, err := model.Proved(m); err != nil {
		return nil, nil, fmt.Errorf("%w: %w", ErrUnprovable, err)
	}
	in, faults, err := compiled(ctx, m, o.Statements)
	if err == nil {
		err = faults.err()
	}
	if err != nil {
		return nil, nil, err
	}
	rows, warnings, err := groundOf(ctx, m, o)
	if err != nil {
		return nil, nil, err
	}
	rows.Warn = faults.list.Add
	for _, one := range in {
		all, err := compiler.Require(ctx, one, rows)
		if list, ok := errors.AsType[diag.List](err); ok {
			for _, d := range list {
				d.Fixes = nil // there is no file to change
			}
			faults.list = append(faults.list, list...)
		} else if err != nil {
			return nil, nil, err
		}
		for i := range all {
			out = append(out, model.Requirement{Statement: all[i]})
		}
	}
	for _, d := range faults.list {
		warnings = append(warnings, fmt.Sprintf("%s: %s", d.Subject, d.Summary))
	}
	if err = faults.err(); err == nil && len(out) == 0 {
		err = fmt.Errorf("%w: the statements hold for no row and no element that there is, or hold no f there", ErrUnprovable)
	}
	return out, warnings, err
}

// A statementFaults is what is wrong with statements, or worth saying, and their texts.
type statementFaults struct {
	list    diag.List
	sources diag.Sources
}

// err returns a *SpecError if there is an error, else nil.
func (f *statementFaults) err() error {
	if !f.list.HasErrors() {
		return nil
	}
	return &SpecError{Diagnostics: f.list, Sources: f.sources}
}

// compiled parses statements and compiles each by itself. Names must differ, as verdicts are told by them.
func compiled(ctx context.Context, m *model.Model, texts []string) ([]*compiler.Instance, *statementFaults, error) {
	var out []*compiler.Instance
	faults := &statementFaults{sources: diag.Sources{}}
	named := map[string]diag.Span{}
	known, k := settingsOf(m.About.Preparation), m.Represent.Features.Kernel().Setting()
	for i, text := range texts {
		name := fmt.Sprintf("statement %d", i+1)
		if strings.TrimSpace(text) == "" {
			return nil, nil, fmt.Errorf("%s is empty; write it as behind `require`: 'f(x) >= 0 over x in box'", name)
		}
		faults.sources[name] = []byte(text)
		file, wrong := dsl.ParseRequirement(name, name, []byte(text))
		if faults.list = append(faults.list, wrong...); wrong.HasErrors() {
			continue
		}
		decl := file.Decls[0].(*dsl.Require) //nolint:forcetypeassert // ParseRequirement reads no other
		if first, taken := named[decl.Name.Name]; taken {
			faults.list.Add(&diag.Diagnostic{
				Code: codes.DuplicateName, Subject: decl.Name.Span(), Summary: decl.Name.Name + " is declared twice",
				Related: []diag.Related{{Span: first, Message: "first declared here"}}, Mend: "Rename one of them.",
			})
		}
		named[decl.Name.Name] = decl.Name.Span()
		in, said := compiler.State(ctx, file, known, k, compiler.Options{
			Families: Families(), ReadFile: func(name string) ([]byte, error) { return limits.Read(name, limits.NamedBytes) },
		})
		faults.list, out = append(faults.list, said...), append(out, in)
	}
	return out, faults, ctx.Err()
}

// settingsOf returns what a preparation knows of the settings of data, as the compiler reads them.
func settingsOf(p *dataset.Preparation) setting.Data {
	d := setting.Data{
		Target:  setting.Target{Task: p.Target.Task, Names: p.Target.Columns, Levels: p.Target.Levels},
		Columns: setting.Columns{Height: p.Height, Width: p.Width}, Types: slices.Clone(p.Types), ID: p.ID,
		Missing: p.Missing, Outside: p.Outside, Gaps: p.Gaps, Weight: p.Weight, Normalize: p.Normalize,
	}
	switch names := p.Target.LabelNames; {
	case p.Target.Task == setting.Multilabel:
		d.Target.Names = names
	case p.Target.Task == setting.Binary && len(names) == len(d.Target.Classes):
		d.Target.Classes = [2]string(names)
	}
	if len(d.Types) == 0 {
		return d
	}
	// Beside declared columns a statement may name the others that the spec picked.
	for i := range p.Features {
		f := &p.Features[i]
		if slices.ContainsFunc(d.Types, func(t setting.ColumnType) bool { return t.Column == f.Name }) {
			continue
		}
		t := setting.ColumnType{Column: f.Name, Low: math.Inf(-1), High: math.Inf(1)}
		if f.Text && f.Weights == nil {
			t = setting.ListOf(f.Name, f.Categories)
		}
		d.Types = append(d.Types, t)
	}
	d.Closed = true
	return d
}

// groundOf returns the rows of the options as the compiler sees them, and what there is to warn of. They are prepared as the training rows of the
// model were. Without a file or a table there are no rows.
func groundOf(ctx context.Context, m *model.Model, o ProveOptions) (*compiler.Ground, []string, error) {
	p := m.About.Preparation
	g, warnings, err := rowsOfStatements(ctx, m, o)
	if err != nil {
		return nil, nil, err
	}
	g.File = func(ctx context.Context, name string) (plugins.Matrix, []string, error) {
		t, err := openData(ctx, name)
		if err != nil {
			return plugins.Matrix{}, nil, err
		}
		s, err := p.Apply(ctx, t)
		if err != nil {
			return plugins.Matrix{}, nil, err
		}
		names := slices.Clone(dataset.AllIDs(s))
		for i := range names {
			if !s.Named { // as row 3 of the data is called 3, too
				names[i] = t.Path + ":" + names[i]
			}
		}
		x := mat.DenseCopyOf(s.X) // the ground outlives the set
		runtime.KeepAlive(s)
		return matrix(x), names, nil
	}
	return g, warnings, nil
}

// rowsOfStatements returns the rows without what reads further files.
func rowsOfStatements(ctx context.Context, m *model.Model, o ProveOptions) (*compiler.Ground, []string, error) {
	p, t := m.About.Preparation, o.Rows
	if o.Data == "" && t == nil {
		g := ground(dataset.Rowless(p), m.About.Seed, nil)
		g.Rows.Cols, g.Rowless, g.Column = len(g.Columns), true, columnsOf(p)
		return g, nil, nil
	}
	if t == nil {
		var err error
		if t, err = openData(ctx, o.Data); err != nil {
			return nil, nil, err
		}
	}
	s, err := p.Apply(ctx, t)
	if err != nil {
		return nil, nil, err
	}
	warnings := s.Warnings
	if !s.HasTarget {
		s = s.Untold()
	}
	return ground(s, m.About.Seed, nil), warnings, nil
}

// columnsOf returns which columns of a file hold numbers and which texts, without rows.
func columnsOf(p *dataset.Preparation) func(name string) (numbers []float64, texts []string, ok bool) {
	return func(name string) (numbers []float64, texts []string, ok bool) {
		i := slices.IndexFunc(p.Features, func(f dataset.Feature) bool { return f.Name == name })
		switch {
		case i < 0:
			return nil, nil, false
		case p.Features[i].Text:
			return nil, p.Features[i].Categories, true
		}
		return []float64{}, nil, true
	}
}
