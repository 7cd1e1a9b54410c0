package dataset

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/sipc-ml/sipc/spelling"
)

// didYouMean returns a mend that offers the candidate nearest to name, or lists a few if none is near.
func didYouMean(name string, candidates []string) string {
	if best := nearest(name, candidates); best != "" {
		return fmt.Sprintf("did you mean %q?", best)
	}
	if len(candidates) == 0 {
		return ""
	}
	return "there are " + listed(candidates, 8)
}

// nearest returns the candidate that differs least from name, or "" if all differ in more than a third of its letters.
func nearest(name string, candidates []string) string {
	most := max(1, utf8.RuneCountInString(name)/3)
	return spelling.Nearest(name, candidates, func(string) int { return most })
}

// listed joins the first few names.
func listed(names []string, most int) string {
	if len(names) <= most {
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s, … (%d in all)", strings.Join(names[:most], ", "), len(names))
}
