package pagetest

import (
	"math"
	"regexp"
	"strconv"
	"testing"
)

// numberOfPicture finds numbers.
var numberOfPicture = regexp.MustCompile(`-?[0-9]+(\.[0-9]+)?`)

// SamePicture fails unless two pictures in SVG differ by half a pixel at most, and in nothing but places. Solvers and machines may differ by
// last digits.
func SamePicture(t *testing.T, what, got, want string) {
	t.Helper()
	if numberOfPicture.ReplaceAllString(got, "#") != numberOfPicture.ReplaceAllString(want, "#") {
		t.Fatalf("%s is not the picture that is committed", what)
	}
	numbers := numberOfPicture.FindAllString(want, -1)
	for k, text := range numberOfPicture.FindAllString(got, -1) {
		a, _ := strconv.ParseFloat(text, 64)
		if b, _ := strconv.ParseFloat(numbers[k], 64); math.Abs(a-b) > 1.0/2 {
			t.Fatalf("%s has %v as number %d, and what is committed has %v", what, a, k, b)
		}
	}
}
