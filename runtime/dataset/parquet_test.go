package dataset_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/compress"
	"github.com/parquet-go/parquet-go/deprecated"

	"github.com/sipc-ml/sipc/internal/limits"
	"github.com/sipc-ml/sipc/runtime/dataset"
	"github.com/sipc-ml/sipc/runtime/setting"
)

// parquetRow has a column of each type that is read.
type parquetRow struct {
	Flag    bool       `parquet:"flag"`
	Maybe   *bool      `parquet:"maybe,optional"`
	Small   int8       `parquet:"small"`
	Signed  int32      `parquet:"signed"`
	Large   int64      `parquet:"large"`
	Natural uint32     `parquet:"natural"`
	Wide    uint64     `parquet:"wide"`
	Single  float32    `parquet:"single"`
	Double  *float64   `parquet:"double,optional"`
	Cents   int32      `parquet:"cents,decimal(2:9)"`
	Mills   int64      `parquet:"mills,decimal(3:18)"`
	Region  string     `parquet:"region,dict"`
	Kind    *string    `parquet:"kind,optional"`
	Colour  string     `parquet:"colour,enum"`
	Day     int32      `parquet:"day,date"`
	Milli   time.Time  `parquet:"milli,timestamp(millisecond)"`
	Nano    *time.Time `parquet:"nano,optional,timestamp(nanosecond)"`
	Hour    int32      `parquet:"hour,time(millisecond)"`
	Key     [16]byte   `parquet:"key,uuid"`

	Old deprecated.Int96 `parquet:"old"`

	Steps int64    `parquet:"steps,delta"`
	Jumps int32    `parquet:"jumps,delta"`
	Word  string   `parquet:"word,delta"`
	Split float64  `parquet:"split,split"`
	Twice *float32 `parquet:"twice,optional,split"`
}

// parquetRows returns rows in which every other cell that may be a gap is one.
func parquetRows(n int) []parquetRow {
	rows := make([]parquetRow, n)
	for i := range rows {
		at := time.Date(2020, 2, 29, 0, 0, 0, 0, time.UTC).Add(time.Duration(i) * 36 * time.Hour)
		rows[i] = parquetRow{
			Flag: i%2 == 0, Small: int8(-i), Signed: int32(-i), Large: int64(i) << 40, Natural: math.MaxUint32 - uint32(i), Wide: 1 << 63, Single: 0.1,
			Cents: int32(-1999 - i), Mills: 1500, Region: []string{"north", "south"}[i%2], Colour: "red", Day: int32(18321 + i), Milli: at, Hour: 90_000, Key: [16]byte{0xab},
			Old: deprecated.Int96{0, 0, 2440588 + 1}, Steps: int64(i*i) - 1<<50, Jumps: math.MaxInt32 - int32(i)*7, Word: strings.Repeat("ab", i%5) + "c", Split: float64(i) / 8,
		}
		if i%2 == 0 {
			yes, half, kind, moment := true, float64(i)/2, "a \"kind\"", at.Add(time.Nanosecond)
			single := float32(0.3)
			rows[i].Maybe, rows[i].Double, rows[i].Kind, rows[i].Nano, rows[i].Twice = &yes, &half, &kind, &moment, &single
		}
	}
	return rows
}

func parquetFile(tb testing.TB, rows []parquetRow, options ...parquet.WriterOption) string {
	tb.Helper()
	var b bytes.Buffer
	w := parquet.NewGenericWriter[parquetRow](&b, options...)
	if _, err := w.Write(rows); err != nil {
		tb.Fatal(err)
	}
	if err := w.Close(); err != nil {
		tb.Fatal(err)
	}
	return b.String()
}

