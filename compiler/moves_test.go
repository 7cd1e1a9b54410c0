package compiler

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/sipc-ml/sipc/dsl/diag"
	"github.com/sipc-ml/sipc/plugins"
)

// furnished is a table as preparation leaves it: numbers with gaps that are marked, and two columns of texts of
// which one has a text more.
func furnished() *plugins.Data {
	return &plugins.Data{
		Columns: []string{"age", "rent", "missing(age)", "front=brick", "front=wood", "back=brick", "back=stone", "back=wood", "far place"},
		Rows: plugins.Matrix{Rows: 2, Cols: 9, Data: []float64{
			1, 2, 0, 1, 0, 0, 1, 0, 5,
			3, 1, 1, 0, 1, 1, 0, 0, 6,
		}},
		Offset: []float64{10, 100, 0, 0, 0, 0, 0, 0, 0},
		Scale:  []float64{2, 50, 1, 1, 1, 1, 1, 1, 1},
	}
}

// Moves of a table speak of the columns and values of the file, whatever features preparation made of them.
func TestMovesOfATable(t *testing.T) {
	for _, c := range []struct {
		move, row0, row1 string
	}{
		{"move(age, 4)", "3 2 0 1 0 0 1 0 5", "5 1 1 0 1 1 0 0 6"},
		{"jitter(age, 4)", "3 2 0 1 0 0 1 0 5", "5 1 1 0 1 1 0 0 6"},
		{"put(age, 30)", "10 2 0 1 0 0 1 0 5", "10 1 0 0 1 1 0 0 6"},
		{`put(age, "30")`, "10 2 0 1 0 0 1 0 5", "10 1 0 0 1 1 0 0 6"},
		{`put("far place", -1)`, "1 2 0 1 0 0 1 0 -1", "3 1 1 0 1 1 0 0 -1"},
		{`put(front, "wood")`, "1 2 0 0 1 0 1 0 5", "3 1 1 0 1 1 0 0 6"},
		{`put(front, wood)`, "1 2 0 0 1 0 1 0 5", "3 1 1 0 1 1 0 0 6"},
		// 12 and 200 change places; so do 16, which stands for a gap, and 150. No column rent has gaps.
		{"swap(age, rent)", "95 -1.76 0 1 0 0 1 0 5", "70 -1.68 0 0 1 1 0 0 6"},
		// A front of stone is unseen: all features of the column are 0.
		{"swap(front, back)", "1 2 0 0 0 1 0 0 5", "3 1 1 1 0 0 0 1 6"},
	} {
		spec := "let wood = \"wood\"\ndata { target price : real }\nkernel linear\nfeatures exact\nevaluate under {" + c.move + "}\n"
		m, err := accepted(t, spec, testOptions(nil)).At(nil).Transforms()[0].Apply(t.Context(), furnished(), 0)
		if err != nil {
			t.Error(c.move, err)
			continue
		}
		var got [2]string
		for i := range got {
			got[i] = strings.Trim(fmt.Sprintf("%.4g", m.Row(i)), "[]")
		}
		if got != [2]string{c.row0, c.row1} {
			t.Errorf("%s makes of the rows\n%s", c.move, strings.Join(got[:], "\n"))
		}
	}
}

