package docs_test

import (
	"fmt"
	"path/filepath"
	"testing"

	"github.com/sipc-ml/sipc/internal/pagetest"
)

// TestTheoryIsThatOfTheFiles holds both tables of the section on the theorems to what the command wrote.
func TestTheoryIsThatOfTheFiles(t *testing.T) {
	section, _ := pagetest.Section(t, pagetest.Read(t, reproduction), "Theory")
	short := func(r map[string]string, name string) string { return fmt.Sprintf("%.1e", pagetest.Number(t, r[name])) }
	var claims []claim
	rows := pagetest.Rows(t, section, "| | statement | smooth: largest relative deviation | kinked | measured |")
	lossless := pagetest.Records(t, filepath.Join(outcomes, "lossless.csv"))
	if len(rows) != len(lossless) {
		t.Fatalf("the page has %d statements, the file %d", len(rows), len(lossless))
	}
	for k, r := range lossless {
		kinked := short(r, "deviation_kinked")
		if r["of_differentiable_norms"] == "true" {
			kinked = "not claimed: " + kinked
		}
		for column, want := range []string{r["name"], r["statement"], short(r, "deviation_smooth"), kinked, r["trials"] + " times"} {
			claims = append(claims, claim{0, r["name"], rows[k][column], want})
		}
	}
	header := "| landmarks | ε | pairing, random | worst | worst / √ε | worst / ε² | linearity, random | worst | worst / √ε | worst / ε² |"
	losses := pagetest.Records(t, filepath.Join(outcomes, "landmarks.csv"))
	for k, row := range pagetest.Rows(t, section, header) {
		r := losses[k]
		e, root := pagetest.Number(t, r["epsilon"]), pagetest.Number(t, r["root_epsilon"])
		want := []string{r["landmarks"], fmt.Sprintf("%.2e", e)}
		for _, of := range []string{"pairing", "linearity"} {
			worst := pagetest.Number(t, r[of+"_worst"])
			want = append(want, fmt.Sprintf("%.2e", pagetest.Number(t, r[of+"_random"])), fmt.Sprintf("%.2e", worst),
				fmt.Sprintf("%.2e", worst/root), fmt.Sprintf("%.2f", worst/(e*e)))
		}
		for column, text := range want {
			claims = append(claims, claim{0, r["landmarks"] + " landmarks", row[column], text})
		}
	}
	hold(t, claims, 5*10+10*7)
}
