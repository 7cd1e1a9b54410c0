package main

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	sipc "github.com/sipc-ml/sipc"
	"github.com/sipc-ml/sipc/dsl/diag"
)

func newCheck() *cobra.Command {
	var (
		sets   []string
		asJSON bool
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
			return checkSpecs(cmd, args, set, asJSON)
		},
	}
	cmd.Flags().StringArrayVar(&sets, "set", nil, "override a let: `NAME=VALUE`; may be repeated")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print the diagnostics as one JSON object")
	return cmd
}

// checkSpecs shows the diagnostics of all specs, and fails where one holds an error.
func checkSpecs(cmd *cobra.Command, paths []string, set map[string]string, asJSON bool) error {
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
		if asJSON {
			continue
		}
		renderDiagnostics(cmd.ErrOrStderr(), spec.Path, spec.Source, spec.Diagnostics)
		if !spec.Diagnostics.HasErrors() {
			explanation, err := spec.Explain(cmd.Context(), sipc.ExplainOptions{})
			if err == nil {
				fmt.Fprintf(cmd.OutOrStdout(), "%s: R is %s\n", path, explanation.Theory)
			}
		}
	}
	if asJSON {
		e := json.NewEncoder(cmd.OutOrStdout())
		e.SetIndent("", "  ")
		if err := e.Encode(diag.JSON(all)); err != nil {
			return err
		}
	}
	if all.HasErrors() && familyFailed {
		return exitError(exitFailed)
	}
	if all.HasErrors() {
		return exitError(exitWrong)
	}
	return nil
}
