package spelling

import (
	"testing"

	"pgregory.net/rapid"
)

func TestDistance(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want int
	}{{"", "", 0}, {"", "ab", 2}, {"kernel", "kernle", 1}, {"gausian", "gaussian", 1}, {"ca", "abc", 3}, {"Größe", "Große", 1}, {"kitten", "sitting", 3}} {
		if got := distance([]rune(c.a), []rune(c.b)); got != c.want {
			t.Errorf("%q and %q: %d, want %d", c.a, c.b, got, c.want)
		}
	}
}

// The distance is symmetric, zero for equal texts alone, and at most the longer length; one edit changes it by at most one.
func TestDistanceKeepsItsLaws(t *testing.T) {
	text := rapid.SliceOfN(rapid.SampledFrom([]rune("abcé")), 0, 8)
	rapid.Check(t, func(t *rapid.T) {
		a, b := text.Draw(t, "a"), text.Draw(t, "b")
		d := distance(a, b)
		if d != distance(b, a) || (d == 0) != (string(a) == string(b)) || d > max(len(a), len(b)) || d < max(len(a), len(b))-min(len(a), len(b)) {
			t.Fatalf("%q and %q: %d", string(a), string(b), d)
		}
		if longer := distance(append(a[:len(a):len(a)], 'z'), b); longer < d-1 || longer > d+1 {
			t.Fatalf("%q and %q: %d, with one more letter %d", string(a), string(b), d, longer)
		}
	})
}

func TestNearest(t *testing.T) {
	two := func(string) int { return 2 }
	for name, want := range map[string]string{"Gausian": "gaussian", "laplace": "", "lienar": "linear", "": ""} {
		if got := Nearest(name, []string{"gaussian", "laplacian", "linear"}, two); got != want {
			t.Errorf("%q: %q, want %q", name, got, want)
		}
	}
	if got := Nearest("ab", []string{"ac", "ad"}, two); got != "ac" {
		t.Errorf("of equal names the first is meant, not %q", got)
	}
}
