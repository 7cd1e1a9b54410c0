package dataset_test

import (
	"context"
	"encoding/binary"
	"errors"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/parquet-go/parquet-go/format"

	"github.com/sipc-ml/sipc/runtime/dataset"
)

// A malformed is a file that cannot be read, and the one error that it gets: its code, and all that stands behind the file's name.
type malformed struct{ name, file, content, want string }

var malformedText = []malformed{
	{"empty", "a.csv", "", "E503: the file is empty; give it a header line and rows"},
	{"blank", "a.csv", "\n \n", "E503: the file is empty; give it a header line and rows"},
	{"header only", "a.csv", "a,b\n", "E503: the file holds a header and no rows; add rows below the header"},
	{"no header", "a.csv", "1,2\n3,4\n", "E504:1: the first line holds numbers, not names of columns; put a header line with the names above it"},
	{"nameless column", "a.csv", "a,,b\n1,2,3\n", "E504:1: column 2 has no name; name it in the header (`id` for row numbers), or leave it out"},
	{"ragged short", "a.csv", "a,b\n1,2\n3\n", "E505:3: 1 field, but the header names 2 columns; put a field that holds the separator in double quotes, and leave none out"},
	{"ragged long", "a.csv", "a,b\n1,2\n\n3,4,5\n", "E505:4: 3 fields, but the header names 2 columns; put a field that holds the separator in double quotes, and leave none out"},
	{"bare quote", "a.csv", "a,b\n1,2\n3,6\" nails\n", `E505:3: a double quote inside an unquoted field, at byte 4; put the whole field in double quotes and double those within: "6"" nails"`},
	{"open quote", "a.csv", "a,b\n1,2\n3,\"x\n4,5\n", `E505:3: a quoted field that begins here does not end properly (line 4); close it with a double quote followed by the separator, and double those within: "6"" nails"`},
	{"latin 1", "a.csv", "a,b\n1,2\n3,M\xfcnchen\n", `E502:3: column "b": "M\xfcnchen" is not UTF-8 text; save the file as UTF-8`},
	{"a value without a name", "a.csv", "a,b,,\n1,2,,\n3,4,,x\n", `E504:3: column 4 has no name, and holds "x" here; name it in the header, or leave it out`},
	{"fewer fields than unnamed columns", "a.csv", "a,b,,\n1,2,\n", "E505:2: 3 fields, but the header names 2 columns; put a field that holds the separator in double quotes, and leave none out"},
	{"tabs, ragged", "a.tsv", "a\tb\n1\t2\n3\n", "E505:3: 1 field, but the header names 2 columns; put a field that holds the separator in double quotes, and leave none out"},
	{"tabs, more fields", "a.tsv", "a\tb\n1\t2\t3\n", "E505:2: 3 fields, but the header names 2 columns; put a field that holds the separator in double quotes, and leave none out"},
	{"semicolons, ragged", "a.csv", "a;b\n1;2\n\"x;y\";3;4\n", "E505:3: 3 fields, but the header names 2 columns; put a field that holds the separator in double quotes, and leave none out"},
	{"a quoted newline that does not end", "a.csv", "a,b\r\n1,\"x\r\ny\r\n2,z\r\n", `E505:2: a quoted field that begins here does not end properly (line 4); close it with a double quote followed by the separator, and double those within: "6"" nails"`},
	{"a zero", "a.csv", "a,b\n1,x\n2,y" + strings.Repeat(" ", 70000) + "\x00\n", `E502:3: column "b": the cell has a zero byte, which no text has; take it out`},
	{"an empty header", "a.csv", ",\n1,2\n", "E504:1: column 2 has no name; name it in the header (`id` for row numbers), or leave it out"},
	{"a name of other letters", "a.csv", "a,\xe4rea\n1,2\n", `E502:1: the name "\xe4rea" of column 2 is not UTF-8 text; save the file as UTF-8`},
	{"comments alone", "a.csv", "# a table\n", "E503: the file holds a header and no rows; add rows below the header"},
	{"utf 16 of an odd length", "a.csv", "\xff\xfea\x00,\x00b\x00\n\x001\x00,\x002\x00\n", "E502:2: the file begins as UTF-16 text, and this is none; it may be cut off; fetch it again, or save it as UTF-8"},
	{"utf 16, half a pair", "a.csv", "\xfe\xff\x00a\x00,\x00b\x00\n\x001\x00,\xd8\x00\x00\n", "E502:2: the file begins as UTF-16 text, and this is none; it may be cut off; fetch it again, or save it as UTF-8"},
	{"utf 16, ragged", "a.csv", "\xff\xfea\x00;\x00b\x00\n\x001\x00\n\x00", "E505:2: 1 field, but the header names 2 columns; put a field that holds the separator in double quotes, and leave none out"},
	{"utf 16, empty", "a.csv", "\xff\xfe", "E503: the file is empty; give it a header line and rows"},
	{"utf 16 without its mark", "a.csv", "a\x00,\x00b\x00\n\x001\x00,\x002\x00", "E502: this is UTF-16 text without a byte-order mark; save it as UTF-8, or with the mark"},
}

