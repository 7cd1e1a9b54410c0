package python_test

import (
	"bytes"
	"context"
	"errors"
	"math"
	"os/exec"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/sipc-ml/sipc/plugins"
	"github.com/sipc-ml/sipc/plugins/familytest"
	"github.com/sipc-ml/sipc/plugins/host"
)

// A family in Python, driven by the host as a spec's would be.
func TestFamily(t *testing.T) {
	program := bundle(t, "testdata/mirror.py")
	var log syncBuffer
	p := launch(t, program, host.Options{Log: &log})
	for name, test := range map[string]func(*testing.T, *host.Process){
		"schema": testSchema, "rows": testRows, "path": testPath, "labels": testLabels, "map": testMap, "large": testLarge,
		"arguments": testArguments, "user error": testUserError, "cancel": testCancel, "concurrent": testConcurrent, "empty": testEmpty,
	} {
		t.Run(name, func(t *testing.T) { test(t, p) })
	}
	for deadline := time.Now().Add(2 * time.Second); !strings.Contains(log.String(), "closed") && time.Now().Before(deadline); {
		time.Sleep(5 * time.Millisecond)
	}
	for _, said := range []string{"printed before serve", "closed"} {
		if !strings.Contains(log.String(), said) {
			t.Errorf("the log lacks %q, which the family printed:\n%s", said, log.String())
		}
	}
}

type syncBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (s *syncBuffer) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.Write(p)
}

func (s *syncBuffer) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.String()
}

