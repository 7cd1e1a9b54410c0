package main

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/sipc-ml/sipc/internal/pagetest"
)

// differing is the section of a page that differs between runs.
var differing = regexp.MustCompile(`(?s)<section id="costs".*?</section>`)

// reportCalls are the calls whose pages are looked at: every task, and every kind of example.
var reportCalls = []struct {
	name, spec, data string
	further          []string
	wants            []string // texts that the page has
}{
	{"houses", "", "", []string{"--rival", "ridge"}, []string{"larger_is_dearer", "Residuals", "18 of 300", "ridge", "how much f falls as area grows", "predicted price"}},
	{"two-digits", "", "", []string{"--set", "held_out=60"}, []string{"Confusions", "Gaps of the embeddings", "rotate(10deg)", `<img src="data:image/png;base64,`, "Values that the call set", "</del><ins>60</ins>", "accuracy on transformed test rows"}},
	{"logic", "", "", nil, []string{"By label", "implies(cat, animal)", "share of rows whose decided labels break the statement"}},
	{"quantiles", `data {
    target price : real
    split  train = 60, test = 100
    standardize
}
kernel   additive(gaussian(width = 1.5))
features nystrom(landmarks = rows)
require rising = d/d(area) f(x, q) >= 0 over x in box, q in levels
learn quantile(0.1, 0.5, 0.9)
`, "houses.csv", nil, []string{"Coverage of the quantiles", "proved", "effect on price", `<th scope="col">region</th>`, "area in ["}},
	{"classes", `data {
    target kind : class
    split  train = 60, test = 60
    standardize
}
kernel   gaussian(width = median)
features nystrom(landmarks = rows)
learn softmax(C = 10)
`, "kinds.csv", nil, []string{"Calibration", "Confusions", "&lt;b&gt;bold&lt;/b&gt;"}},
}

// kinds is a file of three classes. Names of it are those of somebody who tries to write into the page.
func kinds() []byte {
	var b bytes.Buffer
	b.WriteString("\"<script>alert(1)</script>\",width,kind\n")
	for i := range 150 {
		k := i % 3
		b.WriteString([]string{"0.1,", "1.2,", "2.4,"}[k] + string(rune('0'+i%7)) + "," + []string{"<b>bold</b>", "plain & simple", `"quoted ""x"" | y"`}[(k+i/40)%3] + "\n")
	}
	return b.Bytes()
}