// Columns of all types are read, however their pages are packed and laid out.
func TestParquet(t *testing.T) {
	const rows = 4000
	want := map[string]any{
		"flag": []string{"true", "false"}, "maybe": []string{"true", ""}, "small": []float64{0, -1}, "signed": []float64{0, -1}, "large": []float64{0, 1 << 40},
		"natural": []float64{math.MaxUint32, math.MaxUint32 - 1}, "wide": []float64{1 << 63, 1 << 63}, "single": []float64{0.1, 0.1}, "double": []float64{0, math.NaN()},
		"cents": []float64{-19.99, -20}, "mills": []float64{1.5, 1.5}, "region": []string{"north", "south"}, "kind": []string{"a \"kind\"", ""}, "colour": []string{"red", "red"},
		"day": []string{"2020-02-29", "2020-03-01"}, "milli": []string{"2020-02-29", "2020-03-01T12:00:00"}, "nano": []string{"2020-02-29T00:00:00.000000001", ""},
		"hour": []float64{90, 90}, "key": []string{"ab000000-0000-0000-0000-000000000000", "ab000000-0000-0000-0000-000000000000"}, "old": []string{"1970-01-02", "1970-01-02"},
		"steps": []float64{-1 << 50, 1 - 1<<50}, "jumps": []float64{math.MaxInt32, math.MaxInt32 - 7}, "word": []string{"c", "abc"}, "split": []float64{0, 0.125},
		"twice": []float64{0.3, math.NaN()},
	}
	for name, codec := range map[string]compress.Codec{"plain": &parquet.Uncompressed, "snappy": &parquet.Snappy, "gzip": &parquet.Gzip, "zstd": &parquet.Zstd} {
		for _, version := range []int{1, 2} {
			t.Run(fmt.Sprint(name, version), func(t *testing.T) {
				content := parquetFile(t, parquetRows(rows), parquet.Compression(codec), parquet.DataPageVersion(version), parquet.PageBufferSize(1<<12), parquet.MaxRowsPerRowGroup(1500))
				table := mustOpen(t, write(t, "a.parquet", content))
				if table.Len() != rows || len(table.ColumnNames()) != len(want) {
					t.Fatalf("%d rows of %q", table.Len(), table.ColumnNames())
				}
				for name, cells := range want {
					raw, _ := table.Column(name, []int{0, 1})
					var got any = raw.Texts
					if raw.Numbers != nil {
						got = raw.Numbers
					}
					if diff := cmp.Diff(cells, got, cmpopts.EquateNaNs()); diff != "" {
						t.Errorf("%s: %s", name, diff)
					}
				}
				signed, steps, split := column(t, table, "signed").Numbers, column(t, table, "steps").Numbers, column(t, table, "split").Numbers
				for i, word := range column(t, table, "word").Texts {
					if signed[i] != float64(-i) || steps[i] != float64(i*i-1<<50) || split[i] != float64(i)/8 || word != strings.Repeat("ab", i%5)+"c" {
						t.Fatalf("row %d has %v, %v, %v and %q", i, signed[i], steps[i], split[i], word)
					}
				}
				glance, err := dataset.Look(context.Background(), table.Path)
				if diff := cmp.Diff(table.ColumnNames(), glance.Columns); err != nil || diff != "" {
					t.Errorf("%v %s", err, diff)
				}
			})
		}
	}
}

// The index of a pandas frame names rows and is no feature, whatever it holds; of several levels none names them.
func TestIndexOfFrames(t *testing.T) {
	type row struct {
		Area  float64 `parquet:"area"`
		Price float64 `parquet:"price"`
		First string  `parquet:"__index_level_0__"`
	}
	type deeper struct {
		Area   float64 `parquet:"area"`
		Price  float64 `parquet:"price"`
		First  int64   `parquet:"__index_level_0__"`
		Second int64   `parquet:"__index_level_1__"`
	}
	var rows []row
	var deep []deeper
	for i := range 12 {
		rows = append(rows, row{float64(i), float64(i * i), fmt.Sprint("house ", i)})
		deep = append(deep, deeper{float64(i), float64(i * i), int64(i % 2), int64(i)})
	}
	one, several := write(t, "a.parquet", written(t, rows)), write(t, "b.parquet", written(t, deep))
	for path, want := range map[string]struct{ id, warning string }{
		one:     {"house ", one + ": __index_level_0__, the index of a pandas frame, is set aside: it names rows, and is no feature"},
		several: {"", several + ": __index_level_0__, __index_level_1__, the index of a pandas frame, is set aside: it names rows, and is no feature"},
	} {
		table := mustOpen(t, path)
		p := mustPrepare(t, &setting.Data{Target: target(setting.Real, "price")}, table, nil)
		if diff := cmp.Diff([]string{"area"}, p.Train.Columns); diff != "" {
			t.Error(diff)
		}
		for r, i := range p.Train.Rows {
			if id := cmp.Diff(p.Train.ID(r), want.id+strconv.Itoa(i)); want.id != "" && id != "" {
				t.Error(id)
			}
		}
		if diff := cmp.Diff([]string{want.warning}, p.Warnings); diff != "" {
			t.Error(diff)
		}
		profile, err := dataset.ProfileOf(context.Background(), table)
		if err != nil || len(profile.Findings) == 0 || profile.Findings[0].Kind != dataset.FindingRead || profile.Findings[0].Text != want.warning {
			t.Errorf("%v %+v", err, profile.Findings)
		}
	}
}

// written returns rows as a Parquet file.
func written[R any](tb testing.TB, rows []R) string {
	tb.Helper()
	var b bytes.Buffer
	w := parquet.NewGenericWriter[R](&b)
	if _, err := w.Write(rows); err != nil {
		tb.Fatal(err)
	}
	if err := w.Close(); err != nil {
		tb.Fatal(err)
	}
	return b.String()
}

