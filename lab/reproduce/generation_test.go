package reproduce

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"encoding/json"
	"flag"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write the golden files")

// A generated is what contenders came to under a generation, in testdata/generation.json.
type generated struct {
	Generation int                                      `json:"generation"`
	Figures    map[string]map[string]map[string]float64 `json:"figures"` // of the cell, of the contender
}

// Units are found again by their fingerprints, which hold all but the program. Where the program comes to other figures, generation must
// be another, or pages mix units of both.
func TestGeneration(t *testing.T) {
	data := taxonomyData(t)
	writeImages(t, filepath.Join(data, setMNIST))
	got := generated{Generation: generation, Figures: map[string]map[string]map[string]float64{}}
	cells := append(append(Cells(Table1)[:1], Cells(Table2)[0]), Cells(Table3)[0])
	o := Options{Data: data, Out: t.TempDir(), Runs: 1, Rows: 20, Settings: 2}
	tables, err := Reproduce(t.Context(), cells, o)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range tables.Cells {
		of := map[string]map[string]float64{}
		for _, e := range c.Entries {
			figures := map[string]float64{}
			for _, f := range e.Runs[0].Figures {
				figures[f.Name] = math.Round(f.Value*1e4) / 1e4
			}
			of[e.Contender.Name] = figures
		}
		got.Figures[c.Cell.Name()] = of
	}
	golden := filepath.Join("testdata", "generation.json")
	if *update {
		text, err := json.MarshalIndent(got, "", "  ")
		if err != nil {
			t.Fatal(err)
		}
		write(t, golden, append(text, '\n'))
	}
	text, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	var want generated
	if err := json.Unmarshal(text, &want); err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(want.Figures, got.Figures); d != "" {
		t.Errorf("figures are others than under generation %d; raise generation, and run this test with -update\n%s", want.Generation, d)
	} else if want.Generation != got.Generation {
		t.Errorf("the figures of generation %d are kept, and generation is %d; run this test with -update", want.Generation, got.Generation)
	}
}

// writeImages writes digits: each class is a bright bar at an angle of its own, 9 beside 4.
func writeImages(t *testing.T, dir string) {
	t.Helper()
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	const side, classes, count = 28, 10, 120
	rng := rand.New(rand.NewPCG(3, 4))
	for _, images := range []string{trainImages, testImages} {
		pixels := header(0x803, count, side, side)
		labels := header(0x801, count)
		for i := range count {
			class := i % classes
			labels = append(labels, byte(class))
			angle := math.Pi*float64([]int{0, 1, 2, 3, 4, 6, 7, 8, 9, 5}[class])/classes + 0.3*rng.NormFloat64()
			sin, cos := math.Sincos(angle)
			for y := range side {
				for x := range side {
					u, v := float64(x)-side/2, float64(y)-side/2
					off := u*sin - v*cos
					bright := 200*math.Exp(-off*off/8-(u*u+v*v)/150) + 55*rng.Float64()
					pixels = append(pixels, byte(bright))
				}
			}
		}
		write(t, filepath.Join(dir, images), gzipped(t, pixels))
		write(t, labelsBeside(filepath.Join(dir, images)), gzipped(t, labels))
	}
}

// header is that of an IDX file of bytes.
func header(numbers ...uint32) []byte {
	var out []byte
	for _, n := range numbers {
		out = binary.BigEndian.AppendUint32(out, n)
	}
	return out
}

func gzipped(t *testing.T, text []byte) []byte {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	if _, err := z.Write(text); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}
