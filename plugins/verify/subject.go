package verify

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"sort"
	"strconv"
	"strings"

	"github.com/sipc-ml/sipc/plugins"
	"github.com/sipc-ml/sipc/plugins/probe"
)

// A subject is one domain or map with arguments that its schema allows, and the kind of data to ask it about.
type subject struct {
	domain *plugins.DomainSchema // or
	of     *plugins.MapSchema
	args   []plugins.Value
	perRow map[string]float64 // counts that are so many times the number of rows
	labels int                // the classes of the data; 0: f is a function of x alone
}

func (s *subject) name() string {
	if s.domain != nil {
		return s.domain.Name
	}
	return s.of.Name
}

func (s *subject) schemaArgs() []plugins.Arg {
	if s.domain != nil {
		return s.domain.Args
	}
	return s.of.Args
}

func (s *subject) needs() plugins.Needs {
	if s.domain != nil {
		return s.domain.Needs.Of(s.args)
	}
	return s.of.Needs.Of(s.args)
}

// path tells whether the domain binds a parameter.
func (s *subject) path() bool {
	return s.domain != nil && slices.ContainsFunc(s.domain.Binds, func(b plugins.Bind) bool { return b.Kind == plugins.BindParameter })
}

// String returns the call as a spec writes it.
func (s *subject) String() string {
	parts := make([]string, len(s.args))
	for i := range s.args {
		parts[i] = s.args[i].Name + " = " + written(&s.args[i])
		if times, ok := s.perRow[s.args[i].Name]; ok {
			parts[i] = fmt.Sprintf("%s = %gn", s.args[i].Name, times)
		}
	}
	target := "without labels"
	if s.labels > 0 {
		target = fmt.Sprintf("of %d classes", s.labels)
	}
	return fmt.Sprintf("%s(%s), rows %s", s.name(), strings.Join(parts, ", "), target)
}

func written(v *plugins.Value) string {
	switch v.Kind {
	case plugins.KindNumber, plugins.KindCount:
		return fmt.Sprintf("%.6g", v.Number)
	case plugins.KindAngle:
		return fmt.Sprintf("%.6gdeg", v.Number*180/math.Pi)
	case plugins.KindText:
		if len(v.Text) > 40 {
			return fmt.Sprintf("%q…", v.Text[:40])
		}
		return strconv.Quote(v.Text)
	case plugins.KindTaxonomy:
		return fmt.Sprintf("a taxonomy of %d edges", len(v.Edges))
	case plugins.KindFile:
		return fmt.Sprintf("a file of %d bytes", len(v.Bytes))
	}
	return v.Text
}

// with returns the subject with another value of an argument.
func (s *subject) with(v *plugins.Value) *subject {
	out := *s
	out.args = slices.Clone(s.args)
	out.perRow = maps.Clone(s.perRow)
	delete(out.perRow, v.Name)
	if i := slices.IndexFunc(out.args, func(a plugins.Value) bool { return a.Name == v.Name }); i >= 0 {
		out.args[i] = *v
		return &out
	}
	// Arguments stand in the schema's order.
	order := func(name string) int {
		return slices.IndexFunc(s.schemaArgs(), func(a plugins.Arg) bool { return a.Name == name })
	}
	out.args = append(out.args, *v)
	sort.SliceStable(out.args, func(i, j int) bool { return order(out.args[i].Name) < order(out.args[j].Name) })
	return &out
}

// The size of the data that most checks ask about. An image of few pixels would be all border.
const (
	rows    = 24
	side    = 8
	columns = 5
	classes = 4
)

// data draws data for the subject: n rows, prepared as a spec may ask for.
func (s *subject) data(n int, seed uint64) *plugins.Data {
	needs := s.needs()
	image := s.of != nil && s.of.NeedsImage
	p := columns + len(needs.Names)
	if image {
		p = side * side
	}
	d := probe.Table(n, p, s.labels, seed)
	s.nameColumns(d, needs.Names)
	d.Offset, d.Scale = make([]float64, p), make([]float64, p)
	for j := range p {
		d.Offset[j], d.Scale[j] = 0.25*float64(j%3), 1+0.5*float64(j%2)
	}
	if image {
		d.Height, d.Width = side, side
	}
	return d
}

// nameColumns gives the first columns the names that are asked for.
func (s *subject) nameColumns(d *plugins.Data, names []string) {
	for j, name := range names {
		if !slices.Contains(d.Columns, name) {
			d.Columns[min(columns+j, len(d.Columns)-1)] = name
		}
	}
}

