package frame

import (
	"context"
	"encoding/binary"
	"fmt"
	"runtime"
	"strings"

	sipc "github.com/sipc-ml/sipc"
	"github.com/sipc-ml/sipc/dsl/diag"
	"github.com/sipc-ml/sipc/runtime/blas"
	"github.com/sipc-ml/sipc/runtime/dataset"
	"github.com/sipc-ml/sipc/runtime/learn"
	"github.com/sipc-ml/sipc/runtime/model"
	"github.com/sipc-ml/sipc/runtime/report"
	"github.com/sipc-ml/sipc/runtime/setting"
)

// tellVersion tells what program this is.
func tellVersion(_ context.Context, c *call) (any, error) {
	if err := decode(c.Args, &struct{}{}); err != nil {
		return nil, err
	}
	return map[string]any{"program": "sipc " + sipc.Version, "protocol": Version, "go": runtime.Version(), "blas": blas.Name()}, nil
}

// checked is the result of check.
type checked struct {
	Spec        string       `json:"spec"` // completed
	Task        setting.Task `json:"task"`
	Method      string       `json:"method"`
	Explanation string       `json:"explanation"` // the proof of convexity, as text
	Diagnostics []diag.Entry `json:"diagnostics"` // warnings
	Rendered    string       `json:"rendered"`
}

// check proves a spec, and completes it by the columns of a target that may be given by name alone.
func check(ctx context.Context, c *call) (any, error) {
	var args struct {
		specArgs
		Target []string `json:"target"`
	}
	if err := decode(c.Args, &args); err != nil {
		return nil, err
	}
	rows := &rowsArgs{}
	if len(args.Target) > 0 {
		rows.Target = &tableArgs{Blocks: []blockArgs{{Names: args.Target}}}
	}
	spec, err := args.open(ctx, rows)
	if err != nil {
		return nil, err
	}
	defer spec.Close() //nolint:errcheck // a plugin that does not end well has done its work
	explained, err := spec.Explain(ctx, sipc.ExplainOptions{})
	if err != nil {
		return nil, err
	}
	return &checked{
		Spec: string(spec.Source), Task: spec.Plan.Data.Target.Task, Method: string(spec.Plan.At(nil).Method), Explanation: explained.Shown(),
		Diagnostics: diag.JSON(spec.Diagnostics).Diagnostics, Rendered: render(spec.Diagnostics, spec.Sources()),
	}, nil
}

// applyArgs are those of operations on a model and rows.
type applyArgs struct {
	modelArgs
	Table      *tableArgs `json:"table"`
	Strict     bool       `json:"strict"`
	Progress   bool       `json:"progress"`
	Radius     bool       `json:"radius"`     // of predict
	Proved     bool       `json:"proved"`     // of predict: what is known of each row
	Features   bool       `json:"features"`   // of embed: φ(x) in place of embeddings
	Statements []string   `json:"statements"` // of prove
	Cells      int        `json:"cells"`
	Points     int        `json:"points"` // of curves
}

// begin reads the arguments of a call, and finds the model and the rows. Rows may be nil unless they are needed.
func (c *call) begin(needed bool) (args applyArgs, m *model.Model, table *dataset.Table, err error) {
	if err := decode(c.Args, &args); err != nil {
		return args, nil, nil, err
	}
	c.asked = args.Progress
	if m, err = c.server.models.find(args.Model); err != nil {
		return args, nil, nil, err
	}
	if args.Table == nil && needed {
		return args, nil, nil, callFault("%s needs a table", c.Op)
	}
	table, err = args.Table.table(c.buffers)
	return args, m, table, err
}

// applied is what there is to say of rows that a model was applied to.
type applied struct {
	Certificate *report.Certificate `json:"certificate"`
}

// predict scores and decides rows.
func predict(ctx context.Context, c *call) (any, error) {
	args, m, table, err := c.begin(true)
	if err != nil {
		return nil, err
	}
	out, err := sipc.PredictTable(ctx, m, table, sipc.ApplyOptions{Strict: args.Strict, Radius: args.Radius, Unasked: !args.Proved, Progress: c.counted("score rows")})
	if err != nil {
		return nil, err
	}
	p := out.Predictions
	if n := table.Len() - len(p.ID); n > 0 {
		return nil, &Fault{
			Kind: KindData, Code: string(dataset.CodeGap),
			Message: fmt.Sprintf("%s: %d of %d rows have gaps, and the spec drops such rows by `missing drop`; fill them in, or leave them out", table.Path, n, table.Len()),
		}
	}
	c.addMatrix("scores", p.Scores)
	c.addDecided(p.Decided)
	if p.Probabilities != nil {
		c.addMatrix("probabilities", p.Probabilities)
	}
	if p.Standing != nil {
		proved := make([]byte, len(p.Standing))
		for i, s := range p.Standing {
			if s == sipc.Kept {
				proved[i] = 1
			}
		}
		c.add("proved", "u1", proved, len(proved))
	}
	if p.Radii != nil {
		c.add("radius", "f8", appendNumbers(nil, p.Radii), len(p.Radii))
	}
	c.warnAll(out.Warnings)
	return &applied{out.Certificate}, nil
}

