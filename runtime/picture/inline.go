package picture

import (
	"fmt"
	"strings"
)

// Themed are the colours of a picture beside the variables of a page that hold them, on light grounds and on dark ones.
var Themed = []struct{ Name, Light, Dark string }{
	{"ground", ground, "#11161d"},
	{"frame", frame, "#3a434e"},
	{"ink", ink, "#e6edf3"},
	{"muted", muted, "#9eabb8"},
	{"rows", rows, "#4d5a68"},
	{"c0", palette[0], "#58b0e8"},
	{"c1", palette[1], "#ff8f4a"},
	{"c2", palette[2], "#3ecf9f"},
	{"c3", palette[3], "#e6a3cb"},
	{"c4", palette[4], "#f4bd4f"},
	{"c5", palette[5], "#8fd0f7"},
}

// Inline returns a picture as a page holds it: its colours are variables of the page, named --c0 and so on as Themed has them. Colours of
// surfaces stay.
func Inline(svg []byte) string {
	var pairs []string
	for _, t := range Themed {
		pairs = append(pairs, `"`+t.Light+`"`, `"var(--`+t.Name+`)"`) // texts hold no quotes
	}
	return strings.NewReplacer(pairs...).Replace(string(svg))
}

// Width returns how wide a picture is, in pixels.
func Width(svg []byte) float64 {
	var width float64
	_, rest, _ := strings.Cut(string(svg), ` width="`)
	if _, err := fmt.Sscanf(rest, "%f", &width); err != nil {
		return 0
	}
	return width
}
