package compiler

import (
	"errors"
	"strings"
	"testing"

	"github.com/sipc-ml/sipc/compiler/internal/ground"
	"github.com/sipc-ml/sipc/dsl/diag"
)

// A text that its column nearly has, and a column in another case, are named with what is meant.
func TestNearValuesAreOffered(t *testing.T) {
	for body, mend := range map[string]string{
		`rms over x where region == "North" of |f|`:                                                `Did you mean "north"?`,
		`rms over x where area > 0 and "sout" == region of |f|`:                                    `Did you mean "south"?`,
		`rms over x where region == "west" of |f|`:                                                 "",
		`rms over x where region == "north" and area > 1e6 of |f|`:                                 "",
		`rms over x where region == North of |f|`:                                                  `Write "north"`,
		`rms over x where Region == "north" of |f|`:                                                "Did you mean region?",
		`parity_between(region, "North", "south")`:                                                 `Did you mean "north"?`,
		`rms over x, z in rows where region(x) == "Nort" of |f(x)|`:                                `Did you mean "north"?`,
		`rms over x of max over z in rows where region(x) == "No" and area(z) > area(x) of |f(z)|`: "",
	} {
		src := "data { target price : real }\nkernel linear\nfeatures exact\ninvariance i = " + body + "\n"
		data := testData(5, nil, func() float64 { return 1 })
		column := testColumn(data)
		data.Columns[2] = "region=north"
		plan := accepted(t, src, testOptions(nil))
		_, err := plan.At(nil).Ground(t.Context(), &ground.Data{Data: data, Column: column})
		var list diag.List
		if !errors.As(err, &list) || len(list) != 1 || mend == "" && strings.Contains(list[0].Mend, "mean") || !strings.Contains(list[0].Mend, mend) {
			t.Errorf("%s: %v, want %q", body, err, mend)
		}
	}
}
