package reproduce

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"

	"github.com/google/renameio/v2"

	"github.com/sipc-ml/sipc/runtime/dataset"
)

// The files of a data set.
const (
	trainImages = "train-images-idx3-ubyte.gz"
	testImages  = "t10k-images-idx3-ubyte.gz"
	trainTopics = "train.svm.gz"
	testTopics  = "test.svm.gz"
	allTopics   = "all.svm.gz"
	labelsFile  = "labels.txt"
	edgesFile   = "hierarchy.txt"
)

// A source is where a cell's rows come from.
type source struct {
	dir         string // that the spec's files are relative to
	train, test string // rows for training and choice, and rows for the test
	digest      string // of both, and of the files with labels and their hierarchy
}

// sources finds the data sets, each once.
type sources struct {
	data, out string
	known     map[string]*source
}

// of finds a data set. Of those that have no published split, or too few test rows in it, two fifths become test rows once and for
// all.
func (s *sources) of(ctx context.Context, name string) (*source, error) {
	if known, ok := s.known[name]; ok {
		return known, nil
	}
	dir := filepath.Join(s.data, name)
	if _, err := os.Stat(dir); errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%s: there is no such folder; the data set %s belongs there, or leave its cells out with --cells", dir, name)
	}
	out := &source{dir: dir}
	var err error
	switch name {
	case setUSPS:
		out, err = s.pool(name)
	case setMNIST, setFashion:
		out.train, out.test = filepath.Join(dir, trainImages), filepath.Join(dir, testImages)
	case setEnron:
		out.train, out.test = filepath.Join(dir, trainTopics), filepath.Join(dir, testTopics)
	case setReuters:
		out, err = s.part(ctx, name, allTopics)
	case setWIPO:
		out, err = s.part(ctx, name, trainTopics, testTopics)
	}
	if err != nil {
		return nil, err
	}
	hash := sha256.New()
	files := []string{out.train, out.test}
	switch name {
	case setMNIST, setUSPS, setFashion:
		files = append(files, labelsBeside(out.train), labelsBeside(out.test))
	default:
		files = append(files, filepath.Join(out.dir, labelsFile), filepath.Join(out.dir, edgesFile))
	}
	for _, file := range files {
		if err := hashFile(hash, file); err != nil {
			return nil, err
		}
	}
	out.digest = hex.EncodeToString(hash.Sum(nil))
	s.known[name] = out
	return out, nil
}

func hashFile(w io.Writer, path string) error {
	f, err := os.Open(path) //nolint:gosec // in the folder that the user names
	if err != nil {
		return dataset.CannotOpen(path, err)
	}
	defer f.Close() //nolint:errcheck // only read
	_, err = io.Copy(w, f)
	return err
}

// The seed of the division into rows for training and for the test, and its stream.
const (
	divisionSeed               = 0
	divisionStream             = 0x6469766964650000
	testFifths                 = 2
	fifths                     = 5
	readable       os.FileMode = 0o644
	maxRow                     = 16 << 20
	partsDir                   = "data"
)

// part divides the rows of some files of a data set into two files of its own in the folder of the results.
func (s *sources) part(ctx context.Context, name string, files ...string) (*source, error) {
	var rows [][]byte
	for _, file := range files {
		more, err := lines(ctx, filepath.Join(s.data, name, file))
		if err != nil {
			return nil, err
		}
		rows = append(rows, more...)
	}
	dir := filepath.Join(s.out, partsDir, name)
	if err := os.MkdirAll(dir, 0o755); err != nil { //nolint:gosec // results are no secret
		return nil, err
	}
	for _, file := range []string{labelsFile, edgesFile} {
		path := filepath.Join(s.data, name, file)
		text, err := os.ReadFile(path) //nolint:gosec // in the folder that the user names
		if err != nil {
			return nil, dataset.CannotOpen(path, err)
		}
		if err := renameio.WriteFile(filepath.Join(dir, file), text, readable); err != nil {
			return nil, err
		}
	}
	order := rand.New(rand.NewPCG(divisionSeed, divisionStream)).Perm(len(rows))
	test := order[:len(rows)*testFifths/fifths]
	out := &source{dir: dir, train: filepath.Join(dir, "train.svm"), test: filepath.Join(dir, "test.svm")}
	if err := writeRows(out.test, rows, test); err != nil {
		return nil, err
	}
	return out, writeRows(out.train, rows, order[len(test):])
}

// writeRows writes some of the rows, in the order of the file that they come from.
func writeRows(path string, rows [][]byte, which []int) error {
	which = slices.Clone(which)
	slices.Sort(which)
	var b bytes.Buffer
	for _, i := range which {
		b.Write(rows[i])
		b.WriteByte('\n')
	}
	return renameio.WriteFile(path, b.Bytes(), readable)
}

// lines are the lines of a gzipped file that are not blank.
func lines(ctx context.Context, path string) ([][]byte, error) {
	f, err := os.Open(path) //nolint:gosec // in the folder that the user names
	if err != nil {
		return nil, dataset.CannotOpen(path, err)
	}
	defer f.Close() //nolint:errcheck // only read
	z, err := gzip.NewReader(bufio.NewReader(f))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	var out [][]byte
	scanner := bufio.NewScanner(z)
	scanner.Buffer(nil, maxRow)
	for scanner.Scan() {
		if len(bytes.TrimSpace(scanner.Bytes())) > 0 {
			out = append(out, bytes.Clone(scanner.Bytes()))
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
	}
	if err := scanner.Err(); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return out, nil
}
