package bench

import (
	"bufio"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
)

// A Hostile is a spec and data whose memory is mostly of one kind.
type Hostile struct {
	Name, Spec string
	// Data writes the rows, Ending names their format.
	Data   func(w *bufio.Writer)
	Ending string
	// Edges writes the file edges.csv beside the spec; nil for none.
	Edges func(w *bufio.Writer)
	// Polar says that the data are a problem of sipc polar, without a spec.
	Polar bool
	// Applied writes rows that the model is then applied to, as sipc predict and sipc embed do; nil for none.
	Applied func(w *bufio.Writer)
}

// HostileShapes returns problems that take much memory, each for another reason.
func HostileShapes() []Hostile {
	const rms, landmarks = "invariance i = rms over x of |f(x)|\n", "features nystrom(landmarks = %d)\n"
	table := func(rows, columns int) func(w *bufio.Writer) { return numbers(rows, columns, 0) }
	spec := func(target, features, invariance, learn string) string {
		return "data { target y : " + target + " }\nkernel gaussian(width = median)\n" + features + invariance + learn
	}
	some := func(n int) string { return fmt.Sprintf(landmarks, n) }
	const paths = "invariance i = rms over pairs(count = 4n) of max over λ in [0, 1] of |d/dλ f|\nregularize 0.1 * i\n"
	return []Hostile{
		{Name: "500 labels of one row", Spec: labelled, Data: oneRowOf(500), Ending: "svm"},
		{Name: "5,000 labels of one row", Spec: labelled, Data: oneRowOf(5000), Ending: "svm"},
		{Name: "5,000 labels, plain", Spec: labelled + "method plain\n", Data: oneRowOf(5000), Ending: "svm"},
		{Name: "200 labels, implications", Spec: implied(200), Data: labels(400, 200), Ending: "svm"},
		{Name: "100,000 functionals", Spec: spec("real", some(100), paths, "learn ridge\n"), Data: table(3000, 10), Ending: "csv"},
		{Name: "100,000 functionals, risk", Spec: spec("real", some(100), paths, "learn ridge\nmethod risk\n"), Data: table(3000, 10), Ending: "csv"},
		{Name: "paths between 2,000 pairs", Spec: spec("real", some(400), paths, "learn ridge\n"), Data: table(800, 10), Ending: "csv"},
		{Name: "4,000 landmarks", Spec: spec("real", some(4000), rms, "learn ridge\n"), Data: table(6000, 10), Ending: "csv"},
		{Name: "4,000 landmarks, warp", Spec: spec("real", some(4000), rms, "learn ridge\nmethod warp\n"), Data: table(6000, 10), Ending: "csv", Applied: table(4000, 10)},
		{Name: "4,000 landmarks, risk", Spec: spec("real", some(4000), "invariance i = max over x of pos(-d/d(c1) f)\n", "learn ridge\n"), Data: table(6000, 10), Ending: "csv"},
		{Name: "4,000 landmarks, plain", Spec: spec("real", some(4000), "", "learn ridge\n"), Data: table(6000, 10), Ending: "csv", Applied: table(10000, 10)},
		{Name: "20 classes, embed", Spec: spec("class", some(200), paths, "learn svm\n"), Data: numbers(400, 10, 20), Ending: "csv", Applied: numbers(400, 10, 20)},
		{Name: "20 classes, warp", Spec: spec("class", some(200), rms, "learn svm\nmethod warp\n"), Data: numbers(1000, 10, 20), Ending: "csv", Applied: numbers(1000, 10, 20)},
		{Name: "20 classes, risk", Spec: spec("class", some(200), paths, "learn softmax\nmethod risk\n"), Data: numbers(400, 10, 20), Ending: "csv"},
		{Name: "dual", Spec: spec("real", some(2000), rms, "learn ridge\nmethod dual\n"), Data: table(3000, 10), Ending: "csv"},
		{Name: "svm of 6,000 rows", Spec: spec("class", some(200), "", "learn svm\n"), Data: numbers(8000, 10, 2), Ending: "csv"},
		{Name: "2^14 hashed features", Spec: "data { target y : real }\nkernel linear\nfeatures hashing(bits = 14)\nlearn ridge\n", Data: table(2000, 200), Ending: "csv"},
		{Name: "5,000 random features", Spec: spec("real", "features fourier(count = 5000)\n", "", "learn ridge\n"), Data: table(4000, 10), Ending: "csv"},
		{Name: "100,000 columns", Spec: spec("real", "features nystrom(landmarks = rows)\n", rms, "learn ridge\n"), Data: table(100, 100000), Ending: "csv"},
		{Name: "100,000 sparse columns", Spec: spec("real", "features nystrom(landmarks = rows)\n", rms, "learn ridge\n"), Data: sparse(200, 100000), Ending: "arff"},
		{Name: "4,000 functionals of 3,000 numbers", Polar: true, Data: problem(4000, 3000, 1), Ending: "json"},
		{Name: "200 functionals of 50,000 numbers", Polar: true, Data: problem(200, 50000, 1), Ending: "json"},
		{Name: "3,000 right-hand sides", Polar: true, Data: problem(10, 2000, 3000), Ending: "json"},
		neighbours(100_000), neighbours(300_000), neighbours(1_000_000),
		{Name: "300,000 rows", Spec: spec("real", some(50), "", "learn ridge\n"), Data: table(300000, 50), Ending: "csv"},
	}
}

