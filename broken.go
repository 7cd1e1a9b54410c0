package sipc

import (
	"context"
	"errors"
	"fmt"
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
	"github.com/sipc-ml/sipc/runtime/setting"
)

// summands returns the invariances at the function that predicts, by training and by test rows, and how often it breaks them. It says why
// test rows cannot measure one.
func (x *examiner) summands(ctx context.Context, f *model.Fitting, scores *mat.Dense) ([]report.Summand, error) {
	var out []report.Summand
	for k := range f.Regularizer.Invariances {
		inv := &f.Regularizer.Invariances[k]
		s := report.Summand{
			Name: inv.Name, Kind: regularizer.KindText(inv.Kind, inv.Smooth), Weight: inv.Weight, Functionals: inv.Count,
			Value: report.Number(math.NaN()),
		}
		if len(f.Measured) > 0 {
			own := &f.Measured[k]
			tested, err := x.atTest(ctx, f, inv.Name, scores)
			if err != nil {
				return nil, err
			}
			s.Value, s.Unknown, s.Sampled, s.Broken, s.Test = own.Value, own.Unknown, own.Sampled, own.BrokenWith(tested), &tested.Tested
			if s.Orbit, err = x.overOrbit(ctx, f, inv.Name); err != nil {
				return nil, err
			}
			if s.Searched, err = x.searchWorst(ctx, f, f.Regularizer, inv.Name); err != nil {
				return nil, err
			}
			if s.Searched != nil && s.Searched.Fits == 0 { // the members are those of another function
				s.Value = s.Searched.Value
			}
			if s.Drawn, err = overSample(ctx, x, f, inv, &s); err != nil {
				return nil, err
			}
			grow(x, f.Regularizer, inv, s.Test)
		}
		if parts := f.Regularizer.Parts; parts != nil { // of which the first is counted
			s.Functionals = s.Functionals * parts.All / parts.Held
		}
		if len(f.Between) > 0 {
			s.Between = string(f.Between[k].Between)
		}
		out = append(out, s)
	}
	return out, nil
}

// measures returns the measures at the function that predicts, as summands does invariances. Without values of R, there are none.
func (x *examiner) measures(ctx context.Context, f *model.Fitting, scores *mat.Dense) ([]report.Summand, error) {
	var out []report.Summand
	if !f.Measures() {
		return nil, nil
	}
	for _, name := range x.instance.Measures() {
		reg, err := x.onTraining(ctx, name)
		if err != nil {
			return nil, err
		}
		own, err := f.AtTraining(ctx, reg, 0, x.rows.seen)
		if err != nil {
			return nil, err
		}
		tested, err := x.atTest(ctx, f, name, scores)
		if err != nil {
			return nil, err
		}
		orbit, err := x.overOrbit(ctx, f, name)
		if err != nil {
			return nil, err
		}
		searched, err := x.searchWorst(ctx, f, reg, name)
		if err != nil {
			return nil, err
		}
		if searched != nil {
			own.Value = searched.Value
		}
		inv := &reg.Invariances[0]
		s := report.Summand{
			Name: name, Kind: regularizer.KindText(inv.Kind, inv.Smooth), Functionals: inv.Count,
			Value: own.Value, Unknown: own.Unknown, Sampled: own.Sampled, Broken: own.BrokenWith(tested), Test: &tested.Tested, Orbit: orbit, Searched: searched,
		}
		if s.Drawn, err = overSample(ctx, x, f, inv, &s); err != nil {
			return nil, err
		}
		grow(x, reg, inv, s.Test)
		out = append(out, s)
	}
	return out, nil
}

