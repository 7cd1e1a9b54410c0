package diag_test

import (
	"errors"
	"testing"

	"github.com/sipc-ml/sipc/dsl/diag"
)

func TestAFixIsAppliedWhateverTheOrderOfItsEdits(t *testing.T) {
	src := "max over x of |f|"
	insert := diag.Edit{Span: span("a", src, "f|"), New: "2 * "}
	insert.Span.End = insert.Span.Start
	fix := diag.Fix{Edits: []diag.Edit{{Span: span("a", src, "|f"), New: "("}, {Span: span("a", src, "max"), New: "rms"}}}
	got, err := fix.Apply("a", []byte(src))
	if err != nil || string(got) != "rms over x of (|" {
		t.Errorf("%s, %v", got, err)
	}
	fix.Edits = []diag.Edit{insert}
	if got, err = fix.Apply("a", []byte(src)); err != nil || string(got) != "max over x of |2 * f|" {
		t.Errorf("%s, %v", got, err)
	}
}

func TestEditsThatDoNotFitAreRefused(t *testing.T) {
	src := "max over x of |f|"
	for name, edits := range map[string][]diag.Edit{
		"overlap":    {{Span: span("a", src, "over")}, {Span: span("a", src, "ver x")}},
		"other file": {{Span: span("b", src, "over")}},
		"outside":    {{Span: span("a", src+" and more", "more")}},
	} {
		fix := diag.Fix{Edits: edits}
		if _, err := fix.Apply("a", []byte(src)); !errors.Is(err, diag.ErrEdits) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
