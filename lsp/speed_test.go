package lsp

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

// longSpec is a spec of some lines that uses much of the language.
func longSpec(lines int) string {
	var b strings.Builder
	b.WriteString("data { target animal, cat, dog : multilabel }\nkernel gaussian(width = median)\nfeatures nystrom(landmarks = all)\n")
	for i := 3; i < lines-1; i += 4 {
		fmt.Fprintf(&b, "let w%d = %d.5\n", i, i)
		fmt.Fprintf(&b, "def gap%d(a, b) = |f(a) - f(b)|\n", i)
		fmt.Fprintf(&b, "invariance logic%d = rms over x of hypot(max {implies(cat, animal), implies(dog, animal)}, excludes(cat, dog))\n", i)
		fmt.Fprintf(&b, "invariance near%d = max over (a, b) in pairs(count = 4n) of w%d * gap%d(a, b) # λ ≤ 1\n", i, i, i)
	}
	return b.String()
}

// faultyLongSpec has a fault with a fix in every hundredth line.
func faultyLongSpec(lines int) string {
	spec := strings.SplitAfter(longSpec(lines), "\n")
	for i := 5; i < len(spec); i += 100 {
		spec[i] = strings.Replace(spec[i], "implies(cat, animal)", "implies(cta, animal)", 1)
	}
	return strings.Join(spec, "")
}

// BenchmarkDocument measures what the server reads of a spec of 300 lines, and what its names mean, after each change.
func BenchmarkDocument(b *testing.B) {
	c := converse(b, longSpec(300), nil)
	versions := []string{longSpec(300), edited(longSpec(300))}
	computed := time.Duration(0)
	for i := 1; b.Loop(); i++ {
		cpu := cpuTime()
		d := newDocument(c.uri(), i, newText(versions[i%2]))
		d.syntax()
		computed += cpuTime() - cpu
	}
	b.ReportMetric(float64(computed.Microseconds())/1000/float64(b.N), "ms-cpu/op")
}

// edited is a spec after somebody typed into a statement, above which a line was added, so that all that follows moves.
func edited(source string) string {
	source = strings.Replace(source, "let w499 = 499.5", "let w499 = 2", 1)
	return strings.Replace(source, "\nlet w103", "\n# a remark\nlet w103", 1)
}

// BenchmarkServer measures every kind of request on a spec of 1,000 lines that has just been changed or opened, the change
// included: the time that passes, and the time that is computed meanwhile, the check in the background included.
func BenchmarkServer(b *testing.B) {
	collectSeldom()
	for method := range handlers {
		if !strings.HasPrefix(method, "textDocument/") || strings.HasPrefix(method, "textDocument/did") {
			continue
		}
		name := strings.TrimPrefix(method, "textDocument/")
		b.Run("changed/"+name, func(b *testing.B) { benchmarkRequest(b, method, longSpec(1000), false) })
		b.Run("opened/"+name, func(b *testing.B) { benchmarkRequest(b, method, longSpec(1000), true) })
		b.Run("faulty/"+name, func(b *testing.B) { benchmarkRequest(b, method, faultyLongSpec(1000), false) })
	}
}

// benchmarkRequest asks one thing of a spec and of what it becomes when it is edited, in turn; or each time of one that was not
// open before.
func benchmarkRequest(b *testing.B, method, source string, opened bool) {
	b.Helper()
	c := converse(b, source, nil)
	params := c.here("w503 * gap503(")
	params["newName"], params["range"] = "other", Range{End: Position{Line: 1000}}
	c.analysis(c.ctx, c.docs.get(c.uri()))
	slowest, computed := time.Duration(0), time.Duration(0)
	versions := []string{source, edited(source)}
	for i := 1; b.Loop(); i++ {
		b.StopTimer()
		if opened {
			c.ask("textDocument/didClose", map[string]any{"textDocument": map[string]any{"uri": c.uri()}}, nil)
		}
		b.StartTimer()
		start, cpu := time.Now(), cpuTime()
		c.edit(versions[i%2])
		_ = c.try(method, params, nil)
		computed += cpuTime() - cpu
		slowest = max(slowest, time.Since(start))
		b.StopTimer()
		c.analysis(c.ctx, c.docs.get(c.uri())) // the next keystroke comes when the check is done
		b.StartTimer()
	}
	b.ReportMetric(float64(slowest.Microseconds())/1000, "ms-slowest")
	b.ReportMetric(float64(computed.Microseconds())/1000/float64(b.N), "ms-cpu/op")
}
