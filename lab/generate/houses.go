package main

import (
	"math"
	"math/rand/v2"
	"strconv"
)

// houseTables returns houses on streets, and the edges between those of one street. Houses of a street are alike, and a larger
// house is dearer by less than the noise of a price. A price changes slowly with age, front and back garden count the same, and north and
// south pay alike.
// Area is in hundreds of square metres, age in decades, distance from the centre in kilometres, gardens in ares, price in hundreds of
// thousands.
func houseTables() (houses, edges table) {
	const streets, onStreet = 60, 6
	rng := rand.New(rand.NewPCG(5, 6))
	houses = table{path: "houses/houses.csv", rows: [][]string{{"id", "area", "age", "distance", "front", "back", "region", "price"}}}
	edges = table{path: "houses/edges.csv", rows: [][]string{{"a", "b"}}}
	for s := range streets {
		area, age, distance := .6+4.4*rng.Float64(), 4*rng.Float64(), 3*rng.Float64()
		for h := range onStreet {
			id := s*onStreet + h + 1
			a := max(.3, area+.12*rng.NormFloat64())
			y := max(0, age+.3*rng.NormFloat64())
			d := max(0, distance+.1*rng.NormFloat64())
			front, back := 2*rng.Float64(), 2*rng.Float64()
			location := 3.2 * math.Exp(-d/1.5)
			price := .2*math.Log(a) + .2*math.Cos(.5*y) + location + .4*math.Sqrt(front+back) + .5*rng.NormFloat64()
			houses.rows = append(houses.rows, []string{
				strconv.Itoa(id), decimal(a), decimal(y), decimal(d), decimal(front), decimal(back), []string{"north", "south"}[h%2], decimal(price),
			})
			for other := id - h; other < id; other++ {
				edges.rows = append(edges.rows, []string{strconv.Itoa(other), strconv.Itoa(id)})
			}
		}
	}
	return houses, edges
}

func decimal(v float64) string { return strconv.FormatFloat(v, 'f', 3, 64) }