func testSchema(t *testing.T, p *host.Process) {
	t.Helper()
	s, err := p.Describe(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if s.Name != "mirror" || s.Version != "1.2.3" || len(s.Domains) != 4 || len(s.Maps) != 2 {
		t.Errorf("schema %+v", s)
	}
	want := plugins.Arg{Name: "size", Kind: plugins.KindCount, Doc: "elements of a chunk", Default: "100", Min: 1, Max: 1e9, Unit: "rows"}
	if got := s.Domain("every").Args[0]; !reflect.DeepEqual(got, want) {
		t.Errorf("argument %+v, want %+v", got, want)
	}
	if got := s.Domain("steps").Needs; got.Columns != plugins.AllColumns || got.Labels != plugins.RowLabels {
		t.Errorf("steps needs %+v", got)
	}
	if got := s.Map("given").Needs; got.Columns != plugins.ArgumentColumns || !reflect.DeepEqual(got.Names, []string{"x1"}) || got.Labels != plugins.LabelNames {
		t.Errorf("given needs %+v", got)
	}
	if !s.Domain("steps").Straight || s.Domain("kin").Straight {
		t.Error("steps are straight, and kin has no paths")
	}
	if got := s.Domain("steps").Binds; got[0].Kind != plugins.BindPoint || got[1].Kind != plugins.BindParameter {
		t.Errorf("steps binds %+v", got)
	}
	if !reflect.DeepEqual(s.Definitions, []plugins.Definition{{Name: "twice", Doc: "Twice.", Source: "def twice(a) = 2 * f(a)"}}) {
		t.Errorf("definitions %+v", s.Definitions)
	}
}

func number(name string, kind plugins.ValueKind, v float64) plugins.Value {
	return plugins.Value{Name: name, Kind: kind, Number: v}
}

func testRows(t *testing.T, p *host.Process) {
	t.Helper()
	data := familytest.Table(250, 3, 0, 1)
	chunks, err := familytest.Expand(t.Context(), t, p, data, &plugins.DomainCall{Name: "every", Args: []plugins.Value{number("size", plugins.KindCount, 100)}})
	if err != nil {
		t.Fatal(err)
	}
	row := int32(0)
	for _, c := range chunks {
		for _, i := range c.Points[0].Point {
			if i != row {
				t.Fatalf("row %d stands where %d should", i, row)
			}
			row++
		}
	}
	if row != 250 || len(chunks) != 3 {
		t.Errorf("%d rows in %d chunks, want 250 in 3", row, len(chunks))
	}
}

// The derivatives along a path are those of the values.
func testPath(t *testing.T, p *host.Process) {
	t.Helper()
	for _, m := range []int{0, 3} {
		data := familytest.Table(20, 4, m, 2)
		f := familytest.NewFunction(4, m, 3)
		const h = 1e-5
		call := &plugins.DomainCall{Name: "steps", Nodes: []float64{0.5 - h, 0.5, 0.5 + h}, Derivative: true}
		chunks, err := familytest.Expand(t.Context(), t, p, data, call)
		if err != nil {
			t.Fatal(err)
		}
		values, slopes := f.Values(chunks[0].Points[0], data), f.Values(chunks[0].Derivatives[0], data)
		if len(values) != 19*3 {
			t.Fatalf("%d values", len(values))
		}
		for e := range 19 {
			if want, got := (values[3*e+2]-values[3*e])/(2*h), slopes[3*e+1]; math.Abs(want-got) > 1e-6 {
				t.Errorf("element %d of a path has slope %v, want %v", e, got, want)
			}
		}
	}
}

func testLabels(t *testing.T, p *host.Process) {
	t.Helper()
	chunks, err := familytest.Expand(t.Context(), t, p, familytest.Table(4, 1, 5, 1), &plugins.DomainCall{Name: "kin"})
	if err != nil {
		t.Fatal(err)
	}
	if want := [][]int32{{0, 1, 2, 3}, {1, 2, 3, 4}}; !reflect.DeepEqual(chunks[0].Labels, want) {
		t.Errorf("labels %v, want %v", chunks[0].Labels, want)
	}
}

func testMap(t *testing.T, p *host.Process) {
	t.Helper()
	data := familytest.Table(10, 3, 2, 4)
	b, err := familytest.Map(t.Context(), t, p, data, &plugins.MapCall{Name: "turn", At: familytest.Evaluations(data)})
	if err != nil {
		t.Fatal(err)
	}
	for i, v := range b.Points.Data {
		if v != -data.Rows.Data[i] {
			t.Fatalf("number %d is %v, want %v", i, v, -data.Rows.Data[i])
		}
	}
	if !reflect.DeepEqual(b.Labels, data.Labels) {
		t.Errorf("labels %v, want %v", b.Labels, data.Labels)
	}
}

// Blocks of 64 MiB pass, where messages of 4 MiB are what gRPC takes by itself; every bit arrives.
func testLarge(t *testing.T, p *host.Process) {
	t.Helper()
	if testing.Short() {
		t.Skip("64 MiB")
	}
	data := familytest.Table(8192, 1024, 2, 5)
	b, err := familytest.Map(t.Context(), t, p, data, &plugins.MapCall{Name: "turn", At: familytest.Evaluations(data)})
	if err != nil {
		t.Fatal(err)
	}
	for i, v := range b.Points.Data {
		if math.Float64bits(v) != math.Float64bits(-data.Rows.Data[i]) {
			t.Fatalf("number %d is %v, want %v", i, v, -data.Rows.Data[i])
		}
	}
}

func testArguments(t *testing.T, p *host.Process) {
	t.Helper()
	edges := make([]plugins.Edge, 400_000)
	for i := range edges {
		edges[i] = plugins.Edge{Child: int32(i), Parent: 7}
	}
	data := familytest.Table(3, 3, 2, 1)
	_, err := familytest.Map(t.Context(), t, p, data, &plugins.MapCall{Name: "given", At: familytest.Evaluations(data), Args: []plugins.Value{
		number("n", plugins.KindNumber, 1.5), number("by", plugins.KindAngle, math.Pi/18),
		{Name: "word", Kind: plugins.KindChoice, Text: "red"},
		{Name: "words", Kind: plugins.KindText, Text: "grüß dich"},
		{Name: "c", Kind: plugins.KindColumn, Text: "x2", Index: 2},
		{Name: "l", Kind: plugins.KindLabel, Text: "class1", Index: 1},
		{Name: "tree", Kind: plugins.KindTaxonomy, Edges: edges},
		{Name: "data", Kind: plugins.KindFile, Text: "g.csv", Bytes: make([]byte, 3_000_000)},
	}})
	want := `n number 1.5 '' 0 [] 0 0 | by angle 0.174533 '' 0 [] 0 0 | word choice 0 'red' 0 [] 0 0 | words text 0 'grüß dich' 0 [] 0 0 | ` +
		`c column 0 'x2' 2 [] 0 0 | l label 0 'class1' 1 [] 0 0 | tree taxonomy 0 '' 0 [(0, 7), (1, 7)] 400000 0 | data file 0 'g.csv' 0 [] 0 3000000 | ` +
		`['x0', 'x1', 'x2'] ['class0', 'class1'] 3 3 | Label(index=[0], value=[1.0])`
	if err == nil || err.Error() != want {
		t.Errorf("the family sees\n%v\nwant\n%s", err, want)
	}
}

// What a user can mend is shown as it stands, on one line, and the process lives on.
func testUserError(t *testing.T, p *host.Process) {
	t.Helper()
	data := familytest.Table(3, 1, 0, 1)
	_, err := familytest.Expand(t.Context(), t, p, data, fail("user"))
	var failed *host.Error
	if err == nil || errors.As(err, &failed) || err.Error() != "fail: choose another how" {
		t.Errorf("error %v", err)
	}
	data.Columns[0] = "refused"
	if _, err := p.Open(t.Context(), data); err == nil || err.Error() != "the column refused is refused: name another" {
		t.Errorf("error %v", err)
	}
	if p.Failed() {
		t.Error("the process is given up")
	}
}

func fail(how string) *plugins.DomainCall {
	return &plugins.DomainCall{Name: "fail", Args: []plugins.Value{{Name: "how", Kind: plugins.KindChoice, Text: how}}}
}

func testCancel(t *testing.T, p *host.Process) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()
	start := time.Now()
	_, err := familytest.Expand(ctx, t, p, familytest.Table(3, 1, 0, 1), fail("spin"))
	if !errors.Is(err, context.DeadlineExceeded) || time.Since(start) > 2*time.Second {
		t.Errorf("error %v after %v", err, time.Since(start))
	}
	if _, err := p.Describe(t.Context()); err != nil {
		t.Errorf("a cancelled call ends the process: %v", err)
	}
}

