package docs_test

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"gonum.org/v1/gonum/stat"

	sipc "github.com/sipc-ml/sipc"
	"github.com/sipc-ml/sipc/internal/pagetest"
	"github.com/sipc-ml/sipc/runtime/report"
)

// TestStatementsThatPagesOffer holds the guide and README to statements that the compiler accepts.
func TestStatementsThatPagesOffer(t *testing.T) {
	b := newBench(t)
	for _, page := range []string{"guide.md", "../README.md"} {
		for _, row := range pagetest.Rows(t, pagetest.Read(t, page), "| you know | you write |") {
			for _, m := range quoted.FindAllStringSubmatch(row[1], -1) {
				if !accepted(t, b, m[1]) {
					t.Errorf("%s: no data of the examples take %q", page, m[1])
				}
			}
		}
	}
}

// TestUserGuide holds the guide to specs that the compiler accepts.
func TestUserGuide(t *testing.T) {
	page, b := pagetest.Read(t, "guide.md"), newBench(t)
	specs := 0
	for _, block := range blocks(page) {
		if block.lang != "inv" {
			continue
		}
		specs++
		if ex, list := b.check(t, block.text, block.options["data"]); ex == nil || len(list) != 0 {
			t.Errorf("%s\n%v", block.text, list)
		}
	}
	if specs == 0 {
		t.Error("the guide has no spec")
	}
}

// accepted reports whether some example's data take the statement.
func accepted(t *testing.T, b *bench, statement string) bool {
	t.Helper()
	if !strings.HasPrefix(statement, "require ") {
		statement = "invariance i = " + statement
	}
	for _, s := range settings {
		if ex, list := b.check(t, complete(statement, s.statements), s.data); ex != nil && !list.HasErrors() {
			return true
		}
	}
	return false
}

// brokenFile has the shares of test rows that break a statement under the guide's spec, by change and seed.
var brokenFile = "guide.csv"

// TestRowsThatBreakIt holds the guide's shares to the file of all seeds, and the file to a run of the first; -update runs all.
func TestRowsThatBreakIt(t *testing.T) {
	page := pagetest.Read(t, "guide.md")
	text := blockWith(t, page, "inv", "out/broken.inv")
	said := regexp.MustCompile(`\s(\d+\.\d %) of the test rows break ` + "`increasing").FindStringSubmatch(strings.ReplaceAll(page, "\n", " "))
	if said == nil {
		t.Fatal("the guide does not say what the spec comes to")
	}
	type change struct{ from, to, share string }
	changes := []change{{"", "", said[1]}}
	spans := regexp.MustCompile("`([^`]+)`")
	for _, c := range pagetest.Rows(t, page, "| in place of this | write | test rows that break it |") {
		var written []string
		for _, s := range spans.FindAllStringSubmatch(c[1], -1) {
			written = append(written, s[1])
		}
		changes = append(changes, change{spans.FindStringSubmatch(c[0])[1], strings.Join(written, "\n"), c[2]})
	}
	if len(changes) < 6 {
		t.Errorf("%d changes", len(changes)-1)
	}
	seeds := []uint64{0}
	if *update {
		seeds = []uint64{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}
	}
	var lines [][]string
	for _, c := range changes {
		if c.from != "" && strings.Count(text, c.from) != 1 {
			t.Fatalf("the spec does not hold %q once", c.from)
		}
		for seed, share := range sharesBroken(t, strings.Replace(text, c.from, c.to, 1), seeds) {
			lines = append(lines, []string{c.to, strconv.Itoa(seed), strconv.FormatFloat(share, 'g', 4, 64)})
		}
	}
	if *update {
		writeRecords(t, brokenFile, append([][]string{{"change", "seed", "share"}}, lines...))
	}
	kept := map[string][]float64{}
	for _, r := range pagetest.Records(t, brokenFile) {
		kept[r["change"]] = append(kept[r["change"]], pagetest.Number(t, r["share"]))
	}
	for k, c := range changes {
		shares := kept[c.to]
		if len(shares) != 10 || math.Abs(shares[0]-pagetest.Number(t, lines[k*len(seeds)][2])) > 1e-3 {
			t.Errorf("%q: the file has %v, and a run %s at seed 0; run this test with -update", c.to, shares, lines[k*len(seeds)][2])
		} else if got := fmt.Sprintf("%.1f %%", 100*stat.Mean(shares, nil)); got != c.share {
			t.Errorf("%q: %s of the test rows break it, and the guide says %s", c.to, got, c.share)
		}
	}
}

// writeRecords writes lines as a CSV file.
func writeRecords(t *testing.T, path string, lines [][]string) {
	t.Helper()
	var b bytes.Buffer
	if err := csv.NewWriter(&b).WriteAll(lines); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, b.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
}

// sharesBroken runs a spec on houses and returns the shares of test rows that break dearer, by seed.
func sharesBroken(t *testing.T, text string, seeds []uint64) []float64 {
	t.Helper()
	folder := filepath.Join(examples, "houses")
	spec := sipc.NewSpec(t.Context(), filepath.Join(folder, "broken.inv"), []byte(text), sipc.SpecOptions{})
	if err := spec.Err(); err != nil {
		t.Fatalf("%s\n%v", text, err)
	}
	defer spec.Close()
	s, err := sipc.RunSeeds(t.Context(), spec, sipc.RunOptions{Data: filepath.Join(folder, "houses.csv")}, seeds)
	if err != nil {
		t.Fatal(err)
	}
	k := slices.IndexFunc(s.Metrics, func(m report.Spread) bool { return m.Metric == "share of test rows that break dearer" })
	if k < 0 || len(s.Failed) > 0 || len(s.GapsMissed) > 0 {
		t.Fatalf("%s\n%+v, gaps missed %v", text, s.Failed, s.GapsMissed)
	}
	var out []float64
	for _, v := range s.Metrics[k].Values {
		out = append(out, float64(v))
	}
	return out
}
