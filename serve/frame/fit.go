package frame

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"math"
	"path/filepath"
	"slices"
	"time"

	sipc "github.com/sipc-ml/sipc"
	"github.com/sipc-ml/sipc/dsl/diag"
	"github.com/sipc-ml/sipc/internal/limits"
	"github.com/sipc-ml/sipc/runtime/dataset"
	"github.com/sipc-ml/sipc/runtime/report"
	"github.com/sipc-ml/sipc/runtime/setting"
)

// specArgs are what a spec is read from.
type specArgs struct {
	Spec   string            `json:"spec"`   // its text
	Name   string            `json:"name"`   // by which messages call it; empty stands for spec.inv
	Folder string            `json:"folder"` // of the files that it names; empty stands for that of the process
	Set    map[string]string `json:"set"`    // overrides of lets
	// Aim says what is learnt, where the spec has no target: classes, labels or numbers. Of a spec that has one, it must be the same. Empty leaves it
	// to the spec.
	Aim     string   `json:"aim"`
	Classes []string `json:"classes"` // in order; two make a binary target
}

// fitArgs are those of fit.
type fitArgs struct {
	specArgs
	rowsArgs
	Test       *rowsArgs `json:"test"` // rows that figures are of; without them there are none
	Gap        float64   `json:"gap"`
	Seed       *uint64   `json:"seed"`
	Method     string    `json:"method"`
	Iterations int       `json:"iterations"`
	Seconds    float64   `json:"seconds"` // after which the work ends with what it has; 0 sets no limit
	Memory     int64     `json:"memory"`  // bytes that the work may take; 0 leaves it to the machine
	Strict     bool      `json:"strict"`
	Baseline   bool      `json:"baseline"` // method plain is measured on the test rows, too
	Unmeasured bool      `json:"unmeasured"`
	Progress   bool      `json:"progress"`
}

// rowsArgs are rows with what is told of them.
type rowsArgs struct {
	Table  *tableArgs `json:"table"`
	Target *tableArgs `json:"target"` // columns of the target; a single one may have any name
	Weight *tableArgs `json:"weight"` // one column
}

// fitted is the result of fit.
type fitted struct {
	*about
	Report json.RawMessage `json:"report"`
	Text   string          `json:"text"`             // the report as a table
	Missed string          `json:"missed,omitempty"` // why the results should not be used unseen
	Open   string          `json:"unproved,omitempty"`
}

// The aims of a client that leaves the target to the server.
const (
	aimClasses = "classes"
	aimLabels  = "labels"
	aimNumbers = "numbers"
)

// fit fits a model. All rows of the table train.
func fit(ctx context.Context, c *call) (any, error) {
	var args fitArgs
	if err := decode(c.Args, &args); err != nil {
		return nil, err
	}
	if args.Table == nil || args.Target == nil {
		return nil, callFault("fit needs a table and a target")
	}
	ctx, stop, err := args.bound(ctx)
	if err != nil {
		return nil, err
	}
	defer stop()
	c.asked = args.Progress
	spec, err := args.open(ctx, &args.rowsArgs)
	if err != nil {
		return nil, err
	}
	defer spec.Close() //nolint:errcheck // a plugin that does not end well has done its work
	o, err := args.options(spec, c)
	if err != nil {
		return nil, err
	}
	made, err := sipc.Perform(ctx, spec, o)
	if err != nil {
		return nil, limits.Late(ctx, err)
	}
	c.warnAll(untold(made.Report))
	return c.keep(made)
}

// keep keeps a fitted model, adds its file to the answer, and describes it.
func (c *call) keep(made *sipc.Outcome) (any, error) {
	data, name, err := fileOf(made.Model)
	if err != nil {
		return nil, err
	}
	made.Model.SHA256 = name
	c.server.models.keep(name, made.Model)
	c.add("model", "u1", data, len(data))
	var text, object bytes.Buffer
	if err := errors.Join(made.Report.WriteTable(&text), made.Report.WriteJSON(&object)); err != nil {
		return nil, err
	}
	return &fitted{
		about: aboutModel(made.Model, name), Report: object.Bytes(), Text: text.String(), Missed: made.Report.Missed, Open: report.Unproved(made.Report.Required),
	}, nil
}

