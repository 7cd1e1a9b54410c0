package polar

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/mat"

	"github.com/sipc-ml/sipc/internal/limits"
	"github.com/sipc-ml/sipc/runtime/gauge"
)

// A File is a problem with right-hand sides, as `sipc polar` reads it:
//
//	min_v α‖v‖² + R(v)²  s.t. ⟨v, a⟩ = 1,   R² = Σ_terms Σ_g w_g N_g(t_g)²,   t_g = (⟨v, z_gk⟩)_k
//
// It is JSON with the fields alpha, a (one vector, or a list of vectors) and terms. A term has the fields kind,
// group_size L, weights (w_g, one a group) and Z (rows g·L … g·L+L−1 are group g's). Some kinds also have p and c
// (one a row of a group). The norms N_g by kind:
//
//	abs  max |t_k|
//	pos  max [t_k]₊
//	l2   (Σ t_k²)^½
//	lp   (Σ c_k |t_k|^p)^(1/p)
//	l1   Σ c_k |t_k|
//
// Other fields are left alone.
type File struct {
	Name    string
	Problem Problem
	RHS     *mat.Dense // B×D
	Single  bool       // a was one vector
}

type fileTerm struct {
	Kind      string      `json:"kind"`
	GroupSize int         `json:"group_size"`
	Weights   []float64   `json:"weights"`
	Z         [][]float64 `json:"Z"`
	P         *float64    `json:"p"`
	C         []float64   `json:"c"`
}

type fileProblem struct {
	Name  string          `json:"name"`
	Dim   *int            `json:"dim"`
	Alpha *float64        `json:"alpha"`
	A     json.RawMessage `json:"a"`
	Terms []fileTerm      `json:"terms"`
}

// numberBytes is the memory of a number of a problem while it is read: in lists that grow, and in a matrix.
const numberBytes = 28

// smaller says how a problem needs less memory.
const smaller = "solve a smaller problem"

// OpenProblem reads a problem from a file, where there may be as much memory as it takes. Errors name the file.
func OpenProblem(ctx context.Context, path string) (*File, error) {
	content, err := limits.Read(path, limits.ProblemBytes)
	if err != nil {
		return nil, fmt.Errorf("%s: the file cannot be read: %w", path, err)
	}
	numbers := bytes.Count(content, []byte(","))
	err = limits.Check(ctx, []limits.Need{
		{Bytes: limits.Taken(ctx), What: "the program and the file", Mend: smaller},
		{Bytes: numberBytes * float64(numbers), What: fmt.Sprintf("%d numbers", numbers), Mend: smaller},
	})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	p, err := parseProblem(content)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return p, nil
}

// Fits returns an error where solving the problem would take more memory than there may be. There are the weighted functionals, a
// Gram matrix with its factor, and solutions with what iterations need.
func (f *File) Fits(ctx context.Context) error {
	count, dim := f.RHS.Dims()
	functionals := 0
	if f.Problem.A != nil {
		functionals, _ = f.Problem.A.Dims()
	}
	r, d := float64(functionals), float64(dim)
	return limits.Check(ctx, []limits.Need{
		{Bytes: limits.Taken(ctx), What: "the program and the problem", Mend: smaller},
		{Bytes: 8*r*d + 16*min(r, d)*min(r, d), What: fmt.Sprintf("the coupling of %d functionals in %d numbers", functionals, dim), Mend: smaller},
		{Bytes: 24*float64(count)*d + BatchBytes(functionals, dim, count), What: fmt.Sprintf("%d solutions of %d numbers", count, dim), Mend: "solve for fewer right-hand sides"},
	})
}

const wantedProblem = "a polar problem is a JSON object with alpha, a and terms"

// ReadProblem reads a problem. Errors name the field.
func ReadProblem(r io.Reader) (*File, error) {
	data, err := io.ReadAll(r)
	if err != nil {
		return nil, err
	}
	return parseProblem(data)
}

// parseProblem reads a problem. Errors name the field.
func parseProblem(data []byte) (*File, error) {
	switch text := bytes.TrimSpace(data); {
	case len(text) == 0:
		return nil, errors.New("the file is empty; " + wantedProblem)
	// What is no problem at all is not quoted, as it may be any file.
	case !json.Valid(data) && text[0] != '{':
		return nil, errors.New("line 1: not JSON: " + wantedProblem)
	}
	var raw fileProblem
	if err := json.Unmarshal(data, &raw); err != nil {
		return nil, describeJSON(data, err)
	}
	if err := checkFields(data); err != nil {
		return nil, err
	}
	out := &File{Name: raw.Name}
	if raw.Alpha == nil || !(*raw.Alpha > 0) {
		return nil, errors.New("alpha: a positive number is needed")
	}
	out.Problem.Alpha = *raw.Alpha
	if err := out.readRHS(raw.A, raw.Dim); err != nil {
		return nil, err
	}
	if err := out.readTerms(raw.Terms); err != nil {
		return nil, err
	}
	return out, nil
}

