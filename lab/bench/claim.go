package bench

import (
	"fmt"
	"math"
)

// claim draws a statement. Each follows from what is proved by integration, so that no difference stands for a derivative. A slope that is at
// least 0 on an interval makes values rise on it.
func (a *arena) claim() *claim {
	label, of := "", 0
	if a.labels != nil {
		of = a.rng.IntN(len(a.labels))
		label = ", " + a.labels[of]
	}
	f := func(s [][]float64, k int) float64 { return s[k][of] }
	all := []func() *claim{
		func() *claim { return a.slope(label, f) },
		func() *claim { return a.steep(label, f) },
		func() *claim { return a.dominance(label, f) },
		func() *claim { return a.trust(label, f) },
		func() *claim { return a.order(label, f) },
		func() *claim { return a.bounds(label, f) },
		func() *claim { return a.moved(label, f) },
		func() *claim { return a.convex(label, f) },
	}
	if a.labels != nil {
		all = append(all, func() *claim { return a.between(of) }, func() *claim { return a.between(of) })
	}
	if !a.rough {
		all = append(all, all[7])
	} else {
		all[3], all[7] = all[0], all[0] // f has no second derivative
	}
	return all[a.rng.IntN(len(all))]()
}

// A score reads the score of a label at a point of a claim.
type score func(s [][]float64, k int) float64

// step returns a place whose number a is moved by h of what is left to the end of the box.
func (a *arena) step(p place, h float64) place {
	p.a = math.Min(p.a+h*(a.high[0]-p.a), a.high[0])
	return p
}

// stepB does the same with b.
func (a *arena) stepB(p place, h float64) place {
	p.b = math.Min(p.b+h*(a.high[1]-p.b), a.high[1])
	return p
}

// region returns a region of the kind that the box names, or the sweeps of rows beside it.
func (a *arena) region() string {
	if a.rng.IntN(3) == 0 {
		return fmt.Sprintf("x in box(a = [%g, %g], b = [%g, %g], others = box)", a.low[0], a.high[0], a.low[1], a.high[1])
	}
	return "x in box"
}

// slope says that f rises or falls in a.
func (a *arena) slope(label string, f score) *claim {
	sign, word := 1.0, ">="
	if a.rng.IntN(2) == 0 {
		sign, word = -1, "<="
	}
	return &claim{
		kind: "slope", text: fmt.Sprintf("d/d(a) f%s %s 0 over %s", at(label), word, a.region()),
		points: func(x place, h float64) []place { return []place{x, a.step(x, h)} },
		slack:  func(s [][]float64, _ place, _ float64) float64 { return sign * (f(s, 1) - f(s, 0)) },
	}
}

// at returns the argument of f at a label.
func at(label string) string {
	if label == "" {
		return ""
	}
	return "(x" + label + ")"
}

// steep says that a slope is between bounds, per unit of the file.
func (a *arena) steep(label string, f score) *claim {
	most := a.scale * math.Exp(a.rng.NormFloat64()) / (a.high[0] - a.low[0])
	return &claim{
		kind: "slope between bounds", text: fmt.Sprintf("%.4g <= d/d(a, unit = raw) f%s <= %.4g over %s", -most, at(label), most, a.region()),
		points: func(x place, h float64) []place { return []place{x, a.step(x, h)} },
		slack: func(s [][]float64, x place, h float64) float64 {
			bound := rounded(most)
			d := a.step(x, h).a - x.a
			return bound*d - math.Abs(f(s, 1)-f(s, 0))
		},
	}
}

// rounded returns a number as specs have it.
func rounded(v float64) float64 {
	var out float64
	if _, err := fmt.Sscanf(fmt.Sprintf("%.4g", v), "%g", &out); err != nil {
		return math.NaN()
	}
	return out
}

// dominance says that f rises faster in a than in b, so that it rises where b falls as much.
func (a *arena) dominance(label string, f score) *claim {
	return &claim{
		kind: "dominance", text: fmt.Sprintf("d/d(a, unit = raw) f%s >= d/d(b, unit = raw) f%s over %s", at(label), at(label), a.region()),
		points: func(x place, h float64) []place {
			d := h * math.Min(a.high[0]-x.a, x.b-a.low[1])
			y := x
			y.a, y.b = math.Min(x.a+d, a.high[0]), math.Max(x.b-d, a.low[1])
			return []place{x, y}
		},
		slack: func(s [][]float64, _ place, _ float64) float64 { return f(s, 1) - f(s, 0) },
	}
}

