package main

import (
	"math/rand/v2"
	"slices"
	"strconv"
)

// animals returns short texts about cats, dogs, other animals and other things, as word counts. Cats and dogs are animals, and
// no text is about both.
func animals() table {
	const count = 460
	words := []string{
		"purr", "whisker", "meow", "mouse", "bark", "leash", "fetch", "bone", "tail", "fur", "paw", "vet", "feed", "wild",
		"wing", "nest", "engine", "road", "wheel", "price", "market", "code", "screen", "rain", "house", "day",
	}
	// The words that a topic favours: cat, dog, other animal, other thing; then those of all animals.
	favours := [4][]int{{0, 1, 2, 3}, {4, 5, 6, 7}, {13, 14, 15}, {16, 17, 18, 19, 20, 21, 22}}
	shared := []int{8, 9, 10, 11, 12}
	rng := rand.New(rand.NewPCG(7, 3))
	t := table{path: "logic/animals.csv", rows: [][]string{append([]string{"animal", "cat", "dog"}, words...)}}
	for range count {
		topic := rng.IntN(4)
		n := make([]int, len(words))
		for range 9 {
			switch u := rng.Float64(); {
			case u < .28:
				n[favours[topic][rng.IntN(len(favours[topic]))]]++
			case u < .48 && topic < 3:
				n[shared[rng.IntN(len(shared))]]++
			default:
				n[rng.IntN(len(words))]++
			}
		}
		row := []string{bit(topic < 3), bit(topic == 0), bit(topic == 1)}
		for _, c := range n {
			row = append(row, strconv.Itoa(c))
		}
		t.rows = append(t.rows, row)
	}
	return t
}

// topics is a toy taxonomy: child, parent.
var topics = [][2]string{
	{"physics", "science"},
	{"biology", "science"},
	{"optics", "physics"},
	{"quanta", "physics"},
	{"genes", "biology"},
	{"cells", "biology"},
	{"music", "arts"},
	{"painting", "arts"},
	{"opera", "music"},
	{"jazz", "music"},
	{"oils", "painting"},
	{"prints", "painting"},
}

// topicTables returns texts about one leaf topic each, which has all its ancestors; and the taxonomy. A text is made of words
// of its leaf, of the leaf's ancestors, and of no topic at all.
func topicTables() (documents, taxonomy table) {
	const count, wordsEach, noise = 420, 4, 16
	names := []string{"science", "arts"}
	parent := map[string]string{}
	for _, e := range topics {
		names = append(names, e[0])
		parent[e[0]] = e[1]
	}
	index := map[string]int{}
	for i, n := range names {
		index[n] = i
	}
	leaves := []string{"optics", "quanta", "genes", "cells", "opera", "jazz", "oils", "prints"}
	rng := rand.New(rand.NewPCG(11, 4))
	documents = table{path: "topics/documents.csv", rows: [][]string{topicHeader(names, wordsEach, noise)}}
	for range count {
		var path []int
		for n := leaves[rng.IntN(len(leaves))]; n != ""; n = parent[n] {
			path = append(path, index[n])
		}
		has, n := make([]int, len(names)), make([]int, wordsEach*len(names)+noise)
		for _, k := range path {
			has[k] = 1
		}
		for range 14 {
			if k := rng.IntN(7); k < len(path) {
				n[wordsEach*path[k]+rng.IntN(wordsEach)]++
			} else {
				n[rng.IntN(len(n))]++
			}
		}
		row := make([]string, 0, len(has)+len(n))
		for _, v := range slices.Concat(has, n) {
			row = append(row, strconv.Itoa(v))
		}
		documents.rows = append(documents.rows, row)
	}
	taxonomy = table{path: "topics/topics.csv", rows: [][]string{{"child", "parent"}}}
	for _, e := range topics {
		taxonomy.rows = append(taxonomy.rows, []string{"topic_" + e[0], "topic_" + e[1]})
	}
	return documents, taxonomy
}

func topicHeader(names []string, wordsEach, noise int) []string {
	var h []string
	for _, n := range names {
		h = append(h, "topic_"+n)
	}
	for _, n := range names {
		for k := range wordsEach {
			h = append(h, "w_"+n+strconv.Itoa(k+1))
		}
	}
	for k := range noise {
		h = append(h, "w_other"+strconv.Itoa(k+1))
	}
	return h
}

func bit(b bool) string {
	if b {
		return "1"
	}
	return "0"
}
