package sipc

import (
	"context"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"strings"

	"github.com/sipc-ml/sipc/compiler"
	"github.com/sipc-ml/sipc/dsl"
)

// ExpressionName is the name under which diagnostics and proofs speak of an expression that stands in no file. No spec has it:
// one in a file of that name is called ./expression.
const ExpressionName = "expression"

// An Expression is an expression of the language, judged as if it stood in a spec.
type Expression struct {
	Text string
	*compiler.Verdict
}

// Judge says what an expression is beside the declarations of a spec, faulty ones left out: its kind, its sign, and the proof.
// The expression need not be an invariance. Judge fails only if the text is empty or ctx ends; faults in the expression are returned
// as diagnostics.
func (s *Spec) Judge(ctx context.Context, text string, o SpecOptions) (*Expression, error) {
	if strings.TrimSpace(text) == "" {
		return nil, errors.New("the expression is empty")
	}
	file, faults := dsl.ParseExpression(ExpressionName, []byte(text))
	if faults.HasErrors() {
		return &Expression{text, &compiler.Verdict{Value: math.NaN(), Diagnostics: faults}}, ctx.Err()
	}
	launcher := newLauncher(filepath.Dir(s.Path), o)
	judged := compiler.Judge(ctx, s.File, file, compiler.Options{
		Families: Families(), Open: launcher.open, Pinned: launcher.pinned, ReadFile: s.readFile, Identity: s.identity, Included: s.include, Set: o.Set,
	})
	return &Expression{text, judged}, ctx.Err()
}

// String says in a few words what was proved: "sublinear, nonnegative".
func (e *Expression) String() string {
	switch {
	case e.Proof == nil:
		return "faulty"
	case e.Proof.Kind == compiler.ConstantKind && math.IsNaN(e.Value):
		return "a number"
	case e.Proof.Kind == compiler.ConstantKind:
		return fmt.Sprintf("the number %g", e.Value)
	}
	return fmt.Sprintf("%s, %s", e.Proof.Kind, e.Proof.Sign)
}
