package dataset

import (
	"encoding/binary"
	"fmt"
	"math"

	"github.com/parquet-go/parquet-go/format"
)

// bytes returns how many bytes a value takes in the plain encoding, 0 where that differs or is less than one.
func (c *parquetColumn) bytes() int {
	switch c.kind {
	case format.Int32, format.Float:
		return 4
	case format.Int64, format.Double:
		return 8
	case format.Int96:
		return 12
	case format.FixedLenByteArray:
		return c.size
	}
	return 0
}

// cell returns the value in bytes, as many as a value takes.
func (c *parquetColumn) cell(b []byte) parquetCell {
	switch c.kind {
	case format.Int32:
		return parquetCell{whole: int64(int32(binary.LittleEndian.Uint32(b)))}
	case format.Int64:
		return parquetCell{whole: int64(binary.LittleEndian.Uint64(b))}
	case format.Float:
		return parquetCell{real: widened(math.Float32frombits(binary.LittleEndian.Uint32(b)))}
	case format.Double:
		return parquetCell{real: math.Float64frombits(binary.LittleEndian.Uint64(b))}
	}
	return parquetCell{bytes: b}
}

// plain returns n values that follow one another.
func (c *parquetColumn) plain(b []byte, n int) ([]parquetCell, error) {
	size := c.bytes()
	switch {
	case c.kind == format.Boolean && n > 8*len(b), size > 0 && n > len(b)/size, size == 0 && c.kind != format.Boolean && n > len(b)/4:
		return nil, errTooShort
	}
	cells := make([]parquetCell, n)
	for i := range cells {
		switch {
		case c.kind == format.Boolean:
			cells[i].whole = int64(b[i/8] >> (i % 8) & 1)
		case size > 0:
			cells[i] = c.cell(b[i*size : (i+1)*size])
		default:
			text, rest, err := lengthBefore(b)
			if err != nil {
				return nil, err
			}
			cells[i].bytes, b = text, rest
		}
	}
	return cells, nil
}

// streams returns n values whose first bytes stand first, then all second ones, and so on.
func (c *parquetColumn) streams(b []byte, n, size int) ([]parquetCell, error) {
	if n > len(b)/size {
		return nil, errTooShort
	}
	cells, each := make([]parquetCell, n), len(b)/size
	for i := range cells {
		value := make([]byte, size)
		for k := range value {
			value[k] = b[k*each+i]
		}
		cells[i] = c.cell(value)
	}
	return cells, nil
}

// hybrid returns n numbers of so many bits, in runs of one number and in groups of eight.
func hybrid(b []byte, bits, n int) ([]uint32, error) {
	out := make([]uint32, 0, n)
	for len(out) < n {
		head, used := binary.Uvarint(b)
		if used <= 0 {
			return nil, errTooShort
		}
		b = b[used:]
		if head&1 == 0 { // a run
			size := (bits + 7) / 8
			if len(b) < size {
				return nil, errTooShort
			}
			var v uint32
			for k := range size {
				v |= uint32(b[k]) << (8 * k)
			}
			b = b[size:]
			for range min(head>>1, uint64(n-len(out))) {
				out = append(out, v)
			}
			if head>>1 == 0 {
				return nil, errTooShort
			}
			continue
		}
		groups := head >> 1
		if groups == 0 || groups > uint64(n) { // the last group may be padded
			groups = min(groups, uint64(n))
		}
		if groups == 0 {
			return nil, errTooShort
		}
		packed := b[:min(uint64(len(b)), groups*uint64(bits))]
		for k := range min(8*int(groups), n-len(out)) {
			v, ok := bitsAt(packed, k*bits, bits)
			if !ok {
				return nil, errTooShort
			}
			out = append(out, uint32(v))
		}
		b = b[len(packed):]
	}
	return out, nil
}

