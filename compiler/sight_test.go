package compiler

import (
	"context"
	"strings"
	"testing"

	"github.com/sipc-ml/sipc/compiler/internal/ground"
	"github.com/sipc-ml/sipc/plugins"
)

// narrowFamily swaps columns and sees those alone; it remembers what it was shown.
type narrowFamily struct {
	otherFamily
	shown *[]*plugins.Data
}

func (narrowFamily) Describe(context.Context) (*plugins.Schema, error) {
	column := func(name string) plugins.Arg { return plugins.Arg{Name: name, Kind: plugins.KindColumn} }
	return &plugins.Schema{Name: "swaps", Version: "1.0.0", Maps: []plugins.MapSchema{{
		Name: "swap", Args: []plugins.Arg{column("a"), column("b")}, Needs: plugins.Needs{Columns: plugins.ArgumentColumns},
	}}}, nil
}

func (f narrowFamily) Open(ctx context.Context, data *plugins.Data) (plugins.Session, error) {
	*f.shown = append(*f.shown, data)
	return f.otherFamily.Open(ctx, data)
}

// A family is shown what the calls of the spec need, and explain says what that is.
func TestFamiliesSeeWhatTheyNeed(t *testing.T) {
	var shown []*plugins.Data
	o := testOptions(nil)
	o.Open = func(context.Context, string) (plugins.Family, error) { return narrowFamily{shown: &shown}, nil }
	const head = "use swaps from \"./sipc-family-swaps\"\ndata { target price : real }\nkernel linear\nfeatures exact\n"
	const moved = "invariance i = rms over x of max over t in "
	for _, tt := range []struct{ spec, sees, columns string }{
		{moved + "{swap(area, age)} of |f(t(x)) - f(x)|\n", "sees the columns area and age, no labels, for swap", "area age"},
		{moved + "{swap(age, age)} of |f(t(x)) - f(x)|\n", "sees the column age, no labels, for swap", "age"},
		{"invariance k = rms over x of |f|\n" + moved + "{swap(age, area)} of |f(t(x)) - f|\nregularize k\n", "sees nothing: the regularizer asks it for nothing", ""},
	} {
		plan := accepted(t, head+tt.spec, o)
		shown = nil
		data := testData(4, nil, func() float64 { return 1 })
		r, err := plan.At(nil).Ground(t.Context(), &ground.Data{Data: data})
		if err != nil {
			t.Fatal(err)
		}
		if text := plan.At(nil).Explain(r).Shown(); !strings.Contains(text, tt.sees) {
			t.Errorf("%s: explain does not say %q:\n%s", tt.spec, tt.sees, text)
		}
		var columns []string
		for _, d := range shown {
			columns = append(columns, d.Columns...)
		}
		if got := strings.Join(columns, " "); got != tt.columns {
			t.Errorf("%s: it is shown %q, want %q", tt.spec, got, tt.columns)
		}
	}
}
