package reproduce

import (
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/google/renameio/v2"

	"github.com/sipc-ml/sipc/runtime/metric"
)

// Write writes a page about the sets, and CSV.
func (t *HierarchyTable) Write(dir string, about About) error {
	if err := openOut(dir); err != nil {
		return err
	}
	if err := writeHierarchyRuns(dir, t.Sets); err != nil {
		return err
	}
	var b strings.Builder
	fmt.Fprintf(&b, "# %s\n\n## %s\n\n", Hierarchies, t.title())
	about.write(&b, t.revisions()...)
	b.WriteString(hierarchyText)
	t.search(&b)
	t.head(&b)
	for _, s := range t.Sets {
		s.lines(&b, t.Rows == 0)
	}
	b.WriteByte('\n')
	for _, s := range t.Sets {
		s.verdict(&b, t.Rows == 0)
	}
	if run := t.lastRun(); run != nil {
		fmt.Fprintf(&b, "A spec that was run, on the training rows of %s with `--test` its test rows:\n\n```\n%s```\n", run.name, run.text)
	}
	return renameio.WriteFile(filepath.Join(dir, Hierarchies+".md"), []byte(b.String()), readable)
}

// title returns the heading of the page.
func (t *HierarchyTable) title() string {
	if t.Rows > 0 {
		return fmt.Sprintf("Hierarchies of %d rows", t.Rows)
	}
	return "Hierarchies at full size"
}

// search says which settings were compared.
func (t *HierarchyTable) search(b *strings.Builder) {
	fmt.Fprintf(b, "The first step compares these settings for both:\n\n%s.\n\n", settingsText(bounded(t.Settings, kernelSettings())))
	var factors, weights []string
	for _, f := range bounded(t.Settings, plainFactors()) {
		factors = append(factors, number(f))
	}
	for _, w := range bounded(t.Settings, riskWeights()) {
		weights = append(weights, number(w))
	}
	fmt.Fprintf(b, "The second step compares settings around the best of the first. For plain it multiplies lambda, or 1/C, by %s. For risk it takes near = w/√(n·lambda) under ridge and w·√(C/(100·n)) under softmax, w from %s. Under ridge it adds implications with weight 1/√n, n being the number of training rows. "+
		"plain takes the best of these %d and of what the first step chose, risk the best of its %d. So the control has one more to pick from, and risk always has R.\n\n",
		strings.Join(factors, ", "), strings.Join(weights, ", "), len(factors), len(weights))
}

// head writes the head of the table. Published figures are those of all rows, and stand beside no others.
func (t *HierarchyTable) head(b *strings.Builder) {
	columns := "set | contender | rows | labels | AU(PRC) before closure | after"
	if t.Rows == 0 {
		b.WriteString("The published figures are means of ten runs of C-HMCNN.\n\n")
		columns += " | C-HMCNN | after − C-HMCNN"
	} else {
		fmt.Fprintf(b, "Each set is cut to %d training rows, and as many test rows, drawn by seed 0; the figures of C-HMCNN, which learnt on all, are left out.\n\n", t.Rows)
	}
	columns += " | rows that break an implication before | after | gap | fit, s | search, s"
	fmt.Fprintf(b, "| %s |\n|%s\n", columns, strings.Repeat("---|", 1+strings.Count(columns, "|")))
}

// revisions returns the revisions of the program that did the units.
func (t *HierarchyTable) revisions() []string {
	var out []string
	for _, s := range t.Sets {
		runs := s.Kernels
		for _, e := range s.Entries {
			runs = append(slices.Concat(runs, e.Choices), e.Run)
		}
		for _, r := range runs {
			out = append(out, r.Revision)
		}
	}
	return out
}

