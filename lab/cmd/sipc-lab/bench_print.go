package main

import (
	"fmt"
	"io"
	"strconv"
	"strings"
	"text/tabwriter"

	"github.com/sipc-ml/sipc/lab/bench"
)

// printLast prints the figures of the last problem, and before the first one where they were made.
func (p *polarFigures) printLast(w io.Writer, table bool) {
	if len(p.Measurements)+len(p.Comparisons) == 1 {
		fmt.Fprintln(w, machineLine(&p.Machine, p.Seed))
		if table {
			growthHead(w)
		}
	}
	switch {
	case table:
		growthLine(w, p.Measurements)
	case len(p.Comparisons) > 0:
		comparison(w, p.Comparisons[len(p.Comparisons)-1])
	default:
		measurement(w, p.Measurements[len(p.Measurements)-1])
	}
}

func machineLine(m *bench.Machine, seed uint64) string {
	cpu := m.CPU
	if cpu == "" {
		cpu = "unknown processor"
	}
	return fmt.Sprintf("%s, %d threads, %s/%s, %s, linear algebra %s of %s; seed %d",
		cpu, m.Procs, m.OS, m.Arch, m.Go, m.BLAS, strings.Join(m.Tiers, ", "), seed)
}

// problemLine describes a problem.
func problemLine(a *bench.About) string {
	text := a.Name + ": "
	if a.Labels > 1 {
		text += fmt.Sprintf("%d labels, ", a.Labels)
	}
	text += fmt.Sprintf("dimension %d, %d functionals, %d right-hand sides, alpha %g", a.Dim, a.Functionals, a.RHS, a.Alpha)
	switch {
	case a.Interval:
		text += fmt.Sprintf("; %d nodes on a path, gaps hold for whole paths", a.Nodes)
	case a.Nodes > 0:
		text += fmt.Sprintf("; %d nodes on a path, gaps hold at these", a.Nodes)
	}
	return text
}

func measurement(w io.Writer, m *bench.Measurement) {
	fmt.Fprintf(w, "\n%s\n", problemLine(&m.About))
	fmt.Fprintf(w, "  %.4g embeddings a second: %.4g ms each, %.3g s", m.PerSecond, 1e3*m.PerRHS, m.Seconds)
	if m.BuildSeconds > 0 {
		fmt.Fprintf(w, ", beside %.3g s of posing the problem", m.BuildSeconds)
	}
	fmt.Fprintf(w, "\n  iterations   median %d, at most %d", m.Iterations.Median, m.Iterations.Max)
	if m.Newton.Max > 0 {
		fmt.Fprintf(w, "; Newton steps median %d, at most %d", m.Newton.Median, m.Newton.Max)
	}
	fmt.Fprintf(w, "\n  gap          median %.2g, worst %.2g; %d of %d ≤ %.0e\n", m.MedianGap, m.WorstGap, m.Reached, m.RHS, m.Target)
	fmt.Fprintf(w, "  products     %.3g GFLOP/s, %.1f %% of the machine's rate (dgemm %.3g, sgemm %.3g GFLOP/s)\n",
		m.Rate/1e9, 100*m.Fraction, m.Rates.Double/1e9, m.Rates.Single/1e9)
	fmt.Fprintf(w, "  peak memory  %s while solving, %s in all", bytesText(m.PeakSolve), bytesText(m.PeakProcess))
	if m.Stored > 0 {
		fmt.Fprintf(w, "; the operator keeps %d rows", m.Stored)
	}
	fmt.Fprintln(w)
}

// bytesText writes an amount of memory in its unit.
func bytesText(n int64) string {
	switch {
	case n == 0:
		return "unknown"
	case n >= 1<<30:
		return fmt.Sprintf("%.2f GiB", float64(n)/(1<<30))
	}
	return fmt.Sprintf("%d MiB", (n+1<<19)>>20)
}

func comparison(w io.Writer, c *bench.Comparison) {
	fmt.Fprintf(w, "\n%s; gap %.0e, median of %d rounds\n", problemLine(&c.About), c.Target, c.Rounds)
	t := tabwriter.NewWriter(w, 0, 8, 2, ' ', 0)
	fmt.Fprintln(t, "  ms per right-hand side\treached\tratio\tvalues differ by\tprogram")
	fmt.Fprintf(t, "  %.4g\t%d of %d\t1\t\tsipc, worst gap %.2g\n", 1e3*c.PerRHS, c.Reached, c.RHS, c.WorstGap)
	for i := range c.Rivals {
		r := &c.Rivals[i]
		differs := ""
		if d := float64(r.Differs); d >= 0 {
			differs = fmt.Sprintf("%.1e", d)
		}
		fmt.Fprintf(t, "  %.4g\t%d of %d\t%.3g\t%s\t%s\n", 1e3*r.PerRHS, r.Reached, r.Of, r.Ratio, differs, r.Command)
	}
	_ = t.Flush()
	if c.Fastest == "" {
		fmt.Fprintln(w, "  no rival reached the gap on all that it tried")
		return
	}
	fmt.Fprintf(w, "  %.3g× as fast as the fastest rival that reached the gap: %s\n", c.FastestRatio, c.Fastest)
}

func growthHead(w io.Writer) {
	fmt.Fprintln(w, "\n| kind | n | pairs | dimension | right-hand sides | ms each | ms each further one | iterations | worst gap | peak memory | of the machine's rate |")
	fmt.Fprintln(w, "|---|---|---|---|---|---|---|---|---|---|---|")
}

// growthLine prints the last measurement. What each further right-hand side took is the difference to the line before it,
// where that is the same problem with fewer.
func growthLine(w io.Writer, list []*bench.Measurement) {
	m := list[len(list)-1]
	pairs, further := "", ""
	if m.Pairs > 0 {
		pairs = strconv.Itoa(m.Pairs)
	}
	if len(list) > 1 {
		if b := list[len(list)-2]; b.Kind == m.Kind && b.Pairs == m.Pairs && b.RHS < m.RHS {
			further = fmt.Sprintf("%.3g", 1e3*(m.Seconds-b.Seconds)/float64(m.RHS-b.RHS))
		}
	}
	fmt.Fprintf(w, "| %s | %d | %s | %d | %d | %.3g | %s | %d (%d) | %.1e | %s | %.0f %% |\n", m.Kind, m.Rows, pairs, m.Dim, m.RHS,
		1e3*m.PerRHS, further, m.Iterations.Median, m.Iterations.Max, m.WorstGap, bytesText(m.PeakSolve), 100*m.Fraction)
}
