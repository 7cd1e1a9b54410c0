package compiler

import (
	"fmt"
	"math"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"testing"

	"github.com/sipc-ml/sipc/compiler/internal/names"
	"github.com/sipc-ml/sipc/compiler/internal/tree"
	"github.com/sipc-ml/sipc/compiler/internal/values"
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
		"rms over x of max over t in {move(area, 0.%d), move(age, -0.5)} of |f(t(x), cat) - f(cat)|",
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

// lengths are lines of specs, each twice the one before.
var lengths = []int{500, 1000, 2000}

// TestCheckGrowsWithTheLinesAlone holds what it costs to read and check a spec to its lines: twice the lines take at most twice
// the allocations and twice their bytes, but for the growth of tables.
func TestCheckGrowsWithTheLinesAlone(t *testing.T) {
	for name, spec := range map[string]func(int) string{"right": longSpec, "wrong": faultyLongSpec} {
		var before cost
		for _, lines := range lengths {
			src := spec(lines)
			if got := strings.Count(src, "\n"); got < lines-1 || got > lines+1 {
				t.Fatalf("%s: %d lines, want %d", name, got, lines)
			}
			if errs := checkLong(t, src); (errs > lines/20) != (name == "wrong") {
				t.Fatalf("%s: %d errors in %d lines", name, errs, lines)
			}
			now := costOf(func() { checkLong(t, src) })
			t.Logf("%s: %d lines: %d allocations of %d bytes", name, lines, now.allocations, now.bytes)
			if before.allocations > 0 && (now.allocations > before.allocations*21/10 || now.bytes > before.bytes*21/10) {
				t.Errorf("%s: %d lines cost %+v, half as many %+v", name, lines, now, before)
			}
			before = now
		}
	}
}

// Lets that take lets twice do not double the work line by line.
func TestLetsAreComputedOnce(t *testing.T) {
	const lets = 60
	var b strings.Builder
	b.WriteString("data { target a, b : multilabel }\nkernel gaussian(width = 1)\nfeatures exact\n")
	for i := range lets {
		fmt.Fprintf(&b, "let d%d = d%d + d%d\n", i, i+1, i+1)
	}
	fmt.Fprintf(&b, "let d%d = 1e-18\ninvariance s = rms over x of |f(a) + f(b)|\nregularize d0 * s\n", lets)
	if errs := checkLong(t, b.String()); errs > 0 {
		t.Errorf("%d errors", errs)
	}
}

// A chain of lets, each made of the next one, does not deepen the stack: twenty thousand took 67 MB of it.
func TestChainsOfLetsLeaveTheStackShallow(t *testing.T) {
	const lets = 20000
	var b strings.Builder
	b.WriteString("data { target a, b : multilabel }\nkernel gaussian(width = 1)\nfeatures exact\n")
	for i := range lets {
		fmt.Fprintf(&b, "let d%d = -(d%d + 1)\n", i, i+1)
	}
	fmt.Fprintf(&b, "let d%d = 1\ninvariance s = rms over x of |f(a) + f(b)|\nregularize d0 * s\n", lets)
	defer debug.SetGCPercent(debug.SetGCPercent(-1)) // the collector shrinks stacks
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	if errs := checkLong(t, b.String()); errs > 0 {
		t.Errorf("%d errors", errs)
	}
	runtime.ReadMemStats(&after)
	if grown := int64(after.StackInuse) - int64(before.StackInuse); grown > 4<<20 {
		t.Errorf("the stack grew by %d bytes", grown)
	}
}

// A chain of lets that are names of one another is walked once: whatever holds for its first name is then known of all of them. To
// walk it from each of ten thousand took nine seconds.
func TestChainsOfNamesAreWalkedOnce(t *testing.T) {
	const lets = 1000
	var b strings.Builder
	for i := range lets {
		fmt.Fprintf(&b, "let d%d = d%d\n", i, i+1)
	}
	fmt.Fprintf(&b, "let d%d = 7\nlet a = b\nlet b = a\n", lets)
	file, list := dsl.Parse("chain.inv", []byte(b.String()))
	if len(list) > 0 {
		t.Fatal(list[0])
	}
	p := names.NewSpec(t.Context(), file, testOptions(testFiles)).Pass(nil)
	seven := values.Held(p, "d0")
	for i := range lets + 1 {
		if got, ok := p.Held[fmt.Sprint("d", i)]; !ok || got != seven || tree.Text(got) != "7" {
			t.Fatalf("d%d holds %v, walked %v", i, got, ok)
		}
	}
	if a := values.Held(p, "a"); a != nil {
		t.Errorf("a circle holds %v", a)
	}
}

// A cost is what a call asks of the memory.
type cost struct{ allocations, bytes uint64 }

// costOf is the least of a few calls: whatever the run-time system does beside them is not theirs.
func costOf(call func()) cost {
	least := cost{math.MaxUint64, math.MaxUint64}
	for range 3 {
		var a, b runtime.MemStats
		runtime.ReadMemStats(&a)
		call()
		runtime.ReadMemStats(&b)
		least = cost{min(least.allocations, b.Mallocs-a.Mallocs), min(least.bytes, b.TotalAlloc-a.TotalAlloc)}
	}
	return least
}

func benchmarkCheck(b *testing.B, spec func(int) string) {
	b.Helper()
	for _, lines := range lengths {
		b.Run(strconv.Itoa(lines), func(b *testing.B) {
			src := spec(lines)
			b.ReportAllocs()
			for b.Loop() {
				checkLong(b, src)
			}
		})
	}
}

func BenchmarkCheckLong(b *testing.B) { benchmarkCheck(b, longSpec) }

func BenchmarkCheckLongFaulty(b *testing.B) { benchmarkCheck(b, faultyLongSpec) }
