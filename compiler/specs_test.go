package compiler

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sipc-ml/sipc/compiler/internal/ground"
	"github.com/sipc-ml/sipc/compiler/internal/names"
	"github.com/sipc-ml/sipc/dsl"
	"github.com/sipc-ml/sipc/dsl/diag"
	"github.com/sipc-ml/sipc/plugins"
	"github.com/sipc-ml/sipc/plugins/hierarchy"
	"github.com/sipc-ml/sipc/plugins/mixup"
	"github.com/sipc-ml/sipc/plugins/transform"
)

// fakeFamily is a family with maps, one that needs an angle and one that has no derivative, and a domain of two points
// with a path of its own.
type fakeFamily struct{ name string }

func (f fakeFamily) Describe(context.Context) (*plugins.Schema, error) {
	whole := plugins.Needs{Columns: plugins.AllColumns, Labels: plugins.RowLabels}
	return &plugins.Schema{
		Name: f.name, Version: "1.0.0",
		Maps: []plugins.MapSchema{
			{Name: "spin", Args: []plugins.Arg{{Name: "by", Kind: plugins.KindAngle, Min: -math.Pi, Max: math.Pi}}, Needs: whole},
			{Name: "double", Differentiable: true, Needs: whole},
		},
		Domains: []plugins.DomainSchema{{
			Name: "fakes", Needs: whole,
			Binds: []plugins.Bind{
				{Name: "a", Kind: plugins.BindPoint},
				{Name: "s", Kind: plugins.BindParameter},
				{Name: "b", Kind: plugins.BindPoint},
				{Name: "c", Kind: plugins.BindLabel},
			},
		}},
		Definitions: []plugins.Definition{{Name: "difference", Source: "def difference(a, b) = f(a) - f(b)"}},
	}, nil
}

func (f fakeFamily) Open(_ context.Context, data *plugins.Data) (plugins.Session, error) {
	return &fakeSession{data}, nil
}

type fakeSession struct{ data *plugins.Data }

func (s *fakeSession) Expand(context.Context, *plugins.DomainCall, func(*plugins.Chunk) error) error {
	return errors.New("the fake has nothing to swap")
}

// Map doubles the points, or gives the derivative of x ↦ (1 + t)x at t = 0.
func (s *fakeSession) Map(_ context.Context, call *plugins.MapCall) (*plugins.Block, error) {
	at := call.At
	out := &plugins.Block{Start: at.Start, Coef: at.Coef, Label: at.Label, Labels: at.Labels}
	for k, pt := range at.Point {
		var x []float64
		if pt >= 0 {
			x = s.data.Rows.Row(int(pt))
		} else {
			x = at.Points.Row(int(^pt))
		}
		if call.Derivative {
			i := out.Points.Append(x)
			out.Tangents.Append(x)
			out.Point, out.Tangent = append(out.Point, ^int32(i)), append(out.Tangent, int32(k))
			continue
		}
		twice := make([]float64, len(x))
		for j, v := range x {
			twice[j] = 2 * v
		}
		out.Point = append(out.Point, ^int32(out.Points.Append(twice)))
		out.Tangent = append(out.Tangent, plugins.Evaluation)
	}
	return out, nil
}

func (s *fakeSession) Close() error { return nil }

// testOptions are the built-in families, a fake one, and files.
func testOptions(files map[string]string) names.Options {
	return names.Options{
		Families: map[string]plugins.Family{
			"mixup": mixup.New(), "hierarchy": hierarchy.New(), "transform": transform.New(), "fake": fakeFamily{"fake"},
		},
		Open: func(_ context.Context, path string) (plugins.Family, error) {
			if !strings.HasPrefix(path, "./sipc-family-") {
				return nil, fs.ErrNotExist
			}
			return otherFamily{}, nil
		},
		ReadFile: func(name string) ([]byte, error) {
			if s, ok := files[name]; ok {
				return []byte(s), nil
			}
			return nil, fs.ErrNotExist
		},
	}
}

// otherFamily is one that comes from elsewhere and adds a map of two columns.
type otherFamily struct{ fakeFamily }