// folderOf returns a folder with the spec and data of a call, and their names.
func folderOf(t *testing.T, name, spec, data string) (dir, specFile, dataFile string) {
	t.Helper()
	for k := range committed {
		if e := &committed[k]; e.name == name {
			return e.folder(t), e.spec, e.data
		}
	}
	dir = t.TempDir()
	content := kinds()
	if data == "houses.csv" {
		var err error
		if content, err = os.ReadFile(filepath.Join(root, "examples", "houses", data)); err != nil {
			t.Fatal(err)
		}
	}
	for file, text := range map[string][]byte{name + ".inv": []byte(spec), data: content} {
		if err := os.WriteFile(filepath.Join(dir, file), text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir, name + ".inv", data
}

// Pages of all tasks are sound, say what they should, and are the same on any number of processors.
func TestReportsAreSoundPages(t *testing.T) {
	for _, r := range reportCalls {
		t.Run(r.name, func(t *testing.T) {
			dir, spec, data := folderOf(t, r.name, r.spec, r.data)
			var pages [][]byte
			for _, processors := range []string{"1", "3"} {
				args := append([]string{"run", spec, data, "--report", "page.html"}, r.further...)
				succeed(t, dir, []string{"GOMAXPROCS=" + processors}, args...)
				page, err := os.ReadFile(filepath.Join(dir, "page.html"))
				if err != nil {
					t.Fatal(err)
				}
				pages = append(pages, page)
			}
			if !bytes.Equal(differing.ReplaceAll(pages[0], nil), differing.ReplaceAll(pages[1], nil)) {
				t.Error("pages differ between numbers of processors")
			}
			pagetest.Accessible(t, pages[0])
			for _, want := range r.wants {
				if !bytes.Contains(pages[0], []byte(want)) {
					t.Errorf("the page lacks %q", want)
				}
			}
			card, err := os.ReadFile(filepath.Join(dir, "page.md"))
			if err != nil || !bytes.HasPrefix(card, []byte("# Model card: "+spec+"\n")) {
				t.Errorf("the card begins with %.60q, %v", card, err)
			}
			seen := pagetest.InChromium(t, filepath.Join(dir, "page.html"))
			if len(seen.Console) > 0 || len(seen.Asked) > 0 {
				t.Errorf("the console says %q, and the page asks for %q", seen.Console, seen.Asked)
			}
			if n := strings.Count(seen.Document, "<section"); n < 5 {
				t.Errorf("the browser made %d sections of the page", n)
			}
		})
	}
}

// Runs under several seeds have one page, of means.
func TestReportOfSeeds(t *testing.T) {
	dir, spec, data := folderOf(t, "classes", reportCalls[4].spec, reportCalls[4].data)
	succeed(t, dir, nil, "run", spec, data, "--seeds", "0..3", "--report", "all.html", "--out", "out")
	page, err := os.ReadFile(filepath.Join(dir, "all.html"))
	if err != nil {
		t.Fatal(err)
	}
	pagetest.Accessible(t, page)
	for _, want := range []string{"once for each of 4 seeds", "accuracy over the seeds", "Student&#39;s t", "accuracy at each seed", "seeds 0, 1, 2 and 3"} {
		if !bytes.Contains(page, []byte(want)) {
			t.Errorf("the page lacks %q", want)
		}
	}
	if card, err := os.ReadFile(filepath.Join(dir, "all.md")); err != nil || !bytes.Contains(card, []byte("| accuracy |")) {
		t.Errorf("the card is %q, %v", card, err)
	}
	seen := pagetest.InChromium(t, filepath.Join(dir, "all.html"))
	if len(seen.Console) > 0 || len(seen.Asked) > 0 {
		t.Errorf("the console says %q, and the page asks for %q", seen.Console, seen.Asked)
	}
}

// --card alone writes a card and no page.
func TestCardAlone(t *testing.T) {
	dir, spec, data := folderOf(t, "classes", reportCalls[4].spec, reportCalls[4].data)
	succeed(t, dir, nil, "run", spec, data, "--card", "card.md")
	card, err := os.ReadFile(filepath.Join(dir, "card.md"))
	if err != nil || !bytes.Contains(card, []byte("## Limits")) || bytes.Contains(card, []byte("The page [")) {
		t.Errorf("the card is %q, %v", card, err)
	}
	if files, err := filepath.Glob(filepath.Join(dir, "*.html")); err != nil || len(files) > 0 {
		t.Errorf("pages were written: %v, %v", files, err)
	}
}

// A report that cannot be written is refused before any work, and takes the place of nothing that is read.
func TestReportsThatCannotBeWritten(t *testing.T) {
	dir, spec, data := folderOf(t, "classes", reportCalls[4].spec, reportCalls[4].data)
	if err := os.Rename(filepath.Join(dir, data), filepath.Join(dir, "rows.html")); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(dir, "taken.html"), 0o750); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ flag, to, says string }{
		{"--report", "rows.html", "this file is read, and --report would write in its place"},
		{"--report", "page.pdf", "let its name end in .html"},
		{"--report", "missing/page.html", "missing"},
		{"--report", "taken.html", "a folder stands in its place"},
		{"--card", spec, "this file is read"},
	} {
		out := program(t, dir, nil, "run", spec, "rows.html", c.flag, c.to)
		if out.status == 0 || !strings.Contains(string(out.stderr), c.says) {
			t.Errorf("%s %s: status %d, says %q, want %q", c.flag, c.to, out.status, out.stderr, c.says)
		}
	}
	files, err := os.ReadDir(dir)
	if err != nil || len(files) != 3 {
		t.Errorf("files were left: %v, %v", files, err)
	}
}