// addDecided adds decisions to the answer: positions of classes, numbers, or labels as 0 and 1. Quantiles are their scores.
func (c *call) addDecided(p *learn.Prediction) {
	switch {
	case p.Class != nil:
		data := make([]byte, 0, 8*len(p.Class))
		for _, k := range p.Class {
			data = binary.LittleEndian.AppendUint64(data, uint64(k)) //nolint:gosec // positions are not negative
		}
		c.add("decided", "i8", data, len(p.Class))
	case p.Multi != nil:
		n, m := p.Multi.Dims()
		data := make([]byte, 0, n*m)
		for i := range n {
			for _, v := range p.Multi.RawRowView(i) {
				data = append(data, byte(v))
			}
		}
		c.add("decided", "u1", data, n, m)
	case p.Real != nil:
		c.add("decided", "f8", appendNumbers(nil, p.Real), len(p.Real))
	}
}

// embed represents rows.
func embed(ctx context.Context, c *call) (any, error) {
	args, m, table, err := c.begin(true)
	if err != nil {
		return nil, err
	}
	rows, out, err := sipc.EmbedTable(ctx, m, table, args.Features, sipc.ApplyOptions{Strict: args.Strict, Progress: c.counted("embed rows")})
	if err != nil {
		return nil, err
	}
	c.addMatrix("embeddings", rows)
	c.warnAll(out.Warnings)
	return &applied{out.Certificate}, nil
}

// prove decides statements about a model.
func prove(ctx context.Context, c *call) (any, error) {
	args, m, table, err := c.begin(false)
	if err != nil {
		return nil, err
	}
	if args.Cells < 0 {
		return nil, callFault("cells is %d, and must be at least 0", args.Cells)
	}
	if table != nil && len(args.Statements) == 0 {
		return nil, callFault("a table gives rows to further statements, and there are none; those of the spec have theirs")
	}
	for i, text := range args.Statements {
		if strings.TrimSpace(text) == "" {
			return nil, &Fault{Kind: KindSpec, Message: fmt.Sprintf("statement %d is empty; write it as behind `require`: f(x) >= 0 over x in box", i+1)}
		}
	}
	found, err := sipc.Prove(ctx, m, sipc.ProveOptions{Statements: args.Statements, Rows: table, Cells: args.Cells, Progress: c.counted("prove")})
	if err != nil {
		return nil, err
	}
	var text strings.Builder
	report.WriteRequirements(&text, found.Requirements)
	c.warnAll(found.Warnings)
	return map[string]any{"statements": found.Requirements, "text": text.String(), "unproved": report.Unproved(found.Requirements)}, nil
}

// curves tells the curves of a model.
func curves(ctx context.Context, c *call) (any, error) {
	const most = 10000
	args, m, table, err := c.begin(false)
	if err != nil {
		return nil, err
	}
	if args.Points < 0 || args.Points > most {
		return nil, callFault("points is %d, and must lie between 0 and %d", args.Points, most)
	}
	all, err := sipc.Curves(ctx, m, sipc.CurveOptions{Rows: table, Points: args.Points})
	if err != nil {
		return nil, err
	}
	for i := range all {
		c.add("at", "f8", appendNumbers(nil, all[i].At), len(all[i].At))
		var values []byte
		for _, of := range all[i].Values {
			values = appendNumbers(values, of)
		}
		c.add("values", "f8", values, len(all[i].Values), len(all[i].At)+len(all[i].Levels))
	}
	return map[string]any{"curves": all}, nil
}

// witnesses tells what the invariances of a model come to, and which rows and members pull most.
func witnesses(ctx context.Context, c *call) (any, error) {
	_, m, _, err := c.begin(false)
	if err != nil {
		return nil, err
	}
	w, err := sipc.WitnessesOf(ctx, m, "the model", "")
	if err != nil {
		return nil, callFault("%s", err)
	}
	return map[string]any{"witnesses": w, "text": w.Text()}, nil
}
