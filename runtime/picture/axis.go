package picture

import (
	"math"
	"strconv"
	"strings"
)

// An axis takes numbers from low to high to pixels. Pixels may descend.
type axis struct{ low, high, from, to float64 }

// at returns where a number stands.
func (a axis) at(v float64) float64 {
	return a.from + (v-a.low)/(a.high-a.low)*(a.to-a.from)
}

// spanned returns an axis of some length in pixels that holds all numbers, with a margin at both ends as a share of their range. Equal numbers get
// room around them.
func spanned(low, high, margin, from, to float64) axis {
	if !(high > low) {
		half := math.Max(math.Abs(low), 1) / 2
		low, high = low-half, high+half
	}
	room := margin * (high - low)
	return axis{low - room, high + room, from, to}
}

// A tick is a number of an axis with its text.
type tick struct {
	value float64
	text  string
}

// ticks returns round numbers of an axis, about one for each step of so many pixels. Whole ones have no fraction.
func (a axis) ticks(pixels float64, whole bool) []tick {
	many := math.Max(2, math.Abs(a.to-a.from)/pixels)
	step := round((a.high - a.low) / many)
	if whole {
		step = math.Max(1, step)
	}
	if !(step > 0) || math.IsInf(step, 0) {
		return nil
	}
	digits := decimals(step)
	var out []tick
	for k := math.Ceil(a.low/step - 1e-9); k*step <= a.high+1e-9*step && len(out) < 50; k++ {
		out = append(out, tick{k * step, number(k*step, digits)})
	}
	return out
}

// round returns the least of 1, 2 and 5 times a power of ten that is at least v.
func round(v float64) float64 {
	power := math.Pow(10, math.Floor(math.Log10(v)))
	for _, m := range []float64{1, 2, 5} {
		if v <= m*power*(1+1e-9) {
			return m * power
		}
	}
	return 10 * power
}

// decimals returns how many digits a multiple of a round step needs after the point.
func decimals(step float64) int {
	return int(math.Max(0, -math.Floor(math.Log10(step)+1e-9)))
}

const (
	mostPlain   = 1e6 // numbers from here on have an exponent
	mostDigits  = 6   // after the point; smaller steps have an exponent, too
	widthOfTick = 7   // characters that are never too many
)

// number writes a number with so many digits after the point, with a true minus.
func number(v float64, digits int) string {
	if v == 0 {
		return "0"
	}
	text := strconv.FormatFloat(v, 'f', digits, 64)
	if math.Abs(v) >= mostPlain || digits > mostDigits || len(text) > widthOfTick+2 {
		text = strconv.FormatFloat(v, 'g', 3, 64)
	}
	return minus(text)
}

// Number writes a number with three digits, with a true minus.
func Number(v float64) string {
	if math.Abs(v) >= 100 && math.Abs(v) < mostPlain {
		return minus(strconv.FormatFloat(v, 'f', 0, 64))
	}
	return minus(strconv.FormatFloat(v, 'g', 3, 64))
}

func minus(text string) string { return strings.ReplaceAll(text, "-", "−") }