// overSample says over how many rows an invariance is that draws them, and how strongly others violate it at a fitted function. Its value on the sample is
// that of the summand. It returns nil for one over all rows, and beside another method.
func overSample(ctx context.Context, x *examiner, f *model.Fitting, inv *regularizer.Invariance, own *report.Summand) (*report.Drawn, error) {
	all := x.rows.seen.Len()
	drawn, variable, outermost := compiler.DrawnRows(x.instance, inv.Name, all)
	if drawn == 0 || drawn == all || f.Model.Represent.Method != x.method {
		return nil, nil //nolint:nilnil // as the comment says
	}
	held, others := compiler.HeldRows(x.instance, inv.Name, grounding(x.rows, x.rows.seen, nil))
	out := &report.Drawn{Rows: drawn, Of: all, Variable: variable, Others: others}
	if !outermost || inv.Gauge.Repeat == 0 || own.Unknown != "" || out.Others == 0 {
		return out, nil
	}
	x.rows.step("measure " + inv.Name + " by rows that no sample holds")
	rest := min(out.Others, mostOthers, max(leastOthers, drawn, mostOthers*drawn/max(1, inv.Count)))
	embeds := !linear(x.method, f.Regularizer)
	if embeds {
		rest = min(rest, othersEmbedded)
	}
	reg, values, err := byOthers(ctx, x, f, inv.Name, held, rest)
	if err == nil && reg == nil && embeds {
		rest = min(rest, leastOthers)
		reg, values, err = byOthers(ctx, x, f, inv.Name, held, rest)
	}
	if err != nil || reg == nil || reg.Gauge.Repeat == 0 {
		return out, err
	}
	tellOthers(out, own, inv.Gauge, partsOf(reg, values), rest, x.rows.seen.ID)
	out.AtLeast = out.Looked > 0 && compiler.Searched(x.instance, inv.Name)
	return out, nil
}

// byOthers grounds an invariance on so many rows that are not held, and returns the values of its functionals at a fitted function. It returns nil
// where it says nothing of them, or where their embeddings would take too much work.
func byOthers(ctx context.Context, x *examiner, f *model.Fitting, name string, held []bool, rest int) (*regularizer.Invariance, []float64, error) {
	ground := func(ctx context.Context, in *compiler.Instance, s compiler.Sample) (*regularizer.Regularizer, error) {
		g := grounding(x.rows, x.rows.seen, nil)
		g.Sample, g.Rest, g.Held, g.Nodes = s, rest, held, f.Regularizer.Nodes
		return in.Ground(ctx, g)
	}
	reg, err := ground(ctx, x.instance.Only(name), compiler.Sample{})
	if err == nil && compiler.Searched(x.instance, name) {
		reg, err = x.worstOn(ctx, f, reg, name, x.rows.seen, ground)
	}
	if list, ok := errors.AsType[diag.List](err); ok && list[0].Code != codes.FamilyFailed {
		return nil, nil, nil
	}
	if err != nil {
		return nil, nil, err
	}
	values, err := f.ValuesAt(ctx, reg, 0, x.rows.seen)
	if err != nil && model.Unmeasured(err) != "" {
		return nil, nil, nil
	}
	return &reg.Invariances[0], values, err
}

// onTraining grounds a measure on the rows that R sees, once.
func (x *examiner) onTraining(ctx context.Context, name string) (*regularizer.Regularizer, error) {
	if reg := x.trained[name]; reg != nil {
		return reg, nil
	}
	reg, err := x.rows.ground(ctx, x.instance.Only(name), x.warn)
	if err != nil {
		return nil, err
	}
	x.trained[name] = reg
	return reg, nil
}

