package model

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"

	"github.com/sipc-ml/sipc/internal/limits"
	"github.com/sipc-ml/sipc/internal/whole"
	"github.com/sipc-ml/sipc/runtime/dataset"
	"github.com/sipc-ml/sipc/runtime/report"
)

// A model file has three parts, which docs/models.md describes. A line names the format, its version and the SHA-256 of the second part.
// That is a line of JSON, content. The third part holds its arrays.
const (
	schema  = "sipc model"
	version = 13 // rises with every change of what is stored
	oldest  = 11 // that is read; it has no `writing` in its preparation, so that nothing is known of it, and no `norm.off`
)

// again ends errors about files that cannot be mended.
const again = "run `sipc run --out DIR` again, which writes DIR/model.sipc anew"

// Save writes the model to a file, which appears whole or not at all. An error names the path.
func (m *Model) Save(path string) error {
	f, err := whole.New(path, 0o644)
	if err != nil {
		return err
	}
	defer f.Discard()
	if err := m.Write(f); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return whole.Keep(f)
}

// Write writes the model as a model file holds it.
func (m *Model) Write(w io.Writer) error { return m.content().write(w) }

// write writes the three parts. The header holds the digest of the arrays, and the first line that of the header.
func (c *content) write(w io.Writer) error {
	slots := c.slots()
	c.Arrays.Bytes = lay(slots)
	// Twice through the arrays costs less than a copy of all of them.
	sum := sha256.New()
	if err := writeArrays(sum, slots); err != nil {
		return fmt.Errorf("the model cannot be written: %w", err)
	}
	c.Arrays.SHA256 = hex.EncodeToString(sum.Sum(nil))
	var header bytes.Buffer
	e := json.NewEncoder(&header)
	e.SetEscapeHTML(false)
	if err := e.Encode(c); err != nil {
		return fmt.Errorf("the model cannot be written: %w", err)
	}
	if err := checkHeader(header.Bytes()); err != nil {
		return fmt.Errorf("the model cannot be written: %w", err)
	}
	if _, err := fmt.Fprintf(w, "%s %d %x\n%s", schema, version, sha256.Sum256(header.Bytes()), header.Bytes()); err != nil {
		return err
	}
	return writeArrays(w, slots)
}

// checkHeader refuses a header whose values might take too much memory.
func checkHeader(header []byte) error {
	if len(header) > limits.ModelHeaderBytes {
		return fmt.Errorf("the header has %d bytes, and at most %d are read", len(header), limits.ModelHeaderBytes)
	}
	if n := bytes.Count(header, []byte(",")); n > int(limits.ModelHeaderValues) {
		return fmt.Errorf("the header has %d values, and at most %d are read", n, int(limits.ModelHeaderValues))
	}
	return nil
}

// otherFile says what a file is that is not a model of a version that Load reads.
func otherFile(path string, data []byte) error {
	what := "not a model file"
	switch rest, ok := bytes.CutPrefix(data, []byte(schema+" ")); {
	case ok && versionOf(rest) != 0:
		return fmt.Errorf("%s: this is a model file that is cut off; %s", path, again)
	case ok:
		return fmt.Errorf("%s: this is a model file of another version of sipc, and this one reads versions %d to %d; %s", path, oldest, version, again)
	case filepath.Ext(path) == ".inv":
		what = "a spec, and not a model file"
	case json.Valid(data):
		what = "JSON, and not a model file"
	}
	return fmt.Errorf("%s: this is %s; `sipc run --out DIR` writes a model, DIR/model.sipc", path, what)
}

