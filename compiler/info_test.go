package compiler

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sipc-ml/sipc/compiler/internal/tree"
	"github.com/sipc-ml/sipc/dsl"
)

// Inspect says of every part of an invariance what was proved, in a faulty spec too; a call of a definition is one part.
func TestInspect(t *testing.T) {
	source := `data { target animal, cat, dog : multilabel }
kernel gaussian
features exact
invariance logic = rms over x of implies(cat, animal)
invariance wrong = max over x of |f(cat)| * f(dog)
`
	file, list := dsl.Parse("spec.inv", []byte(source))
	if list.HasErrors() {
		t.Fatal(list)
	}
	index, list := Inspect(t.Context(), file, testOptions(nil))
	if !list.HasErrors() {
		t.Error("the product is not refused")
	}
	for text, want := range map[string]Part{
		"rms over x of implies(cat, animal)": {Kind: tree.Sublinear, Sign: tree.Nonnegative},
		"implies(cat, animal)":               {Kind: tree.Sublinear, Sign: tree.Nonnegative},
		"|f(cat)|":                           {Kind: tree.Seminorm, Sign: tree.Nonnegative},
		"f(dog)":                             {Kind: tree.Linear, Sign: tree.UnknownSign},
	} {
		i := slices.IndexFunc(index.Parts, func(p Part) bool { return source[p.Place.Start.Offset:p.Place.End.Offset] == text })
		if i < 0 {
			t.Errorf("%s: nothing is said of it", text)
			continue
		}
		part := index.Parts[i]
		if part.Kind != want.Kind || part.Sign != want.Sign || part.Rule == "" {
			t.Errorf("%s is %v, %v by %q", text, part.Kind, part.Sign, part.Rule)
		}
		if index.Of(part.Place) != &index.Parts[i] || index.At(part.Place.Start.Offset+1) == nil {
			t.Errorf("%s is not found by its place", text)
		}
	}
	if len(index.Families) == 0 || len(index.Data.Target.Names) != 3 {
		t.Errorf("families %v, target %v", index.Families, index.Data.Target.Names)
	}
}

// Resolve says of the data block and the families what the whole check says, in faulty specs too.
func TestResolve(t *testing.T) {
	names, _, specs := corpus(t)
	for _, name := range names {
		file, _ := dsl.Parse(name, []byte(specs[name]))
		all, _ := Inspect(t.Context(), file, testOptions(nil))
		part := Resolve(t.Context(), file, testOptions(nil))
		if d := cmp.Diff(all.Data, part.Data); d != "" {
			t.Errorf("%s: the data block:\n%s", name, d)
		}
		if d := cmp.Diff(all.Families, part.Families); d != "" {
			t.Errorf("%s: the families:\n%s", name, d)
		}
	}
}
