//go:build unix

package polar_test

import (
	"os"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/sipc-ml/sipc/runtime/blas"
	"github.com/sipc-ml/sipc/runtime/operator"
	"github.com/sipc-ml/sipc/runtime/polar"
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
		f, err := polar.OpenProblem(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, gap := range []float64{1e-3, 1e-4, 1e-6} {
			start, before := time.Now(), cpu(t)
			problem := f.Problem
			if problem.A, err = operator.FromDense(f.Problem.A.(*polar.Dense).Matrix()); err != nil {
				t.Fatal(err)
			}
			s, err := polar.New(t.Context(), problem, polar.Settings{Gap: gap, Double: os.Getenv("SIPC_POLAR_DOUBLE") != ""})
			if err != nil {
				t.Fatal(err)
			}
			res, err := s.Solve(t.Context(), f.RHS)
			if err != nil {
				t.Fatal(err)
			}
			took, busy := time.Since(start), cpu(t)-before
			it, nw := slices.Clone(res.Iterations), slices.Clone(res.Newton)
			slices.Sort(it)
			slices.Sort(nw)
			n := len(it)
			t.Logf("%s gap %.0e: %.2f ms each (%.2f of processor time), iterations median %d max %d, Newton median %d max %d, worst gap %.1e, procs %d",
				path, gap, took.Seconds()*1e3/float64(n), busy.Seconds()*1e3/float64(n), it[n/2], it[n-1], nw[n/2], nw[n-1], res.MaxGap(), runtime.GOMAXPROCS(0))
			if !(res.MaxGap() <= gap) {
				t.Errorf("%s: gap %.1e of %.0e", path, res.MaxGap(), gap)
			}
		}
	}
}

// cpu is the processor time that the process has taken.
func cpu(t *testing.T) time.Duration {
	t.Helper()
	var use unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_SELF, &use); err != nil {
		t.Fatal(err)
	}
	return time.Duration(use.Utime.Nano() + use.Stime.Nano())
}
