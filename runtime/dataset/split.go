package dataset

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/sipc-ml/sipc/runtime/setting"
)

// holdOut is the share of rows that are held out for the test where the spec gives no counts.
const holdOut = 0.25

// The streams of random numbers. The rows of each table are drawn by a stream of their own.
const (
	streamData uint64 = 0x64617461
	streamTest uint64 = 0x74657374
)

// splitRows divides the usable rows of one table. Rows for the test are drawn first, so that draws of different size
// for training share them; both come in ascending order. class is nil where there are none.
func splitRows(path string, rows []int, class []int, split setting.Split, seed uint64) (train, test []int, err error) {
	rng := rand.New(rand.NewPCG(seed, streamData))
	if split.Train < 1 && split.Test < 1 {
		if len(rows) < 2 {
			return nil, nil, tooFewRows(path, len(rows), 2, "a split into training and test rows")
		}
		train, test = stratify(split, rows, class, rng)
		return train, test, nil
	}
	nTrain, nTest := int(split.Train), int(split.Test)
	if len(rows) < max(nTrain, 1)+max(nTest, 1) {
		return nil, nil, tooManyAsked(path, split, len(rows))
	}
	switch {
	case nTrain == 0:
		nTrain = len(rows) - nTest
	case nTest == 0:
		nTest = len(rows) - nTrain
	}
	order := slices.Clone(rows)
	rng.Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
	test, train = order[:nTest], order[nTest:nTest+nTrain]
	slices.Sort(test)
	slices.Sort(train)
	return train, test, nil
}

// partition returns the rows that a column of words puts into each part. Rows with a gap there are in no part.
func partition(t *Table, rows []int, by string, words []string) (train, valid, test []int, err error) {
	raw, ok := t.Column(by, rows)
	if !ok {
		return nil, nil, nil, noColumn(t, ItemSplit, by)
	}
	parts := setting.ListOf(by, words)
	wrong, err := checkType(t, &parts)
	if err != nil {
		return nil, nil, nil, err
	}
	if wrong != nil {
		wrong.Item, wrong.Mend = ItemSplit, "mend the cell, or leave it empty for a row that takes no part"
		return nil, nil, nil, wrong
	}
	for r, row := range rows {
		if raw.Texts == nil {
			continue // all gaps
		}
		switch strings.TrimSpace(raw.Texts[r]) {
		case setting.TrainRows:
			train = append(train, row)
		case setting.ValidRows:
			valid = append(valid, row)
		case setting.TestRows:
			test = append(test, row)
		}
	}
	return train, valid, test, nil
}

// splitBy divides the usable rows of one table by a column. Training needs rows, and so does the test, unless its rows are apart in
// another table or there is to be none.
func splitBy(t *Table, rows []int, spec *setting.Data, apart bool) (train, valid, test []int, err error) {
	by, words := spec.Split.By, []string{setting.TrainRows, setting.ValidRows, setting.TestRows}
	if spec.Unlabelled.Rows {
		words = append(words, setting.UnlabelledRows)
	}
	if train, valid, test, err = partition(t, rows, by, words); err != nil {
		return nil, nil, nil, err
	}
	if spec.Split.Untested {
		test, apart = nil, true
	}
	for _, part := range []struct {
		name string
		rows []int
		free bool
	}{{setting.TrainRows, train, false}, {setting.TestRows, test, apart}} {
		if len(part.rows) == 0 && !part.free {
			return nil, nil, nil, &Error{
				Code: CodeRows, File: t.Path, Column: by, Problem: fmt.Sprintf("no usable row is %s", part.name), Item: ItemSplit,
				Mend: fmt.Sprintf("write %s in some rows of this column", part.name),
			}
		}
	}
	return train, valid, test, nil
}

// describeSplit returns the split as a spec writes it.
func describeSplit(s setting.Split) string {
	var parts []string
	if s.Time != "" {
		parts = append(parts, "time = "+columnText(s.Time))
	}
	if s.Train > 0 {
		parts = append(parts, fmt.Sprintf("train = %g", s.Train))
	}
	if s.Test > 0 {
		parts = append(parts, fmt.Sprintf("test = %g", s.Test))
	}
	return "`split " + strings.Join(parts, ", ") + "`"
}

