package dsl_test

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sipc-ml/sipc/dsl"
	"github.com/sipc-ml/sipc/dsl/diag"
)

var update = flag.Bool("update", false, "rewrite the golden files")

func specs(t *testing.T, pattern string) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.FromSlash(pattern))
	if err != nil || len(files) == 0 {
		t.Fatalf("no specs match %s (%v)", pattern, err)
	}
	return files
}

func read(t *testing.T, path string) []byte {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func golden(t *testing.T, path, got string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if diff := cmp.Diff(string(read(t, path)), got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", path, diff)
	}
}

func TestErrorsAreRenderedAsInTheGoldenFiles(t *testing.T) {
	for _, path := range specs(t, "testdata/errors/*.inv") {
		t.Run(filepath.Base(path), func(t *testing.T) {
			src := read(t, path)
			_, list := dsl.Parse(filepath.Base(path), src)
			var b strings.Builder
			err := diag.Render(&b, list, diag.Sources{filepath.Base(path): src}, diag.RenderOptions{Width: 120})
			if err != nil {
				t.Fatal(err)
			}
			golden(t, strings.TrimSuffix(path, ".inv")+".txt", b.String())
			for _, d := range list {
				if d.Mend == "" {
					t.Errorf("%v does not say how to mend it", d)
				}
			}
		})
	}
}

func TestSpecsOfTheLanguageParse(t *testing.T) {
	for _, path := range specs(t, "testdata/specs/*.inv") {
		if _, list := dsl.Parse(path, read(t, path)); len(list) > 0 {
			t.Errorf("%s: %v", path, list)
		}
	}
}

func TestFormatIsAsInTheGoldenFiles(t *testing.T) {
	for _, path := range append(specs(t, "testdata/format/*.inv"), specs(t, "testdata/specs/*.inv")...) {
		t.Run(filepath.Base(path), func(t *testing.T) {
			file, list := dsl.Parse(path, read(t, path))
			if len(list) > 0 {
				t.Fatal(list)
			}
			out := dsl.Format(file)
			golden(t, filepath.Join("testdata", "format", strings.TrimSuffix(filepath.Base(path), ".inv")+".golden"), string(out))
			checkFormat(t, file, out)
		})
	}
}

// checkFormat asserts what holds of every formatted file: it parses, means the same, keeps every comment and
// their order, and is a fixed point.
func checkFormat(t interface{ Fatalf(string, ...any) }, file *dsl.File, out []byte) {
	again, list := dsl.Parse(file.Name, out)
	if len(list) > 0 {
		t.Fatalf("formatting\n%s\ngave\n%s\nwhich does not parse: %v", file.Source, out, list)
	}
	if !dsl.EqualFiles(file, again) {
		t.Fatalf("formatting\n%s\nchanged the meaning:\n%s", file.Source, out)
	}
	if len(file.Comments) != len(again.Comments) {
		t.Fatalf("formatting\n%s\nkept %d of %d comments:\n%s", file.Source, len(again.Comments), len(file.Comments), out)
	}
	for i := range file.Comments {
		if was, is := file.Comments[i].Text, again.Comments[i].Text; was != is {
			t.Fatalf("formatting\n%s\nput %q where comment %d, %q, was:\n%s", file.Source, is, i+1, was, out)
		}
	}
	if twice := dsl.Format(again); !bytes.Equal(out, twice) {
		t.Fatalf("formatting\n%s\nis no fixed point:\n%s\nthen\n%s", file.Source, out, twice)
	}
}
