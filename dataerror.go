package sipc

import (
	"errors"
	"fmt"
	"strings"

	"github.com/sipc-ml/sipc/compiler"
	"github.com/sipc-ml/sipc/dsl"
	"github.com/sipc-ml/sipc/dsl/diag"
	"github.com/sipc-ml/sipc/runtime/dataset"
	"github.com/sipc-ml/sipc/runtime/embed"
	"github.com/sipc-ml/sipc/runtime/kernel"
	"github.com/sipc-ml/sipc/runtime/learn"
	"github.com/sipc-ml/sipc/runtime/polar"
)

// A DataError is data that a spec cannot be run on. Its diagnostic names the place in the data, and what in the spec asks for
// what they do not have.
type DataError struct {
	Diagnostic *diag.Diagnostic
	Sources    diag.Sources // of the spec and of what it includes
	Path       string
	Data       *dataset.Error
}

// Error returns the error of the data on one line.
func (e *DataError) Error() string { return e.Data.Error() }

// Unwrap returns the error of the data.
func (e *DataError) Unwrap() error { return e.Data }

// dataError shows an error of the data beside the spec.
func (s *Spec) dataError(e *dataset.Error) *DataError {
	d := DataDiagnostic(e)
	if related, ok := s.asks(e); ok {
		d.Related = append(d.Related, related)
	}
	return &DataError{Diagnostic: d, Sources: s.Sources(), Path: s.Path, Data: e}
}

// DataDiagnostic returns an error of data as a diagnostic. The column has no known place in the line, so the summary
// names it.
func DataDiagnostic(e *dataset.Error) *diag.Diagnostic {
	d := &diag.Diagnostic{Code: diag.Code(e.Code), Severity: diag.Error, Summary: e.Problem, Mend: diag.Sentence(e.Mend)}
	if e.Column != "" {
		d.Summary = `column "` + e.Column + `": ` + e.Problem
	}
	if e.File != "" {
		at := diag.Pos{Line: e.Line}
		d.Subject = diag.Span{File: e.File, Start: at, End: at}
	}
	return d
}

// asks returns the place in the spec that asks for what the data lack, and whether there is one.
func (s *Spec) asks(e *dataset.Error) (related diag.Related, ok bool) {
	for _, decl := range s.File.Decls {
		block, isData := decl.(*dsl.Data)
		if !isData {
			continue
		}
		for _, item := range block.Items {
			if message := asked[e.Item]; message != "" && kindOf(item) == e.Item {
				return diag.Related{Span: named(item, e.Name, e.Column), Message: message}, true
			}
		}
		if e.Item == dataset.ItemMissing {
			at := block.Span()
			at.End = at.Start
			at.End.Offset, at.End.Column = at.Start.Offset+len("data"), at.Start.Column+len("data")
			return diag.Related{Span: at, Message: "nothing here says what a gap gets"}, true
		}
	}
	return diag.Related{}, false
}

// asked says what each item of the data block asks for.
var asked = map[dataset.Item]string{
	dataset.ItemTarget:  "the target is declared here",
	dataset.ItemColumns: "the features are picked here",
	dataset.ItemIgnore:  "the columns that are left out are named here",
	dataset.ItemID:      "what names the rows is said here",
	dataset.ItemTypes:   "the columns' types are declared here",

	dataset.ItemUnlabelled: "the rows without a label are named here",
	dataset.ItemSplit:      "the rows are split here",
	dataset.ItemMissing:    "what a gap gets is said here",
	dataset.ItemWeight:     "the column of weights is named here",
	dataset.ItemGaps:       "the codes of gaps are listed here",
}

// kindOf returns what an item of the data block is.
func kindOf(item dsl.DataItem) dataset.Item {
	switch i := item.(type) {
	case *dsl.Target:
		return dataset.ItemTarget
	case *dsl.Columns:
		return dataset.ItemColumns
	case *dsl.Types:
		return dataset.ItemTypes
	case *dsl.SplitBy:
		return dataset.ItemSplit
	case *dsl.Option:
		return dataset.Item(i.Keyword.Name)
	}
	return ""
}

// named returns the place of one of some names in an item, the first name having priority. If no name is there, it
// returns the item's place.
func named(item dsl.DataItem, names ...string) diag.Span {
	for _, name := range names {
		at := diag.Span{}
		eachText(item, func(n dsl.Node, text string) {
			if text == name && at.IsZero() {
				at = n.Span()
			}
		})
		if name != "" && !at.IsZero() {
			return at
		}
	}
	return item.Span()
}

// eachText visits the names, texts and numbers in a part of a spec, each as the spec means it.
func eachText(part dsl.Node, visit func(n dsl.Node, text string)) {
	dsl.Walk(part, func(n dsl.Node) bool {
		switch own := n.(type) {
		case *dsl.Ident:
			visit(n, own.Name)
		case *dsl.String:
			visit(n, own.Value)
		case *dsl.Number:
			visit(n, own.Raw)
		}
		return true
	})
}

// explain makes diagnostics of grounding a *SpecError, and errors of the data a *DataError.
func (s *Spec) explain(err error) error {
	if e, ok := errors.AsType[*dataset.Error](err); ok {
		return s.dataError(e)
	}
	if list, ok := errors.AsType[diag.List](err); ok {
		return s.specError(list)
	}
	return err
}

// placed returns an error of a fit of an instance, at its place in the spec where it has one.
func placed(in *compiler.Instance, err error) error {
	var d *diag.Diagnostic
	switch {
	case errors.Is(err, polar.ErrIndefinite):
		d = in.TooHeavy()
	case errors.Is(err, learn.ErrSingular):
		d = in.AtSetting("learn", fmt.Sprintf("lambda = %g is too small for the arithmetic", in.Learn.Strength), "The system that ridge solves is singular to rounding.", "Write a larger lambda.")
	case errors.Is(err, kernel.ErrNoMedian):
		d = in.AtSetting("kernel", "the training rows have no median distance: no two of them differ in their features", "", "Mend the data, or write a width of its own: `width = 1`.")
	case errors.Is(err, embed.ErrOverflow):
		d = in.AtSetting("kernel", "values of the kernel, or of derivatives of its functions, overflow at the rows", "", "Write a larger width, standardize the features, or take another kernel.")
	}
	if d != nil {
		return diag.List{d}
	}
	return err
}

// inFold says of diagnostics that they were met on part of the training rows only.
func inFold(err error, fold, folds, rows int) error {
	list, ok := errors.AsType[diag.List](err)
	if !ok {
		return err
	}
	for _, d := range list {
		d.Detail = strings.TrimSpace(fmt.Sprintf("%s This is so in fold %d of the %d in which the grid is compared; it trains on %d rows.", d.Detail, fold, folds, rows))
		d.Mend = strings.TrimSpace(d.Mend + " Or give a number in place of the grid.")
	}
	return list
}
