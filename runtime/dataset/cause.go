package dataset

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// WhyText says what stops a text from being a number: a sign of money or percent, a decimal comma or commas between thousands.
// It is empty where the text is not a number without them either.
func WhyText(cell string) string {
	number := func(text string) bool {
		_, kind := readNumber(text)
		return kind == cellNumber
	}
	at := strings.IndexAny(cell, "$€£¥%")
	bare := strings.TrimSpace(strings.NewReplacer("$", "", "€", "", "£", "", "¥", "", "%", "", ",", "").Replace(cell))
	point := strings.Replace(cell, ",", ".", 1)
	switch {
	case at >= 0 && number(bare):
		sign, _ := utf8.DecodeRuneInString(cell[at:])
		return fmt.Sprintf("the sign %c stops %q from being a number: write %s", sign, cell, bare)
	case point != cell && number(point):
		return fmt.Sprintf("%q has a decimal comma: write numbers with a point, %s", cell, point)
	case bare != cell && number(bare):
		return fmt.Sprintf("commas between thousands stop %q from being a number: write %s", cell, bare)
	}
	return ""
}

// Unseparated says that columns seem to be separated by what no reader takes: the only name of a column has blanks or bars.
// It is empty for other tables.
func (t *Table) Unseparated() string {
	if t.Format != CSV || len(t.names) != 1 || !strings.ContainsAny(t.names[0], " |") {
		return ""
	}
	return fmt.Sprintf("the header %q was read as one column: separate columns by commas, tabs or semicolons", t.names[0])
}
