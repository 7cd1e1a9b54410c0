package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"golang.org/x/term"

	sipc "github.com/sipc-ml/sipc"
	"github.com/sipc-ml/sipc/dsl/diag"
	"github.com/sipc-ml/sipc/runtime/dataset"
	"github.com/sipc-ml/sipc/runtime/model"
)

// present shows an error and says with which status to exit.
func present(ctx context.Context, stderr io.Writer, err error) int {
	var (
		call   *callError
		spec   *sipc.SpecError
		method *sipc.MethodError
		code   exitError
		rival  *sipc.RivalError
		data   *dataset.Error
	)
	switch {
	case errors.As(err, &code):
		return int(code)
	case interrupted(ctx, err):
		fmt.Fprintln(stderr, "interrupted; nothing was written")
		return exitFailed
	case errors.As(err, &spec):
		renderDiagnostics(stderr, spec.Path, spec.Source, spec.Diagnostics)
		if spec.FamilyFailed {
			return exitFailed
		}
		return exitWrong
	case errors.As(err, &call), errors.As(err, &method), errors.As(err, &rival), errors.Is(err, model.ErrNotQuadratic):
		fmt.Fprintln(stderr, "error:", err)
		return exitWrong
	}
	if errors.As(err, &data) && data.Code != "" {
		fmt.Fprintf(stderr, "error[%s]: %v\n", data.Code, err)
		return exitFailed
	}
	fmt.Fprintln(stderr, "error:", err)
	return exitFailed
}

// renderDiagnostics shows diagnostics with the source that they speak of.
func renderDiagnostics(w io.Writer, path string, source []byte, list diag.List) {
	renderSources(w, diag.Sources{path: source}, list)
}

// renderSources shows diagnostics that speak of several sources.
func renderSources(w io.Writer, sources diag.Sources, list diag.List) {
	options := diag.RenderOptions{}
	if f, ok := w.(*os.File); ok && term.IsTerminal(int(f.Fd())) {
		options.Color = os.Getenv("NO_COLOR") == ""
		if width, _, err := term.GetSize(int(f.Fd())); err == nil {
			options.Width = width
		}
	}
	if err := diag.Render(w, list, sources, options); err != nil {
		fmt.Fprintln(w, list.Error())
	}
}
