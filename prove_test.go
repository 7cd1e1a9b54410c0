package sipc

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/sipc-ml/sipc/runtime/dataset"
	"github.com/sipc-ml/sipc/runtime/model"
	"github.com/sipc-ml/sipc/runtime/proof"
	"github.com/sipc-ml/sipc/runtime/setting"
	"github.com/sipc-ml/sipc/runtime/statement"
)

// kept returns a requirement of a family about a column from 0 to 1, with what is known of it.
func kept(name string, family int, answer proof.Answer, points ...[]float64) model.Requirement {
	side := statement.Side{Columns: []int{0}, Low: 0, High: 1}
	if points != nil {
		side = statement.Side{Columns: []int{0}, Low: 1, High: 0, Points: points}
	}
	return model.Requirement{
		Statement: statement.Statement{Name: name, Family: family, Terms: []statement.Term{{Coef: 2}}, Region: []statement.Side{side}},
		Verdict:   &proof.Verdict{Answer: answer, Margin: 1e-3},
	}
}

// A row is proved where every statement is, in one of its regions, and the prediction is near the function.
func TestStandings(t *testing.T) {
	whole, integers := kept("v", 0, proof.Proved), kept("v", 1, proof.Proved, []float64{0}, []float64{1})
	for name, c := range map[string]struct {
		all   []model.Requirement
		x     float64
		apart float64
		want  Standing
	}{
		"within all":                 {[]model.Requirement{whole, integers}, 1, 4e-4, Kept},
		"within one of two":          {[]model.Requirement{whole, integers}, 0.5, 0, Outside},
		"a row's own statement":      {[]model.Requirement{kept("v", 0, proof.Proved, []float64{0}), kept("v", 0, proof.Proved, []float64{1})}, 1, 0, Kept},
		"outside":                    {[]model.Requirement{whole}, 2, 0, Outside},
		"refuted":                    {[]model.Requirement{whole, kept("w", 0, proof.Refuted)}, 0.5, 0, Unproved},
		"open":                       {[]model.Requirement{kept("w", 0, proof.Open)}, 0.5, 0, Unproved},
		"refuted elsewhere":          {[]model.Requirement{whole, kept("v", 0, proof.Refuted, []float64{3})}, 0.5, 0, Kept},
		"farther than the margin":    {[]model.Requirement{whole}, 0.5, 6e-4, Apart},
		"the bound is no number":     {[]model.Requirement{whole}, 0.5, math.NaN(), Apart},
		"nobody knows how far it is": {[]model.Requirement{whole}, 0.5, math.Inf(1), Apart},
	} {
		if got := standingAt(c.all, []float64{c.x}, []float64{c.apart}); got != c.want {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
}

// Each cause for which nothing is proved is told by itself.
func TestCausesOfWhatIsNotProved(t *testing.T) {
	m := &model.Model{Requirements: []model.Requirement{kept("v", 0, proof.Proved), kept("w", 0, proof.Refuted)}}
	got := lacking(m, []Standing{Kept, Outside, Unproved, Unproved, Apart})
	want := []string{"1 of 5 rows lies outside the region of at least one of v, w: not all is proved there", "2 of 5 rows lie in regions of statements that are not proved, of w", "1 of 5 rows has a prediction that may differ"}
	if !slices.EqualFunc(got, want, strings.HasPrefix) {
		t.Errorf("%q, want %q", got, want)
	}
	if got := lacking(m, []Standing{Kept}); got != nil {
		t.Errorf("%q of a row where all is proved", got)
	}
}

// What a statement holds is told by its numbers, whatever its text is.
func TestHeldTellsTheNumbersOfAStatement(t *testing.T) {
	p := &dataset.Preparation{
		Features: []dataset.Feature{{Name: "area", Offset: 10, Scale: 2, Mask: true}, {Name: "age", Scale: 1}, {Name: "town", Text: true, Scale: 1, Categories: []string{"a", "b"}}},
		Target:   dataset.TargetPlan{Task: setting.Class, LabelNames: []string{"low", "high"}},
	}
	region := []statement.Side{
		{Columns: []int{0, 4}, Low: -1, High: 1.5, Points: [][]float64{{0, 1}}},
		{Columns: []int{1}, Low: 1, High: 0, Points: [][]float64{{3}, {4}}},
		{Columns: []int{2, 3}, Low: 1, High: 0, Points: [][]float64{{1, 0}, {0, 1}, {0, 0}}},
	}
	const where = " >= 0 where area in [8, 13] or {gap}, age in {3, 4}, town in {a, b, unseen}"
	for want, s := range map[string]statement.Statement{
		"4 d/d(area, unit = raw) f(x, high)": {Terms: []statement.Term{{Coef: 2, Label: 1, Derive: []int{0}}}},
		"f(x with area := 12, low) + -1 f(x with age := age + 2, low)": {Terms: []statement.Term{
			{Coef: 1, Move: []statement.Move{{Column: 0, From: 0, Add: 1}}}, {Coef: -1, Move: []statement.Move{{Column: 1, From: 1, Mul: 1, Add: 2}}},
		}},
		"f(x with area := 1 age + 0, town=b := 0 town=b + 1, low) + 0.5": {Constant: 0.5, Terms: []statement.Term{
			{Coef: 1, Move: []statement.Move{{Column: 0, From: 1, Mul: 1}, {Column: 3, From: 3, Add: 1}}},
		}},
	} {
		s.Text, s.Region = "f >= 0 everywhere", region
		if err := s.Validate(5, 2); err != nil {
			t.Fatal(err)
		}
		if got := held(p, &s); got != want+where {
			t.Errorf("%s\nwant %s", got, want+where)
		}
	}
}

// A part of a region that is left open is told in units of the data. A number alone of several columns stands for all points that have it.
func TestCellsThatAreLeftOpen(t *testing.T) {
	p := &dataset.Preparation{Features: []dataset.Feature{{Name: "area", Offset: 10, Scale: 2}, {Name: "age", Scale: 1}, {Name: "town", Text: true, Scale: 1, Categories: []string{"a", "b"}}}}
	s := &statement.Statement{Region: []statement.Side{
		{Columns: []int{0}, Low: -1, High: 1.5},
		{Columns: []int{1}, Low: 1, High: 0, Points: [][]float64{{3}, {4}}},
		{Columns: []int{2, 3}, Low: 1, High: 0, Points: [][]float64{{0, 0}, {1, 0}, {0, 1}}},
	}}
	got := cellOf(p, s, &proof.Box{Sides: []int{2, 0, 1}, Low: []float64{0, -1, 4}, High: []float64{0, 0, 4}})
	if want := "town in {unseen, b}, area in [8, 10], age in {4}"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}
