package page

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/sipc-ml/sipc/runtime/metric"
	"github.com/sipc-ml/sipc/runtime/report"
)

// intervalHead stands above intervals.
const intervalHead = "95 % interval"

// undefined stands where there is no number.
const undefined = "–"

// number writes a figure with four decimals, or four digits where it is large or very small, with a true minus.
func number(v float64) string {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return undefined
	}
	format, digits := formatOf(v)
	return minus(strconv.FormatFloat(v, format, digits, 64))
}

// formatOf returns the format of a figure and its digits, for strconv.
func formatOf(v float64) (format byte, digits int) {
	switch a := math.Abs(v); {
	case a >= 1e6 || a > 0 && a < 5e-4:
		return 'g', 3
	case a >= 1000:
		return 'f', 0
	case a >= 100:
		return 'f', 1
	case a >= 10:
		return 'f', 2
	}
	return 'f', 4
}

// atLeast writes a lower bound as number does, but rounds it down, so that what is shown is a bound, too.
func atLeast(v float64) string { return bound(v, -1) }

// atMost writes an upper bound, rounded up.
func atMost(v float64) string { return bound(v, 1) }

// bound writes a number as number does, but none on the other side of it than towards says, which is 1 or −1.
func bound(v, towards float64) string {
	if v == 0 || math.IsNaN(v) || math.IsInf(v, 0) {
		return number(v)
	}
	format, digits := formatOf(v)
	return minus(report.Bound(v, towards, format, digits))
}

// signed writes a difference with its sign.
func signed(v float64) string {
	if v > 0 {
		return "+" + number(v)
	}
	return number(v)
}

// short writes a number with two digits.
func short(v float64) string {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return undefined
	}
	return minus(strconv.FormatFloat(v, 'g', 2, 64))
}

func minus(text string) string { return strings.ReplaceAll(text, "-", "−") }

// percent writes a share. A few that are not none make at least something, and almost all never all.
func percent(v float64) string {
	switch p := 100 * v; {
	case math.IsNaN(v) || math.IsInf(v, 0):
		return undefined
	case p > 0 && p < 0.1:
		return "less than 0.1 %"
	case p == math.Trunc(p), p >= 10 && p < 99.5:
		return strconv.FormatFloat(p, 'f', 0, 64) + " %"
	default:
		return strconv.FormatFloat(p, 'f', 1, 64) + " %"
	}
}

// between writes an interval; nothing where there is none.
func between(i metric.Interval, text func(float64) string) string {
	if !i.Known() {
		return ""
	}
	return text(i.Low) + " to " + text(i.High)
}

// counted writes a number of things, with the words that follow one and several.
func counted(n int, noun string, words ...string) string {
	text, plural, verb := grouped(n), noun+"s", ""
	switch {
	case n == 1:
		plural = noun
	case strings.HasSuffix(noun, "s"):
		plural = noun + "es"
	}
	if len(words) == 2 {
		if verb = " " + words[1]; n == 1 {
			verb = " " + words[0]
		}
	}
	return text + " " + plural + verb
}

// grouped writes a count with thin spaces between thousands.
func grouped(n int) string {
	text := strconv.Itoa(n)
	for at := len(text) - 3; at > 0; at -= 3 {
		text = text[:at] + "\u202f" + text[at:]
	}
	return text
}

// bytesText writes an amount of memory.
func bytesText(n uint64) string {
	const mib = 1 << 20
	if n >= 1024*mib {
		return fmt.Sprintf("%.1f GiB", float64(n)/(1024*mib))
	}
	return fmt.Sprintf("%.0f MiB", float64(n)/mib)
}

// listed joins names in a sentence, the first of many.
func listed(names []string, most int) string {
	if left := len(names) - most; left > 0 {
		return strings.Join(names[:most], ", ") + fmt.Sprintf(" and %d more", left)
	}
	if n := len(names); n > 1 {
		return strings.Join(names[:n-1], ", ") + " and " + names[n-1]
	}
	return strings.Join(names, "")
}
