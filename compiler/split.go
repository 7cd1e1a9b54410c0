package compiler

// Which rows train and which test, as a data block says it:
//
//	split train = 1000, test = 500           so many rows, drawn by the seed
//	split test = 25%                         a share of each class, and the rest trains
//	split time = sold, test = 25%            nothing is drawn: the latest rows by a column test
//	split by part                            the cells of a column say train, valid or test; see dsl.SplitBy
//
// Other programs split rows in other words. So what is no split here comes with what is one, splitHabit.

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/sipc-ml/sipc/compiler/codes"
	"github.com/sipc-ml/sipc/compiler/internal/names"
	"github.com/sipc-ml/sipc/compiler/internal/tree"
	"github.com/sipc-ml/sipc/compiler/internal/values"
	"github.com/sipc-ml/sipc/dsl"
	"github.com/sipc-ml/sipc/dsl/diag"
	"github.com/sipc-ml/sipc/plugins"
	"github.com/sipc-ml/sipc/runtime/setting"
)

// splitWord begins the item that says which rows train and which test, and timeWord is the argument that puts rows in order.
const (
	splitWord = "split"
	timeWord  = "time"
)

// splitSchema has the arguments of split. The column of times may be no feature, so that it is read apart from the numbers.
var splitSchema = []plugins.Arg{
	{Name: "train", Kind: plugins.KindNumber, Doc: "rows to fit on, or their share", Optional: true, Min: anyPositive, Max: math.MaxInt32},
	{Name: "test", Kind: plugins.KindNumber, Doc: "rows to evaluate on, or their share", Optional: true, Min: anyPositive, Max: math.MaxInt32},
	{Name: timeWord, Kind: plugins.KindColumn, Doc: "the column of dates or times that puts rows in order: the latest test", Optional: true},
}

// splitForms lists how a split is written.
const splitForms = "Write split train = 75%, test = 25%, split time = COLUMN, test = 25% or split by COLUMN."

// split compiles how many rows are fitted on and held out, as numbers or as shares of all. The two are of one sort, and shares make at
// most 1. A number that is missing stands for all other rows. Which rows are the latest, the data decide.
func split(p *names.Pass, item *dsl.Option) setting.Split {
	s := setting.Split{}
	if len(item.Args) == 0 {
		p.Report(&diag.Diagnostic{Code: codes.MissingArgument, Subject: item.Span(), Summary: "split says neither how many rows to train on nor to test on", Mend: "Write split train = 1000, test = 1000."})
		return s
	}
	numbers, time, ok := splitArguments(p, item)
	if time != nil {
		s.Time = timeColumn(p, time)
	}
	if !ok {
		return s
	}
	v, ok := values.Arguments(p, splitSchema[:2], splitWord, numbers, item.Span(), nil)
	if !ok {
		return s
	}
	s.Train, s.Test = rowsOrShare(p, v[0]), rowsOrShare(p, v[1])
	switch {
	case s.Train == 0 || s.Test == 0:
	case (s.Train < 1) != (s.Test < 1):
		p.Report(&diag.Diagnostic{Code: codes.WrongOption, Subject: item.Span(), Summary: "split says one number as a share and the other as rows", Mend: "Write two shares, train = 0.7, test = 0.3, or two numbers of rows."})
	case s.Train < 1 && s.Train+s.Test > 1+1e-9:
		p.Report(&diag.Diagnostic{Code: codes.WrongOption, Subject: item.Span(), Summary: fmt.Sprintf("the shares of split add up to %.4g", s.Train+s.Test), Mend: "Write shares that make 1 at most."})
	}
	return s
}

// splitArguments tells the column of times from the numbers, and reports what is none of them. Ok is false then.
// Numbers may stand without names, the first for training. Each argument stands once:
//
//	split 75%, 25%                train, then test
//	split time = a, time = b      which of them is meant, nobody can tell
//	split folds = 5               no argument of this language
func splitArguments(p *names.Pass, item *dsl.Option) (numbers []*dsl.Arg, time *dsl.Arg, ok bool) {
	ok = true
	for _, a := range item.Args {
		switch {
		case a.Name == nil:
			ok = splitNumber(p, a) && ok
			numbers = append(numbers, a)
		case a.Name.Name == timeWord && time != nil:
			p.Twice(timeWord, a.Span(), time.Span())
			ok = false
		case a.Name.Name == timeWord:
			time = a
		case !slices.ContainsFunc(splitSchema, func(s plugins.Arg) bool { return s.Name == a.Name.Name }):
			unknownOfSplit(p, a.Name)
			ok = false
		default:
			numbers = append(numbers, a)
		}
	}
	return numbers, time, ok
}

// splitNumber reports an argument without a name that is no number of rows, and returns false then:
//
//	split sold       a column, of times or of words
//	split 80/20      4 rows, as arithmetic has it, and two shares, as people write it
func splitNumber(p *names.Pass, a *dsl.Arg) bool {
	d := &diag.Diagnostic{Code: codes.WrongOption, Subject: a.Span()}
	switch e := a.Value.(type) {
	case *dsl.Binary:
		if e.Op != "/" {
			return true
		}
		d.Summary, d.Mend = tree.Text(e)+" is a quotient, and no pair of shares", "Write both shares: split train = 80%, test = 20%."
	case *dsl.Ident, *dsl.String:
		name, _ := namedColumn(a.Value)
		if id, isName := e.(*dsl.Ident); isName && (p.Decls.Lets[id.Name] != nil || p.Poison[id.Name] || id.Name == tree.AutoWord) {
			return true
		}
		column := tree.ColumnText(name)
		d.Summary = name + " is no number of rows"
		d.Mend = fmt.Sprintf("To test on the latest rows by a column write split time = %[1]s; if its cells say train, valid or test, write split by %[1]s.", column)
		d.Mend = cmp.Or(splitHabit(name), d.Mend)
	default:
		return true
	}
	p.Report(d)
	return false
}

