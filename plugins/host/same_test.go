package host_test

import (
	"bytes"
	"context"
	"math"
	"reflect"
	"strconv"
	"sync"
	"testing"

	"github.com/sipc-ml/sipc/plugins"
	"github.com/sipc-ml/sipc/plugins/familytest"
	"github.com/sipc-ml/sipc/plugins/hierarchy"
	"github.com/sipc-ml/sipc/plugins/host"
	"github.com/sipc-ml/sipc/plugins/mixup"
	"github.com/sipc-ml/sipc/plugins/transform"
)

func itoa(n int) string { return strconv.Itoa(n) }

// logged is a log that several goroutines write.
type logged struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (l *logged) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.buf.Write(p)
}

func (l *logged) has(s string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return bytes.Contains(l.buf.Bytes(), []byte(s))
}

// images is data of 5×6 images, prepared, with labels.
func images() *plugins.Data {
	d := familytest.Table(12, 30, 3, 8)
	d.Height, d.Width = 5, 6
	for j := range 30 {
		d.Offset = append(d.Offset, float64(j)/7)
		d.Scale = append(d.Scale, 1+float64(j)/11)
	}
	return d
}

// Every family answers as a process what it answers in process, bit by bit.
func TestProcessesAnswerAsInProcess(t *testing.T) {
	s := newScene(t)
	data := images()
	edges := []plugins.Edge{{Child: 1, Parent: 0}, {Child: 2, Parent: 0}}
	number := func(name string, v float64) plugins.Value { return plugins.Value{Name: name, Number: v} }
	taxonomy := []plugins.Value{{Name: "taxonomy", Kind: plugins.KindTaxonomy, Edges: edges}}
	nodes := []float64{0, 0.1, 1. / 3, 1}
	families := []struct {
		name    string
		family  plugins.Family
		domains []plugins.DomainCall
		maps    []plugins.MapCall
	}{
		{"mixup", mixup.New(), []plugins.DomainCall{
			{Name: "pairs", Seed: 3, Nodes: nodes, Derivative: true},
			{Name: "pairs", Seed: math.MaxUint64, Nodes: nodes, Args: []plugins.Value{number("count", 7), {Name: "choose", Text: "nearest"}}},
			{Name: "pairs", Args: []plugins.Value{number("count", 0)}, Nodes: nodes},
		}, nil},
		{"hierarchy", hierarchy.New(), []plugins.DomainCall{
			{Name: "edges", Args: taxonomy}, {Name: "siblings", Args: taxonomy}, {Name: "siblings"},
		}, nil},
		{"transform", transform.New(), nil, []plugins.MapCall{
			{Name: "rotate", Args: []plugins.Value{number("angle", 0.3)}},
			{Name: "rotate", Args: []plugins.Value{number("angle", 0.3)}, Derivative: true},
			{Name: "move", Args: []plugins.Value{{Name: "column", Index: 3}, number("amount", 0.1)}},
			{Name: "put", Args: []plugins.Value{{Name: "column", Index: 3}, number("value", 2)}},
			{Name: "swap", Args: []plugins.Value{{Name: "a", Index: 3}, {Name: "b", Index: 1}}},
			{Name: "scale", Args: []plugins.Value{number("factor", -5)}},
		}},
	}
	for _, f := range families {
		t.Run(f.name, func(t *testing.T) {
			p := s.launch("sipc-family-"+f.name, s.options(host.Options{Name: f.name}, ""))
			same(t, "schema", func(x plugins.Family) (any, error) { return x.Describe(t.Context()) }, f.family, p)
			for _, call := range f.domains {
				same(t, call.Name, func(x plugins.Family) (any, error) {
					return familytest.Expand(t.Context(), t, x, data, &call)
				}, f.family, p)
			}
			for _, call := range f.maps {
				call.At = familytest.Evaluations(data)
				same(t, call.Name, func(x plugins.Family) (any, error) {
					return familytest.Map(t.Context(), t, x, data, &call)
				}, f.family, p)
			}
		})
	}
}

