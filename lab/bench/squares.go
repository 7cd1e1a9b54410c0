package bench

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/sipc-ml/sipc/runtime/report"
	"github.com/sipc-ml/sipc/runtime/setting"
)

// A Square is a run under an R of squares, or without R by method plain.
type Square struct {
	Learner   string         `json:"learner"`
	Moves     string         `json:"moves"` // over which R is taken
	Rows      int            `json:"rows"`
	Landmarks int            `json:"landmarks"`
	Method    setting.Method `json:"method"`
	Seconds   float64        `json:"seconds"` // of processor time
	Gap       report.Number  `json:"gap"`     // certified; null where there is no R
}

// SquareMethods are those that take an R of squares.
var SquareMethods = []setting.Method{setting.Risk, setting.Warp, setting.Embed}

// squareAim is how many times the seconds of method plain an R of squares is to take at most.
const squareAim = 1.5

// WriteSquares writes runs as a table, a line for each run of method plain and those behind it. Multiples of its seconds above the aim are in italics.
func WriteSquares(w io.Writer, runs []Square) error {
	var b strings.Builder
	b.WriteString("| learner | R over | n | landmarks | plain, s |")
	for _, m := range SquareMethods {
		fmt.Fprintf(&b, " %s, s | × plain | gap |", m)
	}
	b.WriteString("\n|" + strings.Repeat("---|", 5+3*len(SquareMethods)))
	plain := 0.0
	for at, r := range runs {
		if r.Method == setting.Plain {
			plain = r.Seconds
			fmt.Fprintf(&b, "\n| %s | %s | %d | %d | %.2f |", r.Learner, r.Moves, r.Rows, r.Landmarks, plain)
			continue
		}
		if k := slices.Index(SquareMethods, r.Method); k < 0 || at <= k || runs[at-k-1].Method != setting.Plain {
			return fmt.Errorf("run %d is of method %s; runs are of method plain and then of %v", at+1, r.Method, SquareMethods)
		}
		times := fmt.Sprintf("%.1f", r.Seconds/plain)
		if r.Seconds > squareAim*plain {
			times = "*" + times + "*"
		}
		fmt.Fprintf(&b, " %.2f | %s | %.0e |", r.Seconds, times, float64(r.Gap))
	}
	b.WriteString("\n")
	_, err := io.WriteString(w, b.String())
	return err
}
