package main

import "math/rand/v2"

// shifts returns readings of a workshop's electric load at random hours of the day. It stays level within a shift and changes at once
// between two, so that its total variation is the sum of five steps. Meters read it with noise.
func shifts() table {
	const count = 560
	levels := []struct{ until, load float64 }{{5.5, 1}, {9, 3.2}, {12, 2.4}, {17, 3.6}, {21, 4.6}, {24, 1.8}}
	rng := rand.New(rand.NewPCG(24, 6))
	t := table{path: "shifts/load.csv", rows: [][]string{{"hour", "load"}}}
	for range count {
		hour, noise := 24*rng.Float64(), .5*rng.NormFloat64()
		level := 0
		for hour >= levels[level].until {
			level++
		}
		t.rows = append(t.rows, []string{decimal(hour), decimal(levels[level].load + noise)})
	}
	return t
}