// subjects returns all domains and maps of the schema, on data with and without labels. It leaves out those whose
// usual call has been found to fail: more findings would be of the same fault. It notes what cannot be tried.
func (s *suite) subjects() []*subject {
	return slices.DeleteFunc(s.allSubjects(), func(sub *subject) bool {
		fails := s.fails[sub.String()]
		if fails {
			const why = "not asked again: its usual call fails, see determinism"
			s.notes.add(sub.name(), sub.where(""), why)
			s.untried.add(sub.name(), sub.where(""), why)
		}
		return fails
	})
}

func (s *suite) allSubjects() []*subject {
	var out []*subject
	for i := range s.schema.Domains {
		d := &s.schema.Domains[i]
		for _, c := range s.calls(d.Name, d.Args) {
			c.domain = d
			out = append(out, c.targets()...)
		}
	}
	for i := range s.schema.Maps {
		m := &s.schema.Maps[i]
		for _, c := range s.calls(m.Name, m.Args) {
			c.of = m
			out = append(out, c.targets()...)
		}
	}
	return out
}

// calls returns calls of a domain or map: one with the arguments that must be given. If there are more, another has
// all that may be given.
func (s *suite) calls(name string, args []plugins.Arg) []*subject {
	var out []*subject
	for _, all := range []bool{false, true} {
		values, perRow, ok := s.someArgs(name, args, all)
		if ok && (len(out) == 0 || len(values) > len(out[0].args)) {
			out = append(out, &subject{args: values, perRow: perRow})
		}
	}
	return out
}

// targets returns a subject on data with labels, and on data without them if it does not ask for labels.
func (s *subject) targets() []*subject {
	labelled := *s
	labelled.labels = classes
	needsLabels := slices.ContainsFunc(s.schemaArgs(), func(a plugins.Arg) bool {
		return a.Kind == plugins.KindLabel || a.Kind == plugins.KindTaxonomy
	})
	if s.domain != nil {
		needsLabels = needsLabels || slices.ContainsFunc(s.domain.Binds, func(b plugins.Bind) bool { return b.Kind == plugins.BindLabel })
	}
	if needsLabels {
		return []*subject{&labelled}
	}
	return []*subject{s, &labelled}
}

// A question is a subject, the data it is asked about, and the details of the call.
type question struct {
	*subject
	data       *plugins.Data
	at         *plugins.Block // of a map; nil: f at each row
	nodes      []float64      // of a path; nil: three
	derivative bool
	seed       uint64
	stop       func(*plugins.Chunk) error // sees each chunk of a domain; its error ends the call
	forget     bool                       // counts the elements of chunks, and does not keep them
}

// ask opens a session on what the subject needs of the data, as a run does, and asks the question.
func (q *question) ask(ctx context.Context, family plugins.Family) (*answer, error) {
	session, err := plugins.Open(ctx, family, q.data, q.needs())
	if err != nil {
		return nil, err
	}
	a, err := q.askIn(ctx, session)
	if e := session.Close(); err == nil {
		err = e
	}
	return a, err
}

// callArgs returns the arguments, with counts of rows multiplied out.
func (q *question) callArgs() []plugins.Value {
	out := slices.Clone(q.args)
	for i := range out {
		if times, ok := q.perRow[out[i].Name]; ok {
			out[i].Number = math.Round(times * float64(q.data.N()))
		}
	}
	return out
}

// askIn asks the question in a session.
func (q *question) askIn(ctx context.Context, session plugins.Session) (*answer, error) {
	a := &answer{}
	if q.of != nil {
		at := q.at
		if at == nil {
			at = probe.Evaluations(q.data)
		}
		b, err := session.Map(ctx, &plugins.MapCall{Name: q.of.Name, Args: q.callArgs(), At: at, Derivative: q.derivative})
		if err != nil {
			return nil, err
		}
		a.blocks = []*plugins.Block{b}
		return a, nil
	}
	call := &plugins.DomainCall{Name: q.domain.Name, Args: q.callArgs(), Seed: q.seed, Derivative: q.derivative}
	if q.path() {
		if call.Nodes = q.nodes; call.Nodes == nil {
			call.Nodes = []float64{0, 0.5, 1}
		}
	}
	err := session.Expand(ctx, call, func(c *plugins.Chunk) error {
		if err := q.labelled(c); err != nil {
			return err
		}
		if q.forget {
			a.count(c)
		} else {
			a.add(c)
		}
		if q.stop != nil {
			return q.stop(c)
		}
		return nil
	})
	return a, err
}

// labelled tells of a functional without a label where f is a function of points and labels: a run has no use for f there.
func (q *question) labelled(c *plugins.Chunk) error {
	if len(q.data.Labels) == 0 {
		return nil
	}
	for _, blocks := range [][]*plugins.Block{c.Points, c.Derivatives} {
		for _, b := range blocks {
			if k := slices.Index(b.Label, plugins.NoLabel); k >= 0 {
				return &plugins.AnswerError{Err: errors.New(plugins.WithoutLabels)}
			}
		}
	}
	return nil
}
