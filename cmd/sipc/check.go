package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	sipc "github.com/sipc-ml/sipc"
	pages "github.com/sipc-ml/sipc/docs/errors"
	"github.com/sipc-ml/sipc/dsl/diag"
)

// A checkForm is what check prints; in the zero form, text.
type checkForm struct{ json, sarif bool }

func newCheck() *cobra.Command {
	var (
		sets []string
		form checkForm
	)
	cmd := &cobra.Command{
		Use:   "check SPEC...",
		Short: "Check specs: syntax, names, types, and that each invariance is convex",
		Args:  arguments(cobra.MinimumNArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error {
			set, err := overrides(cmd, sets)
			if err != nil {
				return err
			}
			if form.json && form.sarif {
				return &callError{cmd, errors.New("--json and --sarif are two forms of one output; give one of them")}
			}
			return checkSpecs(cmd, args, set, form)
		},
	}
	cmd.Flags().StringArrayVar(&sets, "set", nil, "override a let: `NAME=VALUE`; may be repeated")
	cmd.Flags().BoolVar(&form.json, "json", false, "print the diagnostics as one JSON object")
	cmd.Flags().BoolVar(&form.sarif, "sarif", false, "print the diagnostics as a SARIF 2.1.0 log, which code hosts and editors read")
	return cmd
}

// checkSpecs shows the diagnostics of all specs, and fails where one holds an error.
func checkSpecs(cmd *cobra.Command, paths []string, set map[string]string, form checkForm) error {
	var all diag.List
	familyFailed := false
	for _, path := range paths {
		spec, err := sipc.LoadSpec(cmd.Context(), path, sipc.SpecOptions{Set: set})
		if err != nil {
			return &callError{nil, err}
		}
		if err := spec.Close(); err != nil {
			return err
		}
		all = append(all, spec.Diagnostics...)
		if wrong := new(sipc.SpecError); errors.As(spec.Err(), &wrong) {
			familyFailed = familyFailed || wrong.FamilyFailed
		}
		if form == (checkForm{}) {
			showChecked(cmd, spec, path)
		}
	}
	if err := form.write(cmd.OutOrStdout(), all); err != nil {
		return err
	}
	switch {
	case all.HasErrors() && familyFailed:
		return exitError(exitFailed)
	case all.HasErrors():
		return exitError(exitWrong)
	}
	return nil
}

// showChecked shows what is wrong with a spec, or what was proved of it.
func showChecked(cmd *cobra.Command, spec *sipc.Spec, path string) {
	renderDiagnostics(cmd.ErrOrStderr(), spec.Path, spec.Source, spec.Diagnostics)
	if spec.Diagnostics.HasErrors() {
		return
	}
	if explanation, err := spec.Explain(cmd.Context(), sipc.ExplainOptions{}); err == nil {
		fmt.Fprintf(cmd.OutOrStdout(), "%s: R is %s\n", path, explanation.Theory)
	}
}

// write prints the diagnostics of all specs in a form that tools read. The zero form prints nothing here.
func (f checkForm) write(w io.Writer, all diag.List) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	switch {
	case f.json:
		return e.Encode(diag.JSON(all))
	case f.sarif:
		tool := diag.Tool{Name: "sipc", Version: sipc.Version, URI: "https://github.com/sipc-ml/sipc"}
		return e.Encode(diag.SARIF(all, tool, describeCode))
	}
	return nil
}

// describeCode is the title of a code's page.
func describeCode(code diag.Code) string {
	page, _ := pages.Page(code)
	return pages.Title(page)
}
