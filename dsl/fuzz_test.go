package dsl_test

import (
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/sipc-ml/sipc/dsl"
	"github.com/sipc-ml/sipc/dsl/diag"
)

func addSpecs(f *testing.F) {
	f.Helper()
	for _, pattern := range []string{"testdata/specs/*.inv", "testdata/errors/*.inv", "testdata/format/*.inv"} {
		files, err := filepath.Glob(pattern)
		if err != nil || len(files) == 0 {
			f.Fatalf("no seeds match %s (%v)", pattern, err)
		}
		for _, path := range files {
			src, err := os.ReadFile(path)
			if err != nil {
				f.Fatal(err)
			}
			f.Add(src)
		}
	}
}

// FuzzParse asserts that every source gets a tree or diagnostics that can be shown, each with a place in the source, in order.
func FuzzParse(f *testing.F) {
	addSpecs(f)
	f.Fuzz(func(t *testing.T, src []byte) {
		_, list := dsl.Parse("spec.inv", src)
		last := 0
		for _, d := range list {
			s := d.Subject
			if s.Start.Offset < last || s.End.Offset < s.Start.Offset || s.End.Offset > len(src) || s.Start.Line < 1 || s.Start.Column < 1 {
				t.Fatalf("%v lies at %+v of %d bytes", d, s, len(src))
			}
			last = s.Start.Offset
			if d.Code == "" || d.Summary == "" || d.Mend == "" {
				t.Fatalf("incomplete diagnostic %+v", d)
			}
		}
		for _, o := range []diag.RenderOptions{{}, {Width: 40, Context: 2, Color: true}} {
			if err := diag.Render(io.Discard, list, diag.Sources{"spec.inv": src}, o); err != nil {
				t.Fatal(err)
			}
		}
	})
}

// FuzzFormat asserts the laws of the printer for every source that parses.
func FuzzFormat(f *testing.F) {
	addSpecs(f)
	f.Fuzz(func(t *testing.T, src []byte) {
		file, list := dsl.Parse("spec.inv", src)
		if len(list) == 0 {
			checkFormat(t, file, dsl.Format(file))
		}
	})
}
