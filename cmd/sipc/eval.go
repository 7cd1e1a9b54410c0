package main

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	sipc "github.com/sipc-ml/sipc"
	"github.com/sipc-ml/sipc/compiler"
	"github.com/sipc-ml/sipc/internal/cli"
)

func newEval() *cobra.Command {
	var sets []string
	cmd := &cobra.Command{
		Use:   "eval SPEC|- EXPRESSION...",
		Short: "Try expressions beside a spec: their kind, their sign, and the rules that prove it",
		Long: `Judge expressions as if they stood in the spec: what its data, lets, definitions and families name is known to them. Each is
shown with its kind and sign, whether it may stand as an invariance, and the tree of the rules that prove it. An expression in
which nothing binds a point is judged at a training row x.

The spec - is read from standard input. The spec may have faults; the statements that have none count.

Write -- before an expression that begins with a minus sign.

Exit status: 0 every expression has a kind, 2 one has a fault.`,
		Example: "  sipc eval examples/logic/logic.inv 'implies(cat, animal)' 'rms over x of |f(cat) - f(dog)|'",
		Args:    cli.Takes(2, cli.AnyNumber),
		RunE: func(cmd *cobra.Command, args []string) error {
			o, err := specOptions(cmd, sets)
			if err != nil {
				return err
			}
			name, source, err := readSpec(cmd, args[0])
			if err != nil {
				return err
			}
			return eval(cmd, sipc.ParseSpec(name, source), args[1:], o)
		},
	}
	cmd.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		return cli.WrongCall(cmd, fmt.Errorf("%w; write -- before an expression that begins with a minus sign", err))
	})
	cmd.Flags().StringArrayVar(&sets, "set", nil, "override a let: `NAME=VALUE`; may be repeated")
	return cmd
}

func eval(cmd *cobra.Command, spec *sipc.Spec, texts []string, o sipc.SpecOptions) error {
	faulty := false
	for i, text := range texts {
		e, err := spec.Judge(cmd.Context(), text, o)
		if err != nil {
			return evalError(cmd, err)
		}
		faulty = faulty || e.Proof == nil
		if i > 0 {
			fmt.Fprintln(cmd.OutOrStdout())
		}
		if err := showExpression(cmd, spec, e); err != nil {
			return err
		}
	}
	if faulty {
		return cli.ExitError(cli.ExitWrong)
	}
	return nil
}

// evalError makes an error one of the call, unless the user stopped the program.
func evalError(cmd *cobra.Command, err error) error {
	if cmd.Context().Err() != nil {
		return err
	}
	return cli.WrongCall(cmd, err)
}

// errSpecFaulty says that an expression cannot be judged for what the spec lacks.
var errSpecFaulty = errors.New("the expression needs what is faulty in the spec; sipc check says what that is")

// showExpression shows what an expression is: its faults, or its kind and the tree of its proof.
func showExpression(cmd *cobra.Command, spec *sipc.Spec, e *sipc.Expression) error {
	sources := spec.Sources()
	sources[sipc.ExpressionName] = []byte(e.Text)
	cli.RenderSources(cmd.ErrOrStderr(), sources, e.Diagnostics)
	return showProof(cmd, spec.Path, e)
}

// showProof shows the kind of an expression and the tree of its proof, where it has one.
func showProof(cmd *cobra.Command, path string, e *sipc.Expression) error {
	w := cmd.OutOrStdout()
	if e.Proof == nil {
		if !e.Diagnostics.HasErrors() {
			fmt.Fprintf(cmd.ErrOrStderr(), "error: %s: %v\n", path, errSpecFaulty)
		}
		return nil
	}
	fmt.Fprintf(w, "%s%s\n", e, standing(e))
	if e.Proof.Kind != compiler.ConstantKind {
		fmt.Fprint(w, "\n", e.Proof.Shown())
	}
	return nil
}

// standing says where an expression that holds f may stand.
func standing(e *sipc.Expression) string {
	at := ""
	if e.AtRow {
		at = " at a training row x"
	}
	switch {
	case e.Proof.Kind == compiler.ConstantKind:
		return ""
	case !e.Invariance && e.Proof.Kind == compiler.LinearKind:
		return at + "; within | | it may stand in an invariance"
	case !e.Invariance:
		return at + "; no invariance, because it may be negative or is always zero"
	case e.AtRow:
		return at + "; it may stand in an invariance, such as rms over x of it"
	}
	return "; it may stand as an invariance"
}