// untold returns the warnings of a report that the caller was not told of as diagnostics.
func untold(r *report.Report) []string {
	return slices.DeleteFunc(slices.Clone(r.Warnings), func(text string) bool { return slices.Contains(r.Told, text) })
}

// bound returns a context that keeps the limits of a call.
func (a *fitArgs) bound(ctx context.Context) (context.Context, context.CancelFunc, error) {
	const longest = 366 * 24 * 3600
	switch {
	case !(a.Seconds >= 0 && a.Seconds <= longest):
		return nil, nil, callFault("seconds is %g; write a time above 0, or 0 for none", a.Seconds)
	case a.Memory != 0 && a.Memory < limits.LeastMemory:
		return nil, nil, callFault("memory is %d bytes, too little for any work; give %s at least", a.Memory, limits.Size(limits.LeastMemory))
	case !(a.Gap >= 0) || math.IsInf(a.Gap, 0):
		return nil, nil, callFault("gap is %g; write a number above 0", a.Gap)
	case a.Iterations < 0:
		return nil, nil, callFault("iterations is %d; write a number above 0", a.Iterations)
	}
	if a.Memory > 0 {
		ctx = limits.WithMemory(ctx, a.Memory)
	}
	if a.Seconds == 0 {
		return ctx, func() {}, nil
	}
	ctx, stop := limits.WithTime(ctx, time.Duration(a.Seconds*float64(time.Second)))
	return ctx, stop, nil
}

// options returns those of a run on the tables of a message.
func (a *fitArgs) options(spec *sipc.Spec, c *call) (sipc.RunOptions, error) {
	o := sipc.RunOptions{
		Whole: true, Keep: true, Gap: a.Gap, Seed: a.Seed, Method: setting.Method(a.Method), MaxIterations: a.Iterations, Strict: a.Strict, Baseline: a.Baseline,
		Unmeasured: a.Unmeasured, Data: a.Table.Name,
	}
	known := []setting.Method{"", setting.Embed, setting.Warp, setting.Plain, setting.Risk, setting.Dual}
	if !slices.Contains(known, o.Method) {
		return o, callFault("the method %q is none of %s", a.Method, known[1:])
	}
	if a.Baseline && a.Test == nil {
		return o, callFault("baseline needs test rows")
	}
	data, err := a.whole(spec, c.buffers)
	if err != nil {
		return o, err
	}
	var test *dataset.Table
	if a.Test != nil {
		if a.Test.Table == nil || a.Test.Target == nil {
			return o, callFault("test needs a table and a target")
		}
		if test, err = a.Test.whole(spec, c.buffers); err != nil {
			return o, err
		}
		o.Test = a.Test.Table.Name
	}
	o.Open = func(ctx context.Context, path string) (*dataset.Table, error) {
		switch path {
		case data.Path:
			return data, nil
		case o.Test:
			return test, nil
		}
		return dataset.Open(ctx, path)
	}
	if o.Test == o.Data && test != nil {
		return o, callFault("table and test are both called %s; give each a name of its own", o.Data)
	}
	o.Warn = func(d *diag.Diagnostic) {
		c.warn(&warning{Text: d.Summary, Code: string(d.Code), Rendered: render(diag.List{d}, spec.Sources())})
	}
	if a.Progress {
		o.Progress = c.progress
	}
	return o, nil
}