// same asserts equal answers, or equal errors.
func same(t *testing.T, what string, ask func(plugins.Family) (any, error), a, b plugins.Family) {
	t.Helper()
	want, errA := ask(a)
	got, errB := ask(b)
	if (errA == nil) != (errB == nil) || (errA != nil && errA.Error() != errB.Error()) {
		t.Errorf("%s: in process the error is %v, as a process %v", what, errA, errB)
	}
	if errA == nil && !reflect.DeepEqual(bare(want), bare(got)) {
		t.Errorf("%s: the answers differ", what)
	}
}

// bare removes from an answer what has no meaning: the width of matrices without rows, and empty slices that are not nil.
func bare(answer any) any {
	var blocks []*plugins.Block
	switch x := answer.(type) {
	case *plugins.Block:
		blocks = []*plugins.Block{x}
	case []*plugins.Chunk:
		for _, c := range x {
			c.Labels = empty(c.Labels)
			blocks = append(append(blocks, c.Points...), c.Derivatives...)
		}
	}
	for _, b := range blocks {
		for _, m := range []*plugins.Matrix{&b.Points, &b.Tangents} {
			if m.Rows == 0 {
				*m = plugins.Matrix{}
			}
		}
		b.Labels = empty(b.Labels)
		for i, y := range b.Labels {
			b.Labels[i] = plugins.Label{Index: empty(y.Index), Value: empty(y.Value)}
		}
	}
	return answer
}

func empty[T any](s []T) []T {
	if len(s) == 0 {
		return nil
	}
	return s
}

// Blocks of more than 64 MiB come through, in both directions.
func TestLargeBlocks(t *testing.T) {
	s := newScene(t)
	rows := plugins.Matrix{Rows: 1500, Cols: 6000, Data: make([]float64, 1500*6000)} // 69 MiB
	for i := range rows.Data {
		rows.Data[i] = float64(i) / 7
	}
	p := s.launch("sipc-family-transform", s.options(host.Options{}, ""))
	call := &plugins.MapCall{
		Name: "move", Args: []plugins.Value{{Name: "column", Index: 3}, {Name: "amount", Number: 0.5}},
		At: &plugins.Block{Points: rows},
	}
	for i := range rows.Rows {
		call.At.Term(1, ^int32(i), plugins.Evaluation, plugins.NoLabel)
		call.At.End()
	}
	few := familytest.Table(1, 6000, 0, 1)
	same(t, "move", func(x plugins.Family) (any, error) {
		return familytest.Map(context.Background(), t, x, few, call)
	}, transform.New(), p)
}

func BenchmarkLaunch(b *testing.B) {
	for b.Loop() {
		p, err := host.Launch(b.Context(), programs+"/sipc-family-mixup", host.Options{})
		if err != nil {
			b.Fatal(err)
		}
		if err := p.Close(); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkOpen(b *testing.B) {
	p, err := host.Launch(b.Context(), programs+"/sipc-family-transform", host.Options{})
	if err != nil {
		b.Fatal(err)
	}
	defer func() { _ = p.Close() }()
	data := familytest.Table(4096, 4096, 0, 1)
	b.SetBytes(8 << 24)
	for b.Loop() {
		session, err := p.Open(b.Context(), data)
		if err != nil {
			b.Fatal(err)
		}
		if err := session.Close(); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkPairs(b *testing.B) {
	p, err := host.Launch(b.Context(), programs+"/sipc-family-mixup", host.Options{})
	if err != nil {
		b.Fatal(err)
	}
	defer func() { _ = p.Close() }()
	data := familytest.Table(500, 784, 10, 1)
	call := &plugins.DomainCall{Name: "pairs", Nodes: []float64{0.1, 0.3, 0.5, 0.7, 0.9}}
	b.SetBytes(2000 * 5 * 784 * 8)
	for b.Loop() {
		if _, err := familytest.Expand(b.Context(), b, p, data, call); err != nil {
			b.Fatal(err)
		}
	}
}
