package lsp

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/sipc-ml/sipc/compiler/codes"
	"github.com/sipc-ml/sipc/dsl"
)

const pets = `# what implies what
data { target animal, cat, dog : multilabel; split train = 10 }
kernel   gaussian(width = 2 * median)
features nystrom(landmarks = all, select = kmeans)
let weight = 2
def both(a, b) = hypot(|f(a)|, pos(f(b)))
invariance logic = rms over x of max {implies(cat, animal), both(b = cat, a = dog)}
invariance path  = max over λ1 in rows of |f(λ1, cat) - f(λ1, dog)|
invariance slow  = rms over pairs of max over λ in [0, 1] of |d/dλ f|
regularize weight * logic, path, slow
`

func offered(c *conversation, before string) []string {
	c.t.Helper()
	var list CompletionList
	c.ask("textDocument/completion", c.here(before), &list)
	var out []string
	for _, item := range list.Items {
		out = append(out, item.Label)
	}
	return out
}

// Completion offers what fits the place, also where the text does not parse.
func TestCompletion(t *testing.T) {
	for _, c := range []struct{ before, after, want, not string }{
		{"", "", "invariance regularize kernel", "f rms svm"},
		{"data { ", "", "target columns ignore id split", "kernel"},
		{"data { target area : ", " }", "class binary real multilabel", "kernel area"},
		{"data { target ", " }", "area age", "kernel"},
		{"data { target price : real; columns ", " }", "area image", "kernel"},
		{"data { target price : real; ignore ", " }", "area columns", "train = "},
		{"data { target price : real; id ", " }", "area", "columns train = "},
		{"data { target price : real; split ", " }", "train =  test =  by", "kernel"},
		{"data { target price : real; split by ", " }", "area age price", "train =  test = "},
		{"data { target price : real; missing ", " }", "mean mask drop", "train = "},
		{"kernel ", "", "gaussian laplacian linear polynomial", "svm f"},
		{"kernel gaussian(", ")", "width =  median", "train = "},
		{"kernel pairwise(", ")", "gaussian periodic area age only", "train =  laplacian"},
		{"kernel pairwise(gaussian, area = ", ")", "matern52 periodic linear", "train =  laplacian"},
		{"kernel additive(gaussian, ", ")", "area age", "only svm"},
		{"kernel pairwise(gaussian(", "))", "width =  median", "area"},
		{"features nystrom(landmarks = ", ")", "all rows", "rank = "},
		{"features nystrom(all, ", ")", "rank =  select =  seed = ", "kernel"},
		{"features nystrom(select = ", ")", "leverage kmeans", "rank = "},
		{"learn ", "", "svm ridge", "gaussian"},
		{"learn svm(", ")", "C =  probabilities =  loss = ", "gaussian"},
		{"learn svm(loss = ", ")", "hinge squared", "C = "},
		{"data { target price : real }\nlearn ", "", "ridge poisson quantile", "gaussian"},
		{"data { target price : real }\nlearn quantile(0.1, 0.9)\ninvariance i = rms over x of |f(", ")|", "0.1 0.9", "where"},
		{"invariance i = rms over q in ", "", "levels labels", "f"},
		{"learn svm(probabilities = ", ")", "on off", "C = "},
		{"method ", "", "embed warp plain", "svm"},
		{"use ", "", "mixup hierarchy transform", "f"},
		{"evaluate under {", "}", "rotate move put swap", "cat"},
		{"augment {", "}", "rotate move put swap", "cat"},
		{"evaluate under ", "", "orbit", "rotate"},
		{"augment ", "", "orbit", "rotate"},
		{"augment orbit {", "}", "rotate move put swap", "cat"},
		{"invariance i = rms over x, t in ", "", "orbit rows", "rotate"},
		{"invariance i = rms over x, t in orbit(", ") {rotate([-1deg, 1deg])} of |f(t(x))|", "moves =  seed = ", "rotate"},
		{"invariance i = rms over x, t in orbit {", "} of |f(t(x))|", "rotate move", "kernel"},
		{"learn svm ", "", "under", "rotate svm"},
		{"learn svm(C = 2) ", "", "under", "rotate"},
		{"learn svm(C = 2) under {", "}", "rotate move put swap", "cat under"},
		{"invariance i = ", "", "f rms max pos implies", "kernel gaussian"},
		{"invariance i = rms over ", "", "x pairs edges graph", "f"},
		{"invariance i = rms over x ", "", "of where", "kernel"},
		{"invariance i = rms over x of ", "", "f x pos", "where"},
		{"invariance i = rms over (a, b) in ", "", "pairs graph siblings", "f"},
		{"invariance i = rms over (first, second) in graph(\"edges.csv\") of |f(", ")|", "first second", "kernel"},
		{"invariance i = rms over (first, second, heavy) in graph(\"edges.csv\", weight = w) of heavy * |f(", ")|", "first second heavy", "kernel"},
		{"invariance i = max over t in {", "} of |f(t(x))|", "rotate move", "kernel"},
		{"invariance i = rms over x where ", "", "area age", "kernel"},
		{"invariance i = rms over x of |d/d(", ") f|", "area age", "f"},
		{"invariance i = rms over x, c in ", "", "columns rows", "f"},
		{"invariance i = rms over x, c in columns(", ")", "area age", "f"},
		{"invariance i = rms over x, c in columns(area) of |d/d(", ") f|", "c area age", "f"},
		{"invariance i = rms over x of |f(move(", ", 1))|", "area age", "kernel"},
		{"invariance i = rms over x of |f(swap(area, ", "))|", "area age", "kernel"},
		{"def d(first, second) = ", "", "first second f", "kernel"},
		{"let t = ", "", "taxonomy grid rotate", "f"},
		{"let t = taxonomy(\"", "\")", "edges.csv", "f"},
		{"let w = 2\ninvariance i = rms over x of |f|\nregularize ", "", "i w auto grid", "f"},
		{"invariance i = rms over x of |f|\n", "", "regularize", "where"},
		{"# comment ", "", "", "f kernel"},
		{"let a = 1.", "", "", "f kernel"},
	} {
		conv := converse(t, c.before+c.after, map[string]string{"spec.csv": "area,age,price\n", "edges.csv": "0,1\n"})
		d := conv.docs.get(conv.uri())
		var list CompletionList
		conv.ask("textDocument/completion", map[string]any{
			"textDocument": map[string]any{"uri": conv.uri()}, "position": d.text.position(len(c.before)),
		}, &list)
		got := map[string]bool{}
		for _, item := range list.Items {
			got[strings.TrimSpace(item.Label)] = true
			if r := item.TextEdit.Range; r.Start.Line != r.End.Line {
				t.Errorf("%q replaces several lines", item.Label)
			}
		}
		for _, word := range strings.Fields(strings.ReplaceAll(c.want, " =", "")) {
			if !got[word] && !got[word+" ="] {
				t.Errorf("at %q %s is not offered, but %v", c.before, word, sortedKeys(got))
			}
		}
		for _, word := range strings.Fields(c.not) {
			if got[word] {
				t.Errorf("at %q %s is offered", c.before, word)
			}
		}
	}
}

