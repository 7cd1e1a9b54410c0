package verify

import (
	"context"
	"math"
	"slices"
	"strings"

	"github.com/sipc-ml/sipc/plugins"
	"github.com/sipc-ml/sipc/plugins/host"
	"github.com/sipc-ml/sipc/plugins/probe"
)

// step is that of finite differences. Functions vary by about one over a distance of one. So differences are good to
// about 1e-9 if the path is smooth. At a kink, as of an interpolated image, the derivative is the mean of those from
// both sides, and differences are good to about 1e-5.
const step = 1e-6

// tolerance of a derivative, relative to one and to the derivative.
const tolerance = 1e-4

// derivative holds derivatives along paths and maps against differences of the values, at random smooth functions.
func derivative(ctx context.Context, s *suite) {
	s.motion = motion{}
	for sub, p := range s.asked(ctx) {
		differentiable := sub.path() || (sub.of != nil && sub.of.Differentiable)
		if !differentiable {
			continue
		}
		q := &question{subject: sub, data: sub.data(rows, 3), seed: 7}
		if sub.path() {
			alongPath(ctx, s, p, q)
		} else {
			alongMap(ctx, s, p, q)
		}
	}
	motionless(s)
	if s.check.Tried == 0 && len(s.notes.all) == 0 {
		s.notef("it has neither a path nor a differentiable map")
	}
}

// A stretch of a path is nodes near each other, with the one at which the derivative is asked for. It knows how to
// take that from the values there by differences, of second order at the ends, too.
type stretch struct {
	at    int
	nodes [3]float64
	// weights are to be divided by twice the step.
	weights [3]float64
}

var stretches = []stretch{
	{0, [3]float64{0, step, 2 * step}, [3]float64{-3, 4, -1}},
	{1, [3]float64{0.25 - step, 0.25, 0.25 + step}, [3]float64{-1, 0, 1}},
	{1, [3]float64{0.5 - step, 0.5, 0.5 + step}, [3]float64{-1, 0, 1}},
	{1, [3]float64{0.75 - step, 0.75, 0.75 + step}, [3]float64{-1, 0, 1}},
	{2, [3]float64{1 - 2*step, 1 - step, 1}, [3]float64{1, -4, 3}},
}

// alongPath compares d/dλ f at nodes, the ends of the path among them, with f at nodes beside them.
func alongPath(ctx context.Context, s *suite, p *host.Process, q *question) {
	q.derivative = true
	var start []float64
	moves := false
	for _, near := range stretches {
		q.nodes = near.nodes[:]
		a, err := q.ask(ctx, p)
		if err != nil {
			s.failed(q, "", err)
			return
		}
		if a.elements == 0 {
			s.notef("%v: it has no elements, so there is nothing to compare", q.subject)
			return
		}
		s.check.Tried++
		f := functionFor(q)
		v, d := values(f, a.blocks, q.data), values(f, a.slopes, q.data)
		if start == nil {
			start = v
		}
		moves = moves || apart(v, start) || apart(d, make([]float64, len(d)))
		for i := 0; i+2 < len(v) && i+2 < len(d); i += 3 {
			want := 0.0
			for k, w := range near.weights {
				want += w * v[i+k] / (2 * step)
			}
			if got := d[i+near.at]; far(got, want) {
				s.faultf(q.subject, "", "d/dλ f of element %d at λ = %v is %.6g, but differences of f give %.6g", i/3, near.nodes[near.at], got, want)
				return
			}
		}
	}
	s.motion.saw(q.subject, moves)
}

func functionFor(q *question) *probe.Function {
	return probe.NewFunction(q.data.Rows.Cols, q.labels, 11)
}

func far(got, want float64) bool {
	return !(math.Abs(got-want) <= tolerance*(1+math.Abs(want)))
}

// alongMap compares d/dt f with f at points that are moved a little, forwards and backwards where the arguments may be negative.
// The arguments give the derivative's direction, their signs included; a parameter of length one unit along it leads from the identity.
func alongMap(ctx context.Context, s *suite, p *host.Process, q *question) {
	q.subject = q.withDirection()
	for _, sub := range []*subject{q.subject, q.turned()} {
		if sub == nil {
			continue
		}
		one := *q
		one.subject = sub
		if !alongDirection(ctx, s, p, &one) {
			return
		}
	}
}

// turned returns the subject with its numbers negative, as far as their bounds allow; nil if no number may be.
func (s *subject) turned() *subject {
	out := *s
	out.args = slices.Clone(s.args)
	turned := false
	for i := range out.args {
		v := &out.args[i]
		if v.Kind != plugins.KindNumber && v.Kind != plugins.KindAngle {
			continue
		}
		if a := out.arg(v.Name); !(a.Min < a.Max) || (-v.Number >= a.Min && -v.Number <= a.Max) {
			v.Number, turned = -v.Number, true
		}
	}
	if !turned {
		return nil
	}
	return &out
}

