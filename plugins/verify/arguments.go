package verify

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/sipc-ml/sipc/plugins"
)

// longestMessage is how long an error may be that a user is to read.
const longestMessage = 500

// mostEdge is how much of each answer is looked at.
const mostEdge = 16 << 20

// arguments gives each argument in turn every value at the edge of what its schema allows. The family must answer, or
// refuse in one line that says why. A domain or map that refuses every call is of no use to anyone.
func arguments(ctx context.Context, s *suite) {
	subjects := s.subjects()
	for _, sub := range subjects {
		for i := range sub.schemaArgs() {
			a := &sub.schemaArgs()[i]
			for _, v := range edgeValues(s, a) {
				p := s.sound(ctx)
				if p == nil {
					return
				}
				q := &question{subject: sub.with(v), seed: 7}
				q.data = q.subject.data(rows, 15)
				_, err := q.upTo(ctx, p, mostEdge, wholeCall)
				s.check.Tried++
				s.answered[sub.name()] = s.answered[sub.name()] || err == nil
				answeredOrRefused(s, q, "", err)
			}
		}
	}
	mute(ctx, s, subjects)
	if s.check.Tried == 0 && len(s.notes.all) == 0 {
		s.notef("it takes no arguments")
	}
}

// mute reports the domains and maps that have refused every call.
func mute(ctx context.Context, s *suite, subjects []*subject) {
	told := map[string]bool{}
	for _, sub := range subjects {
		err := asUsual(ctx, s, sub)
		if err == nil || broke(err) || s.answered[sub.name()] || told[sub.name()] {
			continue
		}
		told[sub.name()] = true
		s.faultf(sub, "", "it refuses every call that was tried (%v): let it answer to its defaults, or to all of its arguments", err)
	}
}

// asUsual makes the usual call of a subject, once for all checks, and tells whether it was answered.
func asUsual(ctx context.Context, s *suite, sub *subject) error {
	err, known := s.usual[sub.String()]
	if known {
		return err
	}
	p, err := s.family(ctx)
	if err == nil {
		_, err = (&question{subject: sub, data: sub.data(rows, 1), seed: 7, derivative: sub.path()}).ask(ctx, p)
	}
	s.usual[sub.String()] = err
	s.answered[sub.name()] = s.answered[sub.name()] || err == nil
	return err
}

// refusesUsual tells whether a subject refuses its usual call, and notes it: what it says to unusual data tells nothing then.
func refusesUsual(ctx context.Context, s *suite, sub *subject) bool {
	err := asUsual(ctx, s, sub)
	if err == nil || broke(err) {
		return false
	}
	s.notes.add(sub.name(), sub.where(""), "not tried: it refuses its usual call: "+err.Error())
	return true
}

// answeredOrRefused reports what is neither.
func answeredOrRefused(s *suite, q *question, on string, err error) {
	if err == nil || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return
	}
	if broke(err) {
		s.faultf(q.subject, on, "%s", told(err))
		return
	}
	if fault := unreadable(err.Error()); fault != "" {
		s.faultf(q.subject, on, "it refuses, but the reason %s: %q", fault, err.Error())
	}
}

// unreadable says what is wrong with a message; empty where a user can read it.
func unreadable(message string) string {
	switch {
	case strings.TrimSpace(message) == "":
		return "is empty"
	case strings.ContainsAny(message, "\r\n"):
		return "has more than one line"
	case utf8.RuneCountInString(message) > longestMessage:
		return fmt.Sprintf("has more than %d characters", longestMessage)
	case strings.ContainsFunc(message, func(r rune) bool { return !unicode.IsPrint(r) }):
		return "holds what cannot be printed"
	case strings.HasPrefix(message, "runtime error") || strings.Contains(message, "goroutine ") || strings.Contains(message, "Traceback"):
		return "is that of a crash"
	}
	return ""
}

// edgeValues returns values at the edges of what an argument allows.
func edgeValues(s *suite, a *plugins.Arg) []*plugins.Value {
	switch a.Kind {
	case plugins.KindNumber:
		return numbers(a, 0, 1, -1, 0.1, 1e-300, -1e300, math.MaxFloat64)
	case plugins.KindAngle:
		return numbers(a, 0, math.Pi, -math.Pi, 2*math.Pi, 1e9)
	case plugins.KindCount:
		return numbers(a, 0, 1, 2, rows-1, rows, rows+1, 100*rows)
	case plugins.KindText:
		return texts(a, "", " ", "ünï¢ode ☃", strings.Repeat("long ", 2000), "a\nb")
	case plugins.KindChoice:
		return texts(a, a.Choices...)
	case plugins.KindColumn:
		return named(a, "x", columns)
	case plugins.KindLabel:
		return named(a, "class", classes)
	}
	return largeValues(s, a)
}

// numbers returns those that the bounds allow, and the bounds themselves.
func numbers(a *plugins.Arg, xs ...float64) []*plugins.Value {
	if a.Min < a.Max {
		most := a.Max
		if a.Kind == plugins.KindCount {
			most = min(most, math.MaxInt32)
		}
		xs = append(xs, a.Min, most)
	}
	var out []*plugins.Value
	for _, x := range xs {
		if !(a.Min < a.Max) || (x >= a.Min && x <= a.Max) {
			out = append(out, &plugins.Value{Name: a.Name, Kind: a.Kind, Number: x})
		}
	}
	return out
}

func texts(a *plugins.Arg, xs ...string) []*plugins.Value {
	var out []*plugins.Value
	for _, x := range xs {
		out = append(out, &plugins.Value{Name: a.Name, Kind: a.Kind, Text: x})
	}
	return out
}

// named returns all columns or labels, so that two arguments also name the same one.
func named(a *plugins.Arg, prefix string, n int) []*plugins.Value {
	var out []*plugins.Value
	for i := range n {
		out = append(out, &plugins.Value{Name: a.Name, Kind: a.Kind, Index: i, Text: prefix + strconv.Itoa(i)})
	}
	return out
}

// largeValues returns values of the kinds that may be large: taxonomies and files.
func largeValues(s *suite, a *plugins.Arg) []*plugins.Value {
	var out []*plugins.Value
	switch a.Kind {
	case plugins.KindTaxonomy:
		for _, edges := range [][]plugins.Edge{
			{}, {{Child: 0, Parent: 0}}, {{Child: 0, Parent: 1}, {Child: 1, Parent: 0}}, {{Child: 0, Parent: 1}, {Child: 0, Parent: 1}}, chain(),
		} {
			out = append(out, &plugins.Value{Name: a.Name, Kind: a.Kind, Edges: edges})
		}
	case plugins.KindFile:
		content := s.options.Files[a.Name]
		half := content[:len(content)/2]
		for _, b := range [][]byte{{}, []byte("\n"), []byte("a,b\n"), {0, 0xff, 0xfe, 0}, half, slices.Concat(content, content)} {
			out = append(out, &plugins.Value{Name: a.Name, Kind: a.Kind, Text: a.Name, Bytes: b})
		}
	}
	return out
}

// chain returns a taxonomy as deep as there are labels.
func chain() []plugins.Edge {
	var out []plugins.Edge
	for c := range int32(classes - 1) {
		out = append(out, plugins.Edge{Child: c, Parent: c + 1})
	}
	return out
}
