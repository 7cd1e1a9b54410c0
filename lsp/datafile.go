package lsp

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/csv"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"github.com/sipc-ml/sipc/dsl"
)

// maxHeader is how much of a data file is read for the names of its columns.
const maxHeader = 256 << 10

// dataColumns are the columns of a data file, by its header.
type dataColumns struct {
	file  string
	stamp string
	names []string
}

// some returns the names, or the first of very many.
func (c *dataColumns) some() []string { return c.names[:min(len(c.names), maxColumns)] }

// maxColumns bounds how many columns are offered.
const maxColumns = 2000

// dataExtensions are the ends of data files that are looked for beside a spec of the same name.
var dataExtensions = []string{".csv", ".csv.gz", ".tsv", ".tsv.gz", ".arff", ".arff.gz"}

// headers remember the columns of data files.
type headers struct {
	sync.Mutex
	known map[string]*dataColumns
}

// of returns the columns of a document's data file. That is the file of the comment `# data: FILE`, else of the
// setting, else the one beside the spec that has its name. It reads a header once for as long as the file stays the
// same.
func (h *headers) of(d *document, setting string) *dataColumns {
	for _, name := range dataNames(d, setting) {
		path := d.resolve(name)
		info, err := os.Stat(path)
		if path == "" || err != nil || !info.Mode().IsRegular() {
			continue
		}
		return h.in(path)
	}
	return &dataColumns{}
}

// in returns the columns of a file, from memory if neither its time nor its size has changed.
func (h *headers) in(path string) *dataColumns {
	h.Lock()
	defer h.Unlock()
	stamp := stampOf(path)
	if known := h.known[path]; known == nil || known.stamp != stamp {
		h.known[path] = &dataColumns{file: path, stamp: stamp, names: readHeader(path)}
	}
	return h.known[path]
}

// dataNames returns the data files that a document may mean, the likeliest first.
func dataNames(d *document, setting string) []string {
	var out []string
	for _, c := range d.syntax().file.Comments {
		if name, ok := dataComment(c); ok {
			out = append(out, name)
		}
	}
	if setting != "" {
		out = append(out, setting)
	}
	if d.isFile {
		stem := strings.TrimSuffix(filepath.Base(d.path), filepath.Ext(d.path))
		for _, ext := range dataExtensions {
			out = append(out, stem+ext)
		}
	}
	return out
}

// dataComment returns the file that a comment `# data: FILE` names.
func dataComment(c dsl.Comment) (string, bool) {
	name, ok := strings.CutPrefix(strings.TrimSpace(strings.TrimLeft(c.Text, "#")), "data:")
	name = strings.Trim(strings.TrimSpace(name), `"`)
	return name, ok && name != ""
}

// stampOf changes when a file does.
func stampOf(path string) string {
	info, err := os.Stat(path)
	if err != nil {
		return "-;"
	}
	return fmt.Sprintf("%d %d;", info.ModTime().UnixNano(), info.Size())
}

// readHeader returns the names of the columns of a data file. They stand in the first line of a table, or in the
// attributes of an ARFF file. Nil means that the file has no names, or is something else.
func readHeader(path string) []string {
	file, err := os.Open(path)
	if err != nil {
		return nil
	}
	defer file.Close() //nolint:errcheck // only read
	r := io.LimitReader(file, maxHeader)
	if strings.HasSuffix(path, ".gz") {
		unpacked, err := gzip.NewReader(r)
		if err != nil {
			return nil
		}
		r = io.LimitReader(unpacked, maxHeader)
	}
	head, _ := io.ReadAll(r) // a header is used as far as it goes
	head = bytes.TrimPrefix(head, []byte("\ufeff"))
	if bytes.IndexByte(head, 0) >= 0 {
		return nil
	}
	if strings.Contains(strings.TrimSuffix(filepath.Base(path), ".gz"), ".arff") {
		return arffColumns(head)
	}
	return tableColumns(head)
}

// tableColumns returns the fields of a table's first line, separated by what separates it most often.
func tableColumns(head []byte) []string {
	line, _, _ := bytes.Cut(head, []byte("\n"))
	r := csv.NewReader(bytes.NewReader(line))
	r.Comma = ','
	for _, c := range "\t;" {
		if bytes.Count(line, []byte(string(c))) > bytes.Count(line, []byte(string(r.Comma))) {
			r.Comma = c
		}
	}
	r.LazyQuotes = true
	fields, err := r.Read()
	if err != nil {
		return nil
	}
	for i := range fields {
		fields[i] = strings.TrimSpace(fields[i])
	}
	return fields
}

// arffColumns returns the names in the lines `@attribute NAME TYPE`.
func arffColumns(head []byte) []string {
	var names []string
	for lines := bufio.NewScanner(bytes.NewReader(head)); lines.Scan(); {
		line := strings.TrimSpace(lines.Text())
		if len(line) > 5 && strings.EqualFold(line[:5], "@data") {
			break
		}
		if len(line) < 11 || !strings.EqualFold(line[:10], "@attribute") {
			continue
		}
		name := strings.TrimSpace(line[10:])
		if quote := name[0]; quote == '\'' || quote == '"' {
			name, _, _ = strings.Cut(name[1:], string(quote))
		} else {
			name = strings.Fields(name)[0]
		}
		names = append(names, name)
	}
	return names
}
