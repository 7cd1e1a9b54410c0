package sipc

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/sipc-ml/sipc/internal/limits"
	"github.com/sipc-ml/sipc/runtime/page"
)

// swept fits a spec with a report and returns what its page shows of the columns.
func swept(t *testing.T, spec, data string) *page.Effects {
	t.Helper()
	s := NewSpec(t.Context(), filepath.Join(t.TempDir(), "spec.inv"), []byte(spec), SpecOptions{})
	if err := s.Err(); err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	path := filepath.Join(t.TempDir(), "data.csv")
	if err := os.WriteFile(path, []byte(data), 0o600); err != nil {
		t.Fatal(err)
	}
	j := newJournal(nil)
	settled, err := settle(t.Context(), s, RunOptions{Data: path}, j)
	if err != nil {
		t.Fatal(err)
	}
	f, err := settled.fit(t.Context(), fitRequest{})
	if err != nil {
		t.Fatal(err)
	}
	p := &pager{of: &findings{settled: settled, fitting: f}}
	if p.of.evaluation, err = newExaminer(settled, f.Regularizer, j.warn).evaluate(t.Context(), f, nil); err != nil {
		t.Fatal(err)
	}
	out, err := p.effects(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	// Where the time is over there are fewer pictures, and the page says so.
	over, err := p.effects(limits.WithClock(t.Context(), 0, time.Now))
	if err != nil || len(over.Pictures) > 0 || !strings.Contains(over.Note, "The time was over") {
		t.Errorf("after its time a page shows %+v, %v", over, err)
	}
	return out
}

// Of many columns a page shows those along which f varies most, wherever they stand, after those of which the spec declares something. It says so.
func TestPagesShowTheColumnsThatCount(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 5))
	var b strings.Builder
	for c := range 12 {
		fmt.Fprintf(&b, "c%d,", c)
	}
	b.WriteString("place,y\n")
	for range 150 {
		y := 0.0
		for c := range 12 {
			v := random.NormFloat64()
			if fmt.Fprintf(&b, "%.3f,", v); c >= 6 && c != 8 {
				y += float64(c) * v
			}
		}
		k := random.IntN(2)
		fmt.Fprintf(&b, "%s,%.3f\n", []string{"north", "south"}[k], y+20*float64(k))
	}
	const spec = "data { target y : real; standardize; split test = 20 }\nkernel gaussian(width = 2 * median)\nfeatures nystrom(landmarks = rows)\nlearn ridge(lambda = 0.01)\n"
	out := swept(t, spec+"invariance up = rms over x of pos(-d/d(c2) f)\nregularize up\n", b.String())
	var names []string
	for _, p := range out.Pictures {
		names = append(names, p.Title)
	}
	got := strings.Join(names, " ")
	if len(names) != 8 || names[0] != "c2" || out.Left != 5 {
		t.Fatalf("the pictures are %s, and %d are left", got, out.Left)
	}
	for _, want := range []string{"c6", "c7", "c9", "c10", "c11", "place"} {
		if !strings.Contains(got, want) {
			t.Errorf("%s is not among %s", want, got)
		}
	}
	if want := "Drawn are 8 of 13 columns: first 1 of which the spec declares something, then others, those along which f varies most. "; !strings.Contains(out.Note, want) {
		t.Errorf("the note is %q", out.Note)
	}
}

// Of many classes a page draws those that vary most over the rows, and says of how many.
func TestPagesDrawTheClassesThatVary(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 5))
	var b strings.Builder
	b.WriteString("u,v,kind\n")
	for i := range 160 {
		k := i % 8
		if k < 3 { // which nothing tells apart
			fmt.Fprintf(&b, "%.3f,%.3f,k%d\n", 0.1*random.NormFloat64(), 0.1*random.NormFloat64(), k)
		} else {
			fmt.Fprintf(&b, "%.3f,%.3f,k%d\n", 4*float64(k%3)+0.1*random.NormFloat64()-6, 4*float64(k/3)+0.1*random.NormFloat64(), k)
		}
	}
	out := swept(t, "data { target kind : class; standardize }\nkernel gaussian(width = 0.3 * median)\nfeatures nystrom(landmarks = rows)\nlearn softmax(C = 10)\n", b.String())
	svg := string(out.Pictures[0].SVG)
	for k := range 8 {
		if drawn := strings.Contains(svg, fmt.Sprintf("k%d", k)); drawn != (k >= 3) {
			t.Errorf("class k%d is drawn: %v", k, drawn)
		}
	}
	if want := "Of 8 functions those 5 are drawn that vary most over the rows. "; !strings.Contains(out.Note, want) {
		t.Errorf("the note is %q", out.Note)
	}
}
