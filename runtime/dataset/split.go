package dataset

import (
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
	want := max(nTrain, 1) + max(nTest, 1)
	if len(rows) < want {
		return nil, nil, tooFewRows(path, len(rows), want, describeSplit(split))
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
	switch {
	case s.Train == 0:
		return fmt.Sprintf("`split test = %g`", s.Test)
	case s.Test == 0:
		return fmt.Sprintf("`split train = %g`", s.Train)
	}
	return fmt.Sprintf("`split train = %g, test = %g`", s.Train, s.Test)
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
