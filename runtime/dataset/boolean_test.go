package dataset

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/sipc-ml/sipc/runtime/setting"
)

// tableOf writes a CSV file and opens it.
func tableOf(t *testing.T, lines ...string) *Table {
	t.Helper()
	path := filepath.Join(t.TempDir(), "rows.csv")
	if err := os.WriteFile(path, []byte(strings.Join(lines, "\n")+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	table, err := Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	return table
}

// However a further file writes booleans, its rows are prepared as those of the training file.
func TestBooleansOfFurtherFiles(t *testing.T) {
	spec := &setting.Data{Target: setting.Target{Names: []string{"y"}, Task: setting.Real}, Split: setting.Split{Test: 1}, Missing: setting.MissingMask}
	for kind, lines := range map[string][]string{
		"texts":   {"flag,u,y", "True,1,1", "False,2,2", "True,3,3", "False,4,4"},
		"numbers": {"flag,u,y", "1,1,1", "0,2,2", "1,3,3", "0,4,4"},
	} {
		own, err := Prepare(t.Context(), spec, tableOf(t, lines...), nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		var want []float64
		for _, flags := range [][3]string{{"True", "False", ""}, {"true", "false", "NA"}, {"TRUE", "FALSE", ""}, {"1", "0", ""}} {
			s, err := own.Preparation.Apply(t.Context(), tableOf(t, "flag,u", flags[0]+",1", flags[1]+",2", flags[2]+",3"))
			if err != nil {
				t.Fatal(err)
			}
			got := s.X.RawMatrix().Data
			if want == nil {
				want = slices.Clone(got)
			}
			if !slices.Equal(got, want) || len(s.Unseen) > 1 || len(s.Unseen) == 1 && kind == "numbers" {
				t.Errorf("%s, written %q: %v, want %v; unseen %v", kind, flags, got, want, s.Unseen)
			}
		}
	}
}

// A column that the training file does not have is named, and one that it has and the model does not look at is not.
func TestUnknownColumns(t *testing.T) {
	spec := &setting.Data{
		Target: setting.Target{Names: []string{"y"}, Task: setting.Real}, Split: setting.Split{Test: 1}, Ignore: setting.Columns{Names: []string{"note"}},
	}
	own, err := Prepare(t.Context(), spec, tableOf(t, "u,y,note", "1,1,2", "2,2,3", "3,3,4"), nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	for header, want := range map[string]string{
		"id,u,note,y": "", "note,u,more,y": `the training file does not have the column more: left out`, "a,u,b,y": `the training file does not have the columns a, b: left out`,
	} {
		s, err := own.Preparation.Apply(t.Context(), tableOf(t, header, "1,2,3,4"))
		if err != nil {
			t.Fatal(err)
		}
		got := slices.DeleteFunc(slices.Clone(s.Warnings), func(w string) bool { return !strings.Contains(w, "left out") })
		if strings.Join(got, "; ") != want {
			t.Errorf("%s: %q, want %q", header, s.Warnings, want)
		}
	}
}

// The class that says yes is the positive one, in several languages; of others neither is.
func TestPositiveFirst(t *testing.T) {
	for _, c := range []struct {
		a, b  string
		first bool
	}{{"ja", "nein", true}, {"nein", "ja", false}, {"no", "yes", false}, {"Oui", "non", true}, {"da", "net", true}, {"0", "1", false}, {"sick", "no", true}, {"north", "south", false}, {"tak", "nie", true}, {"1", "0", true}, {"y", "n", true}, {"1", "2", false}, {"t", "u", false}, {"a", "n", false}, {"m", "f", false}} {
		if got := PositiveFirst(c.a, c.b); got != c.first {
			t.Errorf("%s, %s: %v", c.a, c.b, got)
		}
	}
}
