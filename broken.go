package sipc

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/mat"

	"github.com/sipc-ml/sipc/compiler"
	"github.com/sipc-ml/sipc/compiler/codes"
	"github.com/sipc-ml/sipc/dsl/diag"
	"github.com/sipc-ml/sipc/runtime/model"
	"github.com/sipc-ml/sipc/runtime/regularizer"
	"github.com/sipc-ml/sipc/runtime/report"
)

// atTest measures each invariance by the test rows at a fitted model, by the scores that it gives them, or says why it cannot.
func (x *examiner) atTest(ctx context.Context, f *model.Fitting, scores *mat.Dense) ([]*model.Elsewhere, error) {
	out := make([]*model.Elsewhere, len(f.Values))
	for k := range f.Values {
		reg, why, err := x.onTestRows(ctx, f.Regularizer.Invariances[k].Name)
		if err != nil {
			return nil, err
		}
		out[k] = model.UnknownElsewhere(why)
		if reg != nil {
			if out[k], err = f.Elsewhere(ctx, reg, 0, x.rows.Test, scores); err != nil {
				return nil, err
			}
		}
		if f.Kept[k] == nil {
			out[k].Broken = nil
		}
	}
	return out, nil
}

// A grounded is an invariance on the test rows, and why it cannot be where it is nil.
type grounded struct {
	reg *regularizer.Regularizer
	why string
}

// mostTested bounds the functionals of a two-sided invariance on the test rows, unless the training rows have more. Its value there is
// not worth the memory of a square of many rows.
const mostTested = 1 << 22

// mostAtTest returns how many functionals test rows may have of an invariance; 0 sets no bound of its own.
func (x *examiner) mostAtTest(name string) int {
	for k := range x.reg.Invariances {
		inv := &x.reg.Invariances[k]
		if inv.Name == name && inv.Kind != regularizer.Sublinear && !model.OnRows(x.reg, k) {
			return max(mostTested, inv.Count)
		}
	}
	return 0
}

// onTestRows returns what groundTest does, which it asks once of each invariance.
func (x *examiner) onTestRows(ctx context.Context, name string) (*regularizer.Regularizer, string, error) {
	if t, ok := x.tested[name]; ok {
		return t.reg, t.why, nil
	}
	reg, why, err := x.groundTest(ctx, name)
	if err == nil {
		x.tested[name] = grounded{reg, why}
	}
	return reg, why, err
}

// groundTest grounds one invariance on the test rows. It returns nil and why if the invariance says nothing
// of them. None of its elements is among them, or its family makes none of them, or a factor has no value there. A warning tells of factors.
func (x *examiner) groundTest(ctx context.Context, name string) (reg *regularizer.Regularizer, why string, err error) {
	g := ground(x.rows.Test, x.rows.Seed, nil)
	g.Most = x.mostAtTest(name)
	if x.rows.apart && !x.rows.Test.Named {
		g.RowID = slices.Repeat([]string{compiler.Nameless}, x.rows.Test.Len()) // edges are of the numbers of training rows
	}
	reg, err = x.instance.Only(name).Ground(ctx, g)
	list, ok := errors.AsType[diag.List](err)
	switch {
	case !ok:
		return reg, "", err
	case list[0].Code == codes.EmptyIndexSet:
		return nil, model.NoneThere, nil
	case list[0].Code == codes.TooLarge && g.Most > 0:
		return nil, fmt.Sprintf("it has more than %d functionals there", g.Most), nil
	case list[0].Code == codes.FamilyFailed && !list[0].FamilyFault: // what holds of other rows is refused, and has not failed
		return nil, list[0].Summary, nil
	case list[0].Code == codes.NegativeFactorInData || list[0].Code == codes.NoNumber:
		d := *list[0]
		d.Severity, d.Detail = diag.Warning, strings.TrimSpace(d.Detail+" "+name+" is not judged on the test rows.")
		x.warn(&d)
		return nil, list[0].Summary, nil
	}
	return nil, "", err
}

// summands returns the invariances at the function that predicts, and how often it breaks them.
func (e *evaluation) summands(f *model.Fitting) []report.Summand {
	var out []report.Summand
	for k := range f.Regularizer.Invariances {
		inv := &f.Regularizer.Invariances[k]
		s := report.Summand{
			Name: inv.Name, Kind: regularizer.KindText(inv.Kind, inv.Smooth), Weight: inv.Weight, Functionals: inv.Count,
			Value: report.Number(math.NaN()),
		}
		if len(f.Values) > 0 {
			at := e.tested[k]
			s.Value, s.Unknown, s.Broken = report.Number(f.Values[k]), f.Unknown[k], f.Kept[k].Report(at.Broken)
			s.Test = &at.Tested
		}
		if len(f.Between) > 0 {
			s.Between = string(f.Between[k].Between)
		}
		if len(f.Sampled) > 0 {
			s.Sampled = f.Sampled[k]
		}
		out = append(out, s)
	}
	return out
}

// inWitnesses completes witnesses by what is known of the test rows.
func (e *evaluation) inWitnesses(w *report.Witnesses, f *model.Fitting) {
	for inv, k := range witnessed(w, f) {
		inv.Broken, inv.Test = f.Kept[k].Report(e.tested[k].Broken), &e.tested[k].Tested
	}
}

// besideWitnesses completes witnesses of another model by a baseline.
func (e *evaluation) besideWitnesses(w *report.Witnesses, f *model.Fitting) {
	for inv, k := range witnessed(w, f) {
		inv.Baseline = &report.WitnessBaseline{Value: report.Number(f.Values[k]), Broken: f.Kept[k].Report(e.tested[k].Broken), Test: &e.tested[k].Tested}
	}
}

// witnessed returns the invariances of witnesses, which may be nil, and their places in the R of a model.
func witnessed(w *report.Witnesses, f *model.Fitting) iter.Seq2[*report.Witness, int] {
	return func(yield func(*report.Witness, int) bool) {
		if w == nil {
			return
		}
		for i := range w.Invariances {
			inv := &w.Invariances[i]
			k := slices.IndexFunc(f.Regularizer.Invariances, func(own regularizer.Invariance) bool { return own.Name == inv.Name })
			if k >= 0 && !yield(inv, k) {
				return
			}
		}
	}
}
