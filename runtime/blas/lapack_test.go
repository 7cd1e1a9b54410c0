package blas

import (
	"testing"

	"gonum.org/v1/gonum/lapack/gonum"
	"gonum.org/v1/gonum/lapack/testlapack"
)

// TestGonumLapackOnOurProducts runs what in gonum's LAPACK the program uses on
// top of our BLAS.
func TestGonumLapackOnOurProducts(t *testing.T) {
	if underRace {
		t.Skip("the suites check themselves by plain sums, a minute's work under the race detector")
	}
	onTiers(t, func(t *testing.T, impl Implementation) {
		t.Helper()
		use(t, impl)
		testlapack.DpotrsTest(t, NewLapack())
		testlapack.DpotriTest(t, gonum.Implementation{})
		testlapack.DgeqrfTest(t, gonum.Implementation{})
		testlapack.DorgqrTest(t, gonum.Implementation{})
		testlapack.DsytrdTest(t, gonum.Implementation{})
	})
}
