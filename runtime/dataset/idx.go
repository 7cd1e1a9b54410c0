package dataset

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/sipc-ml/sipc/internal/limits"
)

// pixels is the store of an IDX file.
type pixels struct {
	data  []byte
	width int
}

func (*pixels) column(int) *column { return nil }

func (p *pixels) fill(rows, cols, at []int, dst []float64, stride int) {
	for r, i := range rows {
		in, out := p.data[i*p.width:(i+1)*p.width], dst[r*stride:(r+1)*stride]
		for k, j := range cols {
			out[at[k]] = float64(in[j])
		}
	}
}

// An idxArray is the content of an IDX file.
type idxArray struct {
	dims []int
	data []byte
}

// bytesKind is IDX's element type of bytes, which published images and labels have.
const bytesKind = 0x08

// readIDX reads an array: two zero bytes, the element type, the number of dimensions, their sizes, the elements.
func readIDX(src *source) (*idxArray, error) {
	fail := func(problem, mend string) error {
		return &Error{Code: CodeFormat, File: src.path, Problem: problem, Mend: mend}
	}
	var magic [4]byte
	if _, err := io.ReadFull(src.plain, magic[:]); err != nil {
		return nil, truncated(src, err, "magic number")
	}
	a := &idxArray{}
	if magic[0] != 0 || magic[1] != 0 || magic[2] != bytesKind || magic[3] == 0 {
		return nil, fail(fmt.Sprintf("the file begins with % x, which is not the magic number of an IDX file of bytes", magic),
			"IDX begins with 00 00, the element type, which must be 08 for bytes, and the number of dimensions; write other numbers as CSV")
	}
	if magic[3] > 3 {
		return nil, fail(fmt.Sprintf("the array has %d dimensions; images have 3", magic[3]), "store images in grey, number × height × width")
	}
	total := int64(1)
	for range magic[3] {
		var dim [4]byte
		if _, err := io.ReadFull(src.plain, dim[:]); err != nil {
			return nil, truncated(src, err, "sizes")
		}
		d := int64(binary.BigEndian.Uint32(dim[:]))
		if d > 0 && total > math.MaxInt32*64/d {
			return nil, fail("the header announces more data than fit into memory", "the file is damaged; fetch it again")
		}
		total *= d
		a.dims = append(a.dims, int(d))
	}
	if total > src.memory {
		return nil, fail(fmt.Sprintf("the header announces %s, and %s of memory may be taken", limits.Size(total), limits.Size(src.memory)), "fetch a damaged file again, or allow more by --max-memory")
	}
	var err error
	if a.data, err = readExactly(src, total); err != nil {
		return nil, err
	}
	return a, nil
}

// readExactly reads the elements, growing as they come so that a lying header costs nothing.
func readExactly(src *source, total int64) ([]byte, error) {
	var content bytes.Buffer
	content.Grow(int(min(total, 64<<20)))
	n, err := io.Copy(&content, io.LimitReader(src.plain, total))
	if err != nil {
		return nil, err
	}
	if n < total {
		return nil, &Error{
			Code: CodeFormat, File: src.path, Problem: fmt.Sprintf("the data end after %d of the %d bytes that the header announces", n, total),
			Mend: "the file is cut off; fetch it again",
		}
	}
	if _, err := src.plain.Peek(1); err == nil {
		return nil, &Error{
			Code: CodeFormat, File: src.path, Problem: fmt.Sprintf("the data go on after the %d bytes that the header announces", total),
			Mend: "the file is damaged; fetch it again",
		}
	}
	return content.Bytes(), nil
}

// truncated returns the error of a file that ends too early as one of the data, and any other as it is.
func truncated(src *source, err error, where string) error {
	if errors.Is(err, io.EOF) || (errors.Is(err, io.ErrUnexpectedEOF) && !src.packed) {
		return &Error{Code: CodeFormat, File: src.path, Problem: "the file ends within its " + where, Mend: "the file is cut off; fetch it again"}
	}
	return err
}