// termFields are those of a term. Solved problems have its value at the solution as R2, which nothing reads.
var termFields = []string{"kind", "group_size", "weights", "Z", "p", "c", "R2"}

// unread is a value of a field whose name alone is asked. It takes no memory, as large problems are mostly values.
type unread struct{}

// UnmarshalJSON reads nothing.
func (*unread) UnmarshalJSON([]byte) error { return nil }

// checkFields refuses fields that no term has, as a misspelt one would change the problem without a word.
func checkFields(data []byte) error {
	var fields struct {
		Terms []map[string]unread `json:"terms"`
	}
	if err := json.Unmarshal(data, &fields); err != nil {
		return describeJSON(data, err)
	}
	for k, t := range fields.Terms {
		for name := range t {
			if !slices.Contains(termFields, name) {
				return fmt.Errorf("terms[%d]: a term has no field %q; it has %s", k, name, strings.Join(termFields[:len(termFields)-1], ", "))
			}
		}
	}
	return nil
}

// describeJSON returns an error that says where in the text a JSON error is.
func describeJSON(data []byte, err error) error {
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	switch {
	case errors.As(err, &syntax):
		at := min(int(syntax.Offset), len(data))
		line := 1 + bytes.Count(data[:max(at-1, 0)], []byte("\n"))
		column := at - bytes.LastIndexByte(data[:max(at-1, 0)], '\n') - 1
		near := string(data[max(at-1, 0):min(at+11, len(data))])
		if bytes.Contains(data, []byte("NaN")) || bytes.Contains(data, []byte("Infinity")) {
			return fmt.Errorf("line %d, column %d: not JSON: %w, near %q; numbers must be finite", line, column, err, near)
		}
		return fmt.Errorf("line %d, column %d: not JSON: %w, near %q", line, column, err, near)
	case errors.As(err, &kind):
		field := kind.Field
		if field == "" {
			field = "the file"
		}
		return fmt.Errorf("%s: a %s stands where %s is wanted", field, kind.Value, wanted(kind.Type.String()))
	}
	return fmt.Errorf("not JSON: %w", err)
}

// wanted returns what a Go type is called in JSON.
func wanted(goType string) string {
	switch goType {
	case "float64":
		return "a number"
	case "int":
		return "a whole number"
	case "string":
		return "a string"
	case "[]float64":
		return "a list of numbers"
	case "[][]float64":
		return "a list of rows of numbers"
	case "[]polar.fileTerm":
		return "a list of terms"
	}
	return "an object"
}

// readRHS reads a: one vector or a list of vectors.
func (f *File) readRHS(raw json.RawMessage, dim *int) error {
	if len(raw) == 0 {
		return errors.New("a: missing; give one vector or a list of vectors")
	}
	var rows [][]float64
	var one []float64
	if err := json.Unmarshal(raw, &one); err == nil {
		rows, f.Single = [][]float64{one}, true
	} else if err := json.Unmarshal(raw, &rows); err != nil {
		return errors.New("a: a vector of numbers or a list of such vectors is wanted")
	}
	if len(rows) == 0 || len(rows[0]) == 0 {
		return errors.New("a: no numbers in it")
	}
	if dim != nil && *dim != len(rows[0]) {
		return fmt.Errorf("dim: is %d, but a has %d numbers", *dim, len(rows[0]))
	}
	f.RHS = mat.NewDense(len(rows), len(rows[0]), nil)
	for i, r := range rows {
		if len(r) != len(rows[0]) {
			return fmt.Errorf("a[%d]: %d numbers where a[0] has %d", i, len(r), len(rows[0]))
		}
		f.RHS.SetRow(i, r)
	}
	return nil
}

