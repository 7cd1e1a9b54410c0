package bench

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"

	sipc "github.com/sipc-ml/sipc"
	"github.com/sipc-ml/sipc/internal/cli"
	"github.com/sipc-ml/sipc/runtime/dataset"
	"github.com/sipc-ml/sipc/runtime/model"
	"github.com/sipc-ml/sipc/runtime/represent"
	"github.com/sipc-ml/sipc/runtime/setting"
)

// Build poses a problem of a kind by its spec on the data, as `sipc run` would.
func Build(ctx context.Context, kind Kind, o Options) (*Problem, error) {
	start := time.Now()
	folder, err := o.folder(kind)
	if err != nil {
		return nil, err
	}
	path, data := filepath.Join(folder, "bench.inv"), filepath.Join(folder, digitsFile)
	if kind == Logic {
		dir, err := os.MkdirTemp("", "sipc-bench-")
		if err != nil {
			return nil, err
		}
		defer os.RemoveAll(dir) //nolint:errcheck // a temporary folder
		if data, err = firstTopics(ctx, folder, dir, o.Labels); err != nil {
			return nil, err
		}
		path = filepath.Join(dir, "bench.inv")
	}
	test, err := o.testRows(ctx, kind, data)
	if err != nil {
		return nil, err
	}
	spec := sipc.NewSpec(ctx, path, []byte(o.spec(kind, test)), sipc.SpecOptions{})
	if err := spec.Err(); err != nil {
		return nil, err
	}
	defer spec.Close() //nolint:errcheck // the specs use no plugin
	rows, err := sipc.Prepare(ctx, spec, sipc.RunOptions{Data: data, Seed: &o.Seed, Gap: o.Gap})
	if err != nil {
		return nil, err
	}
	reg, err := rows.Ground(ctx)
	if err != nil {
		return nil, err
	}
	options := rows.Options(spec.Plan.At(nil))
	if !options.Method.Embeds() {
		options.Method = setting.Embed
	}
	if !o.WholePaths { // a maximum over an interval is one over its nodes, a problem that others can be given too
		options.Ground = nil
	}
	rep, _, err := model.Pose(ctx, rows.Train, reg, options)
	if err != nil {
		return nil, err
	}
	p, err := o.problem(kind, rows, rep)
	if err != nil {
		return nil, err
	}
	p.About.BuildSeconds = time.Since(start).Seconds()
	return p, nil
}

// folder returns the folder of the data of a kind.
func (o *Options) folder(kind Kind) (string, error) {
	if kind == Logic {
		return Topics.Find(o.Folder, edgesFile, labelsFile, topicsFile)
	}
	return Digits.Find(o.Folder, Digits.Files[:2]...)
}

// fewRows is how many rows right-hand sides have to themselves before rows come with several labels.
const fewRows = 256

// testRows returns the number of rows to take right-hand sides from: as few as there are labels for, and one each where these are few.
func (o *Options) testRows(ctx context.Context, kind Kind, data string) (int, error) {
	labels := o.Labels
	switch kind {
	case Transform: // a function of x alone: every right-hand side is a row
		return o.RHS, nil
	case Mixup:
		labels = digitClasses
	}
	table, err := dataset.Open(ctx, data)
	if err != nil {
		return 0, err
	}
	wanted := max(min(o.RHS, fewRows), (o.RHS+labels-1)/labels)
	return max(1, min(wanted, table.Len()-o.N)), nil
}

func (o *Options) problem(kind Kind, rows *sipc.Prepared, rep *represent.Representer) (*Problem, error) {
	r, dim := rep.Operator.Dims()
	p := &Problem{
		About: About{Kind: kind, Rows: rows.Train.Len(), Labels: rep.Labels, Dim: dim, Functionals: r, RHS: o.RHS, Alpha: o.Alpha},
	}
	p.About.Name = fmt.Sprintf("%s, n = %d", kind, o.N)
	if kind == Mixup {
		p.About.Pairs = o.pairs()
		p.About.Name = fmt.Sprintf("%s, n = %d, p = %d", kind, o.N, o.pairs())
	}
	if most := rows.Test.Len() * rep.Labels; o.RHS > most {
		return nil, cli.WrongInput(fmt.Errorf("%s: %d right-hand sides are more than the %d that %d rows and %d labels make; ask for fewer, or a smaller --n",
			kind, o.RHS, most, rows.Test.Len(), rep.Labels))
	}
	p.About.Nodes, p.About.Interval, p.About.Stored = rep.Nodes, rep.Between.Interval(), rep.Operator.StoredRows()
	p.norm = rep.Problem
	p.solver = func(_ context.Context, gap float64) (solver, error) {
		rep.Gap = gap
		return rep, nil
	}
	p.rhs = newRowSource(rows.Test.X, rep.Features, rep.Labels, o.Seed).next
	return p, nil
}