var malformedForeign = []malformed{
	{"binary", "a.csv", "\x01\x02\x03\x00garbage", "E502: this is binary data, not a table of text; CSV, TSV, Parquet, LIBSVM, ARFF, IDX and NPY files are read, gzipped or not"},
	{"zip", "a.csv", "PK\x03\x04xxxx", "E502: this is a zip archive or a spreadsheet, which is not read; unpack it, or save the sheet as CSV"},
	{"json", "a.json", `[{"a": 1, "b": 2}, {"a": 3, "b": 4}]`, "E502: this is JSON, which is not read; write the table as CSV or Parquet"},
	{"json lines", "a.csv", "{\"a\": 1}\n{\"a\": 2}\n", "E502: this is JSON, which is not read; write the table as CSV or Parquet"},
	{"a page", "a.csv", "<!DOCTYPE html>\n<html><body>404</body></html>\n", "E502: this is a page of the web, which is not read; fetch the file that it links to"},
	{"an old spreadsheet", "a.xls", "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + strings.Repeat("\x00", 600), "E502: this is an old spreadsheet, which is not read; save the sheet as CSV"},
	{"a pickle", "a.pkl", "\x80\x04\x95\x1c\x00\x00\x00\x00\x00\x00\x00}\x94.", "E502: this is a Python pickle, which is not read; write the table by to_csv or to_parquet"},
	{"hdf5", "a.h5", "\x89HDF\r\n\x1a\n", "E502: this is an HDF5 file, which is not read; write the table as CSV"},
	{"arrow", "a.feather", "ARROW1\x00\x00", "E502: this is an Arrow file, which is not read; write the table as Parquet or CSV"},
	{"feather", "a.feather", "FEA1\x00\x00", "E502: this is a Feather file, which is not read; write the table as Parquet or CSV"},
	{"zstd", "a.csv.zst", "\x28\xb5\x2f\xfd\x24\x00", "E502: this is packed by zstd, which is not read; unpack it, or pack it by gzip"},
	{"xz", "a.csv.xz", "\xfd7zXZ\x00", "E502: this is packed by xz, which is not read; unpack it, or pack it by gzip"},
	{"bzip2", "a.csv.bz2", "BZh91AY", "E502: this is packed by bzip2, which is not read; unpack it, or pack it by gzip"},
	{"sqlite", "a.db", "SQLite format 3\x00\x10\x00", "E502: this is a database, which is not read; write a table of it as CSV"},
	{"encrypted parquet", "a.parquet", "PARExxxxxxxxPARE", "E502: this is an encrypted Parquet file, which is not read; write it without encryption"},
}

var malformedPacked = []malformed{
	{"cut gzip", "a.csv.gz", gzipped(numbered(500, nil))[:1000], "E501: the gzipped data end within a part; the file is cut off, or holds something else behind them; fetch or pack it again"},
	{"gzip cut in its header", "a.csv.gz", gzipped("a,b\n1,2\n")[:7], "E501: the gzipped data end within a part; the file is cut off, or holds something else behind them; fetch or pack it again"},
	{"more behind gzip", "a.csv.gz", gzipped("a,b\n1,2\n") + "garbage", "E501: the gzipped data end within a part; the file is cut off, or holds something else behind them; fetch or pack it again"},
	{"damaged gzip", "a.csv.gz", strings.Replace(gzipped("a,b\n1,2\n"), "\x1f\x8b\x08\x00\x00", "\x1f\x8b\x09\x00\x00", 1), "E501: the gzipped data are damaged; fetch or pack the file again"},
}

var malformedARFF = []malformed{
	{"arff without data", "a.arff", "% comment\n@relation x\n@attribute a numeric\n", "E502:3: the file has no @data; write @data above the rows"},
	{"arff without rows", "a.arff", "@relation x\n@attribute a numeric\n@data\n", "E503:3: the file holds no rows; add rows below @data"},
	{"arff without attributes", "a.arff", "@relation x\n@data\n1\n", "E504:2: no attribute is declared above @data; write a line `@attribute NAME TYPE` for each column"},
	{"arff stray line", "a.arff", "@relation x\n@column a numeric\n@data\n1\n", `E502:2: "@column" is neither @relation, @attribute nor @data; comments begin with %`},
	{"arff unknown type", "a.arff", "@relation x\n@attribute a number\n@data\n1\n", `E504:2: column "a": there is no type "number"; types are numeric, real, integer, string, date, {a, b} and hierarchical a,a/b`},
	{"arff open quote", "a.arff", "@relation x\n@attribute 'a numeric\n@data\n1\n", "E504:2: the attribute has no name or no type; write `@attribute NAME numeric`; put a name with blanks in quotes"},
	{"arff empty class", "a.arff", "@relation x\n@attribute c hierarchical 1,1//2\n@data\n1\n", `E504:2: column "c": "1//2" is not a path of classes; write a,a/b,a/b/c`},
	{"arff two hierarchies", "a.arff", "@relation x\n@attribute c hierarchical 1\n@attribute d hierarchical 1\n@data\n1,1\n", `E504:3: column "d": there is more than one hierarchical attribute; leave one of them`},
	{"arff undeclared class", "a.arff", "@relation x\n@attribute a numeric\n@attribute c hierarchical 1,1/2\n@data\n3,1/2@1/3\n", `E513:5: column "c": the class "1/3" is not declared; add it to the attribute's list`},
	{"arff ragged", "a.arff", "@relation x\n@attribute a numeric\n@attribute b numeric\n@data\n1,2\n3\n", "E505:6: 1 field, but 2 attributes are declared; put a field that holds a comma in quotes, and leave none out"},
	{"arff text for a number", "a.arff", "@relation x\n@attribute a numeric\n@data\none\n", `E506:4: column "a": "one" is not a number, but the attribute is declared numeric; mend the cell, or declare the attribute a string`},
	{"arff sparse index", "a.arff", "@relation x\n@attribute a numeric\n@data\n{1 5}\n", "E502:4: the row cannot be read; a row is a,b,… or {index value, …} with indices from 0; texts with commas or blanks stand in quotes"},
	{"arff doubled index", "a.arff", "@relation x\n@attribute a numeric\n@data\n{0 5,0 6}\n", `E502:4: column "a": index 0 occurs twice in the row; leave one of them`},
	{"arff no values", "a.arff", "@relation x\n@attribute a { }\n@data\nx\n", `E504:2: column "a": the attribute declares no value; write its values, as {a, b}, or declare it numeric or string`},
}

var malformedLIBSVM = []malformed{
	{"libsvm index 0", "a.svm", "1 1:2\n-1 0:3\n", "E506:2: the index in \"0:3\" is 0; features count from 1; a row is `label index:value …`, with indices from 1 and finite values"},
	{"libsvm double index", "a.svm", "1 2:2 1:1 2:3\n", "E502:1: feature 2 occurs twice in the row; leave one of them"},
	{"libsvm no pair", "a.svm", "1 1:2\n1 3\n", "E506:2: \"3\" is not index:value; a row is `label index:value …`, with indices from 1 and finite values"},
	{"libsvm bad value", "a.svm", "1 1:two\n", "E506:1: the value in \"1:two\" is not a number; a row is `label index:value …`, with indices from 1 and finite values"},
	{"libsvm nan", "a.svm", "1 1:nan\n", "E506:1: the value in \"1:nan\" is not finite, or beyond 1e100; a row is `label index:value …`, with indices from 1 and finite values"},
	{"libsvm inf", "a.svm", "1 1:1e999\n", "E506:1: the value in \"1:1e999\" is not finite, or beyond 1e100; a row is `label index:value …`, with indices from 1 and finite values"},
	{"libsvm huge index", "a.svm", "1 999999999:1\n", "E506:1: the index in \"999999999:1\" is over 1048576, more features than can be held densely; a row is `label index:value …`, with indices from 1 and finite values"},
	{"libsvm double label", "a.svm", "1,2,1 1:1\n", "E502:1: label 1 occurs twice in the row; separate labels by commas, without blanks"},
	{"libsvm empty label", "a.svm", "1,,2 1:1\n", `E502:1: "1,,2" is not a list of labels; separate labels by commas, without blanks`},
	{"libsvm only comments", "a.svm", "# nothing\n", "E503: the file holds no rows; write lines `label index:value …`"},
}

var malformedIDX = []malformed{}

var malformedNPY = []malformed{
	{"npy cut in its magic", "X.npy", "\x93NUMPY", "E502: the file ends within its magic number; the file is cut off; fetch it again"},
	{"npy of a later version", "X.npy", "\x93NUMPY\x09\x00\x10\x00" + strings.Repeat(" ", 16), "E502: the array is of version 9 of its format, and versions 1 to 3 are read; write it by numpy.save"},
	{"npy cut in its header", "X.npy", npy("'<f8'", "False", "(2, 2)", nil)[:40], "E502: the file ends within its header; the file is cut off; fetch it again"},
	{"npy without a header", "X.npy", "\x93NUMPY\x01\x00\x10\x00" + strings.Repeat(" ", 15) + "\n", `E502: the header of the array is ""; write the array by numpy.save`},
	{"npy of objects", "X.npy", npy("'|O'", "False", "(2, 2)", nil), "E502: the array holds Python objects, and arrays of numbers alone are read; save an array of plain numbers: numpy.save(…, table.to_numpy(dtype=float))"},
	{"npy of records", "X.npy", npy("[('a', '<f8')]", "False", "(2,)", []float64{1, 2}), "E502: the array holds records of several fields, and arrays of numbers alone are read; save an array of plain numbers: numpy.save(…, table.to_numpy(dtype=float))"},
	{"npy of texts", "X.npy", npy("'<U3'", "False", "(2, 1)", nil), "E502: the array holds texts, and arrays of numbers alone are read; save an array of plain numbers: numpy.save(…, table.to_numpy(dtype=float))"},
	{"npy of complex numbers", "X.npy", npy("'<c16'", "False", "(2, 1)", nil), "E502: the array holds complex numbers, and arrays of numbers alone are read; save an array of plain numbers: numpy.save(…, table.to_numpy(dtype=float))"},
	{"npy of 1 dimension", "X.npy", npy("'<f8'", "False", "(3,)", []float64{1, 2, 3}), "E502: the array has 1 dimension, and a table has 2: rows and columns; write X.reshape(len(X), -1); an array of labels is found beside that of the rows, y.npy beside X.npy"},
	{"npy of 3 dimensions", "X.npy", npy("'<f8'", "False", "(1, 1, 1)", []float64{1}), "E502: the array has 3 dimensions, and a table has 2: rows and columns; write X.reshape(len(X), -1); an array of labels is found beside that of the rows, y.npy beside X.npy"},
	{"npy of a negative shape", "X.npy", npy("'<f8'", "False", "(-1, 2)", nil), `E502: the header of the array is "{'descr': '<f8', 'fortran_order': False, 'shape': (-1, 2), }"; write the array by numpy.save`},
	{"npy without rows", "X.npy", npy("'<f8'", "False", "(0, 2)", nil), "E503: the array has 0 rows and 2 columns; write rows of numbers"},
	{"npy cut off", "X.npy", npy("'<f8'", "False", "(2, 2)", []float64{1, 2, 3}), "E502: the data end after 24 of the 32 bytes that the header announces; the file is cut off; fetch it again"},
	{"npy too long", "X.npy", npy("'<f8'", "False", "(1, 2)", []float64{1, 2, 3}), "E502: the data go on after the 16 bytes that the header announces; the file is damaged; fetch it again"},
	{"npy that announces too much", "X.npy", npy("'<f8'", "False", "(4611686018427387904, 4)", []float64{1}), "E502: the shape (4611686018427387904, 4) is too large; the file is damaged; write it again"},
}

// parquetsMalformed returns Parquet files.
func parquetsMalformed(tb testing.TB) []malformed {
	tb.Helper()
	return []malformed{
		{"parquet", "a.parquet", "PAR1xxxx", "E502: the Parquet file does not end as it begins; it is cut off; fetch or write it again"},
		{"parquet cut off", "a.parquet", parquetFile(tb, parquetRows(3))[:900], "E502: the Parquet file does not end as it begins; it is cut off; fetch or write it again"},
		{"parquet without an index", "a.parquet", "PAR1xxxx\xff\xff\xff\x00PAR1", "E502: the Parquet file is damaged: its index is to have 16777215 bytes; fetch or write it again"},
		{"parquet with a list too long", "a.parquet", withIndex(hostileIndexes["list"].index), "E502: the Parquet file is damaged: its index: it announces a list of 2147483647 in 2 bytes; fetch or write it again"},
		{"parquet too deep", "a.parquet", withIndex(hostileIndexes["deep"].index), "E502: the Parquet file is damaged: its index: it has values within values deeper than 64; fetch or write it again"},
		{"parquet without columns", "a.parquet", withIndex("\x15\x02\x19\x1c\x48\x01r\x00\x16\x00\x19\x0c\x00"), "E503: the file has no columns; write a table with columns"},
		{"parquet without rows", "a.parquet", parquetFile(tb, nil), "E503: the file holds columns and no rows; add rows"},
		{"parquet with pages outside", "a.parquet", parquetOf(tb, "", parquetMeta(format.Int32, 1, 1<<40)), `E502: the Parquet file is damaged: the pages of column "a" lie outside of it; fetch or write it again`},
		{"parquet with fewer cells", "a.parquet", dictionaryOf(tb, 3), `E502: the Parquet file is damaged: column "a": it lacks 1 cell; fetch or write it again`},
		{"parquet of an unknown page", "a.parquet", onePage(tb, format.Int32, 1, nil, format.PageHeader{Type: format.DataPage}), `E502: the Parquet file is damaged: column "a": a page of it is of the type DATA_PAGE; fetch or write it again`},
		{"parquet with short values", "a.parquet", valuesOf(tb, format.Int64, 1, []byte{1, 2, 3}), `E502: the Parquet file is damaged: column "a": a page ends within its values; fetch or write it again`},
		{"parquet with more cells than rows", "a.parquet", valuesOf(tb, format.Int32, 100, make([]byte, 400)), `E502: the Parquet file is damaged: column "a": a page of it announces 100 values for 1 row; fetch or write it again`},
		{"parquet texts that are none", "a.parquet", valuesOf(tb, format.ByteArray, 1, append(binary.LittleEndian.AppendUint32(nil, 2), 0xff, 0xfe)), `E502: column "a": row 1: "\xff\xfe" is not UTF-8 text; leave the column out, or write its bytes as text`},
	}
}

// Every malformed file gets one error, which names the file, the place, what is wrong and how to mend it. Looking at its columns alone
// gives no error of another kind.
func TestMalformedFiles(t *testing.T) {
	var all []malformed
	for _, group := range [][]malformed{malformedText, malformedForeign, malformedPacked, malformedARFF, malformedLIBSVM, malformedIDX, malformedNPY, parquetsMalformed(t)} {
		all = append(all, group...)
	}
	if len(all) < 60 {
		t.Errorf("%d files", len(all))
	}
	for _, c := range all {
		ctx, stop := context.WithTimeout(context.Background(), 10*time.Second)
		path := write(t, c.file, c.content)
		_, err := dataset.Open(ctx, path)
		var known *dataset.Error
		if !errors.As(err, &known) {
			t.Errorf("%s: %v is not an error for the user", c.name, err)
			stop()
			continue
		}
		got := string(known.Code) + strings.ReplaceAll(strings.TrimPrefix(err.Error(), path), filepath.Dir(path)+string(filepath.Separator), "")
		if got != c.want || known.File != path || known.Mend == "" || strings.Contains(got, "\n") {
			t.Errorf("%s: %s\nwant %s", c.name, got, c.want)
		}
		if _, err := dataset.Look(ctx, path); err != nil && !errors.As(err, &known) {
			t.Errorf("%s: looked at: %v", c.name, err)
		}
		stop()
	}
}