// open reads the spec, which is completed by what rows hold. It has no errors then.
func (a *specArgs) open(ctx context.Context, rows *rowsArgs) (*sipc.Spec, error) {
	path := a.Name
	if path == "" {
		path = "spec.inv"
	}
	if a.Folder != "" && !filepath.IsAbs(path) {
		path = filepath.Join(a.Folder, path)
		if here, err := filepath.Abs("."); err == nil {
			if near, err := filepath.Rel(here, path); err == nil && filepath.IsLocal(near) {
				path = near
			}
		}
	}
	source, err := a.complete(path, rows)
	if err != nil {
		return nil, err
	}
	spec := sipc.NewSpec(ctx, path, source, sipc.SpecOptions{Set: a.Set})
	if err := errors.Join(ctx.Err(), spec.Err()); err != nil {
		return nil, errors.Join(err, spec.Close())
	}
	if err := a.suits(spec.Plan.Data.Target.Task); err != nil {
		return nil, errors.Join(err, spec.Close())
	}
	return spec, nil
}

// complete returns the text of the spec with a target and weights, where it has none.
func (a *specArgs) complete(path string, rows *rowsArgs) ([]byte, error) {
	var with sipc.Completion
	switch a.Aim {
	case "":
	case aimClasses:
		if with.Task = setting.Class; len(a.Classes) == 2 {
			with.Task, with.Classes = setting.Binary, [2]string(a.Classes)
		}
	case aimLabels:
		with.Task = setting.Multilabel
	case aimNumbers:
		with.Task = setting.Real
	default:
		return nil, callFault("the aim %q is none of %s, %s and %s", a.Aim, aimClasses, aimLabels, aimNumbers)
	}
	if rows.Target != nil {
		with.Target = rows.Target.names()
	}
	if with.Task != "" && len(with.Target) == 0 {
		with.Target = []string{"y"}
	}
	if rows.Weight != nil {
		if names := rows.Weight.names(); len(names) == 1 {
			with.Weight = names[0]
		}
	}
	return sipc.Complete(path, []byte(a.Spec), with), nil
}

// suits returns an error for a spec whose target is not what the client aims at.
func (a *specArgs) suits(task setting.Task) error {
	is := aimNumbers
	switch task {
	case setting.Binary, setting.Class:
		is = aimClasses
	case setting.Multilabel:
		is = aimLabels
	case setting.NoTask, setting.Real, setting.Counts, setting.Quantiles:
	}
	if a.Aim != "" && a.Aim != is {
		return callFault("the target of the spec is %s: it learns %s, and what is given are %s", task, is, a.Aim)
	}
	return nil
}

// names returns the names of all columns.
func (t *tableArgs) names() (out []string) {
	for i := range t.Blocks {
		out = append(out, t.Blocks[i].Names...)
	}
	return out
}

// whole returns the table of rows with their target and weights. A target of one column has the name that the spec gives it, and so have weights.
func (r *rowsArgs) whole(spec *sipc.Spec, buffers [][]byte) (*dataset.Table, error) {
	columns, err := r.Table.columns(buffers)
	if err != nil {
		return nil, err
	}
	target, err := r.Target.columns(buffers)
	if err != nil {
		return nil, err
	}
	if names := spec.Plan.Data.Target.Names; len(names) == len(target) && (len(target) == 1 || r.Target.Unnamed) {
		for i, name := range names {
			target[i].Name = name
		}
	}
	columns = append(columns, target...)
	if r.Weight != nil {
		weight, err := r.Weight.columns(buffers)
		if err != nil {
			return nil, err
		}
		if len(weight) != 1 {
			return nil, callFault("weights are one column, and not %d", len(weight))
		}
		weight[0].Name = spec.Plan.Data.Weight
		columns = append(columns, weight[0])
	}
	for _, part := range []*tableArgs{r.Target, r.Weight} {
		if part != nil && part.Rows != r.Table.Rows {
			return nil, callFault("%s has %d rows, and %s %d", r.Table.Name, r.Table.Rows, part.Name, part.Rows)
		}
	}
	return dataset.FromColumns(r.Table.Name, columns)
}
