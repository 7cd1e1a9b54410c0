package report

import (
	"strings"
	"testing"
)

// The sentence tells apart which rows are others, which were looked at, which of them a condition chooses, and what a search has found.
func TestSentenceOfSample(t *testing.T) {
	share := &Estimate{Value: 0.25, Low: 0.125, High: 0.5}
	for want, d := range map[string]Drawn{
		"; of the 80 others 25 % (12.5 to 50) violate it more than any row of the sample, row 7 most, by 3": {Others: 80, Looked: 80, Concerned: 80, Beyond: share},
		"; of 40 of the 60 others that no sample holds 25 % (12.5 to 50) violate":                           {Others: 60, Looked: 40, Concerned: 40, Beyond: share},
		"; of the 20 that it concerns among the 80 others 25 % (12.5 to 50) violate":                        {Others: 80, Looked: 80, Concerned: 20, Beyond: share},
		"; of the 80 others at least 12.5 % violate it more than found at any row of the sample, row 7":     {Others: 80, Looked: 80, Concerned: 80, Beyond: share, AtLeast: true},
		"; by the 20 that it concerns among 40 of the 80 others it is 0.25 (0.125 to 0.5)":                  {Others: 80, Looked: 40, Concerned: 20, Value: share},
		"; by the 80 others it is at least 0.125":                                                           {Others: 80, Looked: 80, Concerned: 80, Value: share, AtLeast: true},
		"; how strongly the others violate it is not known":                                                 {Others: 80},
		"; samples hold all rows, so that none tells how strongly others violate it":                        {},
	} {
		d.Rows, d.Of, d.Worst, d.Row = 20, 100, 3, "7"
		if got := d.Sentence("i"); !strings.HasPrefix(got, "i is over 20 of 100 rows, and what is certified is of R with these"+want) {
			t.Errorf("%q\nnot\n%q", got, want)
		}
	}
	pairs := Drawn{Rows: 20, Of: 100, Others: 80, Variable: "z"}
	if got := pairs.Sentence("i"); !strings.HasPrefix(got, "i draws z alone, 20 of 100 rows, and what is certified is of R with these; how strongly") {
		t.Error(got)
	}
}