// trust says that f rises faster in a where b is larger.
func (a *arena) trust(label string, f score) *claim {
	return &claim{
		kind: "trust", text: fmt.Sprintf("d/d(a) d/d(b) f%s >= 0 over %s", at(label), a.region()),
		points: func(x place, h float64) []place {
			return []place{x, a.step(x, h), a.stepB(x, h), a.stepB(a.step(x, h), h)}
		},
		slack: func(s [][]float64, _ place, _ float64) float64 { return f(s, 3) - f(s, 2) - f(s, 1) + f(s, 0) },
	}
}

// convex says that f is convex or concave in a: its mean over two places is on one side of its value between them.
func (a *arena) convex(label string, f score) *claim {
	sign, word := 1.0, ">="
	if a.rng.IntN(2) == 0 {
		sign, word = -1, "<="
	}
	return &claim{
		kind: "curvature", text: fmt.Sprintf("d/d(a) %s f%s %s 0 over %s", "d/d(a)", at(label), word, a.region()),
		points: func(x place, h float64) []place {
			y := a.step(x, h)
			half := x
			half.a = x.a + (y.a-x.a)/2
			return []place{x, half, y}
		},
		slack: func(s [][]float64, _ place, _ float64) float64 { return sign * (f(s, 0) - 2*f(s, 1) + f(s, 2)) },
	}
}

// order says that a text makes f no smaller than another one.
func (a *arena) order(label string, f score) *claim {
	more, less := texts[a.rng.IntN(3)], texts[a.rng.IntN(3)]
	for more == less {
		less = texts[a.rng.IntN(3)]
	}
	put := func(t string) string { return fmt.Sprintf("f(put(t, %q)(x)%s)", t, label) }
	return &claim{
		kind: "order of texts", text: fmt.Sprintf("%s >= %s over %s", put(more), put(less), a.region()),
		points: func(x place, _ float64) []place {
			y := x
			x.t, y.t = less, more
			return []place{x, y}
		},
		slack: func(s [][]float64, _ place, _ float64) float64 { return f(s, 1) - f(s, 0) },
	}
}

// bounds says that values are between two numbers.
func (a *arena) bounds(label string, f score) *claim {
	most := rounded(a.scale * math.Exp(a.rng.NormFloat64()))
	argument := "x" + label
	return &claim{
		kind: "bounds", text: fmt.Sprintf("%g <= f(%s) <= %g over %s", -most, argument, most, a.region()),
		points: func(x place, _ float64) []place { return []place{x} },
		slack:  func(s [][]float64, _ place, _ float64) float64 { return most - math.Abs(f(s, 0)) },
	}
}

// moved says that one more of n does not lower f by more than a number.
func (a *arena) moved(label string, f score) *claim {
	most := rounded(a.scale * math.Exp(a.rng.NormFloat64()-2))
	n := a.whole[0] + a.rng.IntN(a.whole[1]-a.whole[0])
	return &claim{
		kind: "steps of whole numbers", text: fmt.Sprintf("f(put(n, %d)(x)%s) >= f(put(n, %d)(x)%s) - %g over %s", n+1, label, n, label, most, a.region()),
		points: func(x place, _ float64) []place {
			y := x
			x.n, y.n = n, n+1
			return []place{x, y}
		},
		slack: func(s [][]float64, _ place, _ float64) float64 { return f(s, 1) - f(s, 0) + most },
	}
}

// between says that the score of a class rises faster in a than that of another one.
func (a *arena) between(of int) *claim {
	other := (of + 1) % len(a.labels)
	gap := func(s [][]float64, k int) float64 { return s[k][of] - s[k][other] }
	return &claim{
		kind: "slopes of two classes", text: fmt.Sprintf("d/d(a) f(x, %s) >= d/d(a) f(x, %s) over %s", a.labels[of], a.labels[other], a.region()),
		points: func(x place, h float64) []place { return []place{x, a.step(x, h)} },
		slack:  func(s [][]float64, _ place, _ float64) float64 { return gap(s, 1) - gap(s, 0) },
	}
}
