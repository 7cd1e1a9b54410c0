package fuzz

import (
	"fmt"
	"strings"
)

// A scene is what spec and data have in common: the target, the columns and the files beside the spec.
type scene struct {
	draw
	task    string   // real, binary, class or multilabel
	labels  []string // that f takes; nil where f is a function of x alone
	target  string   // of the data block
	numbers []string // numeric columns
	group   bool     // there is a column region of texts
	flags   bool     // there is a column flag of 0 and 1
	image   bool     // columns are pixels
	gaps    bool     // some cells are empty
	rows    int
	format  string // the ending of the data file
	smooth  int    // how many derivatives the kernel's functions have

	defs []string // definitions that take a point
}

// The files that specs name.
const (
	graphFile    = "edges.csv"
	weightFile   = "weights.csv"
	taxonomyFile = "taxonomy.csv"
)

// side is how many pixels an image has along each side.
const side = 4

func newScene(d draw) *scene {
	s := &scene{draw: d, format: d.one("csv", "csv", "csv", "csv", "csv", "tsv", "arff", "csv.gz")}
	s.rows = d.between(5, 10)
	switch size := d.IntN(20); {
	case size == 0:
		s.rows = d.between(20, 60)
	case size < 5:
		s.rows = d.between(10, 20)
	}
	s.chooseTarget()
	s.group, s.flags = d.chance(40), d.chance(30)
	for k := range d.between(1, 3) {
		s.numbers = append(s.numbers, fmt.Sprintf("x%d", k+1))
	}
	if d.chance(8) {
		s.image, s.group, s.flags, s.numbers, s.format = true, false, false, nil, "csv"
		for k := range side * side {
			s.numbers = append(s.numbers, fmt.Sprintf("p%d", k+1))
		}
	}
	s.gaps = d.chance(20)
	return s
}

func (s *scene) chooseTarget() {
	s.task = s.one("real", "binary", "class", "multilabel")
	switch s.task {
	case "real":
		s.target = "y : real"
	case "binary":
		s.target = "y : binary(no, yes)"
	case "class":
		s.labels = []string{"ape", "bee", "cat", "dog"}[:s.between(2, 4)]
		s.target = "y : class"
	case "multilabel":
		s.labels = []string{"ape", "bee", "cat", "dog", "eel"}[:s.between(2, 5)]
		s.target = strings.Join(s.labels, ", ") + " : multilabel"
	}
}

// number returns a column of numbers.
func (s *scene) number() string { return s.one(s.numbers...) }
