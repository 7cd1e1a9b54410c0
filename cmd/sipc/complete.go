package main

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	sipc "github.com/sipc-ml/sipc"
	pages "github.com/sipc-ml/sipc/docs/errors"
	"github.com/sipc-ml/sipc/dsl"
	"github.com/sipc-ml/sipc/internal/cli"
	"github.com/sipc-ml/sipc/runtime/blas"
)

// specsOf counts the first arguments of a command that are specs.
var specsOf = map[string]int{"run": 1, "explain": 1, "eval": 1, "repl": 1, "check": manySpecs, "fmt": manySpecs}

const manySpecs = 1 << 30

// codeBegins matches a code while it is typed.
var codeBegins = regexp.MustCompile(`^[EWew][0-9]{1,3}$`)

// completeArguments tells the shell what may stand in a call: specs where a spec is due, the lets of the spec after --set.
func completeArguments(root *cobra.Command) {
	must := func(err error) {
		if err != nil {
			root.PrintErrln(err) // a flag that is not there: the tests of completion show it
		}
	}
	must(root.RegisterFlagCompletionFunc("blas", cobra.FixedCompletions(blas.Tiers(), cobra.ShellCompDirectiveNoFileComp)))
	refuseUnknownShell(root)
	for _, cmd := range root.Commands() {
		if count := specsOf[cmd.Name()]; count > 0 {
			cmd.ValidArgsFunction = completeSpecs(count, cmd.Name() == "eval")
		}
		if cmd.Flags().Lookup("set") != nil {
			must(cmd.RegisterFlagCompletionFunc("set", completeLets))
		}
		for name, values := range flagValues {
			if cmd.Name() == "run" {
				must(cmd.RegisterFlagCompletionFunc(name, cobra.FixedCompletions(values, cobra.ShellCompDirectiveNoFileComp)))
			}
		}
		if cmd.Flags().Lookup("model") != nil {
			must(cmd.RegisterFlagCompletionFunc("model", cobra.FixedCompletions([]string{"sipc"}, cobra.ShellCompDirectiveFilterFileExt)))
		}
	}
}

// flagValues lists what some flags of run may be.
var flagValues = map[string][]string{
	"method": runMethods, "baseline": {"plain"}, "metrics": {"all"}, "embeddings": embeddingFormats, "rival": strings.Split(rivalNames(), ", "),
}

// refuseUnknownShell makes a shell that completion knows no script for a wrong call.
func refuseUnknownShell(root *cobra.Command) {
	root.InitDefaultCompletionCmd()
	for _, cmd := range root.Commands() {
		if cmd.Name() != "completion" {
			continue
		}
		var shells []string
		for _, shell := range cmd.Commands() {
			shells = append(shells, shell.Name())
		}
		cmd.RunE = func(cmd *cobra.Command, _ []string) error { return cmd.Help() }
		cmd.Args = func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return nil
			}
			return cli.WrongCall(cmd, fmt.Errorf("there is no completion for %s; there is for %s", args[0], strings.Join(shells, ", ")))
		}
	}
}

// completeCodes offers the codes of messages that begin with what was typed, each with its title.
func completeCodes(typed string) []string {
	var out []string
	for _, code := range pages.Codes() {
		if page, ok := pages.Page(code); ok && strings.HasPrefix(string(code), strings.ToUpper(typed)) {
			out = append(out, string(code)+"\t"+pages.Title(page))
		}
	}
	return out
}

// completeSpecs offers files that end in .inv for the first arguments, and any file, or none, for those after.
func completeSpecs(count int, last bool) cobra.CompletionFunc {
	return func(cmd *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
		switch {
		case cmd.Name() == "explain" && len(args) == 0 && codeBegins.MatchString(typed):
			return completeCodes(typed), cobra.ShellCompDirectiveNoFileComp
		case len(args) < count:
			return []string{"inv"}, cobra.ShellCompDirectiveFilterFileExt
		case last:
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		return nil, cobra.ShellCompDirectiveDefault
	}
}

// completeLets offers NAME= for the lets of the spec that the call names.
func completeLets(_ *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
	var out []string
	for _, path := range args {
		source, err := sipc.ReadSpec(path)
		if err != nil || !strings.HasSuffix(path, ".inv") {
			continue
		}
		file, _ := dsl.Parse(path, source)
		for _, decl := range file.Decls {
			if let, ok := decl.(*dsl.Let); ok && strings.HasPrefix(let.Name.Name, typed) {
				out = append(out, fmt.Sprintf("%s=\tnow %s", let.Name.Name, dsl.ExprString(let.Value)))
			}
		}
	}
	slices.Sort(out)
	return slices.Compact(out), cobra.ShellCompDirectiveNoSpace | cobra.ShellCompDirectiveNoFileComp
}
