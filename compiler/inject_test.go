package compiler

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/sipc-ml/sipc/dsl"
	"github.com/sipc-ml/sipc/dsl/diag"
)

// A flaw is what a statement may be replaced by, and the error that this is. The place of the error is marked by ‸, and {N}
// is the name that the statement declares.
type flaw struct{ text, code string }

// flaws are those of each specStatement, by its word.
var flaws = map[string][]flaw{
	"kernel": {
		{"kernel gaussian‸(width = median", "E107"},
		{"‸kernal gaussian(width = median)", "E101"},
		{"kernel ‸gausian(width = median)", "E306"},
		{"kernel gaussian(‸wdth = 1)", "E303"},
		{"kernel gaussian(width = ‸10deg)", "E305"},
		{"kernel gaussian(width = ‸1.2.3)", "E105"},
		{"kernel gaussian(width ‸== 1)", "E117"},
	},
	"features": {
		{"features nystrom(rank = ‸0)", "E304"},
		{"features nystrom(landmarks = all ‸rank = 3)", "E128"},
		{"‸fetures nystrom(landmarks = all)", "E101"},
		{"features nystrom(landmarks = ‸\"all)", "E103"},
		{"features nystrom(landmarks = ‸nowhere)", "E201"},
	},
	"learn": {
		{"learn ‸nothing(C = 1)", "E306"},
		{"‸lern svm", "E101"},
		{"learn svm(C = 1)‸)", "E108"},
	},
	"invariance": {
		{"invariance {N} = rms over x of ‸-|f|", "E401"},
		{"invariance {N} = rms over x of |f - ‸1|", "E402"},
		{"invariance {N} = rms over x ‸|f|", "E119"},
		{"invariance {N} = rms over z in ‸nowhere() of |f|", "E206"},
		{"invariance {N} = |‸f|", "E210"},
		{"invariance {N} = ‸nowhere * rms over x of |f|", "E201"},
		{"invariance {N} = rms over x of ‸f * f", "E404"},
		{"invariance {N} = ‸mean over x of f", "E410"},
		{"invariance {N} = rms over x of ‸|f", "E110"},
		{"invariance {N} = rms over x of ‸f", "E406"},
		{"invariance {N} ‸rms over x of f", "E115"},
		{"invariance {N} = rms over x of pos(f ‸> 0)", "E117"},
		{"‸invarance {N} = rms over x of |f|", "E101"},
		{"‸{N} = rms over x of |f|", "E136"},
		{"invariance {N} = rms over x of |f(‸swerve(x))|", "E207"},
		{"invariance {N} = rms over x of hypot(|f|, f‸(x", "E107"},
		{"invariance {N} = rms over x\n‸    of |f|", "E123"},
	},
	"let": {
		{"let {N} ‸3", "E115"},
		{"let {N} = 3 ‸4", "E112"},
		{"‸lett {N} = 3", "E101"},
		{"let {N} = taxonomy(‸\"gone.csv\")", "E558"},
	},
	"def": {
		{"def {N}(a ‸b) = |f(a) - f(b)|", "E128"},
		{"def {N} ‸= |f(a) - f(b)|", "E127"},
		{"‸dfe {N}(a, b) = |f(a) - f(b)|", "E101"},
	},
	"data": {
		{"data { target y : ‸klass }", "E308"},
		{"data { target y ‸class }", "E126"},
		{"data { {T}, split train = ‸1.5 }", "E304"},
		{"data { {T}, ‸colums a, b }", "E125"},
		{"data ‸{ {T}", "E107"},
		{"‸dat { {T} }", "E101"},
	},
	"regularize": {
		{"regularize 2 ‸steady", "E112"},
		{"regularize ‸nowhere", "E209"},
		{"regularize 3 * ‸4", "E318"},
		{"‸regularise steady", "E101"},
	},
	"use": {{"use swaps ‸form \"./sipc-family-swaps\"", "E132"}, {"use ‸nowhere", "E205"}},
}

// A statement of a spec: its word, the name that it declares, the target, and its text.
type specStatement struct{ word, name, target, text string }

func statements(tb testing.TB, path string) []specStatement {
	tb.Helper()
	src, err := os.ReadFile(path)
	if err != nil {
		tb.Fatal(err)
	}
	file, list := dsl.Parse(path, src)
	if len(list) > 0 {
		tb.Fatal(list)
	}
	var all []specStatement
	for _, d := range file.Decls {
		at := d.Span()
		s := specStatement{text: string(src[at.Start.Offset:at.End.Offset])}
		s.word, _, _ = strings.Cut(s.text, " ")
		switch d := d.(type) {
		case *dsl.Data:
			at := d.Items[0].Span()
			s.target = string(src[at.Start.Offset:at.End.Offset])
		case *dsl.Let:
			s.name = d.Name.Name
		case *dsl.Def:
			s.name = d.Name.Name
		case *dsl.Invariance:
			s.name = d.Name.Name
		}
		all = append(all, s)
	}
	return all
}

// However many statements of a spec are faulty, each is reported once, where its fault is, and nothing else is.
func TestFaultsAreIndependent(t *testing.T) {
	paths, err := filepath.Glob("testdata/specs/*.inv")
	if err != nil || len(paths) < 5 {
		t.Fatal(paths, err)
	}
	var specs [][]specStatement
	for _, p := range paths {
		specs = append(specs, statements(t, p))
	}
	files := map[string]string{"edges.csv": "1,2\n", "topics.csv": "child,parent\ntopic_b,topic_a\n"}
	rapid.Check(t, func(t *rapid.T) {
		spec := slices.Clone(rapid.SampledFrom(specs).Draw(t, "spec"))
		order := rapid.Permutation(indices(len(spec))).Draw(t, "order")
		chosen := order[:rapid.IntRange(1, min(4, len(order))).Draw(t, "k")]
		lacking := slices.ContainsFunc(chosen, func(i int) bool { return spec[i].word == "use" })
		for _, i := range chosen {
			f := rapid.SampledFrom(flaws[spec[i].word]).Draw(t, "flaw")
			if lacking && (f.code == "E206" || f.code == "E207") {
				continue // it may be a name of the family that is missing
			}
			spec[i].text = strings.NewReplacer("{N}", spec[i].name, "{T}", spec[i].target).Replace(f.text)
			spec[i].word = f.code
		}
		src, want := assemble(spec)
		if got := found(src, files); got != want {
			t.Fatalf("%s\ngives\n%s\nwant\n%s", src, got, want)
		}
	})
}

func indices(n int) []int {
	all := make([]int, n)
	for i := range all {
		all[i] = i
	}
	return all
}

// assemble joins statements to a spec, and lists the codes with the offsets that are marked.
func assemble(spec []specStatement) (src, want string) {
	var b, w strings.Builder
	for _, s := range spec {
		before, after, marked := strings.Cut(s.text, "‸")
		if marked {
			at := b.Len() + len(before)
			rest := strings.TrimLeft(after, " ") // a mark before blanks is for what stands behind them
			fmt.Fprintf(&w, "%s at %d\n", s.word, at+len(after)-len(rest))
		}
		b.WriteString(before + after + "\n")
	}
	return b.String(), w.String()
}

func found(src string, files map[string]string) string {
	file, list := dsl.Parse("test.inv", []byte(src))
	opts := testOptions(files)
	plan, more := Check(context.Background(), file, opts)
	_ = plan.Close()
	list = append(list, more...)
	list.Sort()
	var b strings.Builder
	for _, d := range list {
		if d.Severity == diag.Error {
			fmt.Fprintf(&b, "%s at %d\n", d.Code, d.Subject.Start.Offset)
		}
	}
	return b.String()
}
