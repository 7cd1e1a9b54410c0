package docs_test

import (
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"os"
	"path"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/sipc-ml/sipc/internal/pagetest"
	"github.com/sipc-ml/sipc/lab/fuzz"
)

var update = flag.Bool("update", false, "rewrite the tables of the page of measurements")

// TestCampaign holds the tables of the campaign to what `sipc-lab bench fuzz --json` printed.
func TestCampaign(t *testing.T) {
	const begin, end = "<!-- campaign: go test ./lab/docs -run Campaign -update -->\n", "<!-- end of campaign -->"
	var s fuzz.Summary
	if err := json.Unmarshal([]byte(pagetest.Read(t, "experiments/runs/fuzz.json")), &s); err != nil {
		t.Fatal(err)
	}
	held(t, begin, campaign(&s), end)
}

// held does what heldOn does, on the page of measurements.
func held(t *testing.T, begin, tables, end string) {
	t.Helper()
	heldOn(t, "measurements.md", begin, tables, end)
}

// heldOn compares what stands between two comments of a page with what its file gives. With -update it rewrites that.
func heldOn(t *testing.T, page, begin, tables, end string) {
	t.Helper()
	text := pagetest.Read(t, page)
	head, rest, _ := strings.Cut(text, begin)
	_, tail, ok := strings.Cut(rest, end)
	if !ok {
		t.Fatalf("%s has no %q … %q", page, begin, end)
	}
	want := head + begin + tables + end + tail
	switch {
	case want == text:
	case *update:
		if err := os.WriteFile(page, []byte(want), 0o600); err != nil {
			t.Fatal(err)
		}
	default:
		t.Errorf("the tables are not those of the file; the command in %q rewrites them:\n%s", begin, tables)
	}
}

// campaign returns the tables: cases by kind, and those that took too long by where they were.
func campaign(s *fuzz.Summary) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%.0f minutes, seeds from %d.\n\n", s.Took.Minutes(), s.First)
	b.WriteString("| cases | runs | done | refused | failed | panics | over 20 s | deaf | gaps missed without a word | certificates | wrong | slowest |\n|---|---|---|---|---|---|---|---|---|---|---|---|\n")
	for _, kind := range fuzz.Kinds() {
		k := s.Kinds[kind]
		if k == nil {
			continue
		}
		fmt.Fprintf(&b, "| %s | %d | %d | %d | %d | %d | %d | %d | %d | %d | %d | %v |\n", kind, k.Runs, k.Ends[fuzz.Done], k.Ends[fuzz.Refused], k.Ends[fuzz.Failed],
			k.Ends[fuzz.Panicked], k.Ends[fuzz.Late], k.Ends[fuzz.Deaf], k.Silent, k.Certificates, k.Wrong, k.Slowest.Round(time.Second/10))
	}
	seeds := map[string][]string{}
	for _, c := range s.Found {
		what := c.End
		switch {
		case c.End == fuzz.Late:
			what = "over 20 s in " + place(c.Message)
		case len(c.Wrong)+len(c.Faults) > 0:
			what = strings.Join(append(c.Wrong, c.Faults...), "; ")
		case c.Silent != "":
			what = c.Silent
		}
		seeds[what] = append(seeds[what], strconv.FormatUint(c.Seed, 10))
	}
	if len(seeds) > 0 {
		b.WriteString("\n| what was found | seeds |\n|---|---|\n")
	}
	for _, what := range slices.Sorted(maps.Keys(seeds)) {
		fmt.Fprintf(&b, "| %s | %s |\n", what, strings.Join(seeds[what], ", "))
	}
	return b.String()
}

// place returns the package that a case was in, beside those that it was called from.
func place(stack string) string {
	var packages []string
	for line := range strings.Lines(stack) {
		name, _, _ := strings.Cut(path.Base(strings.TrimSpace(line)), ".")
		if !slices.Contains([]string{"parallel", "blas", ""}, name) && !slices.Contains(packages, name) {
			packages = append(packages, name)
		}
	}
	return strings.Join(packages[:min(3, len(packages))], " ← ")
}
