package kernel_test

import (
	"fmt"
	"os"
	"testing"

	"github.com/sipc-ml/sipc/runtime/blas"
)

// Tests run on the matrix products that the program runs on.
func TestMain(m *testing.M) {
	if err := blas.Use(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(m.Run())
}
