// Package paged holds long arrays of numbers that need not lie in memory.
//
// From some number of rows on, an array is a file without a name in the folder for temporary files. The system maps it page by page, and whoever
// reads the array sees a slice. Pages are let go when more than [limits.PagedBytes] are in memory, and come back from the file when they are looked at.
// So a pass over rows takes the memory of what it looks at, and rows may be more than memory. Where no such file can be made, and elsewhere
// than on Linux, arrays lie in memory.
package paged

import (
	"math"
	"runtime"
)

// A Store owns arrays. They must not be used after it: whoever holds a slice of one holds the store too, and ends by [runtime.KeepAlive]. A
// nil Store keeps all in memory.
type Store struct {
	least int
	files *files
}

// Beside returns an empty store whose arrays are files from as many rows on.
func (s *Store) Beside() *Store {
	if s == nil {
		return nil
	}
	return New(s.least)
}

// KeepWith lets a store end no sooner than an owner, who need not know of it.
func KeepWith[T any](s *Store, owner *T) { runtime.AddCleanup(owner, func(*Store) {}, s) }

// File returns zeros in a file, so many for each of n rows; nil where there is to be none, or can be none.
func (s *Store) File(n, each int) []float64 {
	if s == nil || n < s.least || each < 1 || n > math.MaxInt/8/each {
		return nil
	}
	if out := s.files.grow(nil, n*each); out != nil {
		return out[:n*each]
	}
	return nil
}

// Append appends the number of a row to an array that this store made, or to an empty one. The array passed is not used again, as with append.
func (s *Store) Append(to []float64, v float64) []float64 {
	if s == nil || len(to) < cap(to) || len(to) < s.least {
		return append(to, v)
	}
	if more := s.files.grow(to, len(to)+len(to)/2+1); more != nil {
		return append(more, v)
	}
	file := to
	to = append(to, v)
	s.Drop(file)
	return to
}

// Drop gives an array back that nobody uses any more.
func (s *Store) Drop(numbers []float64) {
	if s.Holds(numbers) {
		s.files.drop(numbers)
	}
}

// Holds reports whether an array is a file of the store.
func (s *Store) Holds(numbers []float64) bool {
	return s != nil && len(numbers) >= max(1, s.least) && s.files.has(numbers)
}