// tooManyAsked returns the error of a split that asks for more rows than there are, or leaves none to one of its parts.
func tooManyAsked(path string, s setting.Split, have int) error {
	written, there := describeSplit(s), count(have, "usable row")
	e := &Error{Code: CodeRows, File: path, Item: ItemSplit}
	switch asked := int(max(s.Train, 0)) + int(max(s.Test, 0)); {
	case have < 2:
		return tooFewRows(path, have, 2, written)
	case s.Test == 0 && int(s.Train) == have:
		e.Problem, e.Mend = fmt.Sprintf("%s leaves no row to test on, as there are %s", written, there), "ask for fewer rows, or for a share: `split train = 75%`"
	case s.Train == 0 && int(s.Test) == have:
		e.Problem, e.Mend = fmt.Sprintf("%s leaves no row to train on, as there are %s", written, there), "ask for fewer rows, or for a share: `split test = 25%`"
	default:
		e.Problem = fmt.Sprintf("%s asks for %s, but there %s usable", written, count(asked, "row"), isAre(have))
		e.Mend = "ask for fewer rows, or for shares: `split train = 75%, test = 25%`"
	}
	return e
}

// percent is what shares add up to that are written as percentages.
const percent = 100

// likeShares reports whether the numbers of a split read like percentages, and take few of the rows as they are.
func likeShares(s setting.Split, rows int) bool {
	asked := s.Train + s.Test
	return s.Train >= 1 && s.Test >= 1 && asked <= percent && 2*asked < float64(rows)
}

// asShares says what the numbers of a split take, and how they are written as shares.
func asShares(s setting.Split, rows int) string {
	return fmt.Sprintf("%s takes %g of %d rows; shares have a percent sign: `train = %g%%, test = %g%%`", describeSplit(s), s.Train+s.Test, rows, s.Train, s.Test)
}

// orShares adds to an error of the training rows how shares are written, where the numbers of the split read like some.
func orShares(err error, s setting.Split, rows int) error {
	if e, ok := errors.AsType[*Error](err); ok && likeShares(s, rows) {
		e.Mend += "; " + asShares(s, rows)
	}
	return err
}

// sharesHint says how shares are written, where the numbers of a split make 100 and take few of the rows. Nil means that they do not.
func sharesHint(s setting.Split, data, test *Table) []string {
	if test == data && likeShares(s, data.Len()) && s.Train+s.Test == percent {
		return []string{asShares(s, data.Len())}
	}
	return nil
}

// tooFewRows returns the error of what needs more rows than there are.
func tooFewRows(path string, have, want int, what string) error {
	return &Error{
		Code: CodeRows, File: path, Problem: fmt.Sprintf("%s needs %s, but there %s", what, count(want, "usable row"), isAre(have)),
		Mend: "give more rows, or ask for fewer",
	}
}

func isAre(n int) string {
	switch n {
	case 0:
		return "is none"
	case 1:
		return "is 1"
	}
	return fmt.Sprintf("are %d", n)
}

// drawRows takes a number or a share of rows at random, all of them where it is zero, in ascending order.
func drawRows(path string, rows []int, number float64, what string, seed, stream uint64) ([]int, error) {
	want := int(number)
	switch {
	case number == 0:
		return rows, nil
	case number < 1:
		want = max(1, int(math.Round(number*float64(len(rows)))))
	}
	if len(rows) < want {
		return nil, tooFewRows(path, len(rows), want, fmt.Sprintf("`split %s = %d`", what, want))
	}
	order := slices.Clone(rows)
	rng := rand.New(rand.NewPCG(seed, stream))
	rng.Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
	slices.Sort(order[:want])
	return order[:want], nil
}

// stratify draws shares of every class, one row of it at least, and one test row in all; without shares a quarter is held out. A class
// of one row stays in training.
func stratify(s setting.Split, rows, class []int, rng *rand.Rand) (train, test []int) {
	held, kept := shares(s)
	groups := [][]int{rows}
	if class != nil {
		groups = groupByClass(rows, class)
	}
	for _, group := range groups {
		group = slices.Clone(group)
		rng.Shuffle(len(group), func(i, j int) { group[i], group[j] = group[j], group[i] })
		n := len(group)
		k := min(max(int(math.Round(held*float64(n))), 1), n-1)
		all := n
		if kept+held < 1-1e-9 {
			all = k + min(max(int(math.Round(kept*float64(n))), 1), n-k)
		}
		test, train = append(test, group[:k]...), append(train, group[k:all]...)
	}
	if len(test) == 0 { // every class has one row
		test, train = train[:1:1], train[1:]
	}
	slices.Sort(train)
	slices.Sort(test)
	return train, test
}

// shares returns those of the rows for the test and for training.
func shares(s setting.Split) (held, kept float64) {
	switch {
	case s.Train == 0 && s.Test == 0:
		return holdOut, 1 - holdOut
	case s.Test == 0:
		return 1 - s.Train, s.Train
	case s.Train == 0:
		return s.Test, 1 - s.Test
	}
	return s.Test, s.Train
}

// groupByClass returns the rows of each class, in their order.
func groupByClass(rows, class []int) [][]int {
	var groups [][]int
	for r, row := range rows {
		for class[r] >= len(groups) {
			groups = append(groups, nil)
		}
		groups[class[r]] = append(groups[class[r]], row)
	}
	return groups
}
