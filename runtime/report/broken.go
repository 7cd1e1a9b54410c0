package report

import (
	"fmt"
	"strings"
)

// Broken says at how many rows the function that predicts breaks a one-sided statement. It must do so by more than
// 10⁻³ standard deviations of the score. A slope counts per standard deviation of its column, a second derivative per
// square of it.
type Broken struct {
	// Statement says what happens there: the score falls with bmi.
	Statement string `json:"statement"`
	Train     Count  `json:"train"`
	// Unlabelled counts the rows without a label that R sees; absent where there are none.
	Unlabelled *Count `json:"unlabelled,omitempty"`
	Test       *Count `json:"test,omitempty"` // absent where no test row could be counted
	// Over says where a statement is looked at that is about more than single rows.
	Over Over `json:"over,omitzero"`
	// Untested says why no test row could be counted. Test is then absent.
	Untested string `json:"untested,omitempty"`
}

// A Count says how many of some rows break a statement.
type Count struct {
	Broken int `json:"broken"`
	Rows   int `json:"rows"`            // that the statement is about
	Among  int `json:"among,omitempty"` // all rows of the data; absent where the statement is about all of them
}

// of returns the rows that were counted, in words.
func (c Count) of(noun string) string {
	if c.Among == 0 {
		return Counted(c.Rows, noun)
	}
	return fmt.Sprintf("the %s that it is about", Counted(c.Rows, noun))
}

// An Over says what counts as a row that breaks a statement.
type Over int

// The larger ones say more. A path or several rows count for each row that takes part.
const (
	OverRows    Over = iota // the row itself
	OverSeveral             // a comparison of it with other rows
	OverPaths               // some place between it and another row
)

// overWords are the words for all but rows: of JSON, before a number of rows, and behind the name of a share of rows.
var overWords = [...][3]string{{"", " at ", ""}, {"comparisons", " in comparisons of ", " in comparisons of them"}, {"paths", " on paths from ", " on paths from them"}}

// MarshalText writes "paths" or "comparisons".
func (o Over) MarshalText() ([]byte, error) { return []byte(overWords[o][0]), nil }

// UnmarshalText reads them.
func (o *Over) UnmarshalText(text []byte) error {
	for k := range overWords {
		if overWords[k][0] == string(text) {
			*o = Over(k)
			return nil
		}
	}
	return fmt.Errorf("%q is neither paths nor comparisons", text)
}

// sentence says it of a run, and of its baseline where there is one.
func (b *Broken) sentence(base *Broken) string {
	var train *Count
	plain := &Broken{}
	if base != nil {
		plain, train = base, &base.Train
	}
	s := b.Statement + overWords[b.Over][1] + b.Train.sentence("training row", train)
	if b.Unlabelled != nil {
		s += "; " + b.Unlabelled.sentence("unlabelled row", plain.Unlabelled)
	}
	switch {
	case b.Untested != "":
		return s + "; no test row is counted: " + b.Untested
	case b.Test == nil:
		return s
	}
	return s + "; " + b.Test.sentence("test row", plain.Test)
}

// sentence says how many of the rows, and of the baseline's where these were counted.
func (c Count) sentence(noun string, plain *Count) string {
	s := fmt.Sprintf("%d of %s", c.Broken, c.of(noun))
	if plain != nil {
		s += fmt.Sprintf(", plain %d", plain.Broken)
	}
	return s
}

// named returns a sentence with the statement's name before it, unless it begins with it.
func (b *Broken) named(name string, base *Broken) string {
	if s := b.sentence(base); strings.HasPrefix(s, name+" ") {
		return s
	}
	return name + ": " + b.sentence(base)
}
