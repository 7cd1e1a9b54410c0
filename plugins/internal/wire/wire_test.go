package wire

import (
	"errors"
	"math"
	"reflect"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	gproto "google.golang.org/protobuf/proto"
	"pgregory.net/rapid"

	"github.com/sipc-ml/sipc/plugins"
	"github.com/sipc-ml/sipc/plugins/proto"
)

// over sends a message through its bytes.
func over[M gproto.Message](tb testing.TB, m, into M) M {
	tb.Helper()
	raw, err := gproto.Marshal(m)
	if err != nil {
		tb.Fatal(err)
	}
	if len(raw) > 3<<20 {
		tb.Errorf("a message of %d bytes: parts must stay well under 4 MiB", len(raw))
	}
	if err := gproto.Unmarshal(raw, into); err != nil {
		tb.Fatal(err)
	}
	return into
}

// block draws a block of p features; numbers are any, as what is on the wire need not be sound.
func block(t *rapid.T, p int) *plugins.Block {
	number := rapid.Float64()
	ints := rapid.SliceOfN(rapid.Int32(), 0, 5)
	b := &plugins.Block{
		Start: ints.Draw(t, "start"), Point: ints.Draw(t, "point"), Tangent: ints.Draw(t, "tangent"), Label: ints.Draw(t, "label"),
		Coef: rapid.SliceOfN(number, 0, 5).Draw(t, "coef"),
	}
	for range rapid.IntRange(0, 3).Draw(t, "rows") {
		b.Points.Append(rapid.SliceOfN(number, p, p).Draw(t, "point"))
		b.Tangents.Append(rapid.SliceOfN(number, p, p).Draw(t, "tangent"))
	}
	for range rapid.IntRange(0, 3).Draw(t, "labels") {
		index := ints.Draw(t, "index")
		b.Labels = append(b.Labels, plugins.Label{Index: index, Value: rapid.SliceOfN(number, len(index), len(index)).Draw(t, "value")})
	}
	return b
}

func TestBlocksRoundTrip(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		p := rapid.IntRange(1, 4).Draw(rt, "p")
		b := block(rt, p)
		var r BlockReader
		if err := SendBlock(b, func(part *proto.BlockPart) error { return r.Add(over(t, part, &proto.BlockPart{})) }); err != nil {
			rt.Fatal(err)
		}
		got, err := r.Block(p)
		if err != nil {
			rt.Fatal(err)
		}
		if diff := cmp.Diff(b, got, cmpopts.EquateEmpty()); diff != "" {
			rt.Fatal(diff)
		}
	})
}

// Every bit of a number arrives, that of NaN and of negative zero too.
func TestBitsArrive(t *testing.T) {
	sent := []float64{math.Copysign(0, -1), math.NaN(), math.Inf(1), math.SmallestNonzeroFloat64, math.Pi}
	got, err := numbersOf[float64](bytesOf(sent))
	if err != nil {
		t.Fatal(err)
	}
	for i, v := range sent {
		if math.Float64bits(v) != math.Float64bits(got[i]) {
			t.Errorf("%v arrives as %v", v, got[i])
		}
	}
}

func TestLargeBlocksComeInParts(t *testing.T) {
	b := &plugins.Block{Points: plugins.Matrix{Rows: 1000, Cols: 1001, Data: make([]float64, 1000*1001)}}
	for i := range b.Points.Data {
		b.Points.Data[i] = float64(i)
	}
	for i := range 300_000 {
		b.Term(float64(i), int32(-1-i%1000), -1, -1)
		b.End()
	}
	var r BlockReader
	parts := 0
	err := SendBlock(b, func(part *proto.BlockPart) error {
		parts++
		return r.Add(over(t, part, &proto.BlockPart{}))
	})
	if err != nil {
		t.Fatal(err)
	}
	got, err := r.Block(1001)
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(b, got) || parts < 10 {
		t.Errorf("another block arrives in %d parts", parts)
	}
	stop := errors.New("stop")
	if err := SendBlock(b, func(*proto.BlockPart) error { return stop }); !errors.Is(err, stop) {
		t.Errorf("error %v, want the sender's own", err)
	}
}

