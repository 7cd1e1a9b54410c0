package compiler

import (
	"strings"
	"testing"

	"github.com/sipc-ml/sipc/compiler/codes"
	"github.com/sipc-ml/sipc/dsl"
	"github.com/sipc-ml/sipc/dsl/diag"
)

// sole returns the one thing that is wrong with a spec of a data block that holds an item.
func sole(t *testing.T, item string) *diag.Diagnostic {
	t.Helper()
	list := all(t, "data { target price : real; "+item+" }\nkernel gaussian\nfeatures exact\n")
	if len(list) != 1 {
		t.Fatalf("%s: %v", item, list)
	}
	return list[0]
}

// Each wrong spelling of a split has one error, which says how it is written.
func TestWrongSplitsSayHowToMendThem(t *testing.T) {
	for _, c := range []struct {
		item, says, mend string
		code             diag.Code
	}{
		{"split time = a, time = b", "time is given twice", "Keep one of them.", codes.DuplicateName},
		{"split test = 25%, test = 30%", "test is given twice", "Keep one of them.", codes.DuplicateName},
		{"split 80%, train = 20%", "train is given twice", "Keep one of them.", codes.DuplicateName},
		{"split by a; split time = b", "split is given twice", "Keep one of them.", codes.DuplicateName},
		{"split folds = 5", "split has no argument folds", "--nested 5", codes.UnknownArgument},
		{"split seed = 4", "split has no argument seed", "seed 4", codes.UnknownArgument},
		{"split stratify = price", "split has no argument stratify", "each class by itself", codes.UnknownArgument},
		{"split valid = 10%", "split has no argument valid", "split by COLUMN", codes.UnknownArgument},
		{"split timr = sold", "split has no argument timr", "Did you mean time?", codes.UnknownArgument},
		{"split anything = 3", "split has no argument anything", "split time = COLUMN", codes.UnknownArgument},
		{"split sold", "sold is no number of rows", "split time = sold", codes.WrongOption},
		{`split "date of sale"`, "date of sale is no number of rows", `split by "date of sale"`, codes.WrongOption},
		{"split test = 25%, time", "time is no number of rows", "split time = COLUMN", codes.WrongOption},
		{"split random", "random is no number of rows", "at random anyway", codes.WrongOption},
		{"split 80/20", "80 / 20 is a quotient", "train = 80%, test = 20%", codes.WrongOption},
		{"split time = 5", "a column of dates or times is wanted here, not 5", "split time = COLUMN", codes.WrongType},
		{"split time = price", "price is the target, and cannot put the rows in order", "split time = COLUMN", codes.WrongOption},
		{"split by price", "price splits the rows, and can be neither target nor feature", "another column", codes.WrongOption},
		{"split test = 100%", "test is 100%, and must leave rows for the other part", "75%", codes.OutOfRange},
		{"split train = 250%", "train is 250%, and must leave rows", "75%", codes.OutOfRange},
	} {
		d := sole(t, c.item)
		if d.Code != c.code || !strings.HasPrefix(d.Summary, c.says) || !strings.Contains(d.Mend, c.mend) {
			t.Errorf("%s: %s %q, %q", c.item, d.Code, d.Summary, d.Mend)
		}
	}
}

// A column of times may be ignored, name the rows, be a feature or have a type. Numbers of rows may come from lets.
func TestSplitsThatStand(t *testing.T) {
	for _, item := range []string{
		"split time = sold", "split time = sold; ignore sold", "split time = sold; id sold", "columns sold; split time = sold, train = 40, test = 10",
		"split test = rows_held", "split 80%, 20%", `split test = 0.25, time = "date of sale"`, "split time = sold; types sold : date",
	} {
		src := "let rows_held = 20\ndata { target price : real; " + item + " }\nkernel gaussian\nfeatures exact\n"
		if list := all(t, src); len(list) > 0 {
			t.Errorf("%s: %v", item, list)
		}
		file, _ := dsl.Parse("a.inv", []byte(src))
		plan, _ := Check(t.Context(), file, Options{})
		if strings.Contains(item, "time") && plan.Data.Split.Time == "" {
			t.Errorf("%s has no column of times", item)
		}
	}
}

// A list of columns names each once. The words of a column and the column itself are two things.
func TestListsOfColumnsNameEachOnce(t *testing.T) {
	for _, item := range []string{`columns area, "area"`, `columns columns("a*"), area, columns("a*")`, "columns text(area), text(area)", "ignore area, area", `ignore columns("a*"), columns("a*")`} {
		if d := sole(t, item); d.Code != codes.DuplicateName || !strings.HasSuffix(d.Summary, " is listed twice") || len(d.Related) != 1 {
			t.Errorf("%s: %v", item, d)
		}
	}
	for _, item := range []string{"columns text(area), area", "ignore area, Area"} {
		if list := all(t, "data { target price : real; "+item+" }\nkernel gaussian\nfeatures exact\n"); len(list) > 0 {
			t.Errorf("%s: %v", item, list)
		}
	}
}

// A share of all rows is refused also where lets hold it.
func TestWholeSharesOfLets(t *testing.T) {
	list := all(t, "let all = 100%\nlet held = all\ndata { target price : real; split test = held }\nkernel gaussian\nfeatures exact\n")
	if len(list) != 1 || list[0].Code != codes.OutOfRange || list[0].Summary != "test is 100%, and must leave rows for the other part" {
		t.Error(list)
	}
}
