package bench

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/sipc-ml/sipc/internal/cli"
	"github.com/sipc-ml/sipc/runtime/dataset"
)

// A taxonomy is edges parent, child in the order of their file.
type taxonomy [][2]string

// firstTopics writes the taxonomy of the first labels, and the rows with these labels alone, into dir and returns the path of
// the rows.
func firstTopics(ctx context.Context, folder, dir string, labels int) (string, error) {
	keep, edges, err := firstEdges(filepath.Join(folder, edgesFile), labels)
	if err != nil {
		return "", err
	}
	if err := os.WriteFile(filepath.Join(dir, "hierarchy.txt"), edges.text(), 0o600); err != nil {
		return "", err
	}
	names, err := keepNames(filepath.Join(folder, labelsFile), keep)
	if err != nil {
		return "", err
	}
	if err := os.WriteFile(filepath.Join(dir, "labels.txt"), names, 0o600); err != nil {
		return "", err
	}
	rows, err := keepLabels(ctx, filepath.Join(folder, topicsFile), keep)
	if err != nil {
		return "", err
	}
	out := filepath.Join(dir, "train.svm")
	return out, os.WriteFile(out, rows, 0o600)
}

// open opens a file, gzipped or not.
func open(path string) (io.ReadCloser, error) {
	f, err := os.Open(path) //nolint:gosec // in the folder that the user names
	if missing, ok := errors.AsType[*fs.PathError](err); ok {
		return nil, dataset.CannotOpen(path, missing)
	}
	if err != nil || !strings.HasSuffix(path, ".gz") {
		return f, err
	}
	z, err := gzip.NewReader(bufio.NewReader(f))
	if err != nil {
		_ = f.Close()
		return nil, cli.WrongInput(fmt.Errorf("%s: %w", path, err))
	}
	return struct {
		io.Reader
		io.Closer
	}{z, f}, nil
}

// readLines calls body with every line that is not blank.
func readLines(path string, body func(line string) error) error {
	f, err := open(path)
	if err != nil {
		return err
	}
	defer f.Close() //nolint:errcheck // only read
	s := bufio.NewScanner(f)
	s.Buffer(nil, 64<<20)
	for n := 1; s.Scan(); n++ {
		line := strings.TrimRight(s.Text(), "\r")
		if strings.TrimSpace(line) == "" {
			continue
		}
		if err := body(line); err != nil {
			return cli.WrongInput(fmt.Errorf("%s:%d: %w", path, n, err))
		}
	}
	if err := s.Err(); err != nil {
		return cli.WrongInput(fmt.Errorf("%s: %w", path, err))
	}
	return nil
}

// firstEdges returns the first labels of a taxonomy, in the order in which its edges name them, and the edges among them.
func firstEdges(path string, labels int) (keep []string, edges taxonomy, err error) {
	var all taxonomy
	err = readLines(path, func(line string) error {
		f := strings.Fields(line)
		if len(f) != 2 {
			return fmt.Errorf("%q is not an edge; a line is `parent child`", line)
		}
		all = append(all, [2]string{f[0], f[1]})
		return nil
	})
	if err != nil {
		return nil, nil, err
	}
	for _, e := range all {
		for _, v := range e {
			if len(keep) < labels && !slices.Contains(keep, v) {
				keep = append(keep, v)
			}
		}
	}
	if len(keep) < labels {
		return nil, nil, cli.WrongInput(fmt.Errorf("%s: %d labels are wanted, and the taxonomy has %d; give a smaller --labels", path, labels, len(keep)))
	}
	for _, e := range all {
		if slices.Contains(keep, e[0]) && slices.Contains(keep, e[1]) {
			edges = append(edges, e)
		}
	}
	return keep, edges, nil
}

func (t taxonomy) text() []byte {
	var b bytes.Buffer
	for _, e := range t {
		fmt.Fprintf(&b, "%s %s\n", e[0], e[1])
	}
	return b.Bytes()
}

// keepNames returns the lines of a labels file for some labels.
func keepNames(path string, keep []string) ([]byte, error) {
	var b bytes.Buffer
	err := readLines(path, func(line string) error {
		if slices.Contains(keep, strings.Fields(line)[0]) {
			b.WriteString(line + "\n")
		}
		return nil
	})
	return b.Bytes(), err
}

// keepLabels returns the rows of a LIBSVM file without other labels.
func keepLabels(ctx context.Context, path string, keep []string) ([]byte, error) {
	var b bytes.Buffer
	err := readLines(path, func(line string) error {
		labels, features, _ := strings.Cut(line, " ")
		kept := slices.DeleteFunc(strings.Split(labels, ","), func(l string) bool { return !slices.Contains(keep, l) })
		b.WriteString(strings.Join(kept, ",") + " " + features + "\n")
		return ctx.Err()
	})
	return b.Bytes(), err
}
