package dataset_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"
	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"

	"github.com/sipc-ml/sipc/internal/limits"
	"github.com/sipc-ml/sipc/runtime/dataset"
)

// withIndex returns a Parquet file of an index alone.
func withIndex(index string) string {
	return "PAR1\x00\x00\x00\x00" + index + string(binary.LittleEndian.AppendUint32(nil, uint32(len(index)))) + "PAR1"
}

// hostileIndexes have lists, texts and structs that are longer or deeper than the file, and what is said of them.
var hostileIndexes = map[string]struct{ index, want string }{
	"list":      {"\x15\x02\x19\xfc\xff\xff\xff\xff\x07\x09\x00", "it announces a list of 2147483647 in 2 bytes"},
	"shorter":   {"\x15\x02\x19\xfc\x80\x80\x80\x20\x08\x00", "it announces a list of 67108864 in 2 bytes"},
	"unknown":   {"\x15\x02\xf9\xf5\xff\xff\xff\xff\x07\x00", "it announces a list of 2147483647 in 1 byte"},
	"map":       {"\xfb\xff\xff\xff\xff\x07\x8c\x00\x00", "it announces a list of 2147483647 in 2 bytes"},
	"text":      {"\x15\x02\x19\x1c\x48\xff\xff\xff\xff\x07a\x00", "it ends within a value"},
	"cut off":   {"\x15\x80", "it ends within a value"},
	"no end":    {"\x15\x02", "it ends within a value"},
	"deep":      {strings.Repeat("\x1c", 1<<20), "it has values within values deeper than 64"},
	"type":      {"\x1e\x00", "it has a value of the unknown type 14"},
	"behind it": {"\x15\x02\x19\x0c\x16\x00\x19\x0c\x00\x00", "it ends after 9 of 10 bytes"},
	"wide":      {"\x15\x02\x19\xfc\x80\x80\x40" + strings.Repeat("\x00", 1<<20) + "\x00", "the 64 MiB of memory that may be taken; write fewer columns, or larger groups of rows, or allow more by --max-memory"},
}

// An index or a header of a page that announces more than it holds is refused before memory is taken for it.
func TestParquetAnnouncesTooMuch(t *testing.T) {
	ctx := limits.WithMemory(context.Background(), 64<<20)
	for name, c := range hostileIndexes {
		t.Run(name, func(t *testing.T) {
			path := write(t, "a.parquet", withIndex(c.index))
			_, err := dataset.Open(ctx, path)
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Error(err)
			}
			if _, err := dataset.Look(ctx, path); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Error(err)
			}
		})
	}
	content := onePage(t, format.Int32, 1, nil, format.PageHeader{Type: format.DataPage})
	for name, c := range hostileIndexes {
		if name == "behind it" { // there a page begins
			continue
		}
		meta := parquetMeta(format.Int32, 1, int64(len(c.index)))
		_, err := dataset.Open(ctx, write(t, "a.parquet", parquetOf(t, c.index, meta)))
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := dataset.Open(ctx, write(t, "a.parquet", content)); err == nil || !strings.Contains(err.Error(), "a page of it is of the type") {
		t.Error(err)
	}
}

// parquetMeta returns the index of a file of one column, whose pages take so many bytes.
func parquetMeta(kind format.Type, rows, size int64) format.FileMetaData {
	var meta format.FileMetaData
	meta.Version, meta.NumRows = 1, rows
	meta.Schema = make([]format.SchemaElement, 2)
	meta.Schema[0].Name, meta.Schema[0].NumChildren.V, meta.Schema[0].NumChildren.Valid = "r", 1, true
	meta.Schema[1].Name, meta.Schema[1].Type.V, meta.Schema[1].Type.Valid = "a", kind, true
	meta.Schema[1].TypeLength.V, meta.Schema[1].TypeLength.Valid = 1, true
	column := format.ColumnChunk{}
	column.MetaData.Type, column.MetaData.Codec, column.MetaData.NumValues = kind, format.Zstd, rows
	column.MetaData.DataPageOffset, column.MetaData.TotalCompressedSize = 4, size
	meta.RowGroups = []format.RowGroup{{Columns: []format.ColumnChunk{column}, NumRows: rows}}
	return meta
}

// parquetOf returns a file of pages and an index.
func parquetOf(tb testing.TB, pages string, meta format.FileMetaData) string {
	tb.Helper()
	index, err := thrift.Marshal(new(thrift.CompactProtocol), meta)
	if err != nil {
		tb.Fatal(err)
	}
	return "PAR1" + pages + string(index) + string(binary.LittleEndian.AppendUint32(nil, uint32(len(index)))) + "PAR1"
}

// onePage returns a file of one column with a page, which is packed by zstd.
func onePage(tb testing.TB, kind format.Type, rows int64, values []byte, h format.PageHeader) string {
	tb.Helper()
	w, err := zstd.NewWriter(nil)
	if err != nil {
		tb.Fatal(err)
	}
	return packedPage(tb, kind, rows, len(values), w.EncodeAll(values, nil), h)
}

