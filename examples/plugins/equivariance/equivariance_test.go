package main

import (
	"bytes"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	sipc "github.com/sipc-ml/sipc"
	"github.com/sipc-ml/sipc/dsl"
	"github.com/sipc-ml/sipc/plugins"
	"github.com/sipc-ml/sipc/plugins/familytest"
	"github.com/sipc-ml/sipc/plugins/verify"
)

// call swaps changes of column 1.
func call(changes map[string]float64) *plugins.DomainCall {
	c := &plugins.DomainCall{Name: "swapped", Args: []plugins.Value{{Name: "column", Kind: plugins.KindColumn, Index: 1, Text: "x1"}}}
	for _, name := range []string{"add", "grow", "cap"} {
		if v, ok := changes[name]; ok {
			c.Args = append(c.Args, plugins.Value{Name: name, Kind: plugins.KindNumber, Number: v})
		}
	}
	return c
}

// deviations are |f(a) − f(b)| of all elements, as the family gives them.
func deviations(t *testing.T, data *plugins.Data, f *familytest.Function, c *plugins.DomainCall) []float64 {
	t.Helper()
	chunks, err := familytest.Expand(t.Context(), t, equivariance{}, data, c)
	if err != nil {
		t.Fatal(err)
	}
	var out []float64
	for _, c := range chunks {
		a, b := f.Values(c.Points[0], data), f.Values(c.Points[1], data)
		for e := range a {
			out = append(out, math.Abs(a[e]-b[e]))
		}
	}
	return out
}

// The largest deviation is max over (s, t) of |f(s(t(x))) − f(t(s(x)))|, in raw units and with the rows' labels.
func TestLargestDeviation(t *testing.T) {
	for _, m := range []int{0, 3} {
		data := familytest.Table(9, 3, m, 1)
		data.Offset, data.Scale = []float64{0, 5, 0}, []float64{1, 2, 1}
		f := familytest.NewFunction(3, m, 2)
		s := []func(float64) float64{
			func(v float64) float64 { return v + 3 },
			func(v float64) float64 { return 1.5 * v },
			func(v float64) float64 { return math.Min(v, 7) },
		}
		var want float64
		for i := range data.N() {
			at := func(change func(float64) float64) float64 {
				x := append([]float64(nil), data.Rows.Row(i)...)
				x[1] = (change(5+2*x[1]) - 5) / 2
				if m == 0 {
					return f.At(x, nil)
				}
				return f.At(x, &data.Labels[i])
			}
			for j := range s {
				for k := range s {
					want = max(want, math.Abs(at(func(v float64) float64 { return s[j](s[k](v)) })-at(func(v float64) float64 { return s[k](s[j](v)) })))
				}
			}
		}
		got := deviations(t, data, f, call(map[string]float64{"add": 3, "grow": 0.5, "cap": 7}))
		largest := 0.0
		for _, d := range got {
			largest = max(largest, d)
		}
		if len(got) != 9*3 || math.Abs(largest-want) > 1e-12 || want == 0 {
			t.Errorf("%d classes: the largest of %d deviations is %v, want %v of 27", m, len(got), largest, want)
		}
	}
}

// Changes that commute are told apart by no f.
func TestCommutingChanges(t *testing.T) {
	data := familytest.Table(9, 3, 0, 1)
	for _, d := range deviations(t, data, familytest.NewFunction(3, 0, 2), call(map[string]float64{"add": 3, "grow": 0})) {
		if d > 1e-12 {
			t.Errorf("a deviation of %v", d)
		}
	}
}

func TestOneChangeHasNoOrder(t *testing.T) {
	_, err := familytest.Expand(t.Context(), t, equivariance{}, familytest.Table(9, 3, 0, 1), call(map[string]float64{"cap": 3}))
	if err == nil || !strings.Contains(err.Error(), "give two of add, grow and cap") {
		t.Errorf("error %v", err)
	}
}

// As a process the family keeps the contract, and the example runs.
func TestExample(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"invoices.inv", "invoices.csv"} {
		raw, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), raw, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	program := filepath.Join(dir, "sipc-family-equivariance")
	if out, err := exec.CommandContext(t.Context(), "go", "build", "-o", program, ".").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	verified, err := sipc.VerifyPlugin(t.Context(), program, sipc.VerifyOptions{Quick: true})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range verified.Checks {
		want := verify.Passed
		if c.Name == "derivative" || c.Name == "labels" { // it has no path, and no maps
			want = verify.Skipped
		}
		if c.Status != want {
			t.Errorf("%s %s: %v %v", c.Name, c.Status, c.Findings, c.Notes)
		}
	}
	t.Setenv("SIPC_TRUST", t.TempDir())
	if _, err := sipc.AddPlugin(t.Context(), filepath.Join(dir, "sipc-family-equivariance"), sipc.AddOptions{Dir: dir}); err != nil {
		t.Fatal(err)
	}
	spec, err := sipc.LoadSpec(t.Context(), filepath.Join(dir, "invoices.inv"), sipc.SpecOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer spec.Close()
	if !bytes.Equal(dsl.Format(spec.File), spec.Source) {
		t.Error("invoices.inv is not in the canonical layout: sipc fmt -w mends it")
	}
	report, err := sipc.Run(t.Context(), spec, sipc.RunOptions{Data: filepath.Join(dir, "invoices.csv"), Baseline: true})
	if err != nil {
		t.Fatal(err)
	}
	if report.Certificate.Reached != report.Certificate.Count || report.Regularizer[0].Functionals != 40*3 {
		t.Errorf("certificate %+v, regularizer %+v", report.Certificate, report.Regularizer)
	}
	page, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	own, plain := report.Regularizer[0].Value, report.Baseline.Regularizer[0].Value
	said := fmt.Sprintf("goes from %.2f to %.2f", float64(plain), float64(own))
	with, _ := report.Metrics.Figures.Get("rmse")
	without, _ := report.Baseline.Metrics.Figures.Get("rmse")
	rmse := fmt.Sprintf("(%.2f days, plain %.2f)", with, without)
	if !bytes.Contains(page, []byte(said)) || !bytes.Contains(page, []byte(rmse)) {
		t.Errorf("README.md does not say %q and %q", said, rmse)
	}
}
