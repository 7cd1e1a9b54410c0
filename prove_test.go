package sipc

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/sipc-ml/sipc/runtime/model"
	"github.com/sipc-ml/sipc/runtime/proof"
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
	want := []string{"1 of 5 rows lies outside the regions of v, w", "2 of 5 rows lie in regions of statements that are not proved, of w", "1 of 5 rows has a prediction that may differ"}
	if !slices.EqualFunc(got, want, strings.HasPrefix) {
		t.Errorf("%q, want %q", got, want)
	}
	if got := lacking(m, []Standing{Kept}); got != nil {
		t.Errorf("%q of a row where all is proved", got)
	}
}
