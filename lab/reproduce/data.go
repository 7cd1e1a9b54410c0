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

	"github.com/sipc-ml/sipc/internal/cli"
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
	edges       string // the user's file with the hierarchy, where there is one
	origins     origins
	shelf       *shelf
}

// explain makes an error of a unit one of the user's files.
func (s *source) explain(err error) error { return s.origins.explain(err, s.edges) }

// sources finds the data sets, each once.
type sources struct {
	data, out string
	known     map[string]*source
	shelf     shelf
}

// of finds a data set, and its digest.
func (s *sources) of(ctx context.Context, name string) (*source, error) {
	s.shelf.turn(name)
	if known, ok := s.known[name]; ok {
		return known, nil
	}
	dir := filepath.Join(s.data, name)
	if _, err := os.Stat(dir); errors.Is(err, fs.ErrNotExist) {
		return nil, cli.WrongInput(fmt.Errorf("%s: there is no such folder; the data set %s belongs there, or leave its cells out with --cells", dir, name))
	}
	out, err := s.find(ctx, name)
	if err != nil {
		return nil, err
	}
	files := []string{out.train, out.test}
	if out.edges == "" {
		files = append(files, labelsBeside(out.train), labelsBeside(out.test))
	} else {
		files = append(files, filepath.Join(out.dir, labelsFile), filepath.Join(out.dir, edgesFile))
	}
	if out.digest, err = digestOf(files); err != nil {
		return nil, err
	}
	out.shelf = &s.shelf
	s.known[name] = out
	return out, nil
}

// find finds the files of a data set. Of those that have no published split, or too few test rows in it, two fifths become test rows once and for
// all.
func (s *sources) find(ctx context.Context, name string) (out *source, err error) {
	dir := filepath.Join(s.data, name)
	out = &source{dir: dir}
	switch name {
	case setUSPS:
		return s.pool(name)
	case setMNIST, setFashion:
		out.train, out.test = filepath.Join(dir, trainImages), filepath.Join(dir, testImages)
		return out, nil
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
	out.edges = filepath.Join(dir, edgesFile)
	return out, nil
}

// digestOf returns the digest of some files, one after the other.
func digestOf(files []string) (string, error) {
	hash := sha256.New()
	for _, file := range files {
		if err := hashFile(hash, file); err != nil {
			return "", err
		}
	}
	return hex.EncodeToString(hash.Sum(nil)), nil
}

func hashFile(w io.Writer, path string) error {
	f, err := os.Open(path) //nolint:gosec // in the folder that the user names
	if err != nil {
		return dataset.CannotOpen(path, err)
	}
	defer f.Close() //nolint:errcheck // only read
	if _, err := io.Copy(w, f); err != nil {
		return dataset.CannotOpen(path, err)
	}
	return nil
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

// made makes a folder for files that are made of those of a data set.
func (s *sources) made(name string) (string, error) {
	dir := filepath.Join(s.out, partsDir, name)
	return dir, os.MkdirAll(dir, 0o755) //nolint:gosec // results are not secret
}

// part divides the rows of some files of a data set into two files of its own in the folder of the results.
func (s *sources) part(ctx context.Context, name string, files ...string) (*source, error) {
	var rows []line
	for _, file := range files {
		more, err := linesOf(ctx, filepath.Join(s.data, name, file))
		if err != nil {
			return nil, err
		}
		rows = append(rows, more...)
	}
	dir, err := s.made(name)
	if err != nil {
		return nil, err
	}
	out := &source{dir: dir, train: filepath.Join(dir, "train.svm"), test: filepath.Join(dir, "test.svm"), origins: origins{}}
	for _, file := range []string{labelsFile, edgesFile} {
		path := filepath.Join(s.data, name, file)
		text, err := os.ReadFile(path) //nolint:gosec // in the folder that the user names
		if err != nil {
			return nil, dataset.CannotOpen(path, err)
		}
		if err := renameio.WriteFile(filepath.Join(dir, file), text, readable); err != nil {
			return nil, err
		}
		out.origins.copied(filepath.Join(dir, file), path)
	}
	order := rand.New(rand.NewPCG(divisionSeed, divisionStream)).Perm(len(rows))
	test := order[:len(rows)*testFifths/fifths]
	if err := out.origins.write(out.test, picked(rows, test)); err != nil {
		return nil, err
	}
	return out, out.origins.write(out.train, picked(rows, order[len(test):]))
}

// picked returns some of the rows, in the order of the files that they come from.
func picked(rows []line, which []int) []line {
	which = slices.Clone(which)
	slices.Sort(which)
	out := make([]line, 0, len(which))
	for _, i := range which {
		out = append(out, rows[i])
	}
	return out
}

// linesOf returns the lines of a gzipped file that are not blank.
func linesOf(ctx context.Context, path string) ([]line, error) {
	f, err := os.Open(path) //nolint:gosec // in the folder that the user names
	if err != nil {
		return nil, dataset.CannotOpen(path, err)
	}
	defer f.Close() //nolint:errcheck // only read
	z, err := gzip.NewReader(bufio.NewReader(f))
	if err != nil {
		return nil, damaged(path, err)
	}
	var out []line
	scanner := bufio.NewScanner(z)
	scanner.Buffer(nil, maxRow)
	for number := 1; scanner.Scan(); number++ {
		if len(bytes.TrimSpace(scanner.Bytes())) > 0 {
			out = append(out, line{bytes.Clone(scanner.Bytes()), path, number})
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
	}
	switch err := scanner.Err(); {
	case errors.Is(err, bufio.ErrTooLong):
		return nil, cli.WrongInput(fmt.Errorf("%s: a line is longer than %d MiB", path, maxRow>>20))
	case err != nil:
		return nil, damaged(path, err)
	}
	return out, nil
}

// damaged says that a file cannot be unpacked.
func damaged(path string, err error) error {
	return &dataset.Error{
		Code: dataset.CodeFile, File: path, Cause: err, Problem: "the gzipped data cannot be read: " + err.Error(),
		Mend: "fetch the file again, or pack it by gzip",
	}
}
