package page

import (
	"bytes"
	"embed"
	"fmt"
	"html/template"
	"io"
	"slices"
	"strings"

	"github.com/sipc-ml/sipc/runtime/picture"
)

//go:embed page.html style.css
var files embed.FS

// A document is a page before it is written.
type document struct {
	Title, Kicker, Heading, Lead string
	Program                      string
	Badges                       []badge
	Sections                     []section
	Style                        template.CSS
}

// A badge is a short verdict. State is "good", "bad", "doubt" or empty.
type badge struct{ State, Text string }

// Sign returns a sign that tells states apart without colours.
func (b badge) Sign() string {
	return map[string]string{good: "✓", bad: "✕", doubt: "!"}[b.State]
}

// States of badges and cells.
const (
	good  = "good"
	bad   = "bad"
	doubt = "doubt"
)

// A section is a heading with blocks. Costs says that it may differ between runs.
type section struct {
	ID, Title string
	Costs     bool
	Blocks    []block
}

// A block is one of these.
type block struct {
	Heading string // of what follows, below that of the section
	Text    string
	Quiet   bool // the text is an aside
	Callout *callout
	List    []string
	Table   *table
	Figures []figure
	Code    *Source
	Facts   []fact
	Cards   []card
	Pairs   []pair
	More    *more
}

// A callout is a text that stands out.
type callout struct{ State, Title, Text string }

// A fact is a term with what there is to say of it. Mono says that it is a digest or a command.
type fact struct {
	Term, Text string
	Mono       bool
}

// A card is a declared statement with what is known of it.
type card struct {
	Name, Code, Text, Quiet, At string
	Badges                      []badge
	Facts                       []fact
	Table                       *table
}

// A more is blocks that are folded away under a line.
type more struct {
	Title  string
	Blocks []block
}

// A figure is a picture with its caption.
type figure struct {
	SVG     template.HTML
	Caption string
	Wide    bool
}

// A pair is two images beside each other, with what is said of them.
type pair struct {
	Title, Text, BeforeAlt, AfterAlt string
	Before, After                    template.URL
}

// A table has a caption, a head, and a heading for each row.
type table struct {
	Caption string
	Head    []string
	Numbers []bool // columns of numbers
	Rows    [][]cell
	Note    string
}

// A cell is a text, with a badge before it if State is set, or with a shade from 0 to 1.
type cell struct {
	Text, State string
	Shade       float64
	Main        bool // the row or column of the run's own
}

// Sign returns the sign of the cell's state.
func (c cell) Sign() string { return badge{State: c.State}.Sign() }

// longText is the length in bytes from which on a text has a least width on narrow screens.
const longText = 20

// Long reports whether the text would make its row high where the column is narrow.
func (c cell) Long() bool { return len(c.Text) >= longText }

// Style returns the shade of the cell.
func (c cell) Style() template.CSS {
	if c.Shade <= 0 {
		return ""
	}
	return template.CSS(fmt.Sprintf("--shade:%.0f%%", 100*min(1, c.Shade))) //nolint:gosec // it is a number
}

// add adds a row of texts.
func (t *table) add(texts ...string) {
	var row []cell
	for _, text := range texts {
		row = append(row, cell{Text: text})
	}
	t.Rows = append(t.Rows, row)
}

// cut keeps the first rows, and says below the table how many there are more. The JSON of a run has all.
func (t *table) cut(most int, noun string) *table {
	if left := len(t.Rows) - most; left > 0 {
		t.Rows = t.Rows[:most]
		t.Note = strings.TrimSpace(fmt.Sprintf("%s %s left out here; --json has all.", t.Note, counted(left, "more "+noun, "is", "are")))
	}
	return t
}

// Number reports whether a column has numbers.
func (t *table) Number(k int) bool { return k < len(t.Numbers) && t.Numbers[k] }

// numbers marks all columns but the first, and those of these positions, as numbers.
func numbers(columns int, texts ...int) []bool {
	out := make([]bool, columns)
	for k := range out {
		out[k] = k > 0 && !slices.Contains(texts, k)
	}
	return out
}

// figureOf returns a picture as a page shows it.
func figureOf(svg []byte, caption string) figure {
	return figure{SVG: template.HTML(picture.Inline(svg)), Caption: caption} //nolint:gosec // package picture escapes what it writes
}

// write writes the page.
func (d *document) write(w io.Writer) error {
	style, err := files.ReadFile("style.css")
	if err != nil {
		return err
	}
	var light, dark bytes.Buffer
	for _, t := range picture.Themed {
		fmt.Fprintf(&light, "--%s:%s;", t.Name, t.Light)
		fmt.Fprintf(&dark, "--%s:%s;", t.Name, t.Dark)
	}
	style = bytes.ReplaceAll(style, []byte("/*light*/"), light.Bytes())
	style = bytes.ReplaceAll(style, []byte("/*dark*/"), dark.Bytes())
	d.Style = template.CSS(style) //nolint:gosec // it is the program's own
	t, err := template.New("page.html").ParseFS(files, "page.html")
	if err != nil {
		return err
	}
	return t.Execute(w, d)
}
