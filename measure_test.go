package sipc_test

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	sipc "github.com/sipc-ml/sipc"
	"github.com/sipc-ml/sipc/runtime/report"
)

// A measure leaves the fit as it is, and has the values that its expression has as an invariance of R.
func TestMeasuresChangeNothing(t *testing.T) {
	const head = "data { target price : real; split train = 16, test = 8; standardize }\nkernel gaussian\nfeatures nystrom(landmarks = all)\n"
	for _, method := range []string{"embed", "risk", "plain"} {
		with := ran(t, head+"method "+method+"\ninvariance i = rms over x of pos(-d/d(area) f)\nmeasure j = rms over x of pos(-d/d(area) f)\n")
		without := ran(t, head+"method "+method+"\ninvariance i = rms over x of pos(-d/d(area) f)\n")
		if !reflect.DeepEqual(with.Metrics.Figures, without.Metrics.Figures) || !reflect.DeepEqual(with.Regularizer, without.Regularizer) {
			t.Errorf("%s: %v with a measure, %v without", method, with.Metrics.Figures, without.Metrics.Figures)
		}
		if len(with.Measures) != 1 || len(without.Measures) != 0 {
			t.Fatalf("%s: %v", method, with.Measures)
		}
		if m := with.Measures[0]; m.Broken == nil || m.Test == nil {
			t.Errorf("%s: %+v", method, m)
		} else if method != "plain" {
			if i := with.Regularizer[0]; math.Abs(float64(m.Value-i.Value)) > 1e-12 || !reflect.DeepEqual(m.Broken, i.Broken) || !reflect.DeepEqual(m.Test, i.Test) {
				t.Errorf("%s: %+v is measured as %+v", method, i, m)
			}
		}
	}
}

// ran returns the report of a spec on two dozen houses.
func ran(t *testing.T, text string) *report.Report {
	t.Helper()
	data := filepath.Join(t.TempDir(), "houses.csv")
	var rows strings.Builder
	rows.WriteString("area,age,price\n")
	for i := range 24 {
		fmt.Fprintf(&rows, "%d,%d,%d\n", i, i*i%7, i*5%11)
	}
	if err := os.WriteFile(data, []byte(rows.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	spec := sipc.NewSpec(t.Context(), "spec.inv", []byte(text), sipc.SpecOptions{})
	rep, err := sipc.Run(t.Context(), spec, sipc.RunOptions{Data: data})
	if err != nil {
		t.Fatal(err)
	}
	if err := spec.Close(); err != nil {
		t.Fatal(err)
	}
	return rep
}
