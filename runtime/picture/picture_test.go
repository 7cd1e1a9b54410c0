package picture

import (
	"bytes"
	"encoding/xml"
	"errors"
	"flag"
	"io"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// pictures are small pictures of every kind.
func pictures() map[string][]byte {
	h := Heading{Title: "age & <town>", Note: "deviation 1.2", Of: "price"}
	two := []Function{{Name: "proved"}, {Name: "free", Colour: 1, Free: true}}
	many := []Function{}
	for k := range 9 {
		many = append(many, Function{Name: "a label with a long name", Colour: k})
	}
	curve := &Curve{
		Heading: h, Functions: two, X: []float64{0, 1, 2, 3}, Y: [][]float64{{-1, 0, 0.5, 2}, {-1.5, 0.5, 0, 1.7}}, Whole: []int{0, 1, 2, 3},
		Levels: []Level{{"gap −9", []float64{0.4, 0.1}, 3}}, Rows: []float64{4, 2, 0, 1},
	}
	bars := &Bars{Heading: h, Functions: two, Levels: []Level{{"north", []float64{0.2, 0.1}, 5}, {"south", []float64{-0.1, 0}, 0}}, Left: 2}
	points := &Bars{Heading: h, Functions: many, Levels: []Level{{"a name that is much too long to stand here", make([]float64, 9), 1}}}
	surface := &Surface{Heading: h, X: Side{Name: "x", At: []float64{0, 1, 2}}, Y: Side{Name: "y", At: []float64{0, 10, 20}, Whole: true}, Panels: []Panel{
		{"proved", [][]float64{{0, 1, 2}, {1, 0, -1}, {2, -1, 3}}}, {"free", [][]float64{{1, 1, 1}, {1, 1, 1}, {1, 1, 1}}},
	}, Rows: [][2]float64{{0.5, 3}, {9, 9}}}
	cells := &Surface{Heading: h, X: Side{Name: "x", At: []float64{0, 1}, Levels: []string{"a", "b"}}, Y: Side{Name: "y", At: []float64{0, 1}, Levels: []string{"c", "d"}}, Panels: []Panel{
		{"f", [][]float64{{0, 1e-7}, {-2e-7, 0}}},
	}}
	gaps := &Surface{
		Heading: h, X: Side{Name: "x", At: []float64{0, 1}, Gaps: []string{"gap −9", "gap −8"}}, Y: Side{Name: "y", At: []float64{0, 10, 20}, Gaps: []string{"gap"}},
		Panels: []Panel{{"f", [][]float64{{0, 1, 2, -1}, {1, 0, -1, 0}, {2, -1, 3, 1}, {0.5, -0.5, 3, -1}}}},
	}
	single := &Curve{Heading: h, Functions: two[:1], X: []float64{5}, Y: [][]float64{{0}}, Rows: []float64{1}}
	page := &Page{Title: "f", Sections: []Section{{
		Title: "Curves", Texts: []string{"a < b"}, Formulas: []string{"f = g & h"}, Table: [][]string{{"part", "share"}, {"a", "1"}},
		Images: []Image{{"curve-a b.svg", "a \"b\""}}, Notes: []string{"none"},
	}}}
	return map[string][]byte{
		"curve.svg": curve.Draw(), "bars.svg": bars.Draw(), "points.svg": points.Draw(), "surface.svg": surface.Draw(), "cells.svg": cells.Draw(),
		"single.svg": single.Draw(), "gaps.svg": gaps.Draw(), "page.html": page.Write(),
	}
}

// Pictures are as they were when somebody looked at them, and XML.
func TestGolden(t *testing.T) {
	for name, got := range pictures() {
		path := filepath.Join("testdata", name)
		if *update {
			if err := os.WriteFile(path, got, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(path)
		if err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s differs (%v); look at the new one after go test -update", name, err)
		}
		if filepath.Ext(name) == ".svg" {
			wellFormed(t, name, got)
		}
	}
}

func wellFormed(t *testing.T, name string, svg []byte) {
	t.Helper()
	for d := xml.NewDecoder(bytes.NewReader(svg)); ; {
		if _, err := d.Token(); errors.Is(err, io.EOF) {
			return
		} else if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
	}
}

// The area of a level set holds the points of the grid that are above the level, and no others.
func TestOutlines(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n, m := rapid.IntRange(2, 6).Draw(t, "rows"), rapid.IntRange(2, 6).Draw(t, "columns")
		f := &field{}
		for j := range m {
			f.x = append(f.x, float64(20*j))
		}
		for i := range n {
			f.y = append(f.y, float64(-20*i)) // pixels descend
			f.z = append(f.z, rapid.SliceOfN(rapid.Float64Range(-1, 1), m, m).Draw(t, "z"))
		}
		level := rapid.Float64Range(-1, 1).Draw(t, "level")
		area, _ := f.outline(level)
		loops := parse(t, area)
		for i := range n {
			for j := range m {
				if math.Abs(f.z[i][j]-level) < 0.02 {
					continue // the outline is that near, in tenths of a pixel
				}
				// A little inside the border, where the point itself lies on the outline.
				x, y := f.x[j], f.y[i]
				x += 0.15 * (f.x[m-1]/2 - x) / 20
				y += 0.15 * (f.y[n-1]/2 - y) / 20
				if in := inside(loops, x, y); in != (f.z[i][j] >= level) && sure(f, i, j, level) {
					t.Fatalf("z(%d, %d) = %v at the level %v: inside is %v\n%s", i, j, f.z[i][j], level, in, area)
				}
			}
		}
	})
}