// atTest measures an invariance by the test rows at a fitted model, by the scores that it gives them, or says why it cannot.
func (x *examiner) atTest(ctx context.Context, f *model.Fitting, name string, scores *mat.Dense) (*model.Measured, error) {
	if x.rows.Test.Len() == 0 {
		return model.UnknownMeasure("there are no test rows"), nil
	}
	reg, why, err := x.onTestRows(ctx, name)
	switch {
	case err != nil:
		return nil, err
	case reg == nil:
		return model.UnknownMeasure(why), nil
	}
	if compiler.Searched(x.instance, name) {
		if reg, err = x.worstOn(ctx, f, reg, name, x.rows.Test, x.groundOnTest); err != nil {
			return nil, err
		}
	}
	test := heldOf(x.reg, x.rows.Test)
	m, err := f.Elsewhere(ctx, reg, 0, test, scores)
	if err == nil && test != x.rows.Test && m.Unknown == "" {
		m.Sampled = &report.Sampled{Elements: test.Len(), Of: x.rows.Test.Len()}
	}
	return m, err
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

// grow says what a value by test rows would be for as many elements as an invariance has by the rows that R sees.
func grow(x *examiner, reg *regularizer.Regularizer, inv *regularizer.Invariance, test *report.Tested) {
	if at := x.tested[inv.Name].reg; test.Value > 0 && reg.Parts == nil && at != nil {
		if by := growth(inv.Gauge, at.Invariances[0].Gauge); by != 1 {
			test.AsMany = report.Number(by) * test.Value
		}
	}
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
	g := x.testGround()
	g.Most = x.mostAtTest(name)
	if x.rows.Test.Task == setting.Multilabel && slices.Contains(x.judging(), name) {
		g.Rest = -1 // decisions are judged at every row
	}
	looks := drawTest(ctx, x, name, g)
	if reg, err = x.instance.Only(name).Ground(ctx, g); err == nil {
		reg.Looks = looks
	}
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

// drawTest lets families move those test rows alone by which an invariance will be measured, where it is a mean over rows. It returns at how many points
// it looks by all of them, 0 where it takes all. All are taken where the few that are probed fail, as others may not.
func drawTest(ctx context.Context, x *examiner, name string, g *compiler.Ground) (looks int) {
	test, in := heldOf(x.reg, x.rows.Test), x.instance.Only(name)
	if test.Len() <= probedRows || test.Weight != nil || !compiler.Apart(in) || !linear(x.method, x.reg) {
		return 0
	}
	probe, err := in.Ground(ctx, ground(leading(test, probedRows), x.rows.Seed, nil))
	if err != nil || probe.Kind() == regularizer.Sublinear || probe.Invariances[0].Gauge.Repeat != probedRows {
		return 0
	}
	looks = test.Len() * probe.Functionals.Points.Rows / probedRows
	if g.Only = model.DrawnElsewhere(test.Len(), looks); g.Only == nil {
		return 0
	}
	return looks
}

// linear reports whether the function that a method finds under an R is one of features alone.
func linear(method setting.Method, reg *regularizer.Regularizer) bool {
	if root := reg.Gauge(); method.Embeds() && root != nil {
		_, quadratic := root.Quadratic()
		return quadratic
	}
	return true
}

// testGround returns the test rows as the compiler sees them.
func (x *examiner) testGround() *compiler.Ground {
	g := ground(heldOf(x.reg, x.rows.Test), x.rows.Seed, nil)
	if x.rows.apart && !x.rows.Test.Named {
		g.RowID = func(int) string { return compiler.Nameless } // edges are of the numbers of training rows
	}
	return g
}

// groundOnTest grounds an instance on the test rows, with moves of orbits.
func (x *examiner) groundOnTest(ctx context.Context, in *compiler.Instance, s compiler.Sample) (*regularizer.Regularizer, error) {
	g := x.testGround()
	g.Sample = s
	return in.Ground(ctx, g)
}

// inWitnesses hands each of some summands to the witness of its name; witnesses may be nil.
func inWitnesses(w *report.Witnesses, summands []report.Summand, take func(*report.Witness, *report.Summand)) {
	for i := 0; w != nil && i < len(w.Invariances); i++ {
		inv := &w.Invariances[i]
		if k := slices.IndexFunc(summands, func(s report.Summand) bool { return s.Name == inv.Name }); k >= 0 {
			take(inv, &summands[k])
		}
	}
}
