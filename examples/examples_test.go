package examples

import (
	"io/fs"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sipc-ml/sipc/dsl"
)

func TestSpecsAreInTheCanonicalLayout(t *testing.T) {
	paths, err := fs.Glob(Specs, "*/*.inv")
	if err != nil || len(paths) != 37 {
		t.Fatalf("%d specs, want 7 and the 30 of the gallery (%v)", len(paths), err)
	}
	for _, path := range paths {
		source, err := Specs.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		file, faults := dsl.Parse(path, source)
		if err := faults.Err(); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(string(dsl.Format(file)), string(source)); diff != "" {
			t.Errorf("%s (mend it by sipc fmt -w):\n%s", path, diff)
		}
	}
}
