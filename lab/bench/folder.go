package bench

import (
	"errors"
	"os"
	"path/filepath"
	"strings"

	"github.com/sipc-ml/sipc/runtime/dataset"
)

// A Source is a data set that benchmarks read: a folder of files.
type Source struct {
	Name  string   // of its folder, within one that holds several
	Files []string // all that are read
	Where string   // where people get it
}

// The data sets.
var (
	Digits = Source{"mnist", []string{
		"train-images-idx3-ubyte.gz", "train-labels-idx1-ubyte.gz", "t10k-images-idx3-ubyte.gz", "t10k-labels-idx1-ubyte.gz",
	}, "MNIST, such as https://ossci-datasets.s3.amazonaws.com/mnist/"}
	Topics = Source{
		"wipo",
		[]string{"train.svm.gz", "test.svm.gz", "labels.txt", "hierarchy.txt"},
		"any multilabel LIBSVM data with a name a line for labels and `parent child` a line for a taxonomy, such as WIPO-alpha",
	}
)

// Wanted says which files are wanted, and where they come from.
func (s *Source) Wanted() string {
	return strings.Join(s.Files, ", ") + " (" + s.Where + ")"
}

// Find returns the folder of the data set: the one given, or the one of the set's name in it. The error of a file that is in neither
// is a *dataset.Error. The files are those that are needed, all of them where none is named.
func (s *Source) Find(folder string, files ...string) (string, error) {
	if len(files) == 0 {
		files = s.Files
	}
	within := filepath.Join(folder, s.Name)
	if _, err := os.Stat(filepath.Join(folder, files[0])); err == nil {
		within = folder
	} else if info, err := os.Stat(within); err != nil || !info.IsDir() {
		if info, err := os.Stat(folder); err == nil && info.IsDir() {
			within = folder
		}
	}
	for _, name := range files {
		path := filepath.Join(within, name)
		if _, err := os.Stat(path); err != nil {
			missing := dataset.CannotOpen(path, err)
			if e, ok := errors.AsType[*dataset.Error](missing); ok {
				e.Mend = "wanted in " + folder + " or its folder " + s.Name + ": " + s.Wanted()
			}
			return "", missing
		}
	}
	return within, nil
}
