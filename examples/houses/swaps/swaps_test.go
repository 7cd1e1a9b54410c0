package main

import (
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/sipc-ml/sipc/plugins"
	"github.com/sipc-ml/sipc/plugins/familytest"
	"github.com/sipc-ml/sipc/plugins/host"
)

// call swaps columns 1 and 3 at every row of data.
func call(data *plugins.Data) *plugins.MapCall {
	return &plugins.MapCall{
		Name: "swap",
		Args: []plugins.Value{
			{Name: "a", Kind: plugins.KindColumn, Index: 1, Text: "front"},
			{Name: "b", Kind: plugins.KindColumn, Index: 3, Text: "back"},
		},
		At: familytest.Evaluations(data),
	}
}

// The functionals are f at the swapped points, in raw values and with the rows' labels.
func TestSwap(t *testing.T) {
	data := familytest.Table(6, 5, 2, 1)
	data.Offset, data.Scale = []float64{0, 1, 2, 3, 4}, []float64{1, 2, 3, 4, 5}
	got, err := familytest.Map(t.Context(), t, swaps{}, data, call(data))
	if err != nil {
		t.Fatal(err)
	}
	f := familytest.NewFunction(5, 2, 3)
	values := f.Values(got, data)
	for i := range data.N() {
		x := append([]float64(nil), data.Rows.Row(i)...)
		front, back := 1+2*x[1], 3+4*x[3]
		x[1], x[3] = (back-1)/2, (front-3)/4
		if want := f.At(x, &data.Labels[i]); math.Abs(values[i]-want) > 1e-12 {
			t.Errorf("row %d: %v, want %v", i, values[i], want)
		}
	}
}

// Swapping twice changes nothing.
func TestSwapTwice(t *testing.T) {
	data := familytest.Table(6, 5, 0, 1)
	first := call(data)
	once, err := familytest.Map(t.Context(), t, swaps{}, data, first)
	if err != nil {
		t.Fatal(err)
	}
	second := call(data)
	second.At = once
	twice, err := familytest.Map(t.Context(), t, swaps{}, data, second)
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(twice.Points, data.Rows) {
		t.Error("two swaps move the rows")
	}
}

func TestSameColumn(t *testing.T) {
	data := familytest.Table(2, 5, 0, 1)
	c := call(data)
	c.Args[1] = c.Args[0]
	c.Args[1].Name = "b"
	if _, err := familytest.Map(t.Context(), t, swaps{}, data, c); err == nil || !strings.Contains(err.Error(), "name two columns") {
		t.Errorf("error %v", err)
	}
}

// As a process the family answers the same.
func TestProcess(t *testing.T) {
	program := filepath.Join(t.TempDir(), "sipc-family-swaps")
	if out, err := exec.CommandContext(t.Context(), "go", "build", "-o", program, ".").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	p, err := host.Launch(t.Context(), program, host.Options{Name: "swaps"})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := p.Close(); err != nil {
			t.Error(err)
		}
	}()
	data := familytest.Table(6, 5, 2, 1)
	want, err := familytest.Map(t.Context(), t, swaps{}, data, call(data))
	if err != nil {
		t.Fatal(err)
	}
	got, err := familytest.Map(t.Context(), t, p, data, call(data))
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(want, got) {
		t.Error("the process answers otherwise")
	}
}

// The guide shows the code as it is here.
func TestGuide(t *testing.T) {
	guide, err := os.ReadFile("../../../docs/plugins.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range []string{"main.go", "swaps.go"} {
		code, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(string(guide), "```go\n"+string(code)+"```\n") {
			t.Errorf("docs/plugins.md does not show %s as it is", file)
		}
	}
}