func testConcurrent(t *testing.T, p *host.Process) {
	t.Helper()
	var wg sync.WaitGroup
	for k := range 8 {
		wg.Go(func() {
			data := familytest.Table(50+k, 3, 0, uint64(k))
			b, err := familytest.Map(t.Context(), t, p, data, &plugins.MapCall{Name: "turn", At: familytest.Evaluations(data)})
			if err != nil || b.Points.Data[0] != -data.Rows.Data[0] {
				t.Errorf("call %d: %v", k, err)
			}
		})
	}
	wg.Wait()
}

func testEmpty(t *testing.T, p *host.Process) {
	t.Helper()
	data := familytest.Table(0, 2, 2, 1)
	for _, call := range []*plugins.DomainCall{{Name: "every", Args: []plugins.Value{number("size", plugins.KindCount, 9)}}, {Name: "steps", Nodes: []float64{0, 1}}} {
		if _, err := familytest.Expand(t.Context(), t, p, data, call); err != nil {
			t.Error(err)
		}
	}
	if b, err := familytest.Map(t.Context(), t, p, data, &plugins.MapCall{Name: "turn", At: familytest.Evaluations(data)}); err != nil || b.Len() != 0 {
		t.Errorf("%d functionals, %v", b.Len(), err)
	}
}

// A fault of the family is told from what a user can mend, with the exception, its place, and its trace.
func TestFaults(t *testing.T) {
	program := bundle(t, "testdata/mirror.py")
	for how, want := range map[string][]string{
		"bug":   {"it reports: KeyError: 'nothing' (mirror.py, line", "its last words:"},
		"exit":  {"its process ended: exit status 3"},
		"sleep": {"it hangs: for 800ms it neither answered"},
	} {
		t.Run(how, func(t *testing.T) {
			t.Parallel()
			p := launch(t, program, host.Options{Silence: 800 * time.Millisecond})
			_, err := familytest.Expand(t.Context(), t, p, familytest.Table(3, 1, 0, 1), fail(how))
			var failed *host.Error
			if !errors.As(err, &failed) {
				t.Fatalf("error %v", err)
			}
			for _, w := range want {
				if !strings.Contains(err.Error(), w) {
					t.Errorf("the error lacks %q:\n%v", w, err)
				}
			}
		})
	}
}

// Started by hand, the program says what it is, and leaves standard output alone.
func TestStartedByHand(t *testing.T) {
	cmd := exec.CommandContext(t.Context(), bundle(t, "testdata/mirror.py"))
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	err := cmd.Run()
	var exit *exec.ExitError
	if !errors.As(err, &exit) || exit.ExitCode() != 2 || !strings.Contains(stderr.String(), `use mirror from "`) {
		t.Errorf("%v: %s", err, stderr.String())
	}
}