// Texts that one column alone has are unseen in the other one, wherever they stand in the alphabet, and so are marks of gaps.
func TestSwapsExchangeTextsThatBothColumnsKnow(t *testing.T) {
	for name, c := range map[string]struct {
		columns []string
		row     []float64
		want    string
	}{
		"alone in both":      {[]string{"a=east", "a=north", "b=far", "b=north"}, []float64{1, 0, 1, 0}, "0 0 0 0"},
		"alone in the first": {[]string{"a=east", "a=north", "b=far", "b=north"}, []float64{1, 0, 0, 1}, "0 1 0 0"},
		"alone in the last":  {[]string{"a=east", "a=north", "b=far", "b=north"}, []float64{0, 1, 1, 0}, "0 0 0 1"},
		"known to both":      {[]string{"a=east", "a=north", "a=west", "b=east", "b=north"}, []float64{0, 1, 0, 1, 0}, "1 0 0 0 1"},
		"marks of gaps":      {[]string{"a", "missing(a)", "b", "missing(b = -7)"}, []float64{1, 1, 2, 1}, "2 0 1 0"},
	} {
		data := &plugins.Data{Columns: c.columns, Rows: plugins.Matrix{Rows: 1, Cols: len(c.row), Data: c.row}}
		spec := "data { target price : real }\nkernel linear\nfeatures exact\nevaluate under {swap(a, b)}\n"
		m, err := accepted(t, spec, testOptions(nil)).At(nil).Transforms()[0].Apply(t.Context(), data, 0)
		if err != nil {
			t.Error(name, err)
			continue
		}
		if got := strings.Trim(fmt.Sprint(m.Row(0)), "[]"); got != c.want {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
	}
}

// A code of gaps is marked by a column of its own, and goes along where columns change places.
func TestMovesOfCodedGaps(t *testing.T) {
	for move, want := range map[string]string{
		"put(age, 30)":    "10 2 0 0 1",
		"swap(age, rent)": "95 -1.76 0 1 0",
	} {
		spec := "data { target price : real }\nkernel linear\nfeatures exact\nevaluate under {" + move + "}\n"
		data := furnished()
		data.Columns = []string{"age", "rent", "missing(age)", "missing(age = -7)", "missing(rent = -7)"}
		data.Rows = plugins.Matrix{Rows: 1, Cols: 5, Data: []float64{1, 2, 0, 0, 1}}
		data.Offset, data.Scale = data.Offset[:5], data.Scale[:5]
		m, err := accepted(t, spec, testOptions(nil)).At(nil).Transforms()[0].Apply(t.Context(), data, 0)
		if err != nil {
			t.Error(move, err)
			continue
		}
		if got := strings.Trim(fmt.Sprintf("%.4g", m.Row(0)), "[]"); got != want {
			t.Errorf("%s makes %s, want %s", move, got, want)
		}
	}
}

// What the data refuse, they refuse at the argument.
func TestMovesThatDataRefuse(t *testing.T) {
	for move, want := range map[string]string{
		`put(front, "glass")`: `E554 "glass": No training row has "glass" as its front`,
		`put(front, 3)`:       `E554 3: No training row has "3" as its front`,
		`put(age, "old")`:     `E554 "old": age holds numbers, and "old" is a text`,
		"swap(age, front)":    "E554 front: age and front cannot change places: one holds texts, the other numbers",
		"swap(front, street)": "E554 street: front and street have no text in common: swap would give each only texts that it never has",
		"swap(age, aeg)":      "E551 aeg: no feature of the data is called aeg",
		"move(front, 1)":      "E551 front: front is a column of texts, and a text does not move by an amount",
	} {
		spec := "data { target price : real }\nkernel linear\nfeatures exact\nevaluate under {" + move + "}\n"
		data := furnished()
		data.Columns[8] = "street=elm"
		_, err := accepted(t, spec, testOptions(nil)).At(nil).Transforms()[0].Apply(t.Context(), data, 0)
		var list diag.List
		if !errors.As(err, &list) || len(list) != 1 {
			t.Errorf("%s: %v", move, err)
			continue
		}
		at := list[0].Subject
		if got := string(list[0].Code) + " " + spec[at.Start.Offset:at.End.Offset] + ": " + list[0].Summary; got != want {
			t.Errorf("%s: %s, want %s", move, got, want)
		}
	}
}

// A family that a spec brings keeps its words where a built-in one has them, too.
func TestWordsOfFamiliesThatAreUsed(t *testing.T) {
	const spec = "use swaps from \"./sipc-family-swaps\"\ndata { target price : real }\nkernel linear\nfeatures exact\nevaluate under {swap(age, area)}\n"
	plan := accepted(t, spec, testOptions(nil))
	if name := plan.At(nil).Under[0].Fam.Name; name != "swaps" {
		t.Errorf("swap is that of the family %s", name)
	}
}