// The columns are those of the file that the spec's comment names, else of the setting, else of the file beside it.
func TestDataFile(t *testing.T) {
	files := map[string]string{
		"spec.csv": "beside,y\n", "a.csv": "\ufeffnamed;\"two words\"\n1;2\n", "b.arff": "% x\n@relation r\n@attribute 'set up' numeric\n@ATTRIBUTE last {a}\n@data\n1\n",
	}
	source := "data { target "
	c := converse(t, source, files)
	if got := offered(c, source); !slices.Contains(got, "beside") {
		t.Errorf("beside the spec: %q", got)
	}
	c.ask("workspace/didChangeConfiguration", map[string]any{"settings": map[string]any{"sipc": map[string]any{"data": "b.arff"}}}, nil)
	if got := offered(c, source); !slices.Contains(got, "set up") || !slices.Contains(got, "last") {
		t.Errorf("by the setting: %q", got)
	}
	c.edit("# data: a.csv\n" + source)
	if got := offered(c, source); !slices.Contains(got, "named") || !slices.Contains(got, "two words") || slices.Contains(got, "last") {
		t.Errorf("by the comment: %q", got)
	}
}

// Hover says what every kind of name is.
func TestHover(t *testing.T) {
	c := converse(t, pets, nil)
	for before, want := range map[string]string{
		"kern": "The kernel k", "gauss": "‖x−x′‖²", "wid": "multiple of median", "* med": "median distance", "nyst": "landmarks",
		"select = km": "kmeans", "tar": "What is learned", "multil": "f is a function of (x, y)", "data { target an": "a label",
		"let wei": "let weight = 2", "over x of max {impl": "def implies(a, b) = pos(f(a) - f(b))", "max {implies(ca": "label of the target",
		"|f(": "", "hyp": "root of the sum of squares", "rms ov": "index set", "rms": "root of the mean of squares", "|f(λ": "A point: a training row",
		"weight * log": "sublinear", "over pair": "Pairs of two different rows", "d/dλ": "path's parameter", "split tr": "rows to fit on",
		"|d/dλ f": "linear",
	} {
		if want == "" {
			continue
		}
		var h Hover
		c.ask("textDocument/hover", c.here(before), &h)
		if !strings.Contains(strings.ToLower(h.Contents.Value), strings.ToLower(want)) {
			t.Errorf("of %q: %s", before, h.Contents.Value)
		}
	}
	var nothing *Hover
	c.ask("textDocument/hover", c.here("# what"), &nothing)
	if nothing != nil {
		t.Errorf("of a comment: %v", nothing)
	}
}

