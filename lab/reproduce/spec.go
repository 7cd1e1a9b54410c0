package reproduce

import (
	"fmt"
	"math"
	"strings"
)

// The specs of the tables.
const (
	transformSpec = `data {
    target  digit : binary(%s)
    columns image(28, 28)
    split   %s
}
kernel   gaussian(width = %g * median)
features nystrom(landmarks = all)
invariance steady = rms over x of
    %s over t in {%s} of |f(t(x)) - f(x)|
regularize %s * steady
learn    %s
method   %s
`
	mixupSpec = `data {
    target digit : class
    split  %s
}
kernel   gaussian(width = %g * median)
features nystrom(landmarks = rows)
invariance mixup = %s over pairs(count = %d%s) of max over λ in [0, 1] of |d/dλ f|
regularize %s * mixup
learn    %s
method   %s
`
	logicSpec = `data {
    target labels("labels.txt") : multilabel
    split  %s
}
let topics = taxonomy("hierarchy.txt")
kernel   gaussian(width = %g * median)
features nystrom(landmarks = all)
invariance implications = rms over x of max over (child, parent) in edges(topics) of implies(child, parent)
%slearn    %s
method   %s
`
	exclusionsLine = "invariance exclusions = rms over x of max over (a, b) in siblings(topics) of excludes(a, b)\n"
)

// A rowCount is how many rows a spec takes: for training, and for the test if any. Each fit learns from fitted of the former, which
// are fewer where the spec is compared in folds.
type rowCount struct{ train, test, fitted int }

func (d rowCount) String() string {
	if d.test == 0 {
		return fmt.Sprintf("train = %d", d.train)
	}
	return fmt.Sprintf("train = %d, test = %d", d.train, d.test)
}

// transformations returns the paper's four, or those and their opposites.
func transformations(both bool) string {
	list := "rotate(10deg), scale(0.1), shift(dx = -2), shift(dy = -2)"
	if both {
		list += ", rotate(-10deg), scale(-0.1), shift(dx = 2), shift(dy = 2)"
	}
	return list
}

// The learners of the tables. One that gives probabilities is fitted for the loss between test rows alone.
const (
	learnerRidge   = "ridge"
	learnerSoftmax = "softmax"
)

// learner returns the linear learner of a table.
func (t Table) learner() string {
	if t == Table2 {
		return learnerRidge
	}
	return nameSVM
}

// perRoot returns a weight of the search space as a spec on n rows has it: divided by √n.
func perRoot(weight float64, n int) string { return number(weight / math.Sqrt(float64(n))) }

// spec returns the text of a contender's spec. That of a rival says which rows and invariances there are, under some method that keeps them.
func (c *Cell) spec(k *Contender, s Setting, d rowCount, learner string) string {
	how := k.Method
	switch how {
	case "":
		how, s.Weight = nameEmbed, 1
	case namePlain:
		s.Weight = 1
	}
	weight := perRoot(s.Weight, d.fitted)
	switch c.Table {
	case Table1:
		over := "max"
		if how == nameWarp {
			over = "norm(2)"
		}
		return fmt.Sprintf(transformSpec, strings.Replace(c.Classes, "-", ", ", 1), d, s.Width, over, transformations(s.Both), weight, k.learner(learner, s), how)
	case Table2:
		over, choose := "rms", ", choose = nearest_same_class"
		if k.Form == formAnyPairs {
			over, choose = "max", ""
		}
		return fmt.Sprintf(mixupSpec, d, s.Width, over, c.pairs(d.train), choose, weight, k.learner(learner, s), how)
	case Table3:
	}
	sum := fmt.Sprintf("regularize %s * implications\n", weight)
	if k.Form != formImplications {
		sum = exclusionsLine + fmt.Sprintf("regularize %s * implications, %s * exclusions\n", weight, weight)
	}
	text := fmt.Sprintf(logicSpec, d, s.Width, sum, k.learner(learner, s), how)
	if k.Closed {
		text += "decode   closure\n"
	}
	return text
}

// learner returns the linear learner, its strength that of the setting. A rival brings its own.
func (k *Contender) learner(name string, s Setting) string {
	if k.Rival != "" {
		return name
	}
	return name + "(" + strength(name, s.C) + ")"
}

// strength returns C as a learner takes it: ridge by λ = 1/C.
func strength(learner string, c float64) string {
	if learner == learnerRidge {
		return fmt.Sprintf("lambda = %g", 1/c)
	}
	return fmt.Sprintf("C = %g", c)
}

// pairs returns as many pairs for each row, however many rows there are.
func (c *Cell) pairs(rows int) int { return max(1, c.Pairs*rows/c.N) }