// splitHabit returns what serves where other programs have an argument of that name. It is empty for other names.
func splitHabit(name string) string {
	switch strings.ToLower(name) {
	case "folds", "fold", "k", "cv", "n_splits", "nfolds":
		return "Numbers of grids are chosen in five folds anyway. `sipc tune SPEC DATA --nested 5` tells what a spec is worth in folds."
	case "seed", "random_state", "rng":
		return "The seed is a statement, seed 4, or an option of run, --seed 4."
	case "random", "shuffle", "shuffled":
		return "Rows are drawn at random anyway, unless split time puts them in order: split test = 25%."
	case "stratify", "stratified", "strata":
		return "Shares are drawn from each class by itself anyway: split test = 25%."
	case "valid", "validation", "val", "dev":
		return "Valid rows are those that a column names: split by COLUMN. Without them numbers of grids are chosen in folds of the training rows."
	case "group", "groups":
		return "To keep rows together, write train and test into a column, and split by COLUMN."
	case timeWord:
		return "Name the column of dates or times: split time = COLUMN."
	case "date", "order", "after", "latest", "chronological":
		return "To test on the latest rows write split time = COLUMN."
	}
	return ""
}

// unknownOfSplit reports an argument that split does not have.
func unknownOfSplit(p *names.Pass, id *dsl.Ident) {
	d := &diag.Diagnostic{Code: codes.UnknownArgument, Subject: id.Span(), Summary: "split has no argument " + names.Shown(id)}
	known := tree.Each(splitSchema, func(arg plugins.Arg) string { return arg.Name })
	d.Mend = splitHabit(id.Name)
	if d.Mend != "" {
		p.Report(d)
		return
	}
	d.Mend = splitForms
	if best := tree.Nearest(id.Name, known); best != "" {
		d.Mend = tree.Meant(best, known)
	}
	p.Report(d)
	p.Rename(d, id.Span(), id.Name, known)
}

// timeColumn returns the column of `split time = COLUMN`. It is empty where no column is named, which is reported.
func timeColumn(p *names.Pass, a *dsl.Arg) string {
	if n, ok := a.Value.(*dsl.Number); ok {
		p.Report(&diag.Diagnostic{Code: codes.WrongType, Subject: n.Span(), Summary: "a column of dates or times is wanted here, not " + n.Raw, Mend: "Write split time = COLUMN, test = 25%."})
		return ""
	}
	name, ok := values.Literal(p, a.Value, nil, "a column of dates or times", true)
	if ok {
		values.InFile(p, name, a.Value.Span())
	}
	return name
}

// splitContradictions reports a column that splits the rows, or puts them in order, and cannot.
func splitContradictions(p *names.Pass, d *setting.Data) {
	if by := d.Split.By; by != "" && (slices.Contains(d.Target.Names, by) || slices.Contains(d.Columns.Names, by)) {
		p.Report(&diag.Diagnostic{Code: codes.WrongOption, Subject: values.ItemAt(p.Decls.Data, splitWord), Summary: by + " splits the rows, and can be neither target nor feature", Mend: "Name another column by split by, or leave this one out of target and columns."})
	}
	if time := d.Split.Time; time != "" && slices.Contains(d.Target.Names, time) {
		p.Report(&diag.Diagnostic{
			Code: codes.WrongOption, Subject: values.ItemAt(p.Decls.Data, splitWord), Summary: time + " is the target, and cannot put the rows in order",
			Detail: "The rows with the largest targets would test, and no training row would have such.", Mend: "Name the column of dates or times: split time = COLUMN.",
		})
	}
}

// rowsOrShare returns a number of rows, or of (0, 1) a share of them. It is 0 where there is no
// argument, which means the default. 100% is the number 1 and would be one row, so that shares in
// percent are held to less.
func rowsOrShare(p *names.Pass, v *tree.Value) float64 {
	if v == nil {
		return 0
	}
	written := p.Text(v.Place)
	if held := values.Held(p, written); held != nil {
		written = tree.Text(held)
	}
	percent := strings.HasSuffix(written, "%")
	switch number := v.Quantity.Value; {
	case percent && number >= 1:
		p.Report(&diag.Diagnostic{Code: codes.OutOfRange, Subject: v.Place, Summary: fmt.Sprintf("%s is %s, and must leave rows for the other part", v.Arg.Name, written), Mend: "Write a share below 100 %, as in split train = 75%."})
		return 0
	case number > 1 && number != math.Trunc(number):
		p.Report(&diag.Diagnostic{Code: codes.OutOfRange, Subject: v.Place, Summary: v.Arg.Name + " is neither a whole number of rows nor a share", Detail: "A number between 0 and 1 is a share.", Mend: "Write a share, 0.7 say, or a whole number of rows."})
	}
	return v.Quantity.Value
}
