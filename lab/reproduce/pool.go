package reproduce

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"

	"github.com/google/renameio/v2"

	"github.com/sipc-ml/sipc/internal/cli"
	"github.com/sipc-ml/sipc/runtime/dataset"
)

// pool divides the images of both parts of a data set anew, at random. It serves sets whose published test images are of another kind than
// those for training. Two fifths become test images once and for all.
func (s *sources) pool(name string) (*source, error) {
	images, labels, err := s.pooled(name)
	if err != nil {
		return nil, err
	}
	dir, err := s.made(name)
	if err != nil {
		return nil, err
	}
	order := rand.New(rand.NewPCG(divisionSeed, divisionStream)).Perm(len(images))
	count := len(images) * testFifths / fifths
	out := &source{dir: dir, train: filepath.Join(dir, trainImages), test: filepath.Join(dir, testImages), origins: origins{}}
	for _, part := range []struct {
		path, file string
		which      []int
	}{{out.test, testImages, order[:count]}, {out.train, trainImages, order[count:]}} {
		slices.Sort(part.which)
		if err := writeRecords(part.path, images, part.which); err != nil {
			return nil, err
		}
		if err := writeRecords(labelsBeside(part.path), labels, part.which); err != nil {
			return nil, err
		}
		out.origins.copied(part.path, filepath.Join(s.data, name, part.file))
		out.origins.copied(labelsBeside(part.path), filepath.Join(s.data, name, labelsOf(part.file)))
	}
	return out, nil
}

// pooled returns the images of both parts of a data set, and their labels.
func (s *sources) pooled(name string) (images, labels []record, err error) {
	for _, file := range []string{trainImages, testImages} {
		path := filepath.Join(s.data, name, file)
		more, err := records(path)
		if err != nil {
			return nil, nil, err
		}
		marks, err := records(labelsBeside(path))
		if err != nil {
			return nil, nil, err
		}
		if len(more) != len(marks) {
			return nil, nil, cli.WrongInput(fmt.Errorf("%s holds %d images and %s %d labels", path, len(more), labelsBeside(path), len(marks)))
		}
		if len(images) > 0 && len(more) > 0 && !bytes.Equal(more[0].shape, images[0].shape) {
			return nil, nil, cli.WrongInput(fmt.Errorf("the images of %s have another size than those of %s", path, filepath.Join(s.data, name, trainImages)))
		}
		images, labels = append(images, more...), append(labels, marks...)
	}
	return images, labels, nil
}

// labelsBeside returns the file with the labels of a file with images.
func labelsBeside(images string) string {
	return filepath.Join(filepath.Dir(images), labelsOf(filepath.Base(images)))
}

// labelsOf returns the name of the file with the labels of one with images.
func labelsOf(images string) string {
	if images == trainImages {
		return "train-labels-idx1-ubyte.gz"
	}
	return "t10k-labels-idx1-ubyte.gz"
}

// A record is one element of an IDX file of bytes, and the head of its file without the number of records.
type record struct {
	magic, shape []byte
	data         []byte
}

// records reads a gzipped IDX file of bytes.
func records(path string) ([]record, error) {
	f, err := os.Open(path) //nolint:gosec // in the folder that the user names
	if err != nil {
		return nil, dataset.CannotOpen(path, err)
	}
	defer f.Close() //nolint:errcheck // only read
	z, err := gzip.NewReader(f)
	if err != nil {
		return nil, damaged(path, err)
	}
	text, err := io.ReadAll(z)
	if err != nil {
		return nil, damaged(path, err)
	}
	const ubyte, word = 0x08, 4
	if len(text) < 2*word || text[2] != ubyte || text[3] == 0 || len(text) < (1+int(text[3]))*word {
		return nil, cli.WrongInput(fmt.Errorf("%s is not an IDX file of bytes", path))
	}
	head := (1 + int(text[3])) * word
	count, size := int(binary.BigEndian.Uint32(text[word:])), 1
	for at := 2 * word; at < head; at += word {
		size *= int(binary.BigEndian.Uint32(text[at:]))
	}
	if size <= 0 || len(text)-head != count*size {
		return nil, cli.WrongInput(fmt.Errorf("%s says that it holds %d records of %d bytes, but has %d bytes", path, count, size, len(text)-head))
	}
	out := make([]record, count)
	for k := range out {
		out[k] = record{text[:word], text[2*word : head], text[head+k*size : head+(k+1)*size]}
	}
	return out, nil
}

// writeRecords writes some of the records as a gzipped IDX file, whole or not at all. The bytes are the same each time.
func writeRecords(path string, all []record, which []int) error {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	if len(which) > 0 {
		first := all[which[0]]
		head := binary.BigEndian.AppendUint32(slices.Clone(first.magic), uint32(len(which))) //nolint:gosec // fewer than were read
		z.Write(append(head, first.shape...))                                                //nolint:errcheck // a buffer takes everything
	}
	for _, k := range which {
		z.Write(all[k].data) //nolint:errcheck // a buffer takes everything
	}
	if err := z.Close(); err != nil {
		return err
	}
	return renameio.WriteFile(path, b.Bytes(), readable)
}
