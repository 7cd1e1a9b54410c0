package bench

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"time"

	"gonum.org/v1/gonum/mat"

	sipc "github.com/sipc-ml/sipc"
	"github.com/sipc-ml/sipc/runtime/dataset"
	"github.com/sipc-ml/sipc/runtime/embed"
)

// streamRHS is the stream of random numbers that right-hand sides are drawn from.
const streamRHS uint64 = 0x62656e6368

// Build poses a problem of a kind by its spec on the data, as `sipc run` would.
func Build(ctx context.Context, kind Kind, o Options) (*Problem, error) {
	start := time.Now()
	path, data := filepath.Join(o.Folder, "bench.inv"), filepath.Join(o.Folder, digitsFile)
	if kind == Logic {
		dir, err := os.MkdirTemp("", "sipc-bench-")
		if err != nil {
			return nil, err
		}
		defer os.RemoveAll(dir) //nolint:errcheck // a temporary folder
		if data, err = firstTopics(ctx, o.Folder, dir, o.Labels); err != nil {
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
	posed, err := sipc.Pose(ctx, spec, sipc.RunOptions{Data: data, Seed: &o.Seed, Gap: o.Gap}, o.AtNodes)
	if err != nil {
		return nil, err
	}
	p, err := o.problem(kind, posed)
	if err != nil {
		return nil, err
	}
	p.About.BuildSeconds = time.Since(start).Seconds()
	return p, nil
}

// testRows is the number of rows to take right-hand sides from: one each as far as there are rows.
func (o *Options) testRows(ctx context.Context, kind Kind, data string) (int, error) {
	if kind == Transform { // two classes of many, and a function of x alone: every right-hand side is a row
		return o.RHS, nil
	}
	table, err := dataset.Open(ctx, data)
	if err != nil {
		return 0, err
	}
	return max(1, min(o.RHS, table.Len()-o.N)), nil
}

func (o *Options) problem(kind Kind, posed *sipc.Posed) (*Problem, error) {
	rep := posed.Represent
	r, dim := rep.Operator.Dims()
	p := &Problem{
		About: About{Kind: kind, Rows: posed.Train.Len(), Labels: rep.Labels, Dim: dim, Functionals: r, RHS: o.RHS, Alpha: o.Alpha},
	}
	p.About.Name = fmt.Sprintf("%s, n = %d", kind, o.N)
	if kind == Mixup {
		p.About.Pairs = o.pairs()
		p.About.Name = fmt.Sprintf("%s, n = %d, p = %d", kind, o.N, o.pairs())
	}
	if most := posed.Test.Len() * rep.Labels; o.RHS > most {
		return nil, fmt.Errorf("%s: %d right-hand sides are more than the %d that %d rows and %d labels make; ask for fewer, or a smaller --n",
			kind, o.RHS, most, posed.Test.Len(), rep.Labels)
	}
	p.About.Nodes, p.About.Interval, p.About.Stored = rep.Nodes, rep.Interval && rep.Nodes > 0, rep.Operator.StoredRows()
	p.norm = rep.Problem
	p.solver = func(_ context.Context, gap float64) (solver, error) {
		rep.Gap = gap
		return rep, nil
	}
	p.rhs = (&rowSource{x: posed.Test.X, features: rep.Features, labels: rep.Labels, first: firstLabels(posed.Test.Len(), rep.Labels, o.Seed)}).next
	return p, nil
}

// firstLabels draws the label that a row has in its first right-hand side.
func firstLabels(rows, labels int, seed uint64) []int {
	rng := rand.New(rand.NewPCG(seed, streamRHS))
	first := make([]int, rows)
	for i := range first {
		first[i] = rng.IntN(labels)
	}
	return first
}

// A rowSource makes right-hand sides φ(x)yᵀ: of every row one, each with a label drawn for it, then of every row another.
type rowSource struct {
	x        *mat.Dense
	features embed.Map
	labels   int
	first    []int // of every row
}

func (s *rowSource) next(lo, hi int) (*mat.Dense, error) {
	n, p := s.x.Dims()
	d := s.features.Dim()
	x, phi := mat.NewDense(hi-lo, p, nil), mat.NewDense(hi-lo, d, nil)
	for k := lo; k < hi; k++ {
		x.SetRow(k-lo, s.x.RawRowView(k%n))
	}
	s.features.Features(phi, x)
	out := mat.NewDense(hi-lo, s.labels*d, nil)
	for k := lo; k < hi; k++ {
		label := (s.first[k%n] + k/n) % s.labels
		copy(out.RawRowView(k - lo)[label*d:(label+1)*d], phi.RawRowView(k-lo))
	}
	return out, nil
}