// readImages reads an images file and the labels file beside it.
func readImages(ctx context.Context, src *source) (*Table, error) {
	a, err := readIDX(src)
	if err != nil {
		return nil, err
	}
	if len(a.dims) == 1 {
		return nil, &Error{
			Code: CodeFormat, File: src.path, Problem: "this IDX file holds labels, not images",
			Mend: "name the images file; its labels file is found beside it",
		}
	}
	t := &Table{rows: a.dims[0]}
	width := a.dims[1]
	if len(a.dims) == 3 {
		t.Height, t.Width = a.dims[1], a.dims[2]
		width *= a.dims[2]
	}
	if t.rows == 0 || width == 0 {
		return nil, &Error{Code: CodeEmpty, File: src.path, Problem: fmt.Sprintf("the file holds %s of %d pixels", count(t.rows, "image"), width), Mend: "store images of one pixel or more"}
	}
	if width > maxFeatures {
		return nil, &Error{Code: CodeFormat, File: src.path, Problem: fmt.Sprintf("a row has %d numbers, more than the %d that are read", width, maxFeatures)}
	}
	t.cells = &pixels{data: a.data, width: width}
	t.names = make([]string, width)
	for j := range t.names {
		t.names[j] = pixelName(j)
	}
	if err := t.readLabels(ctx, src.path); err != nil {
		return nil, err
	}
	return t, nil
}

// pixelName returns the name of the j-th column of an image, counted from 0.
func pixelName(j int) string { return "pixel" + strconv.Itoa(j+1) }

// labelPaths returns the names under which the labels of an images file may lie, the likeliest first.
func labelPaths(path string) []string {
	dir, base := filepath.Split(path)
	plain := strings.TrimSuffix(base, ".gz")
	name := strings.Replace(plain, "images", "labels", 1)
	name = strings.Replace(name, "idx3", "idx1", 1)
	name = strings.Replace(name, "idx2", "idx1", 1)
	if name == plain {
		return nil
	}
	first, second := dir+name, dir+name+".gz"
	if plain != base {
		first, second = second, first
	}
	return []string{first, second}
}

// readLabels reads the labels file of an images file. That there is none is an error only where a target is wanted.
func (t *Table) readLabels(ctx context.Context, images string) error {
	paths := labelPaths(images)
	for _, path := range paths {
		if _, err := os.Stat(path); err != nil {
			continue
		}
		return t.readLabelsFrom(ctx, images, path)
	}
	e := &Error{Code: CodeLabels, File: images, Problem: "no labels file lies beside the images"}
	if len(paths) == 0 {
		e.Mend = "call the images like train-images-idx3-ubyte and the labels like train-labels-idx1-ubyte"
	} else {
		e.Mend = "put them at " + strings.Join(paths, " or ")
	}
	t.noLabels = e
	return nil
}

// readLabelsFrom reads the labels of images from a file of their own, which has as many entries.
func (t *Table) readLabelsFrom(ctx context.Context, images, path string) error {
	src, err := openSource(ctx, path)
	if err != nil {
		return err
	}
	defer src.close()
	a, err := readIDX(src)
	if err != nil {
		return src.explain(err)
	}
	if len(a.dims) != 1 {
		return &Error{Code: CodeLabels, File: path, Problem: fmt.Sprintf("the labels have %d dimensions, want 1", len(a.dims))}
	}
	if a.dims[0] != t.rows {
		return &Error{
			Code: CodeLabels, File: path, Problem: fmt.Sprintf("there are %s but %s in %s", count(a.dims[0], "label"), count(t.rows, "image"), images),
			Mend: "the two files do not belong together; fetch them again",
		}
	}
	t.labels = newLabelSets()
	for _, v := range a.data {
		t.labels.add(strconv.Itoa(int(v)))
		t.labels.end()
	}
	t.LabelsPath = path
	t.LabelsSHA256, err = src.finish()
	return err
}
