package dataset

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/snappy"
	"github.com/klauspost/compress/zstd"
	"github.com/parquet-go/parquet-go/format"

	"github.com/sipc-ml/sipc/internal/limits"
)

// parquetPages reads the pages of one column in one group of rows.
type parquetPages struct {
	column     *parquetColumn
	path       string
	codec      format.CompressionCodec
	dictionary []parquetCell
	memory     int64
	unpacked   *int64 // bytes of all pages of the file so far
}

// read reads all pages, which hold so many rows.
func (p *parquetPages) read(ctx context.Context, rest *bytes.Buffer, rows int) error {
	for rest.Len() > 0 && rows > 0 {
		if err := ctx.Err(); err != nil {
			return err
		}
		h, err := p.header(rest)
		if err != nil {
			return err
		}
		levels, values, err := p.body(h, rest)
		if err != nil {
			return err
		}
		n, err := p.take(h, levels, values, rows)
		if err != nil {
			return err
		}
		rows -= n
	}
	if rows > 0 {
		return fmt.Errorf("it lacks %s", count(rows, "cell"))
	}
	return nil
}

// take reads the cells of a page, of which there are rows at most, or the dictionary that it holds. It returns how many cells it has.
func (p *parquetPages) take(h *format.PageHeader, levels, values []byte, rows int) (n int, err error) {
	switch {
	case h.Type == format.DictionaryPage && h.DictionaryPageHeader.Valid:
		d := int(h.DictionaryPageHeader.V.NumValues)
		if p.column.kind == format.Boolean {
			return 0, errors.New("its dictionary holds booleans")
		}
		if d < 0 || d > len(values) {
			return 0, fmt.Errorf("its dictionary announces %d values in %d bytes", d, len(values))
		}
		p.dictionary = nil
		if err = p.hold(d); err == nil {
			p.dictionary, err = p.column.plain(values, d)
		}
	case h.Type == format.DataPage && h.DataPageHeader.Valid:
		n = int(h.DataPageHeader.V.NumValues)
		err = p.page(values, nil, n, rows, h.DataPageHeader.V.Encoding)
	case h.Type == format.DataPageV2 && h.DataPageHeaderV2.Valid:
		n = int(h.DataPageHeaderV2.V.NumValues)
		err = p.page(values, levels, n, rows, h.DataPageHeaderV2.V.Encoding)
	case h.Type != format.IndexPage:
		err = fmt.Errorf("a page of it is of the type %s", h.Type)
	}
	return n, err
}

// header reads the header of a page.
func (p *parquetPages) header(rest *bytes.Buffer) (*format.PageHeader, error) {
	h := new(format.PageHeader)
	size, err := decodeThrift(p.path, rest.Bytes(), p.memory, h)
	rest.Next(size)
	return h, err
}

// body reads the bytes of a page behind its header and unpacks them. Levels that stand before the packed bytes are returned apart; levels
// is nil where there are none.
func (p *parquetPages) body(h *format.PageHeader, rest *bytes.Buffer) (levels, values []byte, err error) {
	packed, unpacked := int(h.CompressedPageSize), int(h.UncompressedPageSize)
	if packed < 0 || unpacked < 0 || packed > rest.Len() {
		return nil, nil, fmt.Errorf("a page announces %d bytes, and %d unpacked", packed, unpacked)
	}
	*p.unpacked += int64(unpacked)
	if err := p.hold(0); err != nil {
		return nil, nil, err
	}
	raw := rest.Next(packed)
	if h.CRC != 0 && uint32(h.CRC) != crc32.ChecksumIEEE(raw) {
		return nil, nil, errors.New("a page does not have the checksum that it announces")
	}
	codec := p.codec
	if h.Type == format.DataPageV2 && h.DataPageHeaderV2.Valid {
		v := &h.DataPageHeaderV2.V
		defined, repeated := int(v.DefinitionLevelsByteLength), int(v.RepetitionLevelsByteLength)
		if apart := defined + repeated; defined < 0 || repeated < 0 || apart > packed || apart > unpacked {
			return nil, nil, fmt.Errorf("a page of it has levels of %d and %d bytes", repeated, defined)
		}
		if v.IsCompressed.Valid && !v.IsCompressed.V {
			codec = format.Uncompressed
		}
		levels, raw, unpacked = raw[repeated:repeated+defined], raw[repeated+defined:], unpacked-repeated-defined
	}
	values, err = p.unpack(codec, raw, unpacked)
	return levels, values, err
}

