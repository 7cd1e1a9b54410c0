package paged

import (
	"runtime"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/sipc-ml/sipc/internal/limits"
)

// TestArraysAreSlices compares arrays of a store with plain slices, of lengths about that from which on they are files.
func TestArraysAreSlices(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := New(rapid.IntRange(1, 3000).Draw(t, "least"))
		want := rapid.SliceOfN(rapid.Float64(), 0, 50).Draw(t, "first")
		got := append(s.File(len(want), 1)[:0], want...) //nolint:gocritic // in the room of the file, where there is one
		for k := range rapid.IntRange(0, 5000).Draw(t, "more") {
			want, got = append(want, float64(k)), s.Append(got, float64(k))
		}
		if !slices.Equal(got, want) {
			t.Fatalf("%d numbers are others than were appended", len(got))
		}
		runtime.KeepAlive(s)
	})
}

// TestPagesComeBack lets go of an array of more than limits.PagedBytes while it is filled, and reads it once more.
func TestPagesComeBack(t *testing.T) {
	s := New(1)
	x := s.File(limits.PagedBytes/8+limits.PagedRows, 1)
	if x == nil {
		t.Skip("arrays lie in memory here")
	}
	for i := range x {
		x[i] = float64(i)
	}
	for deadline := time.Now().Add(10 * time.Second); resident() > limits.PagedBytes; time.Sleep(between) {
		if time.Now().After(deadline) {
			t.Fatalf("%d bytes of files are in memory", resident())
		}
	}
	for i := range x {
		if x[i] != float64(i) {
			t.Fatalf("number %d is %v", i, x[i])
		}
	}
	runtime.KeepAlive(s)
}

// TestArraysInMemory keeps arrays in memory where no file can be made, and where there is no store.
func TestArraysInMemory(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir()+"/none")
	s := New(1)
	if s.File(10, 1) != nil {
		t.Error("an array is a file in a folder that is not there")
	}
	var none *Store
	if x := none.Append(none.File(3, 1), 1); none.Holds(x) || !slices.Equal(x, []float64{1}) {
		t.Errorf("no store has %v", x)
	}
}
