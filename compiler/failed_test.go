package compiler

import (
	"context"
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sipc-ml/sipc/compiler/codes"
	"github.com/sipc-ml/sipc/compiler/internal/ground"
	"github.com/sipc-ml/sipc/dsl/diag"
	"github.com/sipc-ml/sipc/plugins"
)

// failingFamily is a family from elsewhere that answers wrongly: its domain spots makes a point, its map nudge moves none.
type failingFamily struct {
	err     error                                  // of each call
	closing error                                  // of the session's end
	move    func(at *plugins.Block) *plugins.Block // the map's answer; nil: the call's own functionals
	spot    func(b *plugins.Block, label int32)    // adds the point of the domain's only element
}

func (failingFamily) Describe(context.Context) (*plugins.Schema, error) {
	whole := plugins.Needs{Columns: plugins.AllColumns, Labels: plugins.RowLabels}
	return &plugins.Schema{
		Name: "swaps", Version: "1.0.0",
		Maps:    []plugins.MapSchema{{Name: "nudge", Needs: whole}},
		Domains: []plugins.DomainSchema{{Name: "spots", Binds: []plugins.Bind{{Name: "a", Kind: plugins.BindPoint}}, Needs: whole}},
	}, nil
}

func (f failingFamily) Open(_ context.Context, data *plugins.Data) (plugins.Session, error) {
	return &failingSession{fakeSession{data}, f}, nil
}

type failingSession struct {
	fakeSession
	family failingFamily
}

func (s *failingSession) Expand(_ context.Context, _ *plugins.DomainCall, yield func(*plugins.Chunk) error) error {
	if s.family.err != nil {
		return s.family.err
	}
	b := &plugins.Block{Labels: s.data.Labels}
	label := int32(plugins.NoLabel)
	if len(s.data.Labels) > 0 {
		label = 0
	}
	s.family.spot(b, label)
	b.End()
	return yield(&plugins.Chunk{Count: 1, Points: []*plugins.Block{b}})
}

func (s *failingSession) Map(_ context.Context, call *plugins.MapCall) (*plugins.Block, error) {
	if s.family.move == nil {
		return call.At, s.family.err
	}
	return s.family.move(call.At), s.family.err
}

func (s *failingSession) Close() error { return s.family.closing }

// processError is an error as that of a process is: a line, its last words, and a mend of its own.
type processError struct{}

func (processError) Error() string {
	return "family swaps (./sipc-family-swaps) failed in spots: it hangs; its last words:\n    one\n    two"
}
func (processError) Mend() string { return "Look for it." }

// lateError is that of a process that did not answer in time.
type lateError struct{ processError }

func (lateError) Advice() string { return "Yield sooner." }

func sound(b *plugins.Block, label int32) {
	b.Term(1, ^int32(b.Points.Append([]float64{1, 2, 3})), plugins.Evaluation, label)
}

func withoutLabel(b *plugins.Block, _ int32) { sound(b, plugins.NoLabel) }

