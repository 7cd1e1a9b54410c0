package reproduce

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/google/renameio/v2"

	"github.com/sipc-ml/sipc/runtime/metric"
)

// WriteHierarchies writes a page about hierarchical sets, and CSV.
func WriteHierarchies(dir string, sets []*HierarchyResult, about About) error {
	if err := os.MkdirAll(dir, 0o755); err != nil { //nolint:gosec // results are no secret
		return err
	}
	if err := writeHierarchyRuns(dir, sets); err != nil {
		return err
	}
	var b strings.Builder
	fmt.Fprintf(&b, "# %s\n\n## Hierarchies at full size\n\n", Hierarchies)
	about.write(&b)
	b.WriteString(hierarchyText)
	b.WriteString("The first step compares, for both: " + settingsText(kernelSettings()) + ".\n\n")
	b.WriteString("The second compares, around the best of the first: plain, half, twice, a quarter and four times its lambda; risk, as weights of (implications, near·√lambda), ")
	var weights []string
	for _, w := range riskWeights() {
		weights = append(weights, fmt.Sprintf("(%g, %g)", w[0], w[1]))
	}
	b.WriteString(strings.Join(weights, ", ") + ".\n\n")
	b.WriteString("| set | contender | rows | labels | AU(PRC) before closure | after | C-HMCNN | after − C-HMCNN | rows that break an implication before | after | gap | fit, s | search, s |\n" +
		"|---|---|---|---|---|---|---|---|---|---|---|---|---|\n")
	for _, s := range sets {
		s.lines(&b)
	}
	b.WriteByte('\n')
	for _, s := range sets {
		s.verdict(&b)
	}
	if run := lastRun(sets); run != nil {
		fmt.Fprintf(&b, "A spec that was run, on the training rows of %s with `--test` its test rows:\n\n```\n%s```\n", run.name, run.text)
	}
	return renameio.WriteFile(filepath.Join(dir, Hierarchies+".md"), []byte(b.String()), readable)
}

const hierarchyText = "Published splits, features as numbers, gaps filled with the training rows' mean, all classes that the files declare and all above them. " +
	"The figure is the area under the precision–recall curve of all rows and labels together. *plain* is least squares with a bias in the space of a " +
	"Laplacian kernel, R = 0; *risk* the same loss and kernel with R, where *implications* is the worst [f(child) − f(parent)]₊ of a row and *near* the root of " +
	"the sum of |f(child) − f(parent)|² over the edges, both in root mean square over rows. *after* is after `decode closure`: every label gets the largest " +
	"score of its own and those below it. " +
	"Settings are compared on training rows alone, on the published valid split, or where there is none on a third of the training rows drawn once " +
	"(rows are learnt on the other two), by AU(PRC) after the closure; the choice never looks at test rows. For that the fit is made anew on all training rows, those " +
	"of the valid split among them, as C-HMCNN does it. The published figures are means of ten runs of C-HMCNN; nothing here is drawn.\n\n"

// A ranSpec is a spec as it was run on a set.
type ranSpec struct{ name, text string }

// lastRun is the spec of the last contender on the first set; nil where none ran.
func lastRun(sets []*HierarchyResult) *ranSpec {
	for _, s := range sets {
		if n := len(s.Entries); n > 0 {
			e := s.Entries[n-1]
			return &ranSpec{s.Set, e.Chosen.spec(e.Contender, 0)}
		}
	}
	return nil
}

// settingsText are the settings of the first step, those of a kernel together.
func settingsText(list []HierarchySetting) string {
	var kernels []string
	lambdas := map[string][]string{}
	for _, s := range list {
		kernel, _, _ := strings.Cut(s.String(), ", lambda")
		if lambdas[kernel] == nil {
			kernels = append(kernels, kernel)
		}
		lambdas[kernel] = append(lambdas[kernel], number(s.Lambda))
	}
	for k, kernel := range kernels {
		kernels[k] = fmt.Sprintf("%s, lambda in {%s}", kernel, strings.Join(lambdas[kernel], ", "))
	}
	return strings.Join(kernels, " · ")
}

// seconds are those of a step.
func seconds(runs []*HierarchyRun) (sum float64) {
	for _, r := range runs {
		sum += r.Seconds
	}
	return sum
}

// lines are the set's in the table.
func (s *HierarchyResult) lines(b *strings.Builder) {
	for _, e := range s.Entries {
		r := e.Run
		open, _ := r.Open.Get(metric.AUPRC)
		gap := fmt.Sprintf("%.1e", r.Gap)
		if !r.Reached {
			gap += ", not reached"
		}
		search := seconds(e.Choices) + seconds(s.Kernels)
		fmt.Fprintf(b, "| %s | %s | %d / %d | %d | %s | **%s** | %.3f | %+.4f | %d of %d | %d of %d | %s | %.0f | %.0f |\n",
			s.Set, e.Contender, r.NTrain, r.NTest, r.Labels, points(open), points(r.area()), s.Published, r.area()-s.Published,
			r.OpenViolating, r.NTest, r.Violating, r.NTest, gap, r.Seconds, search)
	}
}

// verdict is what was chosen, and what came of it.
func (s *HierarchyResult) verdict(b *strings.Builder) {
	fmt.Fprintf(b, "**%s**, compared on %s", s.Set, s.Held)
	b.WriteString(".")
	for _, e := range s.Entries {
		d := e.Run.area() - s.Published
		fmt.Fprintf(b, " %s: %s; %s C-HMCNN by %s.", e.Contender, e.Chosen.String(), aboveBelow(d), points(max(d, -d)))
	}
	b.WriteString("\n\n")
}

// writeHierarchyRuns writes all figures of runs, and all settings compared.
func writeHierarchyRuns(dir string, sets []*HierarchyResult) error {
	runs := [][]string{{"set", "method", "setting", "closure", "figure", "value"}}
	choices := [][]string{{"set", "method", "step", "setting", "auprc", "open_auprc", "seconds"}}
	for _, s := range sets {
		choices = append(choices, choiceRecords(s.Set, namePlain, kernelStep, s.Kernels)...)
		for _, e := range s.Entries {
			choices = append(choices, choiceRecords(s.Set, e.Contender, choiceStep, e.Choices)...)
			r := e.Run
			for k, figures := range []metric.Figures{r.Open, r.Figures} {
				for _, f := range figures {
					runs = append(runs, []string{s.Set, e.Contender, e.Chosen.String(), strconv.FormatBool(k == 1), f.Name, number(f.Value)})
				}
				violating := []int{r.OpenViolating, r.Violating}[k]
				runs = append(runs, []string{s.Set, e.Contender, e.Chosen.String(), strconv.FormatBool(k == 1), "rows_violating", strconv.Itoa(violating)})
			}
		}
	}
	if err := writeCSV(filepath.Join(dir, Hierarchies+".csv"), runs); err != nil {
		return err
	}
	return writeCSV(filepath.Join(dir, Hierarchies+"-choices.csv"), choices)
}

func choiceRecords(set, contender, step string, runs []*HierarchyRun) [][]string {
	var out [][]string
	for _, r := range runs {
		open, _ := r.Open.Get(metric.AUPRC)
		out = append(out, []string{set, contender, step, r.Setting.String(), number(r.area()), number(open), number(r.Seconds)})
	}
	return out
}
