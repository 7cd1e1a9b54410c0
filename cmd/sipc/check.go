package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	sipc "github.com/sipc-ml/sipc"
	"github.com/sipc-ml/sipc/compiler/codes"
	pages "github.com/sipc-ml/sipc/docs/errors"
	"github.com/sipc-ml/sipc/dsl/diag"
	"github.com/sipc-ml/sipc/internal/cli"
)

func newCheck() *cobra.Command {
	var (
		sets          []string
		asJSON, sarif bool
		data          string
	)
	cmd := &cobra.Command{
		Use:   "check SPEC...",
		Short: "Check specs: syntax, names, types, and that each invariance is convex",
		Long: `Check specs: syntax, names, types, and that each invariance is convex. Which columns and labels there are, data alone can tell:
with --data their names are looked up in that file. Where SPEC is -, it is read from standard input.

Expectations that need no data are judged: expect kind(steady) == seminorm.

Exit status: 0 no spec has an error, 1 a family failed at its work or an expectation is not met, 2 a spec has one, or specs or data cannot be used.`,
		Example: "  sipc check examples/topics/topics.inv --data examples/topics/documents.csv",
		Args:    cli.Takes(1, cli.AnyNumber),
		RunE: func(cmd *cobra.Command, args []string) error {
			o, err := specOptions(cmd, sets)
			if err != nil {
				return err
			}
			switch {
			case asJSON && sarif:
				return cli.WrongCall(cmd, errors.New("--json and --sarif are two forms of one output; give one of them"))
			case asJSON:
				return checkSpecs(cmd, args, o, data, func(l diag.List, proved []provedJSON) any { return checkJSON{diag.JSON(l), proved} })
			case sarif:
				return checkSpecs(cmd, args, o, data, func(l diag.List, _ []provedJSON) any { return diag.SARIF(l, sipc.Version, pages.Title) })
			}
			return checkSpecs(cmd, args, o, data, nil)
		},
	}
	cmd.Flags().StringArrayVar(&sets, "set", nil, "override a let: `NAME=VALUE`; may be repeated")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print the diagnostics as one JSON object")
	cmd.Flags().BoolVar(&sarif, "sarif", false, "print the diagnostics as a SARIF 2.1.0 log, which code hosts and editors read")
	cmd.Flags().StringVar(&data, "data", "", "a data `file` in which the names of columns and labels are looked up")
	return cmd
}

// checkSpecs shows the diagnostics of all specs, those among them that data give rise to, and fails where one holds an error. It prints
// them in the form for tools, or as text where that is nil.
func checkSpecs(
	cmd *cobra.Command, paths []string, o sipc.SpecOptions, data string, form func(diag.List, []provedJSON) any,
) error {
	var all diag.List
	var proved []provedJSON
	for _, path := range paths {
		spec, err := openSpec(cmd, path, o)
		if err != nil {
			return err
		}
		c, err := checkSpec(cmd.Context(), spec, data)
		if err != nil {
			return err
		}
		all = append(all, c.found...)
		if c.proved != nil {
			proved = append(proved, *c.proved)
		}
		if form == nil {
			c.show(cmd)
		}
	}
	if form != nil {
		if err := cli.WriteJSON(cmd.OutOrStdout(), form(all, proved)); err != nil {
			return err
		}
	}
	if all.HasErrors() {
		return cli.ExitError(cli.Status(&sipc.SpecError{Diagnostics: all}))
	}
	if slices.ContainsFunc(all, func(d *diag.Diagnostic) bool { return d.Code == codes.Unmet }) {
		return cli.ExitError(cli.ExitFailed)
	}
	return nil
}

// A checked spec is what was found out about it.
type checked struct {
	spec   *sipc.Spec
	found  diag.List
	data   bool        // there were data
	proved *provedJSON // nil where there is an error
}

// checkJSON holds what check --json prints.
type checkJSON struct {
	diag.Report
	Specs []provedJSON `json:"specs,omitempty"` // those without an error
}

// provedJSON holds what was proved of a spec, and what follows for its method.
type provedJSON struct {
	Spec         string `json:"spec"`
	Theory       string `json:"theory"` // what R is
	Method       string `json:"method"`
	MethodReason string `json:"method_reason"`
	// If is what the data must keep for the proofs to hold; with --data it was looked at.
	If []string `json:"if,omitempty"`
	// Grids are the numbers that a run chooses.
	Grids []gridJSON `json:"grids,omitempty"`
}

// gridJSON describes a number that a run chooses from several.
type gridJSON struct {
	Name   string      `json:"name"` // where it stands: "svm.C", or the name of a let or invariance
	At     *diag.Place `json:"at"`
	Values []string    `json:"values"` // as the spec has them, the smallest first
	Auto   bool        `json:"auto,omitempty"`
}

// checkSpec checks one spec, and with data whether they have what it names. It closes the spec.
func checkSpec(ctx context.Context, spec *sipc.Spec, data string) (c checked, err error) {
	defer func() { err = errors.Join(err, spec.Close()) }()
	c = checked{spec: spec, data: data != "", found: slices.Clone(spec.Diagnostics)}
	explanation, err := spec.Explain(ctx, sipc.ExplainOptions{Data: data})
	wrong := new(sipc.SpecError)
	switch {
	case err == nil:
		c.found = append(c.found, explanation.Warnings...)
		c.proved = &provedJSON{
			Spec: spec.Path, Theory: explanation.Theory, Method: explanation.Method, MethodReason: explanation.Reason, If: explanation.Conditions(),
		}
		for _, g := range spec.Plan.Grid {
			c.proved.Grids = append(c.proved.Grids, gridJSON{g.Name, diag.PlaceOf(g.Place), g.Sorted(), g.Auto})
		}
	case errors.As(err, &wrong):
		if !spec.Diagnostics.HasErrors() { // else these are they
			c.found = append(c.found, wrong.Diagnostics...)
		}
	default:
		return c, err
	}
	return c, nil
}

// show shows what is wrong with a spec, or what was proved of it.
func (c *checked) show(cmd *cobra.Command) {
	cli.RenderSources(cmd.ErrOrStderr(), c.spec.Sources(), c.found)
	p := c.proved
	if p == nil {
		return
	}
	fmt.Fprintf(cmd.OutOrStdout(), "%s: R is %s\n%s: method %s (%s)\n", p.Spec, p.Theory, p.Spec, p.Method, p.MethodReason)
	if len(p.If) > 0 {
		kept := "which the training rows decide"
		if c.data {
			kept = "as it is in the training rows"
		}
		fmt.Fprintf(cmd.OutOrStdout(), "%s: proved if %s, %s\n", p.Spec, strings.Join(p.If, " and "), kept)
	}
	for _, g := range c.spec.Plan.Grid {
		note := ""
		if g.Auto {
			note = "; the largest within one standard error of the best"
		}
		fmt.Fprintf(cmd.OutOrStdout(), "%s: run chooses the %s from %s%s\n", p.Spec, g.Name, strings.Join(g.Sorted(), ", "), note)
	}
}
