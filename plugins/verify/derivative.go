package verify

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/sipc-ml/sipc/plugins"
	"github.com/sipc-ml/sipc/plugins/host"
	"github.com/sipc-ml/sipc/plugins/probe"
)

// step is that of finite differences. Functions vary by about one over a distance of one: differences are good to about 1e-9 where
// the path is smooth, and to about 1e-5 where it has a kink, as that of an interpolated image has: there the derivative is the mean
// of those from both sides.
const step = 1e-6

// tolerance of a derivative, relative to one and to the derivative.
const tolerance = 1e-4

// derivative holds derivatives along paths and maps against differences of the values, at random smooth functions.
func derivative(ctx context.Context, s *suite) {
	for _, sub := range s.subjects() {
		differentiable := sub.path() || (sub.of != nil && sub.of.Differentiable)
		if !differentiable {
			continue
		}
		p, err := s.family(ctx)
		if err != nil {
			s.findf("%v", err)
			return
		}
		q := &question{subject: sub, data: sub.data(rows, 3), seed: 7}
		if sub.path() {
			s.alongPath(ctx, p, q)
		} else {
			s.alongMap(ctx, p, q)
		}
	}
	if s.check.Tried == 0 && len(s.check.Notes) == 0 {
		s.notef("it has neither a path nor a differentiable map")
	}
}

// alongPath compares d/dλ f at nodes with f at nodes beside them.
func (s *suite) alongPath(ctx context.Context, p *host.Process, q *question) {
	q.derivative = true
	for _, at := range []float64{0.25, 0.5, 0.75} {
		q.nodes = []float64{at - step, at, at + step}
		a, err := q.ask(ctx, p)
		if err != nil {
			s.failed(q, "", err)
			return
		}
		s.check.Tried++
		f := s.function(q)
		v, d := values(f, a.blocks, q.data), values(f, a.slopes, q.data)
		for i := 1; i < len(v) && i < len(d); i += 3 {
			if want := (v[i+1] - v[i-1]) / (2 * step); far(d[i], want) {
				s.findf("%v: d/dλ f of element %d at λ = %v is %.6g, but differences of f give %.6g", q.subject, i/3, at, d[i], want)
				return
			}
		}
	}
}

func (s *suite) function(q *question) *probe.Function {
	return probe.NewFunction(q.data.Rows.Cols, q.labels, 11)
}

func far(got, want float64) bool {
	return !(math.Abs(got-want) <= tolerance*(1+math.Abs(want)))
}

// failed reports an error: a fault of the family, or an answer that it refuses, which is no fault.
func (s *suite) failed(q *question, on string, err error) {
	if on != "" {
		on = ", " + on
	}
	if broke(err) {
		s.findf("%v%s: %v", q.subject, on, err)
		return
	}
	s.notef("%v%s is refused: %v", q.subject, on, err)
}

// alongMap compares d/dt f with f at points that are moved a little, forwards and backwards where the arguments may be negative.
// The arguments give the derivative's direction; a parameter of length one unit along it leads from the identity.
func (s *suite) alongMap(ctx context.Context, p *host.Process, q *question) {
	q.subject = q.withDirection()
	d := *q
	d.derivative = true
	a, err := d.ask(ctx, p)
	if err != nil {
		if broke(err) || !s.answers(ctx, p, q) {
			s.failed(q, "with derivative", err)
		} else {
			s.findf("%v: the schema says that it is differentiable, but it refuses the derivative: %v", q.subject, err)
		}
		return
	}
	f := s.function(q)
	slopes := values(f, a.blocks, q.data)
	still := values(f, []*plugins.Block{probe.Evaluations(q.data)}, q.data)
	for _, which := range directions(q) {
		forward, ok := s.moved(ctx, p, q, f, which, step)
		if !ok || !near(forward, still) {
			continue // what leads to the identity is the map's parameter
		}
		want, ok := s.differences(ctx, p, q, f, which, forward, still)
		if !ok {
			continue
		}
		s.check.Tried++
		for i := range want {
			if far(slopes[i], want[i]) {
				s.findf("%v: d/dt f at row %d is %.6g, but differences of f along %s give %.6g", q.subject, i, slopes[i], spoken(which), want[i])
				return
			}
		}
		return
	}
	s.notef("%v: none of its numbers leads to the identity as it goes to zero, so differences cannot be taken", q.subject)
}

func (s *suite) answers(ctx context.Context, p *host.Process, q *question) bool {
	_, err := q.ask(ctx, p)
	return err == nil
}

// withDirection is the subject with numbers that are not zero, so that they have a direction.
func (s *subject) withDirection() *subject {
	out := *s
	out.args = slices.Clone(s.args)
	for i := range out.args {
		a := out.arg(out.args[i].Name)
		if (a.Kind == plugins.KindNumber || a.Kind == plugins.KindAngle) && out.args[i].Number == 0 {
			out.args[i].Number = within(a, 0.5)
		}
	}
	return &out
}

// arg is the schema of an argument.
func (s *subject) arg(name string) *plugins.Arg {
	args := s.schemaArgs()
	return &args[slices.IndexFunc(args, func(a plugins.Arg) bool { return a.Name == name })]
}

// directions are the sets of arguments that may be the map's parameter: all numbers together, then each.
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

func spoken(names []string) string { return fmt.Sprintf("%v", names) }

// moved is f where the arguments go only so far along their direction.
func (s *suite) moved(ctx context.Context, p *host.Process, q *question, f *probe.Function, which []string, far float64) ([]float64, bool) {
	moved := *q
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
	moved.subject = &sub
	a, err := moved.ask(ctx, p)
	if err != nil {
		return nil, false
	}
	return values(f, a.blocks, q.data), true
}

// differences are central, or, where the parameter cannot go backwards, one-sided of second order.
func (s *suite) differences(ctx context.Context, p *host.Process, q *question, f *probe.Function, which []string, forward, still []float64) ([]float64, bool) {
	out := make([]float64, len(still))
	if back, ok := s.moved(ctx, p, q, f, which, -step); ok {
		for i := range out {
			out[i] = (forward[i] - back[i]) / (2 * step)
		}
		return out, true
	}
	further, ok := s.moved(ctx, p, q, f, which, 2*step)
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
