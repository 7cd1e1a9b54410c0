package setting

import (
	"fmt"
	"strconv"
	"strings"
)

// The kinds of kernels that are sums over the columns of the file, with d components k_j of a column each:
//
//	additive   (1/d) Σ_j k_j
//	pairwise   (1/d) Σ_j k_j + (1/q) Σ_{j<l} k_j k_l, over q pairs
//
// A function of their space is a sum of functions of one column, and under pairwise of two.
const (
	Additive KernelKind = "additive"
	Pairwise KernelKind = "pairwise"
)

// The kinds of components beside Gaussian, Matern32, Matern52 and Linear.
const (
	// Periodic is the Gaussian kernel on a circle: exp(−c²/2s²), where c is the chord between two points of a circle whose
	// circumference is the period.
	Periodic KernelKind = "periodic"
	// Category is 1 where texts are equal and 0 elsewhere: ⟨u, u′⟩ + (1 − Σu)(1 − Σu′), u the 0/1 columns of the texts. Texts that
	// no training row has are equal.
	Category KernelKind = "category"
)

// LeastOfPeriod is the share of its period that the width of a periodic kernel must exceed where statements are proved. Terms of narrower
// kernels vary faster than polynomials follow.
const LeastOfPeriod = 1e-3

// A Base is a kernel in one number: Gaussian, Matern32, Matern52, Periodic or Linear, plus a multiple of the linear one.
type Base struct {
	Kind     KernelKind `json:"kind"`
	Width    float64    `json:"width,omitempty"`  // s > 0, of all but Linear and Category, in prepared units
	OfMedian bool       `json:"-"`                // Width counts median distances between the training rows' numbers
	Period   float64    `json:"period,omitempty"` // of Periodic; in units of the file in Parts, in prepared ones in a Component
	Linear   float64    `json:"linear,omitempty"` // w ≥ 0: w·v·v′ is added
}

// String returns the kernel as the language writes it.
func (b Base) String() string {
	width := fmt.Sprintf("width = %.6g", b.Width)
	if b.OfMedian {
		width = fmt.Sprintf("width = %g * median", b.Width)
	}
	text := string(b.Kind)
	switch b.Kind {
	case Periodic:
		text += fmt.Sprintf("(period = %.6g, %s)", b.Period, width)
	case Gaussian, Matern32, Matern52:
		text += "(" + width + ")"
	case Laplacian, Linear, Polynomial, Additive, Pairwise, Category:
	}
	if b.Linear > 0 {
		text += fmt.Sprintf(" + %g * linear", b.Linear)
	}
	return text
}

// Derivatives returns how many derivatives of f along the number are bounded functionals, up to 2.
func (b Base) Derivatives() int {
	if b.Kind == Matern32 {
		return 1
	}
	return 2
}

// Parts say what an additive or pairwise kernel is made of, by the names that columns have in the file.
type Parts struct {
	Base Base // of all numeric columns that are not in Own
	Own  []Own
	Only [][2]string // the pairs of Pairwise; nil stands for all
}

// An Own is a column with a kernel of its own.
type Own struct {
	Column string
	Base   Base
}

// String returns the arguments as the language writes them.
func (p *Parts) String() string {
	parts := []string{p.Base.String()}
	for _, o := range p.Own {
		parts = append(parts, strconv.Quote(o.Column)+" = "+o.Base.String())
	}
	if p.Only != nil {
		pairs := make([]string, len(p.Only))
		for i, pair := range p.Only {
			pairs[i] = fmt.Sprintf("(%q, %q)", pair[0], pair[1])
		}
		parts = append(parts, "only = {"+strings.Join(pairs, ", ")+"}")
	}
	return strings.Join(parts, ", ")
}

// A Group is a column of the file among the prepared columns.
type Group struct {
	Name string
	// Columns are that of a number, then its masks, or those of a text.
	Columns []int
	Text    bool    // a column for each text of the training rows
	Words   bool    // a column for each word
	Scale   float64 // of a number: how many units of the file a prepared one is
	// Low and High are the least and the greatest number of the training rows, prepared. Gaps are the values of Columns at their gaps, one for
	// each kind of gap that these rows have.
	Low, High float64
	Gaps      [][]float64
}

// A Component is one k_j of an additive or pairwise kernel. Masks m of a number v, 1 at gaps, make it
//
//	(1 − Σm)(1 − Σm′) base(v, v′) + ⟨m, m′⟩
type Component struct {
	Name string `json:"name"`
	// Columns are prepared columns: that of the number, then its masks, or those of the texts of a Category.
	Columns []int `json:"columns"`
	Base
}

// Bounded reports whether k(x, x) is bounded, whatever x is.
func (k *Kernel) Bounded() bool {
	if k.Parts != nil {
		for _, o := range k.Parts.Own {
			if o.Base.Kind == Linear || o.Base.Linear > 0 {
				return false
			}
		}
		return k.Parts.Base.Kind != Linear && k.Parts.Base.Linear == 0
	}
	for i := range k.Components {
		if c := &k.Components[i]; c.Kind == Linear || c.Linear > 0 {
			return false
		}
	}
	return k.Radial() || k.Sums()
}

// Sums reports whether k is additive or pairwise.
func (k *Kernel) Sums() bool { return k.Kind == Additive || k.Kind == Pairwise }

// Derivatives returns how many derivatives of f along a direction are bounded functionals, up to 2. A derivative of order m is one
// if the kernel has derivatives of order m in each argument.
func (k *Kernel) Derivatives() int {
	switch k.Kind {
	case Laplacian:
		return 0
	case Matern32:
		return 1
	case Gaussian, Matern52, Linear, Polynomial, Additive, Pairwise, Periodic, Category:
	}
	least := 2
	if k.Parts != nil {
		least = k.Parts.Base.Derivatives()
		for _, o := range k.Parts.Own {
			least = min(least, o.Base.Derivatives())
		}
	}
	for i := range k.Components {
		least = min(least, k.Components[i].Derivatives())
	}
	return least
}

// sumString returns an additive or pairwise kernel as the language writes it. One that comes from a model file lists its columns.
func (k *Kernel) sumString() string {
	if k.Parts != nil {
		return fmt.Sprintf("%s(%s)", k.Kind, k.Parts)
	}
	parts := make([]string, len(k.Components))
	for i := range k.Components {
		parts[i] = strconv.Quote(k.Components[i].Name) + " = " + k.Components[i].String()
	}
	return fmt.Sprintf("%s(%s)", k.Kind, strings.Join(parts, ", "))
}
