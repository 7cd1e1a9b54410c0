package sipc_test

import (
	"encoding/csv"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	sipc "github.com/sipc-ml/sipc"
	"github.com/sipc-ml/sipc/runtime/setting"
)

// slopes writes rows of a number that grows with two columns, the second times a factor, with a gap and a text beside them.
func slopes(t *testing.T, rows int, factor float64) string {
	t.Helper()
	rng := rand.New(rand.NewPCG(5, 6))
	var b strings.Builder
	b.WriteString("u,v,w,region,y\n")
	for i := range rows {
		u, v, w := rng.NormFloat64(), rng.NormFloat64(), strconv.FormatFloat(rng.NormFloat64(), 'g', -1, 64)
		if i%7 == 3 {
			w = ""
		}
		y := u + math.Sin(3*v) + .3*rng.NormFloat64()
		fmt.Fprintf(&b, "%v,%v,%s,%s,%v\n", u, factor*v, w, []string{"north", "south"}[i%2], y)
	}
	path := filepath.Join(t.TempDir(), "slopes.csv")
	if err := os.WriteFile(path, []byte(b.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// predicted are the scores of a run's test rows.
func predicted(t *testing.T, spec string, o sipc.RunOptions) []float64 {
	t.Helper()
	o.Out, o.Embeddings = filepath.Join(t.TempDir(), "out"), "none"
	run(t, spec, o)
	f, err := os.Open(filepath.Join(o.Out, "predictions.csv"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	records, err := csv.NewReader(f).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	var out []float64
	for _, r := range records[1:] {
		v, err := strconv.ParseFloat(r[len(r)-1], 64)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, v)
	}
	return out
}

const slopesSpec = `
data { target y : real; missing mean; standardize; split train = 30, test = 20 }
kernel gaussian(width = median)
features nystrom(landmarks = all)
invariance level = rms over x of |d/d(v) f|
invariance gaps  = rms over x of |d/d(w) f| + rms over x of |d/d("region=north") f|
regularize 0.5 * level, 0.1 * gaps
learn ridge(lambda = 0.1)
method `

// Under standardize the unit in which a file has a column is of no account.
func TestUnitOfAColumn(t *testing.T) {
	metres, millimetres := slopes(t, 50, 1), slopes(t, 50, 1000)
	for _, method := range []setting.Method{setting.Embed, setting.Risk, setting.Plain} {
		spec := slopesSpec + string(method)
		want := predicted(t, spec, sipc.RunOptions{Data: metres})
		for i, v := range predicted(t, spec, sipc.RunOptions{Data: millimetres}) {
			if math.Abs(v-want[i]) > 1e-9 {
				t.Errorf("method %s: row %d has the score %v, and %v in thousandths", method, i, want[i], v)
			}
		}
	}
	raw := strings.Replace(slopesSpec, "d/d(v)", "d/d(v, unit = raw)", 1) + "risk"
	if a, b := predicted(t, raw, sipc.RunOptions{Data: metres}), predicted(t, raw, sipc.RunOptions{Data: millimetres}); math.Abs(a[0]-b[0]) < 1e-3 {
		t.Errorf("per unit of the file, the score is %v and %v", a[0], b[0])
	}
}

// Where rows decide, and not the norm of f, the weight that halves what R comes to is about the same on few of them and on many.
func TestWeightThatHalvesR(t *testing.T) {
	const spec = `
data { target y : real; missing mean; split train = %d, test = 20 }
kernel gaussian(width = median)
features nystrom(landmarks = 60)
invariance level = rms over x of |d/d(v) f|
regularize %v * level
learn ridge(lambda = 0.01)
method risk
`
	var weights []float64
	for _, rows := range []int{60, 240, 960} {
		data := slopes(t, rows+20, 1)
		value := func(weight float64) float64 {
			return float64(run(t, fmt.Sprintf(spec, rows, weight), sipc.RunOptions{Data: data}).Regularizer[0].Value)
		}
		half, low, high := value(1e-6)/2, 1e-4, 1e2
		for range 9 {
			if middle := math.Sqrt(low * high); value(middle) > half {
				low = middle
			} else {
				high = middle
			}
		}
		weights = append(weights, math.Sqrt(low*high))
	}
	if most := slices.Max(weights) / slices.Min(weights); most >= 1.5 {
		t.Errorf("R is half at the weights %v for 60, 240 and 960 rows: they differ %.2f-fold", weights, most)
	}
}