// Files of another program are read: those of apache/parquet-testing, written by Impala and parquet-mr.
func TestParquetOfOthers(t *testing.T) {
	table := mustOpen(t, filepath.Join("testdata", "parquet", "alltypes_plain.snappy.parquet"))
	for name, want := range map[string]any{
		"bool_col": []string{"true", "false"}, "float_col": []float64{0, 1.1}, "double_col": []float64{0, 10.1}, "string_col": []string{"0", "1"},
		"timestamp_col": []string{"2009-04-01", "2009-04-01T00:01:00"}, "id": []string{"6", "7"},
	} {
		raw := column(t, table, name)
		var got any = raw.Texts
		if raw.Numbers != nil {
			got = raw.Numbers
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
	if got := column(t, mustOpen(t, filepath.Join("testdata", "parquet", "byte_array_decimal.parquet")), "value").Numbers; len(got) != 24 || got[23] != 24 {
		t.Error(got)
	}
	if got := dataset.CountsOf(mustOpen(t, filepath.Join("testdata", "parquet", "rle_boolean_encoding.parquet")), "datatype_boolean"); len(got) != 2 || got[0].Rows+got[1].Rows > 68 {
		t.Error(got)
	}
	for file, want := range map[string]string{
		"nested_lists.snappy.parquet": `column "a": the column holds columns of its own (a list, map or struct), which is not read`,
		"lz4_raw_compressed.parquet":  "its pages are packed by LZ4_RAW, which is not read; write it with the compression snappy, gzip or zstd",
	} {
		path := filepath.Join("testdata", "parquet", file)
		if _, err := dataset.Open(context.Background(), path); err == nil || !strings.HasPrefix(err.Error(), path+": "+want) {
			t.Errorf("%s: %v", file, err)
		}
	}
}

// A file that is cut off or changed anywhere is read, or is one error of the data.
func TestDamagedParquet(t *testing.T) {
	dir := t.TempDir()
	content := []byte(parquetFile(t, parquetRows(40), parquet.Compression(&parquet.Snappy)))
	path := filepath.Join(dir, "a.parquet")
	try := func(what string, content []byte) {
		if err := os.WriteFile(path, content, 0o600); err != nil {
			t.Fatal(err)
		}
		_, err := dataset.Open(context.Background(), path)
		if known := new(dataset.Error); err != nil && !errors.As(err, &known) {
			t.Errorf("%s: %v", what, err)
		}
		_, _ = dataset.Look(context.Background(), path)
	}
	for at := 0; at < len(content); at += 7 {
		for _, b := range []byte{0, 0xff, content[at] ^ 0x40, content[at] + 1} {
			changed := bytes.Clone(content)
			changed[at] = b
			try(fmt.Sprintf("byte %d is %d", at, b), changed)
		}
	}
	for at := 4; at < len(content); at += 31 {
		try(fmt.Sprint("cut off at ", at), content[:at])
	}
}

// A Parquet file is bounded by memory before it is unpacked.
func TestParquetIsBoundedByMemory(t *testing.T) {
	type row struct {
		Text string `parquet:"text"`
	}
	var b bytes.Buffer
	w := parquet.NewGenericWriter[row](&b, parquet.Compression(&parquet.Gzip), parquet.PageBufferSize(1<<24))
	for range 40 {
		if _, err := w.Write([]row{{strings.Repeat("a", 1<<19)}}); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	path := write(t, "a.parquet", b.String())
	if _, err := dataset.Open(limits.WithMemory(context.Background(), 1<<20), path); err == nil || !strings.Contains(err.Error(), "--max-memory") && !strings.Contains(err.Error(), "unpacked") {
		t.Error(err)
	}
	if table := mustOpen(t, path); table.Len() != 40 {
		t.Error(table.Len())
	}
}

func FuzzParquet(f *testing.F) {
	f.Add([]byte(parquetFile(f, parquetRows(5), parquet.Compression(&parquet.Snappy))))
	f.Add([]byte(parquetFile(f, parquetRows(3), parquet.Compression(&parquet.Zstd), parquet.DataPageVersion(2))))
	for _, file := range []string{"alltypes_plain.snappy.parquet", "byte_array_decimal.parquet", "nested_lists.snappy.parquet"} {
		content, err := os.ReadFile(filepath.Join("testdata", "parquet", file))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(content)
	}
	for _, c := range hostileIndexes {
		f.Add([]byte(withIndex(c.index[:min(len(c.index), 1<<10)])))
	}
	f.Add([]byte(booleanDictionary(f)))
	f.Add([]byte(dictionaryOf(f, 2<<20)))
	f.Add([]byte(runOf(f, 2<<20)))
	fuzzFile(f, "a.parquet")
}

// fuzzFile opens files of any content under a name. Each is a table, or one error of the data.
func fuzzFile(f *testing.F, name string) {
	f.Helper()
	dir := f.TempDir()
	ctx := limits.WithMemory(context.Background(), 64<<20)
	f.Fuzz(func(t *testing.T, content []byte) {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, content, 0o600); err != nil {
			t.Fatal(err)
		}
		table, err := dataset.Open(ctx, path)
		if known := new(dataset.Error); err != nil && !errors.As(err, &known) {
			t.Fatal(err)
		}
		if err == nil {
			for _, name := range table.ColumnNames() {
				raw, ok := table.Column(name, []int{0, table.Len() - 1})
				if !ok || len(raw.Numbers)+len(raw.Texts) != 2 {
					t.Fatalf("column %q: %v", name, raw)
				}
			}
		}
	})
}
