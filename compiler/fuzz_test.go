package compiler

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/sipc-ml/sipc/compiler/internal/ground"
	"github.com/sipc-ml/sipc/dsl"
)

// FuzzCheck feeds specs that may be anything: whatever parses is accepted or refused with a place, and what is accepted
// can be grounded or fails with an error.
func FuzzCheck(f *testing.F) {
	for _, pattern := range []string{"testdata/faulty/*.inv", "../examples/*/*.inv"} {
		specs, err := filepath.Glob(pattern)
		if err != nil {
			f.Fatal(err)
		}
		for _, spec := range specs {
			src, err := os.ReadFile(spec)
			if err != nil {
				f.Fatal(err)
			}
			f.Add(string(src))
		}
	}
	f.Add(scalarSpec)
	f.Add(jointSpec)
	f.Fuzz(func(t *testing.T, src string) {
		file, list := dsl.Parse("fuzz.inv", []byte(src))
		if list.HasErrors() {
			return
		}
		began := time.Now()
		plan, list := Check(t.Context(), file, testOptions(testFiles))
		if d := time.Since(began); d > 2*time.Second {
			t.Fatalf("Check took %v", d)
		}
		for _, d := range list {
			if d.Subject.IsZero() || d.Summary == "" {
				t.Fatalf("%+v", d)
			}
		}
		if plan == nil {
			return
		}
		defer plan.Close()
		var labels []string
		if plan.Data.Target.Task.Joint() {
			labels = []string{"animal", "cat", "dog"}
		}
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
		defer cancel()
		data := testData(5, labels, func() float64 { return 1 })
		r, err := plan.At(nil).Ground(ctx, &ground.Data{Data: data, Column: testColumn(data)})
		if err != nil {
			return
		}
		if err := r.Functionals.ValidateTwice(5, 3, len(labels)); err != nil {
			t.Fatal(err)
		}
		for _, inv := range r.Invariances {
			if err := inv.Gauge.Validate(); err != nil || inv.Gauge.Size() != inv.Count {
				t.Fatalf("%s: %v, %d leaves for %d functionals", inv.Name, err, inv.Gauge.Size(), inv.Count)
			}
		}
	})
}
