package docs_test

import (
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	sipc "github.com/sipc-ml/sipc"
	"github.com/sipc-ml/sipc/internal/pagetest"
	"gonum.org/v1/gonum/stat"
)

// TestTableOfMonotone holds the page on monotone statements to the file of its runs: shares of rows, and differences of the error.
func TestTableOfMonotone(t *testing.T) {
	kept := map[string][2][]float64{} // of risk and plain, by data and figure
	for _, r := range pagetest.Records(t, filepath.Join("experiments", "monotone.csv")) {
		key := r["data"] + " " + r["figure"]
		kept[key] = [2][]float64{append(kept[key][0], pagetest.Number(t, r["risk"])), append(kept[key][1], pagetest.Number(t, r["plain"]))}
	}
	page := pagetest.Read(t, filepath.Join("experiments", "monotone.md"))
	names := map[string]string{"area": "larger_is_dearer"}
	data, claims := "", []claim{}
	for _, row := range pagetest.Rows(t, page, "| data | statement | R | plain |") {
		if row[0] != "" {
			data, _, _ = strings.Cut(row[0], ",")
		}
		words := strings.Fields(row[1])
		name := words[len(words)-1]
		if other, ok := names[name]; ok {
			name = other
		}
		training, test := kept[data+" share of training rows that break "+name], kept[data+" share of test rows that break "+name]
		for k, method := range []string{"R", "plain"} {
			if len(training[k]) != 10 || len(test[k]) != 10 {
				t.Fatalf("%s, %s: the file has %d and %d seeds", data, name, len(training[k]), len(test[k]))
			}
			claims = append(claims, claim{0, data + ", " + row[1] + ", " + method, row[2+k], perCent(training[k]) + " · " + perCent(test[k])})
		}
		if stat.Mean(training[0], nil) >= stat.Mean(training[1], nil) || stat.Mean(test[0], nil) >= stat.Mean(test[1], nil) {
			t.Errorf("%s, %s: the page says that every mean is below plain's", data, name)
		}
	}
	hold(t, claims, 16)
	difference := regexp.MustCompile(`(houses|diabetes|auto-mpg) ([−+])(\d+\.\d+) ± (\d+\.\d+)`)
	errors := difference.FindAllStringSubmatch(strings.ReplaceAll(page, "\n", " "), -1)
	var said []claim
	for _, d := range errors {
		of := kept[d[1]+" rmse"]
		said = append(said, claim{0, d[1] + ", RMSE", d[2] + d[3] + " ± " + d[4], signed(of[0], of[1], pagetest.Decimals(d[3]))})
	}
	hold(t, said, 3)
}

// TestRunOfMonotone holds the file to a run of the page's command on houses at its first seed.
func TestRunOfMonotone(t *testing.T) {
	dir := t.TempDir()
	houses := filepath.Join("..", "..", "examples", "houses")
	build := exec.CommandContext(t.Context(), "go", "build", "-o", filepath.Join(dir, "sipc-family-swaps"), "./"+houses+"/swaps")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, name := range []string{"houses.inv", "edges.csv"} {
		text := pagetest.Read(t, filepath.Join(houses, name))
		if err := os.WriteFile(filepath.Join(dir, name), []byte(strings.ReplaceAll(text, "regularize 20", "regularize auto")), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("SIPC_TRUST", t.TempDir())
	if _, err := sipc.AddPlugin(t.Context(), filepath.Join(dir, "sipc-family-swaps"), sipc.AddOptions{Dir: dir}); err != nil {
		t.Fatal(err)
	}
	spec, err := sipc.LoadSpec(t.Context(), filepath.Join(dir, "houses.inv"), sipc.SpecOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer spec.Close()
	run, err := sipc.RunSeeds(t.Context(), spec, sipc.RunOptions{Data: filepath.Join(houses, "houses.csv"), Baseline: true}, []uint64{0})
	if err != nil || len(run.Failed) > 0 || len(run.GapsMissed) > 0 {
		t.Fatalf("%v, %+v", err, run)
	}
	got := map[string]float64{}
	for _, m := range run.Metrics {
		got["risk "+m.Metric] = float64(m.Values[0])
	}
	for _, m := range run.Contenders[0].Metrics {
		got["plain "+m.Metric] = float64(m.Values[0])
	}
	for _, r := range pagetest.Records(t, filepath.Join("experiments", "monotone.csv")) {
		for _, method := range []string{"risk", "plain"} {
			if r["data"] == "houses" && r["seed"] == "0" && math.Abs(got[method+" "+r["figure"]]-pagetest.Number(t, r[method])) > 2e-3 {
				t.Errorf("%s, %s: the file has %s, and a run %g", method, r["figure"], r[method], got[method+" "+r["figure"]])
			}
		}
	}
}

// perCent returns the mean of shares in per cent, 0 without decimals.
func perCent(shares []float64) string {
	if mean := stat.Mean(shares, nil); mean > 0 {
		return fmt.Sprintf("%.1f", 100*mean)
	}
	return "0"
}

// signed returns the mean of a paired difference with its sign and half of its interval, in so many digits.
func signed(a, b []float64, digits int) string {
	g := pagetest.Paired(a, b)
	return strings.ReplaceAll(fmt.Sprintf("%+.*f ± %.*f", digits, g.Mean/100, digits, g.Half/100), "-", "−")
}