const hierarchyText = "Published splits, features as numbers, gaps filled with the training rows' mean, all classes that the files declare and all above them. " +
	"The figure is the area under the precision–recall curve of all rows and labels together, the roots of an ontology left out as C-HMCNN does it. The contender *plain* is least squares with a bias, or softmax on label sets, in the space of a kernel, R = 0. The contender *risk* adds R to the same loss and kernel. It has two parts, both in root mean square over rows. The part *implications* is the worst " +
	"[f(child) − f(parent)]₊ of a row, the part *near* the root of the sum of |f(child) − f(parent)|² over the edges. The column *after* is " +
	"after `decode closure`: every label gets the largest score among its own and the scores below it. Settings are compared on " +
	"training rows alone, by AU(PRC) after the closure, on the published valid split. Sets without one take a third of the training " +
	"rows, 6000 at most, drawn once, and learn on the other two thirds. The choice never looks at test rows. In the first step a setting without `standardize` must be ahead of the best with it by more than 0.01. The final fit is made anew on all training rows, including the valid split, as C-HMCNN does it. Each contender has one run, on the published split.\n\n"

// A ranSpec is a spec as it was run on a set.
type ranSpec struct{ name, text string }

// lastRun returns the spec of the last contender on the first set; nil means that none ran.
func (t *HierarchyTable) lastRun() *ranSpec {
	for _, s := range t.Sets {
		if n := len(s.Entries); n > 0 {
			e := s.Entries[n-1]
			return &ranSpec{s.Set, e.Chosen.spec(e.Contender, e.Run.NTrain, t.Rows > 0)}
		}
	}
	return nil
}

// settingsText writes the settings of the first step, those of a kernel together.
func settingsText(list []HierarchySetting) string {
	var kernels []string
	learners := map[string][]string{}
	for _, s := range list {
		kernel := strings.TrimSuffix(s.String(), ", "+s.learner())
		if learners[kernel] == nil {
			kernels = append(kernels, kernel)
		}
		learners[kernel] = append(learners[kernel], s.learner())
	}
	for k, kernel := range kernels {
		kernels[k] = fmt.Sprintf("%s, with %s", kernel, strings.Join(learners[kernel], ", "))
	}
	return strings.Join(kernels, " · ")
}

// seconds returns the seconds of a step.
func seconds(runs []*HierarchyRun) (sum float64) {
	for _, r := range runs {
		sum += r.Seconds
	}
	return sum
}

// lines writes the set's lines of the table, beside the published figure where they are compared with it.
func (s *HierarchyResult) lines(b *strings.Builder, compared bool) {
	for _, e := range s.Entries {
		r := e.Run
		open, _ := r.Open.Get(metric.AUPRC)
		gap := fmt.Sprintf("%.1e", r.Gap)
		if !r.Reached {
			gap += ", not reached"
		}
		beside := ""
		if compared {
			beside = fmt.Sprintf(" %.3f | %+.4f |", s.Published, r.area()-s.Published)
		}
		search := seconds(e.Choices) + seconds(s.Kernels)
		fmt.Fprintf(b, "| %s | %s | %d / %d | %d | %s | **%s** |%s %d of %d | %d of %d | %s | %.0f | %.0f |\n",
			s.Set, e.Contender, r.NTrain, r.NTest, r.Labels, points(open), points(r.area()), beside,
			r.OpenViolating, r.NTest, r.Violating, r.NTest, gap, r.Seconds, search)
	}
}

// verdict writes which setting was chosen and what came of it.
func (s *HierarchyResult) verdict(b *strings.Builder, compared bool) {
	fmt.Fprintf(b, "**%s**, compared on %s.", s.Set, s.Held)
	for _, e := range s.Entries {
		fmt.Fprintf(b, " %s: %s", e.Contender, e.Chosen.String())
		if d := e.Run.area() - s.Published; compared {
			fmt.Fprintf(b, "; %s C-HMCNN by %s", aboveBelow(d), points(max(d, -d)))
		}
		b.WriteByte('.')
	}
	b.WriteString("\n\n")
}

// writeHierarchyRuns writes all figures of runs, and all settings compared.
func writeHierarchyRuns(dir string, sets []*HierarchyResult) error {
	runs := [][]string{{"set", "method", "setting", "closure", "figure", "value"}}
	choices := [][]string{{"set", "method", "step", "setting", "auprc", "open_auprc", "gap", "reached", "seconds"}}
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
		out = append(out, []string{set, contender, step, r.Setting.String(), number(r.area()), number(open), number(r.Gap), strconv.FormatBool(r.Reached), number(r.Seconds)})
	}
	return out
}
