package spelling

import (
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

func TestDistance(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want int
	}{{"", "", 0}, {"", "ab", 2}, {"kernel", "kernle", 1}, {"gausian", "gaussian", 1}, {"ca", "abc", 3}, {"Größe", "Große", 1}, {"kitten", "sitting", 3}} {
		if got := new(meter).distance([]rune(c.a), []rune(c.b)); got != c.want {
			t.Errorf("%q and %q: %d, want %d", c.a, c.b, got, c.want)
		}
	}
}

// The distance is symmetric, zero for equal texts alone, and at most the longer length; one edit changes it by at most one.
func TestDistanceKeepsItsLaws(t *testing.T) {
	text := rapid.SliceOfN(rapid.SampledFrom([]rune("abcé")), 0, 6)
	m := &meter{} // which forgets the words before
	distance := m.distance
	rapid.Check(t, func(t *rapid.T) {
		a, b := text.Draw(t, "a"), text.Draw(t, "b")
		d := distance(a, b)
		if want := recursive(a, b); d != want {
			t.Fatalf("%q and %q: %d, by the definition %d", string(a), string(b), d, want)
		}
		if d != distance(b, a) || (d == 0) != (string(a) == string(b)) || d > max(len(a), len(b)) || d < max(len(a), len(b))-min(len(a), len(b)) {
			t.Fatalf("%q and %q: %d", string(a), string(b), d)
		}
		if longer := distance(append(a[:len(a):len(a)], 'z'), b); longer < d-1 || longer > d+1 {
			t.Fatalf("%q and %q: %d, with one more letter %d", string(a), string(b), d, longer)
		}
	})
}

// recursive is the distance by its definition: the cheapest edit at the ends, and what is left.
func recursive(a, b []rune) int {
	n, m := len(a), len(b)
	if n == 0 || m == 0 {
		return n + m
	}
	cost := 1
	if a[n-1] == b[m-1] {
		cost = 0
	}
	d := min(recursive(a[:n-1], b)+1, recursive(a, b[:m-1])+1, recursive(a[:n-1], b[:m-1])+cost)
	if n > 1 && m > 1 && a[n-1] == b[m-2] && a[n-2] == b[m-1] {
		d = min(d, recursive(a[:n-2], b[:m-2])+1)
	}
	return d
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

// An index finds what comparing a name with all words finds, whatever their lengths.
func TestAnIndexFindsWhatComparingAllFinds(t *testing.T) {
	word := rapid.Custom(func(t *rapid.T) string {
		return string(rapid.SliceOfN(rapid.SampledFrom([]rune("abcdefghé")), 0, 16).Draw(t, "word"))
	})
	letter := rapid.SampledFrom([]rune("abxé"))
	rapid.Check(t, func(t *rapid.T) {
		words := rapid.SliceOfN(word, fewWords+1, fewWords+60).Draw(t, "words")
		name := []rune(rapid.SampledFrom(words).Draw(t, "near"))
		for range rapid.IntRange(0, 3).Draw(t, "edits") {
			at := rapid.IntRange(0, len(name)).Draw(t, "at")
			switch kind := rapid.IntRange(0, 3).Draw(t, "kind"); {
			case kind == 0:
				name = slices.Insert(name, at, letter.Draw(t, "new"))
			case at == len(name):
			case kind == 1:
				name = slices.Delete(name, at, at+1)
			case kind == 2:
				name[at] = letter.Draw(t, "other")
			case at > 0:
				name[at], name[at-1] = name[at-1], name[at]
			}
		}
		slips := func(w string) int { return min(MostSlips, len(w)/3) }
		got, _ := NewIndex(words).Nearest(string(name), slips)
		if want := Nearest(string(name), words, slips); got != want {
			t.Fatalf("%q: %q, want %q", string(name), got, want)
		}
	})
}

// A name is compared with few of many words, however alike they are, and little is made for it.
func TestAnIndexComparesAFewOfManyWords(t *testing.T) {
	for _, pattern := range []string{"i%d", "invariance_%d_of_many", "the_same_%d_end_everywhere"} {
		var words []string
		for i := range 10000 {
			words = append(words, fmt.Sprintf(pattern, i))
		}
		x, compared := NewIndex(words), 0
		for i := range 100 {
			name := "q" + fmt.Sprintf(pattern, i*97)[1:]
			for most := range MostSlips + 1 {
				for range x.sharing(name+"zz", most) {
					compared++
				}
			}
			made := testing.AllocsPerRun(1, func() { x.Nearest(name, func(string) int { return -1 }) })
			if made > 100 {
				t.Errorf("%s: %.0f objects are made", name, made)
			}
		}
		if compared > 100*3*mostCandidates {
			t.Errorf("%s: %d comparisons for 100 names", pattern, compared)
		}
	}
}