// heldBytes is the memory of a value of a page or a dictionary: a parquetCell, and two numbers from which it is read.
const heldBytes = 56

// hold refuses so many values of a page or a dictionary if they take more than they may. The dictionary so far and the bytes of all
// pages so far count too. Values are held no longer than their page, so they are not summed.
func (p *parquetPages) hold(values int) error {
	bound := min(limits.UnpackedBytes, p.memory)
	if *p.unpacked+heldBytes*int64(len(p.dictionary)+values) <= bound {
		return nil
	}
	return &Error{
		Code: CodeFile, File: p.path, Problem: "the pages unpack to more than " + limits.Size(bound),
		Mend: "draw fewer rows, and write those, or allow more memory by --max-memory",
	}
}

// window returns how many bytes a decoder may look back, which it holds in memory.
func (p *parquetPages) window() uint64 {
	const most = 128 << 20 // what zstd itself unpacks without being told to
	return uint64(max(zstd.MinWindowSize, min(most, p.memory)))
}

// unpack unpacks the bytes of a page to just so many.
func (p *parquetPages) unpack(codec format.CompressionCodec, raw []byte, size int) (data []byte, err error) {
	switch codec {
	case format.Uncompressed:
		data = raw
	case format.Snappy:
		if n, err := snappy.DecodedLen(raw); err != nil || n != size {
			return nil, fmt.Errorf("a page unpacks to other than the %d bytes that it announces", size)
		}
		return snappy.Decode(nil, raw)
	case format.Gzip:
		var r io.Reader
		if r, err = gzip.NewReader(bytes.NewReader(raw)); err == nil {
			data, err = readUpTo(r, size)
		}
	case format.Zstd:
		data, err = p.unpackZstd(raw, size)
	default:
		return nil, &Error{Code: CodeFormat, Problem: fmt.Sprintf("its pages are packed by %s, which is not read", codec), Mend: "write it with the compression snappy, gzip or zstd"}
	}
	if err == nil && len(data) != size {
		err = fmt.Errorf("a page unpacks to other than the %d bytes that it announces", size)
	}
	return data, err
}

// unpackZstd unpacks the bytes of a page that are packed by zstd, without looking back farther than memory allows.
func (p *parquetPages) unpackZstd(raw []byte, size int) ([]byte, error) {
	if size == 0 && len(raw) == 0 {
		return nil, nil
	}
	d, err := zstd.NewReader(bytes.NewReader(raw), zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true), zstd.WithDecoderMaxWindow(p.window()))
	if err != nil {
		return nil, err
	}
	defer d.Close()
	data, err := readUpTo(d, size)
	if errors.Is(err, zstd.ErrWindowSizeExceeded) {
		return nil, &Error{
			Code: CodeFile, Problem: fmt.Sprintf("its pages are packed by zstd with a window of more than the %s that are allowed", limits.Size(int64(p.window()))),
			Mend: "write it with a lower level of compression, or with snappy, or allow more memory by --max-memory",
		}
	}
	return data, err
}

// readUpTo reads so many bytes, and one more where there is one.
func readUpTo(r io.Reader, size int) ([]byte, error) {
	var content bytes.Buffer
	content.Grow(min(size, 1<<20) + bytes.MinRead)
	_, err := io.Copy(&content, io.LimitReader(r, int64(size)+1))
	return content.Bytes(), err
}

