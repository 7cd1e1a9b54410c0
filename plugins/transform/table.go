package transform

import (
	"errors"
	"fmt"

	"github.com/sipc-ml/sipc/plugins"
)

// The maps of tables.
const (
	moveWord = "move"
	putWord  = "put"
	swapWord = "swap"
)

// A rewriting writes some features of a row anew, each from one old feature or from none.
type rewriting struct {
	features []feature
	speed    float64 // of the one feature that a derivative moves
}

// A feature at index to becomes factor·x[from] + offset, in prepared units.
type feature struct {
	to, from       int // from is fromNothing where no old feature enters
	factor, offset float64
}

// fromNothing stands for the old feature where a new value is a number alone.
const fromNothing = -1

// newRewriting prepares the map of a table by name. It fails if arguments are missing or out of range.
func newRewriting(data *plugins.Data, call *plugins.MapCall) (pointMap, error) {
	for _, v := range call.Args {
		if v.Index < 0 || v.Index >= data.Rows.Cols && v.Name != "amount" && v.Name != "value" {
			return nil, fmt.Errorf("column %d of %d features", v.Index, data.Rows.Cols)
		}
		if !isFinite(v.Number) {
			return nil, fmt.Errorf("%s is %v", v.Name, v.Number)
		}
	}
	units := unitsOf(data)
	switch call.Name {
	case moveWord:
		return units.move(call.Args, call.Derivative)
	case putWord:
		return units.put(call.Args)
	}
	return units.swap(call.Args)
}

// Affine returns the coordinates that put, swap and move write. Maps of images have none, and fail.
func (family) Affine(data *plugins.Data, call *plugins.MapCall) ([]plugins.Coordinate, error) {
	switch call.Name {
	case moveWord, putWord, swapWord:
	default:
		return nil, fmt.Errorf("%s mixes coordinates", call.Name)
	}
	m, err := newRewriting(data, call)
	if err != nil {
		return nil, err
	}
	features := m.(rewriting).features //nolint:forcetypeassert // newRewriting returns no other
	out := make([]plugins.Coordinate, len(features))
	for i, f := range features {
		out[i] = plugins.Coordinate{To: f.to, From: f.from, Factor: f.factor, Offset: f.offset}
	}
	return out, nil
}

// units undo the preparation of features: raw = offset + scale·prepared. Nil stands for zeros and ones.
type units struct{ offset, scale []float64 }

// unitsOf returns the units of the data's features.
func unitsOf(data *plugins.Data) units { return units{data.Offset, data.Scale} }

// of returns the offset and the scale of feature j.
func (u units) of(j int) (offset, scale float64) {
	scale = 1
	if u.offset != nil {
		offset = u.offset[j]
	}
	if u.scale != nil {
		scale = u.scale[j]
	}
	return offset, scale
}

// move adds an amount in raw units to one feature.
func (u units) move(args []plugins.Value, derivative bool) (pointMap, error) {
	column, ok := plugins.Lookup(args, "column")
	if !ok {
		return nil, errors.New("which column? give move(COLUMN, AMOUNT)")
	}
	amount, ok := plugins.Lookup(args, "amount")
	if !ok && !derivative {
		return nil, errors.New("by how much? give move(COLUMN, AMOUNT)")
	}
	_, scale := u.of(column.Index)
	return rewriting{[]feature{{column.Index, column.Index, 1, amount.Number / scale}}, direction(amount.Number) / scale}, nil
}

// put gives features the raw values that follow them.
func (u units) put(args []plugins.Value) (pointMap, error) {
	if len(args) == 0 || len(args)%2 != 0 {
		return nil, errors.New("which column, and which value? give put(COLUMN, VALUE)")
	}
	var out rewriting
	for k := 0; k < len(args); k += 2 {
		offset, scale := u.of(args[k].Index)
		out.features = append(out.features, feature{args[k].Index, fromNothing, 0, (args[k+1].Number - offset) / scale})
	}
	return out, nil
}

// swap exchanges the raw values of features a and b that follow each other. Where one has no partner (plugins.Cells), its new value
// is 0: a text that the other column does not know is an unseen one there.
func (u units) swap(args []plugins.Value) (pointMap, error) {
	var out rewriting
	for k := 0; k < len(args); k++ {
		if args[k].Name == "a" && k+1 < len(args) && args[k+1].Name == "b" {
			a, b := args[k].Index, args[k+1].Index
			out.features = append(out.features, u.taken(a, b), u.taken(b, a))
			k++
			continue
		}
		offset, scale := u.of(args[k].Index)
		out.features = append(out.features, feature{args[k].Index, fromNothing, 0, (0 - offset) / scale})
	}
	if len(args) == 0 {
		return nil, errors.New("which columns? give swap(COLUMN, COLUMN)")
	}
	return out, nil
}

// taken returns feature to with the raw value of feature from.
func (u units) taken(to, from int) feature {
	toOffset, toScale := u.of(to)
	fromOffset, fromScale := u.of(from)
	return feature{to, from, fromScale / toScale, (fromOffset - toOffset) / toScale}
}

// at writes the row with its new features to out.
func (r rewriting) at(x, out []float64) {
	copy(out, x)
	for _, f := range r.features {
		out[f.to] = f.offset
		if f.from != fromNothing {
			out[f.to] += float64(f.factor * x[f.from]) // rounded here: the same number on every machine
		}
	}
}

// velocity writes the derivative to out, which holds zeros.
func (r rewriting) velocity(_, out []float64) { out[r.features[0].to] = r.speed }

// uniform reports true: every row moves alike.
func (r rewriting) uniform() bool { return true }