// bitsAt returns the number of so many bits, at most 64, that begins at a bit. Ok is false where the bytes end before it does.
func bitsAt(b []byte, at, bits int) (v uint64, ok bool) {
	if at+bits > 8*len(b) {
		return 0, false
	}
	for k := 0; k < bits; {
		have := min(8-(at+k)%8, bits-k)
		part := uint64(b[(at+k)/8]) >> ((at + k) % 8) & (1<<have - 1)
		v |= part << k
		k += have
	}
	return v, true
}

// deltas returns n whole numbers that are stored as their differences, in blocks, and the bytes behind them.
func deltas(b []byte, n int) (out []int64, rest []byte, err error) {
	var head [3]uint64 // the numbers of a block, its parts, and all numbers
	for k := range head {
		v, used := binary.Uvarint(b)
		if used <= 0 {
			return nil, nil, errTooShort
		}
		head[k], b = v, b[used:]
	}
	first, used := binary.Varint(b)
	const most = 1 << 20
	if used <= 0 || head[2] != uint64(n) || head[1] == 0 || head[0] == 0 || head[0] > most || head[1] > head[0] || head[0]%head[1] != 0 || head[0]/head[1]%8 != 0 {
		return nil, nil, fmt.Errorf("a page announces %d numbers, and blocks of %d in %d parts, for %d", head[2], head[0], head[1], n)
	}
	b = b[used:]
	if n == 0 {
		return nil, b, nil
	}
	out = append(make([]int64, 0, n), first)
	for len(out) < n {
		if out, b, err = block(out, b, n, int(head[0]/head[1]), int(head[1])); err != nil {
			return nil, nil, err
		}
	}
	return out, b, nil
}

// deltaNumbers returns n whole numbers as cells. Those of 32 bits wrap round.
func (c *parquetColumn) deltaNumbers(b []byte, n int) ([]parquetCell, error) {
	whole, _, err := deltas(b, n)
	cells := make([]parquetCell, len(whole))
	for i, v := range whole {
		if c.kind == format.Int32 {
			v = int64(int32(v))
		}
		cells[i].whole = v
	}
	return cells, err
}

// block appends the numbers of a block of differences, in parts of so many each. There are n numbers in all.
func block(out []int64, b []byte, n, each, parts int) ([]int64, []byte, error) {
	least, used := binary.Varint(b)
	if used <= 0 || len(b) < used+parts {
		return nil, nil, errTooShort
	}
	widths := b[used : used+parts]
	b = b[used+parts:]
	for _, bits := range widths {
		if len(out) == n {
			break // of parts that are not needed nothing is stored
		}
		size := each / 8 * int(bits)
		if bits > 64 || len(b) < size {
			return nil, nil, errTooShort
		}
		for k := range min(each, n-len(out)) {
			v, _ := bitsAt(b[:size], k*int(bits), int(bits))
			out = append(out, out[len(out)-1]+least+int64(v))
		}
		b = b[size:]
	}
	return out, b, nil
}

// deltaTexts returns n texts whose lengths stand before them. With prefixes each begins with a part of the one before, whose lengths stand
// before these.
func (p *parquetPages) deltaTexts(b []byte, n int, prefixes bool) (cells []parquetCell, err error) {
	var shared []int64
	if prefixes {
		if shared, b, err = deltas(b, n); err != nil {
			return nil, err
		}
	}
	lengths, b, err := deltas(b, n)
	if err != nil {
		return nil, err
	}
	cells = make([]parquetCell, n)
	var before []byte
	for i, length := range lengths {
		if length < 0 || length > int64(len(b)) {
			return nil, errTooShort
		}
		text := b[:length:length]
		b = b[length:]
		if prefixes {
			if shared[i] < 0 || shared[i] > int64(len(before)) {
				return nil, errTooShort
			}
			if *p.unpacked += shared[i]; *p.unpacked > p.memory {
				return nil, fmt.Errorf("its texts unpack to more than %d bytes", p.memory)
			}
			text = append(before[:shared[i]:shared[i]], text...)
		}
		cells[i].bytes, before = text, text
	}
	return cells, nil
}
