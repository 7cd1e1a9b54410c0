package compiler

import (
	"cmp"
	"context"
	"math"
	"slices"
	"sort"

	"github.com/sipc-ml/sipc/compiler/internal/calculus"
	"github.com/sipc-ml/sipc/compiler/internal/names"
	"github.com/sipc-ml/sipc/compiler/internal/tree"
	"github.com/sipc-ml/sipc/compiler/symbols"
	"github.com/sipc-ml/sipc/dsl"
	"github.com/sipc-ml/sipc/dsl/diag"
	"github.com/sipc-ml/sipc/plugins"
	"github.com/sipc-ml/sipc/runtime/setting"
)

// Info says what a spec means, faulty or not, by place: what its names stand for and what was
// proved of its expressions. It is to a spec what types.Info is to a Go package. Editors show it.
// Resolve fills in the names, in a small part of the time, and Inspect all else.
type Info struct {
	Names    *symbols.Table
	Data     setting.Data
	Families []*plugins.Schema // in use: built in, or of `use`
	Method   setting.Method    // empty where the spec has an error
	Reason   string            // why it is this method
	Parts    []Part            // of the invariances, in the order of the source, an outer part before its inner ones
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

// Inspect checks a spec as Check does and says what it found on the way. Sound parts of a faulty
// expression have their proofs, too. It keeps no plugin running, and leaves names to Resolve.
func Inspect(ctx context.Context, file *dsl.File, opts names.Options) (*Info, diag.List) {
	c := names.NewSpec(ctx, file, opts)
	plan := compile(c)
	defer plan.Close() //nolint:errcheck // nothing is asked of the plugins any more
	c.Diags.Sort()
	info := &Info{Data: plan.first.Data, Families: schemas(c)}
	if !c.Diags.HasErrors() {
		info.Method, info.Reason = plan.first.Method, plan.first.Reason
	}
	for _, inv := range plan.first.Invariances {
		info.add(inv.Tried, nil, file.Name)
	}
	for _, r := range plan.first.Required {
		for _, c := range r.Parts {
			info.add(c.Smaller, nil, file.Name)
			info.add(c.Larger, nil, file.Name)
		}
	}
	info.sort()
	return info, c.Diags
}

// Resolve returns what Inspect finds of a spec's data block and of its families, and what its names
// stand for. It judges no expression, so that it takes a small part of the time.
func Resolve(ctx context.Context, file *dsl.File, opts names.Options) *Info {
	c := names.NewSpec(ctx, file, opts)
	plan := &Plan{checker: c}
	defer plan.Close() //nolint:errcheck // nothing is asked of the plugins any more
	p := c.Pass(nil)
	p.Out = &names.Settled{}
	p.Out.Data = data(p)
	learn(p) // which makes levels of a real target
	info := &Info{Data: p.Out.Data, Families: schemas(c)}
	info.Names = symbols.Bind(c, &info.Data, ArgsOf)
	return info
}

// schemas returns those of the families in use, built-in ones first, in the order in which their
// words became known.
func schemas(c *names.Spec) []*plugins.Schema {
	var all []*plugins.Schema
	for _, fam := range c.Families {
		all = append(all, fam.Schema)
	}
	return all
}

// add adds the judged parts of an expression that are written in the spec. A call of a definition
// stands for its body, whose parts are written elsewhere.
func (x *Info) add(n *tree.Node, outer *tree.Inlining, file string) {
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

// sort puts parts in the order of the source, an outer part before its inner ones, each place once.
func (x *Info) sort() {
	sort.SliceStable(x.Parts, func(i, j int) bool {
		a, b := x.Parts[i].Place, x.Parts[j].Place
		return a.Start.Offset < b.Start.Offset || a.Start.Offset == b.Start.Offset && a.End.Offset > b.End.Offset
	})
	x.Parts = slices.CompactFunc(x.Parts, func(a, b Part) bool { return a.Place == b.Place })
}

// At returns the smallest part around an offset. Nil means that there is none. Of two parts of one
// size the inner one is returned, as brackets have no rule of their own. Parts are in the order of
// the source, so that the search ends at the first that begins behind the offset.
func (x *Info) At(offset int) *Part {
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

// Of returns the part that stands exactly at a place, by bisection. Nil means that there is none.
func (x *Info) Of(place diag.Span) *Part {
	i, found := slices.BinarySearchFunc(x.Parts, place, func(p Part, place diag.Span) int {
		return cmp.Or(p.Place.Start.Offset-place.Start.Offset, place.End.Offset-p.Place.End.Offset)
	})
	if !found {
		return nil
	}
	return &x.Parts[i]
}