// sure reports whether the neighbours of a point leave room around it.
func sure(f *field, i, j int, level float64) bool {
	for a := max(0, i-1); a <= min(len(f.y)-1, i+1); a++ {
		for b := max(0, j-1); b <= min(len(f.x)-1, j+1); b++ {
			if d := f.z[a][b] - f.z[i][j]; d != 0 && math.Abs((level-f.z[i][j])/d) < 0.05 {
				return false
			}
		}
	}
	return true
}

// parse returns the loops of a path.
func parse(t *rapid.T, path string) (out [][][2]float64) {
	t.Helper()
	for _, loop := range strings.Split(strings.TrimSuffix(path, "z"), "z") {
		if loop == "" {
			continue
		}
		var points [][2]float64
		for _, p := range strings.FieldsFunc(loop, func(r rune) bool { return r == 'M' || r == 'L' }) {
			var at [2]float64
			for k, number := range strings.Fields(p) {
				v, err := strconv.ParseFloat(number, 64)
				if err != nil {
					t.Fatal(err)
				}
				at[k] = v
			}
			points = append(points, at)
		}
		out = append(out, points)
	}
	return out
}

// inside counts crossings of a ray with all loops.
func inside(loops [][][2]float64, x, y float64) (in bool) {
	for _, loop := range loops {
		for k, a := range loop {
			b := loop[(k+1)%len(loop)]
			if (a[1] > y) != (b[1] > y) && x < a[0]+(y-a[1])/(b[1]-a[1])*(b[0]-a[0]) {
				in = !in
			}
		}
	}
	return in
}

// Ticks are round numbers within the axis, in order, and their texts say what they are.
func TestTicks(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		low := rapid.Float64Range(-1e6, 1e6).Draw(t, "low")
		a := axis{low, low + math.Pow(10, rapid.Float64Range(-4, 7).Draw(t, "size")), 0, 400}
		whole := rapid.Bool().Draw(t, "whole")
		ticks := a.ticks(50, whole)
		if len(ticks) > 17 || len(ticks) < 2 && !whole {
			t.Fatalf("%d ticks from %v to %v", len(ticks), a.low, a.high)
		}
		slack := 1e-6 * (a.high - a.low)
		for k, tick := range ticks {
			if tick.value < a.low-slack || tick.value > a.high+slack || k > 0 && tick.value <= ticks[k-1].value {
				t.Fatalf("tick %v of %v to %v", tick, a.low, a.high)
			}
			v, err := strconv.ParseFloat(strings.ReplaceAll(tick.text, "−", "-"), 64)
			if err != nil || math.Abs(v-tick.value) > 0.006*math.Abs(tick.value)+slack {
				t.Fatalf("tick %v is written %q, %v", tick.value, tick.text, err)
			}
			if whole && math.Abs(tick.value-math.Round(tick.value)) > slack {
				t.Fatalf("tick %v of whole numbers", tick.value)
			}
		}
	})
}

// Equal numbers, long names and control characters are drawn too.
func TestOdd(t *testing.T) {
	if a := spanned(3, 3, 0, 0, 10); a.at(3) != 5 {
		t.Errorf("a single number stands at %v, want the middle", a.at(3))
	}
	if got := escape("a\x00<b>&\"\n"); got != "a &lt;b&gt;&amp;&quot; " {
		t.Errorf("escaped: %q", got)
	}
	for width, want := range map[float64]string{20: "a…e", 200: "a long name"} {
		if got := fitName("a long name", width, 11); got != want {
			t.Errorf("a name is cut to %q at %v pixels, want %q", got, width, want)
		}
	}
	if got := fit("a long name", 20, 11); got != "a …" {
		t.Errorf("shortened: %q", got)
	}
	for v, want := range map[float64]string{0: "0", -0.25: "−0.25", 1234.5: "1234", 0.000123456: "0.000123", 2.5e7: "2.5e+07"} {
		if got := Number(v); got != want {
			t.Errorf("%v is written %q, want %q", v, got, want)
		}
	}
}
