package sipc

import (
	"context"
	"math"
	"slices"
	"strings"

	"github.com/sipc-ml/sipc/compiler"
	"github.com/sipc-ml/sipc/runtime/dataset"
	"github.com/sipc-ml/sipc/runtime/exchange"
	"github.com/sipc-ml/sipc/runtime/model"
	"github.com/sipc-ml/sipc/runtime/regularizer"
	"github.com/sipc-ml/sipc/runtime/report"
)

// How worst moves are searched between fits.
const (
	leastDesign  = 64 // moves of each element, unless the orbit asks for more
	searchStarts = 3
	searchSteps  = 4
	// A fit goes on while a searched R exceeds that of its members by the share toleratedExcess, for mostFits fits.
	toleratedExcess = 0.01
	mostFits        = 12
)

// How they are searched once more after the fit, by other moves.
const (
	checkDesign = 256
	checkStarts = 4
	checkSteps  = 5
	checkSeed   = 0x0b17 // added to the run's
)

// Moves of all elements that are evaluated at once, and the numbers of their points.
const (
	movesAtOnce   = 1 << 14
	numbersAtOnce = 1 << 23
)

// A hunt finds the members of the maxima over orbits in R, fit by fit.
type hunt struct {
	rows     *Prepared
	instance *compiler.Instance
	names    []string
	reg      *regularizer.Regularizer // of the last fit
	members  *exchange.Members
	fits     int
}

// newHunt returns a hunt that starts from the members of a regularizer. Nil means that R takes no maximum over an orbit.
func newHunt(s *settled) *hunt {
	names := compiler.SearchedInR(s.instance)
	if len(names) == 0 {
		return nil
	}
	h := &hunt{rows: s.rows, instance: s.instance, names: names, reg: s.reg, members: exchange.NewMembers(nil)}
	for _, name := range names {
		_, m := maximaOf(s.reg, name)
		h.members.Begin(m.Orbits())
	}
	return h
}

// maximaOf returns the number of an invariance in a regularizer, and its maxima over orbits.
func maximaOf(reg *regularizer.Regularizer, name string) (int, regularizer.Maxima) {
	k := slices.IndexFunc(reg.Invariances, func(inv regularizer.Invariance) bool { return inv.Name == name })
	return k, reg.Invariances[k].Members.(regularizer.Maxima) //nolint:forcetypeassert // so the compiler makes them
}

// ground grounds R with the members at hand, at a number of nodes of paths.
func (h *hunt) ground(ctx context.Context, nodes int, halfway bool) (*regularizer.Regularizer, error) {
	g := grounding(h.rows, h.rows.seen, nil)
	g.Nodes, g.Halfway, g.Sample = nodes, halfway, compiler.Sample{Members: sampleOf(h.members.Moves)}
	return h.instance.Ground(ctx, g)
}

// sampleOf returns moves as the compiler takes them. It keeps them, and elements may get more here.
func sampleOf(moves exchange.Moves) map[string]compiler.Members {
	out := map[string]compiler.Members{}
	for key, own := range moves {
		out[key] = slices.Clone(own)
	}
	return out
}

// next implements [model.Exchange]. It searches the worst moves at a function and adds them to the members. Nil means that no searched R exceeds that of the
// members by more than is tolerated, or that there were enough fits.
func (h *hunt) next(ctx context.Context, nodes int, at model.Values) (*regularizer.Regularizer, error) {
	h.fits++
	h.rows.step("search worst moves")
	before, added := h.members.Clone(), 0
	values := map[string]float64{}
	for _, name := range h.names {
		k, m := maximaOf(h.reg, name)
		own, err := at(ctx, h.reg, k)
		if err != nil {
			return nil, err
		}
		now := m.Maxima(own)
		h.members.Note(now)
		before.Note(now)
		values[name] = h.reg.Invariances[k].Gauge.Value(own)
		s := moveSearch{rows: h.rows, instance: h.instance.Only(name), orbits: m.Orbits(), at: at, ground: seenBy(h.rows)}
		places, err := s.run(ctx, exchange.Search{Seed: h.rows.Seed + uint64(h.fits), Design: leastDesign, Starts: searchStarts, Steps: searchSteps})
		if err != nil {
			return nil, err
		}
		added += h.members.Add(m.Orbits(), now, places)
	}
	if added > 0 && h.fits < mostFits {
		reg, err := h.ground(ctx, nodes, false)
		if err != nil {
			return nil, err
		}
		if exceeds, err := h.exceeds(ctx, reg, at, values); exceeds || err != nil {
			h.reg = reg
			return reg, err
		}
	}
	h.members = before
	return nil, nil //nolint:nilnil // as the comment says
}

// exceeds reports whether the maxima of a regularizer come to more at a function than some values, by more than is tolerated.
func (h *hunt) exceeds(ctx context.Context, reg *regularizer.Regularizer, at model.Values, values map[string]float64) (bool, error) {
	for _, name := range h.names {
		k, _ := maximaOf(reg, name)
		own, err := at(ctx, reg, k)
		if err != nil {
			return false, err
		}
		if reg.Invariances[k].Gauge.Value(own) > (1+toleratedExcess)*values[name] {
			return true, nil
		}
	}
	return false, nil
}

// A moveSearch looks for worst moves of the orbits of one invariance at a function.
type moveSearch struct {
	rows     *Prepared
	instance *compiler.Instance // with the invariance alone
	orbits   []regularizer.Orbit
	at       model.Values
	ground   moved
}

