package reproduce

import (
	"math"
	"strconv"
	"strings"

	"gonum.org/v1/plot"
)

// rounds are ticks at multiples of 1, 2 or 5 times a power of ten.
type rounds struct {
	least float64 // the least distance of two
	most  int     // how many intervals there may be; 0 is usualIntervals
}

const usualIntervals = 6

// Ticks implements plot.Ticker.
func (r rounds) Ticks(low, high float64) []plot.Tick {
	step := r.step(low, high)
	if math.IsInf(low, 0) || math.IsInf(high, 0) { // there are no data
		return nil
	}
	if step == 0 {
		return []plot.Tick{{Value: low, Label: number(low)}}
	}
	decimals := max(0, -int(math.Floor(math.Log10(step)+1e-9)))
	var out []plot.Tick
	for k := math.Ceil(low/step - 1e-9); k <= high/step+1e-9; k++ {
		out = append(out, plot.Tick{Value: k * step, Label: strconv.FormatFloat(k*step+0, 'f', decimals, 64)})
	}
	return out
}

// step returns the distance of two ticks; 0 means that there is no range.
func (r rounds) step(low, high float64) float64 {
	width := high - low
	if !(width > 0) || math.IsInf(width, 0) || width < 1e-12*max(math.Abs(low), math.Abs(high)) {
		return 0
	}
	most := float64(r.most)
	if most == 0 {
		most = usualIntervals
	}
	power := math.Pow(10, math.Floor(math.Log10(width/most)))
	for _, m := range []float64{1, 2, 5, 10} {
		if step := m * power; step >= r.least && width/step <= most {
			return step
		}
	}
	return max(r.least, 10*power)
}

// decades are ticks of an axis of decimal logarithms, at whole ones, with a label at every second or third where there are many.
type decades struct{}

// Ticks implements plot.Ticker.
func (decades) Ticks(low, high float64) []plot.Tick {
	if math.IsInf(low, 0) || math.IsInf(high, 0) { // there are no data
		return nil
	}
	first, last := int(math.Ceil(low-1e-9)), int(math.Floor(high+1e-9))
	each := 1 + (last-first)/8
	var out []plot.Tick
	for k := first; k <= last; k++ {
		tick := plot.Tick{Value: float64(k)}
		if (last-k)%each == 0 {
			tick.Label = powerOfTen(k)
		}
		out = append(out, tick)
	}
	return out
}

// powerOfTen returns 10ᵏ.
func powerOfTen(k int) string {
	if k == 0 {
		return "1"
	}
	var b strings.Builder
	b.WriteString("10")
	for _, c := range strconv.Itoa(k) {
		if c == '-' {
			b.WriteRune('⁻')
			continue
		}
		b.WriteRune([]rune("⁰¹²³⁴⁵⁶⁷⁸⁹")[c-'0'])
	}
	return b.String()
}
