package transform

import (
	"errors"
	"fmt"

	"github.com/sipc-ml/sipc/plugins"
)

// jitter moves one feature.
type jitter struct {
	column int
	// step moves the prepared feature, and speed does so per raw unit.
	step  float64
	speed float64
}

// newJitter prepares to move a column. It fails if arguments are missing or out of range.
func newJitter(data *plugins.Data, args []plugins.Value, derivative bool) (pointMap, error) {
	column, ok := plugins.Lookup(args, "column")
	if !ok {
		return nil, errors.New("which column? give jitter(COLUMN, AMOUNT)")
	}
	if column.Index < 0 || column.Index >= data.Rows.Cols {
		return nil, fmt.Errorf("column %d of %d features", column.Index, data.Rows.Cols)
	}
	amount, ok := plugins.Lookup(args, "amount")
	if !ok && !derivative {
		return nil, errors.New("by how much? give jitter(COLUMN, AMOUNT)")
	}
	if !isFinite(amount.Number) {
		return nil, fmt.Errorf("amount is %v", amount.Number)
	}
	j := jitter{column: column.Index, step: amount.Number, speed: 1}
	if amount.Number < 0 {
		j.speed = -1
	}
	// Prepared values are (raw − offset)/scale, so a raw amount is amount/scale of them.
	if data.Scale != nil {
		j.step /= data.Scale[j.column]
		j.speed /= data.Scale[j.column]
	}
	return j, nil
}

// at writes the moved row to out.
func (j jitter) at(x, out []float64) {
	copy(out, x)
	out[j.column] += j.step
}

// velocity writes the derivative to out, which holds zeros.
func (j jitter) velocity(_, out []float64) { out[j.column] = j.speed }

// uniform reports true: every row moves alike.
func (j jitter) uniform() bool { return true }
