package sipc_test

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	sipc "github.com/sipc-ml/sipc"
	"github.com/sipc-ml/sipc/runtime/model"
	"github.com/sipc-ml/sipc/runtime/report"
)

// byHand copies the rows of a table of numbers u, v, w and a text, as `augment {move(u, 0.5), put(w, 1)}` does.
func byHand(t *testing.T, file string) string {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")
	out := slices.Clone(lines)
	for k := range 2 {
		for _, line := range lines[1:] {
			cells := strings.Split(line, ",")
			if k == 1 {
				cells[2] = "1"
			} else {
				u, err := strconv.ParseFloat(cells[0], 64)
				if err != nil {
					t.Fatal(err)
				}
				cells[0] = strconv.FormatFloat(u+0.5, 'g', -1, 64)
			}
			out = append(out, strings.Join(cells, ","))
		}
	}
	path := filepath.Join(t.TempDir(), "copied.csv")
	if err := os.WriteFile(path, []byte(strings.Join(out, "\n")+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// What augment learns without R is what a table learns whose rows were copied by hand.
func TestAugmentEqualsCopiesByHand(t *testing.T) {
	data, test := toss(t, 40), toss(t, 12)
	copied := byHand(t, data)
	const maps = "augment {move(u, 0.5), put(w, 1)}\n"
	for _, c := range []string{
		"method plain; learn svm(C = 2); kernel gaussian(width = 1); features fourier(count = 30)",
		"method plain; learn logistic(C = 2); kernel linear; features exact",
		"method plain; learn ridge(lambda = 2); kernel gaussian(width = 1); features nystrom(landmarks = all)",
		"method risk; learn svm(C = 2); kernel gaussian(width = 1); features fourier(count = 30)",
		"method dual; learn logistic(C = 2); kernel gaussian(width = 1); features fourier(count = 20)",
	} {
		text := "data { target side : binary(heads, tails) }\n" + strings.ReplaceAll(c, "; ", "\n") + "\n"
		o := sipc.RunOptions{Data: data, Test: test, Gap: 1e-9}
		own, err := sipc.Perform(t.Context(), load(t, text+maps), o)
		if err != nil {
			t.Fatalf("%s: %v", c, err)
		}
		o.Data = copied
		hand, err := sipc.Perform(t.Context(), load(t, text), o)
		if err != nil {
			t.Fatalf("%s: %v", c, err)
		}
		if own.Report.NTrain != 40 || own.Report.NLearnt != 120 || hand.Report.NLearnt != 0 {
			t.Errorf("%s: %d training rows, %d learnt", c, own.Report.NTrain, own.Report.NLearnt)
		}
		near := 1e-3
		if strings.Contains(c, "plain") {
			near = 1e-5
		}
		if !mat.EqualApprox(own.Scores, hand.Scores, near) {
			t.Errorf("%s: scores differ\n%v\n%v", c, own.Scores.RawMatrix().Data, hand.Scores.RawMatrix().Data)
		}
		if strings.Contains(c, "fourier") && !mat.EqualApprox(own.Model.Fit.Weights, hand.Model.Fit.Weights, near) {
			t.Errorf("%s: weights differ", c)
		}
	}
}

// Copies that change nothing count their row twice, on folds too. So the scores of all values of grids are those of twice the C. A copy of
// a row that is held out would give its class away: the kernel is narrow, and classes are drawn by a coin.
func TestFoldsHoldOutCopiesWithTheirRow(t *testing.T) {
	data := toss(t, 60)
	const steady = "invariance steady = rms over x of max over t in {move(u, 0.5), move(v, 0.1)} of |f(t(x)) - f(x)|\n"
	const telling = "invariance heads = rms over x where side == \"heads\" of |f(x)|\n"
	for name, c := range map[string]string{
		"strengths":   "method plain\nlearn svm(C = grid(%v, %v))\nkernel gaussian(width = 0.2)\n",
		"widths":      "method plain\nlearn svm(C = grid(%v, %v))\nkernel gaussian(width = grid(0.2, 1))\n",
		"embeddings":  "method embed\nlearn svm(C = grid(%v, %v))\nkernel gaussian(width = 0.2)\n" + steady,
		"auto":        "method embed\nlearn svm(C = grid(%v, %v))\nkernel gaussian(width = 0.2)\nregularize auto * steady\n" + steady,
		"fold by row": "method risk\nlearn svm(C = grid(%v, %v))\nkernel gaussian(width = 0.2)\n" + telling,
		"risk":        "method risk\nlearn svm(C = grid(%v, %v))\nkernel gaussian(width = 0.2)\n" + steady,
	} {
		t.Run(name, func(t *testing.T) {
			const head = "data { target side : binary(heads, tails); split train = 30, test = 30 }\nfeatures nystrom(landmarks = rows)\n"
			o := sipc.RunOptions{Data: data}
			own := run(t, head+fmt.Sprintf(c, 1, 10)+"augment {move(u, 0)}\n", o)
			twice := run(t, head+fmt.Sprintf(c, 2, 20), o)
			if own.NLearnt != 60 || own.Grid == nil || len(own.Grid.Scores) != len(twice.Grid.Scores) {
				t.Fatalf("%d rows learnt, %+v", own.NLearnt, own.Grid)
			}
			for k := range own.Grid.Scores {
				a, b := own.Grid.Scores[k], twice.Grid.Scores[k]
				if math.Abs(float64(a.Score-b.Score)) > 0.04 || a.Score > 0.8 {
					t.Errorf("%s: %v of copies, %s: %v of twice the C", a.Choice, a.Score, b.Choice, b.Score)
				}
			}
		})
	}
}

// The copies of a fold are those of its own rows.
func TestFoldsCopyTheirOwnRows(t *testing.T) {
	spec := load(t, tossed+"augment {move(u, 0.5), swap(v, w)}\n")
	p, err := sipc.Prepare(t.Context(), spec, sipc.RunOptions{Data: toss(t, 60)})
	if err != nil {
		t.Fatal(err)
	}
	rows := []int{2, 3, 5, 8, 13, 21}
	part, _, o, err := p.Fold(t.Context(), model.Fold{Number: 1, Of: 5, Rows: rows})
	if err != nil {
		t.Fatal(err)
	}
	all, err := o.Augment(t.Context(), part)
	if err != nil {
		t.Fatal(err)
	}
	n := len(rows)
	if all.Len() != 3*n || part.Len() != n {
		t.Fatalf("%d rows and %d with copies", part.Len(), all.Len())
	}
	for i, x := range all.X.RawMatrix().Data {
		row, column := i/3, i%3
		of := part.X.RawRowView(row % n)
		want := of[column]
		switch {
		case row >= 2*n && column > 0:
			want = of[3-column]
		case row >= n && row < 2*n && column == 0:
			want += 0.5
		}
		if math.Abs(x-want) > 1e-12 || all.Class[row] != part.Class[row%n] || all.ID(row) != part.ID(row%n) {
			t.Errorf("row %d, column %d: %v, want %v", row, column, x, want)
		}
	}
}

// R, its values and the gaps of scores are those of the rows, whatever is copied.
func TestAugmentLeavesRToRows(t *testing.T) {
	data := toss(t, 60)
	count := func(rep *report.Report) int { return rep.Regularizer[0].Functionals }
	plain, copied := run(t, tossed, sipc.RunOptions{Data: data}), run(t, tossed+"augment {move(u, 0.5), swap(v, w)}\n", sipc.RunOptions{Data: data})
	if count(plain) == 0 || count(plain) != count(copied) || copied.NTrain != plain.NTrain || copied.NTest != plain.NTest {
		t.Errorf("%d functionals, with copies %d", count(plain), count(copied))
	}
}

// The reference says what copies bring on an example.
func TestPageTellsWhatCopiesBring(t *testing.T) {
	page, err := os.ReadFile("docs/language.md")
	if err != nil {
		t.Fatal(err)
	}
	spec, err := os.ReadFile("examples/two-digits/two-digits.inv")
	if err != nil {
		t.Fatal(err)
	}
	head, rest, _ := strings.Cut(string(spec), "invariance steady")
	_, maps, _ := strings.Cut(rest, " in {")
	maps, _, _ = strings.Cut(maps, "}")
	_, rest, _ = strings.Cut(rest, "learn ")
	bare := head + "learn " + rest
	o := sipc.RunOptions{Data: "examples/two-digits/digits.csv.gz", Unmeasured: true}
	var figures []any
	for _, text := range []string{bare, bare + "augment {" + maps + "}\n", string(spec)} {
		accuracy, _ := run(t, text, o).Metrics.Figures.Get("accuracy")
		figures = append(figures, accuracy)
	}
	want := fmt.Sprintf("without R is %.3f. With copies under its eight transformations in place of R it is %.3f, and with R %.3f.", figures...)
	if !strings.Contains(strings.Join(strings.Fields(string(page)), " "), want) {
		t.Errorf("docs/language.md does not say %q", want)
	}
}
