package ground

import (
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"

	"github.com/sipc-ml/sipc/compiler/internal/tree"
	"github.com/sipc-ml/sipc/plugins"
)

// A Sample says which moves of orbits are drawn. The zero value is the sample that a fit takes.
type Sample struct {
	// Fresh numbers samples that are independent of each other, and of the one that a fit takes, which is 0.
	Fresh int
	// Moves is how many moves each element has; 0 stands for the number that the orbit says.
	Moves int
}

// moves returns how many elements the sample of an orbit has.
func (s *Sample) moves(o *tree.Orbit) int {
	if s.Moves > 0 {
		return min(s.Moves, o.Moves)
	}
	return o.Moves
}

// A drawer draws the moves of an orbit. Elements are those of the index set whose points are moved.
type drawer struct {
	dimension int
	seed      uint64
}

// drawerOf returns the drawer of an orbit. Its seed is made of the run's, of the orbit's own where it gives one, and
// of the orbit itself, so that equal orbits draw the same moves and different ones are independent.
func (q *asker) drawerOf(o *tree.Orbit) drawer {
	key := o.Key()
	if q.data.Sample.Fresh > 0 {
		key += " afresh " + strconv.Itoa(q.data.Sample.Fresh)
	}
	run := q.data.Seed
	if o.Seed != nil {
		run = uint64(o.Seed.Quantity.Value)
	}
	return drawer{o.Dimension(), seedOf(run, key)}
}

// amounts appends where in its interval each amount of a move lies: uniform numbers in [0, 1), by the seed, the element and
// the number of the move alone. So more moves begin with the same ones.
func (d drawer) amounts(element, move int, to []float64) []float64 {
	r := rand.New(rand.NewPCG(d.seed, uint64(element)<<16|uint64(move)))
	r.Uint64() // neighbours begin with numbers that are alike in many bits
	for range d.dimension {
		to = append(to, r.Float64())
	}
	return to
}

// A composition is what a family is asked for by an orbit: steps of one family that follow each other.
type composition struct {
	fam   *tree.Family
	from  tree.Origin
	steps []plugins.MoveStep
	first int // of the amounts that are its own
}

// compositions returns what families are asked for by an orbit, in the order in which points go through them.
func (q *asker) compositions(o *tree.Orbit) ([]*composition, error) {
	var out []*composition
	first := 0
	for _, s := range o.Steps {
		low, err := q.mapArguments(s.Low)
		if err != nil {
			return nil, err
		}
		high, err := q.mapArguments(s.High)
		if err != nil {
			return nil, err
		}
		if k := len(out); k == 0 || out[k-1].fam != s.Low.Fam {
			out = append(out, &composition{fam: s.Low.Fam, from: s.Low.From, first: first})
		}
		last := out[len(out)-1]
		step := plugins.MoveStep{Name: s.Low.Schema.Name, Args: low}
		for i, v := range low {
			if k := slices.Index(s.Free, v.Name); k >= 0 && v.Number != high[i].Number {
				step.Free = append(step.Free, plugins.FreeAmount{Arg: i, Amount: first - last.first + k, Low: v.Number, High: high[i].Number})
			}
		}
		last.steps = append(last.steps, step)
		first += len(s.Free)
	}
	return out, nil
}

// drawn returns a source under a place in the sample of an orbit. Every element of the source has a move of its own.
func (ss *sources) drawn(m *tree.Mapping, s *source) (*source, error) {
	o := m.Drawn.Orbit
	key := s.key + ">" + m.Identity()
	if out := ss.made[key]; out != nil {
		return out, nil
	}
	if err := ss.imageOf(m); err != nil {
		return nil, err
	}
	all, err := ss.ask.compositions(o)
	if err != nil {
		return nil, err
	}
	per := max(1, s.nodes)
	amounts := plugins.Matrix{Cols: o.Dimension(), Rows: s.Len() / per}
	draw := ss.ask.drawerOf(o)
	for e := range amounts.Rows {
		amounts.Data = draw.amounts(e, m.Drawn.Number, amounts.Data)
	}
	which := make([]int32, s.Len())
	for i := range which {
		which[i] = int32(i / per)
	}
	at := s
	for _, c := range all {
		if at, err = ss.composed(c, at, which, &amounts); err != nil {
			return nil, err
		}
	}
	at.key = key
	ss.made[key] = at
	return at, ss.fits(m.From, at.Len(), 0)
}

// composed returns a source under a composition of one family, each functional by the row of amounts that which names.
func (ss *sources) composed(c *composition, s *source, which []int32, amounts *plugins.Matrix) (*source, error) {
	session, err := ss.ask.session(c.from, c.fam)
	if err != nil {
		return nil, err
	}
	answered := ss.ask.waits(c.fam)
	b, err := plugins.Move(ss.ask.ctx, session, &plugins.MoveCall{Steps: c.steps, At: ss.store.block(s), Which: which, Amounts: amounts.Columns(c.first, amounts.Cols)})
	answered()
	if err == nil {
		err = ss.validMap(b, s)
	}
	if err != nil {
		return nil, ss.ask.failed(c.from, c.fam, err)
	}
	out := &source{nodes: s.nodes, bareOf: s.bareOf, bareWhy: s.bareWhy}
	if out.bareOf == nil && ss.ask.bare(b) {
		out.bareOf, out.bareWhy = c.fam, c.steps[0].Name+": "+KeepsLabels
	}
	ss.store.absorb(out, b)
	return out, nil
}

// A moveText writes moves of an orbit with their amounts, for a reader.
type moveText struct {
	orbit *tree.Orbit
	draw  drawer
}

// of returns a move with its amounts: rotate(-7.31deg), then shift(0.52, dy = 1.3).
func (t *moveText) of(element, move int) string {
	u := t.draw.amounts(element, move, nil)
	var steps []string
	for _, s := range t.orbit.Steps {
		var args []string
		for i, v := range s.Low.Args {
			if v == nil || v.Arg.Default != "" && !slices.Contains(s.Free, v.Arg.Name) && v.Quantity == s.High.Args[i].Quantity {
				continue
			}
			text := v.Text
			if k := slices.Index(s.Free, v.Arg.Name); k >= 0 {
				text = amountText(v.Quantity, s.High.Args[i].Quantity, u[k])
			} else if text == "" {
				text = shortQuantity(v.Quantity)
			}
			if v.Arg.Default != "" {
				text = v.Arg.Name + " = " + text
			}
			args = append(args, text)
		}
		u = u[len(s.Free):]
		steps = append(steps, s.Low.Schema.Name+"("+strings.Join(args, ", ")+")")
	}
	return strings.Join(steps, ", then ")
}

// amountText writes the amount at a share of the way between two.
func amountText(low, high tree.Quantity, share float64) string {
	return shortQuantity(tree.Quantity{Value: between(low.Value, high.Value, share), Unit: low.Unit})
}

// shortQuantity writes a quantity with four digits. Angles are kept in radians, and shown in degrees.
func shortQuantity(q tree.Quantity) string {
	v := q.Value
	if q.Unit == tree.Degrees {
		v *= 180 / math.Pi
	}
	return strconv.FormatFloat(v, 'g', 4, 64) + q.Unit
}

// between returns the number at a share of the way from low to high. The product is rounded by itself, so that all processors
// find the same number.
func between(low, high, share float64) float64 { return low + float64(share*(high-low)) }
