package cache_test

import (
	"errors"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"gonum.org/v1/gonum/mat"

	"github.com/sipc-ml/sipc/internal/limits"
	"github.com/sipc-ml/sipc/plugins"
	"github.com/sipc-ml/sipc/runtime/cache"
	"github.com/sipc-ml/sipc/runtime/gauge"
	"github.com/sipc-ml/sipc/runtime/operator"
	"github.com/sipc-ml/sipc/runtime/polar"
)

const dim = 12

func gaussian(rng *rand.Rand, rows int) *mat.Dense {
	out := mat.NewDense(rows, dim, nil)
	for i := range rows {
		for j := range dim {
			out.Set(i, j, rng.NormFloat64())
		}
	}
	return out
}

// problem returns a root mean square over maxima of three functionals each, which are the rows of a matrix.
func problem(t *testing.T, a *mat.Dense) polar.Problem {
	t.Helper()
	n, _ := a.Dims()
	s := &operator.State{Functionals: n, Labels: 1, Dim: dim, Psi: plugins.Matrix{Rows: n, Cols: dim, Data: a.RawMatrix().Data}, Start: []int32{0}}
	for i := range n {
		s.ColumnLabel, s.ColumnRow = append(s.ColumnLabel, 0), append(s.ColumnRow, int32(i))
		s.At, s.Value, s.Start = append(s.At, int32(i)), append(s.Value, 1), append(s.Start, int32(i+1))
	}
	op, err := operator.FromState(s)
	if err != nil {
		t.Fatal(err)
	}
	leaf := &gauge.Node{Op: gauge.Abs}
	return polar.Problem{Alpha: 0.02, A: op, Gauge: &gauge.Node{Op: gauge.Norm, P: 2, Repeat: n / 3, Children: []*gauge.Node{{Op: gauge.Max, Repeat: 3, Children: []*gauge.Node{leaf}}}}}
}

// files returns the files of results in a folder.
func files(t *testing.T, dir string) []string {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(dir, "*", "*.rows"))
	if err != nil {
		t.Fatal(err)
	}
	return paths
}

// Results that are kept are those that are solved for, bit by bit, whichever of them are kept already. Another problem, other settings, another
// right-hand side and another program find none.
func TestSolverFindsWhatIsKept(t *testing.T) {
	const count = 200
	rng := rand.New(rand.NewPCG(20, 1))
	a, rhs, dir := gaussian(rng, 24), gaussian(rng, count), filepath.Join(t.TempDir(), "work")
	p, settings := problem(t, a), polar.Settings{Gap: 1e-3, Multipliers: true}
	// check solves, and returns how many files came to the folder.
	check := func(what, program string, p polar.Problem, settings polar.Settings, least float64) int {
		t.Helper()
		plain, err := polar.New(t.Context(), p, settings)
		if err != nil {
			t.Fatal(err)
		}
		want, err := plain.Solve(t.Context(), rhs)
		if err != nil {
			t.Fatal(err)
		}
		f, err := cache.Open(dir, program)
		if err != nil {
			t.Fatal(err)
		}
		f.Least, f.Window = least, 128
		told := 0
		settings.Progress = func(done, total int) {
			if told = done; total != count {
				t.Errorf("%s: %d of %d are told of", what, done, total)
			}
		}
		s, err := cache.New(t.Context(), p, settings, f)
		if err != nil {
			t.Fatal(err)
		}
		before := len(files(t, dir))
		got, err := s.Solve(t.Context(), rhs)
		if err != nil || !reflect.DeepEqual(got, want) || told != count {
			t.Errorf("%s: other results, %d told of, %v", what, told, err)
		}
		return len(files(t, dir)) - before
	}
	if n := check("the first time", "this", p, settings, 1); n != 4 {
		t.Errorf("%d files, want one for each 64 right-hand sides", n)
	}
	if n := check("again", "this", p, settings, 1); n != 0 {
		t.Errorf("%d files came the second time", n)
	}
	if err := os.Remove(files(t, dir)[2]); err != nil {
		t.Fatal(err)
	}
	if n := check("with a part missing", "this", p, settings, 1); n != 1 {
		t.Errorf("%d files came for one that was missing", n)
	}
	rhs.Set(100, 3, 5)
	if n := check("another right-hand side", "this", p, settings, 1); n != 1 {
		t.Errorf("%d files came for a right-hand side", n)
	}
	wider, alone, other := settings, settings, gaussian(rng, 24)
	wider.Gap, alone.Multipliers = 1e-2, false
	heavier := p
	heavier.Alpha = 0.03
	for what, n := range map[string]int{
		"another gap": check("another gap", "this", p, wider, 1), "no multipliers": check("no multipliers", "this", p, alone, 1),
		"another weight": check("another weight", "this", heavier, settings, 1), "another program": check("another program", "that", p, settings, 1),
		"other functionals": check("other functionals", "this", problem(t, other), settings, 1),
	} {
		if n != 4 {
			t.Errorf("%s: %d files came, want 4", what, n)
		}
	}
	if n := check("little work", "new", p, settings, 0); n != 0 {
		t.Errorf("%d files came of little work", n)
	}
}

// What cannot be written ends the work, and what time cut short is not kept.
func TestSolverKeepsNothingHalf(t *testing.T) {
	rng := rand.New(rand.NewPCG(20, 2))
	p, rhs, dir := problem(t, gaussian(rng, 24)), gaussian(rng, 100), filepath.Join(t.TempDir(), "work")
	f, err := cache.Open(dir, "this")
	if err != nil {
		t.Fatal(err)
	}
	f.Least = 1
	s, err := cache.New(t.Context(), p, polar.Settings{Gap: 1e-12}, f)
	if err != nil {
		t.Fatal(err)
	}
	var asked atomic.Int64
	over := limits.WithClock(t.Context(), 5*time.Hour, func() time.Time { return time.Unix(3600*asked.Add(1), 0) })
	if out, err := s.Solve(over, rhs); err != nil || out.Status[0] != polar.TimeLimit || len(files(t, dir)) > 0 {
		t.Errorf("%v ended it, %d files, %v", out.Status[0], len(files(t, dir)), err)
	}
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(dir, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	var path *fs.PathError
	if _, err := s.Solve(t.Context(), rhs); !errors.As(err, &path) || !strings.HasSuffix(err.Error(), "; make room, or name another folder") {
		t.Errorf("a folder that has gone ends it by %v", err)
	}
}
