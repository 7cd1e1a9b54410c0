package compiler

import (
	"cmp"
	"context"
	"math"
	"slices"

	"github.com/sipc-ml/sipc/compiler/internal/calculus"
	"github.com/sipc-ml/sipc/compiler/internal/explain"
	"github.com/sipc-ml/sipc/compiler/internal/names"
	"github.com/sipc-ml/sipc/compiler/internal/tree"
	"github.com/sipc-ml/sipc/dsl"
	"github.com/sipc-ml/sipc/dsl/diag"
	"github.com/sipc-ml/sipc/plugins"
	"github.com/sipc-ml/sipc/runtime/setting"
)

// An Index is what Check finds out about a spec, faulty or not, by place. Editors show it.
type Index struct {
	Data     setting.Data
	Families []*plugins.Schema // in use: built in, or of `use`
	Method   setting.Method    // empty where the spec has an error
	Reason   string            // why it is this method
	Parts    []Part            // of the invariances, in the order of the source, an outer part before its inner ones

	invariances []*tree.Invariance
}

// A Part is an expression of the spec with what the calculus proved of it.
type Part struct {
	Place    diag.Span
	Kind     tree.Kind
	Sign     tree.Sign
	Constant bool    // it holds no f; the kind has no meaning
	Value    float64 // of a constant; NaN where it has none
	Rule     string  // by which it was proved
}

// Inspect checks a spec as Check does and says what it found on the way. It keeps no plugin running.
func Inspect(ctx context.Context, file *dsl.File, opts names.Options) (*Index, diag.List) {
	c := names.NewSpec(ctx, file, opts)
	plan := compile(c)
	defer plan.Close() //nolint:errcheck // nothing is asked of the plugins any more
	c.Diags.Sort()
	index := &Index{Data: plan.first.Data, Families: schemas(c), invariances: plan.first.Invariances}
	if !c.Diags.HasErrors() {
		index.Method, index.Reason = plan.first.Method, plan.first.Reason
	}
	for _, inv := range plan.first.Invariances {
		index.add(inv.Tried, nil, file.Name)
	}
	index.sort()
	return index, c.Diags
}

// Surroundings is what Inspect finds of a spec's data block and of its families. No expression is looked at, so that it takes a
// small part of the time.
func Surroundings(ctx context.Context, file *dsl.File, opts names.Options) *Index {
	c := names.NewSpec(ctx, file, opts)
	plan := &Plan{checker: c}
	defer plan.Close() //nolint:errcheck // nothing is asked of the plugins any more
	p := c.Pass(nil)
	p.Out = &names.Settled{}
	return &Index{Data: data(p), Families: schemas(c)}
}

// schemas are those of the families in use.
func schemas(c *names.Spec) []*plugins.Schema {
	var all []*plugins.Schema
	for _, fam := range c.Families {
		all = append(all, fam.Schema)
	}
	return all
}

// add adds the judged parts of an expression that are written in the spec; a call of a definition stands for its body.
func (x *Index) add(n *tree.Node, outer *tree.Inlining, file string) {
	if n == nil {
		return
	}
	in := n.From.Inlined
	place := n.From.Span
	if in != nil {
		place = in.Call
	}
	if n.Rule != "" && place.File == file && (in == nil || in != outer && in.Up == nil) {
		part := Part{Place: place, Kind: n.Kind, Sign: n.Sign, Constant: n.Constant, Rule: n.Rule, Value: math.NaN()}
		if n.Op == tree.OpConst {
			part.Value = calculus.NewModel().Value(n)
		}
		x.Parts = append(x.Parts, part)
	}
	for _, k := range n.Kids {
		x.add(k, in, file)
	}
}

// Proof is what was proved of an invariance's body, whether or not that makes it an invariance, and its value where that is a
// number, else NaN. It is nil where there is no invariance of that name, or its body has a fault.
func (x *Index) Proof(name string) (*explain.Step, float64) {
	i := slices.IndexFunc(x.invariances, func(inv *tree.Invariance) bool { return inv.Name == name })
	if i < 0 || x.invariances[i].Tried == nil || x.invariances[i].Tried.Rule == "" {
		return nil, math.NaN()
	}
	root := x.invariances[i].Tried
	proof, value := explain.Proof(root, nil), math.NaN()
	if root.Op == tree.OpConst {
		value = calculus.NewModel().Value(root)
	}
	return &proof, value
}

func (x *Index) sort() {
	slices.SortStableFunc(x.Parts, func(a, b Part) int {
		return cmp.Or(a.Place.Start.Offset-b.Place.Start.Offset, b.Place.End.Offset-a.Place.End.Offset)
	})
	x.Parts = slices.CompactFunc(x.Parts, func(a, b Part) bool { return a.Place == b.Place })
}

// At is the smallest part around an offset, nil where there is none.
func (x *Index) At(offset int) *Part {
	var best *Part
	for i := range x.Parts {
		p := &x.Parts[i]
		if p.Place.Start.Offset > offset {
			break
		}
		if offset <= p.Place.End.Offset && (best == nil || p.Place.End.Offset-p.Place.Start.Offset <= best.Place.End.Offset-best.Place.Start.Offset) {
			best = p
		}
	}
	return best
}

// Of is the part that stands exactly at a place, nil where there is none.
func (x *Index) Of(place diag.Span) *Part {
	i, found := slices.BinarySearchFunc(x.Parts, place, func(p Part, place diag.Span) int {
		return cmp.Or(p.Place.Start.Offset-place.Start.Offset, place.End.Offset-p.Place.End.Offset)
	})
	if !found {
		return nil
	}
	return &x.Parts[i]
}
