package dataset

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/parquet-go/parquet-go/format"

	"github.com/sipc-ml/sipc/internal/limits"
)

// parquetMagic begins and ends a Parquet file.
const parquetMagic = "PAR1"

// A parquetFile is a Parquet file being read into columns, of which each has a run of pages in each group of rows. Such a run is in memory at a time. A packed
// file is whole, and what a pipe holds, as the index stands at the end.
//
// A library reads the index and the headers of pages. Its reader of pages is not used. It panics on damaged files, takes any memory
// that one asks for, and reads pages packed by lz4 as zeros. It would make this program a fifth larger, too.
type parquetFile struct {
	src     *source
	content io.ReaderAt
	size    int64
	meta    format.FileMetaData
	columns []*parquetColumn
}

// readParquet reads the columns of a Parquet file.
func readParquet(ctx context.Context, src *source) (*Table, error) {
	p := &parquetFile{src: src}
	var err error
	if p.content, p.size, err = src.anywhere(); err != nil {
		return nil, err
	}
	if p.meta, err = parquetIndex(src, p.content, p.size); err != nil {
		return nil, err
	}
	if p.columns, err = parquetColumns(src.path, &p.meta); err != nil {
		return nil, err
	}
	if err := p.check(); err != nil {
		return nil, err
	}
	names := make([]string, len(p.columns))
	for j, c := range p.columns {
		names[j] = c.name
	}
	t := &Table{rows: int(p.meta.NumRows)}
	t.names, t.warnings = ownNames(src.path, names)
	if index := slices.DeleteFunc(slices.Clone(t.names), func(name string) bool { return !isPandasIndex(name) }); len(index) > 0 {
		t.warnings = append(t.warnings, fmt.Sprintf("%s: %s, the index of a pandas frame, is set aside: it names rows, and is no feature", src.path, strings.Join(index, ", ")))
	}
	cols, unpacked := make(columns, len(p.columns)), int64(0)
	for j, c := range p.columns {
		c.into = newColumn(t.names[j])
		c.into.room = p.src.room
		before := unpacked
		if err := p.read(ctx, j, &unpacked); err != nil {
			return nil, err
		}
		cols[j] = c.into
		if cols[j:j+1].inMemory() == 0 {
			unpacked = before
		}
		if t.rows < limits.PagedRows {
			continue // all columns were bounded at once
		}
		if err := src.checkTable(t.rows, j+1, cellBytes*float64(t.rows)*float64(cols[:j+1].inMemory())); err != nil {
			return nil, err
		}
	}
	t.cells = cols
	return t, nil
}

// anywhere returns what reads a file at any place, and its size. What is packed, and a pipe, is read into memory, unless it is larger than the table may be.
func (s *source) anywhere() (io.ReaderAt, int64, error) {
	if info, err := s.file.Stat(); err == nil && info.Mode().IsRegular() && !s.packed {
		return s.file, info.Size(), nil
	}
	var content bytes.Buffer
	n, err := io.Copy(&content, io.LimitReader(s.plain, s.memory+1))
	if err == nil && n > s.memory {
		err = s.tooLarge("the file is", "write fewer rows or columns to a file of their own")
	}
	return bytes.NewReader(content.Bytes()), n, err
}

// tooLarge returns the error of something that memory must hold at once.
func (s *source) tooLarge(what, mend string) error {
	return &Error{
		Code: CodeFile, File: s.path, Problem: fmt.Sprintf("%s larger than the %s of memory that may be taken", what, limits.Size(s.memory)),
		Mend: mend + ", or allow more by --max-memory",
	}
}

// damagedParquet returns the error of a file that is not what its format asks for.
func damagedParquet(path, problem string) error {
	return &Error{Code: CodeFormat, File: path, Problem: "the Parquet file is damaged: " + strings.Join(strings.Fields(cutShort(problem)), " "), Mend: "fetch or write it again"}
}

// parquetIndex reads the index at the end of a file.
func parquetIndex(src *source, r io.ReaderAt, size int64) (meta format.FileMetaData, err error) {
	end := make([]byte, 2*len(parquetMagic))
	if _, err := r.ReadAt(end, size-int64(len(end))); err != nil || string(end[len(parquetMagic):]) != parquetMagic || size < 3*int64(len(parquetMagic)) {
		return meta, &Error{Code: CodeFormat, File: src.path, Problem: "the Parquet file does not end as it begins", Mend: "it is cut off; fetch or write it again"}
	}
	n := int64(binary.LittleEndian.Uint32(end))
	if n > min(size-3*int64(len(parquetMagic)), limits.ParquetIndexBytes) {
		return meta, damagedParquet(src.path, fmt.Sprintf("its index is to have %d bytes", n))
	}
	index := make([]byte, n)
	if _, err := r.ReadAt(index, size-int64(len(end))-n); err != nil {
		return meta, err
	}
	used, err := decodeThrift(src.path, index, src.memory, &meta)
	if known, ok := errors.AsType[*Error](err); ok {
		return meta, known
	}
	if err == nil && int64(used) < n {
		err = fmt.Errorf("it ends after %d of %d bytes", used, n)
	}
	if err != nil {
		return meta, damagedParquet(src.path, "its index: "+err.Error())
	}
	return meta, nil
}