// alongDirection compares the derivative along the direction of the arguments. It is false where more of the same is of no use.
func alongDirection(ctx context.Context, s *suite, p *host.Process, q *question) bool {
	d := *q
	d.derivative = true
	a, err := d.ask(ctx, p)
	if err != nil {
		if broke(err) || !answersAlike(ctx, p, q) {
			s.failed(q, "with derivative", err)
		} else {
			s.faultf(q.subject, "", "the schema says that it is differentiable, but it refuses the derivative: %s", told(err))
		}
		return false
	}
	f := functionFor(q)
	slopes := values(f, a.blocks, q.data)
	still := values(f, []*plugins.Block{probe.Evaluations(q.data)}, q.data)
	for _, which := range directions(q) {
		forward, ok := moved(ctx, p, q, f, which, step)
		if !ok || !near(forward, still) {
			continue // what leads to the identity is the map's parameter
		}
		want, ok := differences(ctx, p, q, f, which, forward, still)
		if !ok {
			continue
		}
		s.check.Tried++
		for i := range want {
			if far(slopes[i], want[i]) {
				s.faultf(q.subject, "", "d/dt f at row %d is %.6g, but differences of f along %s give %.6g", i, slopes[i], spoken(which), want[i])
				return false
			}
		}
		nothing := make([]float64, len(want))
		s.motion.saw(q.subject, apart(want, nothing) || apart(slopes, nothing))
		return true
	}
	s.notef("%v: none of its numbers leads to the identity as it goes to zero, so differences cannot be taken", q.subject)
	return false
}

func answersAlike(ctx context.Context, p *host.Process, q *question) bool {
	_, err := q.ask(ctx, p)
	return err == nil
}

// withDirection returns the subject with numbers that are not zero, so that they have a direction, and no two of
// equal weight.
func (s *subject) withDirection() *subject {
	out := *s
	out.args = slices.Clone(s.args)
	length := 0.5
	for i := range out.args {
		a := out.arg(out.args[i].Name)
		if (a.Kind == plugins.KindNumber || a.Kind == plugins.KindAngle) && out.args[i].Number == 0 {
			out.args[i].Number = within(a, length)
			length += 0.25
		}
	}
	return &out
}

// arg returns the schema of an argument.
func (s *subject) arg(name string) *plugins.Arg {
	args := s.schemaArgs()
	return &args[slices.IndexFunc(args, func(a plugins.Arg) bool { return a.Name == name })]
}

// directions returns the sets of arguments that may be the map's parameter: all numbers together, then each.
func directions(q *question) [][]string {
	var all []string
	for _, v := range q.args {
		if v.Kind == plugins.KindNumber || v.Kind == plugins.KindAngle {
			all = append(all, v.Name)
		}
	}
	out := [][]string{all}
	if len(all) > 1 {
		for _, name := range all {
			out = append(out, []string{name})
		}
	}
	return out
}

func spoken(names []string) string { return strings.Join(names, " and ") }

// moved returns the values of f when the arguments go only so far along their direction.
func moved(ctx context.Context, p *host.Process, q *question, f *probe.Function, which []string, far float64) ([]float64, bool) {
	there := *q
	sub := *q.subject
	sub.args = slices.Clone(q.args)
	length := 0.0
	for _, v := range sub.args {
		if slices.Contains(which, v.Name) {
			length = math.Hypot(length, v.Number)
		}
	}
	for i := range sub.args {
		if !slices.Contains(which, sub.args[i].Name) {
			continue
		}
		if length > 0 {
			sub.args[i].Number *= far / length
		}
		if a := sub.arg(sub.args[i].Name); a.Min < a.Max && (sub.args[i].Number < a.Min || sub.args[i].Number > a.Max) {
			return nil, false
		}
	}
	there.subject = &sub
	a, err := there.ask(ctx, p)
	if err != nil {
		return nil, false
	}
	return values(f, a.blocks, q.data), true
}

// differences returns central differences, or one-sided ones of second order if the parameter cannot go backwards.
func differences(ctx context.Context, p *host.Process, q *question, f *probe.Function, which []string, forward, still []float64) ([]float64, bool) {
	out := make([]float64, len(still))
	if back, ok := moved(ctx, p, q, f, which, -step); ok {
		for i := range out {
			out[i] = (forward[i] - back[i]) / (2 * step)
		}
		return out, true
	}
	further, ok := moved(ctx, p, q, f, which, 2*step)
	for i := range out {
		if ok {
			out[i] = (4*forward[i] - 3*still[i] - further[i]) / (2 * step)
		}
	}
	return out, ok
}

// near tells whether values hardly changed.
func near(a, b []float64) bool {
	for i := range a {
		if math.Abs(a[i]-b[i]) > 1000*step*(1+math.Abs(b[i])) {
			return false
		}
	}
	return len(a) == len(b)
}