func (otherFamily) Describe(context.Context) (*plugins.Schema, error) {
	column := plugins.Arg{Name: "a", Kind: plugins.KindColumn}
	other := column
	other.Name = "b"
	return &plugins.Schema{Name: "swaps", Version: "1.0.0", Maps: []plugins.MapSchema{{
		Name: "swap", Args: []plugins.Arg{column, other}, Needs: plugins.Needs{Columns: plugins.ArgumentColumns},
	}}}, nil
}

// check compiles a spec.
func check(tb testing.TB, src string, opts names.Options) (*Plan, diag.List) {
	tb.Helper()
	file, list := dsl.Parse("test.inv", []byte(src))
	if list.HasErrors() {
		tb.Fatalf("syntax:\n%v\n%s", list, src)
	}
	return Check(tb.Context(), file, opts)
}

// accepted compiles a spec that must be free of errors.
func accepted(tb testing.TB, src string, opts names.Options) *Plan {
	tb.Helper()
	plan, list := check(tb, src, opts)
	if list.HasErrors() {
		tb.Fatalf("refused:\n%v\n%s", list, src)
	}
	tb.Cleanup(func() { _ = plan.Close() })
	return plan
}

// TestSpecs compiles the specs by which the language is introduced, and grounds them on small data.
func TestSpecs(t *testing.T) {
	files := map[string]string{"edges.csv": "1,2\n2,3\n3,1\n", "topics.csv": "child,parent\ntopic_b,topic_a\ntopic_c,topic_a\n"}
	labels := map[string][]string{
		"mixup.inv": {"0", "1"}, "logic.inv": {"animal", "cat", "dog"}, "topics.inv": {"topic_a", "topic_b", "topic_c"},
	}
	// By invariance: kind and number of functionals on 6 rows.
	want := map[string]string{
		"two-digits.inv": "steady seminorm 24;",
		"mixup.inv":      "mixup seminorm 264;", // 24 pairs at 11 nodes
		"logic.inv":      "logic sublinear 18;",
		"topics.inv":     "logic sublinear 18;",
		"houses.inv":     "larger_is_dearer sublinear 6;smooth seminorm 6;neighbours seminorm 3;robust seminorm 3;fair seminorm 1;",
	}
	for name, w := range want {
		t.Run(name, func(t *testing.T) {
			src, err := os.ReadFile(filepath.Join("testdata", "specs", name))
			if err != nil {
				t.Fatal(err)
			}
			v := 0.0
			data := testData(6, labels[name], func() float64 { v++; return math.Sin(v) })
			if name == "two-digits.inv" {
				data.Height, data.Width = 1, 3
			}
			g := &ground.Data{Data: data, Column: func(string) ([]float64, []string, bool) {
				return nil, []string{"north", "south", "north", "south", "west", "west"}, true
			}}
			r, err := accepted(t, string(src), testOptions(files)).At(nil).Ground(t.Context(), g)
			if err != nil {
				t.Fatal(err)
			}
			var got strings.Builder
			for _, inv := range r.Invariances {
				fmt.Fprintf(&got, "%s %s %d;", inv.Name, inv.Kind, inv.Count)
			}
			if got.String() != w {
				t.Errorf("%s, want %s", &got, w)
			}
		})
	}
}

func TestExamplesCheck(t *testing.T) {
	specs, err := filepath.Glob("../examples/*/*.inv")
	if err != nil || len(specs) == 0 {
		t.Fatalf("no examples: %v", err)
	}
	for _, spec := range specs {
		if filepath.Base(filepath.Dir(spec)) == "gallery" {
			continue // its own test checks it
		}
		t.Run(filepath.Base(spec), func(t *testing.T) {
			src, err := os.ReadFile(spec)
			if err != nil {
				t.Fatal(err)
			}
			opts := testOptions(nil)
			opts.ReadFile = func(name string) ([]byte, error) { return os.ReadFile(filepath.Join(filepath.Dir(spec), name)) }
			plan := accepted(t, string(src), opts)
			sameAsGolden(t, "testdata/explain/"+strings.TrimSuffix(filepath.Base(spec), ".inv")+".golden", plan.Explain().Shown())
		})
	}
}

// checkNoTest compiles a spec outside of a test's own context.
func checkNoTest(src string) (*Plan, error) {
	file, list := dsl.Parse("test.inv", []byte(src))
	if list.HasErrors() {
		return nil, list
	}
	plan, list := Check(context.Background(), file, testOptions(nil))
	if list.HasErrors() {
		return nil, list
	}
	return plan, nil
}
