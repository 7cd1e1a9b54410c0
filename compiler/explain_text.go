package compiler

import (
	"fmt"
	"io"
	"strconv"
	"strings"
)

// Write prints the explanation as text.
func (ex *Explanation) Write(w io.Writer) error {
	var b strings.Builder
	fmt.Fprintf(&b, "R is %s.\n", ex.Theory)
	fmt.Fprintf(&b, "R² is %s.\n", shape(ex.Quadratic, ex.Smooth))
	if ex.Functionals >= 0 {
		fmt.Fprintf(&b, "R has %s.\n", plural(ex.Functionals, "functional"))
	}
	for i := range ex.Invariances {
		inv := &ex.Invariances[i]
		fmt.Fprintf(&b, "\n%s = %s\n", inv.Name, inv.Text)
		fmt.Fprintf(&b, "  weight       %s\n", strconv.FormatFloat(inv.Weight, 'g', -1, 64))
		fmt.Fprintf(&b, "  kind         %s, %s\n", inv.Kind, inv.Sign)
		if inv.Functionals >= 0 {
			fmt.Fprintf(&b, "  functionals  %d\n", inv.Functionals)
		}
		fmt.Fprintf(&b, "  square       %s\n", shape(inv.Quadratic, inv.Smooth))
		fmt.Fprintf(&b, "  theory       %s\n", inv.Theory)
		b.WriteString("  proof\n")
		writeStep(&b, &inv.Proof, 2)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func shape(quadratic, smooth bool) string {
	switch {
	case quadratic:
		return "quadratic: method warp has a closed form"
	case smooth:
		return "differentiable"
	}
	return "not differentiable everywhere"
}

func writeStep(b *strings.Builder, s *Step, depth int) {
	indent := strings.Repeat("  ", depth)
	b.WriteString(indent)
	if s.Call != "" {
		fmt.Fprintf(b, "%s = ", s.Call)
	}
	b.WriteString(s.Text)
	switch {
	case s.Rule == aNumber:
		b.WriteString("\n")
	case len(s.Parts) == 0:
		fmt.Fprintf(b, "    %s\n", s.Kind)
	default:
		fmt.Fprintf(b, "\n%s    %s, %s: %s\n", indent, s.Kind, s.Sign, s.Rule)
	}
	for i := range s.Parts {
		writeStep(b, &s.Parts[i], depth+1)
	}
}