// The word of an orbit, its arguments and its transformations say what they are.
func TestHoverOrbit(t *testing.T) {
	c := converse(t, `data { target digit : binary(4, 9); columns image(8, 8) }
kernel gaussian
features nystrom(landmarks = all)
let turned = orbit(moves = 8) {rotate([-15deg, 15deg])}
invariance i = rms over x of rms over t in turned of |f(t(x)) - f(x)|
augment turned
`, nil)
	for before, want := range map[string]string{
		"= orb": "Compositions of transformations", "orbit(mov": "how many moves are drawn", "{rot": "Turns an image", "|f(t": "drawn from orbit(moves = 8)", "augment tur": "let turned = orbit(moves = 8)",
	} {
		var h Hover
		c.ask("textDocument/hover", c.here(before), &h)
		if !strings.Contains(h.Contents.Value, want) {
			t.Errorf("of %q: %s", before, h.Contents.Value)
		}
	}
}

func TestSignatureHelp(t *testing.T) {
	c := converse(t, pets, nil)
	for before, want := range map[string]string{
		"gaussian(": "width", "nystrom(landmarks = all,": "[rank]", "select = km": "select = leverage", "implies(cat,": "b", "both(b = c": "b", "f(λ1, c": "label",
	} {
		var h SignatureHelp
		c.ask("textDocument/signatureHelp", c.here(before), &h)
		if len(h.Signatures) != 1 {
			t.Errorf("%q: %+v", before, h)
			continue
		}
		p := h.Signatures[0].Parameters[h.ActiveParameter]
		if got := h.Signatures[0].Label[p.Label[0]:p.Label[1]]; !strings.HasPrefix(got, want) {
			t.Errorf("%q: %s of %s", before, got, h.Signatures[0].Label)
		}
	}
}

