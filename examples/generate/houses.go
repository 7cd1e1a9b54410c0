package main

import (
	"math"
	"math/rand/v2"
	"strconv"
)

// houseTables are houses on streets, and the edges between neighbours. Houses of a street are alike, a larger house is
// dearer, a price changes slowly with age, front and back garden count the same, and north and south pay alike. Area is in
// hundreds of square metres, age in decades, gardens in ares, price in hundreds of thousands.
func houseTables() (houses, edges table) {
	const streets, onStreet = 60, 6
	rng := rand.New(rand.NewPCG(5, 5))
	houses = table{path: "houses/houses.csv", rows: [][]string{{"id", "area", "age", "front", "back", "region", "price"}}}
	edges = table{path: "houses/edges.csv", rows: [][]string{{"a", "b"}}}
	for s := range streets {
		region := []string{"north", "south"}[s%2]
		area, age := .6+2.4*rng.Float64(), 8*rng.Float64()
		for h := range onStreet {
			id := s*onStreet + h + 1
			a := max(.3, area+.12*rng.NormFloat64())
			y := max(0, age+.3*rng.NormFloat64())
			front, back := 2*rng.Float64(), 2*rng.Float64()
			price := 1.1*math.Pow(a, .8) + .35*math.Cos(.5*y) + .25*math.Sqrt(front+back) + .35*rng.NormFloat64()
			houses.rows = append(houses.rows, []string{
				strconv.Itoa(id), decimal(a), decimal(y), decimal(front), decimal(back), region, decimal(price),
			})
			if h > 0 {
				edges.rows = append(edges.rows, []string{strconv.Itoa(id - 1), strconv.Itoa(id)})
			}
		}
	}
	return houses, edges
}

func decimal(v float64) string { return strconv.FormatFloat(v, 'f', 3, 64) }
