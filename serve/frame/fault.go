package frame

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	sipc "github.com/sipc-ml/sipc"
	"github.com/sipc-ml/sipc/dsl/diag"
	"github.com/sipc-ml/sipc/internal/limits"
	"github.com/sipc-ml/sipc/runtime/dataset"
	"github.com/sipc-ml/sipc/runtime/model"
	"github.com/sipc-ml/sipc/runtime/proof"
	"github.com/sipc-ml/sipc/runtime/represent"
)

// The kinds of faults.
const (
	KindProtocol   = "protocol"   // the message is not one of the protocol
	KindCall       = "call"       // its arguments cannot be used
	KindSpec       = "spec"       // the spec, or a statement, has errors
	KindData       = "data"       // the columns cannot be used
	KindModel      = "model"      // no model of that name is kept, or its bytes are damaged
	KindUnprovable = "unprovable" // nothing can be proved of the model
	KindMemory     = "memory"     // the work would take more memory than it may
	KindTime       = "time"       // the time was over before there was a result
	KindCancelled  = "cancelled"  // a message cancelled the work, or the program ends
	KindFailed     = "failed"     // the work failed
)

// A Fault is an error as an answer holds it.
type Fault struct {
	Kind    string `json:"kind"`
	Code    string `json:"code,omitempty"` // of a diagnostic, as E401
	Message string `json:"message"`        // without marks, on one line for each diagnostic
	// Rendered is the marked source, with the reason and how to mend it; empty where there is none.
	Rendered    string       `json:"rendered,omitempty"`
	Diagnostics []diag.Entry `json:"diagnostics,omitempty"`
	Column      string       `json:"column,omitempty"` // of the data
}

// Error returns the message.
func (f *Fault) Error() string { return f.Message }

func protocolFault(format string, args ...any) *Fault {
	return &Fault{Kind: KindProtocol, Message: fmt.Sprintf(format, args...)}
}

func callFault(format string, args ...any) *Fault {
	return &Fault{Kind: KindCall, Message: fmt.Sprintf(format, args...)}
}

// faultOf returns an error as an answer holds it.
func faultOf(ctx context.Context, err error) *Fault {
	var (
		fault *Fault
		spec  *sipc.SpecError
		data  *sipc.DataError
		plain *dataset.Error
	)
	switch {
	case errors.As(err, &fault):
		return fault
	case errors.As(err, &spec):
		return diagnosed(KindSpec, spec.Diagnostics, spec.Sources)
	case errors.As(err, &data):
		f := diagnosed(KindData, diag.List{data.Diagnostic}, data.Sources)
		f.Message, f.Column = data.Data.Error(), data.Data.Column
		return f
	case errors.As(err, &plain):
		f := diagnosed(KindData, diag.List{sipc.DataDiagnostic(plain)}, nil)
		f.Message, f.Column = plain.Error(), plain.Column
		return f
	}
	return &Fault{Kind: kindOf(ctx, err), Message: err.Error()}
}

// kindOf returns the kind of an error that has no place.
func kindOf(ctx context.Context, err error) string {
	var (
		memory *limits.MemoryError
		embeds *sipc.EmbeddingsError
		number *proof.NumberError
	)
	switch {
	case limits.TimeOver(err):
		return KindTime
	case ctx.Err() != nil && errors.Is(err, context.Canceled):
		return KindCancelled
	case errors.As(err, &number):
		return KindSpec
	case errors.As(err, &memory):
		return KindMemory
	case errors.Is(err, sipc.ErrUnprovable):
		return KindUnprovable
	case errors.As(err, &embeds), errors.Is(err, represent.ErrNotQuadratic), errors.Is(err, model.ErrDualSets), errors.Is(err, model.ErrWorst):
		return KindCall
	}
	return KindFailed
}

// diagnosed returns diagnostics as a fault.
func diagnosed(kind string, list diag.List, sources diag.Sources) *Fault {
	f := &Fault{Kind: kind, Message: list.Error(), Rendered: render(list, sources), Diagnostics: diag.JSON(list).Diagnostics}
	for _, d := range list {
		if d.Severity == diag.Error {
			f.Code = string(d.Code)
			break
		}
	}
	return f
}

// render returns diagnostics with the source marked.
func render(list diag.List, sources diag.Sources) string {
	var b strings.Builder
	if err := diag.Render(&b, list[:min(len(list), limits.ShownDiagnostics)], sources, diag.RenderOptions{}); err != nil {
		return list.Error()
	}
	return b.String()
}

// jsonProblem says what is wrong with a text that should be JSON.
func jsonProblem(err error) string {
	var typed *json.UnmarshalTypeError
	if errors.As(err, &typed) {
		return fmt.Sprintf("%s cannot be %s", typed.Field, typed.Value)
	}
	return strings.TrimPrefix(err.Error(), "json: ")
}