// labelled is a spec of labels that rows carry.
const labelled = "data { target labels(data) : multilabel }\nkernel linear\nfeatures nystrom(landmarks = rows)\n" +
	"invariance i = rms over x of |f(x)|\nlearn svm\n"

// implied returns a spec in which each label implies the one before it.
func implied(count int) string {
	var list []string
	for c := 1; c < count; c++ {
		list = append(list, fmt.Sprintf("implies(l%d, l%d)", c, c-1))
	}
	return "data { target labels(data) : multilabel }\nkernel linear\nfeatures nystrom(landmarks = 100)\n" +
		"invariance i = rms over x of max {" + strings.Join(list, ", ") + "}\nlearn svm\n"
}

// draw returns the generator of all rows, from its beginning.
func draw() *rand.Rand { return rand.New(rand.NewPCG(0, 0)) }

// numbers returns a writer of CSV: a target y, a number or one of some classes, and columns c0, c1, ….
func numbers(rows, columns, classes int) func(w *bufio.Writer) {
	return func(w *bufio.Writer) {
		r := draw()
		fmt.Fprint(w, "y")
		for j := range columns {
			fmt.Fprintf(w, ",c%d", j)
		}
		for i := range rows {
			if classes > 0 {
				fmt.Fprintf(w, "\nk%d", i%classes)
			} else {
				fmt.Fprintf(w, "\n%.3f", math.Sin(float64(i)))
			}
			for range columns {
				fmt.Fprintf(w, ",%.3f", r.NormFloat64())
			}
		}
		fmt.Fprintln(w)
	}
}

// neighbours returns a problem of so many edges between near rows. There are ten edges a row, and one row in 50 has a target.
func neighbours(edges int) Hostile {
	rows := edges / 10
	return Hostile{
		Name: fmt.Sprintf("%d edges", edges), Ending: "csv",
		Spec: "data { target y : real; unlabelled test }\nkernel gaussian(width = median)\nfeatures nystrom(landmarks = 100)\n" +
			"invariance i = rms over (a, b) in graph(\"edges.csv\") of |f(a) - f(b)|\nlearn ridge\nmethod risk\n",
		Data: func(w *bufio.Writer) {
			r := draw()
			fmt.Fprint(w, "y,near,c1,c2,c3,c4")
			for i := range rows {
				fmt.Fprintln(w)
				if i%50 == 0 {
					fmt.Fprintf(w, "%.3f", math.Sin(9*float64(i)/float64(rows)))
				}
				fmt.Fprintf(w, ",%.5f", float64(i)/float64(rows))
				for range 4 {
					fmt.Fprintf(w, ",%.3f", r.NormFloat64())
				}
			}
			fmt.Fprintln(w)
		},
		Edges: func(w *bufio.Writer) {
			r := draw()
			fmt.Fprintln(w, "a,b")
			for range edges {
				a := 1 + r.IntN(rows-50)
				fmt.Fprintf(w, "%d,%d\n", a, a+1+r.IntN(49))
			}
		},
	}
}

// oneRowOf returns a writer of LIBSVM: 20 rows of a label each, and one that has so many.
func oneRowOf(count int) func(w *bufio.Writer) {
	return func(w *bufio.Writer) {
		for i := range 20 {
			fmt.Fprintf(w, "%d 1:%d 2:0.5\n", i%3, i)
		}
		for c := range count - 1 {
			fmt.Fprintf(w, "%d,", c)
		}
		fmt.Fprintf(w, "%d 1:20 2:0.5\n", count-1)
	}
}

// labels returns a writer of LIBSVM whose rows have some of so many labels each.
func labels(rows, count int) func(w *bufio.Writer) {
	return func(w *bufio.Writer) {
		r := draw()
		for i := range rows {
			fmt.Fprintf(w, "l%d,l%d", i%count, (i+1+r.IntN(count-1))%count)
			for j := range 50 {
				fmt.Fprintf(w, " %d:%.3f", j+1, r.Float64())
			}
			fmt.Fprintln(w)
		}
	}
}

// sparse returns a writer of ARFF with so many columns, of which a row has two.
func sparse(rows, columns int) func(w *bufio.Writer) {
	return func(w *bufio.Writer) {
		fmt.Fprint(w, "@relation t\n")
		for j := range columns {
			fmt.Fprintf(w, "@attribute a%d numeric\n", j)
		}
		fmt.Fprint(w, "@attribute y numeric\n@data\n")
		for i := range rows {
			fmt.Fprintf(w, "{%d 1, %d %d}\n", i, columns, i%7)
		}
	}
}

// problem returns a writer of a problem file.
func problem(functionals, dim, count int) func(w *bufio.Writer) {
	return func(w *bufio.Writer) {
		r := draw()
		vectors := func(count int) {
			for i := range count {
				fmt.Fprint(w, before(i, ""))
				for j := range dim {
					fmt.Fprintf(w, "%s%d", before(j, "["), r.IntN(9)+1)
				}
				fmt.Fprint(w, "]")
			}
		}
		fmt.Fprint(w, `{"alpha": 1, "a": [`)
		vectors(count)
		fmt.Fprintf(w, `], "terms": [{"kind": "abs", "group_size": 1, "weights": [1%s], "Z": [`, strings.Repeat(",1", functionals-1))
		vectors(functionals)
		fmt.Fprint(w, `]}]}`)
	}
}

// before returns what stands before the i-th element of a list.
func before(i int, first string) string {
	if i == 0 {
		return first
	}
	return ","
}
