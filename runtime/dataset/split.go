package dataset

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
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
func splitRows(path string, rows []int, class []int, split Split, seed uint64) (train, test []int, err error) {
	rng := rand.New(rand.NewPCG(seed, streamData))
	nTrain, nTest := split.Train, split.Test
	if nTrain == 0 && nTest == 0 {
		if len(rows) < 2 {
			return nil, nil, tooFewRows(path, len(rows), 2, "a split into training and test rows")
		}
		train, test = stratify(rows, class, rng)
		return train, test, nil
	}
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

func describeSplit(s Split) string {
	switch {
	case s.Train == 0:
		return fmt.Sprintf("`split test = %d`", s.Test)
	case s.Test == 0:
		return fmt.Sprintf("`split train = %d`", s.Train)
	}
	return fmt.Sprintf("`split train = %d, test = %d`", s.Train, s.Test)
}

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

// drawRows takes a number of rows at random, all of them where it is zero, in ascending order.
func drawRows(path string, rows []int, want int, what string, seed, stream uint64) ([]int, error) {
	if want == 0 {
		return rows, nil
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

// stratify holds a quarter of every class out, and at least one row in all. A class of one row stays in training.
func stratify(rows []int, class []int, rng *rand.Rand) (train, test []int) {
	groups := [][]int{rows}
	if class != nil {
		groups = groupByClass(rows, class)
	}
	for _, group := range groups {
		group = slices.Clone(group)
		rng.Shuffle(len(group), func(i, j int) { group[i], group[j] = group[j], group[i] })
		k := int(math.Round(holdOut * float64(len(group))))
		if len(group) > 1 {
			k = max(k, 1)
		} else {
			k = 0
		}
		test, train = append(test, group[:k]...), append(train, group[k:]...)
	}
	if len(test) == 0 { // every class has one row
		test, train = train[:1:1], train[1:]
	}
	slices.Sort(train)
	slices.Sort(test)
	return train, test
}

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
