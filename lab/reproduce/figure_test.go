package reproduce

import (
	"encoding/csv"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/recorder"

	"github.com/sipc-ml/sipc/runtime/metric"
)

// A written is a text of a picture: what it is, and the rectangle that it takes where the viewer's font is wider than ours.
type written struct {
	text                     string
	left, right, below, high float64
}

// texts are those of an SVG. Rotated text is that of the y axis, and given as its rectangle after the rotation.
func texts(t *testing.T, svg string) []written {
	t.Helper()
	var out []written
	rotated := 0
	var depth []bool
	d := xml.NewDecoder(strings.NewReader(svg))
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return out
		}
		if err != nil {
			t.Fatal(err)
		}
		switch e := token.(type) {
		case xml.StartElement:
			turned := strings.HasPrefix(attribute(e, "transform"), "rotate")
			depth = append(depth, turned)
			if turned {
				rotated++
			}
			if e.Name.Local != "text" {
				continue
			}
			var text string
			if err := d.DecodeElement(&text, &e); err != nil {
				t.Fatal(err)
			}
			depth = depth[:len(depth)-1]
			out = append(out, place(t, e, text, rotated > 0))
		case xml.EndElement:
			if depth[len(depth)-1] {
				rotated--
			}
			depth = depth[:len(depth)-1]
		}
	}
}

func attribute(e xml.StartElement, name string) string {
	for _, a := range e.Attr {
		if a.Name.Local == name {
			return a.Value
		}
	}
	return ""
}

// place is where a text is.
func place(t *testing.T, e xml.StartElement, text string, rotated bool) written {
	t.Helper()
	coordinate := func(name string) float64 {
		v, err := strconv.ParseFloat(attribute(e, name), 64)
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	style := attribute(e, "style")
	if !strings.Contains(style, "'Liberation Sans',Arial") {
		t.Errorf("%q is in %s", text, style)
	}
	_, size, _ := strings.Cut(style, "font-size:")
	size, _, _ = strings.Cut(size, "px")
	height, err := strconv.ParseFloat(size, 64)
	if err != nil {
		t.Fatal(err)
	}
	font := newPicture("", "", "").legend.TextStyle
	font.Font.Size = vg.Length(height)
	width := wider * font.Width(text).Points()
	x, y := coordinate("x"), -coordinate("y")
	switch attribute(e, "text-anchor") {
	case "middle":
		x -= width / 2
	case "end":
		x -= width
	}
	if rotated { // by a right angle to the left: (x, y) comes to (−y, x)
		return written{text, -y - height, -y, x, x + width}
	}
	return written{text, x, x + width, y, y + height}
}

// readable pictures have all texts on the sheet, none on another, and none but titles of axes and marks near the data.
func checkPicture(t *testing.T, name, svg string, legend []string, data vg.Rectangle) {
	t.Helper()
	all := texts(t, svg)
	for i, a := range all {
		if a.left < 0 || a.below < 0 || a.right > pictureWidth.Points() || a.high > pictureHeight.Points() {
			t.Errorf("%s: %q leaves the picture: %+v", name, a.text, a)
		}
		if a.right > data.Min.X.Points()+1 && a.left < data.Max.X.Points()-1 && a.high > data.Min.Y.Points()+1 && a.below < data.Max.Y.Points()-1 {
			t.Errorf("%s: %q lies on the data %v: %+v", name, a.text, data, a)
		}
		if slices.Contains(legend, a.text) && a.left < data.Max.X.Points() {
			t.Errorf("%s: the legend's %q is at %+v, and the data end at %g", name, a.text, a, data.Max.X.Points())
		}
		for _, b := range all[:i] {
			if a.left < b.right && b.left < a.right && a.below < b.high-1 && b.below < a.high-1 {
				t.Errorf("%s: %q lies on %q: %+v %+v", name, a.text, b.text, a, b)
			}
		}
	}
	for _, want := range legend {
		if !slices.ContainsFunc(all, func(w written) bool { return w.text == want }) {
			t.Errorf("%s: the legend lacks %q", name, want)
		}
	}
	if strings.Contains(svg, "NaN") || strings.ContainsAny(svg, markMiddle+markEnd) {
		t.Errorf("%s: %s", name, svg)
	}
}

// check draws a picture and looks at its texts.
func check(t *testing.T, name string, p *picture) {
	t.Helper()
	svg, err := p.svg("what is <seen>")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(svg), "<title>what is &lt;seen&gt;</title>") {
		t.Errorf("%s has no title", name)
	}
	area, _ := p.areas(draw.NewCanvas(&recorder.Canvas{}, pictureWidth, pictureHeight))
	checkPicture(t, name, string(svg), p.names, p.DataCanvas(area).Rectangle)
}

