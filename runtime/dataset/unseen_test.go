package dataset_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sipc-ml/sipc/runtime/dataset"
	"github.com/sipc-ml/sipc/runtime/setting"
)

// regions is a CSV of rows with a region and a level each.
func regions(cells ...string) string {
	var b strings.Builder
	b.WriteString("region,level,y\n")
	for i, cell := range cells {
		fmt.Fprintf(&b, "%s,%d,%d\n", cell, 10+i%3, i)
	}
	return b.String()
}

// A text that no training row has is told with those that are known.
func TestUnseenTexts(t *testing.T) {
	for _, text := range []string{"MALE", "other", "1", ""} {
		spec := &setting.Data{Target: target(setting.Real, "y"), Columns: setting.Columns{Names: []string{"region"}}}
		data := mustOpen(t, write(t, "a.csv", regions("male", "female", "male", "female")))
		p := mustPrepare(t, spec, data, mustOpen(t, write(t, "b.csv", regions("male", text, "female", text))))
		want := []dataset.Unseen{{
			Column: "region", Rows: 2, Of: 4, ID: "2", Line: 3, Known: p.Preparation.Features[0].Categories,
			Texts: []dataset.UnseenText{{Text: text, Rows: 2}},
		}}
		if diff := cmp.Diff(want, p.Test.Unseen); diff != "" {
			t.Errorf("%q: %s", text, diff)
		}
		if p.Train.Unseen != nil {
			t.Errorf("training rows hold %v", p.Train.Unseen)
		}
	}
}

