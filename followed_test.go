package sipc_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	sipc "github.com/sipc-ml/sipc"
	"github.com/sipc-ml/sipc/dsl/diag"
)

// What the help of an error offers is taken by the parser, the compiler and the data, or leads to the next error on purpose.
func TestHelpsCanBeFollowed(t *testing.T) {
	const head = "data { target price : real }\nkernel gaussian(width = median)\nfeatures nystrom(landmarks = all)\n"
	data := filepath.Join(t.TempDir(), "houses.csv")
	var rows strings.Builder
	rows.WriteString("living area,area,age,region,price\n")
	for i := range 24 {
		fmt.Fprintf(&rows, "%d,%d,%d,%s,%d\n", i, i, i*i%7, []string{"north", "south"}[i%2], i*5%11)
	}
	if err := os.WriteFile(data, []byte(rows.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		wrong   string    // the statements, with what is to be replaced between ‹ and ›
		offered string    // what the help offers in its place
		next    diag.Code // the code of the next error; empty where the spec is then in order
	}{
		{"invariance i = ‹increasing(area) >= 0›", "increasing(area)", ""},
		{"invariance i = ‹rms over x of increasing(area) >= 0›", "increasing(area)", ""},
		{"invariance i = ‹parity_between(region, \"north\", \"south\") == 0›", `parity_between(region, "north", "south")`, ""},
		{"‹ensure rms over x of f > 0›", "invariance required = rms over x of pos(-f)", ""},
		{"invariance i = ‹rms over x of 0 < f(x)›", "rms over x of pos(-f(x))", ""},
		{"invariance i = |‹mean over x of area == 4›|", "mean over x where area == 4 of f", ""},
		{"invariance i = rms over x of |‹d/dx f›|", "d/d(area) f", ""},
		{"invariance i = rms over x of |‹d/darea f›|", "d/d(area) f", ""},
		{"invariance i = ‹rms over x of› |f(x) - f(z)|", "rms over x, z in rows of", ""},
		{"‹def gap(a)› = |f(a) - f(z)|\ninvariance i = rms over x of gap(x)", "def gap(a, z)", "E302"},
		{"invariance i = rms over x of |f(‹z›)|", "x", ""},
		{"invariance i = rms over x of |f(‹rotate(10deg)›) - f(x)|", `move("living area", 1)`, ""},
		{"invariance i = rms over x where area == 4 and region == ‹\"nroth\"› of |f|", `"north"`, ""},
		{"invariance i = rms over x where \"living area\" > 1 and region == ‹\"nroth\"› of |f|", `"north"`, ""},
		{"invariance i = rms over x where \"‹livin area›\" > 1 of |f|", "living area", ""},
		{"invariance i = ‹parity(\"region\")›", `parity_between("region", "north", "south")`, ""},
		{"invariance i = ‹decreasing(area) over x›", "decreasing(area)", ""},
		{"invariance i = rms over x of pos(‹d/d(area)›)", "d/d(area) f", ""},
		{"invariance i = rms over x of |‹d/d(area)›|", "d/d(area) f", ""},
		{"invariance i = rms over x of ‹-d/d(area) f›", "pos(-d/d(area) f)", ""},
		{"invariance i = rms over x of max over t in {move(area, 1)} of |‹f(t)› - f(x)|", "f(t(x))", ""},
		{"invariance i = rms over x of max over t in ‹move(area, 1)› of |f(t(x)) - f(x)|", "{move(area, 1)}", ""},
		{"invariance i = increasing(area)\nregularize ‹outo› * (i)", "auto", ""},
		{"invariance i = increasing(area)\nmethod ‹riks›", "risk", ""},
		{"invariance i = increasing(‹living area›)", `"living area"`, ""},
		{"invariance i = rms over x where area > 1 and ‹living area› > 1 of |f|", `"living area"`, ""},
		{"invariance i = rms over x of ‹living area› * |f|", `"living area"`, ""},
		{"invariance i = rms over x of |d/d(‹living area›) f|", `"living area"`, ""},
		{"invariance i = rms over x of max over t in {move(area, 1)} of ‹f(t(x)) - f(x)›", "|f(t(x)) - f(x)|", ""},
		{"invariance i = rms over x, z in rows of ‹f(x) - f(z) + d/d(area) f(x)›", "|f(x) - f(z) + d/d(area) f(x)|", ""},
		{"invariance i = rms over x of max over t in {move(area, 1)} of ‹|f(t(x))| + |f(x)|›", "(|f(t(x))| + |f(x)|)", ""},
		{"invariance i = increasing(area)\nregularize ‹\"1\"› * i", "1", ""},
		{"invariance i = increasing(area)\nregularize i * ‹\"1.5\"›", "1.5", ""},
		{"invariance i = increasing(area)\nregularize ‹0.5›", "0.5 * i", ""},
		{"invariance i = increasing(area)\ninvariance j = increasing(age)\nregularize ‹0.5›", "0.5 * i, 0.5 * j", ""},
		{"invariance i = smooth(area)\nlearn ridge(lambda = ‹\"60\"›)", "60", ""},
		{"invariance i = ‹rms over x of (|d/d(area) f| - |d/d(age) f|)›", "rms over x of (|d/d(area) f - d/d(age) f|)", ""},
		{"invariance i = increasing(area) ‹-› decreasing(age)", "+", ""},
		{"invariance i = rms over x of (2 ‹-› |f|)", "+", "E402"},
		{"invariance i = rms over pairs(choose = ‹same_class›) of |d/dλ f|", "nearest", ""},
		{"invariance i = rms over x of |‹f(area)›|", "d/d(area) f", ""},
		{"invariance i = ‹rms over x of |f(area) - f(x)|›", "increasing(area)", ""},
		{"invariance i = rms over x of |f(‹area + 1›) - f(x)|", "move(area, 1)", ""},
		{"invariance i = rms over x of |‹f(area + 1) - f(x)›|", "d/d(area) f", ""},
		{"invariance i = ‹rms over area in x of |f(area)|›", "increasing(area)", ""},
		{"‹method warp›\ninvariance i = increasing(area)\nregularize 1 * i", "", ""},
		{"invariance i = rms ‹x of› |f|", "over x of", ""},
		{"invariance i = rms ‹for x of› |f|", "over x of", ""},
		{"invariance i = rms ‹of› |f|", "over x of", ""},
		{"invariance i = ‹increasing(area) if region == \"north\"›", `rms over x where region == "north" of pos(-d/d(area) f)`, ""},
		{"invariance i = ‹concave(area) where region == \"north\"›", `rms over x where region == "north" of pos(d/d(area) d/d(area) f)`, ""},
		{"invariance i = rms over (a, b) in graph(‹data/edges.csv›) of |f(a) - f(b)|", `"data/edges.csv"`, "E558"},
		{"invariance i = rms over x of |‹d f/d(area)›|", "d/d(area) f", ""},
		{"invariance i = rms over x of |‹df/d(area)›|", "d/d(area) f", ""},
		{"invariance i = rms over x of |‹∂f/∂area›|", "d/d(area) f", ""},
		{"invariance i = rms over x of |‹∂f(x)/∂(area)›|", "d/d(area) f(x)", ""},
		{"invariance i = rms over x of |‹∂/∂area› f|", "d/d(area)", ""},
		{"invariance i = rms over pairs(choose = nearest) of max over λ in [0, 1] of |‹∂f/∂λ›|", "d/dλ f", ""},
		{"invariance i = |‹mean(f)›|", "mean over z in rows of f(z)", ""},
		{"invariance i = rms over x of |f - ‹mean(f)›|", "mean over z in rows of f(z)", ""},
		{"invariance i = increasing(area)\nregularize ‹0,5› * i", "0.5", ""},
		{"invariance i = increasing(area)\ninvariance j = smooth(age)\nregularize ‹{i, j}›", "i, j", ""},
		{"invariance i = ‹increasing(area) and decreasing(age)›", "increasing(area) + decreasing(age)", ""},
		{"invariance i = increasing(area)\nlearn ‹svr›", "ridge", ""},
		{"invariance i = rms over x, ‹z› of |f(x) - f(z)|", "z in rows", ""},
		{"invariance i = rms ‹over x and z of› |f(x) - f(z)|", "over x, z in rows of", ""},
		{"‹increasing(area)›", "invariance NAME = increasing(area)", ""},
		{"invariance i = rms over x where ‹region == {\"north\", \"south\"}› of |f|", `region in {"north", "south"}`, ""},
		{"invariance i = ‹max(|f(x)| for x in rows)›", "max over x of |f(x)|", ""},
		{"invariance i = ‹rms(|f(x)| + |d/d(age) f(x)| for x in rows)›", "rms over x of (|f(x)| + |d/d(age) f(x)|)", ""},
		{"invariance i = rms over x of |‹d/darea› f|", "d/d(area)", ""},
		{"invariance i = rms over x of max over c in ‹{area, age}› of pos(-d/d(c) f)", "columns(area, age)", ""},
		{"‹let e = area + age›\ninvariance i = rms over x where area > 1 of |f|", "def e() = area + age", ""},
		{"‹let e = area + age›\ninvariance i = rms over x where e > 1 of |f|", "def e() = area + age", "E551"},
		{"‹let e = area + age›\ninvariance i = rms over x of |f|", "def e() = area + age", ""},
		{"include ‹team.inv›\ninvariance i = increasing(area)", `"team.inv"`, "E558"},
		{"invariance i = rms over x of pos(-‹d(f)/d(age)›)", "d/d(age) f", ""},
		{"invariance i = rms over x of |‹d(f(x))/dage›|", "d/d(age) f(x)", ""},
		{"invariance i = rms over x of |‹∂(f)/∂age›|", "d/d(age) f", ""},
		{"invariance i = ‹top 5% over x of› |f|", "top(5) over x of", ""},
		{"invariance i = ‹top 3 over x of› |f|", "top(3) over x of", ""},
		{"invariance i = rms over x where ‹age not in {1, 4}› and area > 1 of |f|", "not age in {1, 4}", ""},
		{"invariance i = rms over x where area > 1 and ‹region(x) not in {\"north\"}› of |f|", `not region(x) in {"north"}`, ""},
		{"invariance i = rms over x where ‹age between 3 and 5› or area > 1 of |f|", "age in [3, 5]", ""},
		{"invariance i = ‹increasing({area, age})›", "max over c in columns(area, age) of increasing(c)", ""},
		{"invariance i = smooth(area)\ninvariance j = smooth(age)\nregularize ‹2 * (i, j)›", "2 * i, 2 * j", ""},
		{"invariance i = smooth(area)\ninvariance j = smooth(age)\nregularize ‹(i, 3 * j)›", "i, 3 * j", ""},
		{"‹›\ninvariance i = rms over x where young(x) of |f|", "def young(a) = age(a) < 30", ""},
		{"‹›\ninvariance i = rms over x where young of |f|", "let young = age < 30", ""},
		{"‹›\ninvariance i = rms over x, z in rows where near(x, z) of |f(x) - f(z)|", "def near(a, b) = age(a) < age(b)", ""},
		{"def young(a) = age(a) < 30\ninvariance i = rms over x where ‹yong›(x) of |f|", "young", ""},
		{"invariance i = rms over x where area ‹<>› 2 of |f|", "!=", ""},
		{"invariance i = rms over x where area ‹=>› 2 of |f|", ">=", ""},
		{"invariance i = rms over x where area ‹=<› 20 of |f|", "<=", ""},
		{"let large = area ‹=>› 2\ninvariance i = rms over x where large of |f|", ">=", ""},
		{"invariance i = rms over x where area ‹===› 2 of |f|", "==", ""},
		{"invariance i = rms over x where area ‹!==› 2 of |f|", "!=", ""},
		{"invariance i = rms over x where area > 1 ‹AND› age < 3 of |f|", "and", ""},
		{"invariance i = rms over x where area > 1 ‹OR› age < 3 of |f|", "or", ""},
		{"invariance i = rms over x where ‹NOT› area > 1 of |f|", "not", ""},
		{"invariance i = rms over x where region ‹IN› {\"north\"} of |f|", "in", ""},
		{"invariance i = rms over x where ‹area is not null› of |f|", "area == area", ""},
		{"invariance i = rms over x where not ‹area is null› of |f|", "area != area", ""},
		{"invariance i = rms over x where ‹region IS NOT NULL› of |f|", `region != ""`, ""},
		{"invariance i = rms over x where region ‹is› \"north\" of |f|", "==", ""},
		{"invariance i = rms over x where region ‹is not› \"north\" of |f|", "!=", ""},
		{"invariance i = rms over x where ‹region like \"nor%\"› of |f|", `region in {"north", "south"}`, ""},
		{"invariance i = rms over x ‹if› area > 1 of |f|", "where", ""},
		{"invariance i = rms over x where region in ‹[\"north\", \"south\"]› of |f|", `{"north", "south"}`, ""},
		{"invariance i = rms over x where ‹f› > 0 of |f|", "pos(f)", "E315"},
		{"let area = 30\ninvariance i = rms over x where ‹area› < 40 of |f|", `"area"`, ""},
		{"invariance i = rms over x where area in ‹[20, 3]› of |f|", "[3, 20]", ""},
		{"let some = ‹[20, 3]›\ninvariance i = rms over x where area in some of |f|", "[3, 20]", ""},
		{"invariance i = increasing(area)\nexpect rmse in ‹[500, 0]›", "[0, 500]", ""},
		{"invariance i = increasing(area)\nexpect broken(i) < ‹5›", "5%", ""},
		{"invariance i = increasing(area)\nexpect r2 in [0, ‹90›]", "90%", ""},
		{"let warm = 3\ninvariance i = rms over x where ‹warm› of |f|", "age > warm", ""},
		{"invariance i = rms over x of |f(put(region, ‹north›)) - f|", `"north"`, ""},
		{"invariance i = parity_between(region, ‹north›, \"south\")", `"north"`, ""},
	} {
		before, rest, _ := strings.Cut(c.wrong, "‹")
		middle, after, _ := strings.Cut(rest, "›")
		if found := errorsOf(t, head+before+middle+after, data); len(found) != 1 || !strings.Contains(found[0].Mend, c.offered) {
			t.Errorf("%s\ndoes not offer %s:\n%v", c.wrong, c.offered, found)
		}
		found := errorsOf(t, head+before+c.offered+after, data)
		if c.next == "" && len(found) > 0 || c.next != "" && (len(found) == 0 || found[0].Code != c.next) {
			t.Errorf("%s\nwith %s, wanted %q:\n%v", c.wrong, c.offered, c.next, found)
		}
	}
}

// errorsOf returns the errors of a spec's text, or else those that data give rise to.
func errorsOf(t *testing.T, text, data string) diag.List {
	t.Helper()
	spec := sipc.NewSpec(t.Context(), "spec.inv", []byte(text), sipc.SpecOptions{})
	_, err := spec.Explain(t.Context(), sipc.ExplainOptions{Data: data})
	if wrong := new(sipc.SpecError); errors.As(err, &wrong) {
		return slices.DeleteFunc(wrong.Diagnostics, func(d *diag.Diagnostic) bool { return d.Severity != diag.Error })
	}
	if err := errors.Join(err, spec.Close()); err != nil {
		t.Fatal(err)
	}
	return nil
}