// run searches.
func (s *moveSearch) run(ctx context.Context, by exchange.Search) ([]exchange.Place, error) {
	by.Orbits, by.AtOnce = s.orbits, min(movesAtOnce, numbersAtOnce/max(1, len(s.rows.Train.Columns)))
	for _, o := range s.orbits {
		by.Design = max(by.Design, o.Moves)
	}
	by.At = func(ctx context.Context, moves exchange.Moves) ([]regularizer.Maximum, error) {
		reg, values, err := s.values(ctx, moves)
		if err != nil {
			return nil, err
		}
		_, m := maximaOf(reg, reg.Invariances[0].Name)
		return m.Maxima(values), nil
	}
	return by.Run(ctx)
}

// values returns the invariance with some members, and the values of its functionals.
func (s *moveSearch) values(ctx context.Context, moves exchange.Moves) (*regularizer.Regularizer, []float64, error) {
	reg, err := s.ground(ctx, s.instance, compiler.Sample{Members: sampleOf(moves)})
	if err != nil {
		return nil, nil, err
	}
	values, err := s.at(ctx, reg, 0)
	return reg, values, err
}

// with returns the members of the orbits, and the worst move of each place besides.
func (s *moveSearch) with(places []exchange.Place) exchange.Moves {
	out := exchange.Moves{}
	for _, o := range s.orbits {
		out[o.Key] = slices.Clone(o.Members)
	}
	for _, p := range places {
		own := &out[p.Orbit][p.Element]
		*own = append(slices.Clip(*own), p.Peaks[0].Amounts...)
	}
	return out
}

// seenBy returns what grounds an instance on the rows that R sees, with moves of orbits.
func seenBy(p *Prepared) moved {
	return func(ctx context.Context, in *compiler.Instance, s compiler.Sample) (*regularizer.Regularizer, error) {
		g := grounding(p, p.seen, nil)
		g.Sample = s
		return in.Ground(ctx, g)
	}
}

// searchWorst searches the worst moves of an invariance or a measure at a fitted function, from other moves than the fit did. It returns nil for one that
// takes no maximum over an orbit.
func (x *examiner) searchWorst(ctx context.Context, f *model.Fitting, reg *regularizer.Regularizer, name string) (*report.Searched, error) {
	if !compiler.Searched(x.instance, name) {
		return nil, nil //nolint:nilnil // as the comment says
	}
	x.rows.step("search worst moves of " + name)
	_, m := maximaOf(reg, name)
	at := func(ctx context.Context, reg *regularizer.Regularizer, k int) ([]float64, error) {
		return f.ValuesAt(ctx, reg, k, x.rows.seen)
	}
	s := moveSearch{rows: x.rows, instance: x.instance.Only(name), orbits: alone(m.Orbits()), at: at, ground: seenBy(x.rows)}
	places, err := s.run(ctx, exchange.Search{Seed: x.rows.Seed + checkSeed, Design: checkDesign, Starts: checkStarts, Steps: checkSteps})
	if err != nil {
		return nil, err
	}
	s.orbits = m.Orbits()
	with, values, err := s.values(ctx, s.with(places))
	if err != nil {
		return nil, err
	}
	inv := &with.Invariances[0]
	out := &report.Searched{Moves: checkDesign, Value: report.Number(inv.Gauge.Value(values))}
	worst := 0
	for i, v := range values {
		if math.Abs(v) > math.Abs(values[worst]) {
			worst = i
		}
	}
	out.Worst = report.Number(math.Abs(values[worst]))
	member := inv.Members.At(worst)
	out.Move = strings.Join(textsOf(member.Bindings), ", ")
	if h := x.hunt; h != nil && slices.Contains(h.names, name) && f.Model.Represent.Method == x.method {
		out.Fits = h.fits
		out.Members, out.Active, out.Elements = h.members.Count(m.Orbits())
	}
	return out, nil
}

// textsOf returns what variables are bound to, in words.
func textsOf(bindings []regularizer.Binding) []string {
	out := make([]string, len(bindings))
	for i, b := range bindings {
		out[i] = b.Value
	}
	return out
}

// alone returns orbits without members, so that a search knows nothing of those of the fit.
func alone(orbits []regularizer.Orbit) []regularizer.Orbit {
	out := slices.Clone(orbits)
	for i := range out {
		out[i].Members = make([][]float64, len(out[i].Members))
	}
	return out
}

// A moved grounds an instance with moves of orbits.
type moved func(ctx context.Context, in *compiler.Instance, s compiler.Sample) (*regularizer.Regularizer, error)

// worstOn grounds an invariance on other rows than the fit, with the worst moves that a search finds for them at a fitted function.
func (x *examiner) worstOn(ctx context.Context, f *model.Fitting, reg *regularizer.Regularizer, name string, set *dataset.Set, ground moved) (*regularizer.Regularizer, error) {
	_, m := maximaOf(reg, name)
	at := func(ctx context.Context, reg *regularizer.Regularizer, k int) ([]float64, error) {
		return f.ValuesAt(ctx, reg, k, set)
	}
	s := moveSearch{rows: x.rows, instance: x.instance.Only(name), orbits: m.Orbits(), at: at, ground: ground}
	places, err := s.run(ctx, exchange.Search{Seed: x.rows.Seed, Design: leastDesign, Starts: searchStarts, Steps: searchSteps})
	if err != nil {
		return nil, err
	}
	return ground(ctx, s.instance, compiler.Sample{Members: sampleOf(s.with(places))})
}
