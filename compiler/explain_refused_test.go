package compiler

import (
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/sipc-ml/sipc/compiler/codes"
	"github.com/sipc-ml/sipc/dsl"
)

var printedNumber = regexp.MustCompile(`(?:= |square |> )([−0-9.]+)`)

// An invariance that may be negative is shown with two functions between which its square is not convex. Here it is the largest
// of the functionals that are printed.
func TestSquaresThatAreNotConvex(t *testing.T) {
	for _, body := range []string{"max over x of f(cat)", "max over x of max {f(cat), f(dog)}", "max over x, c in {cat, dog} of f(c)"} {
		file, _ := dsl.Parse("test.inv", []byte(withDefaults("invariance i = "+body+"\n")))
		_, list := Check(t.Context(), file, testOptions(nil))
		if len(list) != 1 || list[0].Code != codes.MayBeNegative || len(list[0].Values) != 3 {
			t.Fatalf("%s: %v", body, list)
		}
		var squares, points [3]float64
		for i, line := range list[0].Values {
			if !strings.Contains(line, "; square ") {
				t.Fatalf("%s shows %q", body, line)
			}
			var numbers []float64
			for _, m := range printedNumber.FindAllStringSubmatch(line, -1) {
				v, err := strconv.ParseFloat(strings.Replace(m[1], "−", "-", 1), 64)
				if err != nil {
					t.Fatal(err)
				}
				numbers = append(numbers, v)
			}
			if i == 2 { // the mean of the two squares stands last
				if mean := numbers[len(numbers)-1]; mean != (squares[0]+squares[1])/2 {
					t.Errorf("%s: the mean is said to be %v: %q", body, mean, list[0].Values)
				}
				numbers = numbers[:len(numbers)-1]
			}
			at := numbers[:len(numbers)-1]
			squares[i], points[i] = numbers[len(at)], at[0]
			if want := math.Pow(slices.Max(at), 2); squares[i] != want {
				t.Errorf("%s: the square is %v: %q", body, want, line)
			}
		}
		if points[2] != (points[0]+points[1])/2 || squares[2] <= (squares[0]+squares[1])/2 {
			t.Errorf("%s: %q shows nothing", body, list[0].Values)
		}
	}
}