// readTerms stacks the rows of all terms and joins their gauges by a 2-norm.
func (f *File) readTerms(terms []fileTerm) error {
	_, dim := f.RHS.Dims()
	rows := 0
	root := gauge.Hypot()
	for k := range terms {
		node, err := terms[k].node(dim)
		if err != nil {
			return fmt.Errorf("terms[%d].%w", k, err)
		}
		if node != nil {
			root.Children = append(root.Children, node)
			rows += len(terms[k].Z)
		}
	}
	if rows == 0 {
		return nil
	}
	z := mat.NewDense(rows, dim, nil)
	at := 0
	for k := range terms {
		for _, r := range terms[k].Z {
			z.SetRow(at, r)
			at++
		}
	}
	a, err := NewDense(z)
	if err != nil {
		return err
	}
	f.Problem.A, f.Problem.Gauge = a, root
	return root.Validate()
}

// node returns the term's gauge, nil if it has no groups. A weight w_g of a square is √w_g of a norm.
func (t *fileTerm) node(dim int) (*gauge.Node, error) {
	if err := t.check(dim); err != nil {
		return nil, err
	}
	if len(t.Weights) == 0 {
		return nil, nil //nolint:nilnil // an empty term is not an error and has no gauge
	}
	group, err := t.group()
	if err != nil {
		return nil, err
	}
	roots := make([]float64, len(t.Weights))
	for i, w := range t.Weights {
		roots[i] = math.Sqrt(w)
	}
	return gauge.Weighted(gauge.Repeat(len(roots), gauge.Hypot(group)), roots...), nil
}

// check compares the lengths of a term's fields.
func (t *fileTerm) check(dim int) error {
	if t.GroupSize < 1 {
		return fmt.Errorf("group_size: is %d; it must be at least 1", t.GroupSize)
	}
	if t.GroupSize > max(len(t.Z), 1) || len(t.Z) != len(t.Weights)*t.GroupSize {
		return badField("Z", "%d rows, but %d weights and groups of %d make %d", len(t.Z), len(t.Weights), t.GroupSize, len(t.Weights)*t.GroupSize)
	}
	for i, r := range t.Z {
		if len(r) != dim {
			return badField(fmt.Sprintf("Z[%d]", i), "%d numbers, but a has %d", len(r), dim)
		}
	}
	for i, w := range t.Weights {
		if !(w > 0) {
			return fmt.Errorf("weights[%d]: is %v; weights must be positive", i, w)
		}
	}
	if t.C != nil && len(t.C) != t.GroupSize {
		return fmt.Errorf("c: %d numbers for groups of %d", len(t.C), t.GroupSize)
	}
	for i, c := range t.C {
		if !(c > 0) {
			return fmt.Errorf("c[%d]: is %v; it must be positive", i, c)
		}
	}
	return nil
}

// badField returns an error about a field whose name may begin with a capital.
func badField(name, format string, args ...any) error {
	return fmt.Errorf("%s: %s", name, fmt.Sprintf(format, args...))
}

// group returns the norm of one group.
func (t *fileTerm) group() (*gauge.Node, error) {
	n := &gauge.Node{Repeat: t.GroupSize, Children: []*gauge.Node{gauge.Leaf(gauge.Abs)}}
	if plain := []string{"abs", "pos", "l2"}; slices.Contains(plain, t.Kind) && (t.P != nil || t.C != nil) {
		return nil, fmt.Errorf("kind: %s has neither p nor c; leave them out", t.Kind)
	}
	switch t.Kind {
	case "abs":
		n.Op = gauge.Max
	case "pos":
		n.Op, n.Children[0] = gauge.Max, gauge.Leaf(gauge.Pos)
	case "l2":
		n.Op, n.P = gauge.Norm, 2
	case "l1":
		if t.P != nil {
			return nil, errors.New("p: kind l1 has none")
		}
		n.Op, n.Weights = gauge.Sum, t.C
	case "lp":
		return t.powerGroup(n)
	case "":
		return nil, errors.New("kind: missing; it is one of abs, pos, l2, lp, l1")
	default:
		return nil, fmt.Errorf("kind: %q is unknown; it is one of abs, pos, l2, lp, l1", t.Kind)
	}
	return n, nil
}

// powerGroup makes n a p-norm: Σ c_k|t_k|^p = Σ (c_k^(1/p)|t_k|)^p.
func (t *fileTerm) powerGroup(n *gauge.Node) (*gauge.Node, error) {
	if t.P == nil {
		return nil, errors.New("p: missing, and kind lp needs it")
	}
	n.Op, n.P = gauge.Norm, *t.P
	if !(n.P > 1) {
		return nil, fmt.Errorf("p: is %v; it must be above 1", n.P)
	}
	for _, c := range t.C {
		n.Weights = append(n.Weights, math.Pow(c, 1/n.P))
	}
	return n, nil
}