// Numbers count where they lie outside the range of the training rows, and in rows drawn from the same file where they lie far
// outside.
func TestUnseenNumbers(t *testing.T) {
	rows := func(levels ...string) string {
		return "level,size,y\n" + strings.Join(levels, "\n") + "\n"
	}
	spec := &setting.Data{Target: target(setting.Real, "y"), Standardize: true, Missing: setting.MissingMean}
	data := mustOpen(t, write(t, "a.csv", rows("10,1,1", "20,2,2", "15,3,3", ",1,4")))
	p := mustPrepare(t, spec, data, mustOpen(t, write(t, "b.csv", rows("9,2,1", "20,2,2", ",9,3", "900,-5,4"))))
	want := []string{
		`column "level": 2 of 4 rows lie outside the training range 10 to 20; farthest 900, row 4`,
		`column "size": 2 of 4 rows lie outside the training range 1 to 3; farthest 9, row 3`,
	}
	var got []string
	for _, u := range p.Test.Unseen {
		got = append(got, u.String())
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(want, p.Warnings); diff != "" {
		t.Error("warnings:", diff)
	}
	if err := p.Test.RefuseUnseen(); err == nil || !strings.Contains(err.Error(), "b.csv:5: column \"level\": 2 of 4 rows lie outside") {
		t.Errorf("refused: %v", err)
	}

	for level, want := range map[string]int{"119": 0, "121": 1} { // ten widths are 100
		drawn, err := dataset.Open(context.Background(), write(t, "c.csv", rows("10,1,1", "20,2,2", "15,3,3", "12,1,4", level+",1,5")))
		if err != nil {
			t.Fatal(err)
		}
		for seed := range uint64(40) { // in some of which the last row is held out
			p, err := dataset.Prepare(context.Background(), spec, drawn, nil, seed)
			if err != nil {
				t.Fatal(err)
			}
			n := 0
			for _, u := range p.Test.Unseen {
				if u.Column == "level" && u.Numbers.Worst > 20 {
					n++
				}
			}
			if held := p.Test.ID(p.Test.Len()-1) == "5" && p.Preparation.Features[0].High == 20 && p.Preparation.Features[0].Low == 10; held && n != want {
				t.Errorf("level %s, seed %d: %d columns, want %d", level, seed, n, want)
			}
		}
	}
}

// The pixels of an image share one range: that of all of them.
func TestUnseenPixels(t *testing.T) {
	spec := &setting.Data{Target: target(setting.Real, "y"), Columns: setting.Columns{Height: 1, Width: 2}}
	data := mustOpen(t, write(t, "a.csv", "p,q,y\n0,1,1\n0,255,2\n"))
	p := mustPrepare(t, spec, data, mustOpen(t, write(t, "b.csv", "p,q,y\n200,0,1\n-7,300,2\n")))
	want := []dataset.Unseen{{Column: dataset.Pixels, Rows: 1, Of: 2, ID: "2", Line: 3, Numbers: &dataset.UnseenNumbers{Worst: 300, High: 255}}}
	if diff := cmp.Diff(want, p.Test.Unseen); diff != "" {
		t.Error(diff)
	}
}

// Several columns have one warning, which names the worst and says how many more there are.
func TestManyUnseen(t *testing.T) {
	head := "y," + strings.Repeat("w%d,", 8) + "v\n"
	head = fmt.Sprintf(head, 1, 2, 3, 4, 5, 6, 7, 8)
	data := mustOpen(t, write(t, "a.csv", head+"1,0,0,0,0,0,0,0,0,0\n2,1,1,1,1,1,1,1,1,0\n"))
	p := mustPrepare(t, &setting.Data{Target: target(setting.Real, "y")}, data, mustOpen(t, write(t, "b.csv", head+"1,2,3,4,5,6,7,8,9,0\n2,0,0,0,0,0,0,0,0,1\n")))
	want := []string{"9 columns hold numbers outside the training range: v (1 of 2 rows, farthest 1), w8 (1, 9), w7 (1, 8), w6 (1, 7), w5 (1, 6) and 4 more"}
	if diff := cmp.Diff(want, p.Warnings); diff != "" {
		t.Error(diff)
	}
	err := p.Test.RefuseUnseen()
	if known := new(dataset.Error); !errors.As(err, &known) || known.Code != dataset.CodeUnseen || !strings.Contains(known.Problem, "and 8 more columns") {
		t.Error(err)
	}
}

// Test rows that were trained on are told of by their bytes.
func TestTestRowsThatWereTrainedOn(t *testing.T) {
	data := mustOpen(t, write(t, "a.csv", numbered(9, nil)))
	lines := strings.SplitAfter(numbered(9, nil), "\n")
	for name, c := range map[string]struct {
		test *dataset.Table
		want string
	}{
		"itself":     {mustOpen(t, write(t, "b.csv", numbered(9, nil))), "holds the same bytes"},
		"a new row":  {mustOpen(t, write(t, "b.csv", lines[0]+lines[5]+"h1,50.5,north,3000,a\n")), ""},
		"new target": {mustOpen(t, write(t, "b.csv", lines[0]+strings.Replace(lines[5], "7000", "7001", 1))), ""},
	} {
		p := mustPrepare(t, &setting.Data{Target: target(setting.Real, "price"), Columns: setting.Columns{Names: []string{"area", "region"}}}, data, c.test)
		if got := strings.Join(p.Warnings, "\n"); c.want == "" && got != "" || !strings.Contains(got, c.want) {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

// A text column that becomes nearly a feature for each row is named; one of few regions is not.
func TestColumnsOfNames(t *testing.T) {
	for _, c := range []struct {
		texts int
		named bool
	}{{2, false}, {9, false}, {13, false}, {14, true}, {40, true}} {
		cells := make([]string, 40)
		for i := range cells {
			cells[i] = fmt.Sprintf("t%d", i%c.texts)
		}
		p := mustPrepare(t, &setting.Data{Target: target(setting.Real, "y")}, mustOpen(t, write(t, "a.csv", regions(cells...))), mustOpen(t, write(t, "b.csv", regions(cells[:3]...))))
		got := strings.Join(p.Warnings, "\n")
		if strings.Contains(got, fmt.Sprintf(`column "region" became %d features`, c.texts)) != c.named {
			t.Errorf("%d texts: %q", c.texts, got)
		}
	}
}

// Features that differ much in scale are told of once, unless they are made equal.
func TestScalesThatDiffer(t *testing.T) {
	content := "income,share,flat,y\n10000,0.1,5,1\n90000,0.3,5,2\n40000,0.2,5,3\n20000,0.2,5,5\n"
	for _, c := range []struct {
		spec setting.Data
		text string
		want int
	}{
		{setting.Data{}, content, 1},
		{setting.Data{Standardize: true}, content, 0},
		{setting.Data{Scale: 255}, content, 1},
		{setting.Data{}, strings.NewReplacer("0.1", "10", "0.2", "20", "0.3", "30").Replace(content), 0},
		{setting.Data{}, "income,region,y\n10000,a,1\n90000,b,2\n40000,b,3\n", 1},
	} {
		c.spec.Target = target(setting.Real, "y")
		p := mustPrepare(t, &c.spec, mustOpen(t, write(t, "a.csv", c.text)), nil)
		if len(p.Hints) != c.want {
			t.Errorf("%+v: %q", c.spec, p.Hints)
		}
	}
}
