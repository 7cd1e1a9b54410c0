package hashes

import (
	"crypto/sha256"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// Lists have the digest of others if they are these, one after the other.
func TestListsHaveTheirDigest(t *testing.T) {
	sum := func(lists [][]float64) [sha256.Size]byte {
		h := sha256.New()
		for _, x := range lists {
			Write(h, x)
		}
		return [sha256.Size]byte(h.Sum(nil))
	}
	lists := rapid.SliceOfN(rapid.SliceOfN(rapid.Float64Range(0, 2), 0, 3), 0, 3)
	same := func(a, b [][]float64) bool { return slices.EqualFunc(a, b, slices.Equal[[]float64]) }
	rapid.Check(t, func(t *rapid.T) {
		a, b := lists.Draw(t, "a"), lists.Draw(t, "b")
		if (sum(a) == sum(b)) != same(a, b) {
			t.Errorf("%v and %v", a, b)
		}
	})
	long := make([]float64, 3*atOnce+1)
	before := sum([][]float64{long})
	if long[3*atOnce] = 1; sum([][]float64{long}) == before {
		t.Error("the last number is left out")
	}
}
