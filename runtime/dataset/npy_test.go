package dataset_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/sbinet/npyio"
	"gonum.org/v1/gonum/mat"

	"github.com/sipc-ml/sipc/runtime/dataset"
	"github.com/sipc-ml/sipc/runtime/setting"
)

// npy is a NumPy array with a header as NumPy writes it.
func npy(descr, order, shape string, data any) string {
	header := fmt.Sprintf("{'descr': %s, 'fortran_order': %s, 'shape': %s, }", descr, order, shape)
	header += strings.Repeat(" ", 64-(len(header)+11)%64) + "\n"
	b := bytes.NewBufferString("\x93NUMPY\x01\x00")
	_ = binary.Write(b, binary.LittleEndian, uint16(len(header)))
	b.WriteString(header)
	if data != nil {
		var order binary.ByteOrder = binary.LittleEndian
		if strings.Contains(descr, ">") {
			order = binary.BigEndian
		}
		_ = binary.Write(b, order, data)
	}
	return b.String()
}

// Arrays of all sorts of numbers are read, in either order of rows and columns and of bytes.
func TestNPY(t *testing.T) {
	for descr, data := range map[string]any{
		"'<f8'": []float64{1, 2, 3, 4, 5, 6}, "'>f8'": []float64{1, 2, 3, 4, 5, 6}, "'<f4'": []float32{1, 2, 3, 4, 5, 6}, "'<f2'": []uint16{0x3c00, 0x4000, 0x4200, 0x4400, 0x4500, 0x4600},
		"'|i1'": []int8{1, 2, 3, 4, 5, 6}, "'|u1'": []uint8{1, 2, 3, 4, 5, 6}, "'<i2'": []int16{1, 2, 3, 4, 5, 6}, "'>u2'": []uint16{1, 2, 3, 4, 5, 6}, "'<i8'": []int64{1, 2, 3, 4, 5, 6},
		"'>i4'": []int32{1, 2, 3, 4, 5, 6},
	} {
		for order, want := range map[string][][]float64{"False": {{1, 4}, {2, 5}, {3, 6}}, "True": {{1, 2}, {3, 4}, {5, 6}}} {
			table := mustOpen(t, write(t, "a.npy", npy(descr, order, "(2, 3)", data)))
			for j, cells := range want {
				if diff := cmp.Diff(cells, column(t, table, fmt.Sprint("x", j+1)).Numbers); diff != "" {
					t.Errorf("%s %s: %s", descr, order, diff)
				}
			}
		}
	}
	table := mustOpen(t, write(t, "a.npy.gz", gzipped(npy("'<f8'", "False", "(1, 3)", []float64{math.NaN(), 0.1, -1e-300}))))
	if diff := cmp.Diff([]float64{math.NaN()}, column(t, table, "x1").Numbers, cmpopts.EquateNaNs()); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]float64{-1}, column(t, mustOpen(t, write(t, "a.npy", npy("'<i2'", "False", "(1, 1)", []int16{-1}))), "x1").Numbers); diff != "" {
		t.Error(diff)
	}
	// An array that a library wrote.
	path := filepath.Join(t.TempDir(), "a.npy")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := npyio.Write(f, mat.NewDense(2, 2, []float64{1, 2, 3, 4})); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]float64{2, 4}, column(t, mustOpen(t, path), "x2").Numbers); diff != "" {
		t.Error(diff)
	}
}

// The labels of an array lie beside it, and the target may have any name; or a column is the target.
func TestLabelsOfNPY(t *testing.T) {
	rows := npy("'<f8'", "False", "(4, 2)", []float64{1, 2, 3, 4, 5, 6, 7, 8})
	for name, labels := range map[string]string{
		"X.npy": "y.npy", "train_X.npy": "train_y.npy", "X-test.npy": "y-test.npy", "iris_features.npy": "iris_labels.npy", "rows.npy": "rows_labels.npy", "data.npy": "labels.npy",
	} {
		dir := t.TempDir()
		for file, content := range map[string]string{name: rows, labels: npy("'<i8'", "False", "(4,)", []int64{0, 1, 0, 1})} {
			if err := os.WriteFile(filepath.Join(dir, file), []byte(content), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		table := mustOpen(t, filepath.Join(dir, name))
		p := mustPrepare(t, &setting.Data{Target: target(setting.Class, "kind"), Split: setting.Split{Train: 2, Test: 2}}, table, nil)
		if diff := cmp.Diff([]string{"0", "1"}, p.Train.LabelNames); diff != "" || table.LabelsPath != filepath.Join(dir, labels) || table.LabelsSHA256 == "" {
			t.Errorf("%s: %s %s", name, diff, table.LabelsPath)
		}
	}
	table := mustOpen(t, write(t, "X.npy", rows))
	p := mustPrepare(t, &setting.Data{Target: target(setting.Real, "x2"), Split: setting.Split{Train: 2, Test: 2}}, table, nil)
	if diff := cmp.Diff([]string{"x1"}, p.Train.Columns); diff != "" {
		t.Error(diff)
	}
	_, err := dataset.Prepare(context.Background(), &setting.Data{Target: target(setting.Class, "kind")}, table, nil, 1)
	if err == nil || !strings.Contains(err.Error(), "no array of labels lies beside the array; save it as ") {
		t.Error(err)
	}
}

func FuzzNPY(f *testing.F) {
	f.Add([]byte(npy("'<f8'", "False", "(2, 2)", []float64{1, 2, 3, 4})))
	f.Add([]byte(npy("'>i2'", "True", "(2, 1)", []int16{1, 2})))
	f.Add([]byte(npy("[('a', '<f8')]", "False", "(2,)", []float64{1, 2})))
	fuzzFile(f, "X.npy")
}
