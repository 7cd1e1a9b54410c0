package main

import (
	"path/filepath"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/sipc-ml/sipc/internal/clitest"
)

// TestScripts runs testdata/script: one behaviour of the command line a file. Beside testscript's own commands there are
//
//	exits STATUS PROGRAM ARG…   the program ends with this status
//	fails STATUS PROGRAM ARG…   … and prints exactly one error, on standard error, and nothing on standard output
//	json FILE PATH…             FILE is exactly one JSON object, which has these fields
//	figure FILE PATH OP NUMBER  compares a number in it: =, <=, >=
//	npy FILE SHAPE              FILE is NPY, of this shape (18x53), all of it finite
//	numbers FILE.npy FILE.csv   both hold the very same numbers, the latter behind a header and captions
//	grams IOTA PHI METRICS      embeddings and features make the kernel of the norm of the run, whose R is quadratic or zero
//	tree DIR NAME…              DIR holds these files and no others
//	cut FILE BYTES              keeps the first bytes of a file
//	sums FILE METRICS           the contributions in FILE, of explain --model --json, sum to the invariances' values in METRICS
//	forged MODEL OLD NEW        replaces a word in the header of a model file
//	earlier MODEL               makes a model file one of version 4
//	fault NAME PATTERN          a family that fails as NAME says ends a run in one error that matches, in time, and leaves nothing
func TestScripts(t *testing.T) {
	server, certificate := serve(t)
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Setup: func(env *testscript.Env) error {
			env.Setenv("PATH", programs+string(filepath.ListSeparator)+env.Getenv("PATH"))
			env.Setenv("PROGRAMS", programs)
			env.Setenv("ROOT", root)
			env.Setenv("SIPC_PROGRESS", "off") // a slow machine may take long enough for a line
			env.Setenv("SIPC_TRUST", filepath.Join(env.WorkDir, ".tmp", "trusted"))
			env.Setenv("SERVER", server)
			env.Setenv("SSL_CERT_FILE", certificate)
			return nil
		},
		Cmds: map[string]func(ts *testscript.TestScript, neg bool, args []string){
			"exits":      clitest.Exits,
			"fails":      clitest.Fails,
			"json":       clitest.JSON,
			"figure":     clitest.Figure,
			"npy":        clitest.NPY,
			"numbers":    clitest.Numbers,
			"grams":      grams,
			"tree":       clitest.Tree,
			"reproduces": reproduces,
			"cut":        clitest.Cut,
			"sums":       sums,
			"earlier":    earlier,
			"forged":     forged,
			"fault":      pluginFault,
		},
	})
}