// packedPage returns such a file of packed bytes, which unpack to so many.
func packedPage(tb testing.TB, kind format.Type, rows int64, size int, packed []byte, h format.PageHeader) string {
	tb.Helper()
	h.UncompressedPageSize, h.CompressedPageSize = int32(size), int32(len(packed))
	head, err := thrift.Marshal(new(thrift.CompactProtocol), h)
	if err != nil {
		tb.Fatal(err)
	}
	pages := string(head) + string(packed)
	return parquetOf(tb, pages, parquetMeta(kind, rows, int64(len(pages))))
}

// valuesOf returns a file with a page of such bytes, which is to hold so many values.
func valuesOf(tb testing.TB, kind format.Type, values int, content []byte) string {
	tb.Helper()
	h := format.PageHeader{Type: format.DataPage}
	h.DataPageHeader.V.NumValues, h.DataPageHeader.V.Encoding, h.DataPageHeader.Valid = int32(values), format.Plain, true
	return onePage(tb, kind, int64(min(values, 1)), content, h)
}

// dictionaryOf returns a file with a dictionary of so many values of a byte.
func dictionaryOf(tb testing.TB, values int) string {
	tb.Helper()
	h := format.PageHeader{Type: format.DictionaryPage}
	h.DictionaryPageHeader.V.NumValues, h.DictionaryPageHeader.Valid = int32(values), true
	return onePage(tb, format.FixedLenByteArray, 1, make([]byte, values), h)
}

// runOf returns a file with a page of so many booleans in one run.
func runOf(tb testing.TB, rows int) string {
	tb.Helper()
	run := append(binary.AppendUvarint(nil, uint64(rows)<<1), 1)
	h := format.PageHeader{Type: format.DataPage}
	h.DataPageHeader.V.NumValues, h.DataPageHeader.V.Encoding, h.DataPageHeader.Valid = int32(rows), format.RLE, true
	return onePage(tb, format.Boolean, int64(rows), append(binary.LittleEndian.AppendUint32(nil, uint32(len(run))), run...), h)
}

// booleanDictionary returns the file of a dictionary of 134 million booleans.
func booleanDictionary(tb testing.TB) string {
	tb.Helper()
	content, err := os.ReadFile(filepath.Join("testdata", "parquet", "boolean_dictionary.parquet"))
	if err != nil {
		tb.Fatal(err)
	}
	return string(content)
}

// What the values of a page and of a dictionary take in memory is bounded, not only their bytes.
func TestParquetValuesAreBoundedByMemory(t *testing.T) {
	ctx := limits.WithMemory(context.Background(), 64<<20)
	for name, c := range map[string]struct{ content, want string }{
		"booleans":   {booleanDictionary(t), "its dictionary holds booleans"},
		"dictionary": {dictionaryOf(t, 2<<20), "the pages unpack to more than 64 MiB"},
		"page":       {runOf(t, 2<<20), "the pages unpack to more than 64 MiB"},
		"small":      {dictionaryOf(t, 1<<20), `column "a": it lacks 1 cell`},
	} {
		_, err := dataset.Open(ctx, write(t, "a.parquet", c.content))
		if known := new(dataset.Error); !errors.As(err, &known) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if table, err := dataset.Open(ctx, write(t, "a.parquet", runOf(t, 1<<20))); err != nil || table.Len() != 1<<20 {
		t.Error(err)
	}
}

// How far a page looks back is bounded by memory, whatever it announces.
func TestParquetWindowsAreBoundedByMemory(t *testing.T) {
	const window = 64 << 20
	values := binary.LittleEndian.AppendUint32(nil, 7)
	var packed bytes.Buffer
	w, err := zstd.NewWriter(&packed, zstd.WithWindowSize(window), zstd.WithSingleSegment(false))
	if err != nil {
		t.Fatal(err)
	}
	for _, b := range values { // in pieces, as a small whole gets a small window
		if _, err := w.Write([]byte{b}); err != nil {
			t.Fatal(err)
		}
		if err := w.Flush(); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	h := format.PageHeader{Type: format.DataPage}
	h.DataPageHeader.V.NumValues, h.DataPageHeader.V.Encoding, h.DataPageHeader.Valid = 1, format.Plain, true
	path := write(t, "a.parquet", packedPage(t, format.Int32, 1, len(values), packed.Bytes(), h))
	if got := column(t, mustOpen(t, path), "a").Numbers; got[0] != 7 {
		t.Error(got)
	}
	_, err = dataset.Open(limits.WithMemory(context.Background(), window-1), path)
	want := path + ": its pages are packed by zstd with a window of more than the 64 MiB that are allowed; write it with a lower level of compression, or with snappy, or allow more memory by --max-memory"
	if known := new(dataset.Error); !errors.As(err, &known) || err.Error() != want {
		t.Errorf("%v\nwant %s", err, want)
	}
}
