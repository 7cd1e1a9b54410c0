package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	sipc "github.com/sipc-ml/sipc"
	"github.com/sipc-ml/sipc/dsl"
	"github.com/sipc-ml/sipc/runtime/blas"
)

// specsOf is how many of a command's first arguments are specs.
var specsOf = map[string]int{"run": 1, "explain": 1, "eval": 1, "repl": 1, "check": manySpecs, "fmt": manySpecs}

const manySpecs = 1 << 30

// completeArguments tells the shell what may stand in a call: specs where a spec is due, the lets of the spec after --set.
func completeArguments(root *cobra.Command) {
	must := func(err error) {
		if err != nil {
			root.PrintErrln(err) // a flag that is not there: the tests of completion show it
		}
	}
	must(root.RegisterFlagCompletionFunc("blas", cobra.FixedCompletions(append(blas.Tiers(), "openblas"), cobra.ShellCompDirectiveNoFileComp)))
	for _, cmd := range root.Commands() {
		if count := specsOf[cmd.Name()]; count > 0 {
			cmd.ValidArgsFunction = completeSpecs(count, cmd.Name() == "eval")
		}
		if cmd.Flags().Lookup("set") != nil {
			must(cmd.RegisterFlagCompletionFunc("set", completeLets))
		}
		if cmd.Flags().Lookup("model") != nil {
			must(cmd.RegisterFlagCompletionFunc("model", cobra.FixedCompletions([]string{"sipc"}, cobra.ShellCompDirectiveFilterFileExt)))
		}
	}
}

// completeSpecs offers files that end in .inv for the first arguments, and any file, or none, for those after.
func completeSpecs(count int, last bool) cobra.CompletionFunc {
	return func(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
		switch {
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
