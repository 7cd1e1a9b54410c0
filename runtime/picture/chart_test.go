package picture_test

import (
	"encoding/xml"
	"errors"
	"io"
	"math"
	"strings"
	"testing"

	"github.com/sipc-ml/sipc/runtime/picture"
)

// sound fails where a picture is no XML, has a number that is none, or lacks its name and description.
func sound(t *testing.T, svg []byte, name string) {
	t.Helper()
	text := string(svg)
	for d := xml.NewDecoder(strings.NewReader(text)); ; {
		if _, err := d.Token(); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatalf("%v in %s", err, text)
		}
	}
	if strings.Contains(text, "NaN") || strings.Contains(text, "Inf") {
		t.Errorf("a number is none: %s", text)
	}
	if !strings.Contains(text, "<title>"+name+"</title>") || !strings.Contains(text, "<desc>told</desc>") {
		t.Errorf("the picture lacks its name or description: %s", text)
	}
}

func TestChartsAreSound(t *testing.T) {
	h := picture.Heading{Title: "t", Desc: "told", Value: "v"}
	nan := math.NaN()
	bins, left := picture.LogBins([]float64{0, 1e-20, 1e-5, 2e-3, nan, math.Inf(1)})
	if left != 2 || len(bins) != 3 || bins[0].Count != 2 {
		t.Errorf("bins are %v, and %d are left", bins, left)
	}
	for name, svg := range map[string][]byte{
		"intervals": (&picture.Intervals{Heading: h, Rows: []picture.Estimate{{Name: "a", Value: 1, Low: 0.5, High: 2}, {Name: "b", Value: 1, Low: nan, High: nan}, {Name: "c", Value: nan, Low: nan, High: nan}}}).Draw(),
		"nothing":   (&picture.Intervals{Heading: h}).Draw(),
		"histogram": (&picture.Histogram{Heading: h, Axis: "gap", Bins: bins, Mark: 1e-3, MarkName: "target"}).Draw(),
		"agreement": (&picture.Agreement{Heading: h, Points: []picture.Found{{Predicted: 0.5, Found: 0.4, Low: 0.1, High: 0.8, Count: 3}, {Predicted: 1, Found: 1, Low: nan, High: nan}}}).Draw(),
		"scatter":   (&picture.Scatter{Heading: h, Points: [][2]float64{{1, 1}, {1, 1}}, Diagonal: true, Level: true}).Draw(),
		"band":      (&picture.Curve{Heading: h, Functions: []picture.Function{{Name: "f"}}, X: []float64{0, 1}, Y: [][]float64{{5, 6}}, Low: [][]float64{{4, 5}}, High: [][]float64{{6, 7}}, Rows: []float64{1}}).Draw(),
	} {
		t.Run(name, func(t *testing.T) { sound(t, svg, "t") })
	}
}

// Inline pictures take their colours from the page, and nothing else of them changes.
func TestInlineChangesColoursAlone(t *testing.T) {
	svg := (&picture.Intervals{Heading: picture.Heading{Title: `"#ffffff" and #24292f`}, Rows: []picture.Estimate{{Name: "a", Value: 1}}}).Draw()
	got := picture.Inline(svg)
	back := got
	for _, c := range picture.Themed {
		if strings.Contains(got, `"`+c.Light+`"`) {
			t.Errorf("the colour %s stays", c.Light)
		}
		back = strings.ReplaceAll(back, `"var(--`+c.Name+`)"`, `"`+c.Light+`"`)
	}
	if back != string(svg) || !strings.Contains(got, "&quot;#ffffff&quot; and #24292f") {
		t.Errorf("more than colours has changed: %s", got)
	}
	if picture.Width(svg) != 460 || picture.Width(nil) != 0 {
		t.Errorf("the width is %v", picture.Width(svg))
	}
}