// Load reads a model file. It returns an error that names the path if the file cannot be read, is not a model file, is damaged, or
// contradicts itself. It does so too if the file, and its arrays beside it, would take more memory than there may be.
func Load(ctx context.Context, path string) (*Model, error) {
	if info, err := os.Stat(path); err == nil {
		const mend = "use a model of fewer landmarks"
		if err := limits.Check(ctx, []limits.Need{
			{Bytes: limits.Taken(ctx), What: "the program", Mend: mend}, {Bytes: 2 * float64(info.Size()), What: "the model", Mend: mend},
		}); err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
	}
	data, err := limits.Read(path, limits.ModelBytes)
	if err != nil {
		return nil, dataset.CannotOpen(path, err)
	}
	return Read(path, data)
}

// Read reads the content of a model file as Load does. Errors call it by the given name.
func Read(path string, data []byte) (*Model, error) {
	rest, _ := bytes.CutPrefix(data, []byte(schema+" "))
	of := versionOf(rest)
	begin := fmt.Sprintf("%s %d ", schema, of)
	first := len(begin) + 2*sha256.Size
	if of == 0 || len(data) <= first || !bytes.HasPrefix(data, []byte(begin)) || data[first] != '\n' {
		return nil, otherFile(path, data)
	}
	m, err := read(of, string(data[len(begin):first]), data[first+1:])
	if err != nil {
		return nil, fmt.Errorf("%s: %w; %s", path, err, again)
	}
	m.SHA256 = fmt.Sprintf("%x", sha256.Sum256(data))
	return m, nil
}

// versionOf returns the version by which a text begins, 0 for one that is not read.
func versionOf(text []byte) int {
	for of := oldest; of <= version; of++ {
		if bytes.HasPrefix(text, strconv.AppendInt(nil, int64(of), 10)) {
			return of
		}
	}
	return 0
}

// read reads a header of a version with this digest, and the arrays behind it.
func read(of int, sum string, data []byte) (*Model, error) {
	end := bytes.IndexByte(data, '\n') + 1
	header, blob := data[:end], data[end:]
	if fmt.Sprintf("%x", sha256.Sum256(header)) != sum {
		return nil, errors.New("the file is damaged: its header does not fit the checksum")
	}
	if err := checkHeader(header); err != nil {
		return nil, err
	}
	c, err := readHeader(of, header)
	if err != nil {
		return nil, fmt.Errorf("the header: %w", err)
	}
	if int64(len(blob)) != c.Arrays.Bytes || fmt.Sprintf("%x", sha256.Sum256(blob)) != c.Arrays.SHA256 {
		return nil, errors.New("the file is damaged: its arrays do not fit their checksum")
	}
	// First come the places of the arrays, then their shapes, and their numbers last. So nothing is made for a
	// shape that the file cannot fill, and nothing computed with one that does not suit the others.
	slots := c.slots()
	if err := checkPlaces(slots, c.Arrays.Bytes); err != nil {
		return nil, err
	}
	if err := c.check(); err != nil {
		return nil, err
	}
	if err := readArrays(slots, blob); err != nil {
		return nil, err
	}
	return c.build()
}

// File says what the file holds that the model was read from.
func (m *Model) File() *report.File {
	return &report.File{
		Schema: schema, Version: version, SHA256: m.SHA256, Columns: len(m.About.Preparation.Columns()), Features: m.Represent.Features.Dim(),
		Labels: m.Represent.Labels, Seed: m.About.Seed, Data: dataset.Schema(m.About.Preparation), Families: m.About.Families,
	}
}

// readHeader decodes a header of a version.
func readHeader(of int, header []byte) (*content, error) {
	c := &content{}
	// A field that this version does not know might change what the others mean.
	d := json.NewDecoder(bytes.NewReader(header))
	d.DisallowUnknownFields()
	if err := d.Decode(c); err != nil {
		return nil, err
	}
	if len(bytes.TrimSpace(header[d.InputOffset():])) > 0 {
		return nil, errors.New("something follows the JSON object")
	}
	if c.Schema != schema || c.Version != of {
		return nil, fmt.Errorf("schema %q and version %d, want %q and %d", c.Schema, c.Version, schema, of)
	}
	c.Version = version // as which the model is written
	return c, nil
}