func TestDataRoundTrip(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		n, p := rapid.IntRange(0, 4).Draw(rt, "n"), rapid.IntRange(0, 3).Draw(rt, "p")
		number := rapid.Float64()
		d := &plugins.Data{
			Rows:   plugins.Matrix{Rows: n, Cols: p, Data: rapid.SliceOfN(number, n*p, n*p).Draw(rt, "rows")},
			Height: rapid.IntRange(0, 9).Draw(rt, "height"), Width: rapid.IntRange(0, 9).Draw(rt, "width"),
			Columns:    rapid.SliceOfN(rapid.String(), p, p).Draw(rt, "columns"),
			LabelNames: rapid.SliceOfN(rapid.String(), 0, 3).Draw(rt, "names"),
		}
		if rapid.Bool().Draw(rt, "prepared") {
			d.Offset = rapid.SliceOfN(number, p, p).Draw(rt, "offset")
			d.Scale = rapid.SliceOfN(number, p, p).Draw(rt, "scale")
		}
		if rapid.Bool().Draw(rt, "labelled") {
			for range n {
				d.Labels = append(d.Labels, plugins.Label{Index: []int32{3}, Value: []float64{number.Draw(rt, "y")}})
			}
		}
		var parts []*proto.DataPart
		if err := SendData(d, func(m *proto.DataPart) error {
			parts = append(parts, over(t, m, &proto.DataPart{}))
			return nil
		}); err != nil {
			rt.Fatal(err)
		}
		got, err := ReceiveData(func() (*proto.DataPart, error) {
			m := parts[0]
			parts = parts[1:]
			return m, nil
		})
		if err != nil {
			rt.Fatal(err)
		}
		if diff := cmp.Diff(d, got, cmpopts.EquateEmpty()); diff != "" {
			rt.Fatal(diff)
		}
	})
}

