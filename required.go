package sipc

import (
	"context"
	"fmt"
	"runtime"

	"gonum.org/v1/gonum/mat"

	"github.com/sipc-ml/sipc/compiler"
	"github.com/sipc-ml/sipc/compiler/codes"
	"github.com/sipc-ml/sipc/dsl/diag"
	"github.com/sipc-ml/sipc/plugins"
	"github.com/sipc-ml/sipc/runtime/dataset"
	"github.com/sipc-ml/sipc/runtime/setting"
	"github.com/sipc-ml/sipc/runtime/statement"
)

// required returns the statements that an instance requires, in prepared coordinates. It is empty for a spec without `require`.
func required(ctx context.Context, p *Prepared, in *compiler.Instance) ([]statement.Statement, error) {
	return compiler.Require(ctx, in, grounding(p, p.seen, nil))
}

// notKept refuses a method that a call names, where the spec requires statements: no method but risk keeps them.
func notKept(spec *Spec, method setting.Method) error {
	at := spec.Plan.Requires()
	if len(at) == 0 || method == "" || method == setting.Risk {
		return nil
	}
	return spec.specError(diag.List{{
		Code: codes.NotKept, Severity: diag.Error, Subject: at[0], Summary: fmt.Sprintf("--method %s keeps no statement", method),
		Mend: "Take method risk, or leave the statement out.",
	}})
}

// notSearched refuses a method that a call names, where R takes a maximum over an orbit: methods that embed search no worst moves.
func notSearched(spec *Spec, method setting.Method) error {
	at := spec.Plan.SearchedAt()
	if at == (diag.Span{}) || method != setting.Embed && method != setting.Warp {
		return nil
	}
	return spec.specError(diag.List{{
		Code: codes.NotSearched, Severity: diag.Error, Subject: at, Summary: fmt.Sprintf("--method %s searches no worst moves, and R takes a maximum over an orbit", method),
		Mend: "Take method risk or dual.",
	}})
}

// readRows returns how the compiler reads a data file that a region names: its rows, prepared as the training rows are, and their names.
func readRows(p *Prepared) func(ctx context.Context, name string) (plugins.Matrix, []string, error) {
	return func(ctx context.Context, name string) (plugins.Matrix, []string, error) {
		t, err := openData(ctx, p.Spec.resolve(name))
		if err != nil {
			return plugins.Matrix{}, nil, err
		}
		var s *dataset.Set
		if s, err = p.Preparation.ApplyUntold(ctx, t, p.Train, p.Spec.data()); err != nil {
			return plugins.Matrix{}, nil, err
		}
		x := mat.DenseCopyOf(s.X) // statements outlive the set
		runtime.KeepAlive(s)
		return matrix(x), dataset.AllIDs(s), nil
	}
}