// The outline has every statement, of a faulty spec too, by its name or keyword.
func TestOutline(t *testing.T) {
	c := converse(t, "use mixup\ndata {\n  target price : real\n}\nlet w = 2\ndef two(v) = 2 *\n  v\nmethod risk\ninvariance flat = w * |f(x)|\nlet = 3\n", nil)
	var symbols []DocumentSymbol
	c.ask("textDocument/documentSymbol", map[string]any{"textDocument": map[string]any{"uri": c.uri()}}, &symbols)
	var got []string
	for _, s := range symbols {
		if s.SelectionRange.Start.Line < s.Range.Start.Line || s.SelectionRange.End.Line > s.Range.End.Line {
			t.Errorf("the name of %s stands outside", s.Name)
		}
		got = append(got, fmt.Sprintf("%d %s: %s", s.Kind, s.Name, s.Detail))
	}
	want := []string{"2 mixup: use mixup", "20 data: data { target price : real }", "14 w: 2", "12 two: 2 * v", "20 method: risk", "7 flat: w * |f(x)|"}
	if !slices.Equal(got, want) {
		t.Errorf("the outline is %q, want %q", got, want)
	}
}

// Names lead to where they are declared, and to all that means the same.
func TestNames(t *testing.T) {
	c := converse(t, pets, nil)
	for _, want := range []struct {
		use, def string
		count    int
	}{
		{"regularize wei", "let ", 2},
		{"implies(ca", "animal, ", 4},
		{"both(b", "def both(a, ", 3},
		{"{implies(cat, animal), bo", "def ", 2},
		{"weight * logic", "invariance ", 2},
		{"|f(λ1", "max over ", 3},
		{"|d/dλ", "of max over ", 2},
	} {
		var at []Location
		c.ask("textDocument/definition", c.here(want.use), &at)
		d := c.docs.get(c.uri())
		if len(at) != 1 || d.text.offset(at[0].Range.Start) != strings.Index(pets, want.def)+len(want.def) && want.use != "|d/dλ" {
			t.Errorf("%q leads to %v", want.use, at)
		}
		var uses []Location
		c.ask("textDocument/references", c.here(want.use), &uses)
		if len(uses) != want.count {
			t.Errorf("%q has %d occurrences, want %d", want.use, len(uses), want.count)
		}
	}
	for _, kernel := range []string{"gauss", "kern", "regularize weight * logic, path, slow"} {
		var at []Location
		c.ask("textDocument/definition", c.here(kernel), &at)
		if kernel != "regularize weight * logic, path, slow" && len(at) != 0 {
			t.Errorf("%q leads to %v", kernel, at)
		}
	}
}

// A rename changes all occurrences and nothing else, or is refused with a reason.
func TestRename(t *testing.T) {
	c := converse(t, pets, nil)
	for _, r := range []struct{ at, name, from, to string }{
		{"let wei", "strength", "weight", "strength"},
		{"both(b", "second", "b", "second"},
		{"|f(λ1", "\U00010400ow", "λ1", "\U00010400ow"},
		{"over pairs of max over λ", "mu", "λ", "mu"},
	} {
		var e WorkspaceEdit
		if err := c.try("textDocument/rename", merge(c.here(r.at), "newName", r.name), &e); err != nil {
			t.Errorf("%s: %v", r.at, err)
			continue
		}
		d := c.docs.get(c.uri())
		got := applied(d.text, e.DocumentChanges[0].Edits)
		file, faults := dsl.Parse("spec.inv", []byte(got))
		if faults.HasErrors() || len(file.Decls) == 0 || !strings.Contains(got, r.to) || applied(d.text, e.DocumentChanges[0].Edits) == pets {
			t.Errorf("%s: %v in\n%s", r.at, faults, got)
		}
	}
	for _, r := range []struct{ at, name, why string }{
		{"let wei", "path", "means something else"},
		{"let wei", "pairs", "means something else"},
		{"def bo", "implies", "means something else"},
		{"let wei", "cat", "means something else"},
		{"let wei", "rms", "means something else"},
		{"let wei", "2x", "not a name"},
		{"let wei", "of", "not a name"},
		{"let wei", "a b", "not a name"},
		{"gauss", "other", "word of the language"},
		{"data { target ani", "other", "the data have"},
		{"max {implies", "other", "word of a family"},
		{"both(b", "a", "means something else"},
		{"kern", "other", "no name here"},
	} {
		err := c.try("textDocument/rename", merge(c.here(r.at), "newName", r.name), nil)
		if err == nil || !strings.Contains(err.Error(), r.why) {
			t.Errorf("%s to %q: %v", r.at, r.name, err)
		}
	}
	var prepared *PrepareRename
	c.ask("textDocument/prepareRename", c.here("gauss"), &prepared)
	if prepared != nil {
		t.Errorf("a word of the language may be renamed: %v", prepared)
	}
	c.ask("textDocument/prepareRename", c.here("let wei"), &prepared)
	if prepared == nil || prepared.Placeholder != "weight" {
		t.Errorf("weight may not: %v", prepared)
	}
}

