package polar

import (
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sipc-ml/sipc/internal/limits"
)

const smallProblem = `{"name": "small", "dim": 2, "alpha": 0.5, "a": [1, 2],
  "terms": [{"kind": "abs", "group_size": 2, "weights": [0.5], "Z": [[1, 0], [0, 1]], "p": null, "c": null}]}`

func TestReadProblem(t *testing.T) {
	f, err := ReadProblem(strings.NewReader(smallProblem))
	if err != nil {
		t.Fatal(err)
	}
	if r, dim := f.Problem.A.Dims(); r != 2 || dim != 2 || !f.Single || f.Name != "small" || f.Problem.Alpha != 0.5 {
		t.Errorf("read %d×%d, %+v", r, dim, f)
	}
	if got := f.Problem.Gauge.Value([]float64{3, -4}); math.Abs(got-4*math.Sqrt(0.5)) > 1e-15 {
		t.Errorf("the gauge of 3 and −4 is %v, want √0.5·4", got)
	}
	f, err = ReadProblem(strings.NewReader(`{"alpha": 1, "a": [[1, 2], [3, 4], [5, 6]], "terms": []}`))
	if err != nil {
		t.Fatal(err)
	}
	if b, dim := f.RHS.Dims(); b != 3 || dim != 2 || f.Single || f.Problem.Gauge != nil {
		t.Errorf("read %d×%d, gauge %v", b, dim, f.Problem.Gauge)
	}
}

func TestBadProblemsAreNamed(t *testing.T) {
	change := func(from, to string) string {
		if !strings.Contains(smallProblem, from) {
			t.Fatalf("%q is not in the problem", from)
		}
		return strings.Replace(smallProblem, from, to, 1)
	}
	for _, c := range []struct{ text, want string }{
		{"", "empty"},
		{"digits,4,9\n1,2,3\n", "not JSON"},
		{smallProblem + "x", "line 2"},
		{change("[1, 2]", "[1, NaN]"), "finite"},
		{change("[1, 2]", "[1, 1e999]"), "a:"},
		{change("[1, 2]", "[]"), "a:"},
		{change("[1, 2]", "[[1, 2], [1]]"), "a[1]: 1 numbers"},
		{change("[1, 2]", `"one"`), "a:"},
		{change(`"a": [1, 2],`, ""), "a: missing"},
		{change(`"dim": 2`, `"dim": 3`), "dim: is 3"},
		{change("0.5, \"a\"", "-1, \"a\""), "alpha:"},
		{change("0.5, \"a\"", "\"x\", \"a\""), "alpha: a string stands where a number"},
		{change(`"abs"`, `"huber"`), `terms[0].kind: "huber"`},
		{change(`"kind": "abs", `, ``), "terms[0].kind: missing"},
		{change(`"abs"`, `"lp"`), "terms[0].p: missing"},
		{strings.Replace(change(`"abs"`, `"lp"`), `"p": null`, `"p": 0.5`, 1), "terms[0].p: is 0.5"},
		{change("[0.5]", "[-1]"), "terms[0].weights[0]"},
		{change("[0.5]", "[1, 1]"), "terms[0].Z: 2 rows, but 2 weights"},
		{change("[0, 1]]", "[0, 1, 2]]"), "terms[0].Z[1]: 3 numbers"},
		{change(`"group_size": 2`, `"group_size": 0`), "terms[0].group_size"},
		{change(`"c": null`, `"c": [1]`), "terms[0].c: 1 numbers"},
		{change(`"c": null`, `"cc": [1, 1]`), `terms[0]: a term has no field "cc"; it has kind, group_size, weights, Z, p, c`},
		{change(`"c": null`, `"c": [1, 1]`), "terms[0].kind: abs has neither p nor c"},
		{strings.Replace(change(`"abs"`, `"l1"`), `"p": null`, `"p": 2`, 1), "terms[0].p: kind l1 has none"},
		{change(`"c": null`, `"c": [1, 0]`), "terms[0].c[1]"},
		{"[1, 2]", "an object"},
	} {
		_, err := ReadProblem(strings.NewReader(c.text))
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("error %v, want %q in it, for\n%s", err, c.want, c.text)
		}
	}
	path := filepath.Join(t.TempDir(), "bad.json")
	if err := os.WriteFile(path, []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := OpenProblem(t.Context(), path); err == nil || !strings.Contains(err.Error(), "bad.json: ") {
		t.Errorf("error %v does not name the file", err)
	}
	if _, err := OpenProblem(t.Context(), path+"x"); err == nil {
		t.Error("no error for a file that is not there")
	}
}

func FuzzReadProblem(f *testing.F) {
	f.Add([]byte(smallProblem))
	f.Add([]byte(`{"alpha": 1, "a": [[1, 2], [3, 4]], "terms": [{"kind": "lp", "p": 3, "group_size": 1, "weights": [1], "Z": [[1, 0]]}]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		p, err := ReadProblem(strings.NewReader(string(data)))
		if err != nil {
			return
		}
		if _, dim := p.RHS.Dims(); dim == 0 {
			t.Error("no dimension")
		}
		s, err := New(t.Context(), p.Problem, Settings{MaxIterations: 3})
		if err != nil {
			return
		}
		if _, err := s.Solve(t.Context(), p.RHS); err == nil {
			return
		}
	})
}

// A problem is foreseen before its numbers are read, and before it is solved.
func TestProblemsAreForeseen(t *testing.T) {
	path := filepath.Join(t.TempDir(), "small.json")
	if err := os.WriteFile(path, []byte(`{"alpha": 1, "a": [[1, 2, 3], [4, 5, 6]], "terms": [{"kind": "abs", "group_size": 1, "weights": [1, 1], "Z": [[1, 0, 0], [0, 1, 0]]}]}`), 0o600); err != nil {
		t.Fatal(err)
	}
	told := map[string]float64{}
	ctx := limits.WithForecasts(t.Context(), func(needs []limits.Need) {
		for _, n := range needs {
			told[n.What] = n.Bytes
		}
	})
	file, err := OpenProblem(ctx, path)
	if err != nil {
		t.Fatal(err)
	}
	if err := file.Fits(ctx); err != nil {
		t.Fatal(err)
	}
	for what, bytes := range map[string]float64{
		"16 numbers": 28 * 16, "the coupling of 2 functionals in 3 numbers": 8*2*3 + 16*2*2, "2 solutions of 3 numbers": 24*2*3 + BatchBytes(2, 3, 2),
	} {
		if told[what] != bytes {
			t.Errorf("%s: %v bytes, want %v, of %v", what, told[what], bytes, told)
		}
	}
	little := limits.WithMemory(t.Context(), limits.LeastMemory/16)
	if _, err := OpenProblem(little, path); err == nil || !strings.HasPrefix(err.Error(), path+": this needs about ") {
		t.Error(err)
	}
	if err := file.Fits(little); err == nil || !strings.Contains(err.Error(), "; solve a smaller problem, or allow more by --max-memory") {
		t.Error(err)
	}
}
