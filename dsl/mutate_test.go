package dsl_test

import (
	"os"
	"path/filepath"
	"testing"

	"pgregory.net/rapid"

	"github.com/sipc-ml/sipc/dsl"
)

// corpus are all specs of this module that parse.
func corpus(tb testing.TB) [][]byte {
	tb.Helper()
	var out [][]byte
	for _, pattern := range []string{"testdata/specs/*.inv", "testdata/format/*.inv", "../examples/*/*.inv", "../compiler/testdata/*/*.inv"} {
		files, err := filepath.Glob(pattern)
		if err != nil || len(files) == 0 {
			tb.Fatalf("no specs match %s (%v)", pattern, err)
		}
		for _, path := range files {
			src, err := os.ReadFile(path)
			if err != nil {
				tb.Fatal(err)
			}
			if _, list := dsl.Parse(path, src); len(list) == 0 {
				out = append(out, src)
			}
		}
	}
	return out
}

// A piece is a token with what stands between it and the one before.
type piece struct{ gap, text string }

func pieces(src []byte) []piece {
	var out []piece
	at := 0
	for _, t := range dsl.Tokens("spec.inv", src) {
		out = append(out, piece{string(src[at:t.Span.Start.Offset]), t.Text})
		at = t.Span.End.Offset
	}
	return append(out, piece{gap: string(src[at:])})
}

// gaps are what an edit may put between two lexemes.
var gaps = []string{"", " ", "\n", "\n\n", "\r\n", "  # why\n", "\n    # alone\n", "\n# first\n# second\n", " # λ ≤ 漢\n\n", "\t"}

// mutated is a spec after edits, three bytes each: what is done, where, and with what.
func mutated(specs [][]byte, which uint8, edits []byte) []byte {
	spec := pieces(specs[int(which)%len(specs)])
	for ; len(edits) >= 3 && len(spec) > 1; edits = edits[3:] {
		at, with := int(edits[1])*len(spec)/256, int(edits[2])
		l := &spec[at]
		switch edits[0] % 8 {
		case 0, 1, 2, 3:
			l.gap = gaps[with%len(gaps)]
		case 4:
			spec = append(spec[:at:at], spec[at+1:]...)
		case 5:
			other := pieces(specs[with%len(specs)])
			l.text = other[int(edits[1])*len(other)/256].text
		case 6:
			l.text, spec[with*len(spec)/256].text = spec[with*len(spec)/256].text, l.text
		case 7: // a longer run is put in brackets or bars
			end := min(at+1+with%12, len(spec)-1)
			bracket := []string{"()", "||", "{}"}[with%3]
			l.text = bracket[:1] + l.text
			spec[end].text += bracket[1:]
		}
	}
	var out []byte
	for _, l := range spec {
		out = append(append(out, l.gap...), l.text...)
	}
	return out
}

// checkMutated asserts the laws of the parser of what edits make of a spec, and those of the printer where it still parses.
func checkMutated(t interface{ Fatalf(string, ...any) }, specs [][]byte, which uint8, edits []byte) (parses bool) {
	src := mutated(specs, which, edits)
	checkParse(t, src)
	_, list := dsl.Parse("spec.inv", src)
	return len(list) == 0
}

// FuzzFormatEdited formats specs after edits that know where the lexemes are: comments and line ends strewn in, words
// taken out, exchanged, and put in brackets.
func FuzzFormatEdited(f *testing.F) {
	specs := corpus(f)
	for i := range specs {
		f.Add(uint8(i), []byte{0, 100, 5, 0, 150, 6, 7, 50, 3})
	}
	f.Fuzz(func(t *testing.T, which uint8, edits []byte) { checkMutated(t, specs, which, edits) })
}

func TestFormatOfEditedSpecs(t *testing.T) {
	specs := corpus(t)
	parsed := 0
	rapid.Check(t, func(rt *rapid.T) {
		edits := rapid.SliceOfN(rapid.Byte(), 3, 30).Draw(rt, "edits")
		if checkMutated(rt, specs, rapid.Uint8().Draw(rt, "spec"), edits) {
			parsed++
		}
	})
	if parsed < 10 {
		t.Errorf("only %d edited specs parse", parsed)
	}
	t.Logf("%d edited specs parse", parsed)
}