func merge(m map[string]any, key string, value any) map[string]any {
	m[key] = value
	return m
}

// The program of a family is not started, which an editor is told where a spec names it or the lock knows it.
func TestFamilyPrograms(t *testing.T) {
	c := converse(t, "", nil)
	c.options.Families = nil
	broken := false
	c.options.Pinned = func(dir string) (map[string][]string, error) {
		if broken {
			return nil, errors.New("it is not a lock")
		}
		if dir != filepath.Dir(c.path) {
			t.Errorf("the lock is looked for in %s", dir)
		}
		return map[string][]string{"hierarchy": {"./program"}}, nil
	}
	const rest = "\ndata { target cat, dog : multilabel }\nkernel gaussian\nfeatures exact\ninvariance i = rms over x of implies(cat, dog)\n"
	shown := func(source string) Diagnostic {
		c.edit(source + rest)
		d := c.docs.get(c.uri())
		list := d.diagnostics(c.analysis(c.ctx, d))
		if len(list) != 1 {
			t.Fatalf("%q: %+v", source, list)
		}
		return list[0]
	}
	for _, source := range []string{"use hierarchy", "use hierarchy from \"./program\""} {
		if d := shown(source); d.Severity != severityInformation {
			t.Errorf("%q: %+v", source, d)
		}
	}
	if got := offered(c, "use "); !slices.Contains(got, "hierarchy") {
		t.Errorf("behind use: %q", got)
	}
	broken = true
	if d := shown("use hierarchy"); d.Severity != severityError || !strings.Contains(d.Message, "it is not a lock") {
		t.Errorf("with a lock that is none: %+v", d)
	}
}

// The standard library is offered, explained and helped with, as the definitions of families are; a spec's own definition takes its place.
func TestStandardLibrary(t *testing.T) {
	const spec = `data { target price : real }
kernel gaussian(width = 1)
features exact
def smooth(c) = max over x of |d/d(c) f|
invariance rising = increasing(area)
invariance steady = smooth(area)
regularize rising, steady
`
	c := converse(t, spec, nil)
	items := map[string]CompletionItem{}
	var list CompletionList
	c.ask("textDocument/completion", c.here("invariance rising = "), &list)
	for _, item := range list.Items {
		items[item.Label] = item
	}
	for _, name := range []string{"increasing", "decreasing", "smooth", "parity", "parity_between"} {
		if items[name].Label == "" {
			t.Errorf("%s is not offered", name)
		}
	}
	if !strings.Contains(items["increasing"].Detail, "rms over x of pos") || !strings.Contains(items["smooth"].Detail, "max over x") {
		t.Errorf("%q, %q", items["increasing"].Detail, items["smooth"].Detail)
	}
	for before, want := range map[string]string{"rising = incr": "does not fall", "steady = smo": "def smooth(c) = max"} {
		var h Hover
		c.ask("textDocument/hover", c.here(before), &h)
		if !strings.Contains(h.Contents.Value, want) {
			t.Errorf("of %q: %s", before, h.Contents.Value)
		}
	}
	var h Hover
	if c.ask("textDocument/hover", c.here("rising = incr"), &h); !strings.Contains(h.Contents.Value, "standard library") {
		t.Error(h.Contents.Value)
	}
}

