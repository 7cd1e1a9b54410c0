package dataset_test

import (
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sipc-ml/sipc/runtime/dataset"
	"github.com/sipc-ml/sipc/runtime/setting"
)

const mails = `subject,links,spam
"Free offer, FREE today",3,yes
Offer of the day,1,yes
meeting today,0,no
"the meeting, again",0,no
`

// Words that two rows have are features, and a text's have the length 1.
func TestWordsOfTexts(t *testing.T) {
	spec := &setting.Data{Target: setting.Target{Task: setting.Binary, Names: []string{"spam"}, Classes: [2]string{"no", "yes"}}, Columns: setting.Columns{Names: []string{"subject", "links"}, Texts: []string{"subject"}}}
	data := mustOpen(t, write(t, "a.csv", mails))
	p := mustPrepare(t, spec, data, data)
	want := []string{"subject:meeting", "subject:offer", "subject:the", "subject:today", "links"}
	if diff := cmp.Diff(want, p.Train.Columns); diff != "" {
		t.Fatal(diff)
	}
	// Each of the words stands in two of four rows, and so weighs the same. Free stands in one.
	half := math.Sqrt(0.5)
	for i, want := range [][]float64{{0, half, 0, half, 3}, {0, half, half, 0, 1}, {half, 0, 0, half, 0}, {half, 0, half, 0, 0}} {
		for j, v := range p.Train.X.RawRowView(i) {
			if math.Abs(v-want[j]) > 1e-15 {
				t.Errorf("row %d: %v, want %v", i, p.Train.X.RawRowView(i), want)
				break
			}
		}
	}
	s, err := p.Preparation.Apply(t.Context(), mustOpen(t, write(t, "b.csv", "subject,links\nTHE the offer?,0\nlottery prize,0\n...,0\n")))
	if err != nil {
		t.Fatal(err)
	}
	if got, want := s.X.RawRowView(0), []float64{0, 1 / math.Sqrt(5), 2 / math.Sqrt(5), 0, 0}; math.Abs(got[1]-want[1]) > 1e-15 || math.Abs(got[2]-want[2]) > 1e-15 {
		t.Errorf("words that occur twice: %v, want %v", got, want)
	}
	if got, want := strings.Join(s.Warnings, "\n"), `column "subject": 1 of 3 rows holds no word that a training row has: "lottery prize"`; got != want {
		t.Errorf("warned %q, want %q", got, want)
	}
	if err := p.Preparation.Check(); err != nil {
		t.Error(err)
	}
	p.Preparation.Features[0].Weights = p.Preparation.Features[0].Weights[1:]
	if err := p.Preparation.Check(); err == nil {
		t.Error("a word without a weight passes")
	}
}

func TestWordsThatAreNone(t *testing.T) {
	for content, want := range map[string]string{
		"subject,links,spam\nb,1,yes\na,2,no\nc,3,no\n": "no word stands in two of the 3 training rows",
		"subject,links,spam\n1,1,yes\n2,2,no\n3,3,no\n": "the column holds numbers, and no texts to take words of",
	} {
		spec := &setting.Data{Target: target(setting.Class, "spam"), Columns: setting.Columns{Names: []string{"subject", "links"}, Texts: []string{"subject"}}}
		data := mustOpen(t, write(t, "a.csv", content))
		if _, err := dataset.Prepare(t.Context(), spec, data, data, 1); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}
