package compiler

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sipc-ml/sipc/dsl"
	"github.com/sipc-ml/sipc/dsl/diag"
)

var update = flag.Bool("update", false, "write the golden files anew")

// shownDiagnostics prints all that diagnostics say.
func shownDiagnostics(list diag.List) string {
	var b strings.Builder
	for _, d := range list {
		fmt.Fprintln(&b, d.Error())
		for _, line := range []string{d.Detail, d.Mend} {
			if line != "" {
				fmt.Fprintln(&b, "   ", line)
			}
		}
		for _, r := range d.Related {
			fmt.Fprintf(&b, "    %s: %s\n", r.Span, r.Message)
		}
		for _, v := range d.Values {
			fmt.Fprintln(&b, "   |", v)
		}
		for _, f := range d.Fixes {
			fmt.Fprintf(&b, "    fix: %s\n", f.Title)
		}
	}
	return b.String()
}

func TestFaultySpecs(t *testing.T) {
	specs, err := filepath.Glob("testdata/faulty/*.inv")
	if err != nil || len(specs) == 0 {
		t.Fatalf("no specs: %v", err)
	}
	for _, spec := range specs {
		t.Run(filepath.Base(spec), func(t *testing.T) {
			src, err := os.ReadFile(spec)
			if err != nil {
				t.Fatal(err)
			}
			file, list := dsl.Parse(filepath.Base(spec), src)
			if list.HasErrors() {
				t.Fatal(list)
			}
			plan, list := Check(t.Context(), file, testOptions(testFiles))
			defer plan.Close()
			got := shownDiagnostics(list)
			golden := strings.TrimSuffix(spec, ".inv") + ".golden"
			if *update {
				if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(string(want), got); d != "" {
				t.Error(d)
			}
		})
	}
}