// page reads n cells, of which there are rows at most. Levels say which cells are gaps; nil means that they stand before the values.
func (p *parquetPages) page(values, levels []byte, n, rows int, encoding format.Encoding) error {
	if n < 0 || n > rows {
		return fmt.Errorf("a page of it announces %d values for %s", n, count(rows, "row"))
	}
	c := p.column
	var defined []uint32 // 0 of gaps; nil where there are none
	if c.optional {
		if levels == nil {
			var err error
			if levels, values, err = lengthBefore(values); err != nil {
				return err
			}
		}
		var err error
		if defined, err = hybrid(levels, 1, n); err != nil {
			return err
		}
	}
	held := n
	for _, level := range defined {
		if level == 0 {
			held--
		}
	}
	cells, err := p.decode(values, held, encoding)
	if err != nil {
		return err
	}
	for i, next := 0, 0; i < n; i++ {
		if len(defined) > 0 && defined[i] == 0 {
			err = c.add(p.path, parquetCell{}, true)
		} else {
			err = c.add(p.path, cells[next], false)
			next++
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// lengthBefore returns the bytes whose length stands before them, and the rest.
func lengthBefore(b []byte) (first, rest []byte, err error) {
	const length = 4
	if len(b) < length || int64(binary.LittleEndian.Uint32(b)) > int64(len(b)-length) {
		return nil, nil, errTooShort
	}
	n := int(binary.LittleEndian.Uint32(b))
	return b[length : length+n], b[length+n:], nil
}

// errTooShort is the error of a page that ends within its values.
var errTooShort = errors.New("a page ends within its values")

// decode returns n values.
func (p *parquetPages) decode(b []byte, n int, encoding format.Encoding) ([]parquetCell, error) {
	if err := p.hold(n); err != nil {
		return nil, err
	}
	c := p.column
	switch encoding {
	case format.Plain:
		return c.plain(b, n)
	case format.PlainDictionary, format.RLEDictionary: //nolint:staticcheck // older files have the first
		return p.looked(b, n)
	case format.RLE:
		if c.kind == format.Boolean {
			runs, _, err := lengthBefore(b)
			if err != nil {
				return nil, err
			}
			return wholeCells(hybrid(runs, 1, n))
		}
	case format.DeltaBinaryPacked:
		if c.wants(format.Int32, format.Int64) {
			return c.deltaNumbers(b, n)
		}
	case format.DeltaLengthByteArray, format.DeltaByteArray:
		if c.kind == format.ByteArray || c.kind == format.FixedLenByteArray && encoding == format.DeltaByteArray {
			return p.deltaTexts(b, n, encoding == format.DeltaByteArray)
		}
	case format.ByteStreamSplit:
		if size := c.bytes(); size > 0 {
			return c.streams(b, n, size)
		}
	}
	return nil, fmt.Errorf("its values of the type %s are in the encoding %s, which is not read", c.kind, encoding)
}

// wholeCells returns whole numbers as cells.
func wholeCells(values []uint32, err error) ([]parquetCell, error) {
	cells := make([]parquetCell, len(values))
	for i, v := range values {
		cells[i].whole = int64(v)
	}
	return cells, err
}

// looked returns n values that stand in the dictionary.
func (p *parquetPages) looked(b []byte, n int) ([]parquetCell, error) {
	if n == 0 {
		return nil, nil
	}
	const widest = 32
	if len(b) == 0 || b[0] > widest {
		return nil, errTooShort
	}
	at, err := hybrid(b[1:], int(b[0]), n)
	if err != nil {
		return nil, err
	}
	cells := make([]parquetCell, n)
	for i, k := range at {
		if int64(k) >= int64(len(p.dictionary)) {
			return nil, fmt.Errorf("it asks for value %d of a dictionary of %d", k, len(p.dictionary))
		}
		cells[i] = p.dictionary[k]
	}
	return cells, nil
}
