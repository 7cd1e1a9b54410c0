package bench

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"

	"github.com/google/renameio/v2"
	"gonum.org/v1/gonum/mat"

	"github.com/sipc-ml/sipc/internal/cli"
	"github.com/sipc-ml/sipc/runtime/dataset"
	"github.com/sipc-ml/sipc/runtime/polar"
)

// Open reads a problem file. The time that this takes counts for nobody; what is done with its numbers does.
func Open(ctx context.Context, path string) (*Problem, error) {
	file, err := polar.OpenProblem(ctx, path)
	if missing, ok := errors.AsType[*fs.PathError](err); ok {
		return nil, dataset.CannotOpen(path, missing)
	}
	if err != nil {
		return nil, cli.WrongInput(err)
	}
	count, dim := file.RHS.Dims()
	p := &Problem{
		About: About{Kind: FromFile, Name: file.Name, Dim: dim, RHS: count, Alpha: file.Problem.Alpha},
	}
	if p.About.Name == "" {
		p.About.Name = path
	}
	if file.Problem.A != nil {
		p.About.Functionals, _ = file.Problem.A.Dims()
	}
	p.norm = func() polar.Problem { return file.Problem }
	p.solver = func(ctx context.Context, gap float64) (solver, error) {
		return newFileSolver(ctx, p, file.Problem, gap)
	}
	p.rhs = func(lo, hi int) (*mat.Dense, error) {
		return mat.DenseCopyOf(file.RHS.Slice(lo, hi, 0, dim)), nil
	}
	return p, nil
}

// A fileSolver solves the problem of a file on the structure that it finds.
type fileSolver struct {
	*polar.Solver
	dim int
}

func newFileSolver(ctx context.Context, p *Problem, norm polar.Problem, gap float64) (solver, error) {
	if plain, ok := norm.A.(*polar.Dense); ok {
		a, err := structured(ctx, plain.Matrix())
		if err != nil {
			return nil, err
		}
		norm.A, p.About.Stored = a, a.StoredRows()
	}
	s, err := polar.New(ctx, norm, polar.Settings{Gap: gap})
	return fileSolver{s, p.About.Dim}, err
}

// SolveTo embeds count right-hand sides.
func (s fileSolver) SolveTo(ctx context.Context, count int, next func(lo, hi int) (*mat.Dense, error), emit func(lo int, part *polar.Result) error) error {
	return s.Solver.SolveTo(ctx, count, s.dim, next, emit)
}

// Limit keeps the first right-hand sides; 0 keeps all.
func (p *Problem) Limit(count int) error {
	if count > p.About.RHS {
		return cli.WrongInput(fmt.Errorf("%s has %d right-hand sides, and --rhs asks for %d", p.About.Name, p.About.RHS, count))
	}
	if count > 0 {
		p.About.RHS = count
	}
	return nil
}

// mostWritten is how many numbers a problem file may hold: some 300 MB of text.
const mostWritten = 16_000_000

// Write writes a problem and its right-hand sides to a file as `sipc polar` reads it. Problem files hold every number of
// every row, so that large problems are refused.
func (p *Problem) Write(ctx context.Context, path string) error {
	numbers := (p.About.Functionals + p.About.RHS) * p.About.Dim
	if numbers > mostWritten {
		return cli.WrongInput(fmt.Errorf("%s: the problem file would hold %.3g numbers, and rivals are given %.3g at most; "+
			"take a smaller --n, --pairs, --rank, --labels or --rhs", p.About.String(), float64(numbers), float64(mostWritten)))
	}
	norm := p.norm()
	terms, err := termsOf(norm.Gauge, p.About.Alpha/norm.Alpha)
	if err != nil {
		return err
	}
	file, err := renameio.NewPendingFile(path, renameio.WithPermissions(0o644))
	if err != nil {
		return err
	}
	defer file.Cleanup() //nolint:errcheck // it has nothing to say after CloseAtomicallyReplace
	out := bufio.NewWriterSize(file, 1<<20)
	if err := p.write(ctx, out, norm.A, terms); err != nil {
		return err
	}
	if err := out.Flush(); err != nil {
		return err
	}
	return file.CloseAtomicallyReplace()
}

func (p *Problem) write(ctx context.Context, w io.Writer, a polar.Operator, terms []*term) error {
	name, err := json.Marshal(p.About.Name)
	if err != nil {
		return err
	}
	fmt.Fprintf(w, "{\"name\": %s, \"dim\": %d, \"alpha\": %v, \"a\": [", name, p.About.Dim, p.About.Alpha)
	err = writeRows(ctx, w, p.About.RHS, p.rhs)
	for k, t := range terms {
		if err != nil {
			return err
		}
		separator := ", "
		if k == 0 {
			separator = "], \"terms\": ["
		}
		weights, jsonErr := json.Marshal(t.weights)
		if jsonErr != nil {
			return jsonErr
		}
		fmt.Fprintf(w, "%s{\"kind\": %q, \"group_size\": %d, \"weights\": %s, \"Z\": [", separator, t.kind, t.size, weights)
		err = writeRows(ctx, w, len(t.rows), t.of(a))
		fmt.Fprint(w, "]}")
	}
	fmt.Fprintln(w, "]}")
	return err
}

// writtenRows is how many rows are at hand at once.
const writtenRows = 256

func writeRows(ctx context.Context, w io.Writer, count int, rows func(lo, hi int) (*mat.Dense, error)) error {
	for lo := 0; lo < count; lo += writtenRows {
		if err := ctx.Err(); err != nil {
			return err
		}
		hi := min(lo+writtenRows, count)
		m, err := rows(lo, hi)
		if err != nil {
			return err
		}
		for i := range hi - lo {
			text, err := json.Marshal(m.RawRowView(i))
			if err != nil {
				return err
			}
			if lo+i > 0 {
				fmt.Fprint(w, ",\n")
			}
			if _, err := w.Write(text); err != nil {
				return err
			}
		}
	}
	return nil
}
