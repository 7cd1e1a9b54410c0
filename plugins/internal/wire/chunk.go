package wire

import (
	"fmt"
	"slices"

	"github.com/sipc-ml/sipc/plugins"
	"github.com/sipc-ml/sipc/plugins/proto"
)

// maxPlaces bounds what one element can bind.
const maxPlaces = 256

// SendChunk sends a chunk in parts.
func SendChunk(c *plugins.Chunk, send func(*proto.ChunkPart) error) error {
	head := &proto.ChunkHead{
		Count: int64(c.Count), Labels: int64(len(c.Labels)), Points: int64(len(c.Points)), Derivatives: int64(len(c.Derivatives)),
	}
	if err := send(&proto.ChunkPart{Part: &proto.ChunkPart_Head{Head: head}}); err != nil {
		return err
	}
	for k, labels := range c.Labels {
		for piece := range slices.Chunk(bytesOf(labels), PartSize) {
			part := &proto.LabelPart{Place: int64(k), Labels: piece}
			if err := send(&proto.ChunkPart{Part: &proto.ChunkPart_Labels{Labels: part}}); err != nil {
				return err
			}
		}
	}
	for k, b := range c.Points {
		err := SendBlock(b, func(part *proto.BlockPart) error {
			return send(&proto.ChunkPart{Part: &proto.ChunkPart_Points{Points: &proto.PlacePart{Place: int64(k), Block: part}}})
		})
		if err != nil {
			return err
		}
	}
	for k, b := range c.Derivatives {
		err := SendBlock(b, func(part *proto.BlockPart) error {
			return send(&proto.ChunkPart{Part: &proto.ChunkPart_Derivatives{Derivatives: &proto.PlacePart{Place: int64(k), Block: part}}})
		})
		if err != nil {
			return err
		}
	}
	return send(&proto.ChunkPart{Last: true})
}

// A ChunkReader puts one chunk together.
type ChunkReader struct {
	head                *proto.ChunkHead
	labels              []array[int32]
	points, derivatives []BlockReader
}

// Add takes the next part and tells whether it was the chunk's last.
func (r *ChunkReader) Add(p *proto.ChunkPart) (last bool, err error) {
	if r.head == nil && p.GetHead() == nil {
		return false, fmt.Errorf("a chunk begins without its head")
	}
	switch part := p.GetPart().(type) {
	case *proto.ChunkPart_Head:
		err = r.open(part.Head)
	case *proto.ChunkPart_Labels:
		k := part.Labels.GetPlace()
		if k < 0 || k >= int64(len(r.labels)) {
			return false, fmt.Errorf("labels in place %d of %d", k, len(r.labels))
		}
		err = r.labels[k].add(part.Labels.GetLabels())
	case *proto.ChunkPart_Points:
		err = addPlace(r.points, part.Points)
	case *proto.ChunkPart_Derivatives:
		err = addPlace(r.derivatives, part.Derivatives)
	}
	return p.GetLast(), err
}

func (r *ChunkReader) open(h *proto.ChunkHead) error {
	if r.head != nil {
		return fmt.Errorf("a chunk has two heads")
	}
	for _, places := range []int64{h.GetLabels(), h.GetPoints(), h.GetDerivatives()} {
		if places < 0 || places > maxPlaces {
			return fmt.Errorf("a chunk binds %d things", places)
		}
	}
	r.head = h
	r.labels = make([]array[int32], h.GetLabels())
	r.points = make([]BlockReader, h.GetPoints())
	r.derivatives = make([]BlockReader, h.GetDerivatives())
	return nil
}

func addPlace(places []BlockReader, part *proto.PlacePart) error {
	k := part.GetPlace()
	if k < 0 || k >= int64(len(places)) {
		return fmt.Errorf("a block in place %d of %d", k, len(places))
	}
	return places[k].Add(part.GetBlock())
}

// Chunk returns the chunk, for data of p features. It does not validate it: see plugins.Chunk.Validate.
func (r *ChunkReader) Chunk(p int) (*plugins.Chunk, error) {
	if r.head == nil {
		return nil, fmt.Errorf("a chunk without its head")
	}
	c := &plugins.Chunk{Count: int(r.head.GetCount())}
	for i := range r.labels {
		c.Labels = append(c.Labels, r.labels[i].numbers())
	}
	for i := range r.points {
		b, err := r.points[i].Block(p)
		if err != nil {
			return nil, err
		}
		c.Points = append(c.Points, b)
	}
	for i := range r.derivatives {
		b, err := r.derivatives[i].Block(p)
		if err != nil {
			return nil, err
		}
		c.Derivatives = append(c.Derivatives, b)
	}
	return c, nil
}
