package reproduce

import (
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sipc-ml/sipc/runtime/dataset"
)

// changed writes a gzipped file anew with one of its lines, counted from 1, replaced.
func changed(t *testing.T, path string, number int, text string) {
	t.Helper()
	packed, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	z, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		t.Fatal(err)
	}
	whole, err := io.ReadAll(z)
	if err != nil {
		t.Fatal(err)
	}
	list := strings.Split(string(whole), "\n")
	list[number-1] = text
	write(t, path, gzipped(t, []byte(strings.Join(list, "\n"))))
}

// blamed checks that an error is one of data and names a file of the user's, and its line.
func blamed(t *testing.T, err error, file string, number int) {
	t.Helper()
	e, ok := errors.AsType[*dataset.Error](err)
	if !ok {
		t.Fatalf("%v is not an error of data", err)
	}
	if e.File != file || e.Line != number {
		t.Errorf("%v: it names line %d of %s, want line %d of %s", err, e.Line, e.File, number, file)
	}
}

// What is wrong in a hierarchical set is said of the user's file and line, whatever file of ours it was found in.
func TestHierarchyErrorsNameTheUsersFile(t *testing.T) {
	for _, c := range []struct {
		cell, file string
		number     int
	}{
		{"enron", "Enron_corr_trainvalid.arff.gz", 12}, // divided into rows for learning and rows held out
		{"enron", "Enron_corr_trainvalid.arff.gz", 31},
		{"enron", "Enron_corr_trainvalid.arff.gz", 4}, // above the rows
		{"cellcycle", "cellcycle_FUN.valid.arff.gz", 15},
		{"cellcycle", "cellcycle_FUN.test.arff.gz", 9},
	} {
		data := hierarchyData(t)
		path := filepath.Join(data, Hierarchies, c.file)
		changed(t, path, c.number, "0.5,nonsense,2")
		_, err := Classify(t.Context(), Options{Data: data, Out: t.TempDir(), Cells: []string{c.cell}, Settings: 1})
		blamed(t, err, path, c.number)
	}
}

// So it is of rows that are divided, of labels and of a hierarchy that are copied.
func TestTopicErrorsNameTheUsersFile(t *testing.T) {
	o := Options{Cells: []string{"wipo-n100"}, Only: []string{nameEmbed}, Rows: 10, Runs: 1, Settings: 1}
	for file, number := range map[string]int{trainTopics: 17, testTopics: 4} {
		o.Data, o.Out = taxonomyData(t), t.TempDir()
		path := filepath.Join(o.Data, setWIPO, file)
		changed(t, path, number, "0,1,3 1:0.5 2:x")
		_, err := Reproduce(t.Context(), Cells(Table3), o)
		blamed(t, err, path, number)
	}
	for file, text := range map[string]string{edgesFile: "0 1\n1 2\n2 0\n", labelsFile: "0\tR\troot\nA\n"} {
		o.Data, o.Out = taxonomyData(t), t.TempDir()
		path := filepath.Join(o.Data, setWIPO, file)
		write(t, path, []byte(text))
		_, err := Reproduce(t.Context(), Cells(Table3), o)
		blamed(t, err, path, map[string]int{labelsFile: 2}[file])
		if strings.Contains(err.Error(), "reproduce.inv") {
			t.Errorf("%v names a spec that the user never wrote", err)
		}
	}
}

// A file that is not a gzipped one, and images that are of two sizes, are said to be so.
func TestUnreadableSources(t *testing.T) {
	data := taxonomyData(t)
	path := filepath.Join(data, setWIPO, trainTopics)
	write(t, path, []byte("0,1 1:2\n"))
	s := &sources{data: data, out: t.TempDir(), known: map[string]*source{}}
	_, err := s.of(t.Context(), setWIPO)
	blamed(t, err, path, 0)

	writeImages(t, filepath.Join(data, setUSPS))
	write(t, filepath.Join(data, setUSPS, testImages), gzipped(t, append(header(0x803, 120, 2, 2), make([]byte, 480)...)))
	if _, err := s.of(t.Context(), setUSPS); err == nil || !strings.Contains(err.Error(), "another size") {
		t.Errorf("%v; it should say that the images are of two sizes", err)
	}
}
