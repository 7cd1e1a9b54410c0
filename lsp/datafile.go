package lsp

import (
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/sipc-ml/sipc/compiler"
	"github.com/sipc-ml/sipc/dsl"
	"github.com/sipc-ml/sipc/runtime/dataset"
)

// dataColumns are the columns of a data file, by its header and its first rows.
type dataColumns struct {
	stamp string
	compiler.DataFile
}

// some returns the names, or the first of very many.
func (c *dataColumns) some() []string { return c.Columns[:min(len(c.Columns), maxColumns)] }

// maxColumns bounds how many columns are offered.
const maxColumns = 2000

// dataExtensions are the ends of data files that are looked for beside a spec of the same name.
var dataExtensions = []string{".csv", ".csv.gz", ".tsv", ".tsv.gz", ".arff", ".arff.gz", ".parquet"}

// headers remember the columns of data files.
type headers struct {
	sync.Mutex
	known map[string]*dataColumns
}

// of returns the columns of a document's data file. That is the file of the comment `# data: FILE`, else of the
// setting, else the one beside the spec that has its name. It reads a file's beginning once for as long as the file
// stays the same.
func (h *headers) of(ctx context.Context, d *document, setting string) *dataColumns {
	for _, name := range dataNames(d, setting) {
		path := d.resolve(name)
		info, err := os.Stat(path)
		if path == "" || err != nil || !info.Mode().IsRegular() {
			continue
		}
		return h.with(ctx, h.in(ctx, path), unlabelledFile(d))
	}
	return &dataColumns{}
}

// with returns the columns of a data file, with the texts of a file of unlabelled rows beside it. The path is empty where there is none.
func (h *headers) with(ctx context.Context, c *dataColumns, path string) *dataColumns {
	if path == "" {
		return c
	}
	more := h.in(ctx, path)
	out := *c
	out.Whole = c.Whole && more.Whole
	out.Texts = maps.Clone(c.Texts)
	for name, texts := range c.Texts {
		also, known := more.Texts[name]
		out.Whole = out.Whole && (known || !slices.Contains(more.Columns, name))
		out.Texts[name] = slices.Compact(slices.Sorted(slices.Values(slices.Concat(texts, also))))
	}
	return &out
}

// unlabelledFile returns the path of the file of unlabelled rows that a document names. It is empty if there is none.
func unlabelledFile(d *document) string {
	for _, decl := range d.syntax().file.Decls {
		data, ok := decl.(*dsl.Data)
		if !ok {
			continue
		}
		for _, item := range data.Items {
			o, ok := item.(*dsl.Option)
			if !ok || dsl.ItemKeyword(item) != "unlabelled" || len(o.Args) != 1 {
				continue
			}
			if file, ok := o.Args[0].Value.(*dsl.String); ok {
				return d.resolve(file.Value)
			}
		}
	}
	return ""
}

// in returns the columns of a file, from memory if neither its time nor its size has changed.
func (h *headers) in(ctx context.Context, path string) *dataColumns {
	h.Lock()
	defer h.Unlock()
	stamp := stampOf(path)
	if known := h.known[path]; known == nil || known.stamp != stamp {
		h.known[path] = &dataColumns{stamp, look(ctx, path)}
	}
	return h.known[path]
}

// look returns what the beginning of a data file shows. That is nothing where it is something else, or takes long to read.
func look(ctx context.Context, path string) compiler.DataFile {
	ctx, cancel := context.WithTimeout(ctx, headerLimit)
	defer cancel()
	g, _ := dataset.Look(ctx, path) // whoever runs the spec is told what is wrong with the data
	return compiler.DataFile{Name: filepath.Base(path), Columns: g.Columns, Labels: g.Labels, Texts: g.Texts, Whole: g.Whole}
}

// headerLimit is how long the reading of a file's beginning may take.
const headerLimit = time.Second

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
func dataComment(c dsl.Token) (string, bool) {
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
