package labels

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	sipc "github.com/sipc-ml/sipc"
)

// A drawn set has the rows and labels asked for. Some labels are below several others, the deepest at the 13th level. The same seed draws the same bytes.
func TestDraw(t *testing.T) {
	j := Job{Shape: Shape{Rows: 60, Labels: 140, Seed: 3}, Landmarks: 20, Dir: t.TempDir()}
	if err := j.Draw(); err != nil {
		t.Fatal(err)
	}
	first, err := os.ReadFile(j.file(0))
	if err != nil {
		t.Fatal(err)
	}
	var again bytes.Buffer
	if err := j.Write(&again, 0); err != nil || !bytes.Equal(first, again.Bytes()) {
		t.Errorf("the same seed draws other bytes: %v", err)
	}
	if !bytes.Contains(first, []byte("?,")) {
		t.Error("no cell is missing")
	}
	text := strings.NewReplacer("LANDMARKS", "20", "METHOD", "risk").Replace(spec)
	s := sipc.NewSpec(t.Context(), filepath.Join(j.Dir, "test.inv"), []byte(text), sipc.SpecOptions{})
	made, err := sipc.Perform(t.Context(), s, sipc.RunOptions{Data: j.file(0), Test: j.file(1)})
	if err != nil {
		t.Fatal(err)
	}
	child, parent := made.Train.Taxonomy()
	above := map[int32][]int32{}
	for k, c := range child {
		above[c] = append(above[c], parent[k])
	}
	var level func(c int32) int
	level = func(c int32) (deepest int) {
		for _, p := range above[c] {
			deepest = max(deepest, level(p))
		}
		return deepest + 1
	}
	most, several := 0, 0
	for c := range made.Train.LabelNames {
		most = max(most, level(int32(c)))
		several += min(1, len(above[int32(c)])/2)
	}
	if rows, labels := made.Train.Len(), len(made.Train.LabelNames); rows != 60 || labels != 140 || most != levels || several < 10 {
		t.Errorf("%d rows and %d labels at %d levels, %d of them below several", rows, labels, most, several)
	}
	if l := made.Report.Learner; !l.Converged {
		t.Errorf("the fit ends at a gap of %v", l.Gap)
	}
}