// What an editor shows otherwise than it is read is warned of where it stands.
func TestDisguises(t *testing.T) {
	c := converse(t, "data { target price : real }\nkernel gaussian\nfeatures exact\nlet а = 1   # \u202e as a is\ninvariance a = а * rms over x of |f|\n", nil)
	d := c.docs.get(c.uri())
	var got []string
	for _, g := range d.diagnostics(c.analysis(c.ctx, d)) {
		got = append(got, fmt.Sprintf("%s %t %v", g.Code, g.Severity == severityWarning, g.Range.Start))
	}
	if want := []string{"W304 true {3 14}", "W305 true {4 11}"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// Names of columns are checked against the header of the data file that the editor found, wherever they stand.
func TestColumnsAreChecked(t *testing.T) {
	files := map[string]string{"spec.csv": "area,living area,age,region,price\n1,2,3,north,4\n1,2,3,south,5\n"}
	const data = "data { target price : real }\nkernel gaussian\nfeatures nystrom\ninvariance i = "
	for _, c := range []struct{ spec, want string }{
		{data + "rms over x of |d/d(area) f|", ""},
		{data + "rms over x of |d/d(\"region=north\") f|", ""},
		{data + "rms over x where region == \"north\" and \"living area\" > 2 of age * |d/d(\"living area\") f|", ""},
		{data + "rms over x of |d/d(aera) f|", "spec.csv has no column aera. Did you mean area?"},
		{data + "increasing(aera)", "spec.csv has no column aera. Did you mean area?"},
		{data + "rms over x of |d/d(region) f|", `region is a column of texts, and f has no slope along it. Name one of them, in quotes: "region=north", "region=south".`},
		{data + "rms over x of |f(move(agee, 1)) - f|", "spec.csv has no column agee. Did you mean age?"},
		{data + "rms over x where regoin == \"north\" of |f|", "spec.csv has no column regoin. Did you mean region?"},
		{data + "rms over x where \"livin area\" > 2 of |f|", "spec.csv has no column livin area. Did you mean living area?"},
		{data + "rms over x where region == \"nroth\" of |f|", `No row of spec.csv has "nroth" as its region. Did you mean north?`},
		{data + "rms over x where region in {\"south\", \"nroth\"} of |f|", `No row of spec.csv has "nroth" as its region. Did you mean north?`},
		{data + "rms over x of |f(put(region, \"nroth\")) - f|", `No row of spec.csv has "nroth" as its region. Did you mean north?`},
		{data + "rms over x where region != \"elsewhere\" of |f|", `No row of spec.csv has "elsewhere" as its region. Available: north, south.`},
		{data + "rms over x where region in {\"south\", \"north\"} and region != \"\" of |f|", ""},
		{data + "rms over x of aera(x) * |f|", "spec.csv has no column aera. Did you mean area?"},
		{data + "parity_between(regoin, \"north\", \"south\")", "spec.csv has no column regoin. Did you mean region?"},
		{"data { target prise : real; columns aria; ignore agee; id name }\nkernel gaussian\nfeatures nystrom", "spec.csv has no column prise. Did you mean price?"},
	} {
		conv := converse(t, c.spec, files)
		d := conv.docs.get(conv.uri())
		var got []string
		for _, g := range conv.session.analysis(t.Context(), d).diags {
			if g.Code == codes.ColumnNotInData || g.Code == codes.TextNotInData {
				got = append(got, g.Summary+". "+g.Mend)
			}
		}
		if len(got) == 0 && c.want != "" || len(got) > 0 && got[0] != c.want {
			t.Errorf("%s: %q, want %q", c.spec, got, c.want)
		}
		if strings.Contains(c.spec, "prise") && len(got) != 4 {
			t.Errorf("of the data block: %q", got)
		}
	}
}

// Rows of a file of unlabelled rows have texts too. Gaps are no text to offer, and of very many texts the first are warned of.
func TestTextsOfUnlabelledRowsAreKnown(t *testing.T) {
	const spec = "data { target price : real; unlabelled \"more.csv\" }\nkernel gaussian\nfeatures nystrom\ninvariance i = rms over x where "
	files := map[string]string{"spec.csv": "area,region,price\n1,north,4\n1,,5\n", "more.csv": "region,area\neast,2\n"}
	numbers := make([]string, 200)
	for i := range numbers {
		numbers[i] = strconv.Quote("w" + strconv.Itoa(i))
	}
	for where, want := range map[string]string{
		`region == "east"`:                                "",
		`region == "eastt"`:                               `No row of spec.csv has "eastt" as its region. Did you mean east?`,
		`region == "elsewhere"`:                           `No row of spec.csv has "elsewhere" as its region. Available: east, north.`,
		`region in {` + strings.Join(numbers, ", ") + "}": `No row of spec.csv has "w0" as its region. Available: east, north.`,
	} {
		conv := converse(t, spec+where+" of |f|\n", files)
		diags := conv.session.analysis(t.Context(), conv.docs.get(conv.uri())).diags
		if want == "" && len(diags) > 0 || want != "" && (len(diags) == 0 || diags[0].Summary+". "+diags[0].Mend != want) || len(diags) > 50 {
			t.Errorf("%.50s: %d of %.200v, want %q", where, len(diags), diags, want)
		}
	}
}

// What is wrong in an included file is shown where the document includes it, also through another file.
func TestFaultsOfIncludedFiles(t *testing.T) {
	const source = "data { target price : real }\nkernel gaussian\nfeatures nystrom\ninclude \"team.inv\"\ninvariance i = aged(area)\n"
	conv := converse(t, source, map[string]string{"team.inv": "include \"old.inv\"\n", "old.inv": "let one = 1\ndef aged(c) = rms over x of |f(jitter(c, one)) - f|\n"})
	d := conv.docs.get(conv.uri())
	shown := d.diagnostics(conv.analysis(t.Context(), d))
	if len(shown) != 1 || shown[0].Code != string(codes.OldName) || shown[0].Range.Start.Line != 3 || !strings.HasPrefix(shown[0].Message, "old.inv, line 2: jitter is called move now") {
		t.Errorf("%+v", shown)
	}
}

// Nothing is offered that is not a name yet, and texts of a column are offered where it is compared.
func TestColumnsAreCompleted(t *testing.T) {
	files := map[string]string{"spec.csv": "area,region,price\n1,north,4\n1,south,5\n2,,1\n"}
	for before, want := range map[string]string{
		"invariance i = rms over x of |d/d(aera":                                   "area region price",
		"invariance i = rms over x where region == \"":                             "north south",
		"invariance i = rms over x of |f(put(region, \"":                           "north south",
		"invariance i = rms over (a, b) in graph(\"e.csv\") where region(a) != \"": "north south",
		"invariance i = rms over x where region in {\"":                            "north south",
		"invariance i = rms over x where region in {\"north\", \"":                 "north south",
		"let cold = region == \"":                                                  "north south",
	} {
		c := converse(t, before, files)
		if got := strings.Join(offered(c, before), " "); got != want {
			t.Errorf("at %s: %q, want %q", before, got, want)
		}
	}
	const typed = "data { target price : real; types age : integer [0, 120], region : {north, \"far south\"} }\n"
	for before, want := range map[string]string{
		"data { target price : real; types ":                               "area region price",
		"data { target price : real; types area : real, region : ":         "real integer date text {north, south}",
		typed + "invariance i = rms over x of |d/d(":                       "age region area price",
		typed + "invariance i = rms over x where region == \"":             "north far south",
		typed + "invariance i = rms over x where age > 3 and region != \"": "north far south",
	} {
		c := converse(t, before, files)
		if got := strings.Join(offered(c, before), " "); got != want {
			t.Errorf("at %s: %q, want %q", before, got, want)
		}
	}
	c := converse(t, "data { target price : real; columns area }\ninvariance i = rms over x of |d/d(aera) f|", nil)
	if got := offered(c, "|d/d(aera"); !slices.Contains(got, "area") || slices.Contains(got, "aera") {
		t.Errorf("without data: %q", got)
	}
}