// drawn is a cell with all contenders of a table, their results made up.
func drawn(table Table) *CellResult {
	c := &CellResult{Cell: Cells(table)[len(Cells(table))-1]}
	for k, contender := range Contenders(table) {
		e := &Entry{Contender: &contender}
		for run := range 10 {
			r := &Result{NTest: 100}
			r.Figures = metric.Figures{{Name: c.Cell.metric(), Value: 0.9 + 0.01*math.Sin(float64(k+3*run))}}
			switch table {
			case Table2:
				for pair := range lossPairs {
					var of []float64
					for s := range lossSteps {
						of = append(of, float64(k+pair)+math.Sin(lambda(s)*math.Pi))
					}
					r.Losses = append(r.Losses, of)
					r.Between = append(r.Between, RowPair{Rows: [2]string{"9999", "12345"}, Classes: [2]string{"9", "4"}})
				}
			case Table3:
				r.Counts = &Counts{Implications: make([]int, 20), Exclusions: make([]int, 300)}
				for i := range r.Counts.Exclusions {
					r.Counts.Exclusions[i] = (i * (k + 1)) % 23
				}
				r.Counts.Implications[7] = 99
			case Table1:
			}
			e.Runs = append(e.Runs, r)
		}
		c.Entries = append(c.Entries, e)
	}
	return c
}

func TestPicturesAreReadable(t *testing.T) {
	for _, table := range []Table{Table1, Table2, Table3} {
		c := drawn(table)
		for _, a := range ours() {
			for _, b := range opponents(table) {
				p, _, err := c.scatter(c.entry(b), c.entry(a))
				if err != nil {
					t.Fatal(err)
				}
				check(t, fmt.Sprintf("scatter of %s and %s", a, b), p)
			}
		}
	}
	p, _, err := drawn(Table2).loss(0, drawn(Table2).between(0))
	if err != nil {
		t.Fatal(err)
	}
	check(t, "loss", p)
	c := drawn(Table3)
	for name, long := range map[string]string{"numbers": "", "names": "a label that is longer than any axis would have it"} {
		if long != "" {
			c.Entries[1].Runs[0].Counts.Names = named(long)
		}
		entries, all := c.counted()
		if p, err = c.violationsPicture(entries, all, "test rows that violate it, of 1000 in 10 runs"); err != nil {
			t.Fatal(err)
		}
		check(t, "violations with "+name, p)
	}
	theory := &Theory{}
	for k, count := range landmarkCounts() {
		theory.Losses = append(theory.Losses, Loss{
			Landmarks: count, Epsilon: math.Pow10(-k),
			Pairing: Extent{math.Pow10(-3 * k), math.Pow10(-2 * k)}, Linearity: Extent{math.Pow10(-3*k - 1), math.Pow10(-2*k - 1)},
		})
	}
	for name, draw := range map[string]func() (*picture, error){"landmarks": theory.againstLandmarks, "epsilon": theory.againstEpsilon} {
		if p, err = draw(); err != nil {
			t.Fatal(err)
		}
		check(t, name, p)
	}
}

// An embedding that loses nothing has no place on axes of logarithms, and is drawn without a panic.
func TestPictureOfNothing(t *testing.T) {
	dir := t.TempDir()
	theory := &Theory{Losses: []Loss{{Landmarks: 4}}}
	if _, err := theory.writeFigures(dir); err != nil {
		t.Fatal(err)
	}
	if rows := readCSV(t, filepath.Join(dir, "epsilon.csv")); !slices.Equal(rows[1], []string{"4", "0", "0", "0", "0", "0", "0"}) {
		t.Errorf("%q", rows)
	}
}

// named are names of the constraints that are drawn.
func named(label string) *Names {
	n := &Names{}
	for k := range 320 {
		pair := [2]string{fmt.Sprintf("%d %s", k, label), fmt.Sprintf("%d %s", k+1, label)}
		if k < 20 {
			n.Implications = append(n.Implications, pair)
			continue
		}
		n.Exclusions = append(n.Exclusions, pair)
	}
	return n
}

// readCSV reads a file that has been written.
func readCSV(t *testing.T, path string) [][]string {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	rows, err := csv.NewReader(f).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	return rows
}

