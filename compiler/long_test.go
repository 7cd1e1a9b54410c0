package compiler

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/sipc-ml/sipc/dsl"
	"github.com/sipc-ml/sipc/dsl/diag"
)

// longSpec is a correct spec of as many lines, with definitions, values, comments and invariances of all kinds.
func longSpec(lines int) string {
	var b strings.Builder
	b.WriteString(`data { target animal, cat, dog : multilabel }
kernel gaussian(width = median)
features nystrom(landmarks = all)
let t = taxonomy("topics.csv")
def gap(a, b) = |f(a) - f(b)|
def both(a, b, c) = hypot(gap(a, b), gap(b, c))
`)
	bodies := []string{
		"rms over x of hypot(max {implies(cat, animal), implies(dog, animal)}, excludes(cat, dog))",
		"rms over x of max over (child, parent) in edges(t) of implies(child, parent)",
		"rms over pairs(count = 4n, seed = %d) of max over λ in [0, 1] of |d/dλ f|",
		"norm(3) over x where area >= %d of (gap(cat, dog) + 2 * pos(f(cat) - 0.5 * f(dog)))",
		"|mean over x where region == \"north\" of f - mean over x where region == \"south\" of f|",
		"rms over x of max over t in {jitter(area, 0.%d), jitter(age, -0.5)} of |f(t(x), cat) - f(cat)|",
		"top(5) over x of both(cat, dog, animal)  # the 5 worst",
		"max over x of max {f(cat), |d/d(age) f(dog)|, excludes(cat, dog), 0}",
	}
	n := strings.Count(b.String(), "\n")
	for i := 0; n < lines; i++ {
		switch {
		case i%10 == 9 && n+2 <= lines:
			fmt.Fprintf(&b, "# the values of part %d\nlet w%d = %d / 8\n", i/10, i, 1+i%7)
			n += 2
			continue
		case i%10 == 8:
			fmt.Fprintf(&b, "def d%d(a, b) = %d * gap(a, b)\n", i, 1+i%5)
		default:
			body := bodies[i%len(bodies)]
			if strings.Contains(body, "%d") {
				body = fmt.Sprintf(body, 1+i%9)
			}
			fmt.Fprintf(&b, "invariance i%d = %s\n", i, body)
		}
		n++
	}
	return b.String()
}

// faultyLongSpec has a fault in every tenth invariance, a third each of names, types and curvature.
func faultyLongSpec(lines int) string {
	spec := strings.Split(longSpec(lines), "\n")
	faults := []string{"rms over x of |f(cta)|", "rms over x of |f(cat) + 10deg|", "rms over x of (|f(cat)| - |f(dog)|)"}
	for i := 10; i < len(spec); i += 10 {
		if head, _, ok := strings.Cut(spec[i], " = "); ok && strings.HasPrefix(head, "invariance") {
			spec[i] = head + " = " + faults[i/10%3]
		}
	}
	return strings.Join(spec, "\n")
}

func checkLong(tb testing.TB, src string) int {
	tb.Helper()
	file, list := dsl.Parse("long.inv", []byte(src))
	if len(list) > 0 {
		tb.Fatal(list[0])
	}
	plan, list := Check(tb.Context(), file, testOptions(testFiles))
	_ = plan.Close()
	errs := 0
	for _, d := range list {
		if d.Severity == diag.Error {
			errs++
		}
	}
	return errs
}

// A spec of 1,000 lines is read and checked in less than 50 ms.
func TestLongSpecsAreCheckedFast(t *testing.T) {
	for name, src := range map[string]string{"right": longSpec(1000), "wrong": faultyLongSpec(1000)} {
		if got := strings.Count(src, "\n"); got < 999 || got > 1001 {
			t.Fatalf("%d lines", got)
		}
		if errs := checkLong(t, src); (errs > 50) != (name == "wrong") {
			t.Fatalf("%s: %d errors", name, errs)
		}
		best := time.Hour
		for range 10 {
			began := time.Now()
			checkLong(t, src)
			best = min(best, time.Since(began))
		}
		t.Logf("%s: %v", name, best)
		if best > 50*time.Millisecond {
			t.Errorf("%s: checking 1,000 lines took %v", name, best)
		}
	}
}

func BenchmarkCheckLong(b *testing.B) {
	src := longSpec(1000)
	b.ReportAllocs()
	for b.Loop() {
		checkLong(b, src)
	}
}

func BenchmarkCheckLongFaulty(b *testing.B) {
	src := faultyLongSpec(1000)
	b.ReportAllocs()
	for b.Loop() {
		checkLong(b, src)
	}
}
