package report

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/sipc-ml/sipc/runtime/dataset"
)

// A File says what a model file holds.
type File struct {
	Schema   string `json:"schema"`
	Version  int    `json:"version"`
	SHA256   string `json:"sha256"`
	Columns  int    `json:"columns"`  // of a row, as it was prepared
	Features int    `json:"features"` // of the feature map
	Labels   int    `json:"labels"`   // functions of a row that were learnt
	Seed     uint64 `json:"seed"`
	// Data are the columns of the training file, features first. Families are the programs that the spec uses, pinned.
	Data     []dataset.SchemaColumn `json:"data"`
	Families []Pin                  `json:"families,omitempty"`
}

// A Pin is a program that a spec uses, as the sipc.lock beside the spec pins it.
type Pin struct {
	Name    string `json:"name"`
	Version string `json:"version"`
	Program string `json:"program"`          // its path, relative to the lock
	Source  string `json:"source,omitempty"` // where it was fetched from; empty where it was there
	// SHA256 holds its digests in hexadecimal, by platform, such as linux/amd64.
	SHA256 map[string]string `json:"sha256"`
}

// mostColumns and mostShown bound the columns of a file, and the values of a column, that a reader at a terminal sees.
const (
	mostColumns = 16
	mostShown   = 8
)

// write writes what the file holds.
func (f *File) write(b *strings.Builder) {
	fmt.Fprintf(b, "%s %d: %s, %s, %s; SHA-256 %s\n", f.Schema, f.Version, Counted(f.Columns, "column"), Counted(f.Features, "feature"),
		Counted(f.Labels, "label"), f.SHA256)
	fmt.Fprintf(b, "seed %d\n", f.Seed)
	for i := range f.Families {
		p := &f.Families[i]
		for _, platform := range slices.Sorted(maps.Keys(p.SHA256)) {
			fmt.Fprintf(b, "family %s %s from %s on %s: SHA-256 %s\n", p.Name, p.Version, p.Program, platform, p.SHA256[platform])
		}
	}
	table := grid{right: make([]bool, 4)}
	for _, features := range []bool{false, true} { // a wide file has many of them
		for i := range f.Data {
			if c := &f.Data[i]; (c.Role == dataset.RoleFeature) == features && len(table.rows) < mostColumns {
				table.add("  "+c.Name, string(c.Role), string(c.Kind), held(c))
			}
		}
	}
	b.WriteString("columns of the training file:\n")
	table.write(b)
	if more := len(f.Data) - mostColumns; more > 0 {
		fmt.Fprintf(b, "  and %d more; --json has all\n", more)
	}
	b.WriteByte('\n')
}

// held says which values a column held, and what the spec declares of it.
func held(c *dataset.SchemaColumn) string {
	var parts []string
	if len(c.Range) == 2 {
		parts = append(parts, fmt.Sprintf("%.6g to %.6g", c.Range[0], c.Range[1]))
	}
	if len(c.Values) > 0 {
		text := strings.Join(c.Values[:min(len(c.Values), mostShown)], ", ")
		if more := len(c.Values) - mostShown; more > 0 {
			text += fmt.Sprintf(" and %d more", more)
		}
		parts = append(parts, text)
	}
	if c.Declared != "" {
		parts = append(parts, "declared "+c.Declared)
	}
	return strings.Join(parts, "; ")
}
