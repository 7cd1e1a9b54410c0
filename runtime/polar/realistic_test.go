package polar

import (
	"os"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/sipc-ml/sipc/runtime/blas"
)

// TestRealistic solves the problem files named by SIPC_POLAR_FILES (separated by commas) and reports how it went.
func TestRealistic(t *testing.T) {
	files := os.Getenv("SIPC_POLAR_FILES")
	if files == "" {
		t.Skip("SIPC_POLAR_FILES names no problem files")
	}
	if err := blas.Use(); err != nil {
		t.Fatal(err)
	}
	for _, path := range strings.Split(files, ",") {
		f, err := OpenProblem(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, gap := range []float64{1e-3, 1e-4, 1e-6} {
			start := time.Now()
			s, err := New(t.Context(), f.Problem, Settings{Gap: gap})
			if err != nil {
				t.Fatal(err)
			}
			res, err := s.Solve(t.Context(), f.RHS)
			if err != nil {
				t.Fatal(err)
			}
			took := time.Since(start)
			it, nw := slices.Clone(res.Iterations), slices.Clone(res.Newton)
			slices.Sort(it)
			slices.Sort(nw)
			n := len(it)
			t.Logf("%s gap %.0e: %.2f ms each, iterations median %d max %d, Newton median %d max %d, worst gap %.1e, levels %d, procs %d",
				path, gap, took.Seconds()*1e3/float64(n), it[n/2], it[n-1], nw[n/2], nw[n-1], res.MaxGap(), len(s.levels), runtime.GOMAXPROCS(0))
			if !(res.MaxGap() <= gap) {
				t.Errorf("%s: gap %.1e of %.0e", path, res.MaxGap(), gap)
			}
		}
	}
}