// parquetColumns returns the columns of a file. Its schema lists the root and then, level by level, all below it.
func parquetColumns(path string, meta *format.FileMetaData) (columns []*parquetColumn, err error) {
	if len(meta.Schema) == 0 {
		return nil, damagedParquet(path, "its schema is empty")
	}
	for i := range meta.Schema[1:] {
		c, err := newParquetColumn(path, &meta.Schema[1+i])
		if err != nil {
			return nil, err
		}
		columns = append(columns, c)
	}
	return columns, nil
}

// check refuses files without columns or rows, and those that are larger than a table may be.
func (p *parquetFile) check() error {
	rows := p.meta.NumRows
	switch {
	case len(p.columns) == 0:
		return &Error{Code: CodeEmpty, File: p.src.path, Problem: "the file has no columns", Mend: "write a table with columns"}
	case rows == 0:
		return &Error{Code: CodeEmpty, File: p.src.path, Problem: "the file holds columns and no rows", Mend: "add rows"}
	case rows < 0:
		return damagedParquet(p.src.path, fmt.Sprintf("it has %d rows", rows))
	case rows > limits.Lines:
		return &Error{Code: CodeFormat, File: p.src.path, Problem: fmt.Sprintf("the file has more than the %.0e rows that are read", float64(limits.Lines)), Mend: "draw fewer rows, and write those to a file"}
	}
	if rows < limits.PagedRows { // else columns are bounded as they come
		if err := p.src.checkTable(int(rows), len(p.columns), cellBytes*float64(rows)*float64(len(p.columns))); err != nil {
			return err
		}
	}
	var sum int64
	for g := range p.meta.RowGroups {
		group := &p.meta.RowGroups[g]
		if len(group.Columns) != len(p.columns) || group.NumRows < 0 || group.NumRows > rows {
			return damagedParquet(p.src.path, fmt.Sprintf("a group of it has %d rows of %s", group.NumRows, count(len(group.Columns), "column")))
		}
		sum += group.NumRows
	}
	if sum != rows {
		return damagedParquet(p.src.path, fmt.Sprintf("its groups have %d of %d rows", sum, rows))
	}
	return nil
}

// read reads all cells of column j. The bytes to which all pages unpack are summed.
func (p *parquetFile) read(ctx context.Context, j int, unpacked *int64) error {
	for g := range p.meta.RowGroups {
		group := &p.meta.RowGroups[g]
		m := &group.Columns[j].MetaData
		begin := m.DataPageOffset
		if at := m.DictionaryPageOffset; at > 0 {
			begin = min(begin, at)
		}
		if begin < 0 || m.TotalCompressedSize < 0 || begin > p.size || m.TotalCompressedSize > p.size-begin {
			return damagedParquet(p.src.path, fmt.Sprintf("the pages of column %q lie outside of it", p.columns[j].name))
		}
		if m.TotalCompressedSize > p.src.memory {
			return p.src.tooLarge(fmt.Sprintf("a group of rows has pages of column %q that are", p.columns[j].name), "write smaller groups of rows")
		}
		pages := make([]byte, m.TotalCompressedSize)
		if _, err := p.content.ReadAt(pages, begin); errors.Is(err, io.EOF) {
			return damagedParquet(p.src.path, "it has become shorter while it was read")
		} else if err != nil {
			return p.src.explain(err)
		}
		r := &parquetPages{column: p.columns[j], path: p.src.path, codec: m.Codec, memory: p.src.memory, unpacked: unpacked}
		err := r.read(ctx, bytes.NewBuffer(pages), int(group.NumRows))
		if known, ok := errors.AsType[*Error](err); ok {
			known.File = p.src.path
			return known
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil {
			return damagedParquet(p.src.path, fmt.Sprintf("column %q: %v", p.columns[j].name, err))
		}
	}
	return nil
}

// lookAtParquet reads the names of columns from the end of a file. Of a packed file or a pipe it reads nothing.
func lookAtParquet(src *source) (Glance, error) {
	info, err := src.file.Stat()
	if err != nil {
		return Glance{}, CannotOpen(src.path, err)
	}
	if src.packed || !info.Mode().IsRegular() {
		return Glance{}, nil
	}
	meta, err := parquetIndex(src, src.file, info.Size())
	if err != nil {
		return Glance{}, err
	}
	columns, err := parquetColumns(src.path, &meta)
	if err != nil {
		return Glance{}, err
	}
	names := make([]string, len(columns))
	for j, c := range columns {
		names[j] = c.name
	}
	names, _ = ownNames(src.path, names)
	return Glance{Columns: names}, nil
}
