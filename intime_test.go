package sipc

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/sipc-ml/sipc/runtime/learn"
	"github.com/sipc-ml/sipc/runtime/report"
	"github.com/sipc-ml/sipc/runtime/rival"
	"github.com/sipc-ml/sipc/runtime/setting"
)

// yearly writes rows of 40 years, some with a gap. Rows from a year on hold other numbers, another text and another class.
func yearly(t *testing.T, otherFrom int) string {
	t.Helper()
	random := rand.New(rand.NewPCG(9, 1))
	var b strings.Builder
	b.WriteString("when,u,place,side\n")
	for year := range 40 {
		for range 3 {
			u, side := random.NormFloat64(), random.IntN(2)
			if random.Float64() < 0.7 && u > 0 {
				side = 1
			}
			u, place := u+float64(year)/40, []string{"north", "south"}[random.IntN(2)]
			if year >= otherFrom {
				u, side, place = 100-50*u, 1-side, "elsewhere"
			}
			number := fmt.Sprint(u)
			if random.IntN(9) == 0 {
				number = ""
			}
			fmt.Fprintf(&b, "%d,%s,%s,%s\n", 1980+year, number, place, []string{"left", "right"}[side])
		}
	}
	path := filepath.Join(t.TempDir(), "data.csv")
	if err := os.WriteFile(path, []byte(b.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

const yearlySpec = `
data { target side : class; split time = when, test = 25%%; ignore when; missing mask(median); weight balanced; standardize }
kernel gaussian(width = %s)
features nystrom(landmarks = rows)
learn svm(C = %s)
invariance steady = rms over x, t in {move(u, 0.5)} of |f(t(x)) - f(x)|
regularize %s * steady
`

// inTimeSpec returns a spec with a width, a strength and a weight.
func inTimeSpec(t *testing.T, width, strength, weight string) *Spec {
	t.Helper()
	spec := NewSpec(t.Context(), filepath.Join(t.TempDir(), "spec.inv"), fmt.Appendf(nil, yearlySpec, width, strength, weight), SpecOptions{})
	if err := spec.Err(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = spec.Close() })
	return spec
}

// foldScores returns what each candidate of a choice reaches in each fold.
func foldScores(c *learn.Choice) (out [][]float64) {
	for k := range c.Scores {
		out = append(out, c.Scores[k].Folds)
	}
	return out
}

// chosenBy returns the scores of all candidates in all folds: of a search, or of a fit and of method plain.
func chosenBy(t *testing.T, spec *Spec, data string) (out [][]float64) {
	t.Helper()
	s, err := settle(t.Context(), spec, RunOptions{Data: data}, newJournal(nil))
	if err != nil {
		t.Fatal(err)
	}
	autos := autosOf(spec.Plan.Grid)
	if outer := outerChoices(spec.Plan.Grid); len(outer) > 1 || len(autos) > 0 {
		search, err := s.rows.newSearch(autos)
		if err == nil {
			err = search.compare(t.Context(), outer)
		}
		if err != nil {
			t.Fatal(err)
		}
		return foldScores(search.choice)
	}
	f, err := s.fit(t.Context(), fitRequest{})
	if err != nil {
		t.Fatal(err)
	}
	plain, err := s.fitPlain(t.Context(), f, true)
	if err != nil {
		t.Fatal(err)
	}
	out = append(foldScores(f.Choice), foldScores(plain.Choice)...)
	for _, name := range []rival.Name{rival.SVM, rival.Augment} {
		_, trials, err := rival.Choose(t.Context(), name, s.rows.Train, rival.Search(name)[:2], s.rows.RivalOptions(s.instance, s.reg, RivalOptions{Name: name}), nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, trial := range trials {
			out = append(out, trial.Folds)
		}
	}
	return out
}

// Numbers are chosen in folds each of which is predicted from earlier rows. What a fold comes to depends on no later row: neither on its label, nor by
// means, texts or the weights of classes.
func TestNothingLaterTakesPartInAChoice(t *testing.T) {
	data := map[int]string{}
	for _, from := range []int{100, 30, 27, 21} { // the training rows are those of 30 years; the last folds begin at the years 21, 24 and 27
		data[from] = yearly(t, from)
	}
	for name, numbers := range map[string][3]string{
		"the learner": {"median", "grid(0.1, 10)", "1"}, "a width": {"grid(0.5 * median, 2 * median)", "1", "1"}, "auto": {"median", "grid(0.1, 10)", "auto"},
	} {
		t.Run(name, func(t *testing.T) {
			spec := inTimeSpec(t, numbers[0], numbers[1], numbers[2])
			all := chosenBy(t, spec, data[100])
			for from, same := range map[int]int{30: 5, 27: 4, 21: 2} {
				changed := 0
				for k, folds := range chosenBy(t, spec, data[from]) {
					first := same
					if len(folds) == rival.ScoreFolds { // of rivals, which begin at 15, 18.75, 22.5 and 26.25
						first = map[int]int{30: 4, 27: 3, 21: 1}[from]
					}
					if !slices.Equal(folds[:first], all[k][:first]) {
						t.Errorf("with other rows from the year %d on, candidate %d comes to %v, before to %v", from, k, folds, all[k])
					}
					if !slices.Equal(folds, all[k]) {
						changed++
					}
				}
				if (changed > 0) != (from < 30) {
					t.Errorf("with other rows from the year %d on %d candidates come to something else", from, changed)
				}
			}
		})
	}
}

// The fit has all rows before those of the test, and a report says how numbers were chosen.
func TestTheFitInTimeHasAllEarlierRows(t *testing.T) {
	spec := inTimeSpec(t, "median", "grid(0.1, 10)", "1")
	r, err := Run(t.Context(), spec, RunOptions{Data: yearly(t, 100), Baseline: true})
	if err != nil {
		t.Fatal(err)
	}
	if r.NTrain != 90 || r.NTest != 30 || r.NValid != 0 || !r.Grid.Later || r.Grid.Folds != 5 || !r.Baseline.Grid.Later {
		t.Errorf("%d, %d and %d rows, chosen by %+v, the baseline by %+v", r.NTrain, r.NTest, r.NValid, r.Grid, r.Baseline.Grid)
	}
	var table strings.Builder
	if err := r.WriteTable(&table); err != nil || !strings.Contains(table.String(), "5 folds, each predicted from earlier rows") {
		t.Errorf("%v\n%s", err, table.String())
	}
	folds, err := RunFolds(t.Context(), spec, RunOptions{Data: yearly(t, 100)}, 3)
	if err != nil || len(folds.Failed) > 0 || folds.NTrain != 45 {
		t.Errorf("nested: %v, %+v", err, folds)
	}
}

// A choice that no values of the grids make is an error: tune writes no spec with grids left.
func TestTuneWritesNoSpecWithGridsLeft(t *testing.T) {
	spec := inTimeSpec(t, "median", "grid(0.1, 10)", "1")
	s := &settled{rows: &Prepared{Spec: spec}, chosen: &chosen{instance: spec.Plan.At(nil), learner: &setting.Learner{Strength: 10}, grid: &report.Grid{Chosen: "svm(C = 10)"}}}
	if choice, err := s.numbersTaken(); err != nil || !slices.Equal(choice, []int{1}) {
		t.Errorf("%v, %v", choice, err)
	}
	s.learner.Strength = 3
	if choice, err := s.numbersTaken(); err == nil || !strings.Contains(err.Error(), "no values of its grids make what was chosen, svm(C = 10)") {
		t.Errorf("%v, %v", choice, err)
	}
}

// A fault of the data that only the rows of the earliest times have keeps the name of the file, and says of which rows it is.
func TestFaultsAmongTheEarliestRows(t *testing.T) {
	var b strings.Builder
	b.WriteString("when,u,v,side\n")
	for i := range 40 {
		u := ""
		if i >= 26 {
			u = strconv.Itoa(i % 7)
		}
		fmt.Fprintf(&b, "%d,%s,%d,%s\n", 1980+i, u, i*i%11, []string{"left", "right"}[i*7/3%2])
	}
	path := filepath.Join(t.TempDir(), "data.csv")
	if err := os.WriteFile(path, []byte(b.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	spec := NewSpec(t.Context(), filepath.Join(t.TempDir(), "spec.inv"), []byte(`
data { target side : class; split time = when, test = 25%; ignore when; missing mean; standardize }
kernel gaussian(width = 1)
features nystrom(landmarks = rows)
learn svm(C = grid(0.1, 1))
`), SpecOptions{})
	t.Cleanup(func() { _ = spec.Close() })
	_, err := Perform(t.Context(), spec, RunOptions{Data: path})
	data, ok := errors.AsType[*DataError](err)
	if !ok {
		t.Fatal(err)
	}
	if want := path + `: column "u": among the 15 rows of the earliest times, from which later ones are predicted to choose numbers: no training row has a number here; `; !strings.HasPrefix(err.Error(), want) {
		t.Errorf("%v, want %s", err, want)
	}
	if d := data.Diagnostic; d.Subject.File != path || !strings.Contains(d.Summary, "among the 15 rows of the earliest times") {
		t.Errorf("shown as %+v", d)
	}
}