// Names come from whichever unit has them; without any the constraints have their numbers.
func TestViolationsCSV(t *testing.T) {
	c := drawn(Table3)
	path := filepath.Join(t.TempDir(), "violations-"+c.Cell.Name()+".csv")
	for _, names := range []*Names{nil, {Implications: make([][2]string, 3)}, named("label")} {
		c.Entries[2].Runs[4].Counts.Names = names
		if _, err := c.violations(filepath.Dir(path)); err != nil {
			t.Fatal(err)
		}
		rows := readCSV(t, path)
		want := []string{"ml-svm", "implication", "7", "", "", "990", "1000"}
		if names != nil && len(names.Exclusions) > 0 {
			want[3], want[4] = "7 label", "8 label"
		}
		if !slices.Equal(rows[8], want) || len(rows) != 1+len(c.Entries)*320 {
			t.Errorf("%d rows; %q, want %q", len(rows), rows[8], want)
		}
	}
}

// The names of constraints and rows reach the files from the data.
func TestFiguresName(t *testing.T) {
	data := taxonomyData(t)
	o := Options{Data: data, Out: t.TempDir(), Cells: []string{"enron-n100"}, Only: []string{nameML}, Runs: 2, Rows: 16, Settings: 2}
	tables, err := Reproduce(t.Context(), Cells(Table3), o)
	if err != nil {
		t.Fatal(err)
	}
	if err := tables.Write(o.Out, "all", About{}); err != nil {
		t.Fatal(err)
	}
	rows := readCSV(t, filepath.Join(o.Out, "violations-enron-n16.csv"))
	// The taxonomy is R over A and B, A over C and D, B over E.
	for _, want := range []string{"implication,A,R", "implication,E,B", "exclusion,A,B", "exclusion,C,D"} {
		if !slices.ContainsFunc(rows, func(r []string) bool { return r[1]+","+r[3]+","+r[4] == want && r[6] == "32" }) {
			t.Errorf("%s is not among %q", want, rows)
		}
	}
	choices := readCSV(t, filepath.Join(o.Out, "all-choices.csv"))
	if !slices.Equal(choices[0][4:7], []string{"measure", "folds", "score"}) || !slices.Equal(choices[1][4:6], []string{"hamming_accuracy", "4"}) {
		t.Errorf("%q", choices[:2])
	}
}

func TestLossCSV(t *testing.T) {
	c := drawn(Table2)
	dir := t.TempDir()
	path := filepath.Join(dir, "loss-"+c.Cell.Name()+"-pair2.csv")
	for _, want := range [][]string{{"9999", "9", "12345", "4"}, {"", "", "", ""}} {
		if _, err := c.losses(dir); err != nil {
			t.Fatal(err)
		}
		if rows := readCSV(t, path); !slices.Equal(rows[1][3:], want) || len(rows) != 1+len(c.Entries)*lossSteps {
			t.Errorf("%q, want %q", rows[1], want)
		}
		for _, e := range c.Entries { // as units of before have it
			for _, r := range e.Runs {
				r.Between = nil
			}
		}
	}
}

func TestTicks(t *testing.T) {
	text := func(ticks []plot.Tick) string {
		var out []string
		for _, t := range ticks {
			out = append(out, t.Label)
		}
		return strings.Join(out, " ")
	}
	for _, c := range []struct {
		ticks     plot.Ticker
		low, high float64
		want      string
	}{
		{rounds{}, 0, 1, "0.0 0.2 0.4 0.6 0.8 1.0"},
		{rounds{}, -0.3, 1.27, "0.0 0.5 1.0"},
		{rounds{}, 92.9, 94.1, "93.0 93.2 93.4 93.6 93.8 94.0"},
		{rounds{most: 3}, 92.9, 94.1, "93.0 93.5 94.0"},
		{rounds{}, 0, 958, "0 200 400 600 800"},
		{rounds{least: 1}, 0, 1, "0 1"},
		{rounds{}, 5, 5, "5"},
		{decades{}, -2, 1, "10⁻² 10⁻¹ 1 10¹"},
		{decades{}, -11, 0, " 10⁻¹⁰  10⁻⁸  10⁻⁶  10⁻⁴  10⁻²  1"},
	} {
		if got := text(c.ticks.Ticks(c.low, c.high)); got != c.want {
			t.Errorf("%T from %g to %g: %q, want %q", c.ticks, c.low, c.high, got, c.want)
		}
	}
}
