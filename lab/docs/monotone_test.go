package docs_test

import (
	"fmt"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

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