// What a family does wrong is told with its name, and with what can be done: by the user where the family says so in its own words, else
// by its author.
func TestFamilyFails(t *testing.T) {
	const (
		classes = "use swaps from \"./sipc-family-swaps\"\ndata { target columns(\"*\") : multilabel }\nkernel linear\nfeatures exact\n"
		price   = "use swaps from \"./sipc-family-swaps\"\ndata { target price : real }\nkernel linear\nfeatures exact\n"
		spots   = "invariance i = rms over spots of |f(a)|\n"
		nudged  = "invariance i = rms over x of |f(nudge(x)) - f(x)|\n"
		author  = "This is a fault of the family, and not of the spec: tell its author. sipc plugin verify, on its program, looks for such faults."
		user    = "Give the family what it asks for; if it is the family that is wrong, tell its author."
		until   = " Until it is mended, name a label: f(a, label)."
	)
	for name, c := range map[string]struct {
		src     string
		family  failingFamily
		summary string
		values  []string
		at      string
		mend    string
	}{
		"its own words": {
			price + spots, failingFamily{err: errors.New("give it more")}, "the family swaps failed: give it more", nil, "spots", user,
		},
		"its process": {
			price + spots,
			failingFamily{err: processError{}},
			"the family swaps (./sipc-family-swaps) failed in spots: it hangs; its last words:",
			[]string{"one", "two"},
			"spots", author,
		},
		"its process, in time": {
			price + spots,
			failingFamily{err: lateError{}},
			"the family swaps (./sipc-family-swaps) failed in spots: it hangs; its last words:",
			[]string{"one", "two"},
			"spots", author + " Yield sooner.",
		},
		"its process, in the end": {
			price + spots,
			failingFamily{spot: sound, closing: processError{}},
			"the family swaps (./sipc-family-swaps) failed in spots: it hangs; its last words:",
			[]string{"one", "two"},
			`use swaps from "./sipc-family-swaps"`, author,
		},
		"a number that is none": {
			price + spots,
			failingFamily{spot: func(b *plugins.Block, l int32) {
				b.Term(1, ^int32(b.Points.Append([]float64{1, math.NaN(), 3})), plugins.Evaluation, l)
			}},
			"the family swaps failed: points: block: row 0, column 1 of the points is NaN, in functional 0", nil, "spots", author,
		},
		"a map's number that is none": {
			price + nudged,
			failingFamily{move: func(at *plugins.Block) *plugins.Block {
				out := *at
				out.Coef = append([]float64{math.Inf(1)}, at.Coef[1:]...)
				return &out
			}},
			"the family swaps failed: block: coefficient 0 is +Inf, in functional 0", nil, "nudge(x)", author,
		},
		"a map that answers nothing": {
			price + nudged,
			failingFamily{move: func(*plugins.Block) *plugins.Block { return nil }},
			"the family swaps failed: it answered with another number of functionals than the 5 that it was asked for", nil, "nudge(x)", author,
		},
		"points without labels": {
			classes + spots, failingFamily{spot: withoutLabel}, "the family swaps failed: spots: " + plugins.WithoutLabels, nil, "f(a)", author + until,
		},
		"points without labels, moved": {
			classes + "invariance i = rms over spots of |f(nudge(a))|\n",
			failingFamily{spot: withoutLabel},
			"the family swaps failed: spots: " + plugins.WithoutLabels, nil, "f(nudge(a))", author + until,
		},
		"a map that loses labels": {
			classes + nudged,
			failingFamily{move: func(at *plugins.Block) *plugins.Block {
				out := *at
				out.Label = make([]int32, len(at.Label))
				for k := range out.Label {
					out.Label[k] = plugins.NoLabel
				}
				return &out
			}},
			"the family swaps failed: nudge: " + ground.KeepsLabels, nil, "f(nudge(x))", author + until,
		},
		"points without labels, where one is named":     {classes + "invariance i = rms over spots of |f(a, cat)|\n", failingFamily{spot: withoutLabel}, "", nil, "", ""},
		"points without labels, where there are none":   {price + spots, failingFamily{spot: sound}, "", nil, "", ""},
		"points with labels, and a map that keeps them": {classes + "invariance i = rms over spots of |f(nudge(a))|\n", failingFamily{spot: sound}, "", nil, "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			opts := testOptions(nil)
			opts.Open = func(context.Context, string) (plugins.Family, error) { return c.family, nil }
			var labels []string
			if strings.HasPrefix(c.src, classes) {
				labels = []string{"animal", "cat", "dog"}
			}
			_, err := accepted(t, c.src, opts).At(nil).Ground(t.Context(), &ground.Data{Data: testData(5, labels, func() float64 { return 1 })})
			if c.summary == "" {
				if err != nil {
					t.Error(err)
				}
				return
			}
			var list diag.List
			if !errors.As(err, &list) || len(list) != 1 {
				t.Fatalf("error %v", err)
			}
			d := list[0]
			if diff := cmp.Diff([]any{codes.FamilyFailed, c.summary, c.values, c.mend}, []any{d.Code, d.Summary, d.Values, d.Mend}); diff != "" {
				t.Error(diff)
			}
			if got := c.src[d.Subject.Start.Offset:d.Subject.End.Offset]; got != c.at {
				t.Errorf("the error is at %q, want %q", got, c.at)
			}
		})
	}
}

// Where a family that comes with sipc fails, its author is ours.
func TestBuiltInFamilyFails(t *testing.T) {
	opts := testOptions(nil)
	opts.Families["swaps"] = failingFamily{spot: func(b *plugins.Block, l int32) { b.Term(math.NaN(), 0, plugins.Evaluation, l) }}
	plan := accepted(t, "data { target price : real }\nkernel linear\nfeatures exact\ninvariance i = rms over spots of |f(a)|\n", opts)
	_, err := plan.At(nil).Ground(t.Context(), &ground.Data{Data: testData(5, nil, func() float64 { return 1 })})
	var list diag.List
	if !errors.As(err, &list) || list[0].Mend != "This is a fault of sipc, and not of the spec: report it, with this message." {
		t.Errorf("error %v", err)
	}
}

// Whoever listens is told for which family it waits, in each call of it, and when that has answered.
func TestWaitingNamesTheFamily(t *testing.T) {
	const src = "use swaps from \"./sipc-family-swaps\"\ndata { target price : real }\nkernel linear\nfeatures exact\n" +
		"invariance i = rms over spots of |f(nudge(a)) - f(a)|\n"
	opts := testOptions(nil)
	opts.Open = func(context.Context, string) (plugins.Family, error) {
		return failingFamily{spot: func(b *plugins.Block, l int32) {
			b.Term(1, ^int32(b.Points.Append([]float64{1, 2, 3})), plugins.Evaluation, l)
		}}, nil
	}
	var told []string
	data := &ground.Data{Data: testData(5, nil, func() float64 { return 1 }), Waiting: func(family string) { told = append(told, family) }}
	if _, err := accepted(t, src, opts).At(nil).Ground(t.Context(), data); err != nil {
		t.Fatal(err)
	}
	if len(told) != 6 { // the data, the domain, the map
		t.Errorf("told %q", told)
	}
	for k, family := range told {
		if family != []string{"swaps", ""}[k%2] {
			t.Errorf("told %q", told)
		}
	}
}
