package compiler

import (
	"context"
	"slices"

	"github.com/sipc-ml/sipc/compiler/internal/names"
	"github.com/sipc-ml/sipc/dsl"
	"github.com/sipc-ml/sipc/dsl/diag"
	"github.com/sipc-ml/sipc/runtime/setting"
)

// State compiles a statement about a function that is fitted already: file holds one `require` alone, as dsl.ParseRequirement reads it. data
// and k are what the fit knows of columns, labels and its kernel, in place of the settings of a spec. [Require] then writes the statement for the
// prepared columns. The instance is nil where the list holds an error.
func State(ctx context.Context, file *dsl.File, data setting.Data, k setting.Kernel, opts names.Options) (*Instance, diag.List) {
	c := names.NewSpec(ctx, file, opts)
	p := c.Pass(nil)
	in := &Instance{checker: c}
	p.Out = &in.Settled
	p.Out.Data, p.Out.Kernel, p.Out.Method = data, k, setting.Risk
	kinks := stated(p)
	if len(p.Bends) > 0 && !kinks {
		bendless(p)
	}
	p.Out.Axes = p.Axes
	c.Diags.Sort()
	for _, d := range c.Diags {
		d.Fixes = nil // there is no file to change
		d.Related = slices.DeleteFunc(d.Related, func(r diag.Related) bool { return r.Span.IsZero() })
	}
	if c.Diags.HasErrors() {
		return nil, c.Diags
	}
	return in, c.Diags
}
