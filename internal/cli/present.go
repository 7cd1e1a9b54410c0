package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"syscall"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	sipc "github.com/sipc-ml/sipc"
	"github.com/sipc-ml/sipc/dsl/diag"
	"github.com/sipc-ml/sipc/internal/limits"
	"github.com/sipc-ml/sipc/runtime/blocks"
	"github.com/sipc-ml/sipc/runtime/dataset"
	"github.com/sipc-ml/sipc/runtime/model"
	"github.com/sipc-ml/sipc/runtime/represent"
)

// A failure is an error of a command, and where it is shown.
type failure struct {
	stdout, stderr io.Writer
	asJSON         bool // diagnostics are to be one JSON object on stdout too
}

// present shows an error and says with which status to exit.
func (f *failure) present(ctx context.Context, err error) int {
	var code ExitError
	switch {
	case errors.As(err, &code):
		return int(code)
	case Interrupted(ctx, err):
		fmt.Fprintln(f.stderr, "interrupted; nothing was written")
		return ExitFailed
	}
	f.show(err)
	return Status(err)
}

// show shows an error, as a diagnostic where it has a code.
func (f *failure) show(err error) {
	var (
		call  *callError
		spec  *sipc.SpecError
		data  *sipc.DataError
		plain *dataset.Error
	)
	switch {
	case errors.As(err, &spec):
		f.diagnostics(spec.Sources, spec.Diagnostics)
	case errors.As(err, &data):
		f.diagnostics(data.Sources, diag.List{data.Diagnostic})
	case !errors.As(err, &call) && errors.As(err, &plain) && plain.Code != "":
		f.diagnostics(nil, diag.List{sipc.DataDiagnostic(plain)})
	default:
		fmt.Fprintln(f.stderr, "error:", err)
	}
}

// Status returns the exit status of an error, by one rule for all commands. It is [ExitWrong] where the call, or an input that it names,
// cannot be used. What does not fit the memory is such an input. Where work failed, it is [ExitFailed].
func Status(err error) int {
	var (
		call    *callError
		input   *inputError
		spec    *sipc.SpecError
		rival   *sipc.RivalError
		embeds  *sipc.EmbeddingsError
		ending  *sipc.EmbeddingsFileError
		data    *dataset.Error
		memory  *limits.MemoryError
		settled *sipc.TuneError
		block   *blocks.Error
	)
	switch {
	case err == nil:
		return ExitDone
	case limits.TimeOver(err), errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT), errors.Is(err, syscall.EFBIG): // a full disk
		return ExitFailed
	case errors.As(err, &spec) && spec.Diagnostics.FamilyFault():
		return ExitFailed
	case errors.As(err, &call), errors.As(err, &input), errors.As(err, &spec), errors.As(err, &rival), errors.As(err, &embeds), errors.As(err, &ending),
		errors.As(err, &data), errors.As(err, &memory), errors.As(err, &settled), errors.As(err, &block), errors.Is(err, represent.ErrNotQuadratic), errors.Is(err, model.ErrDualSets), errors.Is(err, model.ErrWorst),
		errors.Is(err, sipc.ErrUnprovable):
		return ExitWrong
	}
	return ExitFailed
}

// diagnostics shows diagnostics as text, and where it is asked for as JSON.
func (f *failure) diagnostics(sources diag.Sources, list diag.List) {
	RenderSources(f.stderr, sources, list)
	if !f.asJSON {
		return
	}
	if err := WriteJSON(f.stdout, diag.JSON(list)); err != nil {
		fmt.Fprintln(f.stderr, "error:", err)
	}
}

// wantsJSON reports whether a command was asked for one JSON object.
func wantsJSON(cmd *cobra.Command) bool {
	flag := cmd.Flags().Lookup("json")
	return flag != nil && flag.Value.String() == "true"
}

// RenderSources shows diagnostics that speak of several sources.
func RenderSources(w io.Writer, sources diag.Sources, list diag.List) {
	w = Raw(w) // what is rendered is clean, except for its colours
	options := diag.RenderOptions{}
	if f, ok := w.(*os.File); ok && term.IsTerminal(int(f.Fd())) {
		options.Color = os.Getenv("NO_COLOR") == ""
		if width, _, err := term.GetSize(int(f.Fd())); err == nil {
			options.Width = width
		}
	}
	shown, left := firstOf(list, limits.ShownDiagnostics)
	if err := diag.Render(w, shown, sources, options); err != nil {
		fmt.Fprintln(&cleaned{w: w}, shown.Error())
	}
	if left > 0 {
		fmt.Fprintf(w, "\n%d more errors and warnings are not shown; mend these first, or see all by sipc check --json\n", left)
	}
}

// firstOf returns at most so many diagnostics in their order, errors rather than warnings, and how many are left out.
func firstOf(list diag.List, most int) (first diag.List, left int) {
	if len(list) <= most {
		return list, 0
	}
	errs := 0
	for _, d := range list {
		if d.Severity == diag.Error {
			errs++
		}
	}
	errs = min(errs, most)
	others := most - errs
	for _, d := range list {
		room := &others
		if d.Severity == diag.Error {
			room = &errs
		}
		if *room > 0 {
			*room--
			first.Add(d)
		}
	}
	return first, len(list) - len(first)
}
