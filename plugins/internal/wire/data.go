package wire

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/sipc-ml/sipc/plugins"
	"github.com/sipc-ml/sipc/plugins/proto"
)

// SendData sends a data set in parts.
func SendData(d *plugins.Data, send func(*proto.DataPart) error) error {
	head := &proto.DataHead{
		Rows: int64(d.Rows.Rows), Columns: int64(d.Rows.Cols), ColumnNames: texts(d.Columns),
		Offset: bytesOf(d.Offset), Scale: bytesOf(d.Scale),
		Height: int64(d.Height), Width: int64(d.Width), LabelNames: texts(d.LabelNames),
	}
	if err := send(&proto.DataPart{Head: head}); err != nil {
		return err
	}
	sizes, indices, values := flatten(d.Labels)
	for i, raw := range [4][]byte{bytesOf(d.Rows.Data), bytesOf(sizes), bytesOf(indices), bytesOf(values)} {
		for piece := range slices.Chunk(raw, PartSize) {
			part := &proto.DataPart{}
			*[4]*[]byte{&part.Rows, &part.LabelSizes, &part.LabelIndices, &part.LabelValues}[i] = piece
			if err := send(part); err != nil {
				return err
			}
		}
	}
	return send(&proto.DataPart{Last: true})
}

// texts returns names as messages can hold them: bytes that are not UTF-8 are replaced.
func texts(names []string) []string {
	out := slices.Clone(names)
	for i, s := range out {
		out[i] = strings.ToValidUTF8(s, "\uFFFD")
	}
	return out
}

// ReceiveData puts a data set together from the parts that receive gives.
func ReceiveData(receive func() (*proto.DataPart, error)) (*plugins.Data, error) {
	var head *proto.DataHead
	var sizes, indices array[int32]
	var rows, values array[float64]
	for last := false; !last; {
		part, err := receive()
		if err != nil {
			return nil, err
		}
		last = part.GetLast()
		if part.GetHead() != nil {
			head = part.GetHead()
		}
		err = errors.Join(
			rows.add(part.GetRows()), sizes.add(part.GetLabelSizes()), indices.add(part.GetLabelIndices()), values.add(part.GetLabelValues()),
		)
		if err != nil {
			return nil, err
		}
	}
	labels, err := unflatten(sizes.numbers(), indices.numbers(), values.numbers())
	if err != nil {
		return nil, err
	}
	return assemble(head, rows.numbers(), labels)
}

func assemble(head *proto.DataHead, rows []float64, labels []plugins.Label) (*plugins.Data, error) {
	n, p := head.GetRows(), head.GetColumns()
	if head == nil || n < 0 || p < 0 || n > math.MaxInt32 || p > math.MaxInt32 || n*p != int64(len(rows)) {
		return nil, fmt.Errorf("data of %d rows of %d features come with %d numbers", n, p, len(rows))
	}
	if len(labels) != 0 && int64(len(labels)) != n {
		return nil, fmt.Errorf("data of %d rows come with %d labels", n, len(labels))
	}
	offset, err := numbersOf[float64](head.GetOffset())
	if err != nil {
		return nil, err
	}
	scale, err := numbersOf[float64](head.GetScale())
	if err != nil {
		return nil, err
	}
	d := &plugins.Data{
		Rows:    plugins.Matrix{Rows: int(n), Cols: int(p), Data: rows},
		Columns: head.GetColumnNames(), Height: int(head.GetHeight()), Width: int(head.GetWidth()),
		LabelNames: head.GetLabelNames(),
	}
	if len(offset) > 0 {
		d.Offset = offset
	}
	if len(scale) > 0 {
		d.Scale = scale
	}
	if len(labels) > 0 {
		d.Labels = labels
	}
	return d, nil
}
