package dataset

import (
	"fmt"
	"regexp"
	"strings"
	"unicode/utf8"
)

// WhyText says what stops a text from being a number: a sign of money or percent, a decimal comma or commas between thousands. So it does of a date
// in another order.
// It is empty where the text is not a number without them either.
func WhyText(cell string) string {
	number := func(text string) bool {
		_, kind := readNumber(text)
		return kind == cellNumber
	}
	at := strings.IndexAny(cell, "$€£¥%")
	bare := strings.TrimSpace(strings.NewReplacer("$", "", "€", "", "£", "", "¥", "", "%", "").Replace(cell))
	point, whole := strings.Replace(bare, ",", ".", 1), strings.ReplaceAll(bare, ",", "")
	unclear := betweenThousands.MatchString(bare)
	plain := whole
	switch {
	case pointsBetween.MatchString(bare):
		plain = strings.Replace(strings.ReplaceAll(bare, ".", ""), ",", ".", 1)
	case !unclear && number(point):
		plain = point
	}
	switch {
	case at >= 0 && number(plain):
		sign, _ := utf8.DecodeRuneInString(cell[at:])
		return fmt.Sprintf("the sign %c stops %q from being a number: write %s", sign, cell, plain)
	case unclear:
		return fmt.Sprintf("%q may be %s or %s: write numbers with a point, and nothing between thousands", cell, whole, point)
	case pointsBetween.MatchString(bare):
		return fmt.Sprintf("%q has points between thousands and a decimal comma: write %s", cell, plain)
	case point != cell && number(point):
		return fmt.Sprintf("%q has a decimal comma: write numbers with a point, %s", cell, point)
	case otherDate.MatchString(cell):
		return fmt.Sprintf("%q may be a date, and nobody can tell days from months: write dates as 2020-02-29", cell)
	case whole != cell && number(whole):
		return fmt.Sprintf("commas between thousands stop %q from being a number: write %s", cell, whole)
	}
	return ""
}

// pointsBetween matches a number with points between thousands and a decimal comma: 1.234,5.
var pointsBetween = regexp.MustCompile(`^[+-]?\d{1,3}(\.\d{3})+,\d+$`)

// otherDate matches a date that begins with a day or a month.
var otherDate = regexp.MustCompile(`^\d{1,2}[./-]\d{1,2}[./-](\d{4}|\d{2})$`)

// Unseparated says that columns seem to be separated by what no reader takes: the only name of a column has blanks or bars.
// It is empty for other tables.
func (t *Table) Unseparated() string {
	if t.Format != CSV || len(t.names) != 1 || !strings.ContainsAny(t.names[0], " |") {
		return ""
	}
	return fmt.Sprintf("the header %q was read as one column: separate columns by commas, tabs or semicolons", t.names[0])
}