func TestCallRoundTrip(t *testing.T) {
	edges := make([]plugins.Edge, 200_000)
	for i := range edges {
		edges[i] = plugins.Edge{Child: int32(i), Parent: int32(-i)}
	}
	call := &plugins.DomainCall{
		Name: "d", Seed: math.MaxUint64, Nodes: []float64{0, 0.5, 1}, Derivative: true,
		Args: []plugins.Value{
			{Name: "t", Kind: plugins.KindTaxonomy, Edges: edges},
			{Name: "f", Kind: plugins.KindFile, Text: "path", Bytes: make([]byte, 3<<20)},
			{Name: "c", Kind: plugins.KindColumn, Text: "area", Index: 7},
			{Name: "a", Kind: plugins.KindAngle, Number: -0.5},
		},
	}
	var parts []*proto.CallPart
	if err := SendDomainCall(9, call, func(m *proto.CallPart) error {
		parts = append(parts, over(t, m, &proto.CallPart{}))
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	c, err := ReceiveCall(func() (*proto.CallPart, error) {
		m := parts[0]
		parts = parts[1:]
		return m, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	got, err := c.Domain()
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(call, got) || c.Session != 9 {
		t.Errorf("another call arrives for session %d", c.Session)
	}
}

// Whatever a family answers, putting it together fails with an error or not at all, and so does asking whether it is sound.
func FuzzAnswer(f *testing.F) {
	var seed []byte
	keep := func(m gproto.Message) {
		raw, _ := gproto.Marshal(m) // of sound messages
		seed = append(append(seed, byte(len(raw))), raw...)
	}
	block := &plugins.Block{Start: []int32{0, 1}, Point: []int32{0}, Tangent: []int32{plugins.Evaluation}, Label: []int32{-1}, Coef: []float64{1}}
	c := &plugins.Chunk{Count: 1, Labels: [][]int32{{1}}, Points: []*plugins.Block{block}}
	_ = SendChunk(c, func(m *proto.ChunkPart) error { keep(m); return nil })
	f.Add(seed, byte(0), byte(2))
	seed = nil
	_ = SendBlock(block, func(m *proto.BlockPart) error { keep(m); return nil })
	f.Add(seed, byte(1), byte(2))
	seed = nil
	keep(FromSchema(&plugins.Schema{
		Name: "swaps", Version: "1.0.0", Maps: []plugins.MapSchema{{Name: "swap", Args: []plugins.Arg{{Name: "a", Kind: plugins.KindColumn}}}},
		Domains: []plugins.DomainSchema{{Name: "twins", Binds: []plugins.Bind{{Name: "a", Kind: plugins.BindPoint}}}},
	}))
	f.Add(seed, byte(2), byte(0))
	f.Fuzz(func(_ *testing.T, raw []byte, kind, p byte) {
		[]func([]byte, int){readChunks, readBlock, readSchema}[kind%3](raw, int(p%8))
	})
}

// message takes the next message from some bytes, the first of which says how long it is.
func message(raw []byte, m gproto.Message) (rest []byte, ok bool) {
	if len(raw) < 2 {
		return nil, false
	}
	end := 1 + min(int(raw[0]), len(raw)-1)
	return raw[end:], gproto.Unmarshal(raw[1:end], m) == nil
}

// readChunks reads elements of a domain as the host does.
func readChunks(raw []byte, p int) {
	schema := &plugins.DomainSchema{Binds: []plugins.Bind{{Name: "a"}, {Name: "x", Kind: plugins.BindPoint}}}
	var r ChunkReader
	for {
		var m proto.ChunkPart
		rest, ok := message(raw, &m)
		if !ok {
			return
		}
		raw = rest
		last, err := r.Add(&m)
		if err != nil {
			return
		}
		if !last {
			continue
		}
		if c, err := r.Chunk(p); err != nil || c.Validate(schema, &plugins.DomainCall{}, 3, p, 2) != nil {
			return
		}
	}
}

// readBlock reads mapped functionals as the host does.
func readBlock(raw []byte, p int) {
	var r BlockReader
	for {
		var m proto.BlockPart
		rest, ok := message(raw, &m)
		if !ok {
			break
		}
		if raw = rest; r.Add(&m) != nil {
			return
		}
	}
	if b, err := r.Block(p); err == nil {
		_ = b.Validate(3, p, 2)
	}
}

// readSchema reads what a family says of itself.
func readSchema(raw []byte, _ int) {
	var m proto.Schema
	if _, ok := message(raw, &m); ok {
		_ = ToSchema(&m).Validate()
	}
}

// Names that are not UTF-8, as tables from elsewhere have them, do not stop the data.
func TestNamesThatAreNoText(t *testing.T) {
	d := &plugins.Data{Columns: []string{"gr\xf6\xdfe"}, LabelNames: []string{"\xff", "ok"}}
	var got []string
	if err := SendData(d, func(m *proto.DataPart) error {
		h := over(t, m, &proto.DataPart{}).GetHead()
		got = append(append(got, h.GetColumnNames()...), h.GetLabelNames()...)
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"gr\uFFFDe", "\uFFFD", "ok"}, got); diff != "" {
		t.Error(diff)
	}
}

func TestSchemaRoundTrip(t *testing.T) {
	s := &plugins.Schema{
		Name: "n", Version: "1.2.3", Doc: "doc",
		Domains: []plugins.DomainSchema{{
			Name: "d", Doc: "dd",
			Args: []plugins.Arg{{Name: "a", Kind: plugins.KindChoice, Doc: "x", Default: "u", Choices: []string{"u", "v"}, Min: -1, Max: 2, Unit: "rows", Optional: true}},
			Binds: []plugins.Bind{
				{Name: "l", Kind: plugins.BindLabel, Doc: "1"}, {Name: "p", Kind: plugins.BindPoint}, {Name: "s", Kind: plugins.BindParameter},
			},
			Straight: true,
		}},
		Maps:        []plugins.MapSchema{{Name: "m", Doc: "md", NeedsImage: true, Differentiable: true, Args: []plugins.Arg{{Name: "f", Kind: plugins.KindFile}}}},
		Definitions: []plugins.Definition{{Name: "q", Doc: "qd", Source: "def q(a) = f(a)"}},
	}
	got := ToSchema(over(t, FromSchema(s), &proto.Schema{}))
	if diff := cmp.Diff(s, got); diff != "" {
		t.Error(diff)
	}
}
